"""The surface of two columns drawn, with matplotlib and with Altair."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import marks, mpl
from paribus.plotting.marks import alt
from paribus.plotting.picture import measured
from paribus.results.words import places

if TYPE_CHECKING:
    from altair import Chart
    from matplotlib.axes import Axes

    from paribus.base.arrays import AnyArray
    from paribus.results import PairEffect

EMPTY = 0.35  # how much of its colour a rectangle without rows keeps


def plot_pair(pair: PairEffect, ax: Axes | None = None) -> Axes:
    """Draw the surface as coloured rectangles, pale where there are no rows."""
    ax = ax if ax is not None else mpl.new_axes()
    middle = pair.middle
    most = float(np.abs(middle).max()) or 1.0
    look: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
    drawn = ax.pcolormesh(pair.x1, pair.x2, np.where(pair.count > 0, middle, np.nan).T, **look)
    guess = np.where(pair.count > 0, np.nan, middle).T
    ax.pcolormesh(pair.x1, pair.x2, guess, alpha=EMPTY, **look)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.set_label(f"change in {measured(pair)} beyond both", parse_math=False)
    ax.set_xlabel(pair.features[0], parse_math=False)
    ax.set_ylabel(pair.features[1], parse_math=False)
    return ax


def pair_chart(pair: PairEffect) -> Chart:
    """Draw the surface with Altair, with values under the pointer."""
    middle = pair.middle
    stored = pair.to_dict()
    x1, x2 = stored["x1"], stored["x2"]
    names = [_stretches(*axis) for axis in zip(pair.features, (pair.x1, pair.x2), strict=True)]
    rows = [
        {
            "x1": x1[i], "x1_end": x1[i + 1], "x2": x2[j], "x2_end": x2[j + 1],
            "effect": float(middle[i, j]), "count": int(pair.count[i, j]),
            "place": f"{names[0][i]}, {names[1][j]}",
        }
        for i in range(middle.shape[0])
        for j in range(middle.shape[1])
    ]  # fmt: skip
    kinds = ["temporal" if isinstance(v[0], str) else "quantitative" for v in (x1, x2)]
    flat = alt.Scale(zero=False, nice=False)
    chart = alt.Chart(alt.InlineData(values=rows)).mark_rect()
    chart = chart.encode(
        x=alt.X("x1", type=kinds[0], title=pair.features[0], scale=flat),
        x2="x1_end",
        y=alt.Y("x2", type=kinds[1], title=pair.features[1], scale=flat),
        y2="x2_end",
        color=alt.Color(
            "effect:Q",
            title="beyond both",
            scale=alt.Scale(scheme="redblue", domainMid=0, reverse=True),
        ),
        opacity=alt.condition("datum.count > 0", alt.value(1.0), alt.value(EMPTY)),
        tooltip=marks.tooltip(("effect", "count"), "effect"),
    )
    return chart.properties(width=marks.WIDTH, height=marks.HEIGHT)


def _stretches(name: str, x: AnyArray) -> list[str]:
    """Name the stretches between neighbouring values: "carat = 0.5 to 0.7"."""
    days = (x[-1] - x[0]) / np.timedelta64(1, "D") if x.dtype.kind == "M" else x[-1] - x[0]
    labels = places(x, float(days))
    return [f"{name} = {a} to {b}" for a, b in pairwise(labels)]
