"""What is drawn of an effect, described once for both drawing libraries.

A picture is a look (titles, ends of axes, which parts there are, the legend) and tables of
positions. Fields have fixed names, so that a user's text is only ever data, a title or a label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from paribus.results import notes as result_notes
from paribus.results.scales import PER_CENT, is_ratio
from paribus.results.words import places, quantity
from paribus.table.problem import LARGEST

if TYPE_CHECKING:
    from paribus.base.arrays import BoolArray, FloatArray, IntArray
    from paribus.results import Effect, NumericEffect

Columns: TypeAlias = Mapping[str, Any]  # lists or arrays of one length

SIDES = ("effect", "lower", "upper", "band_lower", "band_upper", "marginal")
DOTTED = ("stratpd", "slopes")  # methods whose curves are drawn as dots, as in the paper
MARGINAL = "mean, nothing held still"
MISSING = "(missing)"
MOST_LEVELS = 30
APART = 4  # so many islands are separated by space, further ones only by order
FAR_END = 0.001  # this share of the rows at an end is left out of the picture
WIDE = 0.8  # if the rest takes less than this share of the axis
NEAR = 0.05  # share of the rows on either side over which plain means are smoothed
FEW_POINTS = 30  # up to so many points are marked, and their plain means not smoothed
STRIP = 0.14  # height of the rows' distribution under a curve, as a share of the picture
CUT = " (far ends not drawn)"
DAY_MS = 86_400_000.0


@dataclass(frozen=True, slots=True)
class CurveLook:
    """Everything but the data that distinguishes pictures of curves."""

    x_title: str
    y_title: str
    # The ends of the axes; milliseconds since 1970 for dates.
    x_first: float
    x_last: float
    y_first: float
    y_last: float
    strip: float  # the end of the distribution's axis
    # Whether it runs over dates; whether it is a line; whether its points are marked.
    dated: bool
    lined: bool
    marked: bool
    has: frozenset[str]  # the parts that there are
    # What each kind of mark means: ``"line"``, ``"interval"``, ``"band"``, ``"marginal"``.
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LevelLook:
    """Everything but the data that distinguishes pictures of categories."""

    x_title: str
    y_title: str
    places: tuple[str, ...]  # the levels from top to bottom, with blanks between islands
    has: frozenset[str]  # the parts that there are
    legend: tuple[tuple[str, str], ...]  # what each kind of mark means: ``"dot"``, ``"hollow"``


Look: TypeAlias = CurveLook | LevelLook


@dataclass(frozen=True, slots=True)
class Picture:
    """How an effect looks, and its tables: points, strip, gaps, missing, trials, scatter."""

    look: Look
    tables: dict[str, Columns]


def picture_of(effect: Effect) -> Picture:
    """Describe the picture of an explained effect.

    A curve of two values, such as 0 and 1, is described as two levels: nothing lies between them.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.weather(seed=0)
    >>> found = picture_of(pb.effect(d.table, "temperature", "state"))
    >>> found.look.places
    ('AZ', 'NV', 'CA', 'WA', 'CO')
    """
    if is_drawn_as_curve(effect):
        return _curve(cast("NumericEffect", effect))
    return _levels(effect)


def is_drawn_as_curve(effect: Effect) -> bool:
    """Tell whether an effect is drawn along an axis of values."""
    return effect.is_curve and len(effect.effect) != 2


def axis_positions(effect: NumericEffect, values: Any = None) -> FloatArray:
    """Return positions on the axis, of all points by default: numbers, or ms since 1970."""
    at = effect.positions
    if values is not None:
        at = np.array([effect.position(value) for value in values], dtype=np.float64)
    return at * (DAY_MS if effect.is_dated else 1.0)


def change_title(effect: Effect) -> str:
    """Title the axis of a curve's effect."""
    since = f" from {effect.feature} = {effect.reference}" if effect.reference else ""
    return f"change in {measured(effect)}{since}"


def difference_title(effect: Effect) -> str:
    """Title the axis of the effects of levels."""
    return f"{measured(effect)}: difference from {effect.reference or 'the mean'}"


def measured(effect: Any) -> str:
    """Name what an effect is measured in: "price, %", "odds that won is yes, %"."""
    if is_ratio(effect.unit):
        return f"{quantity(effect.target, effect.unit).removeprefix('the ')}, {PER_CENT}"
    return f"{effect.target}, {effect.unit}" if effect.unit else str(effect.target)


def heading(effect: Effect, labels: Sequence[str]) -> list[str]:
    """Say for each point where it is: "carat = 1.02"."""
    return [f"{effect.feature} = {label}" for label in labels]


# ---- curves ------------------------------------------------------------------------------------


def _curve(effect: NumericEffect) -> Picture:
    at = axis_positions(effect)
    seen = _seen(at, effect.row_share)
    tables: dict[str, Columns] = {"points": curve_points(effect)}
    edges = axis_positions(effect, effect.distribution.edges)
    tables["strip"] = {
        "start": edges[:-1], "stop": edges[1:], "rows": effect.distribution.counts,
        "between": _between(effect, edges),
    }  # fmt: skip
    first, last = _ends_of_axis(effect, at[seen], edges, bool(seen.all()))
    tables |= _gaps(effect) | _missing(effect, first, last) | _single_rows(effect, at)
    low, high = _span(effect, seen)
    room = (high - low) * STRIP / (1 - STRIP)
    lined = effect.method not in DOTTED
    look = CurveLook(
        x_title=effect.feature + ("" if seen.all() else CUT),
        y_title=change_title(effect),
        x_first=first,
        x_last=last,
        y_first=low - 1.4 * room,
        y_last=high + 0.3 * room,
        strip=max(1, *effect.distribution.counts.tolist()) / STRIP,
        dated=effect.is_dated,
        lined=lined,
        marked=not lined or len(at) <= FEW_POINTS or bool(effect.gaps),
        has=frozenset({*tables, *tables["points"]}),
        legend=_curve_legend(effect),
    )
    return Picture(look, tables)


def curve_points(effect: NumericEffect) -> Columns:
    """Return one row per point of a curve: position, effect, the piece between gaps."""
    at = axis_positions(effect)
    columns: dict[str, Any] = {"x": at}
    if effect.is_dated:
        columns["date"] = effect.labels
    columns |= _sides(effect)
    if "marginal" in columns and effect.row_share is not None and len(at) > FEW_POINTS:
        columns["marginal"] = smoothed(at, columns["marginal"], effect.row_share)
    if effect.row_share is not None:
        columns["share"] = effect.row_share
    # A point inside a gap is drawn with the piece before it.
    columns["piece"] = np.maximum.accumulate(effect.pieces)
    columns["place"] = heading(effect, effect.labels)
    return columns


def smoothed(x: FloatArray, y: FloatArray, share: FloatArray) -> FloatArray:
    """Smooth means `y` of shares of the rows along `x`, all of shape (m,).

    Each point gets the value of a line fitted to the tenth of the rows around it.

    Examples
    --------
    >>> x, share = np.linspace(0, 1, 101), np.full(101, 1 / 101)
    >>> jagged = 2 * x + np.where(np.arange(101) % 2, 0.5, -0.5)
    >>> bool(np.abs(smoothed(x, jagged, share) - 2 * x)[5:-5].max() < 0.1)
    True
    """
    middle = (np.cumsum(share) - share / 2) / share.sum()
    near = np.abs(middle[:, None] - middle) / NEAR
    weights = np.where(np.isfinite(y), share, 0.0) * np.clip(1 - near**2, 0, None)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    run = x - (weights @ x)[:, None]
    spread = np.sum(weights * run**2, axis=1)
    rise = np.sum(weights * run * np.nan_to_num(y), axis=1)
    slope = np.divide(rise, spread, out=np.zeros(len(x)), where=spread > 0)
    return weights @ np.nan_to_num(y) + slope * np.diag(run)


def _ends_of_axis(
    effect: NumericEffect, at: FloatArray, edges: FloatArray, whole: bool
) -> tuple[float, float]:
    """Return the ends of the axis, without cutting bars of the distribution in two."""
    first, last = float(at[0]), float(at[-1])
    wide = (last - first) or 1.0
    start, stop = first - 0.03 * wide, last + 0.03 * wide
    if whole:
        start, stop = min(start, float(edges[0])), max(stop, float(edges[-1]))
    return start, stop + (0.09 * wide if effect.missing is not None else 0.0)


def _between(effect: NumericEffect, edges: FloatArray) -> list[str]:
    """Name the bins of the distribution, or their value if each contains only one."""
    middle = (edges[:-1] + edges[1:]) / 2
    at = axis_positions(effect)[: len(middle)]  # cyclic curves end where they began
    if len(at) == len(middle) and np.allclose(at, middle):
        return heading(effect, effect.labels[: len(at)])
    span = float(edges[-1] - edges[0]) / (DAY_MS if effect.is_dated else 1.0)
    ends = places(effect.distribution.edges, span)
    return heading(effect, [f"{a} to {b}" for a, b in pairwise(ends)])


def _gaps(effect: NumericEffect) -> dict[str, Columns]:
    if not effect.gaps:
        return {}
    starts, stops = ([getattr(gap, end) for gap in effect.gaps] for end in ("start", "stop"))
    why = [
        result_notes.gap(effect.feature, g.start, g.stop, g.reason, g.blocked_by).text
        for g in effect.gaps
    ]
    ends = (axis_positions(effect, values) for values in (starts, stops))
    return {"gaps": dict(zip(("start", "stop", "why"), (*ends, why), strict=True))}


def _missing(effect: NumericEffect, first: float, last: float) -> dict[str, Columns]:
    """Place the point of the missing values to the right of the curve."""
    missing = effect.missing
    if missing is None:
        return {}
    point: dict[str, Any] = {"x": last - 0.04 * (last - first)}
    point |= {name: getattr(missing, name) for name in ("effect", "lower", "upper")}
    point |= {"rows": missing.count, "place": f"{effect.feature} is missing"}
    return {"missing": {name: [value] for name, value in point.items()}}


def _single_rows(effect: NumericEffect, at: FloatArray) -> dict[str, Columns]:
    """Return trials, or curves or values of single rows, if there are several."""
    tables: dict[str, Columns] = {}
    if effect.trials is not None and len(effect.trials) > 1:
        n, m = effect.trials.shape
        tables["trials"] = {
            "x": np.tile(at, n), "effect": effect.trials.ravel(),
            "trial": np.repeat(np.arange(n), m),
        }  # fmt: skip
    if effect.scatter is not None:
        x = axis_positions(effect, effect.scatter.at)
        tables["scatter"] = {"x": x, "effect": effect.scatter.value}
    return tables


def _curve_legend(effect: Effect) -> tuple[tuple[str, str], ...]:
    if effect.lower is None:
        return ()
    sure = f"{100 * effect.conf_level:g} %"
    entries = (
        ("effect", "line", "estimate"), ("lower", "interval", f"{sure} interval"),
        ("band_lower", "band", f"{sure} for the whole curve"), ("marginal", "marginal", MARGINAL),
    )  # fmt: skip
    return tuple((k, words) for part, k, words in entries if getattr(effect, part) is not None)


def _seen(at: FloatArray, row_share: FloatArray | None) -> BoolArray:
    """Return the points to draw: all, or those among which nearly all rows lie."""
    everything = np.ones(len(at), dtype=np.bool_)
    if row_share is None:
        return everything
    share = np.cumsum(row_share) / row_share.sum()
    inside = (share > FAR_END) & (np.append(0.0, share[:-1]) < 1 - FAR_END)
    fills = np.ptp(at[inside]) < WIDE * np.ptp(at) if inside.any() else False
    return inside if fills else everything


def _span(effect: NumericEffect, seen: BoolArray) -> tuple[float, float]:
    """Return the lowest and highest value to draw; band and marginal may exceed the picture."""
    sides = {name: getattr(effect, name) for name in SIDES}
    near = [v[seen] for name, v in sides.items() if v is not None and name in SIDES[:3]]
    near += [] if effect.trials is None else [effect.trials.ravel()]
    near += [] if effect.scatter is None else [effect.scatter.value]
    near += [] if effect.missing is None else [[effect.missing.lower, effect.missing.upper]]
    low, high = _ends(near)
    far = [v[seen] for name, v in sides.items() if v is not None and name in SIDES[3:]]
    lowest, highest = _ends([*near, *far])
    room = (high - low) / 2
    low, high = max(lowest, low - room), min(highest, high + room)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _ends(arrays: Sequence[Any]) -> tuple[float, float]:
    """Return the lowest and highest value; bounds beyond what can be drawn are no ends."""
    everything = np.concatenate(arrays)
    drawn = everything[np.abs(everything) <= LARGEST]
    return float(np.min(drawn)), float(np.max(drawn))


# ---- levels ------------------------------------------------------------------------------------


def _levels(effect: Effect) -> Picture:
    points = level_points(effect)
    drawn = [k for k, shown in enumerate(points["drawn"]) if shown]
    levels, island = ([points[name][k] for k in drawn] for name in ("level", "island"))
    left = len(points["level"]) - len(drawn)
    tables: dict[str, Columns] = {"points": points, **_single_rows_of_levels(effect, set(levels))}
    look = LevelLook(
        x_title=difference_title(effect),
        y_title=effect.feature + (f" ({left:,} more not drawn)" if left else ""),
        places=tuple(_with_room(levels, island)),
        has=frozenset({*tables, *points}),
        legend=_level_legend(effect),
    )
    return Picture(look, tables)


def level_points(effect: Effect) -> Columns:
    """Return one row per level, the largest effect first, island by island; values in order.

    ``drawn`` is 1 for the levels in the picture: the most frequent that could be compared.
    """
    levels, count, island = list(effect.labels), _rows_at(effect), effect.pieces
    sides, missing = _sides(effect), effect.missing
    if missing is not None:
        levels.append(MISSING)
        count, island = np.append(count, missing.count), np.append(island, 0)
        sides = {n: np.append(v, getattr(missing, n, np.nan)) for n, v in sides.items()}
    shown = sides["effect"]
    frequent = [k for k in np.argsort(-count, kind="stable") if not np.isnan(shown[k])]
    drawn = np.zeros(len(levels), dtype=np.int64)
    drawn[frequent[:MOST_LEVELS]] = 1
    order = np.arange(len(levels)) if effect.is_curve else np.lexsort((-shown, island))
    columns: dict[str, Any] = {
        "level": levels, "count": count, **sides, "island": island, "drawn": drawn,
        "place": heading(effect, levels),
    }  # fmt: skip
    return {name: [values[k] for k in order] for name, values in columns.items()}


def _rows_at(effect: Any) -> IntArray:
    """Return the rows at each level; those of two values are the outer bars of the distribution."""
    count: IntArray = effect.distribution.counts[[0, -1]] if effect.is_curve else effect.count
    return count


def _single_rows_of_levels(effect: Any, drawn: set[str]) -> dict[str, Columns]:
    tables: dict[str, Columns] = {}
    labels = np.array(effect.labels, dtype=object)
    shown = np.array([label in drawn for label in effect.labels])
    if effect.trials is not None and len(effect.trials) > 1:
        trial, place = np.nonzero(shown & ~np.isnan(effect.trials))
        values = effect.trials[trial, place]
        tables["trials"] = {"level": labels[place], "effect": values, "trial": trial}
    if effect.scatter is not None:
        at = effect.scatter.at
        place = np.searchsorted(effect.x, at) if effect.is_curve else at.astype(np.int64)
        kept = shown[place]
        values = effect.scatter.value[kept]
        tables["scatter"] = {"level": labels[place[kept]], "effect": values}
    return tables


def _level_legend(effect: Effect) -> tuple[tuple[str, str], ...]:
    sure = f" and {100 * effect.conf_level:g} % interval" if effect.lower is not None else ""
    entries = [("dot", f"estimate{sure}")]
    if effect.marginal is not None:
        entries.append(("hollow", MARGINAL))
    return tuple(entries)


def _with_room(levels: Sequence[str], island: Sequence[int]) -> list[str]:
    """Return the levels from top to bottom, with space between islands."""
    found: list[str] = []
    for k, level in enumerate(levels):
        if k and island[k - 1] != island[k] <= APART:
            found.append("\u2007" * int(island[k]))
        found.append(level)
    return found


def _sides(effect: Effect) -> dict[str, Any]:
    """Return effect, intervals and marginal, if present."""
    sides = {name: getattr(effect, name) for name in SIDES}
    return {name: values for name, values in sides.items() if values is not None}
