"""What README and documentation show without a prompt runs, too; doctest runs the rest."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.cli.commands import paribus
from paribus.cli.run import run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
ELSEWHERE = ("dask_dataframe", "spark_dataframe")  # in scale/test_engines.py
FEW = 200  # rows of the diamonds


def blocks(python):
    """Return the page of each block that is Python, or is not, with its lines."""
    found = []
    for page in PAGES:
        for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            is_ours = (kind == "python") if python else kind in ("", "console")
            if is_ours and ">>>" not in text and "reference" not in page.parts:
                found.append((page.name, text))
    return found


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    """A folder with the files that the documentation speaks of."""
    rng = np.random.default_rng(0)
    rooms, year = rng.integers(1, 6, 300), rng.integers(2018, 2024, 300)
    price = 100.0 * rooms + rng.normal(size=300)
    houses = pl.DataFrame({"rooms": rooms, "year": year, "price": price})
    houses.write_csv(tmp_path / "houses.csv")
    houses.write_csv(tmp_path / "big.csv")
    houses.write_excel(tmp_path / "houses.xlsx")
    houses.rename({"price": "rent"}).write_csv(tmp_path / "flats.csv")
    (tmp_path / "data").mkdir()
    houses.write_parquet(tmp_path / "data" / "part.parquet")
    monkeypatch.chdir(tmp_path)
    return houses


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_python_runs(at_home, monkeypatch):
    import duckdb
    import ibis
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    whole = pb.datasets.diamonds()
    few = {name: values[:: len(whole.y) // FEW] for name, values in whole.table.items()}
    monkeypatch.setattr(pb.datasets, "diamonds", lambda: type("Few", (), {"table": dict(few)}))
    monkeypatch.setattr(sys.modules["builtins"], "print", lambda *_: None)

    X = pl.DataFrame(few).drop("price", *"xyz").to_pandas()
    coded = make_column_transformer(
        (OrdinalEncoder(), ["cut", "color", "clarity"]), remainder="passthrough"
    )
    model = make_pipeline(coded, LinearRegression()).fit(X, few["price"])
    ibis_table = ibis.read_parquet("data/part.parquet")
    known = {"pb": pb, "model": model, "duckdb": duckdb, "ibis_table": ibis_table}
    for page, text in blocks(python=True):
        lines = [line for line in text.splitlines() if not any(e in line for e in ELSEWHERE)]
        exec(compile("\n".join(lines), page, "exec"), known)  # noqa: S102
    assert {page for page, _ in blocks(python=True)} >= {"README.md", "index.md", "scale.md"}


COMMANDS = [
    re.split(" +# | > ", line.removeprefix("$ "))[0]
    for _, text in blocks(python=False)
    for line in text.splitlines()
    if line.removeprefix("$ ").startswith("paribus ")
]


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_commands_run(at_home, command, capsys):
    _, name, *words = shlex.split(command)
    if name == "serve":
        whole = paribus.make_context("paribus", [])
        paribus.commands[name].make_context(name, words, parent=whole)
    else:
        assert run([name, *words]) == 0, capsys.readouterr().err


@pytest.mark.skipif(not shutil.which("make"), reason="make is not here")
def test_the_demo_installs_the_page_and_no_tools_of_tests(tmp_path):
    command = [shutil.which("make"), "--dry-run", "demo", f"VENV={tmp_path}/none"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "--editable '.[serve]'" in said
    assert "[dev]" not in said


def test_make_knows_every_target_that_is_named():
    known = re.findall(
        r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    for page in PAGES:
        named = re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8"))
        assert set(named) <= set(known), page
