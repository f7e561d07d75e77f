"""Excel and LibreOffice workbooks, read by python-calamine."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import polars as pl

from paribus import errors
from paribus.files.text import column_names, without_blank_columns

OFFICE = b"\xd0\xcf\x11\xe0"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def read_workbook(content: bytes, name: str, sheet: str | None = None) -> pl.DataFrame:
    """Read a sheet whose first row names the columns; without a name, the first sheet."""
    if not find_spec("python_calamine"):
        raise errors.missing_package("python-calamine", "Reading workbooks", "'paribus[cli]'")
    header, *rows = _cells(content, name, sheet)
    titles = ["" if cell is None else str(cell) for cell in header]
    names = column_names(titles)
    columns = {n: [row[k] for row in rows] for k, n in enumerate(names)}
    table = pl.DataFrame([as_series(n, cells) for n, cells in columns.items()])
    return without_blank_columns(table, titles)


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


def _cells(content: bytes, name: str, sheet: str | None) -> list[list[Any]]:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    if content.startswith(OFFICE) and ENCRYPTED in content:
        raise errors.password_protected(name)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        chosen = _chosen(book.sheet_names, name, sheet)
        rows = book.get_sheet_by_name(chosen).to_python()
    except PasswordError:
        raise errors.password_protected(name) from None
    except CalamineError:
        raise errors.not_what_it_says(name, "an Excel workbook") from None
    if len(rows) < 2:
        raise errors.empty_sheet(name, chosen, [s for s in book.sheet_names if s != chosen])
    return [[None if cell == "" else cell for cell in row] for row in rows]


def _chosen(sheets: list[str], name: str, sheet: str | None) -> str:
    """Find the sheet by its name, or else by its number counted from 1."""
    if not sheets:
        raise errors.empty_file(name)
    if sheet is None or sheet in sheets:
        return sheets[0] if sheet is None else sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(sheets):
        return sheets[int(sheet) - 1]
    raise errors.unknown_sheet(sheet, name, sheets)


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
