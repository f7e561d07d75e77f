"""A stored effect as rows to draw: fixed field names, rounded numbers, positions on the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paribus._arrays import BoolArray, FloatArray

Row: TypeAlias = dict[str, Any]
Stored: TypeAlias = Mapping[str, Any]

SIDES = ("effect", "lower", "upper", "band_lower", "band_upper", "marginal")
MOST_LEVELS = 30
FAR_END = 0.001  # share of the rows at an end that may be left out of the picture
WIDE = 0.8  # where the rest takes less than this share of the axis
DIGITS = 6  # of the span of the effect, or of the axis
DAY_MS = 86_400_000.0


@dataclass(frozen=True, slots=True)
class Frame:
    """What part of the plane is drawn.

    Attributes
    ----------
    x, y : tuple of two floats
        First and last position on either axis.
    cut : bool
        Whether ends with hardly a row are left out.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    cut: bool


def is_dated(stored: Stored) -> bool:
    """Tell whether a stored curve runs over dates."""
    return bool(stored["x"]) and isinstance(stored["x"][0], str)


def positions(values: Sequence[Any]) -> FloatArray:
    """Return places on the axis, shape (m,): numbers, or milliseconds since 1970 for dates.

    Examples
    --------
    >>> positions(["1970-01-02", "1970-01-03T12:00:00"]).tolist()
    [86400000.0, 216000000.0]
    """
    if len(values) and isinstance(values[0], str):
        stamps = np.array(values, dtype="datetime64[us]")
        return stamps.astype(np.int64) / 1000
    return np.array(values, dtype=np.float64)


def curve_rows(stored: Stored) -> list[Row]:
    """Return a row a point of a stored curve, with the piece between gaps that it lies in.

    Examples
    --------
    >>> stored = {"x": [1.0, 2.0], "effect": [0.123456789, 1.0], "gaps": [], "mass": None}
    >>> curve_rows(stored)[0]
    {'x': 1.0, 'effect': 0.123457, 'piece': 0}
    """
    at = positions(stored["x"])
    stops = positions([gap["stop"] for gap in stored["gaps"]])
    columns: dict[str, Sequence[Any]] = {"x": _rounded(at)}
    if is_dated(stored):
        columns["date"] = [_date(text) for text in stored["x"]]
    columns |= _sides(stored)
    if stored.get("mass") is not None:
        columns["share"] = _rounded(np.array(stored["mass"], dtype=np.float64))
    columns["piece"] = np.searchsorted(stops, at, side="right").tolist()
    return _as_rows(columns)


def level_rows(stored: Stored) -> list[Row]:
    """Return a row a level of a stored category, the largest effect first, island by island.

    ``drawn`` is 1 for the levels of the picture: the most frequent that could be compared.

    Examples
    --------
    >>> stored = {"levels": ["a", "b"], "effect": [-1.0, 2.0], "count": [3, 4], "island": None}
    >>> [row["level"] for row in level_rows(stored)]
    ['b', 'a']
    """
    effect = np.array(stored["effect"], dtype=np.float64)
    count = np.array(stored["count"], dtype=np.int64)
    island = np.zeros_like(count) if stored["island"] is None else np.array(stored["island"])
    columns: dict[str, Sequence[Any]] = {"level": _told_apart(stored["levels"]), **_sides(stored)}
    columns |= {"count": count.tolist(), "island": island.tolist()}
    frequent = [k for k in np.argsort(-count, kind="stable") if not np.isnan(effect[k])]
    drawn = np.zeros(len(count), dtype=np.int64)
    drawn[frequent[:MOST_LEVELS]] = 1
    rows = _as_rows({**columns, "drawn": drawn.tolist()})
    return [rows[k] for k in np.lexsort((-effect, island))]


def strip_rows(stored: Stored) -> list[Row]:
    """Return a row a bin of the distribution of a stored curve."""
    edges = _rounded(positions(stored["distribution"]["edges"]))
    counts = stored["distribution"]["counts"]
    return [
        {"start": a, "stop": b, "rows": n}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def frame_of(stored: Stored) -> Frame:
    """Choose what part of the plane to draw for a stored curve."""
    at = positions(stored["x"])
    seen = _seen(at, stored.get("mass"))
    first, last = float(at[seen][0]), float(at[seen][-1])
    wide = (last - first) or 1.0
    room = 0.12 if stored.get("missing") is not None else 0.03
    low, high = _span(stored, seen)
    return Frame((first - 0.03 * wide, last + room * wide), (low, high), not seen.all())


def _seen(at: FloatArray, mass: Sequence[float] | None) -> BoolArray:
    """Return the points to draw: all, or those between which nearly all rows lie."""
    everything = np.ones(len(at), dtype=np.bool_)
    if mass is None:
        return everything
    share = np.cumsum(mass) / np.sum(mass)
    inside = (share > FAR_END) & (np.append(0.0, share[:-1]) < 1 - FAR_END)
    fills = np.ptp(at[inside]) < WIDE * np.ptp(at) if inside.any() else False
    return inside if fills else everything


def _span(stored: Stored, seen: BoolArray) -> tuple[float, float]:
    """Return the lowest and highest value to draw; band and marginal may run out of the picture."""
    near = [_array(stored, name)[seen] for name in ("effect", "lower", "upper") if stored.get(name)]
    near += [np.ravel(np.array(stored["trials"], dtype=np.float64))] if stored.get("trials") else []
    if stored.get("missing") is not None:
        near.append(np.array([stored["missing"][k] for k in ("lower", "upper")], dtype=np.float64))
    low, high = _ends(near)
    far = [_array(stored, name)[seen] for name in SIDES[3:] if stored.get(name)]
    lowest, highest = _ends([*near, *far])
    room = (high - low) / 2
    low, high = max(lowest, low - room), min(highest, high + room)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _ends(arrays: Sequence[FloatArray]) -> tuple[float, float]:
    everything = np.concatenate(arrays)
    return float(np.nanmin(everything)), float(np.nanmax(everything))


def _array(stored: Stored, name: str) -> FloatArray:
    return np.array(stored[name], dtype=np.float64)


def _sides(stored: Stored) -> dict[str, list[float | None]]:
    """Return effect, intervals and marginal, as far as there are, rounded alike.

    Rounding all to the same decimals keeps their order, so a band still encloses its curve.
    """
    arrays = {name: _array(stored, name) for name in SIDES if stored.get(name) is not None}
    decimals = _decimals(arrays["effect"])
    return {name: _rounded(values, decimals) for name, values in arrays.items()}


def _decimals(values: FloatArray) -> int:
    known = values[np.isfinite(values)]
    span = float(np.ptp(known)) if len(known) else 0.0
    return DIGITS - int(np.floor(np.log10(span or 1.0))) - 1


def _rounded(values: FloatArray, decimals: int | None = None) -> list[Any]:
    decimals = _decimals(values) if decimals is None else decimals
    with np.errstate(over="ignore", invalid="ignore"):
        plain = np.round(values, min(decimals, 300))
    kept = np.where(np.isfinite(plain), plain, values).tolist()
    return [v if np.isfinite(v) else None for v in kept]


def _told_apart(levels: Sequence[Any]) -> list[str]:
    """Write levels as text, each unlike the others."""
    seen: dict[str, int] = {}
    written = []
    for level in map(str, levels):
        seen[level] = seen.get(level, 0) + 1
        written.append(level if seen[level] == 1 else f"{level} ({seen[level]})")
    return written


def _date(text: str) -> str:
    """Leave out of a date what says nothing."""
    day, _, time = text.partition("T")
    time = time.rstrip("0").rstrip(":.")
    return day if not time.strip("0:.") else text[:19].replace("T", " ")


def _as_rows(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
