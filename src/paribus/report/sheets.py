"""A sheet a column: the sentence, the numbers, a native chart, the notes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, points, theme
from paribus.report.sheet_names import plain_text
from paribus.report.summary import light

if TYPE_CHECKING:
    from paribus.plotting.points import Row, Stored
    from paribus.results import Effect

TABLE, HEAD_HEIGHT = 3, 32  # the row of the table's head, and its height in points
HEADS = {"marginal": theme.MARGINAL, "share": "share of rows", "count": "rows"}
UNSHOWN = ("piece", "drawn", "date")
FIRST_DAY, LAST_DAY = datetime(1900, 1, 1), datetime(9999, 12, 31)
INK, BLUE, PALE = "#1b1b1b", "#0072b2", "#8fbfdc"
SIZE, CHART_ROWS = {"width": 640, "height": 400}, 22


@dataclass(frozen=True, slots=True)
class Place:
    """A sheet and what is needed to write on it: workbook, formats by name, the sheet's name."""

    book: Any
    sheet: Any
    formats: dict[str, Any]
    name: str

    def column(self, first: int, last: int, column: int) -> list[Any]:
        """Return the range of a column, for a chart."""
        return [self.name, first, column, last, column]


def write_sheet(place: Place, effect: Effect) -> None:
    """Fill the sheet of one explained column."""
    stored = light(effect)
    sheet = place.sheet
    sheet.write_string(0, 0, plain_text(effect.feature), place.formats["title"])
    sheet.write_string(1, 0, plain_text(effect.summary()))
    curve = stored["kind"] == "NumericEffect"
    rows = _with_breaks(points.curve_rows(stored)) if curve else _drawn_first(stored)
    keys = _write_table(place, effect.feature, rows)
    chart = _scatter(place, stored, keys, len(rows)) if curve else _bars(place, stored, keys, rows)
    chart.set_size(SIZE)
    sheet.insert_chart(TABLE, len(keys) + 1, chart, {"description": plain_text(effect.summary())})
    after = max(TABLE + len(rows) + 2, TABLE + CHART_ROWS)
    for k, text in enumerate(_remarks(stored)):
        sheet.write_string(after + k, 0, plain_text(text))
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


def _write_table(place: Place, feature: str, rows: list[Row]) -> list[str]:
    """Write head and numbers, and return the fields in the order of their columns."""
    full = next(row for row in rows if row)
    apart = any(row.get("island") for row in rows)
    keys = [key for key in full if key not in UNSHOWN and (apart or key != "island")]
    for column, key in enumerate(keys):
        head = feature if column == 0 else HEADS.get(key, key.replace("_", " "))
        look = place.formats["head" if column == 0 else "right"]
        place.sheet.write_string(TABLE, column, plain_text(head), look)
    for k, row in enumerate(rows, start=TABLE + 1):
        for column, key in enumerate(keys):
            _write(place, k, column, row, key)
    place.sheet.set_row(TABLE, HEAD_HEIGHT)
    place.sheet.set_column(0, 0, 22)
    place.sheet.set_column(1, len(keys), 13)
    place.sheet.freeze_panes(TABLE + 1, 1)
    return keys


def _write(place: Place, at: int, column: int, row: Row, key: str) -> None:
    value = row.get(key)
    if value is None:
        return
    if isinstance(value, str):
        place.sheet.write_string(at, column, plain_text(value))
    elif key == "x" and "date" in row:
        _write_date(place, at, column, row)
    else:
        place.sheet.write_number(at, column, value)


def _write_date(place: Place, at: int, column: int, row: Row) -> None:
    """Write a date as such; what a spreadsheet has no date for, as text."""
    try:
        day = datetime.fromtimestamp(row["x"] / 1000, tz=UTC).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):
        day = FIRST_DAY.min
    if FIRST_DAY <= day <= LAST_DAY:
        place.sheet.write_datetime(at, column, day, place.formats["date"])
    else:
        place.sheet.write_string(at, column, row["date"])


def _with_breaks(rows: list[Row]) -> list[Row]:
    """Put an empty row where the curve is broken, so that the chart's lines are too."""
    broken: list[Row] = []
    for before, row in zip([rows[0], *rows], rows, strict=False):
        broken += [{}, row] if before["piece"] != row["piece"] else [row]
    return broken


def _drawn_first(stored: Stored) -> list[Row]:
    """Return the levels of the chart, then the others, with what lies above and below a bar."""
    rows = points.level_rows(stored)
    for row in rows:
        if row.get("lower") is not None and row.get("upper") is not None:
            row["above"] = row["upper"] - row["effect"]
            row["below"] = row["effect"] - row["lower"]
        elif "lower" in row:
            row["above"] = row["below"] = None
    return sorted(rows, key=lambda row: not row["drawn"])


def _scatter(place: Place, stored: Stored, keys: list[str], n_rows: int) -> Any:
    """Draw the curve and the two sides of its interval as an XY chart."""
    chart = place.book.add_chart({"type": "scatter", "subtype": "straight"})
    first, last = TABLE + 1, TABLE + n_rows
    looks = {"effect": (INK, 2.25), "lower": (BLUE, 1.0), "upper": (BLUE, 1.0)}
    for key, (colour, width) in looks.items():
        if key in keys:
            column = keys.index(key)
            chart.add_series({
                "name": [place.name, TABLE, column],
                "categories": place.column(first, last, 0),
                "values": place.column(first, last, column),
                "line": {"color": colour, "width": width},
            })  # fmt: skip
    chart.show_blanks_as("gap")
    chart.set_title({"none": True})
    chart.set_x_axis({"name": [place.name, TABLE, 0], **_scale(stored), **_low_labels()})
    name = f"change in {marks.quantity(stored)}"
    chart.set_y_axis({"name": name, "label_position": "low", **_faint()})
    chart.set_legend({"position": "bottom"})
    return chart


def _bars(place: Place, stored: Stored, keys: list[str], rows: list[Row]) -> Any:
    """Draw the levels as bars with their intervals."""
    chart = place.book.add_chart({"type": "bar"})
    first, last = TABLE + 1, TABLE + sum(row["drawn"] for row in rows)
    column = keys.index("effect")
    series = {
        "name": [place.name, TABLE, column],
        "categories": place.column(first, last, 0),
        "values": place.column(first, last, column),
        "fill": {"color": PALE},
        "gap": 60,
    }
    if "above" in keys:
        above, below = (place.column(first, last, keys.index(k)) for k in ("above", "below"))
        series["y_error_bars"] = {
            "type": "custom", "plus_values": _formula(above), "minus_values": _formula(below),
            "line": {"color": INK, "width": 1.25},
        }  # fmt: skip
    chart.add_series(series)
    chart.set_title({"none": True})
    chart.set_y_axis({"name": [place.name, TABLE, 0], "reverse": True, "label_position": "low"})
    name = f"difference from the mean of {marks.quantity(stored)}"
    chart.set_x_axis({"name": name, "label_position": "high", **_faint()})
    chart.set_legend({"none": True})
    return chart


def _formula(cells: list[Any]) -> str:
    from xlsxwriter.utility import xl_range_formula

    return str(xl_range_formula(*cells))


def _scale(stored: Stored) -> dict[str, Any]:
    """Return where the axis begins and ends: ends with hardly a row are left out."""
    if points.is_dated(stored):
        return {"num_format": "yyyy-mm-dd"}
    (first, last), x = points.frame_of(stored).x, points.positions(stored["x"])
    return round_ends(float(max(x[0], first)), float(min(x[-1], last)))


def round_ends(first: float, last: float) -> dict[str, float]:
    """Return the ends and the steps of an axis in round numbers.

    Examples
    --------
    >>> round_ends(55.02, 68.69)
    {'min': 54.0, 'max': 70.0, 'major_unit': 2.0}
    """
    wide = (last - first) or 1.0
    power = 10.0 ** math.floor(math.log10(wide / 5))
    step = min((k * power for k in (1, 2, 5, 10)), key=lambda s: abs(wide / s - 6))
    decimals = 1 - math.floor(math.log10(step))
    low, high = math.floor(first / step + 1e-9) * step, math.ceil(last / step - 1e-9) * step
    return {"min": round(low, decimals), "max": round(high, decimals), "major_unit": step}


def _low_labels() -> dict[str, Any]:
    return {"label_position": "low", "major_gridlines": {"visible": False}}


def _faint() -> dict[str, Any]:
    return {"major_gridlines": {"visible": True, "line": {"color": "#e3e3e3"}}}


def _remarks(stored: Stored) -> list[str]:
    """Return what stands under the table: the missing values, the notes."""
    remarks = [note["text"] for note in stored["notes"]]
    missing = stored.get("missing")
    if missing is not None:
        remarks.append(
            f"Rows without a value ({missing['count']:,}): {missing['effect']:.6g}, interval "
            f"{missing['lower']:.6g} to {missing['upper']:.6g}."
        )
    return remarks
