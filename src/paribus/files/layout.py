"""Where the table is: titles above its header, totals and footnotes below its rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

from paribus.base import notes
from paribus.base.notes import Note
from paribus.files.numbers import PATTERNS

Cells: TypeAlias = Sequence[Any]

LOOKED_AT = 200  # rows that tell how wide the table is
HIGHEST = 30  # the header is sought among so many rows
SPARSE = 0.5  # share of the width that a title fills at most
LAST = 12  # rows at the end that may be totals or footnotes
NUMBER = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS.values()))
TOTALS = (
    "total", "totals", "grand total", "subtotal", "sum", "average", "mean",
    "gesamt", "insgesamt", "summe", "mittelwert", "somme", "totale", "suma", "totaal",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the columns, each different, and what was done to make them so."""

    names: list[str]
    notes: tuple[Note, ...]


def header_at(rows: Sequence[Cells]) -> int:
    """Find the row that names the columns: the first, unless nearly empty ones stand above it.

    Examples
    --------
    >>> header_at([["Sales 2020", "", ""], ["", "", ""], ["town", "rooms", "price"], ["A", 2, 9]])
    2
    >>> header_at([["", "price"], ["1", "9"], ["2", "8"]])
    0
    """
    width = median([filled(row) for row in rows[:LOOKED_AT] if filled(row)] or [0])
    for at, row in enumerate(rows[:HIGHEST]):
        if filled(row) > SPARSE * width:
            return at if _are_names(row) else _first(rows)
    return _first(rows)


def rows_below(rows: Sequence[Cells]) -> tuple[int, tuple[Note, ...]]:
    """Count the rows at the end that are no rows of the table, and tell of them.

    Examples
    --------
    >>> rows_below([["A", 1, 2], ["B", 3, 4], ["Total", 4, 6], ["Source: us", None, None]])[0]
    2
    """
    tail = rows[-LAST:]
    left = 0
    told: tuple[Note, ...] = ()
    for back, row in enumerate(reversed(tail), start=1):
        found = _no_row(row)
        if found is None and filled(row):
            break
        if found is not None:
            left, told = back, (found, *told)
    # A total among the rows themselves is a level like any other.
    above = tail[: len(tail) - left]
    return (left, told) if above and not any(map(_is_total, above)) else (0, ())


def titles(rows: Sequence[Cells], header: int) -> tuple[Note, ...]:
    """Tell of the rows above the header, where they hold anything; `header` is its line."""
    texts = [text for row in rows for text in _texts(row)]
    return (notes.titles_skipped(texts, header),) if texts else ()


def column_names(header: Cells) -> Names:
    """Name the columns as the header does; without a name by the place, a second time by number.

    Examples
    --------
    >>> column_names([" a ", "", "a"]).names
    ['a', 'column 2', 'a (2)']
    """
    given = [str(cell).strip() if _is_filled(cell) else "" for cell in header]
    names = [name or f"column {k}" for k, name in enumerate(given, start=1)]
    seen: Counter[str] = Counter()
    taken, told = set(names), []
    for k, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            while f"{name} ({seen[name]})" in taken:
                seen[name] += 1
            names[k] = f"{name} ({seen[name]})"
            taken.add(names[k])
            told.append(notes.renamed(name, names[k]))
    return Names(names, tuple(told))


def filled(row: Cells) -> int:
    """Count the cells of a row that hold anything."""
    return sum(_is_filled(cell) for cell in row)


def _no_row(row: Cells) -> Note | None:
    """Tell of a row that is a total, or a lone text under a table of several columns."""
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
    return cell is not None and str(cell).strip() != ""


def _are_names(row: Cells) -> bool:
    """Tell whether a row looks like column names: more words than numbers."""
    texts = [cell for cell in row if isinstance(cell, str) and cell.strip()]
    words = [text for text in texts if not NUMBER.match(text.strip())]
    return 2 * len(words) > filled(row)


def _first(rows: Sequence[Cells]) -> int:
    """Return the first row that holds anything."""
    return next((at for at, row in enumerate(rows) if filled(row)), 0)
