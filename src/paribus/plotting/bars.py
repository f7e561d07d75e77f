"""The strongest interactions as bars: described once, drawn with matplotlib and with Altair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from paribus.plotting import marks, mpl, theme
from paribus.plotting.levels import height_of
from paribus.plotting.marks import alt

if TYPE_CHECKING:
    from altair import LayerChart
    from matplotlib.axes import Axes

    from paribus.results import Interaction, Interactions


def bars_of(interactions: Interactions, most: int) -> tuple[str, Sequence[Interaction]]:
    """Return the axis title and the strongest interactions, or the likeliest if none is found."""
    drawn = interactions.found or interactions.items
    measured = interactions.unit or interactions.target
    return f"how far the effect on {measured} moves", drawn[:most]


def plot_bars(interactions: Interactions, most: int, ax: Axes | None = None) -> Axes:
    """Draw a bar with its interval for each of the strongest, pale if it is not significant."""
    title, bars = bars_of(interactions, most)
    if ax is None:
        ax = mpl.new_axes(0.9 + 0.32 * max(len(bars), 2))
    for k, one in enumerate(bars):
        ax.barh(k, one.strength, height=0.6, color=theme.BLUE, alpha=0.75 if one.found else 0.25)
    place, lower = range(len(bars)), [one.lower for one in bars]
    ax.hlines(place, lower, [one.upper for one in bars], color=theme.INK, linewidth=1.4)
    ax.set_yticks(place, [mpl.short(one.name) for one in bars], parse_math=False)
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter(mpl.THOUSANDS)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(left=0)
    ax.set_xlabel(title, parse_math=False)
    return ax


def bars_chart(interactions: Interactions, most: int) -> LayerChart:
    """Draw the same with Altair, with numbers under the pointer."""
    title, bars = bars_of(interactions, most)
    sides = ("strength", "lower", "upper", "p_value")
    rows = [
        {"place": one.name, **{name: getattr(one, name) for name in (*sides, "found")}}
        for one in bars
    ]
    axis = alt.Axis(ticks=False, domain=False, grid=False)
    data = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("place:N", title=None, sort=None, axis=axis),
        tooltip=marks.tooltip(sides, *sides),
    )
    x = alt.X("strength:Q", title=title)
    pale = alt.condition("datum.found", alt.value(0.75), alt.value(0.25))
    bar = data.mark_bar(color=theme.BLUE, height=11).encode(x=x, opacity=pale)
    rule = data.mark_rule(style="curve", strokeWidth=1.4).encode(x="lower:Q", x2="upper")
    return alt.layer(bar, rule).properties(width=marks.WIDTH, height=height_of(bars))
