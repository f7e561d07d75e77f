"""The columns of a table on a sample of its rows: distinct values, codes, ranks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray
from paribus.strata.columns import Own, know
from paribus.table.columns import Column, Table

# Rows looked at, fewer where columns are many; codes of 16 bits must be enough for them.
SAMPLE, FEWEST, CELLS = 10_000, 2_000, 400_000
SINGLE = 2.0**-23  # how exact numbers are that were stored in half the room
MOST_DIGITS = 4  # after the point, of values that count as rounded
PAIRED, FEWEST_PAIRED, PAIR_CELLS = 2_000, 300, 200_000  # rows on which all pairs are compared


@dataclass(frozen=True, eq=False)
class Profile:
    """One column as a look at the table sees it."""

    column: Column  # all rows that have a target
    # The sample's values by their place among the distinct ones; missing is one beyond.
    codes: IntArray  # (m,)
    values: FloatArray  # (k,): the distinct values in the sample, in order
    counts: IntArray  # (k,): how often each occurs in the sample
    # First and last value of all rows; NaN where there is none.
    low: float
    high: float

    @property
    def name(self) -> str:
        """Return the column's name."""
        return self.column.name

    @property
    def is_category(self) -> bool:
        """Tell whether its values are names."""
        return self.column.kind == "category"

    @property
    def sampled(self) -> FloatArray:
        """The sample's values, NaN where missing, shape (m,)."""
        return np.append(self.values, np.nan)[self.codes]

    @cached_property
    def n_present(self) -> int:
        """Count the rows of the sample that have a value."""
        return int(self.counts.sum())

    @cached_property
    def is_whole(self) -> bool:
        """Tell whether it holds whole numbers only."""
        number = self.column.kind == "number"
        return number and bool(np.all(self.values == np.floor(self.values)))

    @cached_property
    def is_digits(self) -> bool:
        """Tell whether it is numbers written as text."""
        levels = self.column.levels
        return bool(levels) and all(isinstance(v, str) and _is_number(v) for v in levels)

    @cached_property
    def is_numeric(self) -> bool:
        """Tell whether it can be added up: a number, or false and true as 0 and 1."""
        return self.column.kind == "number" or self.column.levels == (False, True)

    @cached_property
    def is_binary(self) -> bool:
        """Tell whether it is 0 or 1."""
        two = len(self.values) == 2 and self.low == 0 and self.high == 1
        return two and self.is_numeric and not self.n_missing

    @property
    def n_missing(self) -> int:
        """Count the rows of the sample without a value."""
        return len(self.codes) - self.n_present

    @cached_property
    def by_chance(self) -> float:
        """Return how often two rows of the sample agree."""
        shares = np.append(self.counts, self.n_missing) / len(self.codes)
        return float(np.sum(shares**2))

    @cached_property
    def entropy(self) -> float:
        """Return the entropy of the sample's values, missing being one of them."""
        shares = np.append(self.counts, self.n_missing) / len(self.codes)
        return float(-np.sum(shares * np.log(np.where(shares > 0, shares, 1))))

    @cached_property
    def rounding(self) -> float:
        """Return by how much values may be off because they are rounded; 0 where they are not."""
        for digits in range(MOST_DIGITS + 1):
            if np.allclose(self.values, self.values.round(digits), rtol=SINGLE, atol=1e-9):
                return 0.5 * 10.0**-digits
        return 0.0

    @cached_property
    def distinct(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Return the distinct values of all rows, a row of each, and the place of each row's."""
        found = np.unique(self.column.values, return_index=True, return_inverse=True)
        return found[0], found[1], found[2]


@dataclass(frozen=True, eq=False)
class Look:
    """A table and its target, sampled."""

    profiles: tuple[Profile, ...]  # the columns, the target last
    rows: IntArray | None  # the caller's numbers of the rows that have a target; None for all
    n_rows: int
    n_all: int  # rows with and without a target
    codes: IntArray  # (s, p + 1): of fewer rows, to compare all pairs of columns by
    ranks: NDArray[np.float32]  # (s, p + 1): mid-ranks from 0 to 1, missing in the middle
    own: Own  # what the rows that have a target are known by

    @property
    def target(self) -> Profile:
        """Return the target's profile."""
        return self.profiles[-1]

    @property
    def features(self) -> tuple[Profile, ...]:
        """Return the profiles of all other columns."""
        return self.profiles[:-1]

    def row_numbers(self, rows: IntArray) -> tuple[int, ...]:
        """Return the caller's numbers of rows, counted from 0."""
        return tuple((rows if self.rows is None else self.rows[rows]).tolist())


def look_at(table: Table, target: Column, n_threads: int = 1) -> Look:
    """Sample a table, less its target, in the rows that have a target."""
    rows, n_all = None, table.n_rows
    missing = np.isnan(target.values)
    if missing.any():
        rows = np.flatnonzero(~missing)
        table, target = table.take(rows), target.take(rows)
    n, p = table.n_rows, len(table.columns)
    size = min(n, SAMPLE, max(FEWEST, CELLS // max(p, 1)))
    values = [c.values for c in table.columns]
    n_levels = [len(c.levels) for c in table.columns]
    own = know(values, n_levels, target.values, n_threads=n_threads)
    sample = _sample(own.rows, size)
    profiles = tuple(profile_of(column, sample) for column in (*table.columns, target))
    paired = min(size, PAIRED, max(FEWEST_PAIRED, PAIR_CELLS // max(p, 1)))
    codes = np.column_stack([profile.codes[:paired] for profile in profiles])
    ranks = np.column_stack([_ranks(profile)[profile.codes[:paired]] for profile in profiles])
    return Look(profiles, rows, n, n_all, codes, ranks, own)


def _sample(hashes: NDArray[np.uint64], size: int) -> IntArray:
    """Choose rows by what they are: in whatever order they come, the same are looked at."""
    chosen = np.argpartition(hashes, size - 1)[:size]
    return chosen[np.argsort(hashes[chosen], kind="stable")]


def profile_of(column: Column, sample: IntArray | None = None) -> Profile:
    """Look at one column, in a sample of its rows or in all of them."""
    seen = column.values if sample is None else column.values[sample]
    values, codes, counts = np.unique(seen, return_inverse=True, return_counts=True)
    if len(values) and np.isnan(values[-1]):
        values, counts = values[:-1], counts[:-1]
    low, high = (float(reach.reduce(column.values)) for reach in (np.fmin, np.fmax))
    codes = codes.astype(np.int16 if sample is not None else np.int64)
    return Profile(column, codes, values, counts, low, high)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _ranks(profile: Profile) -> NDArray[np.float32]:
    """Return the mid-rank of each code, missing in the middle."""
    ranks = (np.cumsum(profile.counts) - profile.counts / 2) / max(profile.n_present, 1)
    return np.append(ranks, 0.5).astype(np.float32)
