"""Tables of a picture as rows of plain values, rounded to visible precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from paribus.plotting.picture import (
    SIDES,
    Columns,
    CurveLook,
    Picture,
    curve_points,
    is_drawn_as_curve,
    level_points,
)

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray
    from paribus.results import Effect, NumericEffect

Row: TypeAlias = dict[str, Any]

DIGITS = 6  # of the span of the effect, or of the axis


def point_rows(effect: Effect) -> list[Row]:
    """Return a row a point or level of an effect, rounded.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.weather(seed=0)
    >>> [row["level"] for row in point_rows(pb.effect(d.table, "temperature", "state"))]
    ['AZ', 'NV', 'CA', 'WA', 'CO']
    """
    if is_drawn_as_curve(effect):
        return rows_of(curve_points(cast("NumericEffect", effect)))
    return rows_of(level_points(effect))


def drawn_rows(picture: Picture) -> list[Row]:
    """Return the points that a picture shows: those on its axis, or the levels drawn."""
    look, found = picture.look, rows_of(picture.tables["points"])
    if isinstance(look, CurveLook):
        return [row for row in found if look.x_first <= row["x"] <= look.x_last]
    return [row for row in found if row["drawn"]]


def rows_of(columns: Columns) -> list[Row]:
    """Return a table as rows; effect and intervals are rounded alike.

    Rounding all sides to the same decimals keeps their order, so a band still encloses its curve.
    """
    decimals = _decimals(np.asarray(columns["effect"], float)) if "effect" in columns else None
    plain = {
        name: _plain(values, decimals if name in SIDES else None)
        for name, values in columns.items()
    }
    return [dict(zip(plain, values, strict=True)) for values in zip(*plain.values(), strict=True)]


def _plain(values: Sequence[Any], decimals: int | None) -> list[Any]:
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return array.tolist() if array.dtype.kind in "iu" else list(values)
    decimals = _decimals(array) if decimals is None else decimals
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.round(array, min(decimals, 300))
    kept = np.where(np.isfinite(rounded), rounded, array).tolist()
    return [v if np.isfinite(v) else None for v in kept]


def _decimals(values: FloatArray) -> int:
    known = values[np.isfinite(values)]
    span = float(np.ptp(known)) if len(known) else 0.0
    return DIGITS - int(np.floor(np.log10(span or 1.0))) - 1
