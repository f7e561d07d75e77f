"""The workbook, read back."""

import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from paribus import InputError
from paribus.report.sheet_names import sheet_names

from odd_tables import NASTY, made_set

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture(scope="module")
def book(odd, tmp_path_factory):
    return openpyxl.load_workbook(odd.to_excel(tmp_path_factory.mktemp("book") / "odd.xlsx"))


def test_a_summary_and_a_sheet_a_column(book, odd):
    explained = [e.feature for e in odd.effects if e.explained]
    assert book.sheetnames == ["Summary", *explained]
    sheet = book["Summary"]
    assert sheet["A1"].value == "What goes with y, other things equal?"
    assert sheet["A3"].value.startswith("300 rows without a value of")  # said once, for all
    written = [row[1] for row in sheet.iter_rows(min_row=6, values_only=True)]
    assert written == odd.ranking
    assert sheet["I6"].value == odd.effects[0].summary()
    everywhere = [cell for page in book for row in page.iter_rows(values_only=True) for cell in row]
    assert sum("300 rows without a value of" in str(cell) for cell in everywhere) == 1


def test_of_very_many_columns_the_strongest_have_a_sheet(tmp_path):
    effects = made_set(103, 4)
    book = openpyxl.load_workbook(effects.to_excel(tmp_path / "wide.xlsx"))
    assert book.sheetnames == ["Summary", *effects.ranking[:100]]
    texts = [row[0] for row in book["Summary"].iter_rows(max_row=4, values_only=True)]
    assert any(str(text).startswith("The 100 columns with the largest impact") for text in texts)
    assert book["Summary"].max_row >= 103


def test_curves_chart_the_ranges_of_their_numbers(book, odd):
    sheet = book["x"]
    last = 4 + len(odd["x"].x)
    assert [c.value for c in sheet[4]][:4] == ["x", "effect", "lower", "upper"]
    assert sheet["B5"].value == pytest.approx(odd["x"].effect[0], abs=1e-4)
    assert sheet.cell(last, 1).value == pytest.approx(odd["x"].x[-1], rel=1e-5)


def test_curves_have_their_bands_as_areas(book, odd):
    """Stacked on one that is not seen: their sums are the sides of interval and band."""
    sheet, e = book["x"], odd["x"]
    (chart,) = sheet._charts
    read = {}
    for series in (*chart.series, *chart._charts[1].series):
        head, cells = (r.f.split("!")[1] for r in (series.tx.strRef, series.val.numRef))
        name = sheet[head.replace("$", "")].value
        read[name] = [cell.value for (cell,) in sheet[cells.replace("$", "")]]
    at = [cell.value for (cell,) in sheet[chart.series[0].cat.numRef.f.split("!")[1]]]
    inside = (at >= e.x[0]) & (at <= e.x[-1])
    assert [k is not None for k in read["estimate"]] == inside.tolist()
    sums = np.cumsum([values for name, values in read.items() if name != "estimate"], axis=0)
    sides = (e.band_lower, e.lower, e.upper, e.band_upper)
    for found, side in zip(sums, sides, strict=True):
        wanted = np.interp(np.array(at)[inside], e.x, side)
        np.testing.assert_allclose(found[inside], wanted, atol=1e-3)
    assert chart.series[0].spPr.noFill
    assert sheet.column_dimensions["S"].hidden or sheet.column_dimensions["T"].hidden


def test_broken_curves_have_an_empty_row(broken, tmp_path):
    book = openpyxl.load_workbook(broken.to_excel(tmp_path / "broken.xlsx"))
    column = [row[0].value for row in book["x"].iter_rows(min_row=5, max_col=1)]
    assert column.index(None) == sum(broken["x"].x < broken["x"].gaps[0].stop)


def test_levels_chart_bars_with_their_intervals(book):
    (chart,) = book["town"]._charts
    (series,) = chart.series
    assert series.val.numRef.f == "town!$C$5:$C$34"
    assert series.cat.strRef.f == "town!$A$5:$A$34"
    assert series.errBars.plus.numRef.f.startswith("town!$")
    heads = [cell.value for cell in book["town"][4]]
    above = series.errBars.plus.numRef.f.split("$")[1]
    assert heads[openpyxl.utils.column_index_from_string(above) - 1] == "above"
    scale = chart.y_axis.scaling
    ends = [row[heads.index(k)].value for row in book["town"]["5:34"] for k in ("lower", "upper")]
    assert scale.min <= min(ends)
    assert scale.max >= max(ends)


def test_dates_are_dates(book, odd):
    assert str(book["day"]["A5"].value)[:10] == str(odd["day"].x[0])[:10]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="make office installs LibreOffice")
def test_libreoffice_opens_it(odd, tmp_path):
    path = odd.to_excel(tmp_path / "odd.xlsx")
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    asked = ["soffice", home, "--headless", "--convert-to", "pdf", "--outdir", tmp_path, path]
    subprocess.run(asked, check=True, capture_output=True, timeout=600)
    content = (tmp_path / "odd.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    pages = len(re.findall(rb"/Type\s*/Page\b", content))
    assert pages > sum(effect.explained for effect in odd.effects)


def test_a_folder_that_is_not_there_is_one_sentence(odd, tmp_path):
    for write in (odd.to_excel, odd.report):
        with pytest.raises(InputError, match=r"cannot be written: there is no folder '.*no'\."):
            write(tmp_path / "no" / "odd.xlsx")
        with pytest.raises(InputError, match="is a folder"):
            write(tmp_path)


def test_text_stays_text(nasty, tmp_path):
    book = openpyxl.load_workbook(nasty.to_excel(tmp_path / "nasty.xlsx"))
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds
    levels = [cell.value for cell in book["@levels"]["A"]]
    assert {"+1", "-2", NASTY["formula"]} <= set(levels)


def test_sheet_names():
    names = ["a" * 40, "a" * 40, "A" * 31, "[x]:*?/\\", "'", "Summary", "history", "🙂" * 20, "x\n"]
    made = sheet_names(names, taken=["Summary"])
    assert made[0] == "a" * 31
    assert made[1] == "a" * 27 + " (2)"
    assert made[2] == "A" * 27 + " (3)"
    assert made[3:] == ["-x------", "column", "Summary (2)", "history (2)", "🙂" * 15, "x"]


def test_what_is_missing_is_named(odd, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ImportError, match=r"pip install 'paribus\[excel\]'"):
        odd.to_excel(tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_numbers_below_each_other_have_one_format(book, odd):
    sheet = book["town"]
    heads = [cell.value for cell in sheet[4]]
    assert heads[:3] == ["town", "rows", "effect"]  # the count is seen without scrolling
    codes = {head: {sheet.cell(k, c + 1).number_format for k in range(5, 35)}
             for c, head in enumerate(heads[1:], start=1)}  # fmt: skip
    assert codes["rows"] == {"#,##0"}
    assert codes["effect"] == codes["lower"] == codes["upper"] == {"0.000"}
    x = book["x"]
    share = [cell.value for cell in x[4]].index("share of rows") + 1
    assert x.cell(5, share).number_format == "0.0%"
    ranks = [book["Summary"].cell(k, 3) for k in range(6, 6 + len(odd))]
    assert len({cell.number_format for cell in ranks if cell.value is not None}) == 1


def test_a_sheet_fits_on_the_width_of_a_page(book):
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert sheet.page_setup.fitToHeight == 0
    said = book["x"]["A2"]
    assert said.alignment.wrap_text  # a long sentence does not widen the page
    assert any(said.coordinate in merged for merged in book["x"].merged_cells.ranges)


def test_rows_that_carry_a_result_stand_below_it(typos, tmp_path):
    book = openpyxl.load_workbook(typos.to_excel(tmp_path / "typos.xlsx"))
    rows = [row[:6] for row in book["x"].iter_rows(values_only=True)]
    head = rows.index(("Row", "x", "y", "Moves most at", "Effect there", "Without the row"))
    assert rows[head - 1][0].startswith("Rows that carry this result.")
    first = typos["x"].influential[0]
    assert rows[head + 1][:3] == (8, first.value, 500)
    assert rows[head + 1][4:] == (pytest.approx(first.effect), pytest.approx(first.without))
    written = [row for row in rows if any(cell is not None for cell in row)]
    assert written[-1] == rows[head + len(typos["x"].influential)]
