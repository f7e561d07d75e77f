"""An effect as a tiny picture inside a line of text, made of numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.plotting.points import curve_rows, frame_of, level_rows

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray
    from paribus.plotting.points import Stored

WIDE, HIGH, EDGE = 90, 22, 3


def sparkline(stored: Stored) -> str:
    """Draw a stored effect as a small SVG in the colour of the text around it.

    Examples
    --------
    >>> stored = {"kind": "CategoricalEffect", "levels": ["a", "b"], "effect": [0.0, 1.0],
    ...           "count": [3, 4], "island": None}
    >>> sparkline(stored).count("<circle")
    2
    """
    if not stored["effect"]:
        return ""
    body = _curve(stored) if stored["kind"] == "NumericEffect" else _dots(stored)
    return (
        f'<svg class="spark" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
        f'aria-hidden="true">{body}</svg>'
    )


def _curve(stored: Stored) -> str:
    """Draw the pieces of a curve between its gaps."""
    (left, right), seen = frame_of(stored).x, curve_rows(stored)
    rows = [row for row in seen if left <= row["x"] <= right and row["effect"] is not None]
    x = _scaled([row["x"] for row in rows], WIDE)
    y = HIGH - _scaled([row["effect"] for row in rows], HIGH)
    pieces: dict[int, list[str]] = {}
    for row, a, b in zip(rows, x, y, strict=True):
        pieces.setdefault(row["piece"], []).append(f"{a:.1f},{b:.1f}")
    line = '<polyline fill="none" stroke="currentColor" stroke-width="1.5" points="{}"/>'
    return "".join(line.format(" ".join(piece)) for piece in pieces.values())


def _dots(stored: Stored) -> str:
    """Draw the levels as dots, sorted."""
    effect = [row["effect"] for row in level_rows(stored) if row["drawn"]][::-1]
    x = _scaled(list(range(len(effect))), WIDE)
    y = HIGH - _scaled(effect, HIGH)
    dot = '<circle fill="currentColor" r="2" cx="{:.1f}" cy="{:.1f}"/>'
    return "".join(dot.format(a, b) for a, b in zip(x, y, strict=True))


def _scaled(values: list[float], room: int) -> FloatArray:
    """Spread values over the room, shape (m,)."""
    array = np.array(values, dtype=np.float64)
    wide = np.ptp(array) if len(array) else 0.0
    share = (array - array.min()) / wide if wide else np.full(len(array), 0.5)
    return EDGE + share * (room - 2 * EDGE)
