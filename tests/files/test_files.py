"""Files with the warts that files have: read for what they mean, or refused in one sentence."""

import gzip
import io
import sys
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

from paribus import InputError
from paribus.files import read_file, read_table

STORED = Path(__file__).parent


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_delimiter_and_encoding_are_found_out(written, delimiter, encoding):
    lines = ["Größe|n", "klein|1", "groß|2", "groß|3", "", ""]
    path = written("\r\n".join(lines).replace("|", delimiter), encoding=encoding)
    assert read_table(path).rows() == [("klein", 1), ("groß", 2), ("groß", 3)]
    assert read_table(path).columns == ["Größe", "n"]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1", "-2", "+3"], [1, -2, 3]),
        (["1.5", "2", ".5", "1e3"], [1.5, 2, 0.5, 1000]),
        (["1,234.5", "7"], [1234.5, 7]),
        (["1,234,567", "1,000"], [1234567, 1000]),
        (["1.234,56", "0,5"], [1234.56, 0.5]),
        (["1 234,5", "12\u00a0000,25", "1\u202f000"], [1234.5, 12000.25, 1000]),
        (["1'234.50", "2"], [1234.5, 2]),
        (["0.123", "1.234"], [0.123, 1.234]),
        (["1.234", "2.345"], [1.234, 2.345]),
        (["\u22125", "5"], [-5, 5]),
        (["$1,200", "$ 5.50"], [1200, 5.5]),
        (["1.200,00 €", "5,50 €"], [1200, 5.5]),
        (["12%", "7.5 %"], [12, 7.5]),
        (["08", "12"], [8, 12]),
    ],
)
def test_numbers_as_people_write_them(written, texts, numbers):
    rows = "".join(f'"{text}";a\n' for text in texts)
    assert read_table(written(f"n;t\n{rows}"))["n"].to_list() == numbers


@pytest.mark.parametrize(
    "texts",
    [
        ["01067", "10115"],
        ["12%", "7"],
        ["1", "two"],
        ["1.2.3", "1.2.4"],
        ["$5", "€5"],
        ["5 km", "6 km"],
        ["12345678901234567890123", "1"],
        ["\u0663", "\u0664"],  # digits of other scripts
        ["\uff11\uff12", "7"],
        ["\u0662\u0660\u0662\u0660-\u0660\u0661-\u0660\u0662", "2020-01-03"],
    ],
)
def test_what_is_not_all_numbers_stays_text(written, texts):
    assert read_table(written("n\n" + "\n".join(texts)))["n"].to_list() == texts


def test_other_columns_and_the_delimiter_decide_what_a_comma_is(written):
    german = "a;b\n1.234;0,5\n2.000;1,5\n"
    assert read_table(written(german)).rows() == [(1234, 0.5), (2000, 1.5)]
    assert not read_file(written(german)).notes
    either_way = {
        "a;b\n1,234;x\n2,345;y\n": "decimals",
        "a,b\n1.234,x\n2.345,y\n": "decimals",
        'a,b\n"1,234",x\n"2,345",y\n': "thousands",
    }
    for text, meant in either_way.items():
        reading = read_file(written(text))
        times = 1 if meant == "decimals" else 1000
        assert reading.table["a"].to_list() == pytest.approx([times * 1.234, times * 2.345])
        (note,) = reading.notes
        assert (
            f"could set off thousands or decimals; it is read as setting off {meant}" in note.text
        )


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (["2020-12-31", "2021-1-2"], [date(2020, 12, 31), date(2021, 1, 2)]),
        (["31/12/2020", "1/2/2021"], [date(2020, 12, 31), date(2021, 2, 1)]),
        (["31.12.20", "01.02.99"], [date(2020, 12, 31), date(1999, 2, 1)]),
        (["12/31/2020", "1/2/2021"], [date(2020, 12, 31), date(2021, 1, 2)]),
        (["12/31/2020 1:05 PM", "1/2/2021 12:00 AM"],
         [datetime(2020, 12, 31, 13, 5), datetime(2021, 1, 2)]),
        (["2020-12-31T10:00:00Z", "2020-12-31T10:00:00+02:00"],
         [datetime(2020, 12, 31, 10), datetime(2020, 12, 31, 8)]),
        (["2020-12-31 10:00:00.25", "2020-12-31 10:00:00,5"],
         [datetime(2020, 12, 31, 10, 0, 0, 250_000), datetime(2020, 12, 31, 10, 0, 0, 500_000)]),
        (["0001-01-01", "2020-01-02"], [date(1, 1, 1), date(2020, 1, 2)]),  # no date, in .NET
        (["20141013T000000", "20141209T000000"],
         [datetime(2014, 10, 13), datetime(2014, 12, 9)]),
        (["3 Mar 2020", "31-Dec-2020"], [date(2020, 3, 3), date(2020, 12, 31)]),
        (["March 3, 2020", "Dec 31, 2020"], [date(2020, 3, 3), date(2020, 12, 31)]),
    ],
)  # fmt: skip
def test_dates_as_people_write_them(written, texts, dates):
    rows = "".join(f'"{text}";a\n' for text in texts)
    assert read_table(written(f"d;t\n{rows}"))["d"].to_list() == dates


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("2020-01-02T10:00:00+01:00", ["('+01:00' and 'Z'): all are read as UTC."]),
        ("2020-01-02T10:00:00", ["('Z'): all are read as UTC, and so are those that name none."]),
        ("2020-01-02T10:00:00Z", []),
    ],
)
def test_times_that_are_shifted_are_told(written, second, told):
    notes = read_file(written(f"d,a\n2020-01-01T10:00:00Z,x\n{second},y\n")).notes
    assert [note.text for note in notes] == [f"The times of 'd' name their zone {t}" for t in told]


def test_dates_that_do_not_exist_are_text(written):
    assert read_table(written("d\n31/02/2020\n01/02/2020\n"))["d"].dtype == pl.String


def test_ambiguous_dates_are_told_and_follow_the_others(written):
    reading = read_file(written("d\n01/02/2020\n03/04/2020\n"))
    assert reading.table["d"][0] == date(2020, 2, 1)
    assert [note.kind for note in reading.notes] == ["ambiguous_dates"]
    american = read_file(written("d,e\n01/02/2020,12/31/2020\n03/04/2020,12/30/2020\n"))
    assert american.table["d"][0] == date(2020, 1, 2)


def test_missing_markers(written):
    text = "a,b\n1,x\nNA,n/a\n?,?\n-,NaN\n#REF!,x\n,\n2,y\n"
    reading = read_file(written(text))
    assert reading.table["a"].to_list() == [1, None, None, None, None, 2]
    assert reading.table["b"].to_list() == ["x", None, None, None, "x", "y"]
    (note,) = reading.notes
    assert note.kind == "markers_missing"
    assert note.facts["columns"]["b"] == {"?": 1, "NaN": 1, "n/a": 1}
    assert "and 3 more were read as missing in columns 'a' and 'b' (7 values)" in note.text


def test_text_among_numbers_is_told_and_can_be_overruled(written):
    path = written("a,b\n" + "".join(f"{k},{k}\n" for k in range(9)) + "unknown,9\n")
    (note,) = read_file(path).notes
    assert note.kind == "stray_text"
    assert "1 row has no number there but 'unknown'" in note.text
    assert read_file(path).table["a"].dtype == pl.String
    forced = read_file(path, numeric=["a"])
    assert forced.table["a"].to_list() == [*range(9), None]
    assert forced.notes == ()


def test_a_delimiter_named_by_excel_and_blank_lines_first(written):
    assert read_table(written("sep=;\r\na;b\r\n1;2\r\n")).rows() == [(1, 2)]
    assert read_table(written("\n\na,b\n1,2\n")).rows() == [(1, 2)]


def test_trailing_delimiters_make_no_column(written):
    assert read_table(written("a;b;\n1;2;\n3;4;\n")).columns == ["a", "b"]
    assert read_table(written("a,b\n1,2,\n3,4,\n")).rows() == [(1, 2), (3, 4)]


def test_a_column_without_a_name_is_called_by_its_place(written):
    assert read_table(written(",a\n0,5\n1,6\n")).columns == ["column 1", "a"]


def test_names_that_are_patterns_are_names(written):
    text = "*;^a$;^.*$\n1,5;N/A;31.12.2024\n2,5;x;30.12.2024\n"
    table = read_table(written(text))
    assert table["*"].to_list() == [1.5, 2.5]
    assert table["^a$"].to_list() == [None, "x"]
    assert table["^.*$"].to_list() == [date(2024, 12, 31), date(2024, 12, 30)]


def test_quotes_hide_delimiters_and_line_breaks(written):
    table = read_table(written('a,b\n"x, y\nz",1\n"say ""hi""",2\n'))
    assert table["a"].to_list() == ["x, y\nz", 'say "hi"']


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.tsv", b"a\tb\n1\tx\n2\ty\n"),
        ("x.tsv.gz", gzip.compress(b"a\tb\n1\tx\n2\ty\n", mtime=0)),
        ("x.CSV.GZ", gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0)),
        ("packed.csv", gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0)),
        ("x.jsonl", b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n'),
        ("x.jsonl.gz", gzip.compress(b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', mtime=0)),
        ("x.json", b'[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]'),
        ("old-mac.csv", b"a,b\r1,x\r2,y\r"),
    ],
)
def test_other_kinds_of_files(written, name, content):
    assert read_table(written(content, name)).rows() == [(1, "x"), (2, "y")]


def test_json_as_python_and_windows_write_it(written):
    rows = b'{"a": NaN, "b": "NaN, \\" NaN"}\n{"a": 2.5, "b": "x"}\n'
    assert read_table(written(rows, "x.jsonl")).rows() == [(None, 'NaN, " NaN'), (2.5, "x")]
    with pytest.raises(InputError, match="a column holds values of several kinds"):
        read_table(written(b'{"a": 1}\n{"a": true}\n', "x.jsonl"))
    listed = b'\xef\xbb\xbf[{"a": 1}, {"a": 2}]'
    assert read_table(written(listed, "x.json")).rows() == [(1,), (2,)]


def test_parquet_is_taken_as_it_is(tmp_path):
    frame = pl.DataFrame({"a": ["1", "2"], "b": [1.5, None]})
    frame.write_parquet(tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet").equals(frame)


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(b"a;b\n1,5;x\n")

    monkeypatch.setattr("sys.stdin", Input)
    assert read_table("-").rows() == [(1.5, "x")]


def test_workbooks(workbook):
    path = workbook(
        Cover=[["nothing"], [1]],
        Data=[
            ["when", "n", "mixed", "german", "flag", ""],
            [date(2020, 12, 31), 1, 5, "1.234,5", True],
            [date(2021, 1, 1), 2.5, "x", "0,5", False],
            [],
            ["", "", "", "NA", ""],
        ],
    )
    table = read_table(path, sheet="Data")
    assert table.columns == ["when", "n", "mixed", "german", "flag"]
    assert table.rows() == [
        (datetime(2020, 12, 31), 1.0, "5", 1234.5, True),
        (datetime(2021, 1, 1), 2.5, "x", 0.5, False),
    ]
    assert read_table(path, sheet="2").equals(table)
    assert read_table(path).equals(table)  # the first sheet that holds a table
    assert read_file(path).notes[0].kind == "other_sheet"
    assert read_table(path, sheet="Cover").columns == ["nothing"]


def test_sheets_that_are_not_there_or_empty(workbook):
    path = workbook(Cover=[], Data=[["a"], [1]])  # one column is no table to compare
    with pytest.raises(InputError, match=r"no sheet 'data' in .* 'Cover' and 'Data'\."):
        read_table(path, sheet="data")
    with pytest.raises(
        InputError, match=r"sheet 'Cover' .* has no rows below a header\. .* --sheet: 'Data'\."
    ):
        read_table(path)


def test_a_workbook_with_a_password():
    with pytest.raises(InputError, match="protected by a password"):
        read_table(STORED / "protected.xlsx")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "", r"'.*x\.csv' is empty"),
        ("x.csv", "\n \n", "is empty"),
        ("x.tsv", '""', "is empty"),
        ("x.csv", "\ufeff", "is empty"),
        ("x.csv", "a,b\n", "has a header but no rows"),
        ("x.csv", "a,b\n\n,\n", "has a header but no rows"),
        (
            "x.csv",
            "a,b\n1,2\n3,4\n5,6,7\n",
            r"Line 4 of '.*' has 3 fields, but the header in line 1 has 2\.",
        ),
        ("x.csv", "\na,b\n1,2\n5,6,7\n", "Line 4 of .* in line 2 has"),
        ("x.csv", "Sales\na,b\n1,2\n3,4\n5,6,7\n", "Line 5 of .* in line 2 has"),
        ("x.csv", b"\x00\x01\x02\x03junk\xff" * 40, "is not text, whatever its name says"),
        ("x.csv", b"PK\x03\x04 and more", "is not text, it looks like an Excel workbook"),
        ("x.csv", b"PAR1 and more", "is not text, it looks like a Parquet file"),
        ("x.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "is damaged"),
        ("x.parquet", "a,b\n1,2\n", "is not a Parquet file"),
        ("x.xlsx", "a,b\n1,2\n", "is not an Excel workbook"),
        ("x.xls", b"\xd0\xcf\x11\xe0" + b"junk" * 500, "is not an Excel workbook"),
        ("x.jsonl", "a,b\n1,2\n", "is not JSON"),
        ("x.docx", "a", r"names end in \.csv, .*, \.ods, "),
        ("x", "a", "not a kind of file that is read"),
    ],
)
def test_refused_in_one_sentence(written, name, content, message):
    with pytest.raises(InputError, match=message):
        read_table(written(content, name))


def test_files_that_are_not_there(tmp_path, written):
    written("a,b\n1,2\n", "houses.csv")
    with pytest.raises(InputError, match=r"no file '.*housse\.csv'\. Did you mean 'houses\.csv'"):
        read_table(tmp_path / "housse.csv")
    with pytest.raises(InputError, match="Check its name and folder"):
        read_table(tmp_path / "nowhere" / "x.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)


def test_options_that_do_not_fit(written):
    path = written("a,b\n1,2\n")
    with pytest.raises(InputError, match="no workbook and has no sheets"):
        read_table(path, sheet="Data")
    with pytest.raises(InputError, match="no column 'c'"):
        read_file(path, numeric=["c"])


def test_a_missing_package_is_named(written, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"needs polars, .* pip install 'paribus\[files\]'"):
        read_table(written("a\n1\n"))
