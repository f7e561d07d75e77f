"""Effects as a workbook: a summary, and a sheet with a chart for each column."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paribus.base.extras import need
from paribus.base.progress import Progress, silent
from paribus.plotting.theme import BLUE
from paribus.report.pair_sheets import write_pair
from paribus.report.sheet_names import plain_text, sheet_names
from paribus.report.sheets import LINE_HEIGHT, Place, number_format, set_up_page, write_sheet
from paribus.report.writing import replacing
from paribus.results.impact import impact_interval
from paribus.results.left_out import LeftOut
from paribus.results.words import DIFFERS, MARKED, marked_name

if TYPE_CHECKING:
    from paribus.results import Effect, EffectSet

SUMMARY = "Summary"
ACTING = "Columns that act together, the strongest"
MOST_SHEETS = 100
FEW_SHEETS = (
    f"The {MOST_SHEETS} columns with the largest impact have a sheet of their own. Run again with "
    "other columns named as features to have theirs."
)
TEXT_WIDTHS = (60, 48)
HEAD = {
    "": 4, "column": 18, "impact": 9, "lower": 9, "upper": 9, "share": 8, "p-value": 8,
    "rows used": 9, "what it goes with": TEXT_WIDTHS[0], "notes": TEXT_WIDTHS[1],
}  # fmt: skip
INDENT = {"align": "left", "indent": 1}  # LibreOffice indents what is told to stand left
FORMATS = {
    "title": {"bold": True, "font_size": 15},
    "bold": {"bold": True},
    "head": {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"},
    "indented": {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top", **INDENT},
    "right": {"bold": True, "bottom": 1, "text_wrap": True, "valign": "top", "align": "right"},
    "prose": {"text_wrap": True, "valign": "top"},
    "far": {"align": "right", "valign": "top"},
    "text": {"text_wrap": True, "valign": "top", **INDENT},
    "quiet": {"text_wrap": True, "valign": "top", "font_color": "#666666", **INDENT},
    "share": {"num_format": "0.0%", "valign": "top"},
    "count": {"num_format": "#,##0", "valign": "top"},
    "p": {"num_format": '[<0.001]"< 0.001";0.000', "valign": "top"},
    "date": {"num_format": "yyyy-mm-dd"},
    "link": {"font_color": BLUE, "underline": 1, "text_wrap": True, "valign": "top"},
}
OPTIONS = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
OPTIONS["in_memory"] = True  # what cannot be written is then found out by us


def write_workbook(effects: EffectSet, path: str | Path, progress: Progress = silent) -> Path:
    """Write all effects into a workbook; see `EffectSet.to_excel`.

    `progress` is called with (done, total) after each sheet.
    """
    xlsxwriter = need("xlsxwriter", "A workbook", "excel")
    effects = effects.with_common_notes()
    explained = [effect for effect in effects.effects if effect.explained]
    n_explained, explained = len(explained), explained[:MOST_SHEETS]
    titles = [effect.feature for effect in explained]
    titles += [" x ".join(both.features) for both in effects.pairs]
    names = sheet_names(titles, taken=[SUMMARY])
    with replacing(path) as beside:
        packed = BytesIO()
        book = xlsxwriter.Workbook(packed, OPTIONS)
        formats = {name: book.add_format(look) for name, look in FORMATS.items()}
        place = Place(book, book.add_worksheet(SUMMARY), formats, SUMMARY)
        sheets = dict(zip((e.feature for e in explained), names, strict=False))
        more = [FEW_SHEETS] if n_explained > MOST_SHEETS else []
        _write_summary(place, effects, sheets, more)
        for k, (effect, name) in enumerate(zip(explained, names, strict=False), start=1):
            write_sheet(Place(book, book.add_worksheet(name), formats, name), effect)
            progress(k, 3 * len(explained))  # saving them takes about twice as long
        for both, name in zip(effects.pairs, names[len(explained) :], strict=True):
            write_pair(Place(book, book.add_worksheet(name), formats, name), both)
        book.close()
        beside.write_bytes(packed.getvalue())
    return Path(path)


def _write_summary(
    place: Place, effects: EffectSet, sheets: dict[str, str], more: list[str]
) -> None:
    """Write the question, the data, remarks and the ranking."""
    sheet, formats = place.sheet, place.formats
    sheet.write_string(0, 0, plain_text(effects.question), formats["title"])
    sheet.write_string(1, 0, effects.size)
    remarks = [*effects.roles.sentences(), *(n.with_advice() for n in effects.notes), *more]
    for k, text in enumerate(remarks, start=2):
        sheet.write_string(k, 0, plain_text(text))
    top = 3 + len(remarks)
    for column, (head, width) in enumerate(HEAD.items()):
        words = "indented" if width in TEXT_WIDTHS else "head"
        look = formats["right" if width not in TEXT_WIDTHS and column > 1 else words]
        sheet.write_string(top, column, head, look)
        sheet.set_column(column, column, width)
    formats["number"] = place.number(number_format(effect.impact for effect in effects.effects))
    for row, (rank, one) in enumerate(effects.places, start=top + 1):
        if isinstance(one, LeftOut):
            sheet.write_string(row, 1, plain_text(one.column), formats["quiet"])
            sheet.write_string(row, len(HEAD) - 2, plain_text(one.reason), formats["quiet"])
            sheet.set_row(row, LINE_HEIGHT * _lines(one.reason, TEXT_WIDTHS[0]))
        else:
            _write_rank(place, row, rank, one, sheets.get(one.feature))
    _write_who_differs(place, top + len(effects.places) + 2, effects)
    sheet.freeze_panes(top + 1, 2)
    set_up_page(sheet)


def _write_who_differs(place: Place, top: int, effects: EffectSet) -> None:
    """Write below the ranking what its mark means, and which columns act together."""
    sheet, formats = place.sheet, place.formats
    if any(e.differs for e in effects.effects):
        sheet.write_string(top, 1, f"{DIFFERS} {MARKED}")
        top += 2
    if effects.acting:
        sheet.write_string(top, 1, ACTING, formats["bold"])
    for row, one in enumerate(effects.acting, start=top + 1):
        sheet.write_string(row, 1, plain_text(one.summary()))


def _write_rank(place: Place, row: int, rank: int, effect: Effect, target: str | None) -> None:
    """Write the line of one column in the ranking."""
    sheet, formats = place.sheet, place.formats
    sheet.write_number(row, 0, rank, formats["count"])
    if target is None:
        sheet.write_string(row, 1, plain_text(marked_name(effect)), formats["text"])
    else:
        address = "internal:'" + target.replace("'", "''") + "'!A1"
        sheet.write_url(row, 1, address, formats["link"], plain_text(marked_name(effect)))
    low, high = impact_interval(effect) or (np.nan, np.nan)
    cells = [
        (effect.impact, "number"), (low, "number"), (high, "number"), (effect.share, "share"),
        (effect.p_value, "p"), (float(effect.n_used), "count"),
    ]  # fmt: skip
    for column, (value, look) in enumerate(cells, start=2):
        if np.isfinite(value):
            sheet.write_number(row, column, value, formats[look])
    notes = "\n".join(effect.remarks(str))
    texts = (effect.summary(), notes)
    sheet.set_row(row, LINE_HEIGHT * max(map(_lines, texts, TEXT_WIDTHS)))
    for column, text in enumerate(texts, start=2 + len(cells)):
        sheet.write_string(row, column, plain_text(text), formats["text"])


def _lines(text: str, width: int) -> int:
    """Count the lines that a text takes: spreadsheets do not find out for themselves."""
    return min(25, sum(1 + len(line) // width for line in text.split("\n")))
