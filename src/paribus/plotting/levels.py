"""The chart of a category's levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points, theme
from paribus.plotting.marks import NUMBER, WIDTH, Layers
from paribus.plotting.points import Row, Stored

if TYPE_CHECKING:
    import altair as alt

LEVEL_HEIGHT = 19
APART = 4  # islands set apart by room between them; further ones only by order


@dataclass(frozen=True, slots=True)
class LevelLook:
    """All that tells the chart of one category from that of another, beside its data.

    Attributes
    ----------
    x_title, y_title : str
    places : tuple of str
        The levels from top to bottom, with blanks between islands.
    height : float
    has : frozenset of str
        The parts that there are.
    """

    x_title: str
    y_title: str
    places: tuple[str, ...]
    height: float
    has: frozenset[str]


def level_look(stored: Stored) -> LevelLook:
    """Decide how a stored category is to be drawn."""
    rows = points.level_rows(stored)
    places = _places([row for row in rows if row["drawn"]])
    left = len(rows) - sum(row["drawn"] for row in rows)
    return LevelLook(
        x_title=f"{marks.quantity(stored)}: difference from the mean",
        y_title=stored["feature"] + (f" ({left:,} more not drawn)" if left else ""),
        places=tuple(places),
        height=max(3, len(places)) * LEVEL_HEIGHT,
        has=points.parts_of(stored, (*points.SIDES, "cloud")),
    )


def level_tables(stored: Stored) -> dict[str, list[Row]]:
    """Return the data of a stored category's chart."""
    rows = points.level_rows(stored)
    trials = points.level_trials(stored, [row["level"] for row in rows if row["drawn"]])
    tables = {"points": rows, "trials": trials, "cloud": points.cloud_rows(stored)}
    return {name: table for name, table in tables.items() if table}


def level_chart(look: LevelLook) -> alt.LayerChart:
    """Draw a dot with its interval a level, sorted, the islands apart."""
    alt = marks.altair()
    y = alt.Y(
        "level:N", title=look.y_title, scale=alt.Scale(domain=list(look.places)),
        axis=alt.Axis(ticks=False, domain=False, grid=False),
    )  # fmt: skip
    x = alt.X(
        "effect", type="quantitative", title=look.x_title,
        scale=alt.Scale(zero=True, nice=True), axis=alt.Axis(tickCount=6, labelOverlap=True),
    )  # fmt: skip
    zero = alt.Chart(alt.InlineData(values=[{}])).mark_rule(style="zero").encode(x=alt.XDatum(0))
    chart = alt.layer(zero, *_whiskers(look, x, y))
    return chart.properties(width=WIDTH, height=look.height)


def _whiskers(look: LevelLook, x: Any, y: Any) -> Layers:
    alt = marks.altair()
    told = marks.told(*(n for n in ("effect", "lower", "upper") if n in look.has))
    told += (
        [alt.Tooltip("marginal:Q", format=NUMBER, title=theme.MARGINAL)]
        if "marginal" in look.has
        else []
    )
    told = [alt.Tooltip("level:N"), *told, alt.Tooltip("count:Q", format=",", title="rows")]
    data = alt.Chart(alt.NamedData("points")).transform_filter("datum.drawn == 1")
    data = data.encode(y=y, tooltip=told)
    island = alt.Color("island:N", scale=alt.Scale(range="category"), legend=None)
    layers: Layers = []
    if "cloud" in look.has:
        dots = alt.Chart(alt.NamedData("cloud")).mark_circle(style="cloud")
        layers.append(dots.encode(x=x, y=y))
    if "marginal" in look.has:
        hollow = data.mark_point(style="marginal-dot", shape="diamond", filled=False)
        layers.append(hollow.encode(x=marks.at(x, "marginal")))
        names = ["other columns held still", theme.MARGINAL]
        layers.append(marks.legend(names, names, "ramp"))
    if "lower" in look.has:
        layers.append(
            data.mark_rule(strokeWidth=2.2).encode(x=marks.at(x, "lower"), x2="upper", color=island)
        )
    layers.append(data.mark_circle(size=70, opacity=1).encode(x=x, color=island))
    if "trials" in look.has:
        tick = alt.Chart(alt.NamedData("trials")).mark_tick(style="trial", thickness=1)
        layers.append(tick.encode(x=x, y=y))
    return layers


def _places(rows: Sequence[Row]) -> list[str]:
    """Return the levels from top to bottom, with room between islands."""
    places: list[str] = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and before["island"] != row["island"] <= APART:
            places.append("\u2007" * row["island"])
        places.append(row["level"])
    return places
