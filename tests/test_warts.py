"""Small files with the warts of real ones: each is read as the same table, and reported."""

import csv
import io
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
import xlsxwriter

from paribus.cli.run import run
from paribus.files import layout, read_file

NAMES = ["town", "sold", "size", "rooms", "share", "price"]
N = 240


def houses():
    """Return rows of houses whose price is 1,500 a square metre and 20,000 a room."""
    rng = np.random.default_rng(0)
    size, rooms = rng.uniform(40, 160, N).round(1), rng.integers(1, 7, N)
    price = (1500 * size + 20_000 * rooms + rng.normal(0, 5000, N)).round(2)
    town = rng.choice(["Ulm", "Zürich", "Saint-Lô"], N)
    sold = [date(2023, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 700, N)]
    share = rng.integers(0, 101, N)
    columns = (town, sold, size, rooms, share, price)
    return [list(row) for row in zip(*(list(map(_plain, c)) for c in columns), strict=True)]


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


CLEAN = pl.DataFrame(houses(), schema=NAMES, orient="row")


def changed(rows, **how):
    """Write columns in another way."""
    return [[how.get(n, lambda v: v)(v) for n, v in zip(NAMES, r, strict=True)] for r in rows]


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def text(rows, *, delimiter=",", above=(), below=(), encoding="utf-8", names=NAMES):
    """Return a text file as bytes."""
    page = io.StringIO()
    csv.writer(page, delimiter=delimiter).writerows([names, *rows])
    lines = [*above, *page.getvalue().splitlines(), *below]
    return "\r\n".join(lines).encode(encoding)


DAY_FIRST = {"sold": lambda d: d.strftime("%d/%m/%Y")}
GERMAN = {"sold": lambda d: d.strftime("%d.%m.%Y"), "size": german, "price": german}
DOLLARS = {"price": lambda v: f"${v:,.2f}", "share": lambda v: f"{v} %"}
TEXTS = {
    "blank lines and a BOM": text(houses(), below=["", "", " ", ""], encoding="utf-8-sig"),
    "blank fields at the end": text(houses(), below=[",,,,,", ",,,,,"]),
    "decimal comma": text(changed(houses(), **GERMAN), delimiter=";", encoding="cp1252"),
    "signs and thousands": text(changed(houses(), **DOLLARS), encoding="utf-16"),
    "day first": text(changed(houses(), **DAY_FIRST), delimiter="\t"),
    "blanks round names": text(houses(), names=[f" {name} " for name in NAMES]),
    "titles": text(houses(), above=["House prices", "Source: the, land; register", ""]),
    "total and footnote": text(houses(), below=["Total,,9,9,9,9e9", "", "Source: land register"]),
    "a column twice": text([[*row, row[2]] for row in houses()], names=[*NAMES, "size"]),
    "unnamed columns": text([[*row, "", ""] for row in houses()], names=[*NAMES, "", ""]),
}


def book(path, rows, *, above=(), below=(), names=NAMES, cover=False, at=0):
    """Write a workbook."""
    with xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy"}) as made:
        if cover:
            made.add_worksheet("About").write(0, 0, "House prices")
        page = made.add_worksheet("Houses")
        for k, row in enumerate([*above, names, *rows, *below]):
            page.write_row(k + at, at, row)


BOOKS = {
    "titles": {"above": [["House prices"], ["as of", "2024"], []]},
    "two lines of names": {"above": [["", "", "measures", "", "money"]]},
    "a total": {"below": [[], ["Total", "", 9, 9, 9, 9e9]]},
    "a cover and an empty corner": {"cover": True, "at": 3},
    "signs and day first": {"rows": changed(houses(), **DOLLARS, **DAY_FIRST)},
}


def same(table):
    """Compare with the clean table, dates and whole numbers however they are kept."""
    table = table.with_columns(pl.col("sold").cast(pl.Date), pl.col("rooms", "share").cast(int))
    assert table.columns == NAMES
    assert table.equals(CLEAN)


@pytest.mark.parametrize("wart", TEXTS)
def test_text_with_a_wart_is_the_same_table(wart, tmp_path):
    (tmp_path / "houses.csv").write_bytes(TEXTS[wart])
    same(read_file(tmp_path / "houses.csv").table)


@pytest.mark.parametrize("wart", BOOKS)
def test_a_workbook_with_a_wart_is_the_same_table(wart, tmp_path):
    book(tmp_path / "houses.xlsx", **{"rows": houses(), **BOOKS[wart]})
    same(read_file(tmp_path / "houses.xlsx").table)


@pytest.mark.parametrize("wart", ["decimal comma", "titles", "total and footnote"])
def test_it_is_reported(wart, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "houses.csv").write_bytes(TEXTS[wart])
    asked = ["report", "houses.csv", "-t", "price", "--drop", "share", "--excel", "book.xlsx"]
    assert run(asked) == 0
    page = (tmp_path / "houses.html").read_text(encoding="utf-8")
    assert "What goes with price, other things equal?" in page
    assert "240 rows, 4 columns." in page
    assert (tmp_path / "book.xlsx").exists()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("wart", "told"),
    [
        ("titles", "Line 4 is taken as the header; above it is 'House prices', 'Source: the"),
        ("total and footnote", "The row 'Total ...' at the end is taken as a total and left out."),
        ("a column twice", "Column 'size' appears twice with the same values: one is left out."),
    ],
)
def test_what_was_done_is_told(wart, told, tmp_path):
    (tmp_path / "houses.csv").write_bytes(TEXTS[wart])
    assert told in " ".join(note.text for note in read_file(tmp_path / "houses.csv").notes)


def test_two_columns_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,a,a (2)\n1,2,3,4\n5,6,7,8\n", encoding="utf-8")
    found = read_file(tmp_path / "x.csv")
    assert found.table.columns == ["a", "b", "a (3)", "a (2)"]
    assert [note.text for note in found.notes] == [
        "Two columns are called 'a': the second is called 'a (3)' here."
    ]


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["a", "b"], ["1", "2"]], 0),
        ([["", "a"], ["0", "5"], ["1", "6"]], 0),
        ([["Sales"], ["town", "n"], ["A", "1"]], 1),
        ([["", ""], ["Sales", ""], ["town", "n"], ["A", "1"]], 2),
        ([["country", "2001", "2002"], ["A", "1", "2"]], 0),
        ([["1", "2", "3"], ["4", "5", "6"]], 0),
        ([["a"], ["b"], ["c"]], 0),
        ([["x", None, None, None], [5.0, None, 1.0, None], [6.0, 1.0, 1.0, 1.0]], 0),
    ],
)
def test_where_the_header_is(rows, header):
    assert layout.find_header(rows).at == header


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ([["A", 1, 1], ["Total", 1, 1]], 1),
        ([["A", 1, 1], ["Sum:", None, 1], [None, None, None], ["* estimated", None, None]], 3),
        ([["M", 1, 1], ["Total", 1, 1], ["F", 1, 1], ["Total", 1, 1]], 0),
        ([["Total", 1, 1]] * 20, 0),
        ([["A", 1], ["B", None]], 0),
        ([[1, 1, 1], [2, None, None]], 0),
    ],
)
def test_what_is_no_row_of_the_table(rows, left):
    assert layout.rows_below(rows)[0] == left
