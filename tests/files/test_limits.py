"""Files that are damaged or would fill the memory."""

import gzip
import io
import os
import time
import zipfile
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from paribus import InputError
from paribus.files import limits, open_files, read_table
from paribus.files.limits import memory


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


@pytest.mark.parametrize("amount", ["-5GB", "0", "nan", "much"])
def test_an_amount_of_memory_is_one(amount, monkeypatch):
    monkeypatch.setenv("PARIBUS_MEMORY", amount)
    with pytest.raises(InputError, match="PARIBUS_MEMORY must be an amount"):
        memory()


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl", "-"])
def test_what_is_larger_than_memory_is_not_read_to_its_end(written, monkeypatch, name):
    monkeypatch.setattr(limits, "HARMLESS", 1_000)
    monkeypatch.setenv("PARIBUS_MEMORY", "5KB")
    rows = b"a,b\n" + b"1,2\n" * 2_000
    if name == "-":
        endless = SimpleNamespace(read=lambda _: rows)
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=endless))
    else:
        name = written(gzip.compress(rows, 0) if name.endswith("gz") else rows, name)
    with pytest.raises(InputError, match=r"more than the 0.0 GB of memory.*PARIBUS_MEMORY to more"):
        read_table(name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes that have a name")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(InputError, match="is a pipe or a device"):
        read_table(tmp_path / "x.csv")
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"no file '.*link.csv'. Did you mean 'x.csv'"):
        read_table(tmp_path / "link.csv")


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
