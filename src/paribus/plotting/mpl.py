"""Results drawn with matplotlib, in the manner of the paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus._types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paribus.results import CategoricalEffect, NumericEffect

INK, BLUE, GREY = "#1b1b1b", "#0072b2", "#9a9a9a"
STRIP = 0.14  # height of the distribution under a curve, as a share of the axes
MOST_BARS = 30


def plot_numeric(result: NumericEffect, ax: Axes | None = None) -> Axes:
    """Draw a curve as dots, its trials as thin lines and the rows' distribution below."""
    ax = ax if ax is not None else _new_axes()
    ax.set_xlabel(result.feature)
    ax.set_ylabel(f"change in {result.target}")
    if len(result.x) == 0:
        return _explain_empty(result, ax)
    if len(result.trials) > 1:
        for trial in result.trials:
            ax.plot(result.x, trial, color=GREY, linewidth=0.6, alpha=0.8, zorder=1)
    size = 12.0 if len(result.x) > 50 else 22.0
    ax.scatter(result.x, result.effect, s=size, color=INK, linewidths=0, zorder=2)
    ax.axhline(0, color=GREY, linewidth=0.5, zorder=0)
    _draw_distribution(result, ax)
    if result.x.dtype.kind == "M":
        ax.figure.autofmt_xdate()
    return ax


def plot_categorical(result: CategoricalEffect, ax: Axes | None = None) -> Axes:
    """Draw a bar a level, with the trials as dots; of many levels the most frequent."""
    ax = ax if ax is not None else _new_axes()
    ax.set_ylabel(f"{result.target}, difference from the mean")
    ax.set_xlabel(result.feature)
    if len(result.levels) == 0:
        return _explain_empty(result, ax)
    shown = np.sort(np.argsort(-result.count, kind="stable")[:MOST_BARS])
    if len(shown) < len(result.levels):
        left = len(result.levels) - len(shown)
        ax.set_xlabel(f"{result.feature} (the {len(shown)} most frequent; {left:,} more not drawn)")
    at = np.arange(len(shown))
    ax.bar(at, np.nan_to_num(result.effect[shown]), width=0.7, color=BLUE, alpha=0.55, zorder=1)
    if len(result.trials) > 1:
        for trial in result.trials:
            ax.scatter(at, trial[shown], s=8, color=INK, alpha=0.6, linewidths=0, zorder=2)
    for position in at[np.isnan(result.effect[shown])]:
        ax.annotate("?", (position, 0), ha="center", va="bottom", color=GREY)
    ax.axhline(0, color=INK, linewidth=0.6)
    _label_levels(ax, at, [str(result.levels[k]) for k in shown])
    return ax


def _new_axes() -> Axes:
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.yaxis.set_major_formatter("{x:,.10g}")
    return ax


def _draw_distribution(result: NumericEffect, ax: Axes) -> None:
    strip = ax.inset_axes((0.0, 0.0, 1.0, STRIP), sharex=ax)
    edges, counts = result.distribution.edges, result.distribution.counts
    strip.stairs(counts, edges, fill=True, color=BLUE, alpha=0.35)
    strip.set_axis_off()
    low, high = _span(result)
    room = (high - low or 1.0) * STRIP / (1 - STRIP)
    ax.set_ylim(low - 1.4 * room, high + 0.3 * room)


def _span(result: NumericEffect) -> tuple[float, float]:
    drawn: FloatArray = np.append(result.trials.ravel(), result.effect)
    return float(np.nanmin(drawn)), float(np.nanmax(drawn))


def _label_levels(ax: Axes, at: IntArray, labels: list[str]) -> None:
    short = [label if len(label) <= 20 else label[:19] + "…" for label in labels]
    crowded = sum(map(len, short)) > 45
    ax.set_xticks(at, short, rotation=60 if crowded else 0, ha="right" if crowded else "center")


def _explain_empty(result: NumericEffect | CategoricalEffect, ax: Axes) -> Axes:
    """Write why there is nothing to draw."""
    ax.text(
        0.5, 0.5, result.notes[-1].text, transform=ax.transAxes, ha="center", va="center",
        wrap=True, color=INK,
    )  # fmt: skip
    ax.set_xticks([])
    ax.set_yticks([])
    return ax
