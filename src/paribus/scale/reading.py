"""Arrow batches as plain columns, and whether every part of a table has the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar
from zlib import crc32

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.scale import errors
from paribus.table import errors as table_errors
from paribus.table.columns import SECONDS_A_DAY

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
AHEAD = 2  # batches read while others are being processed
BLOCK_ROWS = 65_536  # rows processed together
Sort: TypeAlias = Literal["whole", "number", "date", "duration", "text", "boolean", "nothing"]
SHOWN = {
    "whole": "whole numbers",
    "number": "decimals",
    "date": "dates",
    "duration": "durations",
    "text": "text",
    "boolean": "true or false",
    "nothing": "nothing",
}


@dataclass(frozen=True, slots=True)
class Levels:
    """A column of levels: `codes` (n,) are positions in `levels`, -1 where missing."""

    codes: IntArray
    levels: list[Any]

    def take(self, rows: Any) -> Levels:
        """Return some of the rows."""
        return Levels(self.codes[rows], self.levels)

    def through(self, number: Mapping[Any, float], other: float) -> FloatArray:
        """Number the levels by a mapping, shape (n,): NaN if missing, `other` if not in it."""
        table = np.array([*(number.get(level, other) for level in self.levels), np.nan])
        return table[self.codes]

    def hashed(self) -> FloatArray:
        """Return a number for each row that depends only on its level's text, shape (n,)."""
        table = np.array([*(float(crc32(str(v).encode())) for v in self.levels), np.nan])
        return table[self.codes]


Values: TypeAlias = FloatArray | Levels


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a table: its place, its name for messages, its rows as Arrow batches.

    `n_rows` is how many there must be, where that is known beforehand.
    """

    number: int
    name: str
    batches: Iterator[pa.RecordBatch]
    n_rows: int | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """How batches are read; small, and sent to the workers."""

    # What every part must hold: the columns by name, in the order of the first part.
    sorts: Mapping[str, Sort]
    # Columns to treat differently from what their type suggests.
    kind: Mapping[str, str] = field(default_factory=dict)

    def check(self, batch: pa.RecordBatch) -> None:
        """Refuse a batch whose columns differ from those of the other parts."""
        got = dict(zip(batch.schema.names, batch.schema.types, strict=True))
        for name, expected in self.sorts.items():
            if name not in got:
                raise errors.part_lacks_column(name, list(got))
            found = sort_of(name, got[name])
            alike = expected == found or "nothing" in (expected, found)
            as_told = self.kind.get(name) == "numeric" and {expected, found} == {"whole", "number"}
            if not (alike or as_told):
                raise errors.part_differs(name, SHOWN[expected], SHOWN[found])
        for name in got:
            if name not in self.sorts:
                raise errors.part_has_more(name)

    def read(self, batch: pa.RecordBatch) -> dict[str, Values]:
        """Return the columns as numbers or levels."""
        return {name: self._column(name, batch.column(name)) for name in self.sorts}

    def _column(self, name: str, column: pa.Array) -> Values:
        sort, kind = sort_of(name, column.type), self.kind.get(name)
        if sort in ("text", "boolean"):
            levels = _levels(column, sort)
            return _as_numbers(name, levels) if kind == "numeric" else levels
        values = _numbers(column, sort)
        return _as_levels(values) if kind == "categorical" else values


def sort_of(name: str, kind: pa.DataType) -> Sort:
    """Tell what a type of column holds.

    Examples
    --------
    >>> import pyarrow as pa
    >>> sort_of("a", pa.int8()), sort_of("a", pa.dictionary(pa.int8(), pa.string()))
    ('whole', 'text')
    """
    import pyarrow.types as t

    if t.is_dictionary(kind):
        return "text"
    holds: dict[Sort, bool] = {
        "nothing": t.is_null(kind),
        "whole": t.is_integer(kind),
        "number": t.is_floating(kind) or t.is_decimal(kind),
        "date": t.is_date(kind) or t.is_timestamp(kind),
        "duration": t.is_duration(kind),
        "boolean": t.is_boolean(kind),
        "text": t.is_string(kind)
        or t.is_large_string(kind)
        or t.is_string_view(kind)
        or t.is_time(kind),
    }
    for sort, it_does in holds.items():
        if it_does:
            return sort
    raise table_errors.unusable_type(name, f"values of type {kind}")


def blocks(part: Part) -> Iterator[pa.RecordBatch]:
    """Yield a part's rows in blocks; empty batches are yielded too, for their columns.

    Raises
    ------
    InputError
        If the part cannot be read to its end, or does not have the expected number of rows.
    """
    import pyarrow as pa

    n_rows = 0
    try:
        for batch in part.batches:
            n_rows += batch.num_rows
            for start in range(0, max(batch.num_rows, 1), BLOCK_ROWS):
                yield batch.slice(start, BLOCK_ROWS)
    except (pa.ArrowException, OSError) as problem:
        raise errors.part_unreadable(" ".join(str(problem).split())) from problem
    if part.n_rows is not None and part.n_rows != n_rows:
        raise errors.part_short(n_rows, part.n_rows)


def ahead(batches: Iterator[T]) -> Iterator[T]:
    """Read a little ahead in a separate thread; errors there are raised here.

    Examples
    --------
    >>> list(ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    queue: Queue[tuple[bool, Any]] = Queue(AHEAD)
    stopped: list[bool] = []

    def read() -> None:
        try:
            for batch in batches:
                queue.put((True, batch))
                if stopped:
                    return
            queue.put((False, None))
        except BaseException as error:
            queue.put((False, error))

    Thread(target=read, daemon=True).start()
    try:
        while True:
            more, item = queue.get()
            if not more:
                break
            yield item
    finally:
        stopped.append(True)
        with suppress(Exception):
            queue.get_nowait()
    if item is not None:
        raise item


def canonical(batch: pa.RecordBatch) -> pa.Table:
    """Return a batch with one type for each sort of column, so that batches can be combined."""
    import pyarrow as pa

    types = {
        "whole": pa.int64(),
        "number": pa.float64(),
        "date": pa.timestamp("us"),
        "duration": pa.duration("us"),
        "text": pa.string(),
        "boolean": pa.bool_(),
        "nothing": pa.null(),
    }
    columns = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        wanted = types[sort_of(name, column.type)]
        if pa.types.is_timestamp(column.type) and column.type.tz is not None:
            column = column.cast(pa.timestamp("us", column.type.tz)).view(pa.int64())
        columns[name] = column.cast(wanted, safe=False)
    return pa.table(columns)


def _numbers(column: pa.Array, sort: Sort) -> FloatArray:
    import pyarrow as pa

    if sort in ("date", "duration"):
        unit = pa.timestamp("us") if sort == "date" else pa.duration("us")
        zoned = pa.types.is_timestamp(column.type) and column.type.tz is not None
        column = column.cast(pa.timestamp("us", column.type.tz) if zoned else unit, safe=False)
        column = column.view(pa.int64())
    # Casting whole numbers beyond 2**53 rounds them, on purpose: they are names.
    values: FloatArray = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values / (SECONDS_A_DAY * 1e6) if sort in ("date", "duration") else values


def _levels(column: pa.Array, sort: Sort) -> Levels:
    import pyarrow as pa

    if sort == "boolean":
        codes = column.cast(pa.int8()).fill_null(-1).to_numpy(zero_copy_only=False)
        return Levels(codes, [False, True])
    if not pa.types.is_dictionary(column.type):
        is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        column = (column if is_text else column.cast(pa.string())).dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    levels = column.dictionary.to_pylist()
    return Levels(codes, [v if v is None or isinstance(v, str) else str(v) for v in levels])


def _as_levels(values: FloatArray) -> Levels:
    missing = np.isnan(values)
    distinct, codes = np.unique(values[~missing], return_inverse=True)
    out = np.full(len(values), -1)
    out[~missing] = codes
    return Levels(out, distinct.tolist())


def _as_numbers(name: str, levels: Levels) -> FloatArray:
    number = {}
    for level in levels.levels:
        try:
            number[level] = float(level)
        except ValueError:
            raise table_errors.not_numeric_text(name, level) from None
    return levels.through(number, np.nan)
