"""A column as a few numbers per row: linear interpolation between knots, or a level."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Labels, Rows
from paribus.estimate.hats import (
    add_hats,
    collect_hats,
    find_hats,
    find_rarer,
    multiply_hats,
    value_hats,
)
from paribus.estimate.slopes import rounding_of

FEW_VALUES = 30  # a column with no more distinct values gets a knot a value
MOST_KNOTS = 90
ATOM = 0.15  # of the rows at one value: it is a level of its own, which no bend is counted at
FEWEST_BESIDE_ATOMS = 8  # knots
FEWEST_AT_END = 5  # rows beyond the last inner knot
SAMPLE = 40_000  # rows enough to place knots by
NEAR_TIE = 1e-9  # of the mean step between values


class Basis(Protocol):
    """A column, or several, as K numbers a row whose coefficients are the effect.

    An estimate needs sums of products only, so whatever has these can be estimated: hats between
    knots, levels, products of two columns.
    """

    @property
    def size(self) -> int:
        """The number of columns, K."""

    @property
    def own(self) -> Hats:
        """The first of them, which are hats."""

    def lay_beside(self, rows: Rows, out: FloatArray) -> None:
        """Write the others in some rows, shape (m, K - size of `own`)."""

    def take(self, rows: Any) -> Basis:
        """Return some of the rows."""

    def dense(self) -> FloatArray:
        """Return all rows, shape (n, K)."""

    def times(self, values: FloatArray) -> FloatArray:
        """Return the sum of the columns with `values` (K,) or (K, a), shape (n,) or (n, a)."""


@dataclass(frozen=True, slots=True)
class Hats:
    """Weights of K columns in n rows, at most two of them nonzero and side by side."""

    index: Labels  # (n,): the first column with a weight
    share: FloatArray  # (n,): weight of the next column; the first has the rest, ``1 - share``
    size: int  # the number of columns, K
    # Where the columns lie on the axis of a number; None for levels.
    knots: FloatArray | None = None  # (K,)
    # The length of a round, of a number that runs in one: after the last knot comes the first.
    period: float = 0.0

    @property
    def own(self) -> Hats:
        """All columns are hats."""
        return self

    def lay_beside(self, rows: Rows, out: FloatArray) -> None:
        """Write nothing: there are no others."""

    def take(self, rows: Any) -> Hats:
        """Return some of the rows."""
        return replace(self, index=self.index[rows], share=self.share[rows])

    def bends(self, atoms: IntArray | None = None) -> FloatArray:
        """Return the changes of slope at the inner knots; levels have none, shape (r, K).

        `atoms` are knots that the curve may jump at: it bends as if they were not there. In a
        round, all knots are inner ones.
        """
        if self.knots is None:
            return np.zeros((0, self.size))
        kept = np.arange(len(self.knots))
        kept = kept if atoms is None else np.delete(kept, atoms)
        if self.period:
            change = _round_differences(self.knots[kept], self.period)
        else:
            change = second_differences(self.knots[kept], len(kept))
        out = np.zeros((len(change), self.size))
        out[:, kept] = change
        return out

    def dense(self) -> FloatArray:
        """Return all weights, shape (n, K)."""
        out = np.zeros((len(self.index), self.size))
        rows = np.arange(len(self.index))
        out[rows, self.index] = 1 - self.share
        out[rows, self._next()] += self.share
        return out

    def times(self, values: FloatArray) -> FloatArray:
        """Return the weighted sum of `values` (K,) or (K, a) in each row, (n,) or (n, a)."""
        out = np.empty((len(self.index), *values.shape[1:]))
        columns = np.ascontiguousarray(values.reshape(self.size, -1))
        value_hats(self.index, self.share, columns, out.reshape(len(out), columns.shape[1]))
        return out

    def collect(self, rows: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the weights' products with weighted `rows` (n, m), shape (K, m)."""
        out = np.zeros((self.size, rows.shape[1]))
        collect_hats(self.index, self.share, weights, rows, out)
        return out

    def gram(self, weights: FloatArray) -> FloatArray:
        """Return the weighted products of the columns, shape (K, K)."""
        diagonal, beside = self.products(weights)
        return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)

    def products(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weighted products of each column with itself (K,) and the next (K - 1,)."""
        diagonal, beside = np.zeros(self.size), np.zeros(self.size)
        multiply_hats(self.index, self.share, weights, diagonal, beside)
        return diagonal, beside[:-1]

    def sums_by(self, group: Labels, n_groups: int, weights: FloatArray) -> FloatArray:
        """Return the weighted sums of the columns by group, shape (n_groups, K)."""
        out = np.zeros((n_groups, self.size))
        add_hats(self.index, self.share, weights, group, out)
        return out

    def totals(self, weights: FloatArray) -> FloatArray:
        """Return the weighted sum of each column, shape (K,)."""
        total, beside = self.products(weights)
        total[:-1] += beside
        total[1:] += beside
        return total  # a row's weights add up to one

    def rarer_point(self) -> Labels:
        """Return, of the columns with a weight in a row, the one with fewer rows, shape (n,)."""
        out = np.empty_like(self.index)
        find_rarer(self.index, self.share, np.zeros(self.size, dtype=np.int64), out)
        return out

    def highest(self, values: FloatArray) -> FloatArray:
        """Return the higher of the `values` (K,) of the columns with a weight, shape (n,)."""
        following = np.where(self.share > 0, self._next(), self.index)
        return np.maximum(values[self.index], values[following])

    def _next(self) -> Labels:
        return np.minimum(self.index + 1, self.size - 1).astype(np.int32)


def level_basis(codes: IntArray, n_levels: int) -> Hats:
    """Give each level a column of its own; `codes` of shape (n,)."""
    return Hats(codes.astype(np.int32), np.zeros(len(codes)), n_levels)


def hat_basis(x: FloatArray, knots: FloatArray) -> Hats:
    """Interpolate between `knots` (k,); missing values get a last column of their own.

    Examples
    --------
    >>> hat_basis(np.array([0.5, 2.0, np.nan]), np.array([0.0, 1.0, 2.0])).dense().tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    index, share = np.empty(len(x), dtype=np.int32), np.empty(len(x))
    find_hats(np.ascontiguousarray(x), knots, index, share)
    size = len(knots) + int(index.max(initial=0) == len(knots))
    return Hats(index, share, size, knots)


def place_knots(x: FloatArray, weights: FloatArray, fewer: float = 1.0) -> FloatArray:
    """Place knots at all distinct values when they are few, else at quantiles.

    There are about ``8 n**(1/4)`` of these, and a few more towards the ends. The bias of a
    piecewise linear curve falls with the square of the spacing, its standard error with the
    square root of n: the fourth root keeps their ratio. A curve that is to be smoother has
    `fewer` times as many.

    Examples
    --------
    >>> place_knots(np.array([3.0, 1.0, 3.0, np.nan]), np.ones(4)).tolist()
    [1.0, 3.0]
    """
    missing = np.isnan(x)
    if missing.any():
        x, weights = x[~missing], weights[~missing]
    n_rows = float(weights.sum())
    for seen in (slice(None, None, max(1, len(x) // SAMPLE)), slice(None)):
        ordered, heavy = _in_order(x[seen], weights[seen])
        distinct = _apart(ordered)
        if len(distinct) > FEW_VALUES:
            break
    if len(distinct) <= FEW_VALUES:
        return distinct
    ends = [x.min(), x.max()]
    last = np.cumsum(heavy)
    atoms = _atoms(ordered, last)
    if len(atoms):
        rest = ~np.isin(ordered, atoms)
        n_rows *= float(heavy[rest].sum() / heavy.sum())
        ordered, last = ordered[rest], np.cumsum(heavy[rest])
        distinct = _apart(ordered)
        ends += [*atoms, *_beside(ordered, atoms)]
    usual = min(MOST_KNOTS, max(FEW_VALUES, round(8 * n_rows**0.25)))
    levels = _levels_of_knots(min(len(distinct), round(fewer * usual)), n_rows)
    return _apart(np.sort([*ends, *_quantiles_of_sorted(ordered, last, levels)]))


def _atoms(ordered: FloatArray, last: FloatArray) -> FloatArray:
    """Return the values of sorted rows that many of them have; `last` (n,) are summed weights."""
    places = np.linspace(0, 1, round(2 / ATOM) + 1)
    candidates = np.unique(_quantiles_of_sorted(ordered, last, places))
    last = np.append(0.0, last)
    ends = [np.searchsorted(ordered, candidates, side=side) for side in ("left", "right")]
    return candidates[last[ends[1]] - last[ends[0]] > ATOM * last[-1]]


def _beside(ordered: FloatArray, atoms: FloatArray) -> FloatArray:
    """Return the values next to the atoms, so that a curve can jump there."""
    at = np.searchsorted(ordered, atoms)
    return ordered[np.clip(np.append(at - 1, at), 0, len(ordered) - 1)]


def atoms_of(row_share: FloatArray) -> IntArray:
    """Return the knots of a curve that many rows lie at, given the share of rows at each, (k,).

    None where there are hardly others, for then there is nothing else to be smooth.

    Examples
    --------
    >>> atoms_of(np.append(0.6, np.full(40, 0.01))).tolist()
    [0]
    """
    atoms = np.flatnonzero(row_share > ATOM)
    return atoms if len(row_share) - len(atoms) >= FEWEST_BESIDE_ATOMS else atoms[:0]


def _levels_of_knots(count: int, n_rows: float) -> FloatArray:
    """Return the quantiles at which inner knots lie: even ones, and ever closer to the ends.

    Without the latter a long tail would be one straight line.
    """
    even = np.linspace(0, 1, count)[1:-1]
    halvings = int(max(np.log2(even[0] * n_rows / FEWEST_AT_END), 0))
    tail = even[0] / 2.0 ** np.arange(halvings, 0, -1)
    return np.concatenate([tail, even, 1 - tail[::-1]])


def _apart(x: FloatArray) -> FloatArray:
    """Return the distinct ones of sorted values; what is apart by rounding only counts as one."""
    if len(x) == 0:
        return x
    rounding = np.maximum(rounding_of(x), NEAR_TIE * (x[-1] - x[0]) / len(x))
    return x[np.append(True, np.diff(x) > rounding)]


def weighted_quantiles(x: FloatArray, weights: FloatArray, q: FloatArray) -> FloatArray:
    """Return quantiles of `x` (n,) as if each value stood there `weights` times.

    Examples
    --------
    >>> x, weights = np.array([5.0, 1.0]), np.array([1.0, 3.0])
    >>> weighted_quantiles(x, weights, np.array([0.5, 1.0])).tolist()
    [1.0, 5.0]
    """
    ordered, heavy = _in_order(x, weights)
    return _quantiles_of_sorted(ordered, np.cumsum(heavy), q)


def _in_order(x: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    if np.all(weights == weights[:1]):
        return np.sort(x), weights
    order = np.argsort(x, kind="stable")
    return x[order], weights[order]


def _quantiles_of_sorted(x: FloatArray, last: FloatArray, q: FloatArray) -> FloatArray:
    """Return quantiles of sorted values (n,) whose weights sum up to `last` (n,)."""
    place = q * max(last[-1] - 1, 0.0)
    low, high = np.floor(place), np.ceil(place)
    at = [np.minimum(np.searchsorted(last, p, side="right"), len(x) - 1) for p in (low, high)]
    return x[at[0]] + (place - low) * (x[at[1]] - x[at[0]])


def second_differences(knots: FloatArray, size: int) -> FloatArray:
    """Return the changes of slope at the inner knots as rows, shape (k - 2, size).

    Straight lines give zero, and so does the column of the missing values. Their plain sum of
    squares is an integral of the squared second derivative weighted by the knots' spacing: at
    quantile knots a bend costs the less the denser the rows, which suits skewed columns.
    """
    if len(knots) < 3:
        return np.zeros((1, size))
    step = np.diff(knots)
    rows = np.arange(len(knots) - 2)
    change = np.zeros((len(rows), size))
    change[rows, rows] = 1 / step[:-1]
    change[rows, rows + 1] = -1 / step[:-1] - 1 / step[1:]
    change[rows, rows + 2] = 1 / step[1:]
    return change


def _round_differences(knots: FloatArray, period: float) -> FloatArray:
    """Return the changes of slope at all knots of a round as rows, shape (k, k)."""
    size = len(knots)
    wide = np.concatenate([knots[-1:] - period, knots, knots[:1] + period])
    change = second_differences(wide, size + 2)
    change[:, size] += change[:, 0]
    change[:, 1] += change[:, size + 1]
    return change[:, 1:-1]
