"""Caveats as data: gaps, twins, leaks, imbalance, heavy tails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np

from paribus.base.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Rows,
    coarse,
    dot,
    quantiles_of_sorted,
)
from paribus.estimate.basis import Hats
from paribus.estimate.groups import count_across, in_groups, sums_of, varies
from paribus.estimate.partitions import Partitions, partitions_of
from paribus.strata.coding import count_below, sorted_values

SAMPLE = 20_000  # rows enough to see which columns go together
FEW = 300  # rows enough to see of most columns that they do not
GROUPS = 16
MOST_MIDDLES = 200
MOST_TWINS = 3
ROWS_A_VALUE = 3  # on average, of a column that is said to fix another
NO_COMPARISON = 1.0  # fewer independent comparisons than this do not span anything
EMPTY = 0.8  # share of a gap without a row, to say that there are none
FEWEST_BESIDE, SHARE_BESIDE = 5.0, 0.01  # rows that must lie on either side of a gap
TWIN_LEFT = 0.01  # share of a column's variance left when the others are held still
TWIN_KNOWN = 0.98  # share of a column's variance that its twins give
LEAK_KNOWN = 0.99  # share of the target's variance that a leaking column gives
FEWEST_NEIGHBOURS = 100
NEIGHBOURS, STRETCH = 50_000, 1_000  # rows enough to see whether neighbours are alike
TAIL_ROWS, TAIL_SHARE = 0.01, 0.4  # heavy: this share of the rows holds that share of the variance


@dataclass(frozen=True, slots=True)
class Hole:
    """A stretch between knots that no comparison spans: positions of the knots on either side."""

    left: int
    right: int
    empty: bool


def used_rows(x: FloatArray, strata: Partitions) -> BoolArray:
    """Return the rows, shape (n,), whose stratum in some partition has several values of `x`."""
    missing = np.isnan(x)
    filled = np.where(missing, np.nanmax(x, initial=0.0) + 1, x) if missing.any() else x
    parts = zip(strata.labels, strata.totals, strict=True)
    return reduce(np.logical_or, (varies(filled, label, len(total)) for label, total in parts))


def comparisons_across(basis: Hats, n_knots: int, strata: Partitions) -> FloatArray:
    """Count the independent comparisons across the middle between neighbouring knots.

    A stratum of n rows of which a share p lies to the left compares ``n p (1 - p)`` of them.
    With many knots only some of the middles are looked at, and those between them by the lesser
    of their neighbours.

    Returns
    -------
    float array of shape (n_knots - 1,)
    """
    looked_at = _middles_looked_at(n_knots)
    place_of = np.append(sides_of(n_knots), len(looked_at) + 1).astype(np.int32)
    place = place_of.take(nearest_knot(basis))
    weights, total = strata.weights, np.zeros(len(looked_at))
    order, bounds = in_groups(place, len(looked_at) + 2)
    some_missing = bounds[-2] < len(order)
    known = weights * (place <= len(looked_at)) if some_missing else weights
    for label, own in zip(strata.labels, strata.totals, strict=True):
        present = sums_of(label, known, len(own)) if some_missing else own
        inverse = 1 / np.maximum(present, 1e-300)
        count_across(label, weights, order, bounds, inverse, np.zeros(len(own)), total)
    return _at_all_middles(total / len(strata.labels), n_knots)


def comparisons_of(count: FloatArray, n_knots: int) -> FloatArray:
    """Count the comparisons in strata whose rows lie on certain sides, `count` (L, n_sides)."""
    left = np.cumsum(count, axis=1)
    rows = np.maximum(left[:, -1:], 1e-300)
    left = left[:, :-1]
    return _at_all_middles(np.sum(left - left**2 / rows, axis=0), n_knots)


def _at_all_middles(total: FloatArray, n_knots: int) -> FloatArray:
    looked_at, middles = _middles_looked_at(n_knots), np.arange(n_knots - 1)
    after = np.minimum(np.searchsorted(looked_at, middles), len(looked_at) - 1)
    before = np.maximum(np.searchsorted(looked_at, middles, side="right") - 1, 0)
    return np.minimum(total[before], total[after])


@lru_cache(maxsize=256)
def _middles_looked_at(n_knots: int) -> IntArray:
    return np.unique(np.linspace(0, n_knots - 2, MOST_MIDDLES).astype(np.int64))


def sides_of(n_knots: int) -> IntArray:
    """Return the side of each knot, shape (n_knots,): how many middles looked at lie before it."""
    return np.searchsorted(_middles_looked_at(n_knots), np.arange(n_knots))


def n_sides(n_knots: int) -> int:
    """Return how many sides there are."""
    return len(_middles_looked_at(n_knots)) + 1


def nearest_knot(basis: Hats) -> IntArray:
    """Return the knot that each row is nearest to; one beyond the last where it is missing."""
    return basis.index + (basis.share > 0.5)


def find_holes(
    x: FloatArray, basis: Hats, knots: FloatArray, comparisons: FloatArray, weights: FloatArray
) -> list[Hole]:
    """Find the stretches that no comparison spans although rows lie on either side."""
    count = sums_of(nearest_knot(basis), weights, len(knots) + 1)[:-1]
    return holes_between(x, count, knots, comparisons)


def holes_between(
    x: FloatArray, count: FloatArray, knots: FloatArray, comparisons: FloatArray
) -> list[Hole]:
    """Find them from the rows nearest to each knot, `count` (k,); `x` may be a sample.

    Values of `x` that are missing lie in no hole.
    """
    left = np.cumsum(count)
    fewest = max(FEWEST_BESIDE, SHARE_BESIDE * left[-1])
    enough = np.minimum(left[:-1], left[-1] - left[:-1]) >= fewest
    holes: list[Hole] = []
    for k in np.flatnonzero((comparisons < NO_COMPARISON) & enough):
        empty = _is_empty(x, knots[k], knots[k + 1])
        if holes and holes[-1].right == k:
            holes[-1] = Hole(holes[-1].left, int(k) + 1, holes[-1].empty and empty)
        else:
            holes.append(Hole(int(k), int(k) + 1, empty))
    return holes


def _is_empty(x: FloatArray, low: float, high: float) -> bool:
    """Tell whether nearly all of a stretch has no rows."""
    inside = np.sort(x[(x >= low) & (x <= high)])
    return bool(np.diff([low, *inside, high]).max() > EMPTY * (high - low))


def share_known(target: FloatArray, column: FloatArray, is_category: bool) -> float:
    """Return the share of the target's variance between groups of like values of a column."""
    group = _grouped(column, is_category)
    count = np.bincount(group)
    centred = target - target.mean()
    means = np.bincount(group, centred) / np.maximum(count, 1)
    # A group of one knows its row by heart: what groups explain by chance is taken off.
    chance = (np.count_nonzero(count) - 1) / max(len(target) - 1, 1)
    known = float(count @ means**2) / max(float(centred @ centred), 1e-300)
    return max(0.0, (known - chance) / max(1 - chance, 1e-12))


def closest_columns(
    target: FloatArray, columns: Mapping[str, FloatArray], categorical: Sequence[str]
) -> list[tuple[str, float]]:
    """Rank columns by how much they know of `target`, a sample of the rows being enough."""
    step = max(1, len(target) // SAMPLE)
    known = {
        name: share_known(target[::step], values[::step], name in categorical)
        for name, values in columns.items()
    }
    return sorted(known.items(), key=lambda item: -coarse(item[1]))


def fixing_columns(codes: FloatArray, columns: Mapping[str, FloatArray]) -> tuple[str, ...]:
    """Name the columns that fix a category, as a country does its continent.

    `codes` (n,) are its levels. A column with few rows a value fixes anything, and proves nothing.
    """
    if not columns:
        return ()
    some, many = (max(1, len(codes) // rows) for rows in (FEW, SAMPLE))
    few = np.array([values[::some] for values in columns.values()])
    likely = np.flatnonzero(_never_differ(few, codes[::some]))
    names = [*columns]
    return tuple(
        name
        for name in (names[at] for at in likely)
        if _fixes(columns[name][::many], codes[::many]) and _fixes(columns[name], codes)
    )


def _never_differ(values: FloatArray, codes: FloatArray) -> BoolArray:
    """Tell of which columns (p, m) rows with the same value, or without one, have the same code.

    Examples
    --------
    >>> _never_differ(np.array([[5.0, 3.0, 5.0], [2.0, 2.0, 1.0]]), np.array([0.0, 1.0, 0.0]))
    array([ True, False])
    """
    present = ~np.isnan(codes)
    values, codes = values[:, present], codes[present]
    order = np.argsort(values, axis=1, kind="stable")
    held, own = np.take_along_axis(values, order, axis=1), codes[order]
    before, after = held[:, :-1], held[:, 1:]
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    return ~np.any(same & (own[:, :-1] != own[:, 1:]), axis=1)


def _fixes(values: FloatArray, codes: FloatArray) -> bool:
    """Tell whether a value always goes with the same code, and has rows enough to show it."""
    present = ~np.isnan(codes)
    distinct, group = np.unique(values[present], return_inverse=True)
    if len(distinct) * ROWS_A_VALUE > np.count_nonzero(present):
        return False
    return _same_in_groups(group, codes[present])


def _same_in_groups(group: IntArray, codes: FloatArray) -> bool:
    first = np.empty(int(group.max(initial=-1)) + 1)
    first[group] = codes
    return bool(np.all(first[group] == codes))


def find_twins(
    x: FloatArray, columns: Mapping[str, FloatArray], categorical: Sequence[str]
) -> tuple[str, ...]:
    """Name the columns that fix `x`: each alone, or else the fewest that do so together."""
    filled = np.nan_to_num(x, nan=float(np.nanmean(x)) if not np.isnan(x).all() else 0.0)
    ranked = closest_columns(filled, columns, categorical)
    alone = tuple(name for name, known in ranked if known >= TWIN_KNOWN)
    if alone:
        return alone
    step = max(1, len(x) // SAMPLE)
    numeric = {n: np.nan_to_num(v[::step]) for n, v in columns.items() if n not in categorical}
    return _fewest_together(filled[::step], numeric)


def _fewest_together(x: FloatArray, columns: Mapping[str, FloatArray]) -> tuple[str, ...]:
    """Add the column that gives most of what is left of `x`, until nearly all of it is given."""
    left, design, names = x - x.mean(), [np.ones(len(x))], []
    for _ in range(min(MOST_TWINS, len(columns))):
        gains = {n: _squared_correlation(left, v) for n, v in columns.items() if n not in names}
        names.append(max(gains, key=lambda name: coarse(gains[name])))
        design.append(columns[names[-1]])
        fitted = np.linalg.lstsq(np.column_stack(design), x, rcond=None)[0]
        left = x - np.column_stack(design) @ fitted
        if left.var() <= (1 - TWIN_KNOWN) * x.var():
            return tuple(names)
    return ()


def _squared_correlation(x: FloatArray, z: FloatArray) -> float:
    run = z - z.mean()
    return float((x @ run) ** 2 / max(float((run @ run) * (x @ x)), 1e-300))


def sample_inside(columns: Sequence[FloatArray], strata: Partitions) -> FloatArray:
    """Return m columns (n,) less their stratum means, for strata enough to hold a sample."""
    label, totals = strata.labels[0], strata.totals[0]
    n_strata = max(1, round(len(totals) * min(1.0, SAMPLE / len(label))))
    seen = np.flatnonzero(label < n_strata)
    sampled = np.column_stack([column[seen] for column in columns])
    missing = np.isnan(sampled)
    middle = np.where(missing, 0.0, sampled).mean(axis=0)
    filled = np.where(missing, 0.0, sampled - middle)
    part = partitions_of([label[seen]], [n_strata], strata.weights[seen])
    return part.demean(filled) * np.sqrt(part.weights)[:, None]


def is_heavy_tailed(residual: FloatArray) -> bool:
    """Tell whether a hundredth of the rows holds a large part of the residual variance."""
    squares = np.sort(residual[:: max(1, len(residual) // SAMPLE)] ** 2)
    top = max(1, int(TAIL_ROWS * len(squares)))
    total = float(squares.sum())
    return len(squares) >= 1 / TAIL_ROWS and total > 0 and squares[-top:].sum() > TAIL_SHARE * total


def _grouped(column: FloatArray, is_category: bool) -> IntArray:
    """Number groups of like values; missing is a group of its own."""
    if is_category:
        missing = np.isnan(column)
        return np.where(missing, np.nanmax(column, initial=0) + 1, column).astype(np.int64)
    present = sorted_values(column)
    if len(present) == 0:
        return np.zeros(len(column), dtype=np.int64)
    edges = np.unique(quantiles_of_sorted(present, np.linspace(0, 1, 4 * GROUPS + 1)[1:-1]))
    return count_below(column, edges)


def neighbour_correlation(values: FloatArray, row: Rows) -> float:
    """Return the correlation of `values` (n,) with those of the next row of the caller's table.

    `row` (n,) says where each stands in it. Values are cut at three standard deviations, so that a
    few extreme rows do not decide.
    """
    if len(row) > 2 * NEIGHBOURS:  # some whole stretches of the table are enough
        seen = np.flatnonzero(row // STRETCH % (len(row) // NEIGHBOURS) == 0)
        values, row = values[seen], row[seen]
    apart = values - values.mean()
    spread = float(np.sqrt(dot(apart, apart) / len(apart)))
    if spread == 0:
        return 0.0
    apart /= spread
    in_table, met = np.zeros(int(row.max()) + 2), np.zeros(int(row.max()) + 2, dtype=np.bool_)
    in_table[row], met[row] = np.clip(apart, -3, 3, out=apart), True
    n_beside = np.count_nonzero(met[:-1] & met[1:])
    if n_beside < FEWEST_NEIGHBOURS:
        return 0.0
    beside, squares = dot(in_table[:-1], in_table[1:]), dot(in_table, in_table)
    return float(beside / n_beside / (squares / np.count_nonzero(met)))
