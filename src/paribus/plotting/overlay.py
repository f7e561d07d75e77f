"""Several effects of one column in one chart: two runs, or ours beside those of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points
from paribus.plotting.levels import LEVEL_HEIGHT
from paribus.plotting.marks import HEIGHT, NUMBER, WIDTH
from paribus.plotting.points import Row, Stored

if TYPE_CHECKING:
    import altair as alt

KEPT = ("effect", "lower", "upper")
DASHES = ([1, 0], [5, 3], [2, 2])
SHAPES = ["circle", "diamond", "square"]


@dataclass(frozen=True, slots=True)
class Series:
    """One of several effects.

    Attributes
    ----------
    who : str
        Whose it is, told by the colour: a run, or a model. Four can be told apart.
    stored : mapping
        What `Effect.to_dict` gives.
    way : str
        How it was found, told by the dashes or the shape, where several ways are drawn.
    """

    who: str
    stored: Stored
    way: str = ""


def overlay_spec(series: Sequence[Series]) -> dict[str, Any]:
    """Return the Vega-Lite specification of several effects laid over each other.

    All are of one column and of one kind.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> stored = pb.effect(d.table, "y", "x1").to_dict()
    >>> spec = overlay_spec([Series("all", stored), Series("again", stored)])
    >>> spec["datasets"]["points"][0]["who"]
    'all'
    """
    curve = series[0].stored["kind"] == "NumericEffect"
    rows = [row for one in series for row in _rows(one, curve)]
    chart = (_curves if curve else _levels)(series, rows)
    data = marks.altair().Datasets(points=rows)
    return dict(chart.properties(datasets=data).to_dict())


def _rows(one: Series, curve: bool) -> list[Row]:
    """Return the points of one series: where, whose, and what is drawn."""
    stored = one.stored
    if curve:
        low, high = points.frame_of(stored).x
        found = [row for row in points.curve_rows(stored) if low <= row["x"] <= high]
        place = ("x", "date") if points.is_dated(stored) else ("x",)
    else:
        found = [row for row in points.level_rows(stored) if row["drawn"]]
        place = ("level",)
    whose = {"who": one.who, "way": one.way} if one.way else {"who": one.who}
    piece = ("piece",) if curve else ()
    return [
        {key: row.get(key) for key in place} | whose | {key: row.get(key) for key in KEPT + piece}
        for row in found
    ]


def _curves(series: Sequence[Series], rows: list[Row]) -> alt.LayerChart:
    alt = marks.altair()
    stored = series[0].stored
    dated = points.is_dated(stored)
    x = alt.X(
        "x", type="temporal" if dated else "quantitative", title=stored["feature"],
        scale=alt.Scale(nice=False, type="utc") if dated else alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=6, labelOverlap=True),
    )  # fmt: skip
    y = alt.Y(
        "effect", type="quantitative", title=f"change in {marks.quantity(stored)}",
        scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6),
    )  # fmt: skip
    data = alt.Chart(alt.NamedData("points")).encode(color=_colour(series), detail=_detail(series))
    place = alt.Tooltip("date:N") if dated else alt.Tooltip("x:Q", format=NUMBER)
    layers = [_zero(y=alt.YDatum(0))]
    if "lower" in _present(rows):
        area = data.mark_area(opacity=0.22)
        layers.append(area.encode(x=x, y=marks.at(y, "lower"), y2="upper"))
    line = data.mark_line(strokeWidth=2).encode(x=x, y=y)
    layers.append(line.encode(strokeDash=_way(series, alt.StrokeDash, DASHES)))
    told = [*_whose(series), place, *marks.told(*_present(rows))]
    layers.append(data.mark_circle(size=60, opacity=0).encode(x=x, y=y, tooltip=told))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _levels(series: Sequence[Series], rows: list[Row]) -> alt.LayerChart:
    alt = marks.altair()
    stored = series[0].stored
    places = list(dict.fromkeys(row["level"] for row in rows))
    y = alt.Y(
        "level:N", title=stored["feature"], scale=alt.Scale(domain=places),
        axis=alt.Axis(ticks=False, domain=False, grid=False),
    )  # fmt: skip
    x = alt.X(
        "effect", type="quantitative", scale=alt.Scale(zero=True, nice=True),
        title=f"{marks.quantity(stored)}: difference from the mean",
        axis=alt.Axis(tickCount=6, labelOverlap=True),
    )  # fmt: skip
    names = list(dict.fromkeys(one.who for one in series))
    told = [*_whose(series), alt.Tooltip("level:N"), *marks.told(*_present(rows))]
    data = alt.Chart(alt.NamedData("points")).encode(
        y=y, yOffset=alt.YOffset("who:N", sort=names), color=_colour(series), tooltip=told
    )  # fmt: skip
    layers = [_zero(x=alt.XDatum(0))]
    if "lower" in _present(rows):
        layers.append(data.mark_rule(strokeWidth=2).encode(x=marks.at(x, "lower"), x2="upper"))
    mark = data.mark_point(size=55, opacity=1, filled=True).encode(x=x)
    layers.append(mark.encode(shape=_way(series, alt.Shape, SHAPES)))
    height = max(3, len(places)) * (LEVEL_HEIGHT + 7 * (len(names) - 1))
    return alt.layer(*layers).properties(width=WIDTH, height=height)


def _zero(**at: Any) -> Any:
    alt = marks.altair()
    return alt.Chart(alt.InlineData(values=[{}])).mark_rule(style="zero").encode(**at)


def _colour(series: Sequence[Series]) -> Any:
    alt = marks.altair()
    names = list(dict.fromkeys(one.who for one in series))
    return alt.Color(
        "who:N", scale=alt.Scale(domain=names, range="category"),
        legend=alt.Legend(orient="top", title=None, labelLimit=400, symbolOpacity=1),
    )  # fmt: skip


def _way(series: Sequence[Series], channel: Any, signs: Sequence[Any]) -> Any:
    """Tell ways apart by signs; without any, all are drawn by the first sign."""
    alt = marks.altair()
    ways = list(dict.fromkeys(one.way for one in series if one.way))
    if not ways:
        return alt.value(signs[0])
    scale = alt.Scale(domain=ways, range=list(signs[: len(ways)]))
    stroke = {"symbolType": "stroke", "symbolStrokeWidth": 2, "symbolStrokeColor": "gray"}
    sign = stroke if channel is alt.StrokeDash else {"symbolFillColor": "gray"}
    return channel("way:N", scale=scale, legend=alt.Legend(orient="top", title=None, **sign))


def _detail(series: Sequence[Series]) -> list[str]:
    return ["piece:O", "way:N"] if any(one.way for one in series) else ["piece:O"]


def _whose(series: Sequence[Series]) -> list[Any]:
    alt = marks.altair()
    told = [alt.Tooltip("who:N", title="whose")]
    return [*told, alt.Tooltip("way:N")] if any(one.way for one in series) else told


def _present(rows: Sequence[Row]) -> list[str]:
    """Return the fields that any point has."""
    return [name for name in KEPT if any(row[name] is not None for row in rows)]
