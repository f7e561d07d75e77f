"""Edges of cells that were found on some of the rows, placed anew among all of them.

Where a mean jumps, every row on the wrong side of an edge is compared with rows that are not alike.
Among ten times as many rows there are ten times as many on the wrong side, and intervals are
narrower: edges must be placed as precisely as the rows allow.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, first_best
from paribus.strata.cuts import Cut
from paribus.strata.together import cross

REACH = 40  # of the rows that an edge was found on: so many to either side are looked at
ROUNDING = 1e-9  # of squares: places that differ by no more are equally good


def placed(cut: Cut, seen: FloatArray, matrix: FloatArray, targets: FloatArray) -> Cut:
    """Place the edges of a cut, found on the rows `seen` (s, p), where they fit all rows best.

    Parameters
    ----------
    cut : Cut
    seen : float array of shape (s, p)
    matrix : float array of shape (n, p)
    targets : float array of shape (n, t)
        Whose means jump at the edges.
    """
    targets = (targets - targets.mean(axis=0)) / np.maximum(targets.std(axis=0), 1e-300)
    if cut.by_level:
        category, number = cut.category_and_number()
        by_level = dict[float, FloatArray]()
        for level, found in cut.by_level.items():
            rows = np.flatnonzero(matrix[:, category] == level)
            alone = np.zeros(len(rows), dtype=np.int64)
            known = seen[seen[:, category] == level, number]
            by_level[level] = _placed(found, known, matrix[rows, number], alone, targets[rows])
        return replace(cut, by_level=by_level)
    for at, k in enumerate(cut.columns):
        edges = cut.edges[at]
        if edges is not None:
            others = [cut.pieces(j, matrix) for j in cut.columns if j != k]
            beside = cross(others) if others else np.zeros(len(matrix), dtype=np.int64)
            own = _placed(edges, seen[:, k], matrix[:, k], beside, targets)
            cut = replace(cut, edges=[*cut.edges[:at], own, *cut.edges[at + 1 :]])
    return cut


def _placed(
    edges: FloatArray, seen: FloatArray, values: FloatArray, beside: IntArray, targets: FloatArray
) -> FloatArray:
    """Place edges along a number (n,), with groups of rows `beside` (n,) that share them.

    An edge goes where the rows around it are nearest to the means of the sides they fall on.

    Examples
    --------
    >>> values = np.arange(1_000.0)
    >>> jump = np.where(values < 493, 0.0, 1.0)[:, None]
    >>> found = np.array([500.0])  # on every tenth row
    >>> _placed(found, values[::10], values, np.zeros(1_000, dtype=np.int64), jump).tolist()
    [493.0]
    """
    seen, out = np.sort(seen[~np.isnan(seen)]), edges.copy()
    order = np.argsort(values, kind="stable")  # missing ones come last
    sorted_values = values[order]
    size = int(beside.max(initial=0)) + 1
    cell = np.searchsorted(edges, values, side="right") * size + beside
    count = np.bincount(cell, minlength=(len(edges) + 1) * size)
    sums = np.array([np.bincount(cell, target, len(count)) for target in targets.T])
    means = (sums / np.maximum(count, 1)).T
    for i, edge in enumerate(edges):
        at = int(np.searchsorted(seen, edge))
        lowest = out[i - 1] if i else -np.inf
        highest = edges[i + 1] if i + 1 < len(edges) else np.inf
        low = max(float(seen[max(at - REACH, 0)]), lowest)
        high = min(float(seen[min(at + REACH, len(seen) - 1)]), highest)
        start, stop = np.searchsorted(sorted_values, [low, high], side="right")
        if stop - start < 2:
            continue
        rows, own = order[start:stop], sorted_values[start:stop]
        left, right = i * size + beside[rows], (i + 1) * size + beside[rows]
        known = (count[left] > 0) & (count[right] > 0)
        off_left = np.square(targets[rows] - means[left]).sum(axis=1)
        off_right = np.square(targets[rows] - means[right]).sum(axis=1)
        gain = np.cumsum(np.where(known, off_right - off_left, 0.0))[:-1]  # of rows up to each
        apart = own[1:] != own[:-1]
        if apart.any():
            slack = ROUNDING * float(off_left.sum() + off_right.sum())
            out[i] = own[1 + int(first_best(np.where(apart, gain, -np.inf), slack))]
    return out
