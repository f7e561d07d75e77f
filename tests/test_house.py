"""The rooms of the house: who may import whom, and what importing costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "paribus"

# Data walks one way. A room may import itself and rooms of a lower rank, at any depth, inside
# functions too.
RANK = {
    "base": 0,
    "files": 1,
    "strata": 1,
    "table": 2,
    "estimate": 2,
    "datasets": 3,
    "results": 3,
    "plotting": 4,
    "tidy": 4,
    "paper": 4,
    "pipeline": 5,
    "report": 5,
    "scale": 6,
    "environment": 6,
    "api": 7,
    "finder": 8,
    "models": 8,
    "serve": 9,
    "cli": 10,
    "__init__": 11,
    "__main__": 11,
}
# The one door up: a result can draw and write itself.
DOOR = {"results/show.py": {"plotting", "report"}}
# Outside packages, beside NumPy and the standard library, and the rooms that may import them.
OUTSIDE = {
    "narwhals": {"table"},
    "scipy": {"estimate", "models", "pipeline", "strata"},
    "sklearn": {"strata", "models"},
    "threadpoolctl": {"pipeline", "models"},
    "chardet": {"files"},
    "polars": {"files", "serve", "report"},
    "great_tables": {"report"},
    "docx": {"report"},
    "pyreadstat": {"files"},
    "python_calamine": {"files"},
    "pyarrow": {"files", "scale"},
    "dask": {"scale"},
    "pyspark": {"scale"},
    "shap": {"models"},
    "matplotlib": {"plotting", "results", "models"},
    "altair": {"plotting", "results", "report", "models"},
    "jinja2": {"report", "serve"},
    "vl_convert": {"report"},
    "xlsxwriter": {"report"},
    "click": {"cli"},
    "rich": {"cli"},
    "starlette": {"serve"},
    "h11": {"serve"},
    "uvicorn": {"serve"},
}


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "paribus":
                yield from (f"paribus.{alias.name}" for alias in node.names)
            else:
                yield node.module


def unwelcome(path):
    room = room_of(path)
    door = DOOR.get(str(path.relative_to(PACKAGE).as_posix()), set())
    for name in imports_of(path):
        top, *rest = name.split(".")
        if top == "paribus":
            other = rest[0] if rest else "__init__"
            if other != room and other not in door and RANK.get(other, 99) >= RANK[room]:
                yield name
        elif top not in {*sys.stdlib_module_names, "numpy"} and room not in OUTSIDE.get(top, ()):
            yield name


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.name)
def test_rooms_import_only_what_they_may(path):
    assert list(unwelcome(path)) == []


def test_no_room_imports_by_a_string_around_the_guard():
    """Three files may: lazy names, the seam of compiled modules, and packages of others."""
    users = {
        str(path.relative_to(PACKAGE).as_posix())
        for path in PACKAGE.rglob("*.py")
        if "import_module" in path.read_text(encoding="utf-8")
    }
    assert users <= {"__init__.py", "base/compiled.py", "base/extras.py"}


def test_the_guard_sees_a_trespasser(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    (tmp_path / "estimate").mkdir()
    trespasser = tmp_path / "estimate" / "bad.py"
    trespasser.write_text("def f():\n    import pandas\n    from paribus import results\n")
    assert list(unwelcome(trespasser)) == ["pandas", "paribus.results"]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/images/house.svg"])
def test_every_room_is_drawn_and_described(page):
    text = (PACKAGE.parents[1] / page).read_text(encoding="utf-8")
    rooms = {name for name in RANK if (PACKAGE / name).is_dir()}
    assert {name for name in rooms if f"{name}/" not in text} == set()


def test_no_file_is_longer_than_five_hundred_lines():
    root, kinds = PACKAGE.parents[1], ("py", "pyx", "js", "html", "css")
    rooms = [root / name for name in ("src", "tests", "benchmarks", "addin")]
    paths = [path for room in rooms for path in room.rglob("*")]
    ours = [path for path in paths if path.suffix[1:] in kinds and "build" not in path.parts]
    long = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in ours}
    assert {name: lines for name, lines in long.items() if lines > 500} == {}


def test_importing_loads_nothing_heavy():
    heavy = ["pandas", "polars", "pyarrow", "matplotlib", "sklearn", "click", "rich"]
    heavy += ["altair", "jinja2", "xlsxwriter", "starlette", "uvicorn", "dask", "pyspark"]
    code = (
        "import sys, paribus as pb; pb.stratpd; pb.datasets; pb.NumericEffect;"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_is_there_and_documented():
    import paribus as pb

    for name in pb.__all__:
        assert getattr(pb, name).__doc__
    assert set(pb.__all__) <= set(dir(pb))
    assert pb.__version__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = pb.nothing
