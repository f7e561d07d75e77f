"""Lines or dots with intervals in one picture, described once and drawn by two libraries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import marks, mpl
from paribus.plotting.curve import x_axis
from paribus.plotting.levels import LEVEL_HEIGHT, level_axes
from paribus.plotting.marks import HEIGHT, WIDTH, alt
from paribus.plotting.theme import ISLANDS, QUIET

if TYPE_CHECKING:
    from altair import LayerChart
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
    # Its own positions (m,), the same as text, and its full name, if lines differ in these.
    at: AnyArray | None = None
    places: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """A picture of lines along a number, or of dots along a category."""

    # Of the column along the axis, and of what is measured.
    x_title: str
    y_title: str
    legend: str  # what distinguishes the lines; empty if there is only one
    at: AnyArray | None  # (m,): positions along a number; None along a category
    places: tuple[str, ...]  # the same as text
    lines: list[Line]

    @property
    def dated(self) -> bool:
        """Whether the axis has dates."""
        return self.at is not None and self.at.dtype.kind == "M"

    @property
    def titles(self) -> tuple[str, str]:
        """The titles of the horizontal and the vertical axis; dots are placed vertically."""
        return (self.y_title, self.x_title) if self.at is None else (self.x_title, self.y_title)

    @property
    def names(self) -> list[str]:
        """The full name of each line."""
        named = f"{self.legend} = " if self.legend else ""
        return [line.name or f"{named}{line.label}" for line in self.lines]


def plot_lines(look: Lines, ax: Axes | None = None) -> Axes:
    """Draw the lines or dots with matplotlib."""
    if ax is None:
        alone = look.at is None and len(look.lines) == 1
        ax = mpl.new_axes(ROOM + DOT_ROOM * len(look.places)) if alone else mpl.new_axes()
    draw_lines(look, ax)
    mpl.title(ax, *look.titles)
    if look.legend:
        style: dict[str, Any] = {"frameon": False, "fontsize": "small", "title_fontsize": "small"}
        if look.at is None:  # above the picture: it would lie upon dots
            style |= {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 2}
        ax.legend(title=look.legend, **style)
    return ax


def draw_lines(look: Lines, ax: Axes) -> None:
    """Draw the lines or dots alone, without a title or a legend."""
    if look.at is None:
        _draw_dots(look, ax)
        return
    ax.axhline(0, color=QUIET, linewidth=0.6, zorder=0)
    for line, colour in zip(look.lines, ISLANDS, strict=False):
        at: Any = look.at if line.at is None else line.at
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
    ax.set_ylim(min(ticks, default=0) - 0.6, 0.6)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter(mpl.THOUSANDS)


def lines_chart(look: Lines) -> LayerChart:
    """Draw the same lines or dots with Altair."""
    colour = marks.colours(look.names, bool(look.legend))
    data = alt.Chart(alt.NamedData("points")).encode(color=colour, detail="piece:O")
    shown = marks.tooltip(("effect", "lower", "upper"), "effect", "lower", "upper")
    layers, height = (_dots if look.at is None else _curves)(look, data, shown)
    data = alt.Datasets(points=list(_rows(look)))
    return alt.layer(*layers).properties(width=WIDTH, height=height, datasets=data)


def _curves(look: Lines, data: Any, shown: list[Any]) -> tuple[list[Any], int]:
    y = alt.Y("effect", type="quantitative", title=look.y_title, axis=alt.Axis(tickCount=6))
    return curve_layers(data, x_axis(look.x_title, look.dated), y, shown), HEIGHT


def curve_layers(
    data: Any, x: Any, y: Any, shown: list[Any], interval: bool = True, **look: Any
) -> list[Any]:
    """Return the layers of curves in one picture, with their intervals."""
    area = data.mark_area(opacity=0.22).encode(x=x, y=marks.at(y, "lower"), y2="upper")
    line = data.mark_line(strokeWidth=2).encode(x=x, y=y).encode(**look)
    dots = data.mark_circle(size=60, opacity=0).encode(x=x, y=y, tooltip=shown)
    return [marks.zero(y=alt.YDatum(0)), *([area] if interval else []), line, dots]


def _dots(look: Lines, data: Any, shown: list[Any]) -> tuple[list[Any], int]:
    who = look.names
    x, y = level_axes(look.y_title, look.x_title, look.places)
    placed = data.encode(y=y, yOffset=alt.YOffset("who:N", sort=who), tooltip=shown)
    return dot_layers(placed, x), dots_height(look.places, who)


def dot_layers(data: Any, x: Any, interval: bool = True, **look: Any) -> list[Any]:
    """Return the layers of dots next to each other, with their intervals."""
    rule = data.mark_rule(strokeWidth=2).encode(x=marks.at(x, "lower"), x2="upper")
    mark = data.mark_point(size=55, filled=True, opacity=1).encode(x=x).encode(**look)
    return [marks.zero(x=alt.XDatum(0)), *([rule] if interval else []), mark]


def dots_height(places: Sequence[str], who: Sequence[str]) -> int:
    """Return the height of a chart with several dots at every place."""
    return max(3, len(places)) * (LEVEL_HEIGHT + 7 * (len(who) - 1))


def _rows(look: Lines) -> Iterator[dict[str, Any]]:
    """Yield the points of all lines; where there are no rows, a line is broken."""
    for who, line in zip(look.names, look.lines, strict=True):
        places, at = line.places or look.places, look.at if line.at is None else line.at
        if at is not None:
            number = at.astype("datetime64[ms]").astype(np.int64) if look.dated else at
        where, values = ("level", places) if at is None else ("x", number.astype(float).tolist())
        blank = np.isnan(line.effect)
        for k in np.flatnonzero(~blank).tolist():
            place = places[k]
            whose = f", {who}" if look.legend else ""
            yield {
                where: values[k],
                "piece": int(blank[:k].sum()),
                **({"date": str(place)} if look.dated else {}),
                "who": who,
                **{side: float(getattr(line, side)[k]) for side in ("effect", "lower", "upper")},
                "place": f"{look.x_title} = {place}{whose}",
            }
