"""A known table written in the ways people write tables, read back and compared cell by cell."""

import csv
import gzip
import io
import json
from datetime import date, datetime, timedelta
from itertools import product

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest
import xlsxwriter

from paribus.files import read_file

N = 40
NAMES = ("zip", "place", "rooms", "size", "price", "sold", "seen", "code", "remark")
PLACES = {
    "cp1252": ("München", "Köln", "Orléans", "Málaga", "Logroño"),
    "cp1250": ("Łódź", "Wrocław", "Plzeň", "Győr", "Dvořák"),
    "cp1251": ("Москва", "Казань", "Пермь", "Тула", "Омск"),
    "cp1253": ("Αθήνα", "Πάτρα", "Θεσσαλονίκη", "Βόλος", "Ρόδος"),
    "cp1254": ("İstanbul", "Eskişehir", "Muğla", "İzmir", "Niğde"),
    "shift_jis": ("東京", "大阪", "サッポロ", "名古屋", "京都"),
    "gbk": ("北京", "上海", "广州", "深圳", "成都"),
    "big5": ("臺北", "高雄", "臺中", "臺南", "基隆"),
    "euc-kr": ("서울", "부산", "대구", "인천", "광주"),
}
UNICODE = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le")


def known_table(places=PLACES["cp1252"]):
    """Return the rows that every file is written from; None is missing."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(N):
        day = date(2019, 1, 1) + timedelta(days=int(rng.integers(0, 900)))
        rows.append(
            (
                f"{rng.integers(1000, 99999):05}",
                places[k % len(places)],
                int(rng.integers(1, 9)),
                None if k % 11 == 5 else round(float(rng.uniform(20, 200)), 1),
                round(float(rng.uniform(1_000, 2_000_000)), 2),
                day,
                datetime(day.year, day.month, day.day, int(rng.integers(0, 24)), 30),
                ("NA", "DE", "AT", "FR")[k % 4],
                ("plain", 'say "hi"', "one; two, three", "two\nlines", "5 inch")[k % 5],
            )
        )
    return rows


def right_cells(table, rows):
    """Return the share of cells that came back as they were."""
    assert table.columns == list(NAMES)
    assert table.height == len(rows)
    right = sum(
        _same(got, cell)
        for got_row, row in zip(table.rows(), rows, strict=True)
        for got, cell in zip(got_row, row, strict=True)
    )
    return right / (len(rows) * len(NAMES))


def _same(got, cell):
    if isinstance(cell, float) and isinstance(got, (int, float)):
        return abs(got - cell) <= 1e-9 * abs(cell)
    if isinstance(got, datetime) and type(cell) is date:
        return got == datetime(cell.year, cell.month, cell.day)
    return (type(got) is type(cell) and got == cell) or (isinstance(cell, int) and got == cell)


# How people write numbers: without and with thousands, decimal point or comma, a currency.
NUMBERS = {
    "plain": lambda x: f"{x}",
    "fixed": lambda x: f"{x:.2f}",
    "english": lambda x: f"{x:,.2f}",
    "german": lambda x: f"{x:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."),
    "comma": lambda x: f"{x:.2f}".replace(".", ","),
    "french": lambda x: f"{x:,.2f}".replace(",", "\u202f").replace(".", ","),
    "swiss": lambda x: f"{x:,.2f}".replace(",", "'"),
    "dollar": lambda x: f"${x:,.2f}",
    "euro": lambda x: f"{x:,.2f} €".replace(",", "_").replace(".", ",").replace("_", "."),
}
DATES = {
    "iso": ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"),
    "german": ("%d.%m.%Y", "%d.%m.%Y %H:%M"),
    "british": ("%d/%m/%Y", "%d/%m/%Y %H:%M"),
    "american": ("%m/%d/%Y", "%m/%d/%Y %I:%M %p"),
    "short": ("%d-%b-%Y", "%d %b %Y %H:%M"),
    "long": ("%B %d, %Y", "%B %d, %Y %H:%M"),
}
MISSING = ("", "NA", "N/A", "null", "NaN", "-", "?")


def written(rows, numbers="plain", dates="iso", missing=""):
    """Return the cells as texts."""
    number, (day, moment) = NUMBERS[numbers], DATES[dates]

    def text(cell):
        if cell is None:
            return missing
        if isinstance(cell, datetime):
            return cell.strftime(moment)
        if isinstance(cell, date):
            return cell.strftime(day)
        return number(cell) if isinstance(cell, float) else str(cell)

    return [[text(cell) for cell in row] for row in rows]


def as_csv(rows, delimiter=",", quoting=csv.QUOTE_MINIMAL, end="\r\n", above=(), below=(), **how):
    """Write rows as delimited text."""
    out = io.StringIO()
    for line in above:
        out.write(line + end)
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(NAMES)
    writer.writerows(written(rows, **how))
    for line in below:
        out.write(line + end)
    return out.getvalue()


def text_files():
    """Give name, content and rows of some 170 text files."""
    rows = known_table()
    for delimiter, quoting, end in product(
        ",;\t|", (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC), ("\n", "\r\n")
    ):
        yield "x.csv", as_csv(rows, delimiter, quoting, end).encode(), rows
    for numbers, dates in product(NUMBERS, DATES):
        delimiter = ";" if numbers in ("german", "comma", "french", "euro") else ","
        text = as_csv(rows, delimiter, numbers=numbers, dates=dates)
        yield f"{numbers}-{dates}.csv", text.encode(), rows
    for missing, numbers in product(MISSING, ("plain", "german", "dollar")):
        text = as_csv(rows, ";", numbers=numbers, missing=missing)
        yield "x.csv", text.encode(), rows
    for encoding, places in PLACES.items():
        rows_there = known_table(places)
        for delimiter, numbers in product(",;\t", ("plain", "fixed")):
            text = as_csv(rows_there, delimiter, numbers=numbers)
            yield f"{encoding}.csv", text.encode(encoding), rows_there
    for encoding, places in product(UNICODE, PLACES):
        rows_there = known_table(PLACES[places])
        yield f"{encoding}.txt", as_csv(rows_there, "\t").encode(encoding), rows_there
    for encoding in ("latin-1", "mac_roman", "cp850"):
        yield f"{encoding}.csv", as_csv(rows, ";").encode(encoding), rows
    for above, below in (
        (["Sales of 2020"], []),
        (["Sales of 2020", "", "as of today"], []),
        ([], ["Total,,99,,99999,,,,"]),
        ([], ["", "Source: our own"]),
        (["Sales of 2020"], ["Total,,99,,99999,,,,", "Source: our own"]),
        (["sep=,"], []),
    ):
        yield "titles.csv", as_csv(rows, above=above, below=below).encode(), rows
    yield "x.csv.gz", gzip.compress(as_csv(rows).encode()), rows
    yield "x.tsv", as_csv(rows, "\t").encode(), rows
    yield "x.tsv.gz", gzip.compress(as_csv(rows, "\t").encode()), rows
    yield "pandas.csv", pd.DataFrame(rows, columns=NAMES).to_csv(index=False).encode(), rows
    frame = pl.DataFrame(rows, schema=list(NAMES), orient="row")
    yield "polars.csv", frame.write_csv().encode(), rows
    yield "polars.tab", frame.write_csv(separator="\t", quote_style="always").encode(), rows


def other_files():
    """Give name, content and rows of files of other kinds."""
    rows = known_table()
    frame = pl.DataFrame(rows, schema=list(NAMES), orient="row")
    for compression in ("zstd", "snappy", "gzip", "uncompressed"):
        out = io.BytesIO()
        frame.write_parquet(out, compression=compression)
        yield "x.parquet", out.getvalue(), rows
    records = [dict(zip(NAMES, row, strict=True)) for row in written(rows)]
    for record, row in zip(records, rows, strict=True):
        record.update(rooms=row[2], size=row[3], price=row[4])
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    yield "x.jsonl", lines.encode(), rows
    yield "x.ndjson", "".join(json.dumps(r) + "\r\n" for r in records).encode(), rows
    yield "x.json", json.dumps(records).encode(), rows
    yield "x.jsonl.gz", gzip.compress(lines.encode()), rows
    for numbers, titles in product((None, "dollar", "euro", "german"), (False, True)):
        cells = [*([["Sales"], []] if titles else []), NAMES, *_mixed(rows, numbers)]
        yield "x.xlsx", _openpyxl(cells), rows
        yield "x.xlsx", _xlsxwriter(cells), rows


def _mixed(rows, numbers):
    """Return rows for a workbook, every third number written as text."""
    texts = written(rows, numbers or "plain")
    return [
        [
            text if numbers and k % 3 == 0 and isinstance(cell, float) else cell
            for cell, text in zip(row, line, strict=True)
        ]
        for k, (row, line) in enumerate(zip(rows, texts, strict=True))
    ]


def _openpyxl(rows):
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(list(row))
    book.save(out)
    return out.getvalue()


def _xlsxwriter(rows):
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"default_date_format": "yyyy-mm-dd hh:mm"}) as book:
        sheet = book.add_worksheet()
        for k, row in enumerate(rows, start=2):
            sheet.write_row(k, 1, row)
    return out.getvalue()


def test_tables_come_back_as_they_were_written(tmp_path):
    """Of some 200 files at least 99 % of the cells; as it is, all of them."""
    shares, wrong = [], []
    for name, content, rows in (*text_files(), *other_files()):
        path = tmp_path / name
        path.write_bytes(content)
        reading = read_file(path)
        shares.append(right_cells(reading.table, rows))
        if shares[-1] < 1:
            wrong.append((name, shares[-1]))
    assert len(shares) >= 200
    assert wrong == []


@pytest.mark.parametrize("ending", [".dta", ".sav", ".zsav"])
def test_statistics_files_come_back_as_they_were_written(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    rows = known_table()
    frame = pd.DataFrame(rows, columns=NAMES)
    frame["rooms"] = frame["rooms"].astype(float)
    for encoding in ("cp1252", "cp1251"):
        rows = known_table(PLACES[encoding])
        frame["place"] = [row[1] for row in rows]
        path = tmp_path / f"x{ending}"
        if ending == ".dta":
            pyreadstat.write_dta(frame, path)
        else:
            pyreadstat.write_sav(frame, path, compress=ending == ".zsav")
        assert right_cells(read_file(path).table, rows) == 1
