"""A curve in one line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from paribus.results.shape import bulk

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray
    from paribus.results import Effect, NumericEffect

BLOCKS, ASCII = "▁▂▃▄▅▆▇█", ".:-=+*#@"
WIDTH = 20
FEW = 10
FAR = 0.01  # this share of the rows at either end is not drawn


def spark(values: FloatArray, blocks: str = BLOCKS) -> str:
    """Draw values as blocks of eight heights, with a blank for NaN.

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
    """Draw an effect: along its values for a number, level by level for a category."""
    if effect.unclear:
        return f"twin of {', '.join(effect.twins)}" if effect.twins else "no clear effect"
    if effect.is_curve:
        return spark(_along(cast("NumericEffect", effect)), blocks)
    known = effect.effect[~np.isnan(effect.effect)]
    return spark(known[:WIDTH], blocks) + (" ..." if len(known) > WIDTH else "")


def span(effect: Effect) -> str:
    """Say what a drawn curve covers: the first and last value, or some levels."""
    labels = effect.labels
    if effect.is_curve:
        first, last = bulk(effect.weights, FAR)
        return f"{labels[first]} to {labels[last]}"
    shown = ", ".join(labels[:3])
    return f"{shown}, ... ({len(labels):,})" if len(labels) > 3 else shown


def percent(share: float) -> str:
    """Write a share in whole percent.

    Examples
    --------
    >>> percent(0.634), percent(0.001), percent(0.0)
    ('63 %', '<1 %', '0 %')
    """
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _along(effect: NumericEffect) -> FloatArray:
    """Return the curve at evenly spaced values, NaN inside gaps; a few values unchanged."""
    first, last = bulk(effect.weights, FAR)
    if last - first < FEW:
        return effect.effect[first : last + 1]
    axis = effect.positions.astype(np.float64)
    at = np.linspace(axis[first], axis[last], WIDTH)
    heights = np.interp(at, axis, effect.effect)
    for gap in effect.gaps:
        start, stop = (effect.position(edge) for edge in (gap.start, gap.stop))
        heights[(at > start) & (at < stop)] = np.nan
    return heights
