"""Two columns at once drawn: lines by level, lines at a few values, dots; a map of colours last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import marks, mpl, theme
from paribus.plotting.by_group import APART, BAND
from paribus.plotting.curve import x_axis
from paribus.plotting.marks import HEIGHT, WIDTH
from paribus.plotting.picture import measured
from paribus.plotting.theme import ISLANDS, QUIET

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

    from paribus.base.arrays import AnyArray, FloatArray
    from paribus.results import JointEffect

TOGETHER = len(ISLANDS)
AT_SHARES = (0.1, 0.5, 0.9)  # of the rows: where lines are drawn along the other number
BLANK = "#ececec"


@dataclass(frozen=True, slots=True)
class Line:
    """The surface along one column, the other at one of its values.

    Attributes
    ----------
    label : str
        Which value or level of the other.
    at : array of shape (m,)
        Values of the one; numbers of its levels where it is a category.
    effect, lower, upper : float arrays of shape (m,)
    """

    label: str
    at: AnyArray
    effect: FloatArray
    lower: FloatArray
    upper: FloatArray


def lines_of(both: JointEffect) -> tuple[int, list[Line]]:
    """Return which column lies along the axis, 0 or 1, and a line for values of the other.

    A category is never the axis beside a number. Of many levels the commonest are drawn.
    """
    axis = 1 if both.is_number == (False, True) else 0
    turn = np.transpose if axis else np.asarray
    effect, lower, upper, count = (
        turn(part) for part in (both.effect, both.lower, both.upper, both.count)
    )
    x = both.x2 if axis else both.x1
    at = x if isinstance(x, np.ndarray) else np.arange(len(x))
    labels, rows = both.labels(1 - axis), count.sum(axis=0)
    if both.is_number[1 - axis]:
        share = np.cumsum(rows) / rows.sum()
        chosen = np.unique(np.searchsorted(share, AT_SHARES).clip(0, len(rows) - 1))
    else:
        chosen = np.sort(np.argsort(-rows, kind="stable")[:TOGETHER])
    return axis, [
        Line(labels[k], at, effect[:, k], lower[:, k], upper[:, k]) for k in chosen.tolist()
    ]


def plot_joint(both: JointEffect, ax: Axes | None = None) -> Axes:
    """Draw lines along a number, or dots along a category, in the colours of the other."""
    ax = ax if ax is not None else mpl.new_axes()
    axis, lines = lines_of(both)
    if both.is_number[axis]:
        _draw_lines(lines, ax)
    else:
        _draw_dots(lines, both.labels(axis), ax)
    title = f"{measured(both)}: difference from the mean"
    names = (both.features[axis], title)
    x_title, y_title = names if both.is_number[axis] else names[::-1]
    ax.set_xlabel(x_title, parse_math=False)
    ax.set_ylabel(y_title, parse_math=False)
    other = both.features[1 - axis]
    ax.legend(title=other, frameon=False, fontsize="small", title_fontsize="small")
    return ax


def _draw_lines(lines: list[Line], ax: Axes) -> None:
    ax.axhline(0, color=QUIET, linewidth=0.6, zorder=0)
    for line, colour in zip(lines, ISLANDS, strict=False):
        ax.fill_between(line.at, line.lower, line.upper, color=colour, alpha=BAND, linewidth=0)
        ax.plot(line.at, line.effect, color=colour, linewidth=1.8, label=mpl.short(line.label))
    ax.yaxis.set_major_formatter(mpl.THOUSANDS)


def _draw_dots(lines: list[Line], levels: tuple[str, ...], ax: Axes) -> None:
    ax.axvline(0, color=QUIET, linewidth=0.6, zorder=0)
    step = APART / max(len(lines), 1)
    for k, (line, colour) in enumerate(zip(lines, ISLANDS, strict=False)):
        at = -line.at - (k - (len(lines) - 1) / 2) * step
        ax.hlines(at, line.lower, line.upper, color=colour, linewidth=1.8)
        ax.plot(line.effect, at, "o", color=colour, ms=5, label=mpl.short(line.label))
    ax.set_yticks([-k for k in range(len(levels))], [*map(mpl.short, levels)], parse_math=False)
    ax.xaxis.set_major_formatter(mpl.THOUSANDS)


def plot_map(both: JointEffect, ax: Axes | None = None) -> Axes:
    """Draw the surface as coloured cells around its points, grey where no rows are."""
    ax = ax if ax is not None else mpl.new_axes()
    edges = [_edges(x) for x in (both.x1, both.x2)]
    most = float(np.nanmax(np.abs(both.effect))) or 1.0
    ax.set_facecolor(BLANK)
    drawn = ax.pcolormesh(*edges, both.effect.T, cmap="RdBu_r", vmin=-most, vmax=most)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.set_label(f"{measured(both)}: difference from the mean", parse_math=False)
    for side, axis in enumerate((ax.xaxis, ax.yaxis)):
        axis.set_label_text(both.features[side], parse_math=False)
        if not both.is_number[side]:
            labels = [*map(mpl.short, both.labels(side))]
            axis.set_ticks(range(len(labels)), labels, parse_math=False)
    return ax


def _edges(x: Any) -> Any:
    """Return the ends of the cells around points, half-way to their neighbours."""
    if not isinstance(x, np.ndarray):
        return np.arange(len(x) + 1) - 0.5
    return np.concatenate([x[:1], x[:-1] + np.diff(x) / 2, x[-1:]])


def joint_chart(both: JointEffect) -> alt.LayerChart:
    """Draw the same lines or dots with Altair."""
    alt_ = marks.altair()
    axis, lines = lines_of(both)
    rows = list(_rows(both, axis, lines))
    number, other = both.is_number[axis], both.features[1 - axis]
    domain = [f"{other} = {line.label}" for line in lines]
    colour = alt_.Color(
        "who:N", scale=alt_.Scale(domain=domain, range="category"),
        legend=alt_.Legend(orient="top", title=None, symbolOpacity=1, labelLimit=400),
    )  # fmt: skip
    data = alt_.Chart(alt_.InlineData(values=rows)).encode(color=colour)
    title = f"{measured(both)}: difference from the mean"
    value = {"type": "quantitative", "title": title}
    shown = [alt_.Tooltip("place:N", title="title"), "effect:Q", "lower:Q", "upper:Q"]
    if number:
        x = x_axis(both.features[axis], isinstance(rows[0]["x"], str))
        area = data.mark_area(opacity=0.22).encode(x=x, y=alt_.Y("lower", **value), y2="upper")
        line = data.mark_line(strokeWidth=2).encode(x=x, y=alt_.Y("effect", **value))
        dots = data.mark_circle(size=60, opacity=0).encode(
            x=x, y=alt_.Y("effect", **value), tooltip=shown
        )
        layers, height = [area, line, dots], HEIGHT
    else:
        y = alt_.Y("x:N", title=both.features[axis], sort=[*both.labels(axis)])
        placed = data.encode(y=y, yOffset=alt_.YOffset("who:N", sort=domain), tooltip=shown)
        rule = placed.mark_rule(strokeWidth=2).encode(x=alt_.X("lower", **value), x2="upper")
        mark = placed.mark_point(size=55, filled=True, opacity=1)
        layers = [rule, mark.encode(x=alt_.X("effect", **value))]
        height = 28 * max(3, len(both.labels(axis)))
    sized = alt_.layer(*layers).properties(width=WIDTH, height=height)
    return sized.configure(**theme.LIGHT)


def _rows(both: JointEffect, axis: int, lines: list[Line]) -> Iterator[dict[str, Any]]:
    one, other = both.features[axis], both.features[1 - axis]
    places = both.labels(axis)
    for line in lines:
        for k, name in enumerate(places):
            if np.isnan(line.effect[k]):
                continue
            at: Any = line.at[k]
            if not both.is_number[axis]:
                at = name
            yield {
                "x": at.item() if isinstance(at, np.number) else str(at),
                "who": f"{other} = {line.label}",
                "effect": float(line.effect[k]),
                "lower": float(line.lower[k]),
                "upper": float(line.upper[k]),
                "place": f"{one} = {name}, {other} = {line.label}",
            }
