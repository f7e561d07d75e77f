"""A file in, a table out: as a whole, or in pieces where it would not fit into memory."""

from __future__ import annotations

import gzip
import io
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from paribus.base.errors import InputError
from paribus.base.extras import need
from paribus.base.notes import Note
from paribus.base.progress import Progress, part_of, silent
from paribus.files import errors, limits, notes
from paribus.files.kinds import (
    PARQUET,
    STANDARD_INPUT,
    STATISTICS,
    TEXT,
    WORKBOOKS,
    Given,
    checked_ending,
)

if TYPE_CHECKING:
    import polars as pl

    from paribus.files.values import Rules

GZIP = b"\x1f\x8b"
PIECE = 16 << 20  # bytes of text read at a time, of a file in pieces
BEGINNING = 4096
# How files begin that have the wrong ending.
MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "an Excel workbook or another zip file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook or another Office file",
    b"%PDF": "a PDF",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held."""

    table: pl.DataFrame
    notes: tuple[Note, ...] = ()  # how the file was read
    # Of a workbook: the sheet that was read, and all sheets.
    sheet: str | None = None
    sheets: tuple[str, ...] = ()

    def check_target(self, target: str) -> None:
        """Refuse a target without any value if it is known why it has none."""
        if target in self.table.columns and self.table[target].is_null().all():
            for note in self.notes:
                if target in note.facts.get("columns", ()):
                    raise InputError(str(note))


def read_table(path: Given, *, sheet: str | None = None) -> pl.DataFrame:
    r"""Read a file into a table, detecting how it is written.

    Parameters
    ----------
    path : str or Path
        A CSV, TSV, Parquet, Excel, JSON lines, Stata, SPSS or SAS file; text may be compressed
        with gzip. ``"-"`` is CSV from standard input.
    sheet : str, optional
        Name or number of a workbook's sheet; by default the first that contains a table.

    Returns
    -------
    polars.DataFrame

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "houses.csv"
    >>> _ = path.write_text("sold;price\n31.12.2020;1.250,50\n01.02.2021;980,00\n")
    >>> read_table(path).rows()
    [(datetime.date(2020, 12, 31), 1250.5), (datetime.date(2021, 2, 1), 980.0)]
    """
    return read_file(path, sheet=sheet).table


def read_file(
    path: Given,
    *,
    sheet: str | None = None,
    numeric: Sequence[str] = (),
    name: str | None = None,
    progress: Progress = silent,
) -> Reading:
    r"""Read a file into a table, with notes on how it was read.

    Columns in `numeric` are numbers even if they contain text, which then counts as missing.
    Errors call the file by `name`, if one is given; `progress` is called with (done, total).
    Other parameters are those of `read_table`.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "lots.csv"
    >>> _ = path.write_text("size,price\n12,1\nlarge,2\n")
    >>> read_file(path, numeric=["size"]).table["size"].to_list()
    [12, None]
    """
    polars = need("polars", "Reading files", "files")
    opened = open_files([path], sheet=sheet, numeric=numeric, name=name, progress=progress)
    raw = opened.files[0]
    table: pl.DataFrame = polars.concat(opened.tables(0))
    if table.width == 0:
        raise errors.empty_file(raw.name)
    if table.height == 0:
        raise errors.header_only(raw.name)
    return Reading(table, opened.notes, raw.sheet, raw.sheets)


@dataclass(frozen=True, slots=True)
class Raw:
    """A file before its text is interpreted."""

    name: str
    tables: Callable[[], Iterable[pl.DataFrame]]  # returns its rows, in one piece or several
    typed: bool = False  # whether the file stores the types of its columns
    comma: bool = False  # whether a comma in a number is more likely decimal
    unnamed: Sequence[str] = ()  # columns that have no name in the file
    # Columns whose name was taken in the file, with the original name.
    copies: Mapping[str, str] = field(default_factory=dict)
    # Notes known beforehand, and once all rows have been read.
    notes: Sequence[Note] = ()
    below: Sequence[Note] = ()
    # As in `Reading`.
    sheet: str | None = None
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """Files that form one table, and the rules by which all of them are read."""

    files: tuple[Raw, ...]
    rules: Rules
    notes: tuple[Note, ...]

    def tables(self, k: int) -> Iterator[pl.DataFrame]:
        """Yield the table of one of the files, in one piece or several."""
        file = self.files[k]
        return (t if file.typed else self.rules.read(t) for t in file.tables())


def open_files(
    paths: Sequence[Given],
    *,
    whole: bool = True,
    sheet: str | None = None,
    numeric: Sequence[str] = (),
    name: str | None = None,
    progress: Progress = silent,
) -> Opened:
    """Detect how files are written, from all of their rows.

    Text is held in memory if it is read as a `whole`; otherwise it is read again in pieces when
    needed. The same rules apply to both. Other parameters are those of `read_file`.
    """
    need("polars", "Reading files", "files")
    from paribus.files.values import Looks, check_numeric, find_rules

    looks = Looks()
    files = [_raw(path, sheet, name, whole, part_of(progress, 0, 40)) for path in paths]
    copies: dict[str, str] = {}
    for file in files:
        copies |= file.copies
        names: Sequence[str] = ()
        for table in file.tables():
            names = table.columns
            if not file.typed:
                looks.add(table, copies, part_of(progress, 40, 70))
        check_numeric(numeric, names)
    blank = {name for file in files for name in file.unnamed} - looks.filled
    rules = find_rules(
        looks,
        numeric=numeric,
        comma=any(file.comma for file in files),
        left_out=blank | (copies.keys() - looks.differ),
    )
    remarks = [note for file in files for note in (*file.notes, *file.below)]
    for name, first in copies.items():
        left_out = name in rules.left_out
        remarks.append(notes.copy_left_out(first) if left_out else notes.renamed(first, name))
    remarks += rules.notes
    progress(1, 1)
    return Opened(tuple(files), rules, tuple({note.text: note for note in remarks}.values()))


def _raw(path: Given, sheet: str | None, name: str | None, whole: bool, progress: Progress) -> Raw:
    """Open a file by its kind."""
    ending = checked_ending(path)
    name = name or ("standard input" if str(path) == STANDARD_INPUT else str(path))
    if sheet is not None and ending not in WORKBOOKS:
        raise errors.sheet_without_workbook(name)
    if ending in STATISTICS:
        from paribus.files.stats import read_stats

        table, remarks = read_stats(Path(path), name, ending)
        return Raw(name, lambda: [table], typed=True, notes=remarks)
    if ending in TEXT:
        return _text(path, name, TEXT[ending], whole)
    content = _content(path, name)
    if not content.strip():
        raise errors.empty_file(name)
    if ending in WORKBOOKS:
        from paribus.files.workbook import read_workbook

        return read_workbook(content, name, sheet, progress)
    from paribus.files import frames

    if ending in PARQUET:
        table = frames.read_parquet(io.BytesIO(content), name)
        return Raw(name, lambda: [table], typed=True)
    _check_text(content, name)
    table = frames.read_json(content, name)
    return Raw(name, lambda: [table])


def _text(path: Given, name: str, delimiter: str | None, whole: bool) -> Raw:
    from paribus.files.text import open_text

    if whole or str(path) == STANDARD_INPUT:
        content = _content(path, name)
        file = open_text(_checked(lambda: io.BytesIO(content), name), name, delimiter)
        pieces = list(file.tables())

        def tables() -> Iterator[pl.DataFrame]:
            return iter(pieces)

    else:
        with _unpacking(name):
            file = open_text(_checked(lambda: _unpacked(Path(path)), name), name, delimiter)

        def tables() -> Iterator[pl.DataFrame]:
            with _unpacking(name):
                yield from file.tables(PIECE)

    unnamed = [n for n, given in zip(file.names, file.header, strict=False) if not given.strip()]
    comma = file.delimiter == ";"
    return Raw(
        name, tables, comma=comma, unnamed=unnamed, copies=file.copies, notes=file.notes,
        below=file.below,
    )  # fmt: skip


def _content(path: Given, name: str) -> bytes:
    """Return the content of a file, uncompressed."""
    if str(path) == STANDARD_INPUT:
        content = _held(sys.stdin.buffer, name)
    elif Path(path).stat().st_size > limits.most_bytes():
        raise errors.too_many_bytes(name, limits.memory() / 1e9, limits.MEMORY)
    else:
        content = Path(path).read_bytes()
    if not content.startswith(GZIP):
        return content
    with _unpacking(name), gzip.open(io.BytesIO(content)) as packed:
        return _held(cast("IO[bytes]", packed), name, limits.most_unpacked(len(content)))


def _held(file: IO[bytes], name: str, most: float = math.inf) -> bytes:
    """Read a file of unknown length to its end, up to `most` bytes and what memory allows."""
    pieces, size, room = [], 0, limits.most_bytes()
    while piece := file.read(PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            raise errors.unpacks_too_much(name, limits.TIMES)
        if size > room:
            raise errors.too_many_bytes(name, limits.memory() / 1e9, limits.MEMORY)
    return b"".join(pieces)


@contextmanager
def _unpacking(name: str) -> Iterator[None]:
    """Turn errors from a truncated or damaged compressed file into a sentence."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise errors.damaged_file(name) from None


def _unpacked(path: Path) -> IO[bytes]:
    """Open a file that is read in pieces."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    return cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")


def _checked(opened: Callable[[], IO[bytes]], name: str) -> Callable[[], IO[bytes]]:
    """Return the function that opens a text file, after checking that it is one."""
    with opened() as file:
        start = file.read(BEGINNING)
    if not start.strip():
        raise errors.empty_file(name)
    _check_text(start, name)
    return opened


def _check_text(content: bytes, name: str) -> None:
    for start, what in MAGIC.items():
        if content.startswith(start):
            raise errors.not_what_it_says(name, "text", what)
