"""Which tables are read in batches, and how each is opened."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from paribus.base.extras import need
from paribus.base.notes import Note
from paribus.files import read_file
from paribus.files.kinds import PARQUET, ending_of
from paribus.files.limits import would_fit
from paribus.scale.distributed import DaskSource, SparkSource
from paribus.scale.reading import BLOCK_ROWS
from paribus.scale.sources import LocalSource, Source, files_source, query_source, stream_source

LIBRARIES = ("dask", "dask_expr", "pyspark", "duckdb", "_duckdb", "ibis")
HELD = ("pandas", "polars", "numpy", "builtins", "narwhals")


def is_streamed(data: Any) -> bool:
    """Tell whether a table is read in batches rather than held in memory.

    Examples
    --------
    >>> is_streamed("data/*.parquet"), is_streamed({"a": [1, 2]})
    (True, False)
    """
    if isinstance(data, (str, os.PathLike, LocalSource, DaskSource, SparkSource)):
        return True
    if isinstance(data, (list, tuple)):
        return bool(data) and all(isinstance(item, (str, os.PathLike)) for item in data)
    library = _library(data)
    if library in LIBRARIES:
        return True
    # So is anything that gives Arrow batches but is not a table held in memory.
    is_table = library in HELD or (library == "pyarrow" and type(data).__name__ == "Table")
    return hasattr(data, "__arrow_c_stream__") and not is_table


def held(data: Any, target: Any) -> tuple[Any, tuple[Note, ...]]:
    """Read a file that fits into memory into a table with notes; return anything else unchanged.

    Examples
    --------
    >>> held({"a": [1, 2]}, "a")
    ({'a': [1, 2]}, ())
    """
    if not isinstance(data, (str, os.PathLike)) or not Path(data).is_file() or not would_fit(data):
        return data, ()
    if ending_of(data) in PARQUET and not find_spec("polars"):
        return data, ()
    reading = read_file(data)
    if isinstance(target, str):
        reading.check_target(target)
    return reading.table, reading.notes


def open_source(data: Any) -> Source:
    """Open files, a query, a stream, a Dask or a Spark data frame."""
    if isinstance(data, (LocalSource, DaskSource, SparkSource)):
        return data
    need("pyarrow", "Reading in batches", "scale")
    if isinstance(data, (str, os.PathLike, list, tuple)):
        return files_source(data)
    library = _library(data)
    if library in ("dask", "dask_expr"):
        return DaskSource(data)
    if library == "pyspark":
        return SparkSource(data)
    if library in ("duckdb", "_duckdb"):
        return query_source(lambda: _duckdb_reader(data), _duckdb_reader(data).schema, "the query")
    if library == "ibis":
        return query_source(data.to_pyarrow_batches, data.schema().to_pyarrow(), "the table")
    return stream_source(data)


def _duckdb_reader(relation: Any) -> Any:
    # Newer releases have the first name only, older ones the second.
    name = "to_arrow_reader" if hasattr(relation, "to_arrow_reader") else "fetch_arrow_reader"
    return getattr(relation, name)(BLOCK_ROWS)


def _library(data: Any) -> str:
    return type(data).__module__.split(".")[0]
