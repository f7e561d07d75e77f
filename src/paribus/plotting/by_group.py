"""The effects of groups drawn: lines over each other, many of them as small multiples."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import mpl
from paribus.plotting.lines import (
    APART,
    BAND,
    DOT_ROOM,
    ROOM,
    Line,
    Lines,
    lines_chart,
    name_lines,
    plot_lines,
)
from paribus.plotting.overlay import Series, overlay_chart
from paribus.plotting.picture import (
    axis_positions,
    change_title,
    difference_title,
    is_drawn_as_curve,
    measured,
)
from paribus.plotting.theme import ISLANDS, QUIET
from paribus.results.by_words import two_values
from paribus.table.columns import MISSING_LEVEL

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paribus.base.arrays import FloatArray
    from paribus.results import ByGroup, Effect

ACROSS = 3  # small multiples in a row
FEW_MISSING = 0.05  # share of rows without a value that is not drawn
TOGETHER = len(ISLANDS)  # lines that can be told apart in one picture


def apart_of(by: ByGroup) -> Lines:
    """Return the difference between a column's two values in each group, a dot a group."""
    first, (low, high) = by.effects[0], two_values(by)
    step = float(np.ptp(by.points)) if first.is_curve else 1.0
    found = [next(iter(by.contrasts(label).values())) for label in by.labels]
    sides = np.array([[step * c.value, step * c.lower, step * c.upper] for c in found])
    title = f"{measured(first)}: {first.feature} = {high} rather than {low}"
    return Lines(by.column, title, "", None, by.labels, [Line(first.feature, *sides.T)])


def plot_groups(by: ByGroup, ax: Axes | None = None) -> Axes:
    """Draw the first groups over each other, those with the most rows; see `plot_small`.

    Of a column with two values the difference between them is drawn, a dot for each group.
    """
    if len(by.points) == 2:
        return plot_lines(apart_of(by), ax)
    ax = ax if ax is not None else mpl.new_axes()
    shown = largest(by)
    curve = is_drawn_as_curve(by.effects[0])
    (_draw_curves if curve else _draw_levels)({g: by[g] for g in shown}, ax)
    for name, text in zip("xy", _titles(by), strict=True):
        getattr(ax, f"set_{name}label")(textwrap.fill(text, mpl.WIDEST), parse_math=False)
    left = len(by) - len(shown)
    title = by.column + (
        f" ({left} smaller group{'s' if left > 1 else ''} not drawn)" if left else ""
    )
    name_lines(ax, title, above=not curve)
    return ax


def largest(by: ByGroup) -> list[str]:
    """Return the groups that one picture can hold, in their order.

    A few rows without a value, of which little is known, would only blow up the scale.
    """
    often = sorted(by.labels, key=lambda g: -by[g].n_rows)[:TOGETHER]
    few = FEW_MISSING * sum(by[g].n_rows for g in by)
    if len(often) > 2 and MISSING_LEVEL in often and by[MISSING_LEVEL].n_rows < few:
        often.remove(MISSING_LEVEL)
    return [g for g in by.labels if g in often]


def _draw_curves(effects: Mapping[str, Effect], ax: Axes) -> None:
    ax.axhline(0, color=QUIET, linewidth=0.6, zorder=0)
    for (label, e), colour in zip(effects.items(), ISLANDS, strict=False):
        _draw_one(e, ax, colour, label)
    ax.yaxis.set_major_formatter(mpl.THOUSANDS)
    low, high = _bulk_of([*effects.values()])
    first: Any = next(iter(effects.values()))
    ax.set_xlim(*mpl.on_axis([low, high], first.is_dated))


def _draw_one(e: Any, ax: Axes, colour: str, label: str) -> None:
    x = mpl.on_axis(axis_positions(e), e.is_dated)
    inside = _seen(e)
    if e.lower is not None and e.upper is not None:
        ax.fill_between(
            x[inside], e.lower[inside], e.upper[inside], color=colour, alpha=BAND, linewidth=0
        )
    ax.plot(x[inside], e.effect[inside], color=colour, linewidth=1.8, label=mpl.short(label))


def _seen(e: Any) -> Any:
    """Return the points between which all but the last few rows at either end lie."""
    below = np.cumsum(e.weights)
    return (below >= 0.005) & (below - e.weights <= 0.995)


def _bulk_of(effects: list[Any]) -> tuple[float, float]:
    ends: list[FloatArray] = [axis_positions(e)[_seen(e)] for e in effects]
    low, high = min(float(x[0]) for x in ends), max(float(x[-1]) for x in ends)
    room = 0.02 * (high - low)
    return low - room, high + room


def _draw_levels(effects: Mapping[str, Effect], ax: Axes) -> None:
    """Draw a row of dots a level, the groups beside each other."""
    levels = list(dict.fromkeys(label for e in effects.values() for label in e.labels))
    ax.axvline(0, color=QUIET, linewidth=0.6, zorder=0)
    step = APART / max(len(effects), 1)
    for k, ((group, e), colour) in enumerate(zip(effects.items(), ISLANDS, strict=False)):
        at = np.array([-levels.index(label) for label in e.labels], dtype=float)
        at -= (k - (len(effects) - 1) / 2) * step
        if e.lower is not None and e.upper is not None:
            ax.hlines(at, e.lower, e.upper, color=colour, linewidth=1.8)
        ax.plot(e.effect, at, "o", color=colour, ms=5, label=mpl.short(group))
    ax.set_yticks(
        [-k for k in range(len(levels))], [mpl.short(v) for v in levels], parse_math=False
    )
    ax.set_ylim(-len(levels) + 0.4, 0.6)
    ax.locator_params(axis="x", nbins=5)
    ax.xaxis.set_major_formatter(mpl.THOUSANDS)


def plot_small(by: ByGroup) -> Figure:
    """Draw a panel for each group on one scale, the other groups in grey behind it.

    Of a column with two values there is one panel, as in `plot_groups`.

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
    panels = [f"{by.column} = {mpl.short(group)}" for group in by.labels]
    figure, axes = mpl.new_panels(panels, ACROSS, (3.6, 2.7), _titles(by))
    curve = is_drawn_as_curve(by.effects[0])
    for ax, group in zip(axes, by.labels, strict=True):
        if curve:
            for other in by.labels:
                e: Any = by[other]
                x, inside = mpl.on_axis(axis_positions(e), e.is_dated), _seen(e)
                ax.plot(x[inside], e.effect[inside], color=QUIET, linewidth=0.7, alpha=0.5)
        (_draw_curves if curve else _draw_levels)({group: by[group]}, ax)
    return figure


def _titles(by: ByGroup) -> tuple[str, str]:
    """Title the axes."""
    first = by.effects[0]
    if is_drawn_as_curve(first):
        return first.feature, change_title(first)
    return difference_title(first), first.feature


def groups_chart(by: ByGroup) -> alt.LayerChart:
    """Draw the groups over each other with Altair; of many, those with the most rows."""
    if len(by.points) == 2:
        return lines_chart(apart_of(by))
    return overlay_chart([Series(f"{by.column} = {g}", by[g]) for g in largest(by)])
