"""What a column that is not in the table would have to explain, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.plotting import theme
from paribus.plotting.mpl import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paribus.results.robustness import Robustness

MOST_NAMED = 5  # columns in the table that are drawn as dots


def plot_robustness(found: Robustness, ax: Axes | None) -> Axes:
    """Draw two curves, beyond which the effect is gone or unclear, and columns in the table."""
    ax = new_axes() if ax is None else ax
    dots = found.benchmarks[:MOST_NAMED]
    end = found.reach(dots)
    x = np.linspace(end / 400, end, 400)
    for interval, style, words in (
        (False, "-", "effect gone"),
        (True, "--", "interval reaches zero"),
    ):
        y = found.undoing(x, interval)
        ax.plot(100 * x, 100 * np.where(y >= 1, np.nan, y), style, color=theme.INK, label=words)
    for one in dots:
        ax.plot(100 * one.with_x, 100 * one.with_y, "o", color=theme.BLUE, clip_on=False)
        ax.annotate(
            one.column, (100 * one.with_x, 100 * one.with_y), xytext=(5, 3),
            textcoords="offset points", fontsize=8, parse_math=False,
        )  # fmt: skip
    ax.set_xlim(0, 100 * end)
    ax.set_ylim(0, 100 * end)
    ax.set_xlabel(f"% of what is left of {found.feature}", parse_math=False)
    ax.set_ylabel(f"% of what is left of {found.target}", parse_math=False)
    ax.legend(frameon=False, fontsize=8)
    return ax
