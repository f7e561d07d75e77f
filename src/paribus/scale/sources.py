"""Where batches come from: files, streams, queries. Each can be walked through twice."""

from __future__ import annotations

import glob
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from paribus.base import errors
from paribus.scale import errors as refusals
from paribus.scale.prefetch import ahead
from paribus.scale.reading import BLOCK_ROWS, Part, Sort, sort_of
from paribus.table.columns import Backend

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Tell = Callable[[int], None]
PARQUET, TEXT = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
CSV_BLOCK = 16 * 2**20  # bytes of text read at a time


class Work(Protocol[T]):
    """What is done with every part; see `Surveying` and `Summing`."""

    def begin(self) -> T:
        """Return what no rows come to."""

    def feed(self, done: T, part: Part, pool: Executor | None = None, /) -> T:
        """Add a part."""


class Source(Protocol):
    """A table in parts."""

    @property
    def sorts(self) -> Mapping[str, Sort]:
        """What the columns hold, by name."""

    @property
    def backend(self) -> Backend:
        """The library that results come in."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known beforehand."""

    @property
    def n_alone(self) -> int:
        """How many parts are worked on, each on its own, before what they come to is added up."""

    def run(self, work: Work[T], n_jobs: int, tell: Tell, /) -> T:
        """Do the work on every part, and return what all come to."""


@dataclass(frozen=True)
class LocalSource:
    """Parts that are read here, one after the other, a few batches ahead of the work.

    Attributes
    ----------
    schema : pyarrow.Schema
    names : tuple of str
        Of the parts.
    open : function of (int, list of str)
        Returns the batches of a part, with these columns.
    counts : tuple of int or None
        Rows of each part, where known.
    drop : tuple of str
        Columns to leave out.
    """

    schema: pa.Schema
    names: tuple[str, ...]
    open: Callable[[int, list[str]], Iterator[pa.RecordBatch]]
    counts: tuple[int | None, ...]
    drop: tuple[str, ...] = ()
    backend: Backend = "pyarrow"
    alive: Any = field(default=None, repr=False)
    n_alone: int = 1

    @property
    def sorts(self) -> Mapping[str, Sort]:
        """What the columns hold, by name."""
        return sorts_of(self.schema, self.drop)

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known."""
        known = [n for n in self.counts if n is not None]
        return sum(known) if len(known) == len(self.counts) else None

    def run(self, work: Work[T], n_jobs: int, tell: Tell, /) -> T:
        """Do the work on every part; stop at the first that cannot be used."""
        done = work.begin()
        with ThreadPoolExecutor(n_jobs) as pool:
            for k, name in enumerate(self.names):
                batches = told(ahead(self._opened(k)), tell)
                part = Part(k, name, batches, self.counts[k])
                done = work.feed(done, part, pool if n_jobs > 1 else None)
                if getattr(done, "problems", None):
                    break
        return done

    def _opened(self, k: int) -> Iterator[pa.RecordBatch]:
        for batch in self.open(k, list(self.sorts)):
            dropped = [n for n in self.drop if n in batch.schema.names]
            yield batch.drop_columns(dropped) if dropped else batch


def sorts_of(schema: pa.Schema, drop: Sequence[str] = ()) -> dict[str, Sort]:
    """Return what columns hold, by name; no name may stand twice."""
    names = schema.names
    for first, second in pairwise(sorted(names)):
        if first == second:
            raise errors.repeated_column(first)
    for name in drop:
        if name not in names:
            raise errors.unknown_column(name, names)
    return {n: sort_of(n, schema.field(n).type) for n in names if n not in drop}


def told(batches: Iterator[pa.RecordBatch], tell: Tell) -> Iterator[pa.RecordBatch]:
    """Tell of the rows of each batch when it has been worked on."""
    for batch in batches:
        yield batch
        tell(batch.num_rows)


def files_source(given: str | Path | Sequence[str | Path], drop: Sequence[str] = ()) -> LocalSource:
    """Open Parquet or CSV files: one name, a pattern such as ``data/*.parquet``, or a list."""
    paths = _paths(given)
    ending = Path(paths[0]).suffix.lower()
    if ending in TEXT:
        return _csv_source(paths, tuple(drop))
    if ending not in PARQUET:
        raise errors.unknown_ending(paths[0], (*PARQUET, *TEXT))
    return _parquet_source(paths, tuple(drop))


def _paths(given: str | Path | Sequence[str | Path]) -> list[str]:
    items = [given] if isinstance(given, (str, Path)) else list(given)
    paths: list[str] = []
    for item in map(str, items):
        path = Path(item)
        if path.is_dir():
            found = sorted(str(p) for p in path.rglob("*") if p.suffix.lower() in PARQUET)
        elif glob.has_magic(item) and not path.exists():
            found = sorted(glob.glob(item, recursive=True))  # noqa: PTH207 - absolute or not
        else:
            found = [item] if path.exists() else []
        if not found:
            raise errors.no_such_file(item, [])
        paths += found
    if not paths:
        raise errors.no_such_file("", [])
    return paths


def _parquet_source(paths: list[str], drop: tuple[str, ...]) -> LocalSource:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schemas, counts = [], []
    for k, path in enumerate(paths):
        try:
            with pq.ParquetFile(path) as file:
                schemas.append(file.schema_arrow)
                counts.append(file.metadata.num_rows)
        except (pa.ArrowException, OSError) as problem:
            why = refusals.part_unreadable(" ".join(str(problem).split()))
            raise refusals.in_part(k, path, str(why)) from None

    def batches(k: int, _: list[str]) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(paths[k], page_checksum_verification=True) as file:
            yield from file.iter_batches(batch_size=BLOCK_ROWS)
            if counts[k] == 0:
                yield from file.schema_arrow.empty_table().to_batches() or _empty(schemas[k])

    return LocalSource(_first_known(schemas), tuple(paths), batches, tuple(counts), drop)


def _empty(schema: pa.Schema) -> list[pa.RecordBatch]:
    import pyarrow as pa

    return [pa.RecordBatch.from_pylist([], schema=schema)]


def _first_known(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the first schema, columns of nothing typed as in the first part that has values."""
    import pyarrow as pa

    fields = []
    for column in schemas[0]:
        others = (s.field(column.name) for s in schemas if column.name in s.names)
        fields.append(next((f for f in others if not pa.types.is_null(f.type)), column))
    return pa.schema(fields)


def _csv_source(paths: list[str], drop: tuple[str, ...]) -> LocalSource:
    """Stream text; what a column holds is told by the first block, numbers being decimals."""
    import pyarrow as pa
    from pyarrow import csv

    delimiters = [_delimiter(path) for path in paths]
    schema = pa.schema(
        (f.name, pa.float64() if pa.types.is_integer(f.type) else f.type)
        for f in _csv_schema(paths[0], delimiters[0])
    )

    def batches(k: int, _: list[str]) -> Iterator[pa.RecordBatch]:
        yield from csv.open_csv(
            paths[k],
            read_options=csv.ReadOptions(block_size=CSV_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiters[k]),
            convert_options=csv.ConvertOptions(
                column_types=schema, strings_can_be_null=True, include_columns=None
            ),
        )

    return LocalSource(schema, tuple(paths), batches, (None,) * len(paths), drop)


def _csv_schema(path: str, delimiter: str) -> pa.Schema:
    import pyarrow as pa
    from pyarrow import csv

    try:
        with csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=CSV_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiter),
        ) as reader:
            return reader.schema
    except pa.ArrowException as problem:
        why = refusals.part_unreadable(" ".join(str(problem).split()))
        raise refusals.in_part(0, path, str(why)) from None


def _delimiter(path: str) -> str:
    """Return the character that separates columns: the commonest of the usual ones."""
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        header = file.readline()
    return max(",;\t|", key=header.count)


def stream_source(data: Any, drop: Sequence[str] = ()) -> LocalSource:
    """Open a stream of Arrow batches.

    A stream can be read once, so it is first written to a temporary Parquet file, which is removed
    afterwards.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    reader = (
        data if isinstance(data, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(data)
    )
    folder = tempfile.mkdtemp(prefix="paribus-")
    path = str(Path(folder) / "stream.parquet")
    try:
        with pq.ParquetWriter(path, reader.schema, compression="lz4") as writer:
            for batch in reader:
                writer.write_batch(batch)
        source = _parquet_source([path], tuple(drop))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return LocalSource(
        source.schema, ("the stream",), source.open, source.counts, source.drop,
        alive=_Folder(folder),
    )  # fmt: skip


class _Folder:
    """A folder that is removed when nothing holds it any longer."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __del__(self) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


def query_source(
    open_reader: Callable[[], Any], schema: pa.Schema, name: str, drop: Sequence[str] = ()
) -> LocalSource:
    """Open a query that can be run again: a DuckDB relation, an ibis table."""

    def batches(_: int, __: list[str]) -> Iterator[pa.RecordBatch]:
        yield from open_reader()

    return LocalSource(schema, (name,), batches, (None,), tuple(drop))
