"""Text with fields: which encoding, which delimiter, and every field as it stands."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import polars as pl

from paribus.base import errors
from paribus.base.notes import Note
from paribus.files import errors as refusals
from paribus.files import layout

DELIMITERS = (",", ";", "\t", "|")
LOOKED_AT, BEGINNING = 200, 500_000  # rows and characters that decide on the delimiter
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
HINT = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # Excel's own way of naming the delimiter


@dataclass(frozen=True, slots=True)
class Text:
    """The fields of a text file, all of them text, what divided them, and what to tell."""

    table: pl.DataFrame
    delimiter: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class _Top:
    """The header: its fields, the names made of them, where it starts, what stands above."""

    fields: list[str]
    found: layout.Names
    start: int
    lines_above: int
    notes: tuple[Note, ...]


def read_text(content: bytes, name: str, delimiter: str | None = None) -> Text:
    r"""Split a text file into columns of text.

    Examples
    --------
    >>> found = read_text("Straße;n\nA, B;1,5\n".encode("cp1252"), "x.csv")
    >>> found.delimiter, found.table.to_dict(as_series=False)
    (';', {'Straße': ['A, B'], 'n': ['1,5']})
    """
    text = decoded(content, name)
    hint = HINT.match(text)
    text = text[hint.end() :] if hint else text
    if not text.strip():
        raise errors.empty_file(name)
    delimiter = hint[1] if hint else found_delimiter(text[:BEGINNING], delimiter)
    top = _header(text, delimiter, lines_before=bool(hint))
    fields = _fields(text[top.start :], delimiter, top.found.names, name, top.lines_above)
    table, below = _without_end(without_blank_columns(fields, top.fields))
    return Text(table, delimiter, (*top.notes, *top.found.notes, *below))


def decoded(content: bytes, name: str) -> str:
    """Find out the encoding: UTF-8, UTF-16, or else what Windows used to write.

    Examples
    --------
    >>> {decoded("Zoë".encode(e), "x") for e in ("utf-8-sig", "utf-16", "utf-16-le", "latin-1")}
    {'Zoë'}
    """
    text = _decoded(content)
    if NO_TEXT.search(text[:100_000]):
        raise errors.not_what_it_says(name, "text")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return text


def found_delimiter(text: str, usual: str | None = None) -> str:
    r"""Find the delimiter that cuts the rows into as many fields as the header has.

    Examples
    --------
    >>> found_delimiter("a;b\n1,5;2,5\n3,5;4,5\n"), found_delimiter("a,b\nx;y,z\n")
    (';', ',')
    """
    if usual is not None and usual in text.partition("\n")[0]:
        return usual
    return max(DELIMITERS, key=lambda delimiter: _agreement(text, delimiter))


def without_blank_columns(table: pl.DataFrame, header: Sequence[str | None]) -> pl.DataFrame:
    """Leave out columns with neither a name nor a value."""
    blank = [
        column
        for column, name in zip(table.columns, header, strict=True)
        if not str(name or "").strip() and table[column].null_count() == table.height
    ]
    return table.drop(blank)


def _decoded(content: bytes) -> str:
    if content.startswith(UTF16):
        return content.decode("utf-16", errors="replace")
    for half, encoding in ((content[1:200:2], "utf-16-le"), (content[:200:2], "utf-16-be")):
        if half.count(0) > 0.8 * len(half):
            return content.decode(encoding, errors="replace")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    """Rate a delimiter: how many rows agree on the number of fields, and what that is."""
    try:
        counts = [len(row) for row in islice(_records(text, delimiter), LOOKED_AT) if row]
    except csv.Error:
        return 0.0, 0
    usual = max(counts, key=lambda n: (counts.count(n), n))
    return counts.count(usual) / len(counts) if usual > 1 else 0.0, usual


def _header(text: str, delimiter: str, lines_before: int) -> _Top:
    """Find the line that names the columns."""
    records = _records(text, delimiter)
    rows: list[list[str]] = []
    lines: list[int] = []
    for _ in range(layout.LOOKED_AT):
        lines.append(records.line_num)
        rows.append(next(records, []))
    at = layout.header_at(rows)
    start = sum(len(line) for line in islice(io.StringIO(text), lines[at]))
    above = lines[at] + lines_before
    told = layout.titles(rows[:at], above + 1)
    return _Top(rows[at], layout.column_names(rows[at]), start, above, told)


def _without_end(table: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """Leave out empty rows, and totals and footnotes at the end."""
    table = table.filter(~pl.all_horizontal(pl.all().is_null()))
    left, told = layout.rows_below(table.tail(layout.LAST).rows())
    return table.head(table.height - left), told


def _records(text: str, delimiter: str) -> Any:
    return csv.reader(io.StringIO(text), delimiter=delimiter)


def _fields(
    text: str, delimiter: str, names: list[str], name: str, lines_before: int
) -> pl.DataFrame:
    longer = False
    try:
        return _scanned(text, delimiter, names, longer)
    except pl.exceptions.PolarsError:
        longer = _check_rows(text, delimiter, len(names), name, lines_before)
    try:
        return _scanned(text, delimiter, names, longer)
    except pl.exceptions.PolarsError:
        rows = list(_records(text, delimiter))[1:]
        padded = [(row + [""] * len(names))[: len(names)] for row in rows]
        return pl.DataFrame(padded, schema=dict.fromkeys(names, pl.String), orient="row")


def _scanned(text: str, delimiter: str, names: list[str], longer: bool) -> pl.DataFrame:
    table = pl.read_csv(
        text.encode("utf-8", errors="replace"),
        separator=delimiter,
        infer_schema=False,
        truncate_ragged_lines=longer,
    )
    if table.width != len(names):
        raise pl.exceptions.ShapeError
    table.columns = names
    return table


def _check_rows(text: str, delimiter: str, width: int, name: str, lines_before: int) -> bool:
    """Find the first broken row; tell whether rows are longer by empty fields only."""
    rows = _records(text, delimiter)
    longer = False
    for row in rows:
        if any(field.strip() for field in row[width:]):
            line, header = rows.line_num + lines_before, lines_before + 1
            raise refusals.broken_row(name, line, len(row), header, width)
        longer = longer or len(row) > width
    return longer
