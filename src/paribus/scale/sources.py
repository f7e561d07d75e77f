"""Where batches come from: files, streams, queries. Each can be read twice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar
from weakref import finalize

from paribus.base import errors as base_errors
from paribus.base.notes import Note
from paribus.files import open_files
from paribus.files.kinds import PARQUET, Given, checked_ending, files_of
from paribus.files.limits import would_fit
from paribus.scale import errors
from paribus.scale.reading import BLOCK_ROWS, Part, Sort, ahead, sort_of
from paribus.table import errors as table_errors
from paribus.table.columns import Backend

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Report = Callable[[int], None]
Stamp: TypeAlias = tuple[int, int, int] | None


class Work(Protocol[T]):
    """Work done on every part; see `Surveying` and `Summing`."""

    def begin(self) -> T:
        """Return the result for no rows."""

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
    def notes(self) -> tuple[Note, ...]:
        """Notes on how the table was read."""

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known beforehand."""

    @property
    def n_alone(self) -> int:
        """How many parts are processed separately before their results are added up."""

    def run(self, work: Work[T], n_jobs: int, report: Report, /) -> T:
        """Do the work on every part, and return the combined result."""


@dataclass(frozen=True)
class LocalSource:
    """Parts that are read here, one after the other, a few batches ahead of the work."""

    schema: pa.Schema
    names: tuple[str, ...]  # of the parts
    open: Callable[[int], Iterator[pa.RecordBatch]]  # returns the batches of a part
    counts: tuple[int | None, ...]  # rows of each part, where known
    drop: tuple[str, ...] = ()  # columns to leave out
    backend: Backend = "pyarrow"
    notes: tuple[Note, ...] = ()  # how the files were read
    n_alone: int = 1
    stamps: tuple[Stamp, ...] = ()  # of files, to see whether one has changed while it was read

    @property
    def sorts(self) -> Mapping[str, Sort]:
        """What the columns hold, by name."""
        return sorts_of(self.schema, self.drop)

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, where that is known."""
        known = [n for n in self.counts if n is not None]
        return sum(known) if len(known) == len(self.counts) else None

    def run(self, work: Work[T], n_jobs: int, report: Report, /) -> T:
        """Do the work on every part; stop at the first that cannot be used."""
        done = work.begin()
        with ThreadPoolExecutor(n_jobs) as pool:
            for k, name in enumerate(self.names):
                batches = counted(ahead(self._opened(k)), report)
                part = Part(k, name, batches, self.counts[k])
                done = work.feed(done, part, pool if n_jobs > 1 else None)
                if self.stamps and stamp_of(name) != self.stamps[k]:
                    raise errors.file_changed(name)
                if getattr(done, "problems", None):
                    break
        return done

    def _opened(self, k: int) -> Iterator[pa.RecordBatch]:
        for batch in self.open(k):
            dropped = [n for n in self.drop if n in batch.schema.names]
            yield batch.drop_columns(dropped) if dropped else batch


def sorts_of(schema: pa.Schema, drop: Sequence[str] = ()) -> dict[str, Sort]:
    """Return what columns hold, by name; names must be unique."""
    names = _different(schema.names)
    for name in drop:
        if name not in names:
            raise base_errors.unknown_column(name, names)
    return {n: sort_of(n, schema.field(n).type) for n in names if n not in drop}


def _different(names: Sequence[str]) -> Sequence[str]:
    for first, second in pairwise(sorted(names)):
        if first == second:
            raise table_errors.repeated_column(first)
    return names


def counted(batches: Iterator[pa.RecordBatch], report: Report) -> Iterator[pa.RecordBatch]:
    """Report the rows of each batch once it has been processed."""
    for batch in batches:
        yield batch
        report(batch.num_rows)


def files_source(
    given: Given | Sequence[Given], drop: Sequence[str] = (), **options: Any
) -> LocalSource:
    """Open files: one name, a pattern such as ``data/*.parquet``, a folder of Parquet, or a list.

    Options are those of `paribus.files.open_files`, which reads all but Parquet.
    """
    paths = files_of(given)
    stamps = tuple(map(stamp_of, paths))
    if all(checked_ending(path) in PARQUET for path in paths):
        source = _parquet_source(paths, tuple(drop))
    else:
        source = _read_source(paths, tuple(drop), options)
    return replace(source, stamps=stamps)


def stamp_of(path: str) -> Stamp:
    """Return what distinguishes a file from a later version or replacement of it."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _read_source(
    paths: list[str], drop: tuple[str, ...], options: Mapping[str, Any]
) -> LocalSource:
    """Open text files, workbooks and the like, in pieces if they would not fit into memory."""
    opened = open_files(paths, whole=would_fit(*paths), **options)
    schema = next(opened.tables(0)).to_arrow().schema

    def batches(k: int) -> Iterator[pa.RecordBatch]:
        for table in opened.tables(k):
            arrow = table.to_arrow()
            yield from arrow.to_batches() or _empty(arrow.schema)

    counts = (None,) * len(paths)
    return LocalSource(schema, tuple(paths), batches, counts, drop, notes=opened.notes)


def _parquet_source(paths: list[str], drop: tuple[str, ...] = ()) -> LocalSource:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schemas, counts = [], []
    for k, path in enumerate(paths):
        try:
            with pq.ParquetFile(path) as file:
                schemas.append(file.schema_arrow)
                counts.append(file.metadata.num_rows)
        except (pa.ArrowException, OSError) as problem:
            why = errors.part_unreadable(" ".join(str(problem).split()))
            raise errors.in_part(k, path, str(why)) from None

    def batches(k: int) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(paths[k], page_checksum_verification=True) as file:
            yield from file.iter_batches(batch_size=BLOCK_ROWS)
            if counts[k] == 0:
                yield from file.schema_arrow.empty_table().to_batches() or _empty(schemas[k])

    return LocalSource(_first_known(schemas), tuple(paths), batches, tuple(counts), drop)


def _empty(schema: pa.Schema) -> list[pa.RecordBatch]:
    import pyarrow as pa

    return [pa.RecordBatch.from_pylist([], schema=schema)]


def _first_known(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return the first schema, with empty columns typed as in the first part that has values."""
    import pyarrow as pa

    fields = []
    for schema in schemas:
        _different(schema.names)
    for column in schemas[0]:
        others = (s.field(column.name) for s in schemas if column.name in s.names)
        fields.append(next((f for f in others if not pa.types.is_null(f.type)), column))
    return pa.schema(fields)


def stream_source(data: Any) -> LocalSource:
    """Open a stream of Arrow batches.

    A stream can be read only once, so it is first written to a temporary Parquet file, which is
    removed when the source is no longer used, or Python ends.
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
        source = _parquet_source([path])
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    source = replace(source, names=("the stream",))
    finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


def query_source(open_reader: Callable[[], Any], schema: pa.Schema, name: str) -> LocalSource:
    """Open a query that can be run again: a DuckDB relation, an ibis table."""

    def batches(_: int) -> Iterator[pa.RecordBatch]:
        yield from open_reader()

    return LocalSource(schema, (name,), batches, (None,))
