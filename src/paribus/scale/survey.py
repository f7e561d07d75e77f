"""The first pass: how many rows there are, what the columns hold, and a sample."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, Hashes, IntArray
from paribus.base.errors import InputError
from paribus.scale.reading import Levels, Part, Reader, Values, blocks, canonical
from paribus.scale.reservoir import Kept, sampling_hash
from paribus.strata.rows import mix, row_hash
from paribus.table import errors as table_errors
from paribus.table.problem import check_finite, check_weights
from paribus.table.target import MOST_CLASSES

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COUNTED = 10_000  # up to so many levels are counted exactly, more are estimated


@dataclass(frozen=True, slots=True)
class Only:
    """One group of the rows: some levels, values between two ends, or rows without a value."""

    column: str
    # The levels of the group; None for a number cut into stretches.
    levels: frozenset[Any] | None = None
    beside: bool = False  # whether the group has all other levels instead
    # The ends of the stretch, the upper one included.
    low: float = -np.inf
    high: float = np.inf
    missing: bool = False  # whether the group has the rows without a value, and no others

    def rows(self, values: Values) -> BoolArray:
        """Return which rows belong to the group, shape (n,)."""
        if self.missing:
            return missing(values)
        if isinstance(values, Levels):
            among = [(level in (self.levels or ())) != self.beside for level in values.levels]
            return np.append(np.array(among, dtype=np.bool_), False)[values.codes]
        if self.levels is not None:
            found = np.isin(values, [*self.levels]) != self.beside
            return found & ~np.isnan(values)
        return (values > self.low) & (values <= self.high)


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of columns, which rows to use, and how the sample is drawn."""

    target: str
    weights: str | None = None
    counts: str | None = None
    cluster: str | None = None
    seed: int = 0
    only: Only | None = None

    def features(self, names: list[str]) -> list[str]:
        """Return the columns that have no role."""
        return [n for n in names if n not in self.named]

    @property
    def named(self) -> list[str]:
        """The columns that have a role."""
        own = (self.target, self.weights, self.counts, self.cluster)
        return [name for name in own if name is not None]


@dataclass(slots=True)
class Counted:
    """What is known about one column from all rows."""

    missing: int = 0
    # The extremes of a column of numbers.
    low: float = np.inf
    high: float = -np.inf
    # How many rows each has; None where there are more than `MOST_COUNTED`, and for numbers.
    levels: Counter[Any] | None = field(default_factory=Counter)

    def add(self, values: Values) -> None:
        """Add more rows."""
        if isinstance(values, Levels):
            count = np.bincount(values.codes + 1, minlength=len(values.levels) + 1)
            self.missing += int(count[0])
            self._count(Counter({k: int(n) for k, n in zip(values.levels, count[1:], strict=True)}))
            return
        self.missing += int(np.count_nonzero(np.isnan(values)))
        self.low = min(self.low, float(np.fmin.reduce(values, initial=np.inf)))
        self.high = max(self.high, float(np.fmax.reduce(values, initial=-np.inf)))
        if self.levels is not None:
            seen = values[~np.isnan(values)]
            few = np.unique(seen[:1000]).size <= MOST_CLASSES
            self._count(Counter(seen.tolist()) if few else None)

    def _count(self, more: Counter[Any] | None) -> None:
        if self.levels is None or more is None:
            self.levels = None
            return
        self.levels.update(+more)
        if len(self.levels) > MOST_COUNTED:
            self.levels = None

    def __add__(self, other: Counted) -> Counted:
        out = Counted(
            self.missing + other.missing,
            min(self.low, other.low),
            max(self.high, other.high),
            self.levels.copy() if self.levels is not None else None,
        )
        out._count(other.levels)
        return out


@dataclass(slots=True)
class Survey:
    """What the first pass found out; surveys of parts add up."""

    kept: Kept  # the sample
    parts: dict[int, int] = field(default_factory=dict)  # rows of each part, those left out too
    names: dict[int, str] = field(default_factory=dict)  # the parts' names
    # Rows left out: without a target; without a weight or, of those, a cluster.
    missing_target: int = 0
    zero_weight: int = 0
    without_unit: int = 0
    columns: dict[str, Counted] = field(default_factory=dict)
    # Of all rows used: the sum of their weights, and how many rows they stand for.
    weight: float = 0.0
    count: float = 0.0
    problems: dict[int, str] = field(default_factory=dict)  # what is wrong with which part

    @property
    def n_rows(self) -> int:
        """Rows that can be used."""
        return sum(self.parts.values()) - self.missing_target - self.zero_weight

    def __add__(self, other: Survey) -> Survey:
        joined = added(self, other)
        shared = self.columns.keys() & other.columns.keys()
        joined["columns"] |= {name: self.columns[name] + other.columns[name] for name in shared}
        return Survey(**joined)


def added(first: Any, second: Any) -> dict[str, Any]:
    """Return the fields of two dataclasses of one kind: dicts united, all else added up."""
    pairs = {f.name: (getattr(first, f.name), getattr(second, f.name)) for f in fields(first)}
    return {name: a | b if isinstance(a, dict) else a + b for name, (a, b) in pairs.items()}


@dataclass(frozen=True, slots=True)
class Surveying:
    """The work of the first pass; small, and sent to the workers.

    Each part contributes up to `part_rows` rows to the sample: enough that all parts together
    contain the smallest hashes, and no more than can be sent.
    """

    reader: Reader
    roles: Roles
    sample_rows: int
    part_rows: int

    def begin(self) -> Survey:
        """Return the survey of no rows."""
        return Survey(Kept(self.part_rows, self.sample_rows))

    def feed(self, survey: Survey, part: Part, pool: Executor | None = None, /) -> Survey:
        """Add a part; errors are stored, to be reported by the client."""
        survey.parts[part.number], survey.names[part.number] = 0, part.name
        try:
            for batch in blocks(part):
                self.reader.check(batch)
                if batch.num_rows:
                    self._add(survey, part.number, batch, pool)
        except InputError as error:
            survey.problems[part.number] = str(error)
        survey.kept.settle()
        return survey

    def _add(self, survey: Survey, part: int, batch: pa.RecordBatch, pool: Executor | None) -> None:
        start = survey.parts[part]
        survey.parts[part] += batch.num_rows
        columns = self.reader.read(batch)
        for name, values in columns.items():
            if not isinstance(values, Levels):
                check_finite(name, values, start)
        usable = usable_rows(columns, self.roles, start)
        self._count_rows(survey, columns, usable, start)
        columns = {name: values_at(values, usable) for name, values in columns.items()}
        for name, values in columns.items():
            # Among numbers only the target's values are counted: there may be just two.
            counts = isinstance(values, Levels) or name == self.roles.target
            survey.columns.setdefault(name, Counted(levels=Counter() if counts else None))

        def count(name: str) -> None:
            survey.columns[name].add(columns[name])

        list(map(count, columns) if pool is None else pool.map(count, columns))
        rows = np.flatnonzero(usable)
        hashes = hashes_of(columns, self.roles, part, start)
        at = survey.kept.wanted(hashes)
        survey.kept.add(hashes[at], canonical(batch.select(list(columns)).take(rows[at])))

    def _count_rows(
        self, survey: Survey, columns: dict[str, Values], usable: BoolArray, start: int
    ) -> None:
        n_missing = int(np.count_nonzero(missing(columns[self.roles.target])))
        survey.missing_target += n_missing
        survey.zero_weight += len(usable) - int(np.count_nonzero(usable)) - n_missing
        if self.roles.cluster is not None:
            weighted = usable_rows(columns, replace(self.roles, cluster=None), start)
            survey.without_unit += int(np.count_nonzero(weighted & ~usable))
        counts = values_at(counts_of(columns, self.roles), usable)
        survey.count += float(counts.sum())
        if self.roles.weights is not None:
            survey.weight += float(counts @ values_at(columns[self.roles.weights], usable))


def usable_rows(columns: dict[str, Values], roles: Roles, start: int) -> BoolArray:
    """Return the rows asked for, with a target, a weight and a cluster, shape (n,)."""
    usable = ~missing(columns[roles.target])
    for role, name in (("weights", roles.weights), ("counts", roles.counts)):
        if name is not None:
            weights = columns[name]
            if isinstance(weights, Levels):
                raise table_errors.bad_weight(role, name, start)
            check_weights(role, name, weights, start)
            usable &= weights > 0
    if roles.cluster is not None:
        usable &= ~missing(columns[roles.cluster])
    if roles.only is not None:
        usable &= roles.only.rows(columns[roles.only.column])
    return usable


def counts_of(columns: dict[str, Values], roles: Roles) -> FloatArray:
    """Return how many rows each row stands for, shape (n,)."""
    if roles.counts is None:
        return np.ones(len(missing(columns[roles.target])))
    return np.asarray(columns[roles.counts], dtype=np.float64)


def cluster_number(columns: dict[str, Values], roles: Roles) -> FloatArray | None:
    """Return a number for the cluster of each row, shape (n,), or None."""
    if roles.cluster is None:
        return None
    own = columns[roles.cluster]
    hashes = row_hash(own.hashed() if isinstance(own, Levels) else own)
    return (hashes >> np.uint64(12)).astype(np.float64)


def values_at(values: Values, rows: BoolArray | IntArray) -> Any:
    """Return some rows of a column, given by a mask or by their numbers."""
    if rows.dtype == np.bool_ and rows.all():
        return values
    return values.take(rows) if isinstance(values, Levels) else values[rows]


def hashes_of(columns: dict[str, Values], roles: Roles, part: int, start: int) -> Hashes:
    """Return the hashes that decide which rows of a block are drawn, shape (n,).

    Clusters are drawn as a whole.
    """
    if roles.cluster is not None:
        own = columns[roles.cluster]
        number = own.hashed() if isinstance(own, Levels) else own
        return mix(row_hash(number) ^ mix(np.uint64(roles.seed)))
    features = [columns[name] for name in roles.features(sorted(columns))]
    return sampling_hash(features, roles.seed, part, start)


def missing(values: Values) -> BoolArray:
    """Return the rows without a value, shape (n,)."""
    return values.codes < 0 if isinstance(values, Levels) else np.isnan(values)
