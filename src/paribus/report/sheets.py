"""A sheet for each column: the sentence, the numbers, a native chart, the notes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.plotting.picture import (
    MARGINAL,
    SIDES,
    CurveLook,
    Look,
    axis_positions,
    change_title,
    difference_title,
    picture_of,
)
from paribus.plotting.rows import rows_of
from paribus.plotting.theme import INK
from paribus.report.sheet_bands import STEPS, curve_chart
from paribus.report.sheet_names import plain_text
from paribus.results import influence
from paribus.results.scales import PER_CENT, is_ratio
from paribus.results.words import number

if TYPE_CHECKING:
    from paribus.plotting.rows import Row
    from paribus.results import ByGroup, Effect, NumericEffect

TABLE, HEAD_HEIGHT = 3, 46  # the row of the table's head, and its height in points
HEADS = {"marginal": MARGINAL, "share": "share of rows", "count": "rows"}
UNSHOWN = ("piece", "drawn", "date", "place")
HELPERS = ("above", "below")  # lengths of error bars, hidden
FIRST_DAY, LAST_DAY = datetime(1900, 1, 1), datetime(9999, 12, 31)
PALE = "#8fbfdc"
SIZE, CHART_ROWS, CHART_COLUMNS = {"width": 560, "height": 360}, 20, 9
FIRST_WIDTH, WIDTH, LINE_HEIGHT = 18, 10, 15  # of columns in letters, of a line in points
PAGE_ROWS = 50  # of a table, on a printed page
DIGITS = 4  # of the largest number in a table
# How the axis of a column looks, and that of what is measured.
LOW_LABELS = {"label_position": "low", "major_gridlines": {"visible": False}}
FAINT = {"major_gridlines": {"visible": True, "line": {"color": "#e3e3e3"}}}


@dataclass(frozen=True, slots=True)
class Place:
    """A sheet and what is needed to write to it: workbook, formats by name, the sheet's name."""

    book: Any
    sheet: Any
    formats: dict[str, Any]
    name: str
    made: dict[str, Any] = field(default_factory=dict)

    def column(self, first: int, last: int, column: int) -> list[Any]:
        """Return the range of a column, for a chart."""
        return [self.name, first, column, last, column]

    def number(self, code: str) -> Any:
        """Return the format of numbers with a code, made once."""
        if code not in self.made:
            self.made[code] = self.book.add_format({"num_format": code, "valign": "top"})
        return self.made[code]


def number_format(values: Iterable[float | None]) -> str:
    """Return one format for the numbers in a column: the same number of decimals for all.

    Examples
    --------
    >>> number_format([3493.2, 0.2]), number_format([0.52, -0.013]), number_format([2e-9])
    ('#,##0', '0.0000', '0.00E+00')
    """
    largest = max((abs(v) for v in values if v is not None and math.isfinite(v)), default=0.0)
    if largest == 0:
        return "0"
    decimals = DIGITS - 1 - math.floor(math.log10(largest))
    if decimals > 8:
        return "0.00E+00"
    whole = "#,##0" if largest >= 1000 else "0"
    return f"{whole}.{'0' * decimals}" if decimals > 0 else whole


def axis_format(values: Iterable[float | None]) -> str:
    """Return the format of the values of a column; whole numbers up to four digits may be years.

    Examples
    --------
    >>> axis_format([1990.0, 2015.0]), axis_format([47.15, 47.77]), axis_format([0.0, 98001.0])
    ('0', '0.0000', '#,##0')
    """
    known = [v for v in values if v is not None]
    largest, span = max(map(abs, known)), max(known) - min(known)
    whole = "#,##0" if largest >= 10_000 else "0"
    decimals = DIGITS - 1 - math.floor(math.log10(span or 1.0))
    share_whole = sum(v == round(v) for v in known) / len(known)
    if decimals <= 0 or share_whole == 1 or (share_whole > 0.5 and span >= 10):
        return whole
    return f"{whole}.{'0' * min(decimals, 12)}"


def write_sheet(place: Place, effect: Effect) -> None:
    """Fill the sheet of one explained column."""
    sheet, picture = place.sheet, picture_of(effect)
    sheet.write_string(0, 0, plain_text(effect.feature), place.formats["title"])
    rows, look = rows_of(picture.tables["points"]), picture.look
    if isinstance(look, CurveLook):
        rows = _with_breaks(rows)
        keys = _write_table(place, effect, rows)
        chart = _curve(place, effect, look, keys, rows)
    else:
        rows = _drawn_first(rows)
        keys = _write_table(place, effect, rows)
        chart = _bars(place, effect, keys, rows)
    chart.set_size(SIZE)
    sheet.insert_chart(
        TABLE + 1, len(keys) + 1, chart, {"description": plain_text(effect.summary())}
    )
    write_text(place, 1, len(keys), effect.summary())
    after = max(TABLE + len(rows) + 2, TABLE + CHART_ROWS)
    remarks = _remarks(effect, look)
    for k, text in enumerate(remarks):
        write_text(place, after + k, len(keys), text)
    below = after + len(remarks) + 1
    if effect.influential:
        _write_influential(place, below, len(keys), effect)
        below += len(effect.influential) + 3
    if effect.by is not None:
        _write_groups(place, below, len(keys), effect.by)
    set_up_page(sheet)
    if len(rows) > PAGE_ROWS:
        sheet.repeat_rows(TABLE)


def _write_influential(place: Place, top: int, n_keys: int, effect: Effect) -> None:
    """Write the most influential rows as a separate table."""
    write_text(place, top, n_keys, f"{influence.TITLE}. {influence.MEANING}")
    place.sheet.set_row(top + 1, HEAD_HEIGHT)
    write_heads(place, top + 1, influence.influence_heads(effect))
    for k, row in enumerate(effect.influential, start=top + 2):
        for column, value in enumerate(influence.influence_values(effect, row)):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                code = "General" if column else "#,##0"
                code = number_format([value]) if column > 3 else code
                place.sheet.write_number(k, column, value, place.number(code))
            else:
                place.sheet.write_string(k, column, plain_text(str(value)), place.formats["far"])


def _write_groups(place: Place, top: int, n_keys: int, by: ByGroup) -> None:
    """Write the estimate for each group, and the differences, as a separate table."""
    write_text(place, top, n_keys, f"{by.title}. {by.summary()}")
    if not by.in_numbers:
        return
    heads = [by.column, "rows", "estimate", "lower", "upper"]
    heads += [*(("difference", "lower", "upper", "p") if by.differences else ()), "compared"]
    write_heads(place, top + 1, heads, (0, len(heads) - 1))
    for row, (label, at, found, apart) in enumerate(by.compared(), start=top + 2):
        values: list[Any] = [by[label].n_rows, found.value, found.lower, found.upper]
        if apart is not None:
            values += [apart.value, apart.lower, apart.upper, apart.p_value]
        for column, value in enumerate(values, start=1):
            look = place.number("#,##0" if column == 1 else number_format([value]))
            look = place.formats["p"] if heads[column] == "p" else look
            place.sheet.write_number(row, column, value, look)
        # Words come last, because they may overflow their cell.
        for column, words in ((0, label), (len(heads) - 1, at)):
            place.sheet.write_string(row, column, plain_text(words))


def write_heads(place: Place, row: int, heads: Iterable[str], words: Sequence[int] = (0,)) -> None:
    """Write the heads of a table, aligned to the left over words, to the right over numbers."""
    for column, head in enumerate(heads):
        look = place.formats["head" if column in words else "right"]
        place.sheet.write_string(row, column, plain_text(head), look)


def write_text(place: Place, row: int, n_keys: int, text: str) -> None:
    """Write a sentence across table and chart, in as many lines as it needs."""
    letters = FIRST_WIDTH + WIDTH * n_keys + SIZE["width"] // 8
    place.sheet.set_row(row, LINE_HEIGHT * (1 + len(text) // letters))
    last = n_keys + CHART_COLUMNS
    place.sheet.merge_range(row, 0, row, last, plain_text(text), place.formats["prose"])


def set_up_page(sheet: Any) -> None:
    """Print a sheet in landscape, as wide as the page."""
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.6)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer("&L&A&RPage &P of &N")


def _write_table(place: Place, effect: Effect, rows: list[Row]) -> list[str]:
    """Write head and numbers, and return the fields in the order of their columns."""
    full = next(row for row in rows if row)
    apart = any(row.get("island") for row in rows)
    keys = [key for key in full if key not in UNSHOWN and (apart or key != "island")]
    sides = number_format(row.get(key) for row in rows for key in SIDES)
    looks = dict.fromkeys((*SIDES, *HELPERS), sides) | {"share": "0.0%", "count": "#,##0"}
    if "x" in full:
        looks["x"] = axis_format(row.get("x") for row in rows)
    heads = {key: HEADS.get(key, key.replace("_", " ")) for key in keys}
    heads[keys[0]] = effect.feature
    if effect.unit:
        heads["effect"] = f"effect, {PER_CENT if is_ratio(effect.unit) else effect.unit}"
    write_heads(place, TABLE, heads.values())
    for column, key in enumerate(keys):
        for k, row in enumerate(rows, start=TABLE + 1):
            _write(place, k, column, row, key, looks.get(key, "General"))
    place.sheet.set_row(TABLE, HEAD_HEIGHT)
    place.sheet.set_column(0, 0, FIRST_WIDTH)
    shown = len(keys) - sum(key in HELPERS for key in keys)
    place.sheet.set_column(1, shown - 1, WIDTH)
    if shown < len(keys):
        place.sheet.set_column(shown, len(keys) - 1, WIDTH, None, {"hidden": True})
    place.sheet.freeze_panes(TABLE + 1, 1)
    return keys


def _write(place: Place, at: int, column: int, row: Row, key: str, code: str) -> None:
    value = row.get(key)
    if value is None:
        return
    if isinstance(value, str):
        place.sheet.write_string(at, column, plain_text(value))
    elif key == "x" and "date" in row:
        _write_date(place, at, column, row)
    else:
        place.sheet.write_number(at, column, value, place.number(code))


def _write_date(place: Place, at: int, column: int, row: Row) -> None:
    """Write a date, as text if it is outside the range of spreadsheets."""
    try:
        day = datetime.fromtimestamp(row["x"] / 1000, tz=UTC).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):
        day = FIRST_DAY.min
    if FIRST_DAY <= day <= LAST_DAY:
        place.sheet.write_datetime(at, column, day, place.formats["date"])
    else:
        place.sheet.write_string(at, column, row["date"])


def _with_breaks(rows: list[Row]) -> list[Row]:
    """Insert an empty row where the curve is broken, so that the chart's line is broken too."""
    broken: list[Row] = []
    for before, row in zip([rows[0], *rows], rows, strict=False):
        broken += [{}, row] if before["piece"] != row["piece"] else [row]
    return broken


def _drawn_first(rows: list[Row]) -> list[Row]:
    """Return the levels in the chart, then the others, with the lengths of their error bars."""
    for row in rows:
        if row.get("lower") is not None and row.get("upper") is not None:
            row["above"] = row["upper"] - row["effect"]
            row["below"] = row["effect"] - row["lower"]
        elif "lower" in row:
            row["above"] = row["below"] = None
    return sorted(rows, key=lambda row: not row["drawn"])


def _curve(place: Place, effect: Effect, look: CurveLook, keys: list[str], rows: list[Row]) -> Any:
    """Draw the curve with its interval and its band."""
    at, axis = _even_steps(cast("NumericEffect", effect), look)
    sure, beside = f"{100 * effect.conf_level:g} %", len(keys) + CHART_COLUMNS + 2
    chart = curve_chart(place, rows, at, sure, TABLE, beside)
    chart.show_blanks_as("gap")
    chart.show_hidden_data()
    chart.set_title({"none": True})
    name = {"name": [place.name, TABLE, 0], "position_axis": "on_tick"}
    chart.set_x_axis({**name, **axis, **LOW_LABELS})
    title = {"name": change_title(effect), "label_position": "low"}
    chart.set_y_axis({**title, **_tick_format(rows), **FAINT})
    return chart


def _bars(place: Place, effect: Effect, keys: list[str], rows: list[Row]) -> Any:
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
        above, below = (place.column(first, last, keys.index(k)) for k in HELPERS)
        series["y_error_bars"] = {
            "type": "custom", "plus_values": _formula(above), "minus_values": _formula(below),
            "line": {"color": INK, "width": 1.25},
        }  # fmt: skip
    chart.add_series(series)
    chart.show_hidden_data()
    chart.set_title({"none": True})
    chart.set_y_axis({"name": [place.name, TABLE, 0], "reverse": True, "label_position": "low"})
    title = {"name": difference_title(effect), "label_position": "high"}
    reached = [row.get(k) for row in rows if row["drawn"] for k in ("effect", "lower", "upper")]
    known = [0.0, *(v for v in reached if v is not None and math.isfinite(v))]
    ends = round_ends(min(known), max(known))
    chart.set_x_axis({**title, **ends, **_tick_format(rows), **FAINT})
    chart.set_legend({"none": True})
    return chart


def _formula(cells: list[Any]) -> str:
    from xlsxwriter.utility import xl_range_formula

    return str(xl_range_formula(*cells))


def _even_steps(effect: NumericEffect, look: CurveLook) -> tuple[FloatArray, dict[str, Any]]:
    """Return the even steps at which the curve is written, and how the axis is labelled.

    Ends of the axis with hardly any rows are left out.
    """
    at = axis_positions(effect)
    first, last = max(float(at[0]), look.x_first), min(float(at[-1]), look.x_last)
    every = {"interval_unit": STEPS, "interval_tick": STEPS}
    if look.dated:
        days = first + (last - first) * np.arange(6 * STEPS + 1) / (6 * STEPS)
        return days, {"num_format": "yyyy-mm-dd", **every}
    ends = round_ends(first, last)
    step = ends["major_unit"] / STEPS
    n_steps = round((ends["max"] - ends["min"]) / step)
    even = np.round(ends["min"] + step * np.arange(n_steps + 1), 3 - math.floor(math.log10(step)))
    code = "#,##0" if np.abs(even).max() >= 10_000 else "General"
    return even, {"num_format": code, **every}


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


def _tick_format(rows: list[Row]) -> dict[str, Any]:
    """Return the format of ticks: thousands as in tables."""
    largest = max((abs(row[k]) for row in rows for k in SIDES if row.get(k) is not None), default=0)
    return {"num_format": "#,##0"} if largest >= 1000 else {}


def _remarks(effect: Effect, look: Look) -> list[str]:
    """Return the texts below the table: the missing values of a curve, the notes."""
    remarks = effect.remarks(str)
    missing = effect.missing
    if missing is not None and isinstance(look, CurveLook):
        remarks.append(
            f"Rows without a value ({missing.count:,}): {number(missing.effect)}, interval "
            f"{number(missing.lower)} to {number(missing.upper)}."
        )
    return remarks
