"""The effects of groups drawn: lines in one picture, or small multiples if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import mpl
from paribus.plotting.lines import (
    DOT_ROOM,
    ROOM,
    Line,
    Lines,
    draw_lines,
    lines_chart,
    plot_lines,
)
from paribus.plotting.picture import (
    axis_positions,
    change_title,
    difference_title,
    is_drawn_as_curve,
    measured,
    picture_of,
)
from paribus.plotting.rows import drawn_rows
from paribus.plotting.theme import ISLANDS, QUIET
from paribus.results.by_words import step_of, two_values
from paribus.table.columns import MISSING_LEVEL

if TYPE_CHECKING:
    from altair import LayerChart
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paribus.results import ByGroup

ACROSS = 3  # small multiples in a row
END = 0.005  # share of the rows at either end of a curve that is not drawn
FEW_MISSING = 0.05  # share of rows without a value that is not drawn
TOGETHER = len(ISLANDS)  # lines that can be told apart in one picture


def apart_of(by: ByGroup) -> Lines:
    """Return the difference between a column's two values, as a dot for each group."""
    first, (low, high) = by.effects[0], two_values(by)
    step, _ = step_of(by)
    found = [next(iter(by.contrasts(label).values())) for label in by.labels]
    sides = np.array([[step * c.value, step * c.lower, step * c.upper] for c in found])
    title = f"{measured(first)}: {first.feature} = {high} rather than {low}"
    return Lines(by.column, title, "", None, by.labels, [Line(first.feature, *sides.T)])


def plot_groups(by: ByGroup, ax: Axes | None = None) -> Axes:
    """Draw the groups with the most rows in one picture; see also `plot_small`.

    For a column with two values the difference between them is drawn, as a dot for each group.
    """
    if len(by.points) == 2:
        return plot_lines(apart_of(by), ax)
    shown = largest(by)
    left = len(by) - len(shown)
    more = f" ({left} smaller group{'s' if left > 1 else ''} not drawn)" if left else ""
    look = _look(by, shown, by.column + more)
    ax = plot_lines(look, ax)
    _limit(ax, look)
    return ax


def largest(by: ByGroup) -> list[str]:
    """Return the groups that fit into one picture, in their order.

    A small group of missing values is left out: its uncertainty would only blow up the scale.
    """
    often = sorted(by.labels, key=lambda g: -by[g].n_rows)[:TOGETHER]
    few = FEW_MISSING * sum(by[g].n_rows for g in by)
    if len(often) > 2 and MISSING_LEVEL in often and by[MISSING_LEVEL].n_rows < few:
        often.remove(MISSING_LEVEL)
    return [g for g in by.labels if g in often]


def _look(by: ByGroup, groups: Sequence[str], legend: str) -> Lines:
    """Describe groups in one picture: a line for each, or a row of dots for each level."""
    first = by.effects[0]
    curve = is_drawn_as_curve(first)
    drawn = [] if curve else [row for g in groups for row in drawn_rows(picture_of(by[g]))]
    labels = {label for group in groups for label in by[group].labels}
    levels = tuple(dict.fromkeys(row["level"] for row in drawn if row["level"] in labels))
    lines = [replace(_line(by[group], group, levels), name=by.named(group)) for group in groups]
    title = change_title(first) if curve else difference_title(first)
    return Lines(first.feature, title, legend, lines[0].at, levels, lines)


def _line(e: Any, group: str, levels: Sequence[str] = ()) -> Line:
    """Return what is drawn of a group: the bulk of its curve, or its values at some levels."""
    sides = np.array([e.effect, e.lower, e.upper])
    if is_drawn_as_curve(e):
        below = np.cumsum(e.weights)
        seen = np.flatnonzero((below >= END) & (below - e.weights <= 1 - END))
        gaps = 1 + np.flatnonzero(np.diff(np.maximum.accumulate(e.pieces[seen])))
        seen = np.insert(seen, gaps, seen[gaps])
        sides = sides[:, seen]
        sides[:, gaps + np.arange(len(gaps))] = np.nan
        at = mpl.on_axis(axis_positions(e)[seen], e.is_dated)
        effect, lower, upper = sides
        places = tuple(e.labels[k] for k in seen)
        return Line(group, effect, lower, upper, at, places)
    place = {label: k for k, label in enumerate(e.labels)}
    known = [place.get(level, len(place)) for level in levels]
    return Line(group, *np.pad(sides, ((0, 0), (0, 1)), constant_values=np.nan)[:, known])


def _limit(ax: Axes, look: Lines) -> None:
    """Set the limits of the axis to show everything, with a small margin."""
    if look.at is None:
        ax.locator_params(axis="x", nbins=5)
        return
    every: Any = np.concatenate([line.at for line in look.lines if line.at is not None])
    room = 0.02 * np.ptp(every)
    ax.set_xlim(every.min() - room, every.max() + room)


def plot_small(by: ByGroup) -> Figure:
    """Draw a panel for each group on one scale, the other groups in grey behind it.

    For a column with two values there is one panel, as in `plot_groups`.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> figure = plot_small(pb.effect(d.table, "weight", "height", by="sex").by)
    >>> [ax.get_title() for ax in figure.axes]
    ['sex = F', 'sex = M']
    """
    if len(by.points) == 2:
        figure = mpl.new_figure(7.2, ROOM + DOT_ROOM * len(by))
        figure.add_subplot().spines[["top", "right"]].set_visible(False)
        plot_lines(apart_of(by), figure.axes[0])
        return figure
    panels = [by.named(mpl.short(group)) for group in by.labels]
    every = _look(by, by.labels, "")
    figure, axes = mpl.new_panels(panels, ACROSS, (3.6, 2.7), every.titles)
    for ax, group in zip(axes, by.labels, strict=True):
        for line in [] if every.at is None else every.lines:
            at: Any = line.at
            ax.plot(at, line.effect, color=QUIET, linewidth=0.7, alpha=0.5)
        look = _look(by, [group], "")
        draw_lines(look, ax)
        _limit(ax, look)
    return figure


def groups_chart(by: ByGroup) -> LayerChart:
    """Draw the groups over each other with Altair; of many, those with the most rows."""
    if len(by.points) == 2:
        return lines_chart(apart_of(by))
    return lines_chart(_look(by, largest(by), by.column))
