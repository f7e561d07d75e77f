"""A stored effect as rows to draw: fixed field names, rounded numbers, positions on the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray

Row: TypeAlias = dict[str, Any]
Stored: TypeAlias = Mapping[str, Any]

SIDES = ("effect", "lower", "upper", "band_lower", "band_upper", "marginal")
MOST_LEVELS = 30
FAR_END = 0.001  # share of the rows at an end that may be left out of the picture
WIDE = 0.8  # where the rest takes less than this share of the axis
NEAR = 0.05  # share of the rows on either side over which plain means are smoothed
FEW_POINTS = 30  # a curve of no more points has them marked, and plain means as they are
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
    columns |= _sides(_with_smooth_marginal(stored, at))
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


def parts_of(stored: Stored, names: Sequence[str]) -> frozenset[str]:
    """Return which of the parts `names` of a chart there are, trials counted where several."""
    there = {name for name in names if stored.get(name)}
    return frozenset(there | ({"trials"} if trials_of(stored) else set()))


def trials_of(stored: Stored) -> list[Any]:
    """Return the bootstrap trials of a stored effect, where there are several."""
    trials = stored.get("trials") or []
    return list(trials) if len(trials) > 1 else []


def level_trials(stored: Stored, drawn: Sequence[str]) -> list[Row]:
    """Return a row a level and bootstrap trial, for the levels that are drawn."""
    levels = _told_apart(stored["levels"])
    return [
        {"level": level, "effect": effect, "trial": k}
        for k, trial in enumerate(trials_of(stored))
        for level, effect in zip(levels, trial, strict=True)
        if level in set(drawn) and effect is not None
    ]


def strip_rows(stored: Stored) -> list[Row]:
    """Return a row a bin of the distribution of a stored curve."""
    edges = _rounded(positions(stored["distribution"]["edges"]))
    counts = stored["distribution"]["counts"]
    return [
        {"start": a, "stop": b, "rows": n}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def cloud_rows(stored: Stored) -> list[Row]:
    """Return a row a value of a single row, at its x or its level; only of levels drawn."""
    cloud = stored.get("cloud")
    if cloud is None:
        return []
    values = _rounded(np.array(cloud["value"], dtype=np.float64))
    if "levels" not in stored:
        at = _rounded(positions(cloud["at"]))
        return [{"x": x, "effect": v} for x, v in zip(at, values, strict=True)]
    drawn = {row["level"] for row in level_rows(stored) if row["drawn"]}
    names = _told_apart(stored["levels"])
    pairs = ((names[int(k)], v) for k, v in zip(cloud["at"], values, strict=True))
    return [{"level": level, "effect": v} for level, v in pairs if level in drawn]


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
    near += [np.array(stored["cloud"]["value"], dtype=np.float64)] if stored.get("cloud") else []
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


def _with_smooth_marginal(stored: Stored, at: FloatArray) -> Stored:
    """Return a stored curve whose plain means, of few rows each, are smoothed over more."""
    if not stored.get("marginal") or not stored.get("mass") or len(at) <= FEW_POINTS:
        return stored
    smooth = smoothed(at, _array(stored, "marginal"), _array(stored, "mass"))
    return {**stored, "marginal": smooth.tolist()}


def smoothed(x: FloatArray, y: FloatArray, mass: FloatArray) -> FloatArray:
    """Smooth means `y` of shares `mass` of the rows along `x`, all of shape (m,).

    Each point gets the value of a line fitted to a tenth of the rows around it.

    Examples
    --------
    >>> x, mass = np.linspace(0, 1, 101), np.full(101, 1 / 101)
    >>> jagged = 2 * x + np.where(np.arange(101) % 2, 0.5, -0.5)
    >>> bool(np.abs(smoothed(x, jagged, mass) - 2 * x)[5:-5].max() < 0.1)
    True
    """
    share = (np.cumsum(mass) - mass / 2) / mass.sum()
    near = np.abs(share[:, None] - share) / NEAR
    weights = np.where(np.isfinite(y), mass, 0.0) * np.clip(1 - near**2, 0, None)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    run = x - (weights @ x)[:, None]
    spread = np.sum(weights * run**2, axis=1)
    rise = np.sum(weights * run * np.nan_to_num(y), axis=1)
    slope = np.divide(rise, spread, out=np.zeros(len(x)), where=spread > 0)
    return weights @ np.nan_to_num(y) + slope * np.diag(run)


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
