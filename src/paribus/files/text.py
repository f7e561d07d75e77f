"""Delimited text: detecting how it is written, and its raw fields, at once or in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import IO

import numpy as np
import polars as pl

from paribus.base.arrays import BoolArray
from paribus.base.notes import Note
from paribus.files import errors, layout, notes
from paribus.files.encoding import found_encoding, utf8_blocks
from paribus.files.limits import check_size
from paribus.files.records import UnclosedQuoteError, last_end, records

DELIMITERS = (",", ";", "\t", "|")
BEGINNING = 1 << 20  # bytes from which it is detected how a file is written
LONGEST_LINE = 1 << 26  # maximum bytes of a record in a file that is read in pieces
LOOKED_AT = 200  # rows that determine the delimiter
LONE_RETURN = re.compile(r"\r(?![\r\n])")
LONE_RETURN_BYTE = re.compile(rb"\r(?![\r\n])")
NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
SHORT = "\0"  # name of a column that marks rows with too few fields; no real column has it
HINT = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # Excel's own way of naming the delimiter
ENCODINGS = {"utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"}  # not worth a note


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file, and how it is written."""

    open: Callable[[], IO[bytes]]  # opens its bytes, unpacked
    name: str  # its name in errors
    encoding: str
    delimiter: str
    returns: bool  # whether a carriage return alone ends a line
    header: Sequence[str]  # the fields of the header; empty if there is none
    names: list[str]  # the names made from them
    copies: dict[str, str]  # columns whose name was taken, with the original name
    # Where the first row begins, in bytes of UTF-8, and its line, from 0.
    start: int
    line: int
    notes: tuple[Note, ...]
    # Notes on what follows the rows, once they have been read.
    below: list[Note] = field(default_factory=list)

    def tables(self, size: int = -1) -> Iterator[pl.DataFrame]:
        """Yield the rows as columns of text, from pieces of about `size` bytes; all by default.

        Blanks around fields are removed; empty fields are missing; empty rows are left out, and
        so are totals and footnotes at the end.
        """
        held = pl.DataFrame(schema=dict.fromkeys(self.names, pl.String) | {SHORT: pl.Boolean})
        n_short = 0
        for table in self._all_tables(size):
            table = pl.concat([held, table])
            held, sure = table.tail(layout.LAST), table.head(max(0, table.height - layout.LAST))
            n_short += int(sure[SHORT].sum())
            yield sure.drop(SHORT)
        left, self.below[:] = layout.rows_below(held.drop(SHORT).rows())
        held = held.head(held.height - left)
        n_short += int(held[SHORT].sum())
        if n_short:
            self.below.append(notes.short_rows(n_short))
        yield held.drop(SHORT)

    def _all_tables(self, size: int) -> Iterator[pl.DataFrame]:
        rest, line = b"", self.line
        with self.open() as file:
            for piece, final in _marked(self._pieces(file, size)):
                content = rest + piece
                table, end = self._table(content, line, final)
                rest, line = content[end:], line + content.count(b"\n", 0, end)
                if len(rest) > LONGEST_LINE:
                    endless = errors.unclosed_quote if b'"' in rest else errors.endless_line
                    raise endless(line + 1, self.name)
                yield table

    def _pieces(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        skip, last = self.start, b""
        for piece in utf8_blocks(file, self.encoding, size):
            left = last + piece[skip:]
            skip = max(0, skip - len(piece))
            if self.returns:
                # What a return at the end means depends on what follows.
                last = b"\r" if left.endswith(b"\r") else b""
                left = LONE_RETURN_BYTE.sub(b"\n", left.removesuffix(last))
            yield left
        yield last

    def _table(self, content: bytes, line: int, final: bool) -> tuple[pl.DataFrame, int]:
        """Return the complete records of some content, marking short ones, and where they end."""
        width = len(self.names)
        check_size(self.name, content.count(b"\n") + 1, width)
        end = last_end(content, self.delimiter, width, final)
        schema = {f"c{k}": pl.String for k in range(width)}
        if end is None:
            table, end = self._field_by_field(content, line, final, schema)
        elif not content[:end].strip():
            table = pl.DataFrame(schema=schema)
        else:
            try:
                table = pl.read_csv(
                    content[:end], separator=self.delimiter, has_header=False, schema=schema
                )
            except pl.exceptions.PolarsError:
                table, end = self._field_by_field(content[:end], line, True, schema)
        table = table.with_columns(pl.all().str.strip_chars().replace("", None))
        short = _short_rows(content[:end], self.delimiter, table)
        table.columns = self.names
        filled = pl.any_horizontal(pl.exclude(SHORT).is_not_null())
        return table.with_columns(pl.Series(SHORT, short)).filter(filled), end

    def _field_by_field(
        self, content: bytes, line: int, final: bool, schema: dict[str, type[pl.String]]
    ) -> tuple[pl.DataFrame, int]:
        """Split content with odd quotes or rows field by field, and say what is wrong."""
        text, width = content.decode(errors="replace"), len(self.names)
        if not final:
            text = text[: text.rfind("\n") + 1]
        rows, end = [], 0
        try:
            for record in records(text, self.delimiter, width):
                fields, end = record.fields, record.end
                if any(field.strip() for field in fields[width:]):
                    several = _rows_in(text[record.start : end], self.delimiter, width)
                    if not several:
                        at, top = line + record.line + 1, self.line + (not self.header)
                        raise errors.broken_row(at, self.name, len(fields), top, width)
                    rows += several
                    continue
                rows.append((fields + [""] * (width - len(fields)))[:width])
        except UnclosedQuoteError as problem:
            if final or (problem.start == 0 and len(content) > LONGEST_LINE):
                raise errors.unclosed_quote(line + problem.line + 1, self.name) from None
            end = problem.start
        return pl.DataFrame(rows, schema=schema, orient="row"), len(text[:end].encode())


def open_text(open_: Callable[[], IO[bytes]], name: str, usual: str | None = None) -> TextFile:
    r"""Detect how a text file is written; `usual` is the delimiter that its name suggests.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = open_text(lambda: BytesIO("Straße;n\nA, B;1,5\n".encode("cp1252")), "x.csv")
    >>> file.encoding, file.delimiter, [table.rows() for table in file.tables()]
    ('cp1252', ';', [[], [('A, B', '1,5')]])
    """
    encoding = found_encoding(open_)
    text = _beginning(open_, encoding, name)
    returns = _end_lines(text, usual)
    text = LONE_RETURN.sub("\n", text) if returns else text
    hint = HINT.match(text)
    hidden = hint.end() if hint else 0
    if not text[hidden:].strip():
        raise errors.empty_file(name)
    delimiter = hint[1] if hint else found_delimiter(text, usual)
    rows = list(islice(records(text[hidden:], delimiter, lenient=True), layout.LOOKED_AT))
    check_size(name, 1, max(len(row.fields) for row in rows))
    found = layout.find_header([row.fields for row in rows])
    top, line = rows[found.at], rows[found.at].line + bool(hint)
    remarks = [notes.read_as(encoding)] if encoding not in ENCODINGS else []
    remarks += layout.titles([row.fields for row in rows[: found.at]], line + 1)
    start = hidden + (top.end if found.is_header else top.start)
    line += text.count("\n", hidden + top.start, start)
    return TextFile(
        open_, name, encoding, delimiter, returns, top.fields if found.is_header else (),
        found.names, found.copies, len(text[:start].encode()), line, (*remarks, *found.notes),
    )  # fmt: skip


def found_delimiter(text: str, usual: str | None = None) -> str:
    r"""Find the delimiter by which rows have as many fields as the header.

    Examples
    --------
    >>> found_delimiter("a;b\n1,5;2,5\n3,5;4,5\n"), found_delimiter("a,b\nx;y,z\n")
    (';', ',')
    """
    if usual is not None and usual in text.partition("\n")[0]:
        return usual
    return max(DELIMITERS, key=lambda delimiter: _agreement(text, delimiter))


def _beginning(open_: Callable[[], IO[bytes]], encoding: str, name: str) -> str:
    """Return the first lines."""
    start = b""
    with open_() as file:
        for piece in utf8_blocks(file, encoding, BEGINNING):
            start += piece
            if (len(start) > BEGINNING and b"\n" in start) or len(start) > LONGEST_LINE:
                # The last line may be incomplete.
                start = start[: start.rfind(b"\n") + 1] or start
                break
    text = start.decode(errors="replace")
    if NO_TEXT.search(text[:100_000]):
        raise errors.not_what_it_says(name, "text")
    return text


def _end_lines(text: str, usual: str | None) -> bool:
    """Tell whether a carriage return alone ends a line: then all rows have as many fields.

    Old Macs end all lines that way; in files combined from several systems some lines do.
    """
    if not LONE_RETURN.search(text):
        return False
    cut = LONE_RETURN.sub("\n", text)
    before, after = (_agreement(t, found_delimiter(t, usual)) for t in (text, cut))
    return "\n" not in text or (after[1] > 1 and after[0] >= before[0])


def _rows_in(record: str, delimiter: str, width: int) -> list[list[str]]:
    """Return the rows of a record separated by lone carriage returns, if all are complete."""
    lines = LONE_RETURN.sub("\n", record.rstrip("\r\n"))
    rows = [row.fields for row in records(lines, delimiter, lenient=True)]
    return rows if all(len(row) == width for row in rows) else []


def _short_rows(content: bytes, delimiter: str, table: pl.DataFrame) -> BoolArray:
    """Tell which rows of a table have fewer fields in the file than it has columns, (n,).

    None are marked if they cannot be distinguished from rows that end in an empty field.
    """
    short = np.zeros(table.height, dtype=np.bool_)
    whole = (table.width - 1) * table.height
    quoted, mark = b'"' in content, delimiter.encode()
    if not (whole and table[:, -1].has_nulls() and (quoted or content.count(mark) < whole)):
        return short
    text = np.frombuffer(content.rstrip(b"\r\n") + b"\n", np.uint8)
    outside = np.cumsum(text == ord('"'), dtype=np.uint8) % 2 == 0
    ends = np.flatnonzero(outside & (text == ord("\n")))
    met = np.searchsorted(np.flatnonzero(outside & (text == ord(delimiter))), ends)
    if len(ends) == len(short):
        short[:] = np.diff(met, prepend=0) < table.width - 1
    return short


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    """Rate a delimiter: the share of rows that agree on the number of fields, and that number."""
    rows = islice(records(text, delimiter, lenient=True), LOOKED_AT)
    counts = [len(row.fields) for row in rows if row.fields != [""]]
    usual = max(counts, key=lambda n: (counts.count(n), n), default=0)
    return counts.count(usual) / len(counts) if usual > 1 else 0.0, usual


def _marked(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield pieces that are not empty, each with whether it is the last."""
    held = b""
    for piece in pieces:
        if piece and held:
            yield held, False
        held = piece or held
    yield held, True
