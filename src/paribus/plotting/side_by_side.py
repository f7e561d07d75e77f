"""Several methods for one column: a panel each, with our band behind it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paribus.plotting import marks, mpl
from paribus.plotting.curve import x_axis
from paribus.plotting.levels import level_axes
from paribus.plotting.marks import alt
from paribus.plotting.picture import axis_positions, change_title, heading, is_drawn_as_curve
from paribus.plotting.rows import rows_of
from paribus.plotting.theme import BLUE, INK, MODEL, PAPER, QUIET
from paribus.plotting.vega import chart_of

if TYPE_CHECKING:
    from altair import ConcatChart, LayerChart
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paribus.base.arrays import FloatArray, IntArray
    from paribus.results import Effect, NumericEffect

ACROSS = 3  # panels in a row
MOST_LEVELS = 15
MOST_ROWS = 30  # whose curves are drawn
LABEL_WIDTH = 28  # letters of a legend's entry in a line
NO_RESULT = "no result"
WIDTH, HEIGHT = 240, 170


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """What one method says."""

    title: str
    own: Effect  # as the method returns it
    values: FloatArray  # (m,): at the points of the base, shifted to its level
    height: float  # by how much `own` was shifted

    @property
    def colour(self) -> str:
        """The colour of the method: ours, the paper's, or a model's."""
        ways = {"least_squares": INK, "stratpd": PAPER, "catstratpd": PAPER}
        return ways.get(self.own.method, MODEL)

    @property
    def single_rows(self) -> FloatArray:
        """The curves of single rows, shape (k, m); none for most methods."""
        if self.own.trials is None or len(self.own.trials) < 2:
            return np.empty((0, len(self.own.effect)))
        return self.own.trials[:MOST_ROWS] + self.height


def _points(base: Effect) -> IntArray:
    """Return the points to draw: all of a curve, the commonest levels from top to bottom."""
    if is_drawn_as_curve(base):
        return np.arange(len(base.effect))
    often = np.argsort(-base.weights, kind="stable")[:MOST_LEVELS]
    return often[np.argsort(-np.nan_to_num(base.effect[often]), kind="stable")]


def _band(base: Effect) -> tuple[FloatArray, FloatArray]:
    """Return the band of the base; without one, the effect itself."""
    if base.band_lower is None or base.band_upper is None:
        return base.effect, base.effect
    return base.band_lower, base.band_upper


# ---- matplotlib --------------------------------------------------------------------------------


def plot_panels(base: Effect, panels: Sequence[Panel]) -> Figure:
    """Draw a panel for each method, all on one scale."""
    curve, titles = is_drawn_as_curve(base), (base.feature, change_title(base))
    figure, axes = mpl.new_panels(
        [panel.title for panel in panels], ACROSS, (3.9, 2.9), titles if curve else titles[::-1]
    )
    for ax, panel in zip(axes, panels, strict=True):
        (_curve_panel if curve else _level_panel)(ax, base, panel)
    _limit(axes[0], base, np.concatenate([panel.values for panel in panels]))
    return figure


def plot_over(
    ours: Effect, model: Effect, label: str, stretches: Sequence[Any], ax: Axes | None = None
) -> Axes:
    """Draw a model's effect over ours, and mark the stretches where it leaves our band."""
    ax = mpl.plot_effect(ours, ax)
    label = textwrap.fill(label, LABEL_WIDTH)
    if is_drawn_as_curve(ours):
        axis: Any = model.axis
        (drawn,) = ax.plot(axis, model.effect, color=MODEL, linewidth=1.4, label=label)
        for stretch in stretches:
            ax.axvspan(stretch.start, stretch.stop, color=MODEL, alpha=0.1, linewidth=0)
    else:
        labels = [text.get_text() for text in ax.get_yticklabels()]
        at = dict(zip(labels, ax.get_yticks(), strict=True))
        pairs = [(at.get(mpl.short(k)), v) for k, v in zip(model.labels, model.effect, strict=True)]
        seen = [(place, v) for place, v in pairs if place is not None]
        (drawn,) = ax.plot(
            [v for _, v in seen], [p for p, _ in seen], "D", ms=5, color=MODEL, label=label
        )
    legend = ax.get_legend()
    mpl.draw_legend(ax, [*(legend.legend_handles if legend else []), drawn])
    return ax


def _curve_panel(ax: Axes, base: Effect, panel: Panel) -> None:
    x: Any = base.axis
    ax.axhline(0, color=QUIET, linewidth=0.5, zorder=0)
    ax.yaxis.set_major_formatter(mpl.THOUSANDS)
    ax.fill_between(x, *_band(base), color=BLUE, alpha=0.2, linewidth=0)
    if panel.own is base:
        ax.plot(x, base.effect, color=INK, linewidth=1.5)
        return
    ax.plot(x, base.effect, color=BLUE, linewidth=0.8, alpha=0.7)
    if np.isnan(panel.values).all():
        ax.text(0.5, 0.9, NO_RESULT, transform=ax.transAxes, ha="center", color=QUIET)
        return
    own: Any = panel.own.axis
    for one in panel.single_rows:
        ax.plot(own, one, color=QUIET, linewidth=0.5, alpha=0.6)
    ax.plot(x, panel.values, color=panel.colour, linewidth=1.5)


def _level_panel(ax: Axes, base: Effect, panel: Panel) -> None:
    order = _points(base)[::-1]
    low, high = _band(base)
    at = np.arange(len(order))
    ax.axvline(0, color=QUIET, linewidth=0.5, zorder=0)
    ax.barh(at, (high - low)[order], 0.6, left=low[order], color=BLUE, alpha=0.25)
    ax.plot(base.effect[order], at, "|", color=BLUE, ms=9)
    ax.plot(panel.values[order], at, "o", color=INK if panel.own is base else panel.colour, ms=5)
    ax.use_sticky_edges = False
    ax.margins(x=0.08, y=0.15)
    ax.set_yticks(at, [mpl.short(base.labels[k]) for k in order], parse_math=False)
    ax.xaxis.set_major_formatter(mpl.THOUSANDS)


def _limit(ax: Axes, base: Effect, values: FloatArray) -> None:
    """Let a wide band exceed the picture, so that the curves remain visible."""
    if base.band_lower is None or base.band_upper is None:
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = (high - low) / 2 or 1.0
    ends = (
        max(low - room, min(low, float(np.nanmin(base.band_lower))) - room / 10),
        min(high + room, max(high, float(np.nanmax(base.band_upper))) + room / 10),
    )
    (ax.set_ylim if is_drawn_as_curve(base) else ax.set_xlim)(ends)


# ---- Altair ------------------------------------------------------------------------------------


def panels_chart(base: Effect, panels: Sequence[Panel]) -> ConcatChart:
    """Draw a panel for each method, all on one scale."""
    draw = _curve_layers if is_drawn_as_curve(base) else _level_layers
    drawn = [
        alt.layer(*draw(base, panel)).properties(title=panel.title, width=WIDTH, height=HEIGHT)
        for panel in panels
    ]
    return alt.concat(*drawn, columns=ACROSS).resolve_scale(x="shared", y="shared")


def chart_over(ours: Effect, model: Effect, label: str) -> LayerChart:
    """Draw a model's effect over our chart."""
    chart = chart_of(ours)
    rows = rows_of(_where(model) | {"effect": model.effect})
    data = alt.Chart(alt.InlineData(values=rows))
    if is_drawn_as_curve(ours):
        dated = cast("NumericEffect", ours).is_dated
        x = alt.X("x", type="temporal" if dated else "quantitative")
        inner = chart.layer[1]
        inner.layer = [
            *inner.layer,
            data.mark_line(color=MODEL, clip=True).encode(x=x, y="effect:Q"),
        ]
    else:
        mark = data.mark_point(shape="diamond", filled=True, size=60, color=MODEL)
        shown = marks.tooltip(("effect",), "effect")
        chart.layer = [*chart.layer, mark.encode(x="effect:Q", y="level:N", tooltip=shown)]
    title = alt.TitleParams(label, color=MODEL, anchor="start", fontSize=12)
    return chart.properties(title=title)


def _where(effect: Any) -> dict[str, Any]:
    """Return where the points of an effect lie, and what to call the places."""
    at = {"x": axis_positions(effect)} if is_drawn_as_curve(effect) else {"level": effect.labels}
    return {**at, "place": heading(effect, effect.labels)}


def _rows(base: Effect, panel: Panel) -> list[dict[str, Any]]:
    low, high = _band(base)
    sides = {"effect": panel.values, "ours": base.effect, "lower": low, "upper": high}
    rows = rows_of(_where(base) | sides)
    return [rows[k] for k in _points(base)]


def _curve_layers(base: Any, panel: Panel) -> list[Any]:
    data = alt.Chart(alt.InlineData(values=_rows(base, panel)))
    x, y = x_axis(base.feature, base.is_dated), alt.Y("effect:Q", title=change_title(base))
    parts = [
        data.mark_area(style="interval").encode(x=x, y=alt.Y("lower:Q"), y2="upper:Q"),
        data.mark_line(style="trial").encode(x=x, y=alt.Y("ours:Q")),
    ]
    if len(panel.single_rows):
        own: Any = panel.own
        n, m = panel.single_rows.shape
        singles = {"x": np.tile(axis_positions(own), n), "effect": panel.single_rows.ravel()}
        rows = rows_of(singles | {"row": np.repeat(np.arange(n), m)})
        behind = alt.Chart(alt.InlineData(values=rows)).mark_line(style="trial")
        parts.append(behind.encode(x=x, y=alt.Y("effect:Q"), detail="row:N"))
    shown = marks.tooltip(("effect", "ours"), "effect", "ours")
    return [*parts, data.mark_line(color=panel.colour).encode(x=x, y=y, tooltip=shown)]


def _level_layers(base: Effect, panel: Panel) -> list[Any]:
    rows = _rows(base, panel)
    data = alt.Chart(alt.InlineData(values=rows))
    x, y = level_axes(change_title(base), base.feature, [row["level"] for row in rows])
    band = data.mark_rule(style="interval", strokeWidth=11)
    dot = data.mark_circle(color=panel.colour, size=60, opacity=1)
    shown = marks.tooltip(("effect", "ours"), "effect", "ours")
    return [
        band.encode(x=marks.at(x, "lower"), x2="upper:Q", y=y),
        data.mark_tick(style="trial").encode(x=marks.at(x, "ours"), y=y),
        dot.encode(x=x, y=y, tooltip=shown),
    ]
