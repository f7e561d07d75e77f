"""Where in the file the table is: below any titles, above any totals and footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any, TypeAlias

from paribus.base.notes import Note
from paribus.files import notes
from paribus.files.evidence import NO_NAMES, PERHAPS
from paribus.files.numbers import PATTERNS

Cells: TypeAlias = Sequence[Any]

LOOKED_AT = 200  # rows from which the width of the table is determined
HIGHEST = 30  # the header is among the first so many rows
SPARSE = 0.5  # a title fills at most this share of the width
LAST = 12  # rows at the end that may be totals or footnotes
MOSTLY = 0.8  # share of a column's cells that determines what it holds
FIRST_YEAR, LAST_YEAR = 1700, 2200
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{2,4}(?!\d)|\d{4}-\d\d-\d\d")
NUMBER = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS.values()))
TOTALS = (
    "total", "totals", "grand total", "subtotal", "sum", "average", "mean",
    "gesamt", "insgesamt", "summe", "mittelwert", "somme", "totale", "suma", "totaal",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """The row of the header, or the first row if there is no header."""

    names: list[str]  # of the columns, all different
    copies: dict[str, str]  # columns whose name was taken, with the original name
    at: int
    is_header: bool = True

    @property
    def notes(self) -> tuple[Note, ...]:
        """The note for a file without a header."""
        return () if self.is_header else (notes.no_header(self.names),)


def find_header(rows: Sequence[Cells]) -> Header:
    """Find the row that names the columns: the first, unless nearly empty ones stand above it.

    Examples
    --------
    >>> find_header([["Sales 2020", "", ""], ["", "", ""], ["town", "rooms", "price"], ["A", 2, 9]])
    Header(names=['town', 'rooms', 'price'], copies={}, at=2, is_header=True)
    >>> find_header([["39", "male"], ["50", "male"], ["38", "female"]]).names
    ['column 1', 'column 2']
    """
    counts = [filled(row) for row in rows[:LOOKED_AT]]
    width = median([count for count in counts if count] or [0])
    at = next((k for k, count in enumerate(counts[:HIGHEST]) if count > SPARSE * width), 0)
    is_data = _is_data(rows[at], rows[at + 1 : LOOKED_AT])
    if is_data and at > 0 and counts[at - 1]:
        at, is_data = at - 1, False  # a header with few names
    if is_data:
        return Header(*column_names([None] * len(rows[at])), at, is_header=False)
    return Header(*column_names(rows[at]), at)


def rows_below(rows: Sequence[Cells]) -> tuple[int, tuple[Note, ...]]:
    """Count the rows at the end that do not belong to the table, and return notes on them.

    Examples
    --------
    >>> rows_below([["A", 1, 2], ["B", 3, 4], ["Total", 4, 6], ["Source: us", None, None]])[0]
    2
    """
    tail = rows[-LAST:]
    left = 0
    remarks: tuple[Note, ...] = ()
    for back, row in enumerate(reversed(tail), start=1):
        found = _no_row(row)
        if found is None and filled(row):
            break
        if found is not None:
            left, remarks = back, (found, *remarks)
    # If a total occurs among the rows themselves, it is a level like any other.
    above = tail[: len(tail) - left]
    return (left, remarks) if above and not any(map(_is_total, above)) else (0, ())


def titles(rows: Sequence[Cells], header: int) -> tuple[Note, ...]:
    """Return the note on text above the header, if any; `header` is the header's line."""
    texts = [text for row in rows for text in _texts(row)]
    return (notes.titles_skipped(texts, header),) if texts else ()


def column_names(header: Cells) -> tuple[list[str], dict[str, str]]:
    """Return the columns' names: empty ones become their position, repeated ones get a number.

    Columns that got a number are also returned with their original name.

    Examples
    --------
    >>> column_names([" a ", "", "a"])
    (['a', 'column 2', 'a (2)'], {'a (2)': 'a'})
    """
    given = [str(cell).strip() if _is_filled(cell) else "" for cell in header]
    names = [name or f"column {k}" for k, name in enumerate(given, start=1)]
    seen: Counter[str] = Counter()
    taken, copies = set(names), {}
    for k, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            while f"{name} ({seen[name]})" in taken:
                seen[name] += 1
            names[k] = f"{name} ({seen[name]})"
            taken.add(names[k])
            copies[names[k]] = name
    return names, copies


def filled(row: Cells) -> int:
    """Count the cells of a row that are not empty."""
    return sum(map(_is_filled, row))


def _no_row(row: Cells) -> Note | None:
    """Return a note if a row is a total, or a single text under a table of several columns."""
    texts = _texts(row)
    if _is_total(row):
        return notes.total_left_out(" ".join([*texts[:1], "..."]))
    alone = len(texts) == 1 and len(row) > 2 and not NUMBER.match(texts[0])
    return notes.footnote_left_out(texts[0]) if alone else None


def _is_total(row: Cells) -> bool:
    return any(text.rstrip(":").casefold() in TOTALS for text in _texts(row)[:2])


def _texts(row: Cells) -> list[str]:
    return [str(cell).strip() for cell in row if _is_filled(cell)]


def _is_filled(cell: Any) -> bool:
    return cell is not None and (type(cell) is not str or cell.strip() != "")


def _is_data(row: Cells, below: Sequence[Cells]) -> bool:
    """Tell whether a row is like those below it: numbers above numbers, dates above dates.

    Years above other numbers, and numbers that count the columns, are nevertheless names.
    """
    numbers: list[str] = []
    inside: list[str] = []
    n_dates = 0
    for k, cell in enumerate(row):
        column = [other[k] for other in below if k < len(other)]
        kinds = Counter(kind for kind in map(_kind, column) if kind)
        usual, count = kinds.most_common(1)[0] if kinds else ("text", 0)
        if usual == "text" or count < MOSTLY * kinds.total() or not _kind(cell):
            continue
        if _kind(cell) != usual:
            return False
        if usual == "number":
            numbers.append(str(cell))
            inside += map(str, column)
        else:
            n_dates += 1
    counted = [str(cell) for cell in row if _kind(cell) == "number"] in _counted(len(row))
    years = all(map(_is_year, numbers)) and 2 * sum(map(_is_year, inside)) < len(inside)
    return bool(n_dates or (numbers and not (counted or years)))


def _counted(n: int) -> list[list[str]]:
    """Return the numbers of n columns, or of all but the first, counted from 0 and from 1."""
    return [[str(k) for k in range(a, b)] for a, b in ((0, n), (1, n + 1), (0, n - 1), (1, n))]


def _is_year(text: str) -> bool:
    text = text.strip().removesuffix(".0")
    return text.isdecimal() and FIRST_YEAR <= int(text[:9]) <= LAST_YEAR


def _kind(cell: Any) -> str:
    """Return "number", "date" or "text" for a cell; empty if it is missing."""
    text = str(cell).strip() if _is_filled(cell) else ""
    if isinstance(cell, date) or DATE.match(text):
        return "date"
    if not text or text.casefold() in (*NO_NAMES, *PERHAPS):
        return ""
    return "number" if NUMBER.match(text) else "text"
