"""Several methods on one column, drawn with matplotlib: a panel each, our band behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import mpl
from paribus.plotting.mpl import BLUE, GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paribus.base.arrays import FloatArray
    from paribus.models.compare import Comparison
    from paribus.models.referee import Verdict
    from paribus.results import Effect

ACROSS = 3  # panels in a row
MOST_LEVELS = 15
MOST_ROWS = 30  # whose curves are drawn
MODEL, PAPER = "#d55e00", "#009e73"
NOTHING = "nothing could be told"


def plot_comparison(comparison: Comparison) -> Figure:
    """Draw a panel for each method, all on one scale."""
    from matplotlib import pyplot as plt

    values = comparison.lined_up()
    across = min(ACROSS, len(values))
    down = -(-len(values) // across)
    size = (3.9 * across, 2.9 * down + 0.4)
    figure, axes = plt.subplots(
        down, across, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    draw = _curve_panel if hasattr(comparison.base, "x") else _level_panel
    for ax, (name, shown) in zip(axes.flat, values.items(), strict=False):
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title(_title(comparison, name), fontsize="medium", parse_math=False)
        draw(ax, comparison, name, shown)
    _limit(axes.flat[0], comparison.base, np.concatenate(list(values.values())))
    for ax in axes.flat[len(values) :]:
        ax.set_axis_off()
    _label(figure, comparison)
    return figure


def plot_verdict(verdict: Verdict, ax: Axes | None = None) -> Axes:
    """Draw a model's curve over our band, and mark where it is outside."""
    ax = verdict.ours.plot(ax)
    model: Any = verdict.model
    share = f"{verdict.name}: ALE, {100 * verdict.share:.0f} % of the rows outside"
    if hasattr(model, "x"):
        ax.plot(model.x, model.effect, color=MODEL, linewidth=1.4, label=share)
        for stretch in verdict.stretches:
            ax.axvspan(stretch.start, stretch.stop, color=MODEL, alpha=0.1, linewidth=0)
    else:
        labels = [text.get_text() for text in ax.get_yticklabels()]
        at = dict(zip(labels, ax.get_yticks(), strict=True))
        pairs = [(at.get(mpl.short(k)), v) for k, v in zip(model.levels, model.effect, strict=True)]
        drawn = [(place, v) for place, v in pairs if place is not None]
        ax.plot([v for _, v in drawn], [p for p, _ in drawn], "D", ms=5, color=MODEL, label=share)
    ax.legend(frameon=False, loc="upper left", fontsize="small")
    return ax


def _curve_panel(ax: Axes, comparison: Comparison, name: str, shown: Any) -> None:
    base, own = comparison.base, comparison.results[name]
    x = base.x  # type: ignore[attr-defined]
    ax.axhline(0, color=GREY, linewidth=0.5, zorder=0)
    if base.band_lower is not None and base.band_upper is not None:
        ax.fill_between(x, base.band_lower, base.band_upper, color=BLUE, alpha=0.2, linewidth=0)
    if own is base:
        ax.plot(x, base.effect, color=INK, linewidth=1.5)
        return
    ax.plot(x, base.effect, color=BLUE, linewidth=0.8, alpha=0.7)
    if np.isnan(shown).all():
        ax.text(0.5, 0.9, NOTHING, transform=ax.transAxes, ha="center", color=GREY)
        return
    for trial in single_rows(own, comparison.height(name)):
        ax.plot(own.x, trial, color=GREY, linewidth=0.5, alpha=0.6)  # type: ignore[attr-defined]
    ax.plot(x, shown, color=colour(own), linewidth=1.5)


def _level_panel(ax: Axes, comparison: Comparison, name: str, shown: Any) -> None:
    base, own = comparison.base, comparison.results[name]
    count, levels = base.count, base.levels  # type: ignore[attr-defined]
    often = np.argsort(-count, kind="stable")[:MOST_LEVELS]
    order = often[np.argsort(np.nan_to_num(base.effect[often]), kind="stable")]
    at = np.arange(len(order))
    ax.axvline(0, color=GREY, linewidth=0.5, zorder=0)
    if base.band_lower is not None and base.band_upper is not None:
        width = base.band_upper[order] - base.band_lower[order]
        ax.barh(at, width, 0.6, left=base.band_lower[order], color=BLUE, alpha=0.25)
    ax.plot(base.effect[order], at, "|", color=BLUE, ms=9)
    ax.plot(shown[order], at, "o", color=INK if own is base else colour(own), ms=5)
    ax.use_sticky_edges = False
    ax.margins(x=0.08, y=0.15)
    ax.set_yticks(at, [mpl.short(levels[k]) for k in order], parse_math=False)
    ax.xaxis.set_major_formatter("{x:,.10g}")


def colour(effect: Effect) -> str:
    """Return the colour of a method: ours, the paper's, or a model's."""
    ways = {"least_squares": INK, "stratpd": PAPER, "catstratpd": PAPER}
    return ways.get(effect.method, MODEL)


def single_rows(effect: Effect, height: float) -> FloatArray:
    """Return the curves of single rows (k, m) at the height of a comparison; none for most."""
    if effect.trials is None or len(effect.trials) < 2:
        return np.empty((0, len(effect.effect)))
    return effect.trials[:MOST_ROWS] + height


def _title(comparison: Comparison, name: str) -> str:
    model = name.partition(", ")[2]
    r2 = {w.name: w.r2 for w in comparison.models}.get(model)
    return name if r2 is None else f"{name} (R² {r2:.2f})"


def _limit(ax: Axes, base: Effect, values: FloatArray) -> None:
    """Let a wide band run out of the picture, so that what is compared is seen."""
    if base.band_lower is None or base.band_upper is None:
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = (high - low) / 2 or 1.0
    ends = (
        max(low - room, min(low, float(np.nanmin(base.band_lower))) - room / 10),
        min(high + room, max(high, float(np.nanmax(base.band_upper))) + room / 10),
    )
    (ax.set_ylim if hasattr(base, "x") else ax.set_xlim)(ends)


def _label(figure: Figure, comparison: Comparison) -> None:
    quantity = f"change in {mpl.quantity(comparison.base)}"
    if hasattr(comparison.base, "x"):
        figure.supxlabel(comparison.feature, fontsize="medium", parse_math=False)
        figure.supylabel(quantity, fontsize="medium", parse_math=False)
        for ax in figure.axes:
            ax.yaxis.set_major_formatter("{x:,.10g}")
    else:
        figure.supxlabel(quantity, fontsize="medium", parse_math=False)
        figure.supylabel(comparison.feature, fontsize="medium", parse_math=False)
