"""Two columns at once on a sheet: lines and slopes, each as a table with a native chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.plotting.joint import lines_of, slope_lines
from paribus.plotting.theme import ISLANDS
from paribus.report.sheet_names import plain_text
from paribus.report.sheets import (
    CHART_ROWS,
    FAINT,
    FIRST_WIDTH,
    HEAD_HEIGHT,
    LOW_LABELS,
    SIZE,
    WIDTH,
    Place,
    axis_format,
    number_format,
    round_ends,
    set_up_page,
    write_heads,
    write_text,
)

if TYPE_CHECKING:
    from paribus.plotting.lines import Lines
    from paribus.results import JointEffect

SIDES = ("effect", "lower", "upper")


def write_pair(place: Place, both: JointEffect) -> None:
    """Fill the sheet of two columns at once."""
    place.sheet.write_string(0, 0, plain_text(" and ".join(both.features)), place.formats["title"])
    parts = [(both.summary(), lines_of(both))]
    parts += [(slopes.summary(), slope_lines(slopes)) for slopes in both.slopes()]
    n_keys = max(1 + len(SIDES) * len(look.lines) for _, look in parts)
    place.sheet.set_column(0, 0, FIRST_WIDTH)
    place.sheet.set_column(1, n_keys - 1, WIDTH)
    top = 1
    for sentence, look in parts:
        write_text(place, top, n_keys, sentence)
        _write_lines(place, top + 2, n_keys, look)
        top += 4 + max(len(look.places) + 1, CHART_ROWS)
    for k, note in enumerate(both.notes):
        write_text(place, top + k, n_keys, note.with_advice())
    set_up_page(place.sheet)


def _write_lines(place: Place, top: int, n_keys: int, look: Lines) -> None:
    """Write a table of lines, three columns each, and the chart beside it."""
    sheet = place.sheet
    sheet.set_row(top, HEAD_HEIGHT)
    numbers = [getattr(line, side) for line in look.lines for side in SIDES]
    written = place.number(number_format(np.concatenate(numbers).tolist()))
    at = None if look.at is None or look.dated else look.at.astype(float).tolist()
    shown = place.number(axis_format(at)) if at is not None else None
    for k, label in enumerate(look.places, start=top + 1):
        if at is None:
            sheet.write_string(k, 0, plain_text(label))
        else:
            sheet.write_number(k, 0, at[k - top - 1], shown)
    heads = [head for name in look.names for head in (name, *SIDES[1:])]
    write_heads(place, top, [look.x_title, *heads])
    for column, values in enumerate(numbers, start=1):
        for k, value in enumerate(values.tolist(), start=top + 1):
            if np.isfinite(value):
                sheet.write_number(k, column, value, written)
    chart = _chart(place, top, look, at)
    sheet.insert_chart(top, n_keys + 1, chart, {"description": plain_text(look.y_title)})


def _chart(place: Place, top: int, look: Lines, at: list[float] | None) -> Any:
    """Draw the lines; along levels or dates, one place beside the other."""
    kind = {"type": "line"} if at is None else {"type": "scatter", "subtype": "straight"}
    chart = place.book.add_chart(kind)
    first, last = top + 1, top + len(look.places)
    for k, (name, colour) in enumerate(zip(look.names, ISLANDS, strict=False)):
        for side, width in zip(SIDES, (2.25, 0.75, 0.75), strict=True):
            column = 1 + len(SIDES) * k + SIDES.index(side)
            chart.add_series({
                "name": plain_text(name if side == "effect" else f"{name}, {side}"),
                "categories": place.column(first, last, 0),
                "values": place.column(first, last, column),
                "line": {"color": colour, "width": width},
            })  # fmt: skip
    hidden = [k for k in range(len(SIDES) * len(look.lines)) if k % len(SIDES)]
    scale = {} if at is None else round_ends(min(at), max(at))
    chart.show_blanks_as("gap")
    chart.set_title({"none": True})
    chart.set_x_axis({"name": plain_text(look.x_title), **scale, **LOW_LABELS})
    chart.set_y_axis({"name": plain_text(look.y_title), "label_position": "low", **FAINT})
    chart.set_legend({"position": "bottom", "delete_series": hidden})
    chart.set_size(SIZE)
    return chart
