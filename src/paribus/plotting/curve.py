"""The chart of a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points, theme
from paribus.plotting.marks import HEIGHT, NUMBER, WIDTH, Layers
from paribus.plotting.points import Frame, Row, Stored

if TYPE_CHECKING:
    import altair as alt

STRIP = 0.14  # height of the distribution under a curve, as a share of the picture
PARTS = (*points.SIDES, "mass", "gaps", "missing", "cloud")
CUT = " (the last rows at the ends not drawn)"
# Up to four digits, years among them, are read more easily without a comma.
YEARS = "abs(datum.value) < 10000 ? format(datum.value, '~r') : datum.label"


@dataclass(frozen=True, slots=True)
class CurveLook:
    """All that tells the chart of one curve from that of another, beside its data.

    Attributes
    ----------
    x_title, y_title : str
    x_first, x_last, y_first, y_last : float
        The ends of the axes.
    strip : float
        The end of the distribution's axis.
    sure : str
        How sure the interval is, in words.
    dated, lined, marked : bool
        Whether it runs over dates; whether it is a line; whether its points are marked.
    has : frozenset of str
        The parts that there are.
    """

    x_title: str
    y_title: str
    x_first: float
    x_last: float
    y_first: float
    y_last: float
    strip: float
    sure: str
    dated: bool
    lined: bool
    marked: bool
    has: frozenset[str]


def curve_look(stored: Stored) -> CurveLook:
    """Decide how a stored curve is to be drawn."""
    frame = points.frame_of(stored)
    low, high = frame.y
    room = (high - low) * STRIP / (1 - STRIP)
    lined = stored["method"] not in theme.DOTTED
    few = not lined or len(stored["x"]) <= points.FEW_POINTS
    return CurveLook(
        x_title=stored["feature"] + (CUT if frame.cut else ""),
        y_title=f"change in {marks.quantity(stored)}",
        x_first=frame.x[0],
        x_last=frame.x[1],
        y_first=low - 1.4 * room,
        y_last=high + 0.3 * room,
        strip=max(1, *stored["distribution"]["counts"]) / STRIP,
        sure=f"{100 * stored['conf_level']:g} %" if stored["conf_level"] else "",
        dated=points.is_dated(stored),
        lined=lined,
        marked=few or bool(stored["gaps"]),
        has=points.parts_of(stored, PARTS),
    )


def curve_tables(stored: Stored) -> dict[str, list[Row]]:
    """Return the data of a stored curve's chart, table by table."""
    tables = {
        "points": points.curve_rows(stored),
        "strip": points.strip_rows(stored),
        "gaps": _gap_rows(stored),
        "missing": _missing_rows(stored, points.frame_of(stored)),
        "trials": _trial_rows(stored),
        "cloud": points.cloud_rows(stored),
    }
    return {name: rows for name, rows in tables.items() if rows}


def curve_chart(look: CurveLook) -> alt.LayerChart:
    """Lay the parts of a curve over each other, the distribution below on a scale of its own."""
    alt = marks.altair()
    x, y = _axes(look)
    layers = _ground(look, x, y) + _line(look, x, y) + _beside(look, x, y) + _curve_legend(look)
    above = alt.layer(*layers, _hover(look, x))
    chart = alt.layer(_strip(look, x), above)
    chart = chart.resolve_scale(y="independent", color="independent")
    return chart.properties(width=WIDTH, height=HEIGHT)


def _axes(look: CurveLook) -> tuple[Any, Any]:
    """Return both axes as the layers above the strip read them."""
    alt = marks.altair()
    written = {} if look.dated else {"labelExpr": YEARS}
    x = alt.X(
        "x",
        type="temporal" if look.dated else "quantitative",
        title=look.x_title,
        scale=alt.Scale(nice=False, type="utc")
        if look.dated
        else alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False, labelFlush=False, tickCount=6, labelOverlap=True, **written),
    )
    y = alt.Y(
        "effect",
        type="quantitative",
        title=look.y_title,
        scale=alt.Scale(domain=[look.y_first, look.y_last], nice=False, zero=False),
        axis=alt.Axis(tickCount=6),
    )
    return x, y


def _ground(look: CurveLook, x: Any, y: Any) -> Layers:
    """Draw what lies under the curve: the zero line, gaps, trials, values of single rows."""
    alt = marks.altair()
    zero = alt.Chart(alt.InlineData(values=[{"effect": 0}])).mark_rule(style="zero", clip=True)
    layers: Layers = [zero.encode(y=y)]
    if "gaps" in look.has:
        gap = alt.Chart(alt.NamedData("gaps")).mark_rect(style="gap", clip=True)
        why = [alt.Tooltip("between:N"), alt.Tooltip("why:N")]
        layers.append(gap.encode(x=marks.at(x, "start"), x2="stop", tooltip=why))
    if "trials" in look.has:
        trial = alt.Chart(alt.NamedData("trials")).mark_line(style="trial", clip=True)
        layers.append(trial.encode(x=x, y=y, detail="trial:N"))
    if "cloud" in look.has:
        dots = alt.Chart(alt.NamedData("cloud")).mark_circle(style="cloud", clip=True)
        layers.append(dots.encode(x=x, y=y))
    return layers


def _line(look: CurveLook, x: Any, y: Any) -> Layers:
    """Draw band, interval, marginal and the curve itself, broken at its gaps."""
    alt = marks.altair()
    data = alt.Chart(alt.NamedData("points"))
    layers: Layers = []
    for low, high, style in (("band_lower", "band_upper", "band"), ("lower", "upper", "interval")):
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
    alt = marks.altair()
    data = alt.Chart(alt.NamedData("missing")).encode(
        x=x, tooltip=marks.told("effect", "lower", "upper", "rows")
    )
    return [
        data.mark_rule(style="missing", clip=True).encode(y=marks.at(y, "lower"), y2="upper"),
        data.mark_point(style="missing", shape="diamond", size=50).encode(y=y),
        data.mark_text(style="missing", dy=-9, strokeWidth=0).encode(
            y=marks.at(y, "upper"), text=alt.TextValue("missing")
        ),
    ]


def _hover(look: CurveLook, x: Any) -> alt.Chart:
    """Show the values of the nearest point under the pointer.

    This layer alone says where the axis begins and ends: dates said twice are not merged.
    """
    alt = marks.altair()
    x = marks.at(x, "x")
    x.scale = alt.Scale(
        **{**x["scale"].to_dict(), "domainMin": look.x_first, "domainMax": look.x_last}
    )
    near = alt.selection_point(
        name="near",
        nearest=True,
        on="pointerover",
        clear="pointerout",
        encodings=["x"],
        empty=False,
    )
    place = alt.Tooltip("date:N") if look.dated else alt.Tooltip("x:Q", format=NUMBER)
    names = [n for n in ("effect", "lower", "upper") if n in look.has]
    told = [place, *marks.told(*names)]
    if "marginal" in look.has:
        told.append(alt.Tooltip("marginal:Q", format=NUMBER, title=theme.MARGINAL))
    if "mass" in look.has:
        told.append(alt.Tooltip("share:Q", format=".2~%", title="share of the rows"))
    rule = alt.Chart(alt.NamedData("points")).mark_rule(style="hover", clip=True)
    seen = alt.condition(near, alt.value(0.7), alt.value(0))
    return rule.encode(x=x, opacity=seen, tooltip=told).add_params(near)


def _strip(look: CurveLook, x: Any) -> alt.Chart:
    """Draw where the rows lie along the foot of the picture."""
    alt = marks.altair()
    told = ("rows",) if look.dated else ("start", "stop", "rows")
    bars = alt.Chart(alt.NamedData("strip")).mark_rect(style="strip", clip=True)
    scale = alt.Scale(domain=[0, look.strip], nice=False)
    return bars.encode(
        x=marks.at(x, "start"),
        x2="stop",
        y=alt.Y("rows:Q", axis=None, scale=scale),
        y2=alt.Y2Datum(0),
        tooltip=marks.told(*told),
    )


def _curve_legend(look: CurveLook) -> Layers:
    if "lower" not in look.has:
        return []
    parts = {"estimate": "effect", f"{look.sure} interval": "lower"}
    parts |= {f"{look.sure} for the whole curve": "band_lower", theme.MARGINAL: "marginal"}
    return [
        marks.legend(
            [*parts], [name for name, part in parts.items() if part in look.has], "ordinal"
        )
    ]


def _gap_rows(stored: Stored) -> list[Row]:
    notes = [note for note in stored["notes"] if note["kind"] == "gap"]
    told = {(str(n["facts"]["start"]), str(n["facts"]["stop"])): n["text"] for n in notes}
    rows = []
    for gap in stored["gaps"]:
        start, stop = points.positions([gap["start"], gap["stop"]]).tolist()
        why = told.get((str(gap["start"]), str(gap["stop"])), gap["reason"])
        between = f"{gap['start']} to {gap['stop']}"
        rows.append({"start": start, "stop": stop, "between": between, "why": why})
    return rows


def _missing_rows(stored: Stored, frame: Frame) -> list[Row]:
    if stored["missing"] is None:
        return []
    at = frame.x[1] - 0.04 * (frame.x[1] - frame.x[0])
    missing = stored["missing"]
    return [
        {"x": at, **{k: missing[k] for k in ("effect", "lower", "upper")}, "rows": missing["count"]}
    ]


def _trial_rows(stored: Stored) -> list[Row]:
    at = points.positions(stored["x"]).tolist()
    return [
        {"x": x, "effect": effect, "trial": k}
        for k, trial in enumerate(points.trials_of(stored))
        for x, effect in zip(at, trial, strict=True)
    ]
