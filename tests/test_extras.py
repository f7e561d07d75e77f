"""The core works with its three dependencies alone; what needs more says what it is called."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys
sys.modules.update(dict.fromkeys({blocked}))
import paribus as pb
"""
PEOPLE = "people = pb.datasets.body_weight(300, seed=0)\n"
OPTIONAL = (
    "altair", "chardet", "click", "dask", "duckdb", "ibis", "jinja2", "matplotlib", "pandas",
    "polars", "pyarrow", "pyreadstat", "pyspark", "python_calamine", "rich", "shap", "sklearn",
    "starlette", "uvicorn", "vl_convert", "xlsxwriter",
)  # fmt: skip


def call(code, installed=()):
    """Run code where no package but the core and those installed can be imported."""
    blocked = [name for name in OPTIONAL if name not in installed]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", BLOCKED.format(blocked=blocked) + code],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return run.stdout.strip(), run.stderr.strip().splitlines()[-1:]


def test_the_core_needs_three_packages():
    said, wrong = call(
        PEOPLE + "effects = pb.effects(people.table, 'weight')\n"
        "print(effects.ranking[0], effects['height'].average_slope().value > 9)\n"
        "pb.check(people.table, 'weight').summary()"
    )
    assert (said, wrong) == ("height True", [])


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("effects.plot()", "A picture needs matplotlib, which is not installed. Install it with: "
         "pip install 'paribus[plot]'"),
        ("effects['height'].plot()", "pip install 'paribus[plot]'"),
        ("effects['height'].chart()", "A chart needs altair"),
        ("effects.report('x.html')", "pip install 'paribus[report]'"),
        ("effects.to_excel('x.xlsx')", "A workbook needs XlsxWriter"),
        ("pb.stratpd(people.table, 'weight', 'height')", "pip install 'paribus[models]'"),
        ("pb.compare(people.table, 'weight', 'height')", "pip install 'paribus[models]'"),
        ("pb.effects('x.csv', 'weight')", "pip install 'paribus[files]'"),
    ],
)  # fmt: skip
def test_what_is_missing_names_itself(code, sentence, tmp_path):
    (tmp_path / "x.csv").write_text("a,weight\n1,2\n")
    begin = f"import os; os.chdir({str(tmp_path)!r})\n" + PEOPLE
    if code.startswith("effects"):
        begin += "effects = pb.effects(people.table, 'weight')\n"
    _, (wrong,) = call(begin + code)
    assert wrong.startswith("ImportError: ")
    assert sentence in wrong


@pytest.mark.parametrize(
    ("code", "installed"),
    [
        ("pb.effects(people.table, 'weight').plot()", ("matplotlib",)),
        ("pb.effects(people.table, 'weight').to_excel('x.xlsx')", ("xlsxwriter",)),
        ("pb.stratpd(people.table, 'weight', 'height')", ("sklearn", "matplotlib")),
    ],
)
def test_an_extra_is_enough_by_itself(code, installed, tmp_path):
    _, wrong = call(f"import os; os.chdir({str(tmp_path)!r})\n" + PEOPLE + code, installed)
    assert wrong == []


def test_importing_is_quick():
    """Nothing heavy is loaded before it is used."""
    said, _ = call("print(sorted({'numpy', 'scipy', 'narwhals'} & set(sys.modules)))")
    assert said == "[]"
