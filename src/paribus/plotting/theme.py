"""How pictures look, light and dark: named styles, and colours safe for colour-blind readers."""

from __future__ import annotations

from typing import Any

INK, QUIET, BLUE = "#1b1b1b", "#6a6a6a", "#0072b2"
ISLANDS = ("#0072b2", "#d55e00", "#009e73", "#b8589a")
MODEL, PAPER = ISLANDS[1], ISLANDS[2]  # curves of models, and of the paper's algorithms
BAND, INTERVAL = 0.19, 0.4  # how much of their colour band and interval show
SIDES = {"band": ("band_lower", "band_upper", BAND), "interval": ("lower", "upper", INTERVAL)}
NOTHING = "transparent"


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
        "legend": {**words, "labelFontSize": 11, "symbolSize": 130, "labelLimit": 260},
        # Two of these lists are fill and stroke of a curve's legend, two of that of levels: see
        # `marks.legend`.
        "range": {
            "category": islands,
            "ordinal": [NOTHING, f"{blue}66", f"{blue}30", NOTHING],
            "ramp": [ink, NOTHING, NOTHING, quiet],
            "heatmap": [islands[0], NOTHING],
            "diverging": [islands[0], quiet],
        },
        "style": {
            "curve": {"color": ink, "strokeWidth": 2},
            "dot": {"color": ink, "size": 30, "opacity": 1},
            "interval": {"color": blue, "opacity": INTERVAL},
            "band": {"color": blue, "opacity": BAND},
            "marginal": {"color": quiet, "strokeWidth": 1, "strokeDash": [4, 3], "opacity": 0.6},
            "hollow": {"color": quiet, "size": 45, "opacity": 0.7},
            "trial": {"color": quiet, "strokeWidth": 0.7, "opacity": 0.6},
            "scatter": {"color": quiet, "size": 9, "opacity": 0.5},
            "zero": {"color": quiet, "strokeWidth": 0.8},
            "strip": {"color": blue, "opacity": 0.45},
            "gap": {"color": quiet, "opacity": 0.14},
            "missing": {"color": quiet},
            "hover": {"color": quiet},
            "sentence": {"color": ink, "fontSize": 12},
        },
    }  # fmt: skip


LIGHT = _config(INK, QUIET, "#e3e3e3", "#ffffff", BLUE, list(ISLANDS))
DARK = _config(
    "#f2f2f2", "#a9adb5", "#34383f", "#17191d", "#56b4e9",
    ["#56b4e9", "#e69f00", "#33c39a", "#e39cc6"],
)  # fmt: skip
