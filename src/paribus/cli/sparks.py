"""A curve in one line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.results import NumericEffect
from paribus.results.words import NO_EFFECT, place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paribus.results import CategoricalEffect, Effect

BLOCKS, ASCII = "▁▂▃▄▅▆▇█", ".:-=+*#@"
WIDTH = 20
FEW = 10
FAR = 0.01  # this share of the rows at either end is not drawn


def spark(values: NDArray[np.float64], blocks: str = BLOCKS) -> str:
    """Draw values as blocks of eight heights, nothing where there is none.

    Examples
    --------
    >>> spark(np.array([0.0, 1.0, np.nan, 7.0])), spark(np.array([0.0, 7.0]), ASCII)
    ('▁▂ █', '.@')
    """
    low, high = np.nanmin(values), np.nanmax(values)
    if high == low:
        return "".join(" " if np.isnan(v) else blocks[3] for v in values)
    heights = np.round(np.nan_to_num((values - low) / (high - low)) * 7).astype(int)
    return "".join(" " if np.isnan(v) else blocks[h] for v, h in zip(values, heights, strict=True))


def curve(effect: Effect, blocks: str = BLOCKS) -> str:
    """Draw an effect: a numeric one over its values, a category's level by level."""
    if effect.p_value > NO_EFFECT:
        return f"twin of {', '.join(effect.twins)}" if effect.twins else "none found"
    if isinstance(effect, NumericEffect):
        return spark(_along(effect), blocks)
    known = effect.effect[~np.isnan(effect.effect)]
    return spark(known[:WIDTH], blocks) + (" ..." if len(known) > WIDTH else "")


def span(effect: Effect) -> str:
    """Say what a drawn curve runs over: from which value to which, or how many levels."""
    if isinstance(effect, NumericEffect):
        first, last = _ends(effect)
        return f"{place(effect, first)} to {place(effect, last)}"
    return _levels(effect)  # type: ignore[arg-type]


def percent(share: float) -> str:
    """Write a share in whole percent.

    Examples
    --------
    >>> percent(0.634), percent(0.001), percent(0.0)
    ('63 %', '<1 %', '0 %')
    """
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _levels(effect: CategoricalEffect) -> str:
    shown = ", ".join(str(level) for level in effect.levels[:3])
    return f"{shown}, ... ({len(effect.levels):,})" if len(effect.levels) > 3 else shown


def _ends(effect: NumericEffect) -> tuple[int, int]:
    """Return the first and last point to draw, without ends where hardly a row lies."""
    if effect.mass is None:
        return 0, len(effect.x) - 1
    share = np.cumsum(effect.mass) / effect.mass.sum()
    first = int(np.searchsorted(share, FAR))
    last = min(int(np.searchsorted(share, 1 - FAR)), len(share) - 1)
    return (first, last) if last > first else (0, len(share) - 1)


def _along(effect: NumericEffect) -> NDArray[np.float64]:
    """Return the curve at evenly spaced values, NaN inside gaps; a few values as they are."""
    first, last = _ends(effect)
    if last - first < FEW:
        return effect.effect[first : last + 1]
    axis = effect.positions.astype(np.float64)
    at = np.linspace(axis[first], axis[last], WIDTH)
    heights = np.interp(at, axis, effect.effect)
    for gap in effect.gaps:
        start, stop = (effect.position(edge) for edge in (gap.start, gap.stop))
        heights[(at > start) & (at < stop)] = np.nan
    return heights
