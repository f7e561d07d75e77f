"""Excel and LibreOffice workbooks, read by python-calamine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import polars as pl

from paribus.base import errors, notes
from paribus.base.notes import Note
from paribus.base.progress import Progress, silent
from paribus.files import errors as refusals
from paribus.files import layout
from paribus.files.text import without_blank_columns

OFFICE = b"\xd0\xcf\x11\xe0"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The table on a sheet, and what to tell of it."""

    table: pl.DataFrame
    notes: tuple[Note, ...] = ()


def read_workbook(
    content: bytes, name: str, sheet: str | None = None, progress: Progress = silent
) -> Sheet:
    """Read the table on a sheet; without a name, on the first sheet that holds one."""
    if not find_spec("python_calamine"):
        raise errors.missing_package("python-calamine", "Reading workbooks", "'paribus[cli]'")
    cells = _cells(content, name, sheet)
    progress(1, 2)
    at = layout.header_at(cells.rows)
    found = layout.column_names(cells.rows[at])
    rows = [row for row in cells.rows[at + 1 :] if layout.filled(row)]
    left, below = layout.rows_below(rows)
    rows = rows[: len(rows) - left]
    columns = []
    for k, column in enumerate(found.names):
        columns.append(as_series(column, [row[k] for row in rows]))
        progress(len(found.names) + k, 2 * len(found.names))
    table = pl.DataFrame(columns)
    told = (*cells.notes, *layout.titles(cells.rows[:at], cells.first + at), *found.notes, *below)
    return Sheet(without_blank_columns(table, cells.rows[at]), told)


def as_series(name: str, cells: list[Any]) -> pl.Series:
    """Make a column of cells: of one kind as they are, of several kinds as text.

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
    if all(isinstance(cell, (time, timedelta)) for cell in present) and present:
        return pl.Series(name, [_hours(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series(name, [_text(cell) for cell in cells], dtype=pl.String)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a sheet from its first filled row on, which has the number `first`."""

    rows: list[list[Any]]
    first: int
    notes: tuple[Note, ...]


def _cells(content: bytes, name: str, sheet: str | None) -> _Cells:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    if content.startswith(OFFICE) and ENCRYPTED in content:
        raise refusals.password_protected(name)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        wanted = _wanted(book.sheet_names, name, sheet)
        found = {chosen: book.get_sheet_by_name(chosen) for chosen in wanted}
        chosen = next((s for s in wanted if _holds_a_table(found[s])), wanted[0])
        rows = found[chosen].to_python()
    except PasswordError:
        raise refusals.password_protected(name) from None
    except CalamineError:
        raise errors.not_what_it_says(name, "an Excel workbook") from None
    if len(rows) < 2:
        raise refusals.empty_sheet(name, chosen, [s for s in book.sheet_names if s != chosen])
    told = (notes.other_sheet(chosen, book.sheet_names),) if chosen != wanted[0] else ()
    plain = [[None if cell == "" else cell for cell in row] for row in rows]
    return _Cells(plain, (found[chosen].start or (0, 0))[0] + 1, told)


def _holds_a_table(sheet: Any) -> bool:
    return sheet.width > 1 and sheet.height > 1


def _wanted(sheets: list[str], name: str, sheet: str | None) -> list[str]:
    """Return the sheets that may be meant: one by its name or its number from 1, or all."""
    if not sheets:
        raise errors.empty_file(name)
    if sheet is None:
        return sheets
    if sheet in sheets:
        return [sheet]
    if sheet.isdecimal() and 1 <= int(sheet) <= len(sheets):
        return [sheets[int(sheet) - 1]]
    raise refusals.unknown_sheet(sheet, name, sheets)


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


def _text(cell: Any) -> str | None:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return None if cell is None else str(cell)
