"""Excel and LibreOffice workbooks, read by python-calamine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

import polars as pl

from paribus.base.extras import need
from paribus.base.notes import Note
from paribus.base.progress import Progress, silent
from paribus.files import errors, layout, notes
from paribus.files.evidence import evidence_of
from paribus.files.read import Raw
from paribus.files.workbook_parts import Parts, look_inside

OFFICE = b"\xd0\xcf\x11\xe0"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def read_workbook(
    content: bytes, name: str, sheet: str | None = None, progress: Progress = silent
) -> Raw:
    """Read the table on a sheet, by default the first sheet that contains one."""
    need("python_calamine", "Reading workbooks", "files")
    if content.startswith(OFFICE) and ENCRYPTED in content:
        raise errors.password_protected(name)
    parts = look_inside(content, name)
    cells = _cells(content, name, sheet)
    progress(1, 2)
    found = layout.find_header(cells.rows)
    first = found.at + found.is_header
    body = cells.rows[first:]
    merged = _fill_merged(cells, body, first)
    rows = [row for row in body if layout.filled(row)]
    left, below = layout.rows_below(rows)
    rows = rows[: len(rows) - left]
    columns, times = [], []
    for k, column in enumerate(found.names):
        column_cells = [row[k] for row in rows]
        columns.append(as_series(column, column_cells))
        times += [column] if are_times(column_cells) else []
        progress(len(found.names) + k, 2 * len(found.names))
    filled = [found.names[k] for k in sorted(merged)]
    header = cells.rows[found.at] if found.is_header else []
    remarks = (
        *cells.notes, *layout.titles(cells.rows[: found.at], cells.row + found.at + 1),
        *found.notes,
        *([notes.merged_filled(filled, merged.total())] if filled else []),
        *_cell_notes(parts, cells, found.names),
        *([notes.read_as_hours(times)] if times else []), *below,
    )  # fmt: skip
    unnamed = [n for n, cell in zip(found.names, header, strict=False) if cell is None]
    table = pl.DataFrame(columns)
    return Raw(
        name, lambda: [table], unnamed=unnamed, copies=found.copies, notes=remarks,
        sheet=cells.sheet, sheets=cells.sheets,
    )  # fmt: skip


def as_series(name: str, cells: list[Any]) -> pl.Series:
    """Make a column from cells: as they are if all are of one kind, otherwise as text.

    Examples
    --------
    >>> as_series("a", [1.0, "x", None]).to_list(), as_series("a", [True, None]).to_list()
    (['1', 'x', None], [True, None])
    """
    present = [cell for cell in cells if cell is not None]
    if all(type(cell) in (int, float) for cell in present) and present:
        return pl.Series(name, cells, dtype=pl.Float64, strict=False)
    if all(isinstance(cell, bool) for cell in present) and present:
        return pl.Series(name, cells, dtype=pl.Boolean)
    if all(isinstance(cell, date) for cell in present) and present:
        return pl.Series(name, [_moment(cell) for cell in cells], dtype=pl.Datetime("us"))
    if are_times(cells):
        return pl.Series(name, [_hours(cell) for cell in cells], dtype=pl.Float64)
    texts = pl.Series(name, [c.strip() for c in present if isinstance(c, str)], dtype=pl.String)
    comma = evidence_of(texts).styles == {"comma"}
    return pl.Series(name, [_text(cell, comma) for cell in cells], dtype=pl.String)


def are_times(cells: list[Any]) -> bool:
    """Tell whether all cells are times of day or durations."""
    present = [cell for cell in cells if cell is not None]
    return bool(present) and all(isinstance(cell, (time, timedelta)) for cell in present)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a sheet from its first filled row and column on, and where these are."""

    rows: list[list[Any]]
    row: int
    column: int
    merged: list[Any]
    sheet: str
    sheets: tuple[str, ...]
    notes: tuple[Note, ...]


def _cells(content: bytes, name: str, sheet: str | None) -> _Cells:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        sheets = tuple(book.sheet_names)
        wanted = _wanted(sheets, name, sheet)
        for chosen in (*wanted, wanted[0]):  # where none holds a table, the first
            found = book.get_sheet_by_name(chosen)
            if found.width > 1 and found.height > 1:
                break
        rows = found.to_python()
        merged = found.merged_cell_ranges or []
    except PasswordError:
        raise errors.password_protected(name) from None
    except CalamineError:
        raise errors.not_what_it_says(name, "an Excel workbook") from None
    if len(rows) < 2:
        raise errors.empty_sheet(name, chosen, [s for s in sheets if s != chosen])
    remarks = (notes.other_sheet(chosen, sheets),) if chosen != wanted[0] else ()
    plain = [[c if type(c) is not str else c.strip() or None for c in row] for row in rows]
    row, column = found.start or (0, 0)
    return _Cells(plain, row, column, merged, chosen, sheets, remarks)


def _wanted(sheets: tuple[str, ...], name: str, sheet: str | None) -> list[str]:
    """Return the sheets that may be meant: one by its name or its number from 1, or all."""
    if not sheets:
        raise errors.empty_file(name)
    if sheet is None:
        return list(sheets)
    if sheet in sheets:
        return [sheet]
    if sheet.isdecimal() and 1 <= int(sheet) <= len(sheets):
        return [sheets[int(sheet) - 1]]
    raise errors.unknown_sheet(sheet, name, sheets)


def _fill_merged(cells: _Cells, body: list[list[Any]], first: int) -> Counter[int]:
    """Write the value of cells merged downwards into all of them; count them by column."""
    filled: Counter[int] = Counter()
    for (top, left), (bottom, _) in cells.merged:
        row, k = top - cells.row - first, left - cells.column
        if row < 0 or bottom - cells.row - first >= len(body) or top == bottom:
            continue
        for other in body[row + 1 : row + 1 + bottom - top]:
            if other[k] is None and body[row][k] is not None:
                other[k] = body[row][k]
                filled[k] += 1
    return filled


def _cell_notes(parts: Parts, cells: _Cells, names: list[str]) -> list[Note]:
    """Return notes on formulas without a stored result, and on cells with an error."""
    noted, sheet = [], cells.sheets.index(cells.sheet)
    kinds = ((parts.without_result, notes.formulas_without_value), (parts.wrong, notes.error_cells))
    for found, note in kinds:
        places = {k - cells.column: n for k, n in found.get(sheet, Counter()).items()}
        known = {k: n for k, n in places.items() if 0 <= k < len(names)}
        if known:
            noted.append(note([names[k] for k in sorted(known)], sum(known.values())))
    return noted


def _moment(cell: Any) -> datetime | None:
    if cell is None or isinstance(cell, datetime):
        return cell
    return datetime(cell.year, cell.month, cell.day)


def _hours(cell: time | timedelta | None) -> float | None:
    if cell is None:
        return None
    if isinstance(cell, timedelta):
        return cell.total_seconds() / 3600
    return cell.hour + cell.minute / 60 + cell.second / 3600


def _text(cell: Any, comma: bool) -> str | None:
    """Write a cell as text, with a decimal comma if the column's texts use one."""
    if isinstance(cell, float):
        text = str(int(cell)) if cell.is_integer() else repr(cell)
        return text.replace(".", ",") if comma else text
    return None if cell is None else str(cell)
