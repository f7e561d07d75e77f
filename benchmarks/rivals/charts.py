"""The pictures of the rivals page, drawn from the stored results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import altair as alt

from paribus.plotting.theme import LIGHT

from rivals.tools import TOOLS

COLOURS = {
    "paribus": "#1b1b1b",
    "stratx": "#d55e00",
    "PDP": "#0072b2",
    "PDP by brute force": "#56b4e9",
    "PyALE": "#009e73",
    "effector": "#b8589a",
    "shap": "#c98a00",
}
PANELS = {"one": "One column", "all": "All 20 columns"}
EXACT = 1e-6  # where ours is exact a ratio says nothing
Known = Mapping[str, Any]


def package(tool: str) -> str:
    """Return a tool's name without its model."""
    return tool.split(",")[0]


def with_fit(tools: Known, tool: str, problem: str, n: str) -> dict[str, float] | None:
    """Return what a tool takes at a size, the fit of its model counted, or None if stopped."""
    row = tools[tool].get(problem, {}).get(n)
    if row is None or "stopped" in row:
        return None
    fit = fit_of(tools, tool, n)
    return {
        "seconds": row["seconds"] + (fit["seconds"] if fit else 0.0),
        "peak_mb": max(row["peak_mb"], fit["peak_mb"] if fit else 0.0),
    }


def fit_of(tools: Known, tool: str, n: str) -> dict[str, float] | None:
    """Return what fitting the model of a tool took."""
    model = TOOLS[tool].model
    if model is None:
        return None
    return tools[f"fitting: {model.removesuffix(' on codes')}"]["fit"][n]


def growth(speed: Known, what: str) -> Iterator[dict[str, Any]]:
    """Yield points of the curves against the number of rows."""
    tools = speed["tools"]
    for tool in [t for t in TOOLS if t in tools]:
        for problem, panel in PANELS.items():
            for n in tools[tool].get(problem, {}):
                found = with_fit(tools, tool, problem, n)
                if found:
                    yield {
                        "rows": int(n),
                        "value": found[what],
                        "tool": package(tool),
                        "model": (TOOLS[tool].model or "none").split()[0],
                        "panel": panel,
                    }


def draw_growth(speed: Known, what: str, title: str, path: Path) -> None:
    """Draw time or memory against the number of rows, a panel for each problem."""
    colour = alt.Color("tool:N", title=None, scale=scale(), legend=stroke())
    base = alt.Chart(alt.Data(values=list(growth(speed, what)))).encode(
        x=alt.X("rows:Q", scale=alt.Scale(type="log"), title="rows", axis=log_axis("~s")),
        y=alt.Y("value:Q", scale=alt.Scale(type="log"), title=title, axis=log_axis("~r")),
        color=colour,
        strokeDash=alt.StrokeDash(
            "model:N",
            title="model",
            scale=alt.Scale(domain=["none", "boosting", "forest"], range=[[1, 0], [1, 0], [5, 3]]),
            legend=stroke(values=["boosting", "forest"]),
        ),
        strokeWidth=alt.condition("datum.tool == 'paribus'", alt.value(3.0), alt.value(1.6)),
    )
    dots = base.mark_point(filled=True, size=28, opacity=1).encode(strokeDash=alt.value([1, 0]))
    panels = alt.layer(base.mark_line(), dots).properties(width=330, height=300)
    chart = panels.facet(
        alt.Column("panel:N", title=None, sort=list(PANELS.values()), header=header())
    )
    store(chart, path)


def draw_errors(accuracy: Known, path: Path) -> None:
    """Draw each tool's error against ours, a dot a data set."""
    tools = accuracy["tools"]
    ours = tools["paribus"]["rmse"]
    values = [
        {"tool": tool, "package": package(tool), "scenario": name, "ratio": row[0] / ours[name][0]}
        for tool, found in tools.items()
        if tool != "paribus"
        for name, row in found["rmse"].items()
        if ours[name][0] > EXACT
    ]
    order = [tool for tool in TOOLS if tool in tools]
    ratio = alt.X(
        "ratio:Q",
        scale=alt.Scale(type="log", nice=False, padding=12),
        title="error, times that of paribus (left of the line: the rival is better)",
        axis=alt.Axis(values=[0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128], format="~r"),
    )
    base = alt.Chart(alt.Data(values=values))
    dots = base.mark_circle(size=42, opacity=0.55).encode(
        x=ratio,
        y=alt.Y("tool:N", sort=order, title=None),
        color=alt.Color("package:N", scale=scale(), legend=None),
    )
    middle = base.mark_tick(thickness=2.5, size=18, color="#1b1b1b").encode(
        x=alt.X("median(ratio):Q"), y=alt.Y("tool:N", sort=order)
    )
    even = alt.Chart(alt.Data(values=[{"one": 1}])).mark_rule(color="#6a6a6a").encode(x="one:Q")
    store(alt.layer(even, dots, middle).properties(width=560, height=320), path)


def scale() -> alt.Scale:
    """Return one colour a package."""
    return alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))


def log_axis(number: str) -> alt.Axis:
    """Return an axis with a tick at each power of ten."""
    return alt.Axis(format=number, values=[10.0**k for k in range(-3, 7)])


def stroke(**options: Any) -> alt.Legend:
    """Return a legend that shows lines."""
    return alt.Legend(symbolType="stroke", symbolStrokeWidth=2.5, symbolSize=300, **options)


def header() -> alt.Header:
    """Return how a panel's title looks."""
    return alt.Header(labelFontSize=13, labelFontWeight="bold")


def store(chart: Any, path: Path) -> None:
    """Write a picture that looks like our others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = chart.configure(**{k: v for k, v in LIGHT.items() if k not in ("style", "range")})
    drawn.save(str(path))
    print(f"written to {path}")
