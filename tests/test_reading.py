"""What attacks on the reader found: nothing is read wrongly in silence, nothing breaks or hangs."""

import csv
import gzip
import io
import json
import time
import zipfile
from contextlib import suppress
from datetime import date
from decimal import Decimal

import numpy as np
import openpyxl
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

import paribus as pb
from paribus import InputError
from paribus.files import open_files, read_file, read_table
from paribus.files.records import last_end, records


@pytest.fixture
def written(tmp_path):
    """Write text or bytes into a file and return its path."""

    def write(content, name="x.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


def kinds(reading):
    return [note.kind for note in reading.notes]


# ---- one reader ----------------------------------------------------------------------------------

ODD = (
    "Umsatz 2024;;;;\n"
    "PLZ;Fläche;verkauft;Preis;Land\n"
    + "".join(
        f"0{k % 90 + 1000};{k % 7},5;{k % 28 + 1:02}.12.2020;{k % 13 + 1}.{k % 900 + 100:03},00 €;"
        f"{('NA', 'DE', 'AT')[k % 3]}\n"
        for k in range(300)
    )
    + "Summe;;;9.999,00 €;\n"
)


@pytest.mark.parametrize("memory", ["1KB", "9GB"])
def test_types_do_not_depend_on_the_free_memory(written, memory, monkeypatch):
    path = written(ODD, encoding="cp1252")
    expected = read_file(path)
    assert expected.table.schema == {
        "PLZ": pl.String,
        "Fläche": pl.Float64,
        "verkauft": pl.Date,
        "Preis": pl.Float64,
        "Land": pl.String,
    }
    assert expected.table.height == 300
    assert kinds(expected) == [
        "encoding", "titles_skipped", "total_left_out", "codes_are_text", "markers_kept",
    ]  # fmt: skip
    monkeypatch.setenv("PARIBUS_MEMORY", memory)
    monkeypatch.setattr("paribus.files.read.PIECE", 1000)
    opened = open_files([path], whole=memory == "9GB")
    pieces = list(opened.tables(0))
    assert (len(pieces) > 3) == (memory == "1KB")
    assert pl.concat(pieces).equals(expected.table)
    assert opened.notes == expected.notes


def test_python_reads_files_as_the_command_line_does(written, tmp_path):
    path = written(ODD, encoding="cp1252")
    table = read_table(path)
    found = pb.effects(path, "Preis")
    held = pb.effects(table, "Preis")
    assert found.ranking == held.ranking
    assert found["PLZ"].levels == held["PLZ"].levels
    assert "encoding" in [note.kind for note in found.notes]
    batches = pb.effects(str(path), "Preis", sample_rows=100)
    assert set(batches.ranking) == set(found.ranking)
    assert batches.n_rows == 300
    assert "encoding" in [note.kind for note in batches.notes]
    book = tmp_path / "book.xlsx"
    table.write_excel(book)
    assert pb.effect(book, "Preis", "Fläche").explained
    assert pb.effects([book], "Preis").n_rows == 300
    assert pb.effects(str(tmp_path / "*.xlsx"), "Preis").n_rows == 300
    assert set(pb.effects_by_class(path, "Land")) == {"AT", "DE", "NA"}


def test_parts_of_text_share_one_set_of_rules(written):
    first = written(
        "zip,x,y\n" + "".join(f"{k + 10},{k % 7},{k % 5}\n" for k in range(99)), "1.csv"
    )
    second = written("zip,x,y\n" + "".join(f"0{k + 10},{k % 3},1\n" for k in range(99)), "2.csv")
    assert read_table(first)["zip"].dtype == pl.Int64
    opened = open_files([first, second])
    assert [next(opened.tables(k))["zip"].dtype for k in (0, 1)] == [pl.String, pl.String]


# ---- quotes and fields ---------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("later", ["", '"quoted",3,2\n', '6" pipe,3,2\n', 'pipe 6",3,2\n'])
def test_an_unclosed_quote_names_its_line(written, later, whole, monkeypatch):
    monkeypatch.setattr("paribus.files.read.PIECE", 1000)
    rows = ["pipe,3,2\n"] * 1000
    rows[499] = '"5 inch pipe,3,2\n'
    rows[700] = later or rows[700]
    path = written("what,n,y\n" + "".join(rows))
    with pytest.raises(InputError, match=r'quote \("\) that opens in line 501 of .* not closed'):
        list(open_files([path], whole=whole).tables(0))


def test_quotes_that_are_part_of_a_text(written):
    text = 'a,b\n5" pipe,1\n"x ""y"" z",2\nthe "best" one,3\n"Big" Bob,4\n a, "5"\n'
    assert read_table(written(text))["a"].to_list() == [
        '5" pipe', 'x "y" z', 'the "best" one', '"Big" Bob', "a",
    ]  # fmt: skip
    text = 'a,b\n"two\nlines",1\n"many\n\n\n\n\n\nlines",2\n'
    assert read_table(written(text))["a"].to_list() == ["two\nlines", "many\n\n\n\n\n\nlines"]


def test_returns_and_long_texts_inside_fields(written):
    assert read_table(written("a,b\nx\ry,1\nz,2\n")).rows() == [("x\ry", 1), ("z", 2)]
    assert read_table(written('a,b\n5" x\ry,1\nz,2\n')).rows() == [('5" x\ry', 1), ("z", 2)]
    long = "x" * 200_000
    assert read_table(written(f"a,b\n{long},1\ny,2\n"))["a"].to_list() == [long, "y"]


@pytest.mark.parametrize("n", [10, 60, 400, 3_000])
def test_a_damaged_parquet_file_is_refused(tmp_path, n):
    frame = pl.DataFrame({"a": list(range(2000)), "b": [f"text {k % 50}" for k in range(2000)]})
    rng = np.random.default_rng(n)
    for compression in ("snappy", "zstd", "uncompressed"):
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression=compression)
        for _ in range(20):
            content = bytearray(buffer.getvalue())
            at = rng.integers(4, len(content) - 8, size=n)
            content[:] = np.frombuffer(bytes(content), dtype=np.uint8).tobytes()
            for k in at:
                content[k] ^= int(rng.integers(1, 256))
            path = tmp_path / "x.parquet"
            path.write_bytes(bytes(content))
            with suppress(InputError):  # a change may do no harm
                read_table(path)


CELLS = st.text(st.sampled_from('ab1",;\n \t|é"'), max_size=6)


@settings(deadline=None)
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=9), st.booleans())
def test_records_are_those_of_the_csv_module(rows, quoted):
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(out, quoting=quoting, lineterminator="\n").writerows(rows)
    text = out.getvalue()
    assert [record.fields for record in records(text, ",")] == rows
    ends = [len(text[: record.end].encode()) for record in records(text, ",")]
    content = text.encode()
    assert last_end(content, ",", 3, final=True) == len(content)
    for cut in range(len(content)):
        end = last_end(content[:cut], ",", 3, final=False)
        assert end in (0, *ends)


# ---- what texts mean -----------------------------------------------------------------------------


def test_names_that_look_like_missing_values_stay_names(written):
    rows = "".join(f"{c},{k}\n" for k, c in enumerate(["NA", "DE", "AT", "US"] * 9))
    reading = read_file(written("country,n\n" + rows))
    assert reading.table["country"].n_unique() == 4
    assert kinds(reading) == ["markers_kept"]
    assert "In 9 rows column 'country' is 'NA': kept as a value" in reading.notes[0].text
    rows = "".join(f"{c},{k}\n" for k, c in enumerate(["Null", "Smith", "Jones", "?", "-"] * 9))
    assert read_table(written("name,n\n" + rows))["name"].n_unique() == 5


def test_a_marker_of_missing_numbers_is_one_of_missing_names_too(written):
    text = "colour,n\nred,1\nNA,NA\nblue,3\nNA,4\n"
    reading = read_file(written(text))
    assert reading.table["colour"].to_list() == ["red", None, "blue", None]
    assert reading.notes[0].facts["columns"] == {"colour": {"NA": 2}, "n": {"NA": 1}}
    text = "country,n\nNA,1\nDE,NA\nFR,3\n"  # codes stay codes
    assert read_table(written(text))["country"].to_list() == ["NA", "DE", "FR"]


@pytest.mark.parametrize(
    "text",
    [
        "39,State-gov,77516\n50,Private,83311\n38,Private,215646\n53,Private,234721\n",
        "0.006 18.0 2.31\n0.027 0.0 7.07\n0.027 0.0 7.07\n".replace(" ", ";"),
        "male,Graz,34\nfemale,Wien,28\nmale,Linz,51\n",
        "2020-01-01,a\n2020-01-02,b\n2020-01-03,a\n",
    ],
)
def test_a_file_without_a_header_keeps_its_first_row(written, text):
    reading = read_file(written(text))
    assert reading.table.height == text.count("\n")
    assert reading.table.columns[:2] == ["column 1", "column 2"]
    assert "no_header" in kinds(reading)


@pytest.mark.parametrize(
    "text",
    [
        "country,1990,2000,2010\nA,3,4,5\nB,6,7,8\n",
        "0,1,2\n5.5,2,1\n6.5,3,9\n",
        ",0,1\n0,5,x\n1,6,y\n",
        "town,2019\nA,355\nB,122\n",
        "town,2020-01-01,2020-01-02\nA,3,4\nB,5,6\n",
        "a,b\nx,y\nz,y\n",
    ],
)
def test_headers_of_numbers_are_headers(written, text):
    reading = read_file(written(text))
    assert reading.table.height == text.count("\n") - 1
    assert "no_header" not in kinds(reading)


def test_names_that_look_like_huge_numbers_or_dates_stay_names(written):
    ids = [f"{k % 9 + 1}e10{k:03}" for k in range(100)]
    table = read_table(written("id,n\n" + "".join(f"{i},{k}\n" for k, i in enumerate(ids))))
    assert table["id"].to_list() == ids
    mixed = [*(str(k) for k in range(200)), "8e10203"]
    reading = read_file(written("id,n\n" + "".join(f"{i},1\n" for i in mixed)))
    assert reading.table["id"].to_list() == mixed
    assert kinds(reading) == ["stray_text"]
    people = ["Marco 1 99", "Julia 2 98", "Mayer 3 97"]
    assert (
        read_table(written("who,n\n" + "".join(f"{w},1\n" for w in people)))["who"].to_list()
        == people
    )
    months = "d,n\nMarch 1 99,1\nMay 2 98,2\nSept 3 97,3\n"
    assert read_table(written(months))["d"].to_list() == [
        date(1999, 3, 1),
        date(1998, 5, 2),
        date(1997, 9, 3),
    ]


PLACES = {
    "cp1251": ["Москва", "Казань", "Санкт-Петербург"],
    "koi8-r": ["Москва", "Казань", "Санкт-Петербург"],
    "shift_jis": ["東京", "大阪", "サッポロ"],
    "euc-jp": ["東京", "大阪", "サッポロ"],
    "gbk": ["北京", "上海", "广州"],
    "big5": ["臺北", "高雄", "臺中"],
    "euc-kr": ["서울", "부산", "대구"],
    "cp1250": ["Łódź", "Wrocław", "Poznań"],
    "cp1253": ["Αθήνα", "Θεσσαλονίκη", "Πάτρα"],
    "cp1254": ["İstanbul", "Eskişehir", "Muğla"],
    "cp1252": ["Logroño", "Málaga", "Córdoba"],
    "latin-1": ["Tromsø", "Ålesund", "Bodø"],
    "mac_roman": ["Zoë", "Müller", "São Paulo"],
}


@pytest.mark.parametrize("encoding", PLACES)
def test_encodings_are_found_out_and_told(written, encoding):
    places = PLACES[encoding]
    text = "place;n\n" + "".join(f"{place};{k}\n" for k in range(9) for place in places)
    reading = read_file(written(text, encoding=encoding))
    assert reading.table["place"].to_list() == places * 9
    assert kinds(reading) == ["encoding"]
    assert "was read as" in reading.notes[0].text


def test_one_spoilt_character_does_not_change_the_others(written):
    content = b"place,n\n" + "Köln,1\n".encode() * 50 + b"K\xf6ln,2\n"
    reading = read_file(written(content))
    assert reading.table["place"].to_list() == ["Köln"] * 50 + ["K\ufffdln"]
    assert kinds(reading) == ["encoding"]


# ---- tables in Python ----------------------------------------------------------------------------


def test_a_masked_matrix_keeps_its_mask():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = x[:, 0] + rng.normal(size=300) / 9
    masked = np.ma.masked_equal(np.where(rng.random(x.shape) < 0.1, -9999, x), -9999)
    found = pb.effects(masked, y)
    assert found["x0"].x.min() > -10
    assert found["x0"].missing.count == int(masked.mask[:, 0].sum())


def test_a_nan_among_texts_is_missing():
    y = np.random.default_rng(0).normal(size=90)
    found = pb.effects({"x": ["a", float("nan"), "b"] * 30, "y": y}, "y")
    same = pb.effects({"x": ["a", None, "b"] * 30, "y": y}, "y")
    assert found["x"].levels == same["x"].levels
    assert "nan" not in found["x"].levels


@pytest.mark.parametrize("kind", [None, {"x": "numeric"}])
def test_numbers_of_python_that_no_float_holds(kind):
    rng = np.random.default_rng(0)
    a = rng.normal(size=90)
    decimals = [Decimal("sNaN"), *(Decimal(str(v)) for v in a[1:])]
    assert pb.effects({"x": decimals, "y": a}, "y", kind=kind).n_rows == 90
    for first in (10**400, -(10**400)):
        with pytest.raises(InputError, match=r"'x' is infinite in row 0|'x' is equal"):
            pb.effects({"x": [first, *a[1:].tolist()], "y": a}, "y", kind=kind)


def test_half_a_character_does_not_break_what_is_written():
    rng = np.random.default_rng(0)
    x = np.array(["a\ud800", "b"])[rng.integers(0, 2, size=90)]
    found = pb.effects({"x\udfff": x.tolist(), "y": rng.normal(size=90)}, "y")
    json.dumps(found.to_dict(), ensure_ascii=False).encode()


# ---- workbooks -----------------------------------------------------------------------------------


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
    with xlsxwriter.Workbook(tmp_path / "z.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "twice"])
        for k in range(1, 9):
            sheet.write(k, 0, k)
            sheet.write_formula(k, 1, f"=A{k + 1}*2", None, 2 * k)
    reading = read_file(tmp_path / "z.xlsx")
    assert reading.table["twice"].to_list() == [2 * k for k in range(1, 9)]
    assert reading.notes == ()


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


# ---- Stata, SPSS ---------------------------------------------------------------------------------


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
    monkeypatch.setattr("paribus.files.stats.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"needs pyreadstat, .* 'paribus\[stats\]'"):
        read_table(written("", "x.sav"))


# ---- limits --------------------------------------------------------------------------------------


def one_far_cell():
    book = io.BytesIO()
    with xlsxwriter.Workbook(book) as made:
        sheet = made.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write(1_048_575, 16_383, 1)
    return book.getvalue()


def one_long_string():
    book = io.BytesIO()
    with xlsxwriter.Workbook(book) as made:
        sheet = made.add_worksheet()
        for k in range(2_000):
            sheet.write_row(k, 0, ["XXX", "b"])
    out = io.BytesIO()
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "xl/sharedStrings.xml":
                content = content.replace(b"XXX", b"x" * 50_000_000)
            new.writestr(entry.filename, content)
    return out.getvalue()


def one_repeated_cell():
    out = io.BytesIO()
    cell = '<table:table-cell office:value-type="float" office:value="1"{}/>'
    row = "<table:table-row{}>{}</table:table-row>"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        body = row.format(
            ' table:number-rows-repeated="1000000"',
            cell.format(' table:number-columns-repeated="16000"'),
        )
        text = f'<office:spreadsheet><table:table table:name="a">{body}</table:table>'
        new.writestr("content.xml", text)
    return out.getvalue()


def one_dictionary_string():
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000), pa.array(["x" * 1_000_000]))
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": text, "b": list(range(20_000))}), buffer)
    return buffer.getvalue()


def many_keys():
    return b"".join(b'{"key%d": 1}\n' % k for k in range(20_000))


def many_columns():
    return b"\n".join(b",".join(b"%d" % (k + row) for k in range(1_000_000)) for row in range(2))


def many_short_rows():
    return b",".join(b"c%d" % k for k in range(9_000)) + b"\n" + b"1\n" * 1_000_000


@pytest.mark.parametrize(
    ("name", "make", "message"),
    [
        ("x.xlsx", one_far_cell, "16,384 columns; at most 10,000 are read.*PARIBUS_COLUMNS"),
        ("x.xlsx", one_long_string, "of memory; 4.0 GB may be used.*PARIBUS_MEMORY"),
        ("x.ods", one_repeated_cell, "16,000 columns"),
        ("x.parquet", one_dictionary_string, "of memory; 4.0 GB may be used.*PARIBUS_MEMORY"),
        ("x.jsonl", many_keys, "10,001 columns; at most 10,000.*PARIBUS_COLUMNS"),
        ("x.csv", many_columns, "columns; at most 10,000.*PARIBUS_COLUMNS"),
        ("x.csv", many_short_rows, "1,000,001 rows of 9,000 columns.*PARIBUS_MEMORY"),
        ("x.json", lambda: b'[{"a": ' + b"[" * 99_999 + b"]" * 99_999 + b"}]", "is not JSON"),
    ],
    ids=["far cell", "string", "repeated", "dictionary", "keys", "columns", "rows", "deep"],
)
def test_small_files_that_would_fill_the_memory_are_refused(
    written, monkeypatch, name, make, message
):
    path = written(make(), name)
    monkeypatch.setenv("PARIBUS_MEMORY", "4GB")
    start = time.process_time()
    with pytest.raises(InputError, match=message):
        read_table(path)
    assert time.process_time() - start < 10


def test_the_limit_on_columns_can_be_lifted(written, monkeypatch):
    path = written(b"\n".join(many_keys().splitlines()[:3_000]), "x.jsonl")
    monkeypatch.setenv("PARIBUS_COLUMNS", "100")
    with pytest.raises(InputError, match="at most 100 are read"):
        read_table(path)
    monkeypatch.setenv("PARIBUS_COLUMNS", "30000")
    assert read_table(path).width > 2_000
    monkeypatch.setenv("PARIBUS_COLUMNS", "many")
    with pytest.raises(InputError, match="must be a whole number"):
        read_table(path)


def test_packed_text_in_pieces(written, monkeypatch):
    content = b"a;b\n" + b"".join(b"%d,5;x\n" % k for k in range(5_000))
    path = written(gzip.compress(content), "x.csv.gz")
    monkeypatch.setattr("paribus.files.read.PIECE", 1000)
    opened = open_files([path], whole=False)
    assert pl.concat(opened.tables(0)).equals(read_table(path))
    path.write_bytes(path.read_bytes()[:-100])
    for whole in (True, False):
        with pytest.raises(InputError, match="is damaged"):
            open_files([path], whole=whole)
    with pytest.raises(InputError, match="is damaged"):
        list(opened.tables(0))
