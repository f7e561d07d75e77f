"""Workbooks, and files of Stata and SPSS."""

import sys
from datetime import time, timedelta

import numpy as np
import openpyxl
import polars as pl
import pytest
import xlsxwriter

import paribus as pb
from paribus import InputError
from paribus.files import read_file, read_table

from noted import kinds


def test_formulas_without_a_result_are_told(tmp_path):
    path = tmp_path / "x.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    for k, row in enumerate([["a", "twice"], *([k, f"=A{k + 2}*2"] for k in range(9))]):
        sheet.append(row)
        assert k < 10
    book.save(path)
    (note,) = read_file(path).notes
    assert "9 formulas in column 'twice' have no stored result" in note.text
    with xlsxwriter.Workbook(tmp_path / "y.xlsx") as book:  # writes a 0 for each
        sheet = book.add_worksheet()
        sheet.write_row(0, 1, ["a", "twice"])
        for k in range(1, 9):
            sheet.write(k, 1, k)
            sheet.write_formula(k, 2, f"=B{k + 1}*2")
    assert "8 formulas in column 'twice'" in read_file(tmp_path / "y.xlsx").notes[0].text
    with pytest.raises(InputError, match="9 formulas in column 'twice' have no stored result"):
        pb.effects(path, "twice")
    with xlsxwriter.Workbook(tmp_path / "z.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "twice"])
        for k in range(1, 9):
            sheet.write(k, 0, k)
            sheet.write_formula(k, 1, f"=A{k + 1}*2", None, 2 * k)
    reading = read_file(tmp_path / "z.xlsx")
    assert reading.table["twice"].to_list() == [2 * k for k in range(1, 9)]
    assert reading.notes == ()


def test_cells_that_hold_an_error_are_told(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "y"], ["#DIV/0!", 1], ["#N/A", 2], [3, 4], [5, "#REF!"]):
        book.active.append(row)
    book.save(tmp_path / "x.xlsx")
    reading = read_file(tmp_path / "x.xlsx")
    assert reading.table.rows() == [(None, 1), (None, 2), (3, 4), (5, None)]
    (note,) = reading.notes
    assert (
        note.text
        == "3 cells in columns 'a' and 'y' hold an error, such as #DIV/0!: taken as missing."
    )


def test_merged_cells_are_filled_and_told(tmp_path):
    path = tmp_path / "x.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Sales of 2020"])
    sheet.merge_cells("A1:C1")
    sheet.append(["region", "town", "n"])
    for k in range(6):
        sheet.append(["north" if k == 0 else "south" if k == 3 else None, f"t{k}", k])
    sheet.merge_cells("A3:A5")
    sheet.merge_cells("A6:A8")
    book.save(path)
    reading = read_file(path)
    assert reading.table["region"].to_list() == ["north"] * 3 + ["south"] * 3
    assert kinds(reading) == ["titles_skipped", "merged_filled"]
    assert "4 cells in column 'region'" in reading.notes[1].text


@pytest.mark.parametrize("write", ["${:,.0f}", "{:,.2f} €", "german"])
def test_amounts_with_a_sign_among_plain_numbers_are_numbers(tmp_path, write):
    path = tmp_path / "x.xlsx"
    amounts = [1000.5 + 37 * k for k in range(30)]
    amounts = [round(a) if write == "${:,.0f}" else a for a in amounts]
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["price", "n"])
        for k, amount in enumerate(amounts):
            text = f"{amount:_.2f} €".replace(".", ",").replace("_", ".")
            text = text if write == "german" else write.format(amount)
            sheet.write(k + 1, 0, text if k % 3 == 0 else amount)
            sheet.write(k + 1, 1, k)
    assert read_table(path)["price"].to_list() == amounts


def test_amounts_in_several_units_are_told(written):
    reading = read_file(written("p;n\n" + "".join(f"{s}{k};1\n" for k in range(9) for s in "$€")))
    assert reading.table["p"].dtype == pl.String
    assert kinds(reading) == ["mixed_units"]
    assert "have the sign '$' and '€'" in reading.notes[0].text


def test_formats_far_away_do_no_harm(tmp_path):
    book = openpyxl.Workbook()
    for k in range(9):
        book.active.append(["a", "b"] if k == 0 else [k, k])
    for place in ("XFD1", "A1048576", "XFD1048576"):
        book.active[place].font = openpyxl.styles.Font(bold=True)
    book.save(tmp_path / "x.xlsx")
    assert read_table(tmp_path / "x.xlsx").shape == (8, 2)


def test_a_reading_knows_its_sheet(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "x.xlsx") as book:
        book.add_worksheet("Cover").write(0, 0, "Hello")
        sheet = book.add_worksheet("Listings")
        for k in range(5):
            sheet.write_row(k, 0, ["a", "b"] if k == 0 else [k, k])
    reading = read_file(tmp_path / "x.xlsx")
    assert (reading.sheet, reading.sheets) == ("Listings", ("Cover", "Listings"))


@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_statistics_files(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    import pandas as pd

    frame = pd.DataFrame(
        {
            "sex": [2.0, 1.0, 2.0, np.nan],
            "size": [1.5, 2.5, -9.0, 4.0],
            "town": ["Graz", "", "Wien", "NA"],
            "day": pd.to_datetime(["2020-01-31"] * 4),
            "some": [0.0, 1.0, 2.0, 99.0],
        }
    )
    labels = {"sex": {1: "male", 2: "female", 3: "other"}, "some": {99: "more"}}
    path = tmp_path / f"x{ending}"
    if ending == ".sav":
        pyreadstat.write_sav(
            frame, path, variable_value_labels=labels, missing_ranges={"size": [-9.0]}
        )
    else:
        frame["size"] = frame["size"].replace(-9.0, np.nan)
        pyreadstat.write_dta(frame, path, variable_value_labels=labels)
    reading = read_file(path)
    table = reading.table
    assert table["sex"].to_list() == ["female", "male", "female", None]
    assert table["sex"].dtype == pl.Enum(["male", "female"])
    assert table["size"].to_list() == [1.5, 2.5, None, 4.0]
    assert table["town"].to_list() == ["Graz", None, "Wien", "NA"]
    assert str(table["day"][0])[:10] == "2020-01-31"
    assert table["some"].to_list() == [0, 1, 2, 99]
    assert kinds(reading) == ["labels_unused"]
    assert pb.effects(path, "size").n_rows == 3
    path.write_bytes(b"junk" * 99)
    with pytest.raises(InputError, match=r"is not an? (Stata|SPSS) file"):
        read_table(path)


def test_the_extra_for_statistics_files_is_named(written, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(ImportError, match=r"needs pyreadstat, .* 'paribus\[stats\]'"):
        read_table(written("", "x.sav"))


def test_times_of_day_are_hours_and_told(tmp_path):
    book = openpyxl.Workbook()
    for row in (["at", "took", "y"], [time(1, 30), timedelta(hours=30), 1], [time(2), None, 2]):
        book.active.append(row)
    book.save(tmp_path / "x.xlsx")
    reading = read_file(tmp_path / "x.xlsx")
    assert reading.table.rows() == [(1.5, 30, 1), (2, None, 2)]
    (note,) = reading.notes
    assert note.text == "The times in columns 'at' and 'took' are read as numbers of hours."
