"""Numbers as CSV: no front end writes what a spreadsheet takes for a formula.

The report's own button is tested in the browser, tests/report/test_browser.py.
"""

import csv

import polars as pl
import pytest

import paribus as pb
from paribus.base.formulas import FORMULA
from paribus.cli.run import run
from paribus.serve.exports import _write_csv

from odd_tables import nasty_table


@pytest.fixture(scope="module")
def table():
    columns, target = nasty_table(300)
    few = {name: columns[name] for name in list(columns) if name[0] in "=@<a" or name == target}
    return few, target


def formulas(text):
    """Return the cells that a spreadsheet would run."""
    cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    return [cell for cell in cells if cell.startswith(FORMULA) and not is_number(cell)]


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_python_and_the_page(table, tmp_path):
    columns, target = table
    effects = pb.effects(columns, target, tidy=False)
    assert formulas(effects.to_csv(tmp_path / "tidy.csv").read_text(encoding="utf-8")) == []
    _write_csv(effects, tmp_path / "page.csv")
    assert formulas((tmp_path / "page.csv").read_text(encoding="utf-8-sig")) == []


@pytest.mark.parametrize("more", [["effects"], ["effects", "-f", "@levels"], ["interactions"]])
def test_the_command_line(table, tmp_path, capsys, more):
    columns, target = table
    pl.DataFrame(columns).write_csv(tmp_path / "nasty.csv")
    command, *rest = more
    asked = [command, str(tmp_path / "nasty.csv"), "-t", target, "--as-is", "--csv", *rest]
    assert run(asked) == 0
    assert formulas(capsys.readouterr().out) == []
