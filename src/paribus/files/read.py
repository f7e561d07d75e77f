"""Which file is this, and who reads it?"""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from paribus.base import errors, notes
from paribus.base.notes import Note
from paribus.base.progress import Progress, part_of, silent
from paribus.files import errors as refusals

if TYPE_CHECKING:
    import polars as pl

STANDARD_INPUT = "-"
TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}
LINES = (".jsonl", ".ndjson", ".json")
PARQUET = (".parquet", ".pq")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
ENDINGS = (*TEXT, *LINES, *PARQUET, *WORKBOOKS)

GZIP = b"\x1f\x8b"
# How a file begins that is not what its name says.
MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "an Excel workbook or another zip file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook or another Office file",
    b"%PDF": "a PDF",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held.

    Attributes
    ----------
    table : polars.DataFrame
    notes : tuple of Note
        What was found out about the file that the reader should know.
    """

    table: pl.DataFrame
    notes: tuple[Note, ...] = ()


def read_table(path: str | Path, *, sheet: str | None = None) -> pl.DataFrame:
    r"""Read a file into a table, finding out how it is written.

    Parameters
    ----------
    path : str or Path
        A CSV, TSV, Parquet, Excel or JSON lines file; text may be packed with gzip. ``"-"`` is
        CSV from standard input.
    sheet : str, optional
        Name or number of a workbook's sheet; the first by default.

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
    path: str | Path,
    *,
    sheet: str | None = None,
    numeric: Sequence[str] = (),
    name: str | None = None,
    progress: Progress = silent,
) -> Reading:
    r"""Read a file into a table, with notes on what was found out.

    Columns in `numeric` are numbers even where text stands among them: that text is missing then.
    Errors call the file by `name`, where one is given; `progress` is told (done, total). Other
    parameters are those of `read_table`.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "lots.csv"
    >>> _ = path.write_text("size,price\n12,1\nlarge,2\n")
    >>> read_file(path, numeric=["size"]).table["size"].to_list()
    [12, None]
    """
    if not find_spec("polars"):
        raise errors.missing_package("polars", "Reading files", "'paribus[cli]'")
    name = name or ("standard input" if str(path) == STANDARD_INPUT else str(path))
    ending = ".csv" if str(path) == STANDARD_INPUT else _ending(Path(path))
    if sheet is not None and ending not in WORKBOOKS:
        raise refusals.sheet_without_workbook(name)
    if ending in PARQUET:
        reading = _parquet(_content(path, name), name)
    else:
        raw = _raw(_content(path, name), name, ending, sheet, progress)
        reading = _typed(raw, numeric, progress)
    if reading.table.width == 0:
        raise errors.empty_file(name)
    if reading.table.height == 0:
        raise errors.header_only(name)
    return reading


@dataclass(frozen=True, slots=True)
class _Raw:
    """A table before its text is understood, whether a comma is decimal, and how far we are."""

    table: pl.DataFrame
    notes: tuple[Note, ...] = ()
    comma: bool = False
    done: int = 45  # per cent of the work, as measured


def _parquet(content: bytes, name: str) -> Reading:
    from paribus.files import frames

    _check_content(content, name)
    return Reading(frames.read_parquet(content, name))


def _raw(content: bytes, name: str, ending: str, sheet: str | None, progress: Progress) -> _Raw:
    from paribus.files import frames, text, workbook

    _check_content(content, name)
    if ending in WORKBOOKS:
        found = workbook.read_workbook(content, name, sheet, part_of(progress, 0, 95))
        return _Raw(found.table, found.notes, done=95)
    _check_text(content, name)
    if ending in LINES:
        return _Raw(frames.read_json(content, name))
    fields = text.read_text(content, name, TEXT[ending])
    return _Raw(fields.table, fields.notes, comma=fields.delimiter == ";")


def _typed(raw: _Raw, numeric: Sequence[str], progress: Progress) -> Reading:
    from paribus.files import values

    left = part_of(progress, raw.done, 100)
    table, told = values.typed(raw.table, numeric=numeric, comma=raw.comma, progress=left)
    return _without_copies(Reading(table, (*raw.notes, *told)))


def _without_copies(reading: Reading) -> Reading:
    """Leave out a second column of one name that holds the same as the first."""
    table, told = reading.table, list(reading.notes)
    for k, note in enumerate(told):
        if note.kind == "renamed":
            name, given = str(note.facts["name"]), str(note.facts["column"])
            if table[name].equals(table[given]):
                table, told[k] = table.drop(given), notes.copy_left_out(name)
    return Reading(table, tuple(told))


def _content(path: str | Path, name: str) -> bytes:
    """Return what a file holds, unpacked."""
    if str(path) == STANDARD_INPUT:
        content = sys.stdin.buffer.read()
    else:
        content = _checked(Path(path)).read_bytes()
    if not content.startswith(GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error):
        raise refusals.damaged_file(name) from None


def _checked(path: Path) -> Path:
    if path.is_dir():
        raise errors.is_a_folder(str(path))
    if not path.exists():
        folder = path.parent
        names = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        raise errors.no_such_file(str(path), get_close_matches(path.name, names, n=2))
    return path


def _ending(path: Path) -> str:
    _checked(path)
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    ending = inner.suffix.lower()
    if ending not in ENDINGS:
        raise errors.unknown_ending(str(path), ENDINGS)
    return ending


def _check_content(content: bytes, name: str) -> None:
    if not content.strip():
        raise errors.empty_file(name)


def _check_text(content: bytes, name: str) -> None:
    for start, what in MAGIC.items():
        if content.startswith(start):
            raise errors.not_what_it_says(name, "text", what)
