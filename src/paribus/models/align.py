"""Effects of several methods brought onto one axis and one height.

Only differences along a curve mean anything: each method has a zero of its own.
"""

from __future__ import annotations

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.results import CategoricalEffect, Effect, NumericEffect


def values_at(effect: Effect, base: Effect) -> FloatArray:
    """Return an effect at the points or levels (m,) of another, NaN where it has none."""
    if isinstance(base, NumericEffect) and isinstance(effect, NumericEffect):
        return curve_at(effect, base.positions)
    if isinstance(base, CategoricalEffect) and isinstance(effect, CategoricalEffect):
        known = dict(zip(map(str, effect.levels), effect.effect, strict=True))
        return np.array([known.get(str(level), np.nan) for level in base.levels])
    return np.full(len(base.effect), np.nan)


def curve_at(effect: NumericEffect, at: FloatArray) -> FloatArray:
    """Return a curve at places on its axis, shape (k,), NaN beyond its ends."""
    if not effect.explained:
        return np.full(len(at), np.nan)
    return np.interp(at, effect.positions, effect.effect, left=np.nan, right=np.nan)


def pieces_at(effect: NumericEffect, at: FloatArray) -> IntArray:
    """Number the stretches between the gaps of a curve that places (k,) lie in, -1 in a gap."""
    gaps = [_ends(effect, gap.start, gap.stop) for gap in effect.gaps]
    piece = np.searchsorted([stop for _, stop in gaps], at, side="right")
    for start, stop in gaps:
        piece[(at > start) & (at < stop)] = -1
    return piece


def lined_up(
    base: FloatArray, other: FloatArray, weight: FloatArray, piece: IntArray
) -> FloatArray:
    """Shift values (m,) to the height of others, piece by piece.

    Examples
    --------
    >>> base, other = np.array([0.0, 1, 5, 6]), np.array([10.0, 11, 10, 11])
    >>> lined_up(base, other, np.ones(4), np.array([0, 0, 1, 1])).tolist()
    [0.0, 1.0, 5.0, 6.0]
    """
    shifted = other.copy()
    for k in np.unique(piece):
        here = piece == k
        both = here & ~np.isnan(base + other) & (weight > 0)
        if both.any():
            shifted[here] += np.average((base - other)[both], weights=weight[both])
    return shifted


def pieces_of(effect: Effect) -> IntArray:
    """Number the points or levels (m,) of an effect by what can be compared with each other."""
    if isinstance(effect, NumericEffect):
        return pieces_at(effect, effect.positions)
    island = effect.island if isinstance(effect, CategoricalEffect) else None
    return np.zeros(len(effect.effect), dtype=np.int64) if island is None else island


def weights_of(effect: Effect) -> FloatArray:
    """Return the share of the rows at each point or level (m,)."""
    if effect.mass is not None:
        return effect.mass
    if isinstance(effect, CategoricalEffect):
        return effect.count / max(1, effect.count.sum())
    return np.ones(len(effect.effect))


def _ends(effect: NumericEffect, start: object, stop: object) -> tuple[float, float]:
    at = np.array([start, stop], dtype=effect.x.dtype)
    first, last = np.searchsorted(effect.x, at)
    return float(effect.positions[first]), float(effect.positions[last])
