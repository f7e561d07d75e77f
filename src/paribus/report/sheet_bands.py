"""A curve with its bands as a native chart.

Spreadsheets fill areas only over evenly spaced values: the curve is sampled at even steps, in
hidden columns, and the bands are areas stacked on an invisible one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.plotting.theme import INK

if TYPE_CHECKING:
    from paribus.plotting.rows import Row
    from paribus.report.sheets import Place

STEPS = 10  # between two labels of the axis
LIGHT, DARK = "#d9e9f3", "#94c2de"
ESTIMATE, UNSEEN, ABOVE = "estimate", "below the bands", "the band above"
DAY_MS, FIRST_DAY = 86_400_000, 25_569  # a spreadsheet counts its days from 1900


def curve_chart(
    place: Place, rows: list[Row], at: FloatArray, sure: str, top: int, column: int
) -> Any:
    """Return a chart of a curve, which is written at positions `at` (m,) into hidden columns.

    `rows` are the points of the curve, an empty one at a gap; `sure` is the confidence level as
    text, and row `top` has the heads.
    """
    shown = at / DAY_MS + FIRST_DAY if any("date" in row for row in rows) else at
    areas = _areas(rows, at, sure)
    written = {"at": shown, ESTIMATE: _along(rows, "effect", at), **areas}
    for k, (head, values) in enumerate(written.items(), start=column):
        place.sheet.write_string(top, k, head)
        for row in np.flatnonzero(np.isfinite(values)):
            place.sheet.write_number(top + 1 + int(row), k, float(values[row]))
    place.sheet.set_column(column, column + len(written) - 1, None, None, {"hidden": True})
    first, last = top + 1, top + len(at)
    series = {
        head: {
            "name": [place.name, top, k],
            "categories": place.column(first, last, column),
            "values": place.column(first, last, k),
        }
        for k, head in enumerate(written, start=column)
    }
    line = place.book.add_chart({"type": "line"})
    line.add_series(series[ESTIMATE] | {"line": {"color": INK, "width": 2.25}})
    if not areas:
        return line
    chart = place.book.add_chart({"type": "area", "subtype": "stacked"})
    fills = {UNSEEN: {"none": True}, f"{sure} interval": {"color": DARK}}
    for head in areas:
        chart.add_series(series[head] | {"fill": fills.get(head, {"color": LIGHT})})
    chart.combine(line)
    unnamed = [k for k, head in enumerate(areas) if head in (UNSEEN, ABOVE)]
    chart.set_legend({"position": "bottom", "delete_series": unnamed})
    return chart


def _areas(rows: list[Row], at: FloatArray, sure: str) -> dict[str, FloatArray]:
    """Return the areas by name, each on top of the one before; zero in a gap."""
    sides = [_along(rows, key, at) for key in ("band_lower", "lower", "upper", "band_upper")]
    if np.isnan(sides[1]).all():
        return {}
    if np.isnan(sides[0]).all():
        sides[0], sides[3] = sides[1], sides[2]
    known = np.flatnonzero(np.isfinite(sides[0]))
    bottom = np.interp(at, at[known], sides[0][known])
    heights = [np.nan_to_num(high - low) for low, high in pairwise(sides)]
    heads = (f"{sure} for the whole curve", f"{sure} interval", ABOVE)
    return {UNSEEN: bottom, **dict(zip(heads, heights, strict=True))}


def _along(rows: list[Row], key: str, at: FloatArray) -> FloatArray:
    """Return a side of a curve at even steps, NaN in its gaps and beyond its ends."""
    out = np.full(len(at), np.nan)
    for piece in {row["piece"] for row in rows if row}:
        part = [row for row in rows if row and row["piece"] == piece and row.get(key) is not None]
        if part:
            x, side = (np.array([row[name] for row in part], dtype=float) for name in ("x", key))
            inside = (at >= x[0]) & (at <= x[-1])
            out[inside] = np.interp(at[inside], x, side)
    return out
