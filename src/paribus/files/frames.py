"""Files that know their own types: Parquet and JSON lines."""

from __future__ import annotations

from io import BytesIO

import polars as pl

from paribus.base import errors


def read_parquet(content: bytes, name: str) -> pl.DataFrame:
    """Read a Parquet file as it is."""
    try:
        return pl.read_parquet(BytesIO(content))
    except (pl.exceptions.PolarsError, OSError):
        raise errors.not_what_it_says(name, "a Parquet file") from None


def read_json(content: bytes, name: str) -> pl.DataFrame:
    r"""Read JSON, one record a line, or one list of records.

    Examples
    --------
    >>> read_json(b'{"a": 1}\n{"a": 2, "b": "x"}\n', "x.jsonl").rows()
    [(1, None), (2, 'x')]
    """
    read = pl.read_json if content.lstrip()[:1] == b"[" else pl.read_ndjson
    try:
        return read(BytesIO(content), infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError):
        raise errors.not_what_it_says(name, "JSON, one record a line") from None
