"""How charts look, in light and in dark: styles by name, colours that all eyes tell apart."""

from __future__ import annotations

from typing import Any

MARGINAL = "mean, nothing held still"
DOTTED = ("stratpd", "slopes")  # methods whose curves are dots, as in the paper


def _config(
    ink: str, quiet: str, line: str, paper: str, blue: str, islands: list[str]
) -> dict[str, Any]:
    """Return a Vega-Lite configuration from a handful of colours."""
    words = {"labelColor": quiet, "titleColor": ink, "titleFontWeight": "normal"}
    return {
        "background": paper,
        "font": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
        "view": {"stroke": None},
        "axis": {
            **words, "gridColor": line, "domainColor": line, "tickColor": line,
            "labelFontSize": 11, "titleFontSize": 12, "labelLimit": 190, "titleLimit": 420,
        },
        "legend": {**words, "labelFontSize": 11, "symbolType": "square", "symbolStrokeWidth": 0},
        "range": {
            "category": islands,
            "ordinal": [ink, f"{blue}66", f"{blue}30", quiet],
            "ramp": [islands[0], quiet],
        },
        "style": {
            "curve": {"color": ink, "strokeWidth": 2},
            "dot": {"color": ink, "size": 30, "opacity": 1},
            "interval": {"color": blue, "opacity": 0.4},
            "band": {"color": blue, "opacity": 0.19},
            "marginal": {"color": quiet, "strokeWidth": 1, "strokeDash": [4, 3], "opacity": 0.6},
            "marginal-dot": {"color": quiet, "size": 45, "opacity": 0.7},
            "trial": {"color": quiet, "strokeWidth": 0.7, "opacity": 0.6},
            "cloud": {"color": quiet, "size": 9, "opacity": 0.5},
            "zero": {"color": quiet, "strokeWidth": 0.8},
            "strip": {"color": blue, "opacity": 0.45},
            "gap": {"color": quiet, "opacity": 0.14},
            "missing": {"color": quiet},
            "hover": {"color": quiet, "strokeWidth": 1},
            "sentence": {"color": ink, "fontSize": 12},
        },
    }  # fmt: skip


LIGHT = _config(
    "#1b1b1b", "#6a6a6a", "#e3e3e3", "#ffffff", "#0072b2",
    ["#0072b2", "#d55e00", "#009e73", "#b8589a"],
)  # fmt: skip
DARK = _config(
    "#f2f2f2", "#a9adb5", "#34383f", "#17191d", "#56b4e9",
    ["#56b4e9", "#e69f00", "#33c39a", "#e39cc6"],
)  # fmt: skip
