"""The chart of a category's levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points, theme
from paribus.plotting.marks import NUMBER, WIDTH, Layers
from paribus.plotting.points import Row, Stored

if TYPE_CHECKING:
    import altair as alt

LEVEL_HEIGHT = 19
APART = 4  # islands set apart by room between them; further ones only by order


def level_chart(stored: Stored) -> tuple[alt.LayerChart, dict[str, list[Row]]]:
    """Draw a dot with its interval a level, sorted, the islands apart."""
    alt = marks.altair()
    rows = points.level_rows(stored)
    places = _places([row for row in rows if row["drawn"]])
    left = len(rows) - sum(row["drawn"] for row in rows)
    title = stored["feature"] + (f" ({left:,} more not drawn)" if left else "")
    y = alt.Y(
        "level:N", title=title, scale=alt.Scale(domain=places),
        axis=alt.Axis(ticks=False, domain=False, grid=False),
    )  # fmt: skip
    x = alt.X(
        "effect", type="quantitative", title=f"{marks.quantity(stored)}: difference from the mean",
        scale=alt.Scale(zero=True, nice=True), axis=alt.Axis(tickCount=6, labelOverlap=True),
    )  # fmt: skip
    layers = [
        alt.Chart(alt.InlineData(values=[{}])).mark_rule(style="zero").encode(x=alt.XDatum(0))
    ]
    layers += _whiskers(stored, x, y)
    height = max(3, len(places)) * LEVEL_HEIGHT
    chart = alt.layer(*layers).properties(width=WIDTH, height=height)
    return chart, {"points": rows}


def _whiskers(stored: Stored, x: Any, y: Any) -> Layers:
    alt = marks.altair()
    told = marks.told(*(n for n in ("effect", "lower", "upper") if stored.get(n)))
    told += (
        [alt.Tooltip("marginal:Q", format=NUMBER, title=theme.MARGINAL)]
        if stored.get("marginal")
        else []
    )
    told = [alt.Tooltip("level:N"), *told, alt.Tooltip("count:Q", format=",", title="rows")]
    data = alt.Chart(alt.NamedData("points")).transform_filter("datum.drawn == 1")
    data = data.encode(y=y, tooltip=told)
    island = alt.Color("island:N", scale=alt.Scale(range="category"), legend=None)
    layers: Layers = []
    if stored.get("marginal"):
        hollow = data.mark_point(style="marginal-dot", shape="diamond", filled=False)
        layers.append(hollow.encode(x=marks.at(x, "marginal")))
        names = ["other columns held still", theme.MARGINAL]
        layers.append(marks.legend(names, names, "ramp"))
    if stored.get("lower"):
        layers.append(
            data.mark_rule(strokeWidth=2.2).encode(x=marks.at(x, "lower"), x2="upper", color=island)
        )
    layers.append(data.mark_circle(size=70, opacity=1).encode(x=x, color=island))
    return layers


def _places(rows: Sequence[Row]) -> list[str]:
    """Return the levels from top to bottom, with room between islands."""
    places: list[str] = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and before["island"] != row["island"] <= APART:
            places.append("\u2007" * row["island"])
        places.append(row["level"])
    return places
