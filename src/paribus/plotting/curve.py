"""The Altair chart of a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, theme
from paribus.plotting.marks import CURVE_SIGNS, HEIGHT, WIDTH, Layers, alt
from paribus.plotting.picture import CurveLook

if TYPE_CHECKING:
    from altair import Chart, LayerChart

# Up to four digits, as in years, are easier to read without a comma.
YEARS = "abs(datum.value) < 10000 ? format(datum.value, '~r') : datum.label"


def curve_chart(look: CurveLook) -> LayerChart:
    """Combine the parts of a curve, with the distribution below on a separate scale."""
    x = x_axis(look.x_title, look.dated)
    y = alt.Y(
        "effect",
        type="quantitative",
        title=look.y_title,
        scale=alt.Scale(domain=[look.y_first, look.y_last], nice=False, zero=False),
        axis=alt.Axis(tickCount=6),
    )
    legend = marks.legend(look.legend, CURVE_SIGNS, "ordinal", "ramp")
    layers = _ground(look, x, y) + _line(look, x, y) + _beside(look, x, y) + legend
    above = alt.layer(*layers, _hover(look, x), *_gaps(look, x))
    chart = alt.layer(_strip(look, x), above)
    chart = chart.resolve_scale(y="independent", color="independent")
    return chart.properties(width=WIDTH, height=HEIGHT)


def x_axis(title: str, dated: bool) -> Any:
    """Return the axis of a column of numbers or dates."""
    written = {} if dated else {"labelExpr": YEARS}
    return alt.X(
        "x",
        type="temporal" if dated else "quantitative",
        title=title,
        scale=alt.Scale(nice=False, type="utc") if dated else alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False, labelFlush=False, tickCount=6, labelOverlap=True, **written),
    )


def _ground(look: CurveLook, x: Any, y: Any) -> Layers:
    """Draw what lies under the curve: the zero line, trials, values of single rows."""
    zero = alt.Chart(alt.InlineData(values=[{"effect": 0}])).mark_rule(style="zero", clip=True)
    layers: Layers = [zero.encode(y=y)]
    if "trials" in look.has:
        trial = alt.Chart(alt.NamedData("trials")).mark_line(style="trial", clip=True)
        layers.append(trial.encode(x=x, y=y, detail="trial:N"))
    if "scatter" in look.has:
        dots = alt.Chart(alt.NamedData("scatter")).mark_circle(style="scatter", clip=True)
        layers.append(dots.encode(x=x, y=y))
    return layers


def _line(look: CurveLook, x: Any, y: Any) -> Layers:
    """Draw band, interval, marginal and the curve itself, broken at its gaps."""
    data = alt.Chart(alt.NamedData("points"))
    layers: Layers = []
    for style, (low, high, _) in theme.SIDES.items():
        if low in look.has:
            area = data.mark_area(style=style, clip=True)
            layers.append(area.encode(x=x, y=marks.at(y, low), y2=high, detail="piece:O"))
    if "marginal" in look.has:
        line = data.mark_line(style="marginal", clip=True)
        layers.append(line.encode(x=x, y=marks.at(y, "marginal")))
    if look.lined:
        line = data.mark_line(style="curve", clip=True)
        layers.append(line.encode(x=x, y=y, detail="piece:O"))
    if look.marked:
        layers.append(data.mark_circle(style="dot", clip=True).encode(x=x, y=y))
    return layers


def _beside(look: CurveLook, x: Any, y: Any) -> Layers:
    """Draw the point of the missing values to the right of the curve."""
    if "missing" not in look.has:
        return []
    shown = marks.tooltip(("effect", "lower", "upper", "rows"), "effect", "lower", "upper", "rows")
    data = alt.Chart(alt.NamedData("missing")).encode(x=x, tooltip=shown)
    return [
        data.mark_rule(style="missing", clip=True).encode(y=marks.at(y, "lower"), y2="upper"),
        data.mark_point(style="missing", shape="diamond", size=50, filled=True).encode(y=y),
        data.mark_text(style="missing", dy=-9, strokeWidth=0).encode(
            y=marks.at(y, "upper"), text=alt.TextValue("missing")
        ),
    ]


def _gaps(look: CurveLook, x: Any) -> Layers:
    """Draw where the curve is broken, with the reason under the pointer."""
    if "gaps" not in look.has:
        return []
    gap = alt.Chart(alt.NamedData("gaps")).mark_rect(style="gap", clip=True)
    why = [alt.Tooltip("why:N", title="title")]
    return [gap.encode(x=marks.at(x, "start"), x2="stop", tooltip=why)]


def _hover(look: CurveLook, x: Any) -> Any:
    """Show the values of the nearest point under the pointer or the finger.

    Each point has an invisible cell that reaches half-way to its neighbours. Only this layer sets
    the ends of the axis, because dates given twice are not merged.
    """
    near = alt.selection_point(
        name="near", fields=["x"], on="pointerover,click", clear="pointerout", empty=False
    )
    start = marks.at(x, "start")
    start.scale = alt.Scale(
        **{**x["scale"].to_dict(), "domainMin": look.x_first, "domainMax": look.x_last}
    )
    cells = (
        alt.Chart(alt.NamedData("points"))
        .transform_window(before="lag(x)", after="lead(x)", sort=[alt.SortField("x")])
        .transform_calculate(
            start="(datum.x + (datum.before === null ? datum.x : datum.before)) / 2",
            stop="(datum.x + (datum.after === null ? datum.x : datum.after)) / 2",
        )
    )
    return (
        cells.mark_rect(style="hover", clip=True)
        .encode(
            x=start,
            x2="stop",
            opacity=alt.condition(near, alt.value(0.18), alt.value(0)),
            tooltip=marks.tooltip(look.has, "effect", "lower", "upper"),
        )
        .add_params(near)
    )


def _strip(look: CurveLook, x: Any) -> Chart:
    """Draw the distribution of the rows at the foot of the picture."""
    shown = [alt.Tooltip("between:N", title="title"), alt.Tooltip("rows:Q", format=",")]
    bars = alt.Chart(alt.NamedData("strip")).mark_rect(style="strip", clip=True)
    scale = alt.Scale(domain=[0, look.strip], nice=False)
    return bars.encode(
        x=marks.at(x, "start"),
        x2="stop",
        y=alt.Y("rows:Q", axis=None, scale=scale),
        y2=alt.Y2Datum(0),
        tooltip=shown,
    )
