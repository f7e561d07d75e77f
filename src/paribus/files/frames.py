"""Files that store the types of their columns: Parquet and JSON lines."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from contextlib import nullcontext
from functools import partial
from io import BytesIO
from pathlib import Path

import polars as pl
from polars.exceptions import DuplicateError, PanicException, PolarsError

from paribus.files import errors as file_errors
from paribus.files.limits import check_size, most_columns
from paribus.files.parquet import check_pages, damaged_parquet

NAN = re.compile(rb'"(?:[^"\\]|\\.)*+"|\bNaN\b')  # texts are skipped
KEY = re.compile(rb'"((?:[^"\\]|\\.)*+)"\s*:')
DAMAGED = (PolarsError, PanicException, OSError)


def read_parquet(source: Path | BytesIO, name: str) -> pl.DataFrame:
    """Read a Parquet file as it is."""
    return sample_parquet(source, name)[1]


def sample_parquet(
    source: Path | BytesIO, name: str, n_sample: int | None = None, n_slices: int = 10
) -> tuple[int, pl.DataFrame]:
    """Return a Parquet file's number of rows, and its table or some slices spread over it."""
    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        check_pages(file, name)
    try:
        scan = pl.scan_parquet(source, glob=False)
        n_columns = len(scan.collect_schema())
        n_rows = int(scan.select(pl.len()).collect().item())
        if not n_columns:
            raise file_errors.empty_file(name)
        if not n_rows:
            raise file_errors.header_only(name)
        check_size(name, n_rows, n_columns)
        expected = n_rows
        if n_sample is not None and n_rows > n_sample:
            size = n_sample // n_slices
            starts = [k * (n_rows - size) // (n_slices - 1) for k in range(n_slices)]
            scan = pl.concat([scan.slice(start, size) for start in starts])
            expected = size * n_slices
        table = scan.collect()
        if table.height != expected:
            raise damaged_parquet(name)
        n_text = _n_text(table) * n_rows // table.height
        check_size(name, n_rows, n_columns, n_text)
    except DuplicateError:
        raise file_errors.repeated_name(name) from None
    except DAMAGED:
        raise damaged_parquet(name) from None
    return n_rows, table


def read_json(content: bytes, name: str) -> pl.DataFrame:
    r"""Read JSON, one record a line, or one list of records.

    Examples
    --------
    >>> read_json(b'{"a": 1}\n{"a": 2, "b": "x"}\n', "x.jsonl").rows()
    [(1, None), (2, 'x')]
    """
    content = content.removeprefix(BOM_UTF8)
    if b"NaN" in content:  # as Python writes it, which is no JSON
        content = NAN.sub(lambda found: b"null" if found[0] == b"NaN" else found[0], content)
    is_list = content.lstrip()[:1] == b"["
    keys: set[bytes] = set()
    for found in KEY.finditer(content):
        keys.add(found[1])
        if len(keys) > most_columns():
            check_size(name, 1, len(keys))
    n_rows = content.count(b"{" if is_list else b"\n") + 1
    check_size(name, n_rows, len(keys))
    read = pl.read_json if is_list else pl.read_ndjson
    try:
        return read(BytesIO(content), infer_schema_length=None)
    except DAMAGED:
        if _are_records(content, is_list):
            raise file_errors.mixed_json(name) from None
        raise file_errors.not_what_it_says(name, "JSON, one record a line") from None


def _are_records(content: bytes, is_list: bool) -> bool:
    """Tell whether JSON that could not be read as a table consists of records."""
    read = partial(json.loads, parse_constant=int)  # refuses Infinity, which is no JSON
    try:
        found = read(content) if is_list else [read(record) for record in content.splitlines()]
    except (ValueError, RecursionError):
        return False
    return all(isinstance(record, dict) for record in found)


def _n_text(table: pl.DataFrame) -> int:
    """Return how many bytes the texts in all cells have, counting repeated ones every time."""
    total = 0
    for column in table.get_columns():
        column = column.alias("text")  # polars takes names such as * for patterns
        if column.dtype == pl.String:
            total += int(column.str.len_bytes().sum() or 0)
        elif isinstance(column.dtype, (pl.Categorical, pl.Enum)):
            counts = column.drop_nulls().value_counts(name="count")
            lengths = counts["text"].cast(pl.String).str.len_bytes()
            total += int((lengths.cast(pl.Int64) * counts["count"].cast(pl.Int64)).sum() or 0)
    return total
