"""Several effects of one column in one chart: two runs, or ours and those of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks
from paribus.plotting.curve import x_axis
from paribus.plotting.levels import level_axes
from paribus.plotting.lines import curve_layers, dot_layers, dots_height
from paribus.plotting.marks import HEIGHT, WIDTH, alt
from paribus.plotting.picture import (
    change_title,
    difference_title,
    is_drawn_as_curve,
    picture_of,
)
from paribus.plotting.rows import Row, drawn_rows

if TYPE_CHECKING:
    from altair import LayerChart

    from paribus.results import Effect

KEPT = ("effect", "lower", "upper")
DASHES = ([1, 0], [5, 3], [2, 2])
SHAPES = ["circle", "diamond", "square"]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One of several effects."""

    who: str  # a run or a model, shown by the colour; up to four can be told apart
    effect: Effect
    # The method, shown by dashes or shape, if there are several.
    way: str = ""


def overlay_chart(series: Sequence[Series]) -> LayerChart:
    """Draw several effects of one column in one picture.

    Only those of the same kind as the first are drawn, curves or levels.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> x1 = pb.effect(d.table, "y", "x1")
    >>> chart = overlay_chart([Series("all", x1), Series("again", x1)])
    >>> chart.to_dict()["datasets"]["points"][0]["who"]
    'all'
    """
    curve = is_drawn_as_curve(series[0].effect)
    alike = [one for one in series if is_drawn_as_curve(one.effect) == curve]
    if len({one.effect.reference for one in alike}) > 1:
        alike = [
            replace(one, effect=one.effect.relative_to("mean")) if one.effect.reference else one
            for one in alike
        ]
    rows = [row for one in alike for row in _rows(one)]
    chart = (_curves if curve else _levels)(alike, rows)
    return chart.properties(datasets=alt.Datasets(points=rows))


def _rows(one: Series) -> list[Row]:
    """Return the points of one series: position, owner, and values."""
    found = drawn_rows(picture_of(one.effect))
    where = [key for key in ("level", "x", "date") if key in found[0]]
    rest = [key for key in (*KEPT, "piece", "place") if key in KEPT or key in found[0]]
    whose = {"who": one.who, "way": one.way} if one.way else {"who": one.who}
    return [
        {key: row[key] for key in where} | whose | {key: row.get(key) for key in rest}
        for row in found
    ]


def _curves(series: Sequence[Series], rows: list[Row]) -> LayerChart:
    effect: Any = series[0].effect
    x = x_axis(effect.feature, effect.is_dated)
    y = alt.Y(
        "effect", type="quantitative", title=change_title(effect),
        scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6),
    )  # fmt: skip
    detail = ["piece:O", "way:N"] if any(one.way for one in series) else ["piece:O"]
    data = alt.Chart(alt.NamedData("points"))
    data = data.encode(color=marks.colours(_names(series)), detail=detail)
    way = _way(series, alt.StrokeDash, DASHES)
    interval = "lower" in _present(rows)
    layers = curve_layers(data, x, y, _tooltip(series, rows), interval, strokeDash=way)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _levels(series: Sequence[Series], rows: list[Row]) -> LayerChart:
    effect = series[0].effect
    places = list(dict.fromkeys(row["level"] for row in rows))
    x, y = level_axes(difference_title(effect), effect.feature, places)
    names = _names(series)
    data = alt.Chart(alt.NamedData("points")).encode(
        y=y, yOffset=alt.YOffset("who:N", sort=names), color=marks.colours(names),
        tooltip=_tooltip(series, rows),
    )  # fmt: skip
    way = _way(series, alt.Shape, SHAPES)
    layers = dot_layers(data, x, "lower" in _present(rows), shape=way)
    return alt.layer(*layers).properties(width=WIDTH, height=dots_height(places, names))


def _names(series: Sequence[Series]) -> list[str]:
    return list(dict.fromkeys(one.who for one in series))


def _way(series: Sequence[Series], channel: Any, signs: Sequence[Any]) -> Any:
    """Show methods by signs; without any, all have the first sign."""
    ways = list(dict.fromkeys(one.way for one in series if one.way))
    if not ways:
        return alt.value(signs[0])
    scale = alt.Scale(domain=ways, range=list(signs[: len(ways)]))
    stroke = {"symbolType": "stroke", "symbolStrokeWidth": 2, "symbolStrokeColor": "gray"}
    sign = stroke if channel is alt.StrokeDash else {"symbolFillColor": "gray"}
    return channel("way:N", scale=scale, legend=alt.Legend(orient="top", title=None, **sign))


def _tooltip(series: Sequence[Series], rows: Sequence[Row]) -> list[Any]:
    heading, *numbers = marks.tooltip(_present(rows), *KEPT)
    ways = [alt.Tooltip("way:N")] if any(one.way for one in series) else []
    return [heading, alt.Tooltip("who:N", title="whose"), *ways, *numbers]


def _present(rows: Sequence[Row]) -> list[str]:
    """Return the fields that any point has."""
    return [name for name in KEPT if any(row[name] is not None for row in rows)]
