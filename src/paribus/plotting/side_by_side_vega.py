"""Several methods on one column, drawn with Altair: a panel each, our band behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting import marks, theme
from paribus.plotting.points import Row
from paribus.plotting.side_by_side import ACROSS, MODEL, MOST_LEVELS, colour, single_rows
from paribus.plotting.vega import chart_of

if TYPE_CHECKING:
    import altair as alt

    from paribus.models.compare import Comparison
    from paribus.models.referee import Verdict

WIDTH, HEIGHT = 240, 170


def comparison_chart(comparison: Comparison) -> alt.ConcatChart:
    """Draw a panel for each method, all on one scale."""
    alt_ = marks.altair()
    base: Any = comparison.base
    numeric = hasattr(base, "x")
    panels = []
    for name, values in comparison.lined_up().items():
        rows = _curve_rows(base, values) if numeric else _level_rows(base, values)
        panels.append(_panel(rows, name, comparison, numeric))
    chart = alt_.concat(*panels, columns=ACROSS).resolve_scale(x="shared", y="shared")
    return chart.configure(**theme.LIGHT)


def verdict_chart(verdict: Verdict) -> alt.LayerChart:
    """Draw a model's curve over our chart."""
    alt_ = marks.altair()
    model: Any = verdict.model
    stored = model.to_dict()
    ours = chart_of({**verdict.ours.to_dict(), "covariance": None}, config=None)
    if not hasattr(model, "x"):
        rows = [
            {"level": str(level), "effect": v}
            for level, v in zip(stored["levels"], stored["effect"], strict=True)
        ]
        mark = alt_.Chart(alt_.InlineData(values=rows)).mark_point(
            shape="diamond", filled=True, size=60, color=MODEL
        )
        over = mark.encode(x="effect:Q", y="level:N", tooltip=["level:N", "effect:Q"])
        ours.layer = [*ours.layer, over]
        return ours.configure(**theme.LIGHT)
    kind = "temporal" if model.x.dtype.kind == "M" else "quantitative"
    rows = [{"x": x, "effect": v} for x, v in zip(stored["x"], stored["effect"], strict=True)]
    line = alt_.Chart(alt_.InlineData(values=rows)).mark_line(color=MODEL, clip=True)
    inner = ours.layer[1]
    inner.layer = [*inner.layer, line.encode(x=alt_.X("x", type=kind), y="effect:Q")]
    return ours.configure(**theme.LIGHT)


def _panel(rows: list[Row], name: str, comparison: Comparison, numeric: bool) -> alt.LayerChart:
    alt_ = marks.altair()
    data = alt_.Chart(alt_.InlineData(values=rows))
    quantity = f"change in {marks.quantity(comparison.base.to_dict())}"
    own: Any = comparison.results[name]
    ink = colour(own)
    if numeric:
        dated = bool(rows) and isinstance(rows[0]["x"], str)
        x = alt_.X(
            "x", type="temporal" if dated else "quantitative", title=comparison.feature,
            scale=alt_.Scale(zero=False, nice=False),
        )  # fmt: skip
        y = alt_.Y("value:Q", title=quantity)
        told = ["x:T" if dated else "x:Q", "value:Q", "ours:Q"]
        parts = [
            data.mark_area(style="interval").encode(x=x, y=alt_.Y("low:Q"), y2="high:Q"),
            data.mark_line(style="trial").encode(x=x, y=alt_.Y("ours:Q")),
        ]
        singles = _single_rows(own, comparison.height(name))
        if singles:
            behind = alt_.Chart(alt_.InlineData(values=singles)).mark_line(style="trial")
            parts.append(behind.encode(x=x, y=alt_.Y("value:Q"), detail="row:N"))
        parts.append(data.mark_line(color=ink).encode(x=x, y=y, tooltip=told))
    else:
        x = alt_.X("value:Q", title=quantity)
        y = alt_.Y("level:N", title=comparison.feature, sort=[row["level"] for row in rows])
        parts = [
            data.mark_rule(style="interval", strokeWidth=11).encode(
                x=alt_.X("low:Q"), x2="high:Q", y=y
            ),
            data.mark_tick(style="trial").encode(x=alt_.X("ours:Q"), y=y),
            data.mark_circle(color=ink, size=60, opacity=1).encode(
                x=x, y=y, tooltip=["level:N", "value:Q", "ours:Q"]
            ),
        ]
    return alt_.layer(*parts).properties(title=name, width=WIDTH, height=HEIGHT)


def _curve_rows(base: Any, values: Any) -> list[Row]:
    stored = base.to_dict()
    return _rows("x", stored["x"], base, values)


def _single_rows(own: Any, height: float) -> list[Row]:
    at = own.to_dict()["x"]
    return [
        {"x": x, "value": float(v), "row": k}
        for k, curve in enumerate(single_rows(own, height))
        for x, v in zip(at, curve, strict=True)
    ]


def _level_rows(base: Any, values: Any) -> list[Row]:
    rows = _rows("level", [str(level) for level in base.levels], base, values)
    often = np.argsort(-base.count, kind="stable")[:MOST_LEVELS]
    return [rows[k] for k in sorted(often, key=lambda k: -np.nan_to_num(base.effect[k]))]


def _rows(name: str, axis: list[Any], base: Any, values: Any) -> list[Row]:
    low = base.effect if base.band_lower is None else base.band_lower
    high = base.effect if base.band_upper is None else base.band_upper
    columns = [_plain(v) for v in (values, base.effect, low, high)]
    return [
        {name: at, "value": v, "ours": o, "low": a, "high": b}
        for at, v, o, a, b in zip(axis, *columns, strict=True)
    ]


def _plain(values: Any) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]
