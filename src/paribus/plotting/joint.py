"""Two columns at once: lines by level or at a few values, slopes, and a map."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import marks, mpl
from paribus.plotting.curve import x_axis
from paribus.plotting.lines import Line, Lines
from paribus.plotting.marks import HEIGHT, WIDTH, alt
from paribus.plotting.picture import DAY_MS, measured
from paribus.plotting.theme import ISLANDS
from paribus.results.slopes import as_days

if TYPE_CHECKING:
    from altair import LayerChart
    from matplotlib.axes import Axes

    from paribus.results import JointEffect, SlopeBy

TOGETHER = len(ISLANDS)
AT_SHARES = (0.1, 0.5, 0.9)  # of the rows: where lines are drawn along the other number
BLANK = "#ececec"
COLOURS = "redblue"


def lines_of(both: JointEffect) -> Lines:
    """Return lines along one column at values of the other.

    Given a number and a category, the number is the axis. Of many levels the commonest are drawn.
    """
    axis = 1 if both.is_number == (False, True) else 0
    turn = np.transpose if axis else np.asarray
    effect, lower, upper, count = (
        turn(part) for part in (both.effect, both.lower, both.upper, both.count)
    )
    x = both.x2 if axis else both.x1
    labels, rows = both.labels(1 - axis), count.sum(axis=0)
    if both.is_number[1 - axis]:
        share = np.cumsum(rows) / rows.sum()
        chosen = np.unique(np.searchsorted(share, AT_SHARES).clip(0, len(rows) - 1))
    else:
        chosen = np.sort(np.argsort(-rows, kind="stable")[:TOGETHER])
    return Lines(
        x_title=both.features[axis],
        y_title=_difference(both),
        legend=both.features[1 - axis],
        at=x if isinstance(x, np.ndarray) else None,
        places=both.labels(axis),
        lines=[Line(labels[k], effect[:, k], lower[:, k], upper[:, k]) for k in chosen.tolist()],
    )


def slope_lines(slopes: SlopeBy) -> Lines:
    """Return the slope by the moderator's value; for a category, lines for a few levels."""
    if slopes.step_words:
        title = f"change in {measured(slopes)} for {slopes.lines[0]} of {slopes.feature}"
    else:
        title = f"{measured(slopes)}: difference"
    named = zip(slopes.lines, slopes.value, slopes.lower, slopes.upper, strict=True)
    kept = [Line(name, *(slopes.step * v for v in parts)) for name, *parts in named][:TOGETHER]
    return Lines(
        x_title=slopes.moderator,
        y_title=title,
        legend="" if slopes.step_words else slopes.feature,
        at=slopes.at,
        places=slopes.labels,
        lines=kept,
    )


def _difference(both: JointEffect) -> str:
    return f"{measured(both)}: difference from the mean"


def plot_map(both: JointEffect, ax: Axes | None = None) -> Axes:
    """Draw the surface as coloured cells around its points, grey where there are no rows."""
    ax = ax if ax is not None else mpl.new_axes()
    edges = [_edges(x) for x in (both.x1, both.x2)]
    most = _most(both)
    ax.set_facecolor(BLANK)
    drawn = ax.pcolormesh(*edges, both.effect.T, cmap="RdBu_r", vmin=-most, vmax=most)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.set_label(_difference(both), parse_math=False)
    bar.ax.yaxis.set_major_formatter(mpl.THOUSANDS)
    if both.is_number[0] and not _is_dated(both, 0):
        ax.locator_params(axis="x", nbins=6)
    for side, axis in enumerate((ax.xaxis, ax.yaxis)):
        axis.set_label_text(both.features[side], parse_math=False)
        if not both.is_number[side]:
            labels = [*map(mpl.short, both.labels(side))]
            axis.set_ticks(range(len(labels)), labels, parse_math=False)
    return ax


def _most(both: JointEffect) -> float:
    return float(np.nanmax(np.abs(both.effect))) or 1.0


def _edges(x: Any) -> Any:
    """Return the ends of the cells around points, half-way to their neighbours."""
    if not isinstance(x, np.ndarray):
        return np.arange(len(x) + 1) - 0.5
    return np.concatenate([x[:1], x[:-1] + np.diff(x) / 2, x[-1:]])


def map_chart(both: JointEffect) -> LayerChart:
    """Draw the surface of two numbers as coloured cells with Altair, blank without rows."""
    most = _most(both)
    x = x_axis(both.features[0], _is_dated(both, 0))
    scale = alt.Scale(scheme=COLOURS, domain=[-most, most], reverse=True)
    colour = alt.Fill(
        "effect:Q", scale=scale,
        legend=alt.Legend(
            title=_difference(both), titleLimit=WIDTH, orient="top", type="gradient",
            gradientLength=WIDTH // 2,
        ),
    )  # fmt: skip
    shown = marks.tooltip(("effect", "lower", "upper"), "effect", "lower", "upper")
    kind = "temporal" if _is_dated(both, 1) else "quantitative"
    up = alt.Y("low", type=kind, title=both.features[1], scale=alt.Scale(zero=False, nice=False))
    cells = alt.Chart(alt.NamedData("cells")).mark_rect(strokeWidth=0.7)
    edge = alt.Stroke("effect:Q", scale=scale, legend=None)  # or else a seam is seen
    cells = cells.encode(
        x=marks.at(x, "start"), x2="stop", y=up, y2="high", fill=colour, stroke=edge, tooltip=shown
    )
    return alt.layer(cells).properties(width=WIDTH, height=HEIGHT, datasets=_tables(both))


def _is_dated(both: JointEffect, side: int) -> bool:
    x = both.x2 if side else both.x1
    return isinstance(x, np.ndarray) and x.dtype.kind == "M"


def _tables(both: JointEffect) -> Any:
    """Return the points that have rows, as text for the table below the map, and their cells."""
    edges, labels = [_ends(both, side) for side in (0, 1)], [both.labels(side) for side in (0, 1)]
    one, other = both.features
    points, cells = [], []
    for i, j in np.argwhere(~np.isnan(both.effect)).tolist():
        sides = {name: float(getattr(both, name)[i, j]) for name in ("effect", "lower", "upper")}
        first, second = labels[0][i], labels[1][j]
        points.append({"level": first, f"{other} ": second, **sides})
        (start, stop), (low, high) = edges[0][i], edges[1][j]
        cell = {"start": start, "stop": stop, "low": low, "high": high}
        cells.append({**cell, **sides, "place": f"{one} = {first}, {other} = {second}"})
    return alt.Datasets(points=points, cells=cells)


def _ends(both: JointEffect, side: int) -> list[tuple[float, float]]:
    """Return the ends of the cells along one of two numbers."""
    x: Any = both.x2 if side else both.x1
    edges = _edges(as_days(x) * (DAY_MS if _is_dated(both, side) else 1.0))
    return [*pairwise(edges.tolist())]
