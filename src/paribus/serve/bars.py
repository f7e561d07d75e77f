"""The distribution of a column as a tiny picture, made of numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray, IntArray
    from paribus.table.columns import Column

WIDE, HIGH = 120, 28
BARS = 24
FAR = 0.005  # share of the rows at either end that is put into the last bar


def bars_of(column: Column, present: FloatArray) -> str:
    """Draw the values that are there: numbers along their axis, levels from common to rare.

    Examples
    --------
    >>> from paribus.table.columns import as_column
    >>> sex = as_column("sex", ["F", "M", "F"])
    >>> bars_of(sex, sex.values).count("z")
    2
    """
    if not len(present):
        return ""
    counts = _levels(present) if column.kind == "category" else _histogram(present)
    step = WIDE / max(len(counts), 6)
    tallest = max(int(counts.max()), 1)
    bars = "".join(
        f"M{k * step:.4g} {HIGH}v-{high:.3g}h{step - 1:.3g}v{high:.3g}z"
        for k, count in enumerate(counts)
        if (high := max(1.0, HIGH * count / tallest) if count else 0.0)
    )
    return (
        f'<svg class="bars-of" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
        f'aria-hidden="true" fill="currentColor"><path d="{bars}"/></svg>'
    )


def _levels(present: FloatArray) -> IntArray:
    counts = np.sort(np.bincount(present.astype(np.int64)))[::-1]
    return counts[:BARS]


def _histogram(present: FloatArray) -> IntArray:
    low, high = np.quantile(present, [FAR, 1 - FAR])
    if low == high:
        low, high = present.min(), present.max()
    if low == high:
        return np.array([len(present)])
    # Far from zero, values may be fewer than bars apart by what numbers can tell.
    place = (np.clip(present, low, high) - low) / (high - low)
    return np.histogram(place, bins=BARS, range=(0, 1))[0]
