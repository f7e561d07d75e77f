"""Rows and columns identified by their contents, whatever their names and order.

A value of a column is identified by the rows that have it, a column by its values, and a row by its
target and, if that is not enough, by its values. The target counts the same up and down, and of
numbers only the order counts: names, units, signs and the caller's order make no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, Hashes, IntArray
from paribus.base.threads import run_all
from paribus.strata.coding import count_below, sorted_values
from paribus.strata.rows import mix

PARTS = 255  # into which the values of a number are divided to know it by; 255 is missing
ROUNDS = 3  # of looks at rows by their columns and columns by their rows


@dataclass(frozen=True, slots=True)
class Own:
    """What rows and columns are known by."""

    order: IntArray  # (p,): the columns in an order of their own
    rows: Hashes  # (n,): a hash of each row
    columns: Sequence[FloatArray]  # those that it was found in
    n_levels: Sequence[int]
    y: FloatArray  # (n,)

    def is_of(self, columns: Sequence[FloatArray], n_levels: Sequence[int], y: FloatArray) -> bool:
        """Tell whether it was found in the very same columns, with the same target."""
        if len(columns) != len(self.columns) or list(n_levels) != list(self.n_levels):
            return False
        same = all(mine is other for mine, other in zip(self.columns, columns, strict=True))
        return same and np.array_equal(self.y, y)


def know(
    columns: Sequence[FloatArray],
    n_levels: Sequence[int],
    y: FloatArray,
    times: FloatArray | None = None,
    n_threads: int = 1,
) -> Own:
    """Return an order of columns, and a hash of rows, by what they hold.

    Numbers that rank all rows alike, as a number and its logarithm do, are told apart by how skewed
    they are.

    Parameters
    ----------
    columns : sequence of float arrays of shape (n,)
        Numbers, or codes of levels; NaN is missing.
    n_levels : sequence of int
        How many levels each has; 0 for a number.
    y : float array of shape (n,)
    times : float array of shape (n,), optional
        How many rows each stands for.
    n_threads : int

    Examples
    --------
    >>> x, z, y = np.array([1.0, 2, 3]), np.array([2.0, 9, 7]), np.array([0.0, 1, 5])
    >>> first, again = know([x, z], [0, 0], y), know([3 * z, x + 1], [0, 0], -y)
    >>> bool((first.order == 1 - again.order).all()), bool((first.rows == again.rows).all())
    (True, True)
    """
    parted = _part_all(columns, n_levels, n_threads)
    distinct, rank = np.unique(y, return_inverse=True)
    target = _Parted(rank.astype(np.int32), len(distinct), ordered=False)
    rows, repeated = _up_and_down(len(distinct))[rank], whole_times(times, len(y))
    for _ in range(ROUNDS):
        keys = np.array([part.marks(rows * repeated).sum() for part in parted], dtype=np.uint64)
        rows = _look_again([*parted, target], rows, repeated)
        if len(np.unique(keys)) == len(keys):
            break
    skew = np.array([part.skew for part in parted])
    return Own(np.lexsort((skew, keys)), rows, columns, n_levels, y)


@dataclass(frozen=True, slots=True)
class _Parted:
    """A column in parts: levels, or numbers of like size; the last part is what is missing."""

    parts: NDArray[np.int32]  # (n,)
    size: int
    ordered: bool  # whether it is a number
    skew: float = 0.0

    def marks(self, rows: Hashes) -> Hashes:
        """Hash each part by the rows in it, and a part of a number by its place; shape (size,)."""
        place = np.arange(self.size, dtype=np.uint64) if self.ordered else np.uint64(0)
        return mix(level_sums(self.parts, rows, self.size) ^ mix(place))


def _look_again(parted: Sequence[_Parted], rows: Hashes, times: Hashes) -> Hashes:
    """Hash rows by their values' hashes too, shape (n,)."""
    out = rows.copy()
    for part in parted:
        marks = part.marks(rows * times)
        out += mix(marks ^ marks.sum())[part.parts]
    return mix(out)


def _part_all(
    columns: Sequence[FloatArray], n_levels: Sequence[int], n_threads: int = 1
) -> list[_Parted]:
    out: list[_Parted | None] = [None] * len(columns)

    def part(k: int) -> None:
        out[k] = _levels(columns[k], n_levels[k]) if n_levels[k] else _pieces(columns[k])

    run_all(part, range(len(columns)), n_threads)
    return [one for one in out if one is not None]


def _levels(codes: FloatArray, size: int) -> _Parted:
    return _Parted(with_missing_last(codes, size), size + 1, ordered=False)


def with_missing_last(codes: FloatArray, size: int) -> NDArray[np.int32]:
    """Return codes of levels, shape (n,), in which what is missing is one level more."""
    return np.where(np.isnan(codes), size, codes).astype(np.int32)


def _pieces(values: FloatArray) -> _Parted:
    """Divide a number's different values into parts of like size."""
    held = sorted_values(values)
    distinct = held[np.append(True, held[1:] != held[:-1])] if len(held) else np.zeros(1)
    # A value at an edge lies beyond it: it does beyond the number just below.
    edges = np.nextafter(distinct[np.arange(1, PARTS) * len(distinct) // PARTS], -np.inf)
    parts = count_below(values, edges).astype(np.int32)
    above, below = distinct[-1] - distinct.mean(), distinct.mean() - distinct[0]
    return _Parted(parts, PARTS + 1, ordered=True, skew=above / (above + below or 1.0))


def rank_hash(values: FloatArray) -> Hashes:
    """Hash the rank of each of some values, shape (n,), whether they are counted up or down."""
    distinct, rank = np.unique(values, return_inverse=True)
    return _up_and_down(len(distinct))[rank]


def _up_and_down(size: int) -> Hashes:
    """Hash each of so many ranks, shape (size,)."""
    up = mix(np.arange(size, dtype=np.uint64))
    return up + up[::-1]


def level_sums(levels: NDArray[np.int32], hashes: Hashes, size: int) -> Hashes:
    """Sum the hashes of the rows of each level, shape (size,)."""
    out = np.zeros(size, dtype=np.uint64)
    np.add.at(out, levels, hashes)
    return out


def whole_times(times: FloatArray | None, n: int) -> Hashes:
    """Return how many rows each of `n` rows stands for, shape (n,)."""
    return np.ones(n, np.uint64) if times is None else times.astype(np.uint64)
