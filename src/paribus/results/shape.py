"""The shape of a curve, in one word and the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from paribus.base.arrays import FloatArray

ShapeKind: TypeAlias = Literal["line", "rise", "fall", "peak", "trough", "step", "wave"]

LINE_FIT = 0.98  # share of the curve's variance that a straight line must explain
SMALL = 0.15  # a reversal below this share of the curve's range does not count
STEP_WIDTH, STEP_SHARE = 0.15, 0.8  # a step: 0.8 of the change within 0.15 of the axis
BULK = 0.05  # this share of the rows at either end is ignored


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a curve over the bulk of its rows.

    Attributes
    ----------
    kind : str
        ``"line"``, ``"rise"``, ``"fall"``, ``"peak"``, ``"trough"``, ``"step"`` or ``"wave"``.
    first, last : int
        The points between which the bulk of the rows lies.
    at : int
        The turn of a peak or trough, the middle of a step, the steepest place otherwise.
    """

    kind: ShapeKind
    first: int
    last: int
    at: int


def shape_of(x: FloatArray, effect: FloatArray, weights: FloatArray, half: FloatArray) -> Shape:
    """Classify a curve; all arrays of shape (m,), `half` the half-width of its interval.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 21)
    >>> even = np.full(21, 1 / 21)
    >>> [shape_of(x, g, even, 0 * x).kind for g in (2 * x, x**3 + x**5, -(x**2), np.sin(9 * x))]
    ['line', 'rise', 'peak', 'wave']
    """
    first, last = bulk(weights, BULK)
    inside = slice(first, last + 1)
    x, g, w, half = x[inside], effect[inside], weights[inside], half[inside]
    kind, at = _kind(x, g, w, half)
    return Shape(kind, first, last, first + at)


def bulk(weights: FloatArray, share: float) -> tuple[int, int]:
    """Return the first and last point when `share` of the rows at either end is ignored."""
    cumulated = np.cumsum(weights) / weights.sum()
    first = int(np.searchsorted(cumulated, share))
    last = min(int(np.searchsorted(cumulated, 1 - share)), len(weights) - 1)
    return (first, last) if last > first else (0, len(weights) - 1)


def share_of_steps(share: FloatArray) -> FloatArray:
    """Return the share of the rows along each step between neighbouring points, (m - 1,).

    Half of the rows at a point, `share` (m,) of all, count to its left and half to its right.

    Examples
    --------
    >>> share_of_steps(np.array([0.25, 0.5, 0.25])).tolist()
    [0.5, 0.5]
    """
    steps = (share[:-1] + share[1:]) / 2
    steps[0] += share[0] / 2
    steps[-1] += share[-1] / 2
    return steps


def _kind(x: FloatArray, g: FloatArray, w: FloatArray, half: FloatArray) -> tuple[ShapeKind, int]:
    steepest = int(np.argmax(np.abs(np.diff(g) / np.diff(x))))
    if _line_fit(x, g, w) >= LINE_FIT:
        return "line", steepest
    small = max(SMALL * np.ptp(g), float(np.average(half, weights=w)))
    top, bottom = int(np.argmax(g)), int(np.argmin(g))
    if _largest_fall(g) <= small or _largest_fall(-g) <= small:
        middle = _step_middle(x, g)
        if middle is not None:
            return "step", middle
        return ("rise" if g[-1] > g[0] else "fall"), steepest
    if _largest_fall(g[: top + 1]) <= small and _largest_fall(-g[top:]) <= small:
        return "peak", top
    if _largest_fall(-g[: bottom + 1]) <= small and _largest_fall(g[bottom:]) <= small:
        return "trough", bottom
    return "wave", top


def _line_fit(x: FloatArray, g: FloatArray, w: FloatArray) -> float:
    centred = g - np.average(g, weights=w)
    run = x - np.average(x, weights=w)
    spread = np.average(centred**2, weights=w)
    if spread == 0:
        return 1.0
    slope = np.average(run * centred, weights=w) / np.average(run**2, weights=w)
    return 1 - float(np.average((centred - slope * run) ** 2, weights=w) / spread)


def _largest_fall(g: FloatArray) -> float:
    """Return the largest drop from any point to a later one."""
    return float(np.max(np.maximum.accumulate(g) - g))


def _step_middle(x: FloatArray, g: FloatArray) -> int | None:
    """Find a narrow stretch that contains nearly all of the change, if there is one."""
    width, whole = STEP_WIDTH * (x[-1] - x[0]), STEP_SHARE * abs(g[-1] - g[0])
    stop = np.searchsorted(x, x + width, side="right") - 1
    change = np.abs(g[stop] - g)
    start = int(np.argmax(change))
    enough_points = len(x) >= 2 / STEP_WIDTH
    return (start + int(stop[start])) // 2 if enough_points and change[start] >= whole else None
