"""The Altair chart of a category's levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks
from paribus.plotting.marks import LEVEL_SIGNS, WIDTH, Layers, alt
from paribus.plotting.picture import LevelLook

if TYPE_CHECKING:
    from altair import LayerChart

LEVEL_HEIGHT = 19


def level_chart(look: LevelLook) -> LayerChart:
    """Draw a dot with its interval for each level, sorted, with islands set apart."""
    x, y = level_axes(look.x_title, look.y_title, look.places)
    data = alt.Chart(alt.NamedData("points")).transform_filter("datum.drawn == 1")
    data = data.encode(y=y, tooltip=marks.tooltip(look.has, "effect", "lower", "upper"))
    island = alt.Color("island:N", scale=alt.Scale(range="category"), legend=None)
    layers: Layers = []
    if "scatter" in look.has:
        dots = alt.Chart(alt.NamedData("scatter")).mark_circle(style="scatter")
        layers.append(dots.encode(x=x, y=y))
    if "marginal" in look.has:
        hollow = data.mark_point(style="hollow", shape="diamond", filled=False)
        layers.append(hollow.encode(x=marks.at(x, "marginal")))
    if "lower" in look.has:
        layers.append(
            data.mark_rule(strokeWidth=2.2).encode(x=marks.at(x, "lower"), x2="upper", color=island)
        )
    layers += marks.legend(look.legend, LEVEL_SIGNS, "heatmap", "diverging")
    layers.append(data.mark_circle(size=70, opacity=1).encode(x=x, color=island))
    if "trials" in look.has:
        tick = alt.Chart(alt.NamedData("trials")).mark_tick(style="trial", thickness=1)
        layers.append(tick.encode(x=x, y=y))
    chart = alt.layer(marks.zero(x=alt.XDatum(0)), *layers)
    return chart.properties(width=WIDTH, height=height_of(look.places))


def height_of(places: Sequence[object]) -> float:
    """Return the height of a chart of levels."""
    return max(3, len(places)) * LEVEL_HEIGHT


def level_axes(x_title: str, y_title: str, places: Sequence[str]) -> tuple[Any, Any]:
    """Return the axes of a chart of levels."""
    x = alt.X(
        "effect", type="quantitative", title=x_title,
        scale=alt.Scale(zero=True, nice=True), axis=alt.Axis(tickCount=6, labelOverlap=True),
    )  # fmt: skip
    y = alt.Y(
        "level:N", title=y_title, scale=alt.Scale(domain=list(places)),
        axis=alt.Axis(ticks=False, domain=False, grid=False),
    )  # fmt: skip
    return x, y
