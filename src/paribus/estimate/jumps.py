"""Values of a moderator at which a slope jumps: the split points of a small tree.

Ramps follow a slope that changes gradually; a slope that jumps needs a step at the right value.
Steps are found greedily on sums by bin of ``x r`` (the score of the slope), ``x^2`` (its
information) and ``(x r)^2``. Which row near the bin's edge they begin at is uncertain: a step is
the probability that the jump lies below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.basis import weighted_quantiles
from paribus.estimate.groups import sums_of, weighted_gram
from paribus.strata.coding import count_below

BINS = 64
MOST_JUMPS = 3
GAIN = 12.0  # chi-square that a jump must gain
BESIDE = 6.0  # the same beside pieces that follow a slope that changes gradually
LEAST_SHARE = 0.03  # of the information, on either side
CLOSE, WIDE = 2, 6  # bins on either side in which a jump is placed, and slopes are compared
LEAST_CHANCE = 1e-3  # of the likeliest place


@dataclass(frozen=True, slots=True)
class Slopes:
    """What each row says of a slope: its score and its information, shape (n,) each."""

    score: FloatArray
    information: FloatArray

    def turned(self, sign: FloatArray) -> Slopes:
        """Return the same with the slope's sign (n,) turned."""
        return Slopes(self.score * sign, self.information)


@dataclass(frozen=True, slots=True)
class Jump:
    """Where a slope jumps: the chance that it does so below each of some values."""

    values: FloatArray  # (m,): ascending
    chance: FloatArray  # (m,): that the jump is no higher; the last is 1

    @property
    def middle(self) -> float:
        """The value at which the chance reaches a half."""
        return float(self.values[np.searchsorted(self.chance, 0.5)])

    def step(self, z: FloatArray) -> FloatArray:
        """Return the chance that each of `z` (n,) lies beyond the jump; not if it is missing."""
        below = np.searchsorted(self.values, np.where(np.isnan(z), -np.inf, z))
        out: FloatArray = np.append(0.0, self.chance)[below]
        return out


def find_jumps(slopes: Slopes, z: FloatArray, most: int = MOST_JUMPS) -> list[Jump]:
    """Find values of `z` (n,) at which the slope jumps.

    Examples
    --------
    >>> z = np.linspace(0, 1, 1000)
    >>> x = np.where(np.arange(1000) % 2, 1.0, -1.0)
    >>> r = x * np.where(z > 0.6, 1.0, -1.0) + 0.1 * np.sin(np.arange(1000))
    >>> [round(jump.middle, 2) for jump in find_jumps(Slopes(x * r, x**2), z)]
    [0.6]
    """
    known = z[~np.isnan(z)]
    places = np.linspace(0, 1, BINS + 1)[1:-1]
    edges = np.unique(weighted_quantiles(known, np.ones(len(known)), places))
    if len(edges) < 2:
        return []
    bins = np.minimum(count_below(z, edges), len(edges))  # what is missing lies beyond
    score, information = slopes.score, slopes.information
    sums = [sums_of(bins, v, len(edges) + 1) for v in (score, information, score**2)]
    parts = [(0, len(edges) + 1)]
    found: list[Jump] = []
    while len(found) < most:
        options = [(*_best_split(*(s[a:b] for s in sums)), a, b) for a, b in parts if b - a > 1]
        gain, place, a, b = max(options, default=(0.0, 0, 0, 0))
        if gain <= GAIN:
            break
        found.append(_placed(slopes, z, edges, a + place))
        parts.remove((a, b))
        parts += [(a, a + place + 1), (a + place + 1, b)]
    return found


def jumps_beside(
    slopes: Sequence[Slopes], z: FloatArray, pieces: FloatArray, most: int
) -> list[Jump]:
    """Find the jumps that `pieces` (n, b) of `z` (n,) do not follow."""
    beside = np.hstack([np.ones((len(z), 1)), pieces])
    found = []
    for slope in slopes:
        for jump in find_jumps(slope, z, most):
            step = jump.step(z)
            if _gain_beside(slope, step, beside) > BESIDE:
                beside = np.column_stack([beside, step])
                found.append(jump)
    return found


def steps_at(jumps: Sequence[Jump], z: FloatArray) -> FloatArray:
    """Return a step for each jump, shape (n, j)."""
    return np.column_stack([np.empty((len(z), 0)), *(jump.step(z) for jump in jumps)])


def _gain_beside(slopes: Slopes, step: FloatArray, pieces: FloatArray) -> float:
    """Return the chi-square of a step (n,) beside pieces (n, b), in one regression of slopes."""
    information = slopes.information
    own = weighted_gram(pieces, information)
    own[np.diag_indices_from(own)] += 1e-9 * np.trace(own)
    both = np.vstack([slopes.score, information * step]) @ pieces
    slope, taken = (pieces @ np.linalg.solve(own, both.T)).T
    score = (step - taken) * (slopes.score - information * slope)
    return float(score.sum() ** 2 / max(float(score @ score), 1e-300))


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


def _placed(slopes: Slopes, z: FloatArray, edges: FloatArray, k: int) -> Jump:
    """Return the chance of a jump at each row near an edge.

    The slopes before and beyond it are those of the rows up to `WIDE` bins away. Given them, a row
    that changes sides changes the likelihood by what it says itself.
    """
    low, first, last, high = (_edge(edges, k + step) for step in (-WIDE, -CLOSE, CLOSE, WIDE))
    rows = np.flatnonzero((z > low) & (z <= high))
    rows = rows[np.argsort(z[rows])]
    z, score, information = z[rows], slopes.score[rows], slopes.information[rows]
    beyond = z > edges[k]
    total = [max(float(information[side].sum()), 1e-300) for side in (~beyond, beyond)]
    slope = [float(score[~beyond].sum()) / total[0], float(score[beyond].sum()) / total[1]]
    left = score - information * np.where(beyond, slope[1], slope[0])
    noise = max(float(left @ left) / sum(total), 1e-300)
    gain = (slope[0] - slope[1]) * score - (slope[0] ** 2 - slope[1] ** 2) / 2 * information
    apart = np.append(np.diff(z) > 0, False)
    apart &= (z > first) & (z <= last)
    if not apart.any():
        return Jump(edges[k : k + 1], np.ones(1))
    at = np.flatnonzero(apart)
    fit = np.cumsum(gain)[at] / noise
    chance = np.exp(fit - fit.max())
    seen = chance > LEAST_CHANCE
    at, chance = at[seen], np.cumsum(chance[seen])
    return Jump((z[at] + z[at + 1]) / 2, chance / chance[-1])


def _edge(edges: FloatArray, k: int) -> float:
    if k < 0:
        return -np.inf
    return float(edges[k]) if k < len(edges) else np.inf
