"""The rooms of the house: who may import whom, and what importing costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "paribus"

# Data walks one way: table -> strata -> estimate -> results -> shown. For each room, the rooms
# and outside packages that its files may import, at any depth, beside the standard library.
BASE = {"_arrays", "errors", "notes"}
ARRAYS = {"numpy", "scipy"}
ROOMS = {
    "__init__": {"about", "datasets", "errors", "front_door", "models", "notes", "paper"}
    | {"results"},
    "_arrays": {"numpy"},
    "errors": set(),
    "notes": set(),
    "progress": set(),
    "table": {"_arrays", "errors", "numpy", "narwhals"},
    "strata": {"_arrays", "strata", "sklearn"} | ARRAYS,
    "estimate": {"_arrays", "estimate"} | ARRAYS,
    "target": BASE | {"table", "numpy"},
    "question": BASE | {"table", "target", "strata", "numpy"},
    "results": BASE
    | {"table", "estimate", "results", "plotting", "report"}
    | {"altair", "matplotlib", "numpy"},
    "checks": {"errors", "numpy"},
    "about": {"strata", "numpy"},
    "diagnose": {"_arrays", "estimate", "numpy"},
    "outcome": BASE | {"diagnose", "estimate", "question", "results", "table", "numpy"},
    "analysis": BASE
    | {"progress"}
    | {"estimate", "outcome", "question", "results", "strata", "table", "numpy", "threadpoolctl"},
    "scale": BASE
    | {"analysis", "diagnose", "estimate", "outcome", "progress", "question", "results", "scale"}
    | {"strata", "table", "target", "dask", "numpy", "pyarrow", "pyspark"},
    "front_door": BASE
    | {"analysis", "checks", "progress", "question", "results", "scale", "table", "target"}
    | {"numpy"},
    "paper": BASE | {"checks"} | {"table", "question", "strata", "estimate", "results", "numpy"},
    "datasets": BASE | {"table", "numpy"},
    "models": BASE
    | {"checks", "front_door", "models", "paper", "plotting", "question", "results", "table"}
    | {"target", "altair", "matplotlib", "shap", "sklearn", "threadpoolctl"}
    | ARRAYS,
    "files": {"errors", "files", "notes", "progress", "polars", "python_calamine"},
    "cli": {"about", "cli", "datasets", "errors", "files", "front_door", "notes", "report"}
    | {"progress", "results", "scale", "serve", "click", "numpy", "rich"},
    "serve": {
        "analysis",
        "datasets",
        "diagnose",
        "errors",
        "files",
        "front_door",
        "notes",
        "plotting",
    }
    | {"question", "report", "results", "serve", "table", "target", "_arrays"}
    | {"numpy", "polars", "python_calamine", "starlette", "uvicorn"},
    "__main__": {"cli"},
    "plotting": {"_arrays", "errors", "models", "plotting", "results"}
    | {"altair", "matplotlib", "numpy"},
    "report": {"_arrays", "errors", "plotting", "progress", "report", "results", "estimate"}
    | {"numpy"}
    | {"altair", "jinja2", "vl_convert", "xlsxwriter"},
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
    allowed = ROOMS[room_of(path)]
    for name in imports_of(path):
        top, *rest = name.split(".")
        room = rest[0] if top == "paribus" and rest else top
        if room not in sys.stdlib_module_names and room not in allowed:
            yield name


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.name)
def test_rooms_import_only_what_they_may(path):
    assert list(unwelcome(path)) == []


def test_the_guard_sees_a_trespasser(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    (tmp_path / "estimate").mkdir()
    trespasser = tmp_path / "estimate" / "bad.py"
    trespasser.write_text("def f():\n    import pandas\n    from paribus import table\n")
    assert list(unwelcome(trespasser)) == ["pandas", "paribus.table"]


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
