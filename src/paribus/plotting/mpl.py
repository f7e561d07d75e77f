"""Effects drawn with matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.extras import need
from paribus.plotting.picture import (
    STRIP,
    CurveLook,
    LevelLook,
    Picture,
    change_title,
    is_drawn_as_curve,
    picture_of,
)
from paribus.plotting.theme import BAND, BLUE, INK, INTERVAL, ISLANDS, QUIET, SIDES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paribus.results import Effect

THOUSANDS = "{x:,.10g}"
ACROSS = 3  # panels in a row
WIDEST = 42  # letters of a title in a line
LONGEST = 20  # letters of a level's name beside an axis


def plot_effect(effect: Effect, ax: Axes | None = None, legend: bool = True) -> Axes:
    """Draw a curve with its interval and band, or a dot with its interval for each level."""
    ax = ax if ax is not None else new_axes()
    if not effect.explained:
        return _explain_empty(effect, ax)
    picture = picture_of(effect)
    title(ax, picture.look.x_title, picture.look.y_title)
    if isinstance(picture.look, CurveLook):
        _draw_curve(picture, picture.look, ax)
    else:
        _draw_levels(picture, picture.look, ax)
    if legend and picture.look.legend:
        draw_legend(ax, [_handle(kind, words) for kind, words in picture.look.legend])
    return ax


def plot_overview(effects: Sequence[Effect], most: int) -> Figure:
    """Draw a panel for each of the first explained effects, and one legend for all."""
    drawn = [effect for effect in effects if effect.explained][:most]
    across = min(ACROSS, max(1, len(drawn)))
    down = max(1, -(-len(drawn) // across))
    figure = new_figure(4 * across, 3.2 * down + 0.3)
    panels = list(figure.subplots(down, across, squeeze=False).flat)
    entries: dict[str, str] = {}
    for effect, ax in zip(drawn, panels, strict=False):
        ax.spines[["top", "right"]].set_visible(False)
        if effect.by is not None:
            effect.by.plot(ax)
            continue
        plot_effect(effect, ax, legend=False)
        entries |= dict(picture_of(effect).look.legend)
    for ax in panels[len(drawn) :]:
        ax.set_axis_off()
    if entries:
        handles = [_handle(kind, words) for kind, words in entries.items()]
        figure.legend(
            handles=handles, loc="outside upper center", ncols=3, frameon=False, fontsize="small"
        )
    return figure


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
    for (size, effect), colour in zip(effects.items(), ISLANDS, strict=False):
        axis: Any = effect.axis if is_drawn_as_curve(effect) else effect.labels
        mark = "-" if is_drawn_as_curve(effect) else "o"
        ax.plot(axis, effect.effect, mark, color=colour, label=f"leaf size {size}", linewidth=1.4)
        ax.set_xlabel(effect.feature, parse_math=False)
        ax.set_ylabel(change_title(effect), parse_math=False)
    ax.legend(frameon=False)
    return ax


def new_panels(
    titles: Sequence[str], across: int, size: tuple[float, float], around: tuple[str, str]
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each title, on one scale, and the axes' titles `around`."""
    across = min(across, len(titles))
    down = -(-len(titles) // across)
    figure = new_figure(size[0] * across, size[1] * down + 0.4)
    every = list(figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat)
    for ax, title in zip(every, titles, strict=False):
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title(title, fontsize="medium", parse_math=False)
    for ax in every[len(titles) :]:
        ax.set_axis_off()
    figure.supxlabel(around[0], fontsize="medium", parse_math=False)
    figure.supylabel(around[1], fontsize="medium", parse_math=False)
    return figure, every[: len(titles)]


def new_figure(width: float, height: float) -> Figure:
    """Return a figure that pyplot does not manage, and that a notebook displays.

    Examples
    --------
    >>> new_figure(4, 3)._repr_png_()[1:4]
    b'PNG'
    """
    figures = need("matplotlib.figure", "A picture", "plot")
    figure: Figure = figures.Figure(figsize=(width, height), layout="constrained")

    def png() -> bytes:
        written = BytesIO()
        figure.savefig(written, format="png")
        return written.getvalue()

    # Until pyplot is loaded, a notebook does not know how to show a figure.
    figure._repr_png_ = png  # type: ignore[attr-defined]
    return figure


def new_axes(height: float = 3.8) -> Axes:
    """Return the axes of a new figure."""
    pyplot = need("matplotlib.pyplot", "A picture", "plot")
    _, ax = pyplot.subplots(figsize=(5.5, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def short(level: object) -> str:
    """Shorten a level's name to what fits next to an axis."""
    text = str(level)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def title(ax: Axes, x_title: str, y_title: str) -> None:
    """Set the titles of both axes, wrapping long ones."""
    ax.set_xlabel(textwrap.fill(x_title, WIDEST), parse_math=False)
    ax.set_ylabel(textwrap.fill(y_title, WIDEST), parse_math=False)


def on_axis(values: Any, dated: bool) -> Any:
    """Return positions on the axis as matplotlib takes them: numbers, or dates."""
    array = np.asarray(values, dtype=np.float64)
    return array.astype(np.int64).astype("datetime64[ms]") if dated else array


# ---- curves ------------------------------------------------------------------------------------


def _draw_curve(picture: Picture, look: CurveLook, ax: Axes) -> None:
    ax.yaxis.set_major_formatter(THOUSANDS)
    ax.axhline(0, color=QUIET, linewidth=0.6, zorder=0)
    tables = {
        name: {k: np.asarray(v) for k, v in columns.items()}
        for name, columns in picture.tables.items()
    }
    for columns in tables.values():
        for key in columns.keys() & {"x", "start", "stop"}:
            columns[key] = on_axis(columns[key], look.dated)
    _draw_ground(tables, ax)
    _draw_pieces(tables["points"], look, ax)
    if "missing" in tables:
        _draw_missing(tables["missing"], ax)
    strip = ax.inset_axes((0.0, 0.0, 1.0, STRIP), sharex=ax)
    bars = tables["strip"]
    edges = np.append(bars["start"], bars["stop"][-1:])
    strip.stairs(bars["rows"], edges, fill=True, color=BLUE, alpha=0.45)
    strip.set_axis_off()
    ax.set_xlim(*on_axis([look.x_first, look.x_last], look.dated))
    ax.set_ylim(look.y_first, look.y_last)
    if look.dated:
        ax.tick_params(axis="x", rotation=30)
    else:
        ax.locator_params(axis="x", nbins=6)


def _draw_ground(tables: Mapping[str, Any], ax: Axes) -> None:
    """Draw what lies behind a curve: gaps, trials, curves or values of single rows."""
    if "gaps" in tables:
        for start, stop in zip(tables["gaps"]["start"], tables["gaps"]["stop"], strict=True):
            ax.axvspan(start, stop, color=QUIET, alpha=0.14, linewidth=0)
    if "trials" in tables:
        trials = tables["trials"]
        for k in np.unique(trials["trial"]):
            one = trials["trial"] == k
            ax.plot(trials["x"][one], trials["effect"][one], color=QUIET, linewidth=0.6, alpha=0.6)
    if "scatter" in tables:
        dots = tables["scatter"]
        ax.scatter(dots["x"], dots["effect"], s=5, color=QUIET, alpha=0.5, linewidths=0, zorder=1)


def _draw_pieces(points: Mapping[str, Any], look: CurveLook, ax: Axes) -> None:
    """Draw each stretch between gaps separately; few points get dots as well."""
    x = points["x"]
    for k in np.unique(points["piece"]):
        piece = points["piece"] == k
        for low, high, alpha in SIDES.values():
            if low in points:
                ax.fill_between(
                    x[piece], points[low][piece], points[high][piece], color=BLUE, alpha=alpha,
                    linewidth=0,
                )  # fmt: skip
        if look.lined:
            ax.plot(x[piece], points["effect"][piece], color=INK, linewidth=1.6)
    if look.marked:
        size = 12.0 if len(x) > 50 else 18.0
        ax.scatter(x, points["effect"], s=size, color=INK, linewidths=0, zorder=3)
    if "marginal" in points:
        ax.plot(x, points["marginal"], color=QUIET, linewidth=1, linestyle=(0, (4, 3)), alpha=0.7)


def _draw_missing(missing: Mapping[str, Any], ax: Axes) -> None:
    """Draw the point of the missing values to the right of the curve."""
    at, high = missing["x"][0], missing["upper"][0]
    ax.plot([at, at], [missing["lower"][0], high], color=QUIET, linewidth=1.2)
    ax.plot([at], missing["effect"], "D", color=QUIET, ms=5)
    ax.annotate(
        "missing", (at, high), xytext=(0, 4), textcoords="offset points", ha="center",
        color=QUIET, fontsize="small",
    )  # fmt: skip


# ---- levels ------------------------------------------------------------------------------------


def _draw_levels(picture: Picture, look: LevelLook, ax: Axes) -> None:
    """Draw the levels from top to bottom, with islands set apart in different colours."""
    height = {level: -float(k) for k, level in enumerate(look.places)}
    points = picture.tables["points"]
    rows = [dict(zip(points, row, strict=True)) for row in zip(*points.values(), strict=True)]
    drawn = [row for row in rows if row["drawn"]]
    ax.axvline(0, color=QUIET, linewidth=0.6, zorder=0)
    for name, size, alpha in (("scatter", 5, 0.5), ("trials", 8, 0.6)):
        dots = picture.tables.get(name)
        if dots:
            places = [height[level] for level in dots["level"]]
            ax.scatter(
                dots["effect"], places, s=size, color=QUIET, alpha=alpha, linewidths=0, zorder=1
            )
    for row in drawn:
        at, colour = height[row["level"]], ISLANDS[row["island"] % len(ISLANDS)]
        if "lower" in row:
            ax.plot([row["lower"], row["upper"]], [at, at], color=colour, linewidth=1.8)
        ax.plot([row["effect"]], [at], "o", color=colour, ms=6)
        if "marginal" in row:
            ax.plot([row["marginal"]], [at], "D", ms=5, mfc="none", mec=QUIET, alpha=0.7)
    ticks = [height[row["level"]] for row in drawn]
    ax.set_yticks(ticks, [short(row["level"]) for row in drawn], parse_math=False)
    ax.set_ylim(min(ticks, default=0) - 0.7, 0.7)
    ax.locator_params(axis="x", nbins=5)
    ax.xaxis.set_major_formatter(THOUSANDS)


# ---- legend ------------------------------------------------------------------------------------


def draw_legend(ax: Axes, handles: Sequence[Any]) -> None:
    """Draw a legend above the picture."""
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False,
        fontsize="small", borderaxespad=0.2,
    )  # fmt: skip


def _handle(kind: str, words: str) -> Any:
    """Return a legend handle that looks like the mark."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if kind in ("interval", "band"):
        alpha = {"interval": INTERVAL, "band": BAND}[kind]
        return Patch(color=BLUE, alpha=alpha, linewidth=0, label=words)
    look: dict[str, Any] = {
        "line": {"color": INK, "linewidth": 1.6},
        "marginal": {"color": QUIET, "linewidth": 1, "linestyle": (0, (4, 3))},
        "dot": {"color": ISLANDS[0], "linewidth": 1.8, "marker": "o", "ms": 6},
        "hollow": {"linestyle": "none", "marker": "D", "ms": 5, "mfc": "none", "mec": QUIET},
    }[kind]
    return Line2D([], [], label=words, **look)


def _explain_empty(effect: Effect, ax: Axes) -> Axes:
    """Write why there is nothing to draw."""
    text = ax.text(
        0.5, 0.5, effect.summary(), transform=ax.transAxes, ha="center", va="center",
        wrap=True, color=INK, parse_math=False,
    )  # fmt: skip
    text.set_in_layout(False)
    ax.set_xlabel(effect.feature, parse_math=False)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax
