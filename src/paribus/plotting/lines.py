"""Lines or dots with intervals in one picture, described once and drawn by two libraries."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import marks, mpl
from paribus.plotting.curve import x_axis
from paribus.plotting.levels import LEVEL_HEIGHT, level_axes
from paribus.plotting.marks import HEIGHT, WIDTH
from paribus.plotting.theme import ISLANDS, QUIET

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

    from paribus.base.arrays import AnyArray, FloatArray

BAND = 0.16
APART = 0.7  # of the room of a level, shared by its dots
ROOM, DOT_ROOM = 1.0, 0.32  # inches of a picture of dots: around them, and for each


@dataclass(frozen=True, slots=True)
class Line:
    """One line."""

    label: str  # which one, in the legend
    effect: FloatArray  # (m,)
    lower: FloatArray  # (m,)
    upper: FloatArray  # (m,)


@dataclass(frozen=True, slots=True)
class Lines:
    """A picture of lines along a number, or of dots along a category."""

    # Of the column that they run along, and of what is measured.
    x_title: str
    y_title: str
    legend: str  # what the lines are told apart by; empty where there is but one line
    at: AnyArray | None  # (m,): places of a number; None along a category
    places: tuple[str, ...]  # the same as text
    lines: list[Line]

    @property
    def dated(self) -> bool:
        """Whether they run along dates."""
        return self.at is not None and self.at.dtype.kind == "M"

    @property
    def names(self) -> list[str]:
        """What each line is, in full."""
        named = f"{self.legend} = " if self.legend else ""
        return [f"{named}{line.label}" for line in self.lines]


def plot_lines(look: Lines, ax: Axes | None = None) -> Axes:
    """Draw the lines or dots with matplotlib."""
    if ax is None:
        alone = look.at is None and len(look.lines) == 1
        ax = mpl.new_axes(ROOM + DOT_ROOM * len(look.places)) if alone else mpl.new_axes()
    (_draw_dots if look.at is None else _draw_lines)(look, ax)
    titles = (look.x_title, look.y_title)
    for name, text in zip("xy", titles[::-1] if look.at is None else titles, strict=True):
        getattr(ax, f"set_{name}label")(textwrap.fill(text, mpl.WIDEST), parse_math=False)
    if look.legend:
        name_lines(ax, look.legend, above=look.at is None)
    return ax


def name_lines(ax: Axes, title: str, *, above: bool) -> None:
    """Add the legend; `above` the picture where it would lie upon dots."""
    look: dict[str, Any] = {"frameon": False, "fontsize": "small", "title_fontsize": "small"}
    if above:
        look |= {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2}
    ax.legend(title=title, **look)


def _draw_lines(look: Lines, ax: Axes) -> None:
    at: Any = look.at
    ax.axhline(0, color=QUIET, linewidth=0.6, zorder=0)
    for line, colour in zip(look.lines, ISLANDS, strict=False):
        ax.fill_between(at, line.lower, line.upper, color=colour, alpha=BAND, linewidth=0)
        ax.plot(at, line.effect, color=colour, linewidth=1.8, label=mpl.short(line.label))
    ax.yaxis.set_major_formatter(mpl.THOUSANDS)


def _draw_dots(look: Lines, ax: Axes) -> None:
    ax.axvline(0, color=QUIET, linewidth=0.6, zorder=0)
    step = APART / max(len(look.lines), 1)
    for k, (line, colour) in enumerate(zip(look.lines, ISLANDS, strict=False)):
        at = -np.arange(len(look.places)) - (k - (len(look.lines) - 1) / 2) * step
        ax.hlines(at, line.lower, line.upper, color=colour, linewidth=1.8)
        ax.plot(line.effect, at, "o", color=colour, ms=5, label=mpl.short(line.label))
    ticks = [-k for k in range(len(look.places))]
    ax.set_yticks(ticks, [*map(mpl.short, look.places)], parse_math=False)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter(mpl.THOUSANDS)


def lines_chart(look: Lines) -> alt.LayerChart:
    """Draw the same lines or dots with Altair."""
    alt_ = marks.altair()
    rows = list(_rows(look))
    who = look.names
    colour = alt_.Color(
        "who:N", scale=alt_.Scale(domain=who, range="category"),
        legend=alt_.Legend(orient="top", title=None, symbolOpacity=1, labelLimit=400)
        if look.legend else None,
    )  # fmt: skip
    data = alt_.Chart(alt_.NamedData("points")).encode(color=colour)
    shown = marks.tooltip(("effect", "lower", "upper"), "effect", "lower", "upper")
    layers, height = (_dots if look.at is None else _curves)(look, data, shown)
    data = alt_.Datasets(points=rows)
    return alt_.layer(*layers).properties(width=WIDTH, height=height, datasets=data)


def _curves(look: Lines, data: Any, shown: list[Any]) -> tuple[list[Any], int]:
    alt_ = marks.altair()
    x = x_axis(look.x_title, look.dated)
    y = alt_.Y(
        "effect", type="quantitative", title=look.y_title, axis=alt_.Axis(tickCount=6)
    )  # fmt: skip
    zero = alt_.Chart(alt_.InlineData(values=[{}])).mark_rule(style="zero")
    area = data.mark_area(opacity=0.22).encode(x=x, y=marks.at(y, "lower"), y2="upper")
    line = data.mark_line(strokeWidth=2).encode(x=x, y=y)
    dots = data.mark_circle(size=60, opacity=0).encode(x=x, y=y, tooltip=shown)
    return [zero.encode(y=alt_.YDatum(0)), area, line, dots], HEIGHT


def _dots(look: Lines, data: Any, shown: list[Any]) -> tuple[list[Any], int]:
    who = look.names
    alt_ = marks.altair()
    x, y = level_axes(look.y_title, look.x_title, look.places)
    zero = alt_.Chart(alt_.InlineData(values=[{}])).mark_rule(style="zero")
    placed = data.encode(y=y, yOffset=alt_.YOffset("who:N", sort=who), tooltip=shown)
    rule = placed.mark_rule(strokeWidth=2).encode(x=marks.at(x, "lower"), x2="upper")
    mark = placed.mark_point(size=55, filled=True, opacity=1).encode(x=x)
    height = max(3, len(look.places)) * (LEVEL_HEIGHT + 7 * (len(who) - 1))
    return [zero.encode(x=alt_.XDatum(0)), rule, mark], height


def _rows(look: Lines) -> Iterator[dict[str, Any]]:
    """Return the points of all lines; where no rows are there is none."""
    where = "level" if look.at is None else "x"
    at: Sequence[Any] = look.places if look.at is None else _values(look)
    for who, line in zip(look.names, look.lines, strict=True):
        for k, place in enumerate(look.places):
            if np.isnan(line.effect[k]):
                continue
            whose = f", {who}" if look.legend else ""
            yield {
                where: at[k],
                **({"date": str(place)} if look.dated else {}),
                "who": who,
                "effect": float(line.effect[k]),
                "lower": float(line.lower[k]),
                "upper": float(line.upper[k]),
                "place": f"{look.x_title} = {place}{whose}",
            }


def _values(look: Lines) -> list[float]:
    if look.at is None:
        return []
    at = look.at.astype("datetime64[ms]").astype(np.int64) if look.dated else look.at
    return [float(value) for value in at]
