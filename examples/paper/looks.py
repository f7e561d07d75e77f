"""What all figures share: how curves are drawn, how a figure carries its caption."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paribus import CategoricalEffect, NumericEffect

Verdict: TypeAlias = Literal[
    "holds", "does not hold", "holds with a condition", "cannot be checked here", "beside the paper"
]
HOLDS: Verdict = "holds"
NOT: Verdict = "does not hold"
IF: Verdict = "holds with a condition"
UNKNOWN: Verdict = "cannot be checked here"
BESIDE: Verdict = "beside the paper"  # ours, or an observation: no claim of the paper's

INK, BLUE, GREY, GREEN, ORANGE = "#1b1b1b", "#0072b2", "#9a9a9a", "#009e73", "#d55e00"
COLOURS = {"least_squares": BLUE, "stratpd": GREEN, "catstratpd": GREEN}
LINE_INCHES, ROW_INCHES, CAPTION_SIZE, CHARS_AN_INCH = 0.155, 0.2, 8.5, 15.5
NAME_WIDTH = 0.26  # of a table's first column


@dataclass(frozen=True)
class Claim:
    """What the paper says, what we found, and whether it holds."""

    paper: str
    found: str
    verdict: Verdict


@dataclass
class Plate:
    """A figure with its claims and the numbers behind them.

    `setting` says what was drawn from what; `numbers` are stored beside the claims; `rows` make a
    small table, numbers by name of the row and of the column.
    """

    number: int
    title: str
    setting: str
    figure: Figure
    claims: list[Claim]
    numbers: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, dict[str, str]] = field(default_factory=dict)

    def caption(self) -> list[str]:
        """Write the caption, a paragraph a claim."""
        lines = [f"Figure {self.number}. {self.title}. {self.setting}"]
        return lines + [_worded(c) for c in self.claims]


def _worded(claim: Claim) -> str:
    if claim.verdict == BESIDE:
        return f"Beside the paper, {claim.paper.strip(' .')}: {claim.found}"
    return f"Paper: {claim.paper} Here: {claim.found} \u2192 {claim.verdict}."


def panels(rows: int, columns: int, y: str, **options: Any) -> tuple[Figure, Any]:
    """Return a figure with a grid of panels that show y."""
    figure = Figure(figsize=(2.75 * columns, 2.35 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel(y, fontsize=8)
    return figure, axes


def with_caption(plate: Plate) -> Figure:
    """Write the caption under the figure."""
    figure = plate.figure
    width, height = figure.get_size_inches()
    lines = [
        line
        for part in plate.caption()
        for line in textwrap.wrap(part, int(CHARS_AN_INCH * width), subsequent_indent="    ")
    ]
    words = LINE_INCHES * (len(lines) + 1.2)
    room = words + ROW_INCHES * (len(plate.rows) + 1.5 if plate.rows else 0)
    figure.set_size_inches(width, height + room)
    bottom = room / (height + room)
    figure.get_layout_engine().set(rect=(0, bottom, 1, 1 - bottom))
    if plate.rows:
        box = (0.02, words / (height + room), 0.96, (room - words) / (height + room))
        _draw_rows(figure.add_axes(box), plate.rows)
    figure.text(
        0.01, 0.04 / (height + room), "\n".join(lines), fontsize=CAPTION_SIZE, va="bottom",
        color=INK, linespacing=1.25, parse_math=False,
    )  # fmt: skip
    return figure


def _draw_rows(ax: Axes, rows: dict[str, dict[str, str]]) -> None:
    """Draw the small table of a figure."""
    ax.axis("off")
    cells = [[name, *row.values()] for name, row in rows.items()]
    names = ["", *next(iter(rows.values()))]
    widths = [NAME_WIDTH, *[(1 - NAME_WIDTH) / (len(names) - 1)] * (len(names) - 1)]
    table = ax.table(
        cells, colLabels=names, colWidths=widths, loc="center", edges="horizontal",
        cellLoc="left", colLoc="left",
    )  # fmt: skip
    table.auto_set_font_size(False)
    table.set_fontsize(CAPTION_SIZE)
    for cell in table.get_celld().values():
        cell.set_linewidth(0.4)


def name_x(ax: Axes, feature: str) -> None:
    """Name the axis of x, once for panels that share it."""
    place, shared = ax.get_subplotspec(), ax.get_shared_x_axes().get_siblings(ax)
    if place is None or place.is_last_row() or len(shared) == 1:
        ax.set_xlabel(feature, fontsize=8)


def mean_height(effect: NumericEffect, x: Any) -> float:
    """Return the mean height of a curve over rows at x, where the curve runs."""
    at = np.asarray(x, dtype=np.float64)
    inside = at[(at >= effect.x[0]) & (at <= effect.x[-1])]
    return float(np.interp(inside, effect.x, effect.effect).mean())


def draw_curve(
    ax: Axes,
    effect: NumericEffect,
    title: str,
    x: Any,
    truth: Callable[[Any], Any] | None = None,
) -> None:
    """Draw a curve at its mean height over the rows, with the truth dashed."""
    ax.set_title(title, fontsize=9)
    name_x(ax, effect.feature)
    if not effect.explained:
        why = textwrap.fill(str(effect.notes[-1]), 34)
        ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", va="center", fontsize=7)
        return
    shift = mean_height(effect, x)
    colour = COLOURS.get(effect.method, ORANGE)
    if effect.trials is not None and len(effect.trials) > 1:
        for trial in effect.trials:
            ax.plot(effect.x, trial - shift, color=GREY, linewidth=0.4, alpha=0.6)
    if effect.scatter is not None:
        ax.scatter(effect.scatter.at, effect.scatter.value - shift, s=3, color=GREY, linewidths=0)
    if effect.band_lower is not None:
        band = (effect.band_lower - shift, effect.band_upper - shift)
        ax.fill_between(effect.x, *band, color=BLUE, alpha=0.2, linewidth=0)
    if effect.method == "stratpd" and len(effect.x) > 30:
        ax.scatter(effect.x, effect.effect - shift, s=2.5, color=colour, linewidths=0, zorder=3)
    else:
        marker = "o" if len(effect.x) <= 30 else ""
        ax.plot(effect.x, effect.effect - shift, color=colour, linewidth=1.3, marker=marker, ms=2.5)
    if truth is not None:
        at = np.sort(np.asarray(x, dtype=np.float64))
        inside = (at >= effect.x[0]) & (at <= effect.x[-1])
        mean = np.mean(truth(at[inside]))
        ax.plot(at, truth(at) - mean, color=INK, linewidth=0.7, linestyle=(0, (4, 3)), zorder=4)


def draw_levels(
    ax: Axes, effect: CategoricalEffect, title: str, truth: Mapping[Any, float] | None = None
) -> None:
    """Draw the levels of a category as bars, relative to their mean over the rows."""
    ax.set_title(title, fontsize=9)
    name_x(ax, effect.feature)
    at = np.arange(len(effect.levels))
    known = ~np.isnan(effect.effect)
    shift = np.average(effect.effect[known], weights=effect.count[known])
    colour = COLOURS.get(effect.method, ORANGE)
    ax.bar(at, np.nan_to_num(effect.effect - shift), 0.65, color=colour, alpha=0.75)
    if effect.lower is not None:
        spread = (effect.effect - effect.lower, effect.upper - effect.effect)
        ax.errorbar(at, effect.effect - shift, spread, fmt="none", ecolor=INK, elinewidth=1)
    if effect.trials is not None and len(effect.trials) > 1:
        for trial in effect.trials:
            ax.scatter(at, trial - shift, s=3, color=INK, alpha=0.4, linewidths=0, zorder=3)
    if truth is not None:
        values = np.array([truth[level] for level in effect.levels])
        values = values - np.average(values, weights=effect.count)
        ax.hlines(values, at - 0.42, at + 0.42, color=INK, linewidth=0.9, linestyle=(0, (3, 2)))
    ax.axhline(0, color=INK, linewidth=0.5)
    ax.set_xticks(at, [str(level) for level in effect.levels])


def slope(effect: NumericEffect, low: float = -np.inf, high: float = np.inf) -> float:
    """Return the slope of a line through a curve between two values, even along the axis."""
    low, high = max(low, effect.x[0]), min(high, effect.x[-1])
    at = np.linspace(low, high, 200)
    return float(np.polyfit(at, np.interp(at, effect.x, effect.effect), 1)[0])


def error(effect: NumericEffect, x: Any, truth: Callable[[Any], Any]) -> float:
    """Return the centred root mean squared error between the 1 % and 99 % quantile."""
    at = np.linspace(*np.quantile(x, [0.01, 0.99]), 200)
    apart = np.interp(at, effect.x, effect.effect) - truth(at)
    return float(np.std(apart))


def listed(values: Mapping[str, float], form: str = ".3g") -> str:
    """Write names with their numbers."""
    return ", ".join(f"{name} {written(value, form)}" for name, value in values.items())


def written(value: float, form: str) -> str:
    """Write a number; what is not one is nothing, and what is next to nothing 0."""
    if np.isnan(value):
        return "nothing"
    return "0" if abs(value) < 1e-6 else f"{value:{form}}"


def spread(values: Sequence[float]) -> float:
    """Return the widest difference between numbers."""
    return float(np.max(values) - np.min(values))
