"""Values of a moderator at which a slope jumps: split points of a small tree.

Ramps follow a slope that changes gradually; a slope that jumps needs a step at the very value.
Steps are found greedily on sums by bin of ``x r`` (the score of the slope), ``x^2`` (its
information) and ``(x r)^2``, and then moved to the best row beside the bin's edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.groups import sums_of

BINS = 64
MOST_JUMPS = 3
GAIN = 12.0  # chi-square that a jump must gain
LEAST_SHARE = 0.03  # of the information, on either side
LEAST_ROWS = 0.05  # of the rows looked at beside an edge


@dataclass(frozen=True, slots=True)
class Slopes:
    """What each row says of a slope: its score and its information, shape (n,) each."""

    score: FloatArray
    information: FloatArray

    def turned(self, sign: FloatArray) -> Slopes:
        """Return the same with the slope's sign (n,) turned."""
        return Slopes(self.score * sign, self.information)


def find_jumps(slopes: Slopes, z: FloatArray, most: int = MOST_JUMPS) -> list[float]:
    """Find values of `z` (n,) at which the slope jumps.

    Examples
    --------
    >>> z = np.linspace(0, 1, 1000)
    >>> x = np.where(np.arange(1000) % 2, 1.0, -1.0)
    >>> r = x * np.where(z > 0.6, 1.0, -1.0) + 0.1 * np.sin(np.arange(1000))
    >>> [round(jump, 2) for jump in find_jumps(Slopes(x * r, x**2), z)]
    [0.6]
    """
    known = z[~np.isnan(z)]
    edges = np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1]))
    if len(edges) < 2:
        return []
    bins = np.searchsorted(edges, np.where(np.isnan(z), np.inf, z))
    score, information = slopes.score, slopes.information
    sums = [sums_of(bins, v, len(edges) + 1) for v in (score, information, score**2)]
    parts = [(0, len(edges) + 1)]
    found: list[float] = []
    while len(found) < most:
        options = [(*_best_split(*(s[a:b] for s in sums)), a, b) for a, b in parts if b - a > 1]
        gain, place, a, b = max(options, default=(0.0, 0, 0, 0))
        if gain <= GAIN:
            break
        found.append(_refined(slopes, z, edges, a + place))
        parts.remove((a, b))
        parts += [(a, a + place + 1), (a + place + 1, b)]
    return found


def _best_split(
    score: FloatArray, information: FloatArray, squares: FloatArray
) -> tuple[float, int]:
    """Return the largest chi-square of one slope before and another beyond a bin, and the bin."""
    share = np.cumsum(information)[:-1] / max(float(information.sum()), 1e-300)
    change = np.cumsum(score)[:-1] - share * score.sum()
    before = np.cumsum(squares)[:-1]
    spread = before * (1 - share) ** 2 + (squares.sum() - before) * share**2
    gain = change**2 / np.maximum(spread, 1e-300)
    gain[(share < LEAST_SHARE) | (share > 1 - LEAST_SHARE)] = 0.0
    place = int(np.argmax(gain))
    return float(gain[place]), place


def _refined(slopes: Slopes, z: FloatArray, edges: FloatArray, k: int) -> float:
    """Return the best jump among the rows of the two bins beside an edge."""
    low = edges[k - 1] if k > 0 else -np.inf
    high = edges[k + 1] if k + 1 < len(edges) else np.inf
    near = np.flatnonzero((z > low) & (z <= high))
    if len(near) < 4:
        return float(edges[k])
    near = near[np.argsort(z[near], kind="stable")]
    score, information = np.cumsum(slopes.score[near]), np.cumsum(slopes.information[near])
    share = information[:-1] / max(float(information[-1]), 1e-300)
    gain = (score[:-1] - share * score[-1]) ** 2 / np.maximum(share * (1 - share), 1e-300)
    skipped = max(int(LEAST_ROWS * len(near)), 1)
    gain[:skipped], gain[len(gain) - skipped :] = 0.0, 0.0
    gain[np.diff(z[near]) == 0] = 0.0
    best = int(np.argmax(gain))
    if gain[best] <= 0:
        return float(edges[k])
    return float(z[near[best]] + z[near[best + 1]]) / 2
