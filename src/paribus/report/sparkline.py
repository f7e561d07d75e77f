"""An effect as a tiny picture inside a line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.plotting.picture import CurveLook, picture_of
from paribus.plotting.rows import drawn_rows

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray
    from paribus.plotting.rows import Row
    from paribus.results import Effect

WIDE, HIGH, EDGE = 90, 22, 3


def sparkline(effect: Effect) -> str:
    """Draw an effect as a small SVG in the colour of the text around it.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.weather(seed=0)
    >>> sparkline(pb.effect(d.table, "temperature", "state")).count("<circle")
    5
    """
    if not effect.explained:
        return ""
    picture = picture_of(effect)
    rows = [row for row in drawn_rows(picture) if row["effect"] is not None]
    body = (_curve if isinstance(picture.look, CurveLook) else _dots)(rows)
    return (
        f'<svg class="spark" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
        f'aria-hidden="true">{body}</svg>'
    )


def _curve(rows: list[Row]) -> str:
    """Draw the pieces of a curve between its gaps."""
    x = _scaled([row["x"] for row in rows], WIDE)
    y = HIGH - _scaled([row["effect"] for row in rows], HIGH)
    pieces: dict[int, list[str]] = {}
    for row, a, b in zip(rows, x, y, strict=True):
        pieces.setdefault(row["piece"], []).append(f"{a:.1f},{b:.1f}")
    line = '<polyline fill="none" stroke="currentColor" stroke-width="1.5" points="{}"/>'
    return "".join(line.format(" ".join(piece)) for piece in pieces.values())


def _dots(rows: list[Row]) -> str:
    """Draw the levels as dots, sorted."""
    effect = sorted(row["effect"] for row in rows)
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
