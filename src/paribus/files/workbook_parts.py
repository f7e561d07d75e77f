"""A look at the parts of a workbook before it is read: its size, and its formulas.

A workbook is a zip file of XML. A few hundred bytes of it can represent a sheet of 17 billion
cells, so the cells are counted before memory is allocated for them.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np

from paribus.base.arrays import IntArray
from paribus.files import errors
from paribus.files.limits import HARMLESS, TIMES, check_size, most_unpacked

ZIP = b"PK\x03\x04"
PIECE = 1 << 23
LOCAL_HEADER = struct.Struct("<26x2H")
BOOK, LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
STRINGS = "xl/sharedStrings.xml"
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
# A cell with a format and nothing else ends at once, and takes no room.
PLACE = re.compile(rb'<c (?:[^>]*? )?r="([A-Z]{1,3})(\d{1,7})"(?:[^>]*[^/>])?>(?!</c>)')
STRING = re.compile(rb't="s"[^>]*><v>(\d{1,9})<')
FORMULA = re.compile(
    rb'<c [^>]*?\br="([A-Z]{1,3})\d+"[^>]*><f\b[^>]*(?:/>|>[^<]*</f>)(</c>|<v ?/>|<v>[^<]*)'
)
WRONG = re.compile(rb'<c (?=[^>]*\bt="e")[^>]*?\br="([A-Z]{1,3})\d+"')  # such as #DIV/0!
EMPTY = (b"</c>", b"<v/>", b"<v />", b"<v>")
ZERO = (*EMPTY, b"<v>0")
ANEW = re.compile(rb'fullCalcOnLoad="(?:1|true)"')  # nobody has worked the formulas out yet
ROW, REPEATED = b"<table:table-row", re.compile(rb'number-(?:rows|columns)-repeated="(\d{1,9})"')


@dataclass(slots=True)
class Parts:
    """What was seen: by sheet, in which columns there are how many such cells."""

    without_result: dict[int, Counter[int]] = field(default_factory=dict)  # formulas
    wrong: dict[int, Counter[int]] = field(default_factory=dict)  # that hold an error


def look_inside(content: bytes, name: str) -> Parts:
    """Refuse a workbook that would fill the memory; find formulas whose results are not stored."""
    found = Parts()
    contents = _contents(content)
    left, lengths = most_unpacked(len(content)), np.zeros(0, dtype=np.int64)
    for entry in sorted(contents.entries, key=lambda e: e.filename != STRINGS):
        pieces = _Pieces(content, entry, left)
        if entry.filename == STRINGS:
            lengths = np.array([len(s) for s in b"".join(pieces).split(b"</si>")], dtype=np.int64)
        elif SHEET.fullmatch(entry.filename):
            formulas, wrong = _check_sheet(pieces, name, lengths, contents.anew)
            if entry.filename in contents.sheets:
                at = contents.sheets.index(entry.filename)
                found.without_result[at], found.wrong[at] = formulas, wrong
        elif entry.filename == "content.xml":
            _check_open_document(b"".join(pieces), name)
        else:
            for _ in pieces:
                pass
        left -= pieces.total
        if left < 0:
            raise errors.unpacks_too_much(name, TIMES)
    return found


@dataclass(frozen=True, slots=True)
class _Contents:
    """The files of a workbook, those of its sheets in order, and whether formulas are to be run."""

    entries: tuple[zipfile.ZipInfo, ...] = ()
    sheets: tuple[str, ...] = ()
    anew: bool = False


def _contents(content: bytes) -> _Contents:
    """Return what a workbook is made of; nothing if it is damaged, for whoever reads it says so."""
    if not content.startswith(ZIP):
        return _Contents()
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            entries = tuple(archive.infolist())
            if not {BOOK, LINKS} <= set(archive.namelist()):
                return _Contents(entries)
            book, links = archive.read(BOOK), archive.read(LINKS)
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, EOFError):
        return _Contents()
    anew = ANEW.search(book) is not None
    return _Contents(entries, _sheet_files(book.decode(errors="replace"), str(links)), anew)


class _Pieces:
    """The content of an entry, piece by piece, whatever its header says of its size."""

    def __init__(self, content: bytes, entry: zipfile.ZipInfo, most: int) -> None:
        self._content, self._entry, self._most = content, entry, most
        self.total = 0

    def __iter__(self) -> Iterator[bytes]:
        at = self._entry.header_offset
        header = self._content[max(at, 0) : max(at, 0) + LOCAL_HEADER.size]
        if len(header) < LOCAL_HEADER.size:
            return
        at += LOCAL_HEADER.size + sum(LOCAL_HEADER.unpack(header))
        packed = self._content[at : at + self._entry.compress_size]
        if self._entry.compress_type != zipfile.ZIP_DEFLATED:
            self.total = len(packed)
            yield packed
            return
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        while packed and not inflate.eof and self.total <= self._most:
            try:
                piece = inflate.decompress(packed, PIECE)
            except zlib.error:
                return  # damaged: whoever reads it says so
            packed = inflate.unconsumed_tail
            self.total += len(piece)
            yield piece


def _check_sheet(
    pieces: _Pieces, name: str, lengths: IntArray, anew: bool
) -> tuple[Counter[int], Counter[int]]:
    """Check how large a sheet is; return where formulas without a result are, and errors.

    Where nobody has worked the formulas out yet, a 0 is no result if all of them are 0.
    """
    n_rows, letters, n_text = 0, {b"A"}, 0
    empty: Counter[bytes] = Counter()
    zeros: Counter[bytes] = Counter()
    wrong: Counter[bytes] = Counter()
    for cells in _whole_cells(pieces):
        places = PLACE.findall(cells)
        columns, rows = zip(*places, strict=True) if places else ((), ())
        letters.update(columns)
        n_rows = max([n_rows, *map(int, set(rows))]) if rows else n_rows + cells.count(b"<row")
        check_size(name, n_rows, max(map(_number, letters)))
        if len(lengths) and cells.count(b't="s"') * int(lengths.max()) > HARMLESS:
            used = np.array([int(k) for k in STRING.findall(cells)], dtype=np.int64)
            n_text += int(lengths[used[used < len(lengths)]].sum())
            check_size(name, n_rows, 1, n_text)
        wrong.update(WRONG.findall(cells) if b't="e"' in cells else ())
        for letter, result in FORMULA.findall(cells) if b"<f" in cells else ():
            anew = anew and result in ZERO
            (empty if result in EMPTY else zeros)[letter] += 1
    return _by_place(empty + zeros if anew else empty), _by_place(wrong)


def _by_place(counts: Counter[bytes]) -> Counter[int]:
    """Count by the place of a column instead of its letters."""
    return Counter({_number(letter) - 1: n for letter, n in counts.items()})


def _whole_cells(pieces: _Pieces) -> Iterator[bytes]:
    """Give pieces of XML that end between two cells."""
    rest = b""
    for piece in pieces:
        text = rest + piece
        end = text.rfind(b"<c ")
        end = len(text) if end <= 0 else end
        yield text[:end]
        rest = text[end:]
    yield rest


def _check_open_document(text: bytes, name: str) -> None:
    """Check how large the sheets of an OpenDocument file are, where cells can be repeated."""
    for sheet in text.split(b"<table:table ")[1:]:
        n_rows = last = width = 0
        for row in sheet.split(ROW)[1:]:
            repeated = REPEATED.search(row.partition(b">")[0])
            n_rows += int(repeated[1]) if repeated else 1
            if b"office:value" in row:
                last = n_rows
                cells = row[: row.rfind(b"office:value") + 500].split(b"<table:table-cell")[1:]
                times = [REPEATED.search(cell.partition(b">")[0]) for cell in cells]
                width = max(width, sum(int(found[1]) if found else 1 for found in times))
        check_size(name, last, width)


def _sheet_files(book: str, links: str) -> tuple[str, ...]:
    """Return the files of the sheets, in their order in the workbook."""
    targets = {}
    for link in re.findall(r"<Relationship ([^>]*)>", links):
        about = dict(re.findall(r'(\w+)="([^"]*)"', link))
        targets[about.get("Id")] = about.get("Target", "").removeprefix("/xl/")
    sheets = re.findall(r'<sheet [^>]*?r:id="([^"]+)"', book)
    return tuple("xl/" + targets.get(sheet, "") for sheet in sheets)


def _number(letters: bytes) -> int:
    """Return the number of a column, from 1.

    Examples
    --------
    >>> _number(b"A"), _number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
