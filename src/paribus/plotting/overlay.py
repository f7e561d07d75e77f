"""Several effects of one column in one chart: two runs, or ours beside those of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points
from paribus.plotting.levels import LEVEL_HEIGHT
from paribus.plotting.marks import HEIGHT, NUMBER, WIDTH
from paribus.plotting.points import Row, Stored

if TYPE_CHECKING:
    import altair as alt

KEPT = ("effect", "lower", "upper")
MOST = 4  # series that colours tell apart


def overlay_spec(series: Mapping[str, Stored]) -> dict[str, Any]:
    """Return the Vega-Lite specification of several stored effects laid over each other.

    Parameters
    ----------
    series : mapping of str to mapping
        What to call each, and what `Effect.to_dict` gives; all of one column and one kind.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> stored = pb.effect(d.table, "y", "x1").to_dict()
    >>> spec = overlay_spec({"all": stored, "again": stored})
    >>> spec["datasets"]["points"][0]["series"]
    'all'
    """
    first = next(iter(series.values()))
    curve = first["kind"] == "NumericEffect"
    rows = [row for name, stored in series.items() for row in _rows(name, stored, curve)]
    chart = (_curves if curve else _levels)(list(series), first, rows)
    data = marks.altair().Datasets(points=rows)
    return dict(chart.properties(datasets=data).to_dict())


def _rows(name: str, stored: Stored, curve: bool) -> list[Row]:
    """Return the points of one series: where, whose, and what is drawn."""
    if curve:
        low, high = points.frame_of(stored).x
        found = [row for row in points.curve_rows(stored) if low <= row["x"] <= high]
        place = ("x", "date") if points.is_dated(stored) else ("x",)
    else:
        found = [row for row in points.level_rows(stored) if row["drawn"]]
        place = ("level",)
    kept = (*place, "series", *KEPT) + (("piece",) if curve else ())
    return [{key: row.get(key) for key in kept} | {"series": name} for row in found]


def _curves(names: Sequence[str], stored: Stored, rows: list[Row]) -> alt.LayerChart:
    alt = marks.altair()
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
    data = alt.Chart(alt.NamedData("points")).encode(color=_colour(names))
    place = alt.Tooltip("date:N") if dated else alt.Tooltip("x:Q", format=NUMBER)
    told = [alt.Tooltip("series:N", title="run"), place, *marks.told(*_present(rows))]
    layers = [_zero(alt.YDatum(0), "y")]
    if "lower" in _present(rows):
        area = data.mark_area(opacity=0.22).encode(x=x, y=marks.at(y, "lower"), y2="upper")
        layers.append(area.encode(detail="piece:O"))
    layers.append(data.mark_line(strokeWidth=2).encode(x=x, y=y, detail="piece:O"))
    layers.append(data.mark_circle(size=60, opacity=0).encode(x=x, y=y, tooltip=told))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _levels(names: Sequence[str], stored: Stored, rows: list[Row]) -> alt.LayerChart:
    alt = marks.altair()
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
    told = [alt.Tooltip("series:N", title="run"), alt.Tooltip("level:N")]
    data = alt.Chart(alt.NamedData("points")).encode(
        y=y, yOffset=alt.YOffset("series:N", sort=list(names)), color=_colour(names),
        tooltip=[*told, *marks.told(*_present(rows))],
    )  # fmt: skip
    layers = [_zero(alt.XDatum(0), "x")]
    if "lower" in _present(rows):
        layers.append(data.mark_rule(strokeWidth=2).encode(x=marks.at(x, "lower"), x2="upper"))
    layers.append(data.mark_circle(size=55, opacity=1).encode(x=x))
    height = max(3, len(places)) * (LEVEL_HEIGHT + 7 * (len(names) - 1))
    return alt.layer(*layers).properties(width=WIDTH, height=height)


def _zero(at: Any, axis: str) -> Any:
    alt = marks.altair()
    return alt.Chart(alt.InlineData(values=[{}])).mark_rule(style="zero").encode(**{axis: at})


def _colour(names: Sequence[str]) -> Any:
    alt = marks.altair()
    return alt.Color(
        "series:N", scale=alt.Scale(domain=list(names), range="category"),
        legend=alt.Legend(orient="top", title=None, labelLimit=400, symbolOpacity=1),
    )  # fmt: skip


def _present(rows: Sequence[Row]) -> list[str]:
    """Return the fields that any point has."""
    return [name for name in KEPT if any(row[name] is not None for row in rows)]
