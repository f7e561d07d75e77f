"""Parquet files whose pages or footer say what cannot be."""

import io
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paribus as pb
from paribus import InputError
from paribus.files import read_table
from paribus.files.frames import sample_parquet
from paribus.files.parquet import check_pages

# In the header of a page of 60 values, the count: field 1 of field 5, twice 60; of a dictionary of
# 3 values, that of field 7.
VALUES, KNOWN = b"\x2c\x15\x78", b"\x4c\x15\x06"
TABLE = pl.DataFrame({"a": np.arange(60) / 7, "t": ["x", "y", "z"] * 20, "y": np.arange(60) % 7})
CHANGES = {
    "fewer than none": (VALUES, b"\x2c\x15\x77"),
    "one too many": (VALUES, b"\x2c\x15\x7a"),
    "a dictionary of fewer than none": (KNOWN, b"\x4c\x15\x05"),
    "a dictionary larger than its page": (KNOWN, b"\x4c\x15\x7e"),
}


def packed(table=TABLE, **options):
    buffer = io.BytesIO()
    table.write_parquet(buffer, **options)
    return buffer.getvalue()


def changed(old, new):
    content = packed(compression="uncompressed")
    assert old in content
    return content.replace(old, new, 1)


@pytest.mark.parametrize("change", CHANGES)
def test_pages_that_cannot_be_are_refused(change):
    with pytest.raises(InputError, match="is not a Parquet file, or it is damaged"):
        check_pages(io.BytesIO(changed(*CHANGES[change])), "x.parquet")


def test_python_goes_on_after_a_page_of_fewer_than_no_values(written):
    path = written(changed(*CHANGES["fewer than none"]), "x.parquet")
    command = [sys.executable, "-m", "paribus", "check", str(path), "--target", "y"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == 2, found.stderr[-300:]
    assert "is not a Parquet file, or it is damaged" in " ".join(found.stderr.split())
    assert "stack backtrace" not in found.stderr


def test_a_small_file_that_says_it_unpacks_to_gigabytes_is_refused(monkeypatch):
    content = packed(TABLE.select("a"), compression="uncompressed")
    assert content[4:7] == b"\x15\x00\x15"  # the kind of page, and what it unpacks to: two bytes
    content = content[:7] + b"\xfe\xff\xff\xff\x0f" + content[9:]
    monkeypatch.setenv("PARIBUS_MEMORY", "1GB")
    with pytest.raises(InputError, match=r"more than the 1\.0 GB of memory.*PARIBUS_MEMORY"):
        check_pages(io.BytesIO(content), "x.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 4, b"\xff" * 90, b"\x1c" * 9_999])
def test_what_is_no_parquet_file_is_refused(content):
    with pytest.raises(InputError, match="is not a Parquet file"):
        check_pages(io.BytesIO(content), "x.parquet")


@pytest.mark.parametrize("n_sample", [None, 20])
def test_a_footer_that_counts_other_rows_than_there_are_is_refused(n_sample):
    nested = pl.DataFrame(schema={"a": pl.Float64})
    content = packed(nested)
    rows = content.rindex(b"\x16\x00\x19")  # no rows, and after them the list of row groups
    content = content[: rows + 1] + b"\x50" + content[rows + 2 :]
    with pytest.raises(InputError, match="is not a Parquet file, or it is damaged"):
        sample_parquet(io.BytesIO(content), "x.parquet", n_sample)


class Counted(io.BytesIO):
    """A file that counts the bytes that are read."""

    n_read = 0

    def read(self, size=-1):
        """Read, and count."""
        self.n_read += size
        return super().read(size)


def test_of_a_long_file_next_to_nothing_is_read():
    rng = np.random.default_rng(0)
    content = packed(pl.DataFrame({"a": rng.normal(size=300_000), "b": rng.normal(size=300_000)}))
    file = Counted(content)
    check_pages(file, "x.parquet")
    assert file.n_read < len(content) / 1_000


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_files_of_any_form_are_read(tmp_path, version, dictionary):
    table = TABLE.with_columns(
        empty=pl.lit(None, pl.Float64), lists=pl.Series([[1] * (k % 4) for k in range(60)]),
        pair=pl.struct("a", "t"), code=pl.col("t").cast(pl.Categorical), yes=pl.col("y") > 3,
        blank=pl.lit(""), some=pl.when(pl.col("y") > 1).then(pl.col("a")),
    )  # fmt: skip
    path = tmp_path / "x.parquet"
    pq.write_table(
        table.to_arrow(), path, data_page_version=version, use_dictionary=dictionary,
        data_page_size=64, row_group_size=25, write_page_index=True, write_page_checksum=True,
    )  # fmt: skip
    assert read_table(path).equals(table)
    table.write_parquet(path, row_group_size=25, data_page_size=64, statistics="full")
    assert read_table(path).equals(table)


def test_columns_of_one_name_are_refused(tmp_path):
    column = [1.0, 2.0, 3.0]
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([column, column, column], names=["a", "a", "y"]), path)
    with pytest.raises(InputError, match="have the same name"):
        read_table(path)
    stream = pa.RecordBatchReader.from_batches(
        pq.read_schema(path), pq.ParquetFile(path).iter_batches()
    )
    for data in ([path], stream):
        with pytest.raises(InputError, match="Two columns are called 'a'"):
            pb.effects(data, target="y")
