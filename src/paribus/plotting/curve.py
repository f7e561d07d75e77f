"""The chart of a curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points, theme
from paribus.plotting.marks import HEIGHT, NUMBER, WIDTH, Layers
from paribus.plotting.points import Frame, Row, Stored

if TYPE_CHECKING:
    import altair as alt

STRIP = 0.14  # height of the distribution under a curve, as a share of the picture
FEW = 30  # a curve of no more points has them marked


def curve_chart(stored: Stored) -> tuple[alt.LayerChart, dict[str, list[Row]]]:
    """Lay the parts of a curve over each other, the distribution below on a scale of its own."""
    alt = marks.altair()
    frame = points.frame_of(stored)
    tables = {
        "points": points.curve_rows(stored),
        "strip": points.strip_rows(stored),
        "gaps": _gap_rows(stored),
        "missing": _missing_rows(stored, frame),
        "trials": _trial_rows(stored),
    }
    tables = {name: rows for name, rows in tables.items() if rows}
    x, y = _axes(stored, frame)
    layers = (
        _ground(x, y, tables) + _line(stored, x, y) + _beside(x, y, tables) + _curve_legend(stored)
    )
    above = alt.layer(*layers, _hover(stored, x, frame))
    below = _strip(x, max(row["rows"] for row in tables["strip"]))
    chart = alt.layer(below, above).resolve_scale(y="independent", color="independent")
    return chart.properties(width=WIDTH, height=HEIGHT), tables


def _axes(stored: Stored, frame: Frame) -> tuple[Any, Any]:
    """Return both axes as the layers above the strip read them."""
    alt = marks.altair()
    dated = points.is_dated(stored)
    title = stored["feature"] + (" (the last rows at the ends not drawn)" if frame.cut else "")
    x = alt.X(
        "x",
        type="temporal" if dated else "quantitative",
        title=title,
        scale=alt.Scale(nice=False, type="utc") if dated else alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False, labelFlush=False, tickCount=6, labelOverlap=True),
    )
    low, high = frame.y
    room = (high - low) * STRIP / (1 - STRIP)
    y = alt.Y(
        "effect",
        type="quantitative",
        title=f"change in {marks.quantity(stored)}",
        scale=alt.Scale(domain=[low - 1.4 * room, high + 0.3 * room], nice=False, zero=False),
        axis=alt.Axis(tickCount=6),
    )
    return x, y


def _ground(x: Any, y: Any, tables: Mapping[str, Any]) -> Layers:
    """Draw what lies under the curve: the zero line, gaps, trials."""
    alt = marks.altair()
    zero = alt.Chart(alt.InlineData(values=[{"effect": 0}])).mark_rule(style="zero", clip=True)
    layers: Layers = [zero.encode(y=y)]
    if "gaps" in tables:
        gap = alt.Chart(alt.NamedData("gaps")).mark_rect(style="gap", clip=True)
        why = [alt.Tooltip("between:N"), alt.Tooltip("why:N")]
        layers.append(gap.encode(x=marks.at(x, "start"), x2="stop", tooltip=why))
    if "trials" in tables:
        trial = alt.Chart(alt.NamedData("trials")).mark_line(style="trial", clip=True)
        layers.append(trial.encode(x=x, y=y, detail="trial:N"))
    return layers


def _line(stored: Stored, x: Any, y: Any) -> Layers:
    """Draw band, interval, marginal and the curve itself, broken at its gaps."""
    alt = marks.altair()
    data = alt.Chart(alt.NamedData("points"))
    layers: Layers = []
    for low, high, style in (("band_lower", "band_upper", "band"), ("lower", "upper", "interval")):
        if stored.get(low):
            area = data.mark_area(style=style, clip=True)
            layers.append(area.encode(x=x, y=marks.at(y, low), y2=high, detail="piece:O"))
    if stored.get("marginal"):
        line = data.mark_line(style="marginal", clip=True)
        layers.append(line.encode(x=x, y=marks.at(y, "marginal")))
    if stored.get("lower"):
        line = data.mark_line(style="curve", clip=True)
        layers.append(line.encode(x=x, y=y, detail="piece:O"))
    if not stored.get("lower") or len(stored["x"]) <= FEW or stored["gaps"]:
        layers.append(data.mark_circle(style="dot", clip=True).encode(x=x, y=y))
    return layers


def _beside(x: Any, y: Any, tables: Mapping[str, Any]) -> Layers:
    """Draw the point of the missing values to the right of the curve."""
    if "missing" not in tables:
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


def _hover(stored: Stored, x: Any, frame: Frame) -> alt.Chart:
    """Show the values of the nearest point under the pointer.

    This layer alone says where the axis begins and ends: dates said twice are not merged.
    """
    alt = marks.altair()
    x = marks.at(x, "x")
    x.scale = alt.Scale(
        **{**x["scale"].to_dict(), "domainMin": frame.x[0], "domainMax": frame.x[1]}
    )
    near = alt.selection_point(
        name="near",
        nearest=True,
        on="pointerover",
        clear="pointerout",
        encodings=["x"],
        empty=False,
    )
    place = alt.Tooltip("date:N") if points.is_dated(stored) else alt.Tooltip("x:Q", format=NUMBER)
    names = [n for n in ("effect", "lower", "upper") if stored.get(n)]
    told = [place, *marks.told(*names)]
    if stored.get("marginal"):
        told.append(alt.Tooltip("marginal:Q", format=NUMBER, title=theme.MARGINAL))
    if stored.get("mass"):
        told.append(alt.Tooltip("share:Q", format=".2~%", title="share of the rows"))
    rule = alt.Chart(alt.NamedData("points")).mark_rule(style="hover", clip=True)
    seen = alt.condition(near, alt.value(0.7), alt.value(0))
    return rule.encode(x=x, opacity=seen, tooltip=told).add_params(near)


def _strip(x: Any, most: int) -> alt.Chart:
    """Draw where the rows lie along the foot of the picture."""
    alt = marks.altair()
    told = ("rows",) if x["type"] == "temporal" else ("start", "stop", "rows")
    bars = alt.Chart(alt.NamedData("strip")).mark_rect(style="strip", clip=True)
    scale = alt.Scale(domain=[0, max(most, 1) / STRIP], nice=False)
    return bars.encode(
        x=marks.at(x, "start"),
        x2="stop",
        y=alt.Y("rows:Q", axis=None, scale=scale),
        y2=alt.Y2Datum(0),
        tooltip=marks.told(*told),
    )


def _curve_legend(stored: Stored) -> Layers:
    if not stored.get("lower"):
        return []
    sure = f"{100 * stored['level']:g} %"
    parts = {"estimate": "effect", f"{sure} interval": "lower"}
    parts |= {f"{sure} for the whole curve": "band_lower", theme.MARGINAL: "marginal"}
    return [
        marks.legend(
            [*parts], [name for name, part in parts.items() if stored.get(part)], "ordinal"
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
    trials = stored["trials"] or []
    at = points.positions(stored["x"]).tolist()
    return [
        {"x": x, "effect": effect, "trial": k}
        for k, trial in enumerate(trials if len(trials) > 1 else [])
        for x, effect in zip(at, trial, strict=True)
    ]
