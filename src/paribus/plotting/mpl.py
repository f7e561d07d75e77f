"""Results drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.plotting import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paribus.results import CategoricalEffect, Effect, NumericEffect

INK, BLUE, GREY = "#1b1b1b", "#0072b2", "#9a9a9a"
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # told apart by colour-blind eyes too
STRIP = 0.14  # height of the distribution under a curve, as a share of the axes
MOST_LEVELS = 30
FAR_END = 0.001  # share of the rows at an end that may be left out of the picture
WIDE = 0.8  # where the rest takes less than this share of the axis


def plot_numeric(result: NumericEffect, ax: Axes | None = None) -> Axes:
    """Draw a curve with its interval and band, or as dots with the trials of the paper."""
    ax = ax if ax is not None else new_axes()
    ax.set_xlabel(result.feature, parse_math=False)
    ax.set_ylabel(f"change in {quantity(result)}", parse_math=False)
    if not result.explained:
        return _explain_empty(result, ax)
    ax.yaxis.set_major_formatter("{x:,.10g}")
    ax.axhline(0, color=GREY, linewidth=0.5, zorder=0)
    _draw_single_rows(result, ax)
    if result.method in theme.DOTTED:
        _draw_dots(result, ax)
    else:
        _draw_curve(result, ax)
    _draw_distribution(result, ax)
    _leave_out_far_ends(result, ax)
    if result.x.dtype.kind == "M":
        ax.tick_params(axis="x", rotation=30)
    return ax


def plot_categorical(result: CategoricalEffect, ax: Axes | None = None) -> Axes:
    """Draw a dot with its interval a level, or a bar with the trials of the paper."""
    ax = ax if ax is not None else new_axes()
    if not result.explained:
        return _explain_empty(result, ax)
    shown = np.sort(np.argsort(-result.count, kind="stable")[:MOST_LEVELS])
    label = result.feature
    if len(shown) < len(result.levels):
        left = len(result.levels) - len(shown)
        label += f" (the {len(shown)} most frequent; {left:,} more not drawn)"
    if result.lower is None:
        _draw_bars(result, ax, shown, label)
    else:
        _draw_whiskers(result, ax, shown, label)
    return ax


def plot_stability(effects: Mapping[int, Effect], ax: Axes | None = None) -> Axes:
    """Draw the effects found with several leaf sizes together.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(500, seed=0)
    >>> ax = plot_stability(pb.effect(d.table, "y", "x1").stability())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['leaf size 5', 'leaf size 10', 'leaf size 20', 'leaf size 40']
    """
    ax = ax if ax is not None else new_axes()
    for (size, effect), colour in zip(effects.items(), PALETTE, strict=False):
        name = f"leaf size {size}"
        if hasattr(effect, "x"):
            curve = cast("NumericEffect", effect)
            ax.plot(curve.x, curve.effect, color=colour, label=name, linewidth=1.4)
        else:
            bars = cast("CategoricalEffect", effect)
            levels = [str(level) for level in bars.levels]
            ax.plot(levels, bars.effect, "o", color=colour, label=name, alpha=0.8)
        ax.set_xlabel(effect.feature, parse_math=False)
        ax.set_ylabel(f"change in {quantity(effect)}", parse_math=False)
    ax.legend(frameon=False)
    return ax


def new_axes() -> Axes:
    """Return axes of a figure of their own."""
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def quantity(result: Effect) -> str:
    """Name what an effect is measured in."""
    return f"{result.target}, {result.unit}" if result.unit else result.target


def _draw_single_rows(result: NumericEffect, ax: Axes) -> None:
    """Draw what lies behind a curve: trials, curves or values of single rows."""
    if result.trials is not None and len(result.trials) > 1:
        for trial in result.trials:
            ax.plot(result.x, trial, color=GREY, linewidth=0.6, alpha=0.8, zorder=1)
    if result.cloud is not None:
        ax.scatter(result.cloud.at, result.cloud.value, s=5, color=GREY, linewidths=0, zorder=1)


def _draw_dots(result: NumericEffect, ax: Axes) -> None:
    size = 12.0 if len(result.x) > 50 else 22.0
    ax.scatter(result.x, result.effect, s=size, color=INK, linewidths=0, zorder=2)


def _draw_curve(result: NumericEffect, ax: Axes) -> None:
    """Draw each stretch between gaps by itself; few points get dots as well."""
    layers = [(result.band_lower, result.band_upper, 0.15), (result.lower, result.upper, 0.3)]
    for piece in _pieces(result):
        for low, high, alpha in layers:
            if low is not None and high is not None:
                ax.fill_between(
                    result.x[piece], low[piece], high[piece], color=BLUE, alpha=alpha, linewidth=0
                )
        marker = "o" if len(result.x) <= 30 else ""
        ax.plot(
            result.x[piece], result.effect[piece], color=INK, linewidth=1.4, marker=marker, ms=3.5
        )
    if result.missing is not None:
        _draw_missing(result, ax)


def _pieces(result: NumericEffect) -> list[slice]:
    """Cut the curve at its gaps."""
    starts = [0, *(int(np.searchsorted(result.x, gap.stop)) for gap in result.gaps)]
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], len(result.x)], strict=True)]


def _draw_missing(result: NumericEffect, ax: Axes) -> None:
    """Draw the point of the missing values to the right of the curve."""
    if result.missing is None:
        return
    x = result.x[_drawn(result)]
    at = x[-1] + (x[-1] - x[0]) * 0.07
    low, high = result.missing.lower, result.missing.upper
    ax.plot([at, at], [low, high], color=GREY, linewidth=1.2)
    ax.plot([at], [result.missing.effect], "D", color=GREY, ms=5)
    ax.annotate(
        "missing", (at, high), xytext=(0, 4), textcoords="offset points", ha="center",
        color=GREY, fontsize="small",
    )  # fmt: skip


def _draw_distribution(result: NumericEffect, ax: Axes) -> None:
    strip = ax.inset_axes((0.0, 0.0, 1.0, STRIP), sharex=ax)
    edges, counts = result.distribution.edges, result.distribution.counts
    strip.stairs(counts, edges, fill=True, color=BLUE, alpha=0.35)
    strip.set_axis_off()
    low, high = _span(result)
    room = (high - low or 1.0) * STRIP / (1 - STRIP)
    ax.set_ylim(low - 1.4 * room, high + 0.3 * room)


def _leave_out_far_ends(result: NumericEffect, ax: Axes) -> None:
    """Leave out ends with hardly a row where they would fill much of the picture, and say so."""
    drawn = _drawn(result)
    if drawn.all():
        return
    x = result.x[drawn]
    room = (x[-1] - x[0]) * (0.12 if result.missing is not None else 0.03)
    ax.set_xlim(x[0] - (x[-1] - x[0]) * 0.03, x[-1] + room)
    ax.set_xlabel(f"{result.feature} (the last rows at the ends not drawn)", parse_math=False)


def _drawn(result: NumericEffect) -> BoolArray:
    """Return the points to draw, shape (m,): all, or those between which nearly all rows lie."""
    everything = np.ones(len(result.x), dtype=np.bool_)
    if result.mass is None:
        return everything
    share = np.cumsum(result.mass) / result.mass.sum()
    inside = (share > FAR_END) & (np.append(0.0, share[:-1]) < 1 - FAR_END)
    axis = result.positions
    fills = np.ptp(axis[inside]) < WIDE * np.ptp(axis) if inside.any() else False
    return inside if fills else everything


def _span(result: NumericEffect) -> tuple[float, float]:
    """Return the lowest and highest value drawn."""
    seen = _drawn(result)
    drawn: list[FloatArray] = [result.effect[seen]]
    sides = (result.lower, result.upper)
    drawn += [a[seen] for a in sides if a is not None]
    if result.trials is not None:
        drawn.append(result.trials.ravel())
    if result.cloud is not None:
        drawn.append(result.cloud.value)
    if result.missing is not None:
        drawn.append(np.array([result.missing.lower, result.missing.upper]))
    everything = np.concatenate(drawn)
    low, high = float(np.nanmin(everything)), float(np.nanmax(everything))
    if result.band_lower is not None and result.band_upper is not None:
        # A wide end of the band may run out of the picture, but not by more than it must.
        room = high - low
        low = max(float(np.min(result.band_lower[seen])), low - room / 2)
        high = min(float(np.max(result.band_upper[seen])), high + room / 2)
    return low, high


def _draw_bars(result: CategoricalEffect, ax: Axes, shown: IntArray, label: str) -> None:
    ax.set_xlabel(label, parse_math=False)
    ax.set_ylabel(f"{quantity(result)}, difference from the mean", parse_math=False)
    at = np.arange(len(shown))
    ax.bar(at, np.nan_to_num(result.effect[shown]), width=0.7, color=BLUE, alpha=0.55, zorder=1)
    if result.trials is not None and len(result.trials) > 1:
        for trial in result.trials:
            ax.scatter(at, trial[shown], s=8, color=INK, alpha=0.6, linewidths=0, zorder=2)
    if result.cloud is not None:
        place = np.searchsorted(shown, result.cloud.at)
        inside = np.isin(result.cloud.at, shown)
        ax.scatter(place[inside], result.cloud.value[inside], s=5, color=INK, alpha=0.4, zorder=2)
    for position in at[np.isnan(result.effect[shown])]:
        ax.annotate("?", (position, 0), ha="center", va="bottom", color=GREY)
    ax.axhline(0, color=INK, linewidth=0.6)
    ax.yaxis.set_major_formatter("{x:,.10g}")
    names = [short(result.levels[k]) for k in shown]
    crowded = sum(map(len, names)) > 45
    turned: dict[str, Any] = {"rotation": 60, "ha": "right"} if crowded else {}
    ax.set_xticks(at, names, parse_math=False, **turned)


def _draw_whiskers(result: CategoricalEffect, ax: Axes, shown: IntArray, label: str) -> None:
    """Draw levels sorted by effect, the islands apart and in colours of their own."""
    island = result.island if result.island is not None else np.zeros_like(result.count)
    order = shown[np.lexsort((result.effect[shown], -island[shown]))]
    at = np.arange(len(order)) - 0.6 * island[order]
    if result.lower is not None and result.upper is not None:
        for position, k in zip(at, order, strict=True):
            colour = PALETTE[island[k] % len(PALETTE)]
            ax.plot([result.lower[k], result.upper[k]], [position] * 2, color=colour, linewidth=1.6)
            ax.plot([result.effect[k]], [position], "o", color=colour, ms=5)
    ax.axvline(0, color=GREY, linewidth=0.6, zorder=0)
    ax.set_yticks(at, [short(result.levels[k]) for k in order], parse_math=False)
    ax.set_ylabel(label, parse_math=False)
    ax.set_xlabel(f"{quantity(result)}: difference from the mean", parse_math=False)
    ax.locator_params(axis="x", nbins=5)
    ax.xaxis.set_major_formatter("{x:,.10g}")


def short(level: object) -> str:
    """Cut a level's name to what fits beside an axis."""
    text = str(level)
    return text if len(text) <= 20 else text[:19] + "…"


def _explain_empty(result: Effect, ax: Axes) -> Axes:
    """Write why there is nothing to draw."""
    text = ax.text(
        0.5, 0.5, result.notes[-1].text, transform=ax.transAxes, ha="center", va="center",
        wrap=True, color=INK, parse_math=False,
    )  # fmt: skip
    text.set_in_layout(False)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax
