"""An order of a category's levels in which neighbours are similar in the other columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist, squareform

from paribus.base.arrays import FloatArray, IntArray
from paribus.table.columns import Column

QUANTILES = 100  # at which distributions of numbers are compared


def order_by_similarity(level: IntArray, n_levels: int, others: Sequence[Column]) -> IntArray:
    """Order levels by how similar their rows are in the other columns (Apley and Zhu).

    The distance of two levels is the sum over the other columns of the distance between their
    distributions: the largest difference of the distribution functions for numbers, half the sum
    of absolute differences of the shares for categories. The levels are ordered along the first
    axis of multidimensional scaling, in the direction in which the first level precedes the last.
    Every level occurs in `level` (n,), that of each row; `others` have the same rows.

    Examples
    --------
    >>> level = np.repeat([0, 1, 2], 50)
    >>> height = np.repeat([1.0, 9.0, 5.0], 50) + np.tile(np.linspace(0, 6, 50), 3)
    >>> order_by_similarity(level, 3, [Column("height", "number", height)]).tolist()
    [0, 2, 1]
    """
    if n_levels <= 2 or not others:
        return np.arange(n_levels)
    distance = np.zeros(n_levels * (n_levels - 1) // 2)
    for column in others:
        distance += _distances(column, level, n_levels)
    place = _first_axis(squareform(distance))
    if place[0] > place[-1]:
        place = -place
    return np.argsort(place, kind="stable")


def _distances(column: Column, level: IntArray, n_levels: int) -> FloatArray:
    """Return the distance of every two levels in one column, shape (m (m - 1) / 2,)."""
    present = ~np.isnan(column.values)
    values, level = column.values[present], level[present]
    count = np.maximum(np.bincount(level, minlength=n_levels), 1)[:, None]
    if column.kind == "category":
        n_others = max(len(column.levels), 1)
        cell = level * n_others + values.astype(np.int64)
        share = np.bincount(cell, minlength=n_levels * n_others).reshape(n_levels, n_others) / count
        return pdist(share, "cityblock") / 2
    if len(values) == 0:
        return np.zeros(n_levels * (n_levels - 1) // 2)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, QUANTILES + 1), method="inverted_cdf"))
    cell = level * len(edges) + np.searchsorted(edges, values)
    held = np.bincount(cell, minlength=n_levels * len(edges)).reshape(n_levels, len(edges))
    below = np.cumsum(held, axis=1) / count
    return pdist(below, "chebyshev")


def _first_axis(distance: FloatArray) -> FloatArray:
    """Return the coordinates (m,) along the first axis of classical scaling."""
    squares = distance**2
    inner = squares.mean(axis=0) + squares.mean(axis=1)[:, None] - squares - squares.mean()
    last = len(distance) - 1
    _, vectors = eigh(inner / 2, subset_by_index=(last, last))
    return vectors[:, 0]
