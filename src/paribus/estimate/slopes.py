"""StratPD's arithmetic: slopes inside leaves, their mean at each x, the curve they integrate to.

Parr and Wilson, "Partial Dependence through Stratification", algorithm StratPD.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.estimate.cells import cells_of

# Two values are the same x when they differ by no more than a few units in their last place,
# as 0.1 + 0.2 and 0.3 do.
TIE = 4 * np.finfo(np.float64).eps
FINEST = 1e-6  # of a column's spread: what is farther apart is never rounding


@dataclass(frozen=True, slots=True)
class Grid:
    """The distinct values of a column."""

    x: FloatArray  # (m,): distinct values, ascending; near-ties count as one
    position: IntArray  # (n,): where each row's value stands in `x`


@dataclass(frozen=True, slots=True)
class LeafSlopes:
    """Slopes between neighbouring distinct x of one leaf, over all leaves."""

    # Positions in the grid between which a slope was found.
    start: IntArray  # (k,)
    stop: IntArray  # (k,)
    slope: FloatArray  # (k,)
    silent: BoolArray  # (n,): rows whose leaf has one distinct x and therefore no slope


@dataclass(frozen=True, slots=True)
class Curve:
    """A slope at each x of a grid, and how many leaf slopes stand behind it."""

    slope: FloatArray  # (m,): NaN where no leaf spans the x
    count: IntArray  # (m,)


def grid_of(x: FloatArray) -> Grid:
    """Find the distinct values of a column; values apart by rounding only count as one.

    Examples
    --------
    >>> grid_of(np.array([0.3, 0.1 + 0.2, 7.0])).x.tolist()
    [0.3, 7.0]
    """
    distinct, position = np.unique(x, return_inverse=True)
    first = np.append(True, np.diff(distinct) > rounding_of(distinct))[: len(distinct)]
    return Grid(distinct[first], (np.cumsum(first) - 1)[position])


def rounding_of(x: FloatArray) -> FloatArray:
    """Return by how much sorted values may differ from the one before and be the same, (n - 1,).

    Far from zero, where rounding is as coarse as the column is fine, its steps count; only when
    nothing but rounding is left of it is it one value.

    Examples
    --------
    >>> near, far = np.array([0.3, 0.1 + 0.2, 7.0]), 1e14 + np.arange(30.0) / 32
    >>> (np.diff(near) > rounding_of(near)).tolist(), bool(np.all(np.diff(far) > rounding_of(far)))
    ([False, True], True)
    """
    rounding = TIE * np.abs(x[1:])
    spread = x[-1] - x[0] if len(x) else 0.0
    return rounding if np.all(spread <= rounding) else np.minimum(rounding, FINEST * spread)


def leaf_slopes(grid: Grid, y: FloatArray, leaf: IntArray) -> LeafSlopes:
    """Take forward differences of mean y between neighbouring distinct x of each leaf.

    Parameters
    ----------
    grid : Grid
        Of the explained column.
    y : float array of shape (n,)
    leaf : int array of shape (n,)
        The stratum of each row.
    """
    cells = cells_of(grid.position, y, leaf)
    neighbours = np.ones(max(len(cells.value) - 1, 0), dtype=np.bool_)
    neighbours[cells.bound[1:-1] - 1] = False
    start, stop = cells.value[:-1][neighbours], cells.value[1:][neighbours]
    slope = np.diff(cells.mean)[neighbours] / (grid.x[stop] - grid.x[start])
    return LeafSlopes(start, stop, slope, (cells.n_values == 1)[cells.leaf])


def average_slopes(trees: list[LeafSlopes], n_x: int, *, central: bool = False) -> Curve:
    """Average at each x all slopes, of any leaf and tree, whose interval holds it.

    An interval is ``[start, stop)``, a forward difference; with `central` it is
    ``[start, stop]``, so that at a joint the slopes of both sides count and the last x
    has a slope too.
    """
    start = np.concatenate([t.start for t in trees])
    stop = np.concatenate([t.stop for t in trees]) + int(central)
    slope = np.concatenate([t.slope for t in trees])
    steps = np.bincount(start, minlength=n_x + 1) - np.bincount(stop, minlength=n_x + 1)
    count = np.cumsum(steps)[:n_x]
    total = sum_of_covering(start, stop, slope, n_x)
    mean = np.divide(total, count, out=np.full(n_x, np.nan), where=count > 0)
    return Curve(mean, count)


def sum_of_covering(start: IntArray, stop: IntArray, value: FloatArray, size: int) -> FloatArray:
    """Sum at each of `size` positions the values whose interval ``[start, stop)`` covers it.

    Each interval is cut into dyadic blocks, at most two of a size; a value is added to its
    blocks, and a position sums the blocks it lies in. That takes O(k log m) like a running
    sum of differences, but nothing is ever subtracted: one enormous value leaves the sums
    of the positions that it does not cover exactly as they are.

    Examples
    --------
    >>> sum_of_covering(np.array([0, 1]), np.array([2, 4]), np.array([1e300, 1.0]), 4).tolist()
    [1e+300, 1e+300, 1.0, 1.0]
    """
    lo, hi = start, stop
    blocks = []
    n_blocks = size
    while True:
        total = np.zeros(n_blocks + 1)
        odd = (lo % 2 == 1) & (lo < hi)
        total += np.bincount(lo[odd], value[odd], n_blocks + 1)
        lo = lo + odd
        odd = (hi % 2 == 1) & (lo < hi)
        hi = hi - odd
        total += np.bincount(hi[odd], value[odd], n_blocks + 1)
        blocks.append(total[:n_blocks])
        going = lo < hi
        if not going.any():
            break
        lo, hi, value = lo[going] // 2, hi[going] // 2, value[going]
        n_blocks = n_blocks // 2 + 1
    out = blocks.pop()
    for finer in reversed(blocks):
        out = finer + np.repeat(out, 2)[: len(finer)]
    return out


@dataclass(frozen=True, slots=True)
class MeanCurve:
    """The curve of one or several trials."""

    # `support` is the mean number of slopes at each x.
    x: FloatArray  # (m,)
    effect: FloatArray  # (m,)
    slope: FloatArray  # (m,)
    support: FloatArray  # (m,)
    # Each trial's own curve, hung on the mean curve where it begins; NaN where it had too little
    # support.
    trials: FloatArray  # (n_trials, m)


def mean_curve(
    x: FloatArray, curves: list[Curve], min_slopes: int, *, central: bool = False
) -> MeanCurve:
    """Drop x with too few slopes, average the slopes over trials and integrate them.

    An x stays when at least half of the trials have `min_slopes` slopes there.
    """
    enough = np.array([c.count >= min_slopes for c in curves])
    kept = 2 * np.count_nonzero(enough, axis=0) >= len(curves)
    x = x[kept]
    slopes = np.where(enough, [c.slope for c in curves], np.nan)[:, kept]
    slope = np.nanmean(slopes, axis=0) if len(x) else np.empty(0)
    effect = integrate(x, slope, central=central)
    trials = np.full(slopes.shape, np.nan)
    for trial, own_slope in zip(trials, slopes, strict=True):
        own = np.flatnonzero(~np.isnan(own_slope))
        if len(own):
            trial[own] = effect[own[0]] + integrate(x[own], own_slope[own], central=central)
    support = np.mean([c.count for c in curves], axis=0)[kept]
    return MeanCurve(x, effect, slope, support, trials)


def integrate(x: FloatArray, slope: FloatArray, *, central: bool = False) -> FloatArray:
    """Sum the slopes up to a curve that starts at 0, shape (m,).

    Forward slopes hold from their x to the next; central ones are joined by trapezoids.

    Examples
    --------
    >>> integrate(np.array([0.0, 1.0, 3.0]), np.array([2.0, 1.0, 9.0])).tolist()
    [0.0, 2.0, 4.0]
    """
    held = (slope[:-1] + slope[1:]) / 2 if central else slope[:-1]
    return np.append(0.0, np.cumsum(held * np.diff(x)))[: len(x)]
