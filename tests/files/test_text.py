"""Text files: one reader whatever their size, nothing read wrongly in silence."""

import csv
import io
from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paribus as pb
from paribus import InputError
from paribus.files import open_files, read_file, read_table
from paribus.files.records import last_end, records
from paribus.files.text import open_text

from noted import kinds

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


def test_an_unclosed_quote_before_more_text_than_a_line_may_have(written, monkeypatch):
    """It is given up before the rest of the file is held in memory."""
    monkeypatch.setattr("paribus.files.read.PIECE", 500)
    monkeypatch.setattr("paribus.files.text.LONGEST_LINE", 5_000)
    path = written("what,n\n" + "pipe,3\n" * 400 + '"5 inch pipe,3\n' + "pipe,3\n" * 9_000)
    with pytest.raises(InputError, match=r'quote \("\) that opens in line 402 of .* not closed'):
        open_files([path], whole=False)


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


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("ends", ["\r \n", "\r \r\n", "\n \r", "\n \r \r\n", "\r"])
@pytest.mark.parametrize("how", ["alternate", "halves", "first", "one"])
def test_lines_may_end_in_several_ways(ends, how, whole, tmp_path, monkeypatch):
    """Where a return alone ends some lines, rows are not joined, nor is it part of a value."""
    monkeypatch.setattr("paribus.files.read.PIECE", 500)
    ways, n = ends.split(" "), 400
    chosen = {
        "alternate": lambda k: ways[k % len(ways)],
        "halves": lambda k: ways[k * len(ways) // (n + 1)],
        "first": lambda k: ways[0 if k == 0 else -1],
        "one": lambda k: ways[0 if k == 300 else -1],  # below the rows that are looked at first
    }[how]
    lines = ["a,b,y", *(f'{k},"x\ny",{k % 5}' for k in range(n))]
    path = tmp_path / "x.csv"
    path.write_bytes("".join(f"{line}{chosen(k)}" for k, line in enumerate(lines)).encode())
    opened = open_files([path], whole=whole)
    assert pl.concat(opened.tables(0)).rows() == [(k, "x\ny", k % 5) for k in range(n)]
    assert opened.notes == ()


def test_a_line_without_an_end_is_no_open_quote(written, monkeypatch):
    monkeypatch.setattr("paribus.files.read.PIECE", 500)
    monkeypatch.setattr("paribus.files.text.LONGEST_LINE", 5_000)
    path = written("a,b\n" + "1,2\n" * 400 + "1,2 " * 9_000)
    with pytest.raises(InputError, match=r"Line 402 of .* has no end"):
        open_files([path], whole=False)


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


def test_a_long_text_is_quoted_in_short(written):
    path = written("a,y\n" + "z" * 140_000 + ",1\n" + "1,2\n3,5\n" * 50)
    (note,) = (n for n in read_file(path).notes if n.kind == "words_missing")
    assert len(note.text) < 200


@pytest.fixture
def laboratory(written):
    """Read a table with so many different numbers beside '<0,1' and '> 500'."""

    def read(numbers):
        texts = ["<0,1", "> 500", *(f"{k % numbers},25" for k in range(40))]
        return read_file(written("a;b\n" + "".join(f"{text};1,5\n" for text in texts)))

    return read


def test_limits_among_measured_numbers_are_read_as_the_limit(laboratory):
    reading = laboratory(20)
    assert reading.table["a"].to_list()[:3] == [0.1, 500.0, 0.25]
    (note,) = (n for n in reading.notes if n.kind == "limits_read")
    assert note.facts["limits"] == {"<0,1": 1, "> 500": 1}
    assert note.text.startswith("In 2 rows column 'a' has only a limit, '<0,1' and '> 500'")


def test_limits_among_few_numbers_are_levels(laboratory):
    reading = laboratory(4)
    assert reading.table["a"].to_list()[:3] == [None, None, 0.25]
    assert "limits_read" not in kinds(reading)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_two_byte_order_marks_are_no_part_of_a_name(written, encoding):
    assert read_table(written("\ufeffa,b\n1,2\n".encode(encoding))).columns == ["a", "b"]


@pytest.mark.parametrize("size", [-1, 8])
def test_rows_with_too_few_fields_are_told_of(size):
    content = b'a,b,c\n1,2,3\n4,5\n6,7,\n8\n"x,\ny",1\n\n9,9,9\nSource: us\n'
    file = open_text(lambda: io.BytesIO(content), "short.csv")
    rows = [row for table in file.tables(size) for row in table.rows()]
    assert rows[1] == ("4", "5", None)
    assert len(rows) == 6
    told = {note.kind: note for note in file.below}
    assert told["short_rows"].facts["rows"] == 3  # neither the empty field nor the footnote
    full = open_text(lambda: io.BytesIO(b"a,b,c\n1,2,3\n4,5,\n6,,\n"), "full.csv")
    assert [row for table in full.tables(size) for row in table.rows()][2] == ("6", None, None)
    assert full.below == []
