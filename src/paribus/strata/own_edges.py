"""Cutting a number where each level of a category has its own edges."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from paribus.base.arrays import FloatArray, first_best
from paribus.base.compiled import compiled

FEWEST_BESIDE = 3  # rows on either side of an edge
MOST_EDGES = 24  # of a level, the strongest first
ROUNDING = 1e-9  # of a gain: edges that gain less by no more are equally good
LEAST_GAIN = 16.0  # of an edge, in squared standard errors: the best of some hundred by luck


def edge_gains_reference(number: FloatArray, targets: FloatArray, gain: FloatArray) -> None:
    """Write what an edge before each row takes of the squares, in those that it leaves, (m,).

    `targets` (m, t) are those of the rows, in the order of their `number` (m,). Before the first
    row, and between rows of equal numbers, there is no edge.
    """
    m, centred = len(number), targets - targets.mean(axis=0)
    before = np.arange(m)[:, None]
    sums = np.cumsum(centred, axis=0) - centred
    taken = sums**2 * m / np.maximum(before * (m - before), 1)
    left = np.maximum(np.square(centred).sum(axis=0) - taken, 1e-12 * m)
    gain[:] = (m * taken / left).sum(axis=1)
    gain[0] = 0.0
    gain[1:][number[1:] == number[:-1]] = 0.0


edge_gains = compiled("strata.kernel.edges", edge_gains_reference)


def edges_by_level(
    level: FloatArray, number: FloatArray, targets: FloatArray
) -> dict[float, FloatArray]:
    """Cut a number (n,) in each level (n,) where the means of the targets (n, t) jump.

    Examples
    --------
    >>> number = np.tile(np.arange(40.0), 2)
    >>> level = np.repeat([0.0, 1.0], 40)
    >>> jump = (number >= np.where(level == 1, 30, 10)).astype(float)[:, None]
    >>> {k: edges.tolist() for k, edges in edges_by_level(level, number, jump).items()}
    {0.0: [10.0], 1.0: [30.0]}
    """
    out, known = {}, ~np.isnan(number)
    for value in np.unique(level[~np.isnan(level)]):
        rows = np.flatnonzero((level == value) & known)
        order = rows[np.argsort(number[rows], kind="stable")]
        out[float(value)] = _jumps(number[order], targets[order])
    return out


def _jumps(number: FloatArray, targets: FloatArray) -> FloatArray:
    """Return where the means of targets (m, t) jump along a sorted number (m,), ascending."""
    found: list[int] = []
    waiting = [_strongest(number, targets, 0, len(number))]
    while len(found) < MOST_EDGES and waiting[0][0] <= -LEAST_GAIN:
        _, at, start, stop = heappop(waiting)
        found.append(at)
        heappush(waiting, _strongest(number, targets, start, at))
        heappush(waiting, _strongest(number, targets, at, stop))
    return number[sorted(found)]


def _strongest(
    number: FloatArray, targets: FloatArray, start: int, stop: int
) -> tuple[float, int, int, int]:
    """Return less the gain of the best edge among some rows, its place, and theirs."""
    gain = _gains(number[start:stop], targets[start:stop])
    at = int(first_best(gain, ROUNDING * float(gain.max()))) if len(gain) else 0
    return -float(gain[at]) if len(gain) else 0.0, start + at, start, stop


def _gains(number: FloatArray, targets: FloatArray) -> FloatArray:
    """Return what each edge gains, (m,), none with too few rows on either side."""
    m = len(number)
    if m < 2 * FEWEST_BESIDE:
        return np.empty(0)
    out = np.empty(m)
    edge_gains(number, targets, out)
    out[:FEWEST_BESIDE] = out[m - FEWEST_BESIDE + 1 :] = 0.0
    return out
