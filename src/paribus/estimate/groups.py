"""Sums by group: compiled where possible, otherwise plain NumPy, equal up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import BLOCK, BoolArray, FloatArray, IntArray, Labels, dot
from paribus.base.compiled import compiled

LITTLE = 1e-9  # share of the rows before a place: fewer comparisons are rounding


def add_rows_reference(
    values: FloatArray, weights: FloatArray, group: Labels, sums: FloatArray
) -> None:
    """Add each weighted row of `values` (n, d) to the row of `sums` of its group.

    `sums` has a row a group and d columns or more, of which the first d are added to.
    """
    np.add.at(sums[:, : values.shape[1]], group, values * weights[:, None])


def subtract_rows_reference(
    values: FloatArray, group: Labels, means: FloatArray, scale: float
) -> None:
    """Take `scale` times the group's row of `means` (n_groups, d) from each row of `values`."""
    values -= scale * means[group]


def spread_reference(x: FloatArray, group: Labels, lowest: FloatArray, highest: FloatArray) -> None:
    """Lower `lowest` and raise `highest` (n_groups,) to the extremes of `x` in each group."""
    np.minimum.at(lowest, group, x)
    np.maximum.at(highest, group, x)


def order_by_group_reference(
    group: Labels, bounds: NDArray[np.int64], order: NDArray[np.int64]
) -> None:
    """Put the rows of each group side by side: `bounds` (n_groups + 1,), zeros, and `order` (n,).

    Group g owns ``order[bounds[g]:bounds[g + 1]]``, in the order the rows had.
    """
    bounds[1:] = np.cumsum(np.bincount(group, minlength=len(bounds) - 1))
    order[:] = np.argsort(group, kind="stable")


def draw_along_reference(
    group: Labels, chance: FloatArray, passed: FloatArray, drawn: NDArray[np.uint8]
) -> None:
    """Mark rows in `drawn` (n,) at which the chances (n,), added up, round to more.

    They are added up group by group: `passed` (n_groups,), zeros, takes what was passed at the end
    of each. Rows that are certain are marked too: rounding might pass over them.
    """
    total = np.bincount(group, chance, len(passed))
    before = np.cumsum(np.append(0.0, total[:-1]))
    for g in range(len(passed)):
        rows = np.flatnonzero(group == g)
        after = np.cumsum(np.append(before[g], chance[rows]))
        drawn[rows] = (np.diff(np.floor(after + 0.5)) > 0) | (chance[rows] >= 1.0)
        passed[g] = after[-1]


def count_across_reference(
    group: Labels,
    weights: FloatArray,
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    inverse: FloatArray,
    before: FloatArray,
    total: FloatArray,
) -> None:
    """Add the comparisons across each place of a row of `total` (k,) that the groups make.

    ``order[bounds[j]:bounds[j + 1]]`` are the rows that lie before place j and no earlier one. A
    group of n rows (`inverse` has 1 / n) of which m lie before a place makes ``m - m**2 / n``
    comparisons across it. `before` (n_groups,), zeros, takes what lies before the last place.
    """
    for j in range(len(total)):
        rows = order[bounds[j] : bounds[j + 1]]
        np.add.at(before, group[rows], weights[rows])
        across = np.sum(before - before**2 * inverse)
        if across > LITTLE * before.sum():
            total[j] += across


add_rows = compiled("estimate._groups", add_rows_reference)
subtract_rows = compiled("estimate._groups", subtract_rows_reference)
spread = compiled("estimate._groups", spread_reference)
order_by_group = compiled("estimate._groups", order_by_group_reference)
draw_along = compiled("estimate._groups", draw_along_reference)
count_across = compiled("estimate._groups", count_across_reference)


def in_groups(group: Labels, n_groups: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows group by group, and the bounds of the groups; see `order_by_group`."""
    bounds = np.zeros(n_groups + 1, dtype=np.int64)
    order = np.empty(len(group), dtype=np.int64)
    order_by_group(group, bounds, order)
    return order, bounds


def sums_of(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum `values` (n,) by group, shape (n_groups,)."""
    out: Any = np.bincount(group, values, n_groups)
    return out


def weighted_gram(columns: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the products of `columns` (n, m), weighted or not, shape (m, m).

    Done in blocks that the cache holds, so that no second copy of the columns is made. An array
    times itself takes half the work of two arrays: weights are split between the two sides.
    """
    out = np.zeros((columns.shape[1], columns.shape[1]))
    for start in range(0, len(columns), BLOCK):
        block = columns[start : start + BLOCK]
        if weights is not None:
            block = block * np.sqrt(weights[start : start + BLOCK, None])
        out += dot(block.T, block)
    return out


def add_of_group(values: FloatArray, group: Labels, out: FloatArray) -> None:
    """Add the value of its group, of `values` (n_groups,), to each of `out` (n,).

    Examples
    --------
    >>> out = np.array([1.0, 2.0, 3.0])
    >>> add_of_group(np.array([10.0, 20.0]), np.array([0, 1, 0], dtype=np.int32), out)
    >>> out.tolist()
    [11.0, 22.0, 13.0]
    """
    subtract_rows(out[:, None], group, values[:, None], -1.0)


def varies(x: FloatArray, group: Labels, n_groups: int) -> BoolArray:
    """Return the rows, shape (n,), in whose group `x` has more than one value.

    Examples
    --------
    >>> varies(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0, 0, 1, 1], dtype=np.int32), 2).tolist()
    [True, True, False, False]
    """
    lowest, highest = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    spread(x, group, lowest, highest)
    return (lowest < highest)[group]
