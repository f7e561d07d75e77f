"""The table in the sheet: found, checked and written as a file; no cell is changed."""

import csv
from datetime import datetime, timedelta
from pathlib import Path

from paribus_addin import words
from paribus_addin.words import Refused

DATE, LOGICAL = 2, 1024  # bits of a number format's type
ERRORS = 4  # results of formulas
FEWEST_ROWS = 10
LOOKED_AT = 50  # cells of a column whose format says what its numbers are


class Table:
    """A block of cells with a header.

    Attributes
    ----------
    names : list of str
        Its columns.
    remarks : list of str
        What the user must know about the cells.
    """

    def __init__(self, document, selection):
        self.document = document
        self.cells = _block(selection)
        self.values = self.cells.getDataArray()
        self.names = self._names()
        self._check()
        self.remarks = self._remarks()

    @property
    def n_rows(self):
        """How many rows lie below the header."""
        return len(self.values) - 1

    def write(self, path):
        """Write the table as CSV: dates as dates, truth values as words."""
        kinds = [self._kind(k) for k in range(len(self.names))]
        start = self.document.NullDate
        epoch = datetime(start.Year, start.Month, start.Day)
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.names)
            for row in self.values[1:]:
                pairs = zip(row, kinds, strict=True)
                writer.writerow([_written(value, kind, epoch) for value, kind in pairs])

    def _names(self):
        names = []
        for k, value in enumerate(self.values[0]):
            if not isinstance(value, str) or not value.strip():
                raise words.no_name(self._address(k, 0), value)
            if value in names:
                raise words.twice(value)
            names.append(value)
        return names

    def _check(self):
        formats = self.cells.getCellFormatRanges().createEnumeration()
        while formats.hasMoreElements():
            part = formats.nextElement()
            if part.IsMerged:
                area = part.Spreadsheet.createCursorByRange(part)
                area.collapseToMergedArea()
                raise words.merged(_short(area.AbsoluteName))
        if self.n_rows < FEWEST_ROWS:
            raise words.too_few_rows(self.n_rows)

    def _remarks(self):
        wrong = self.cells.queryFormulaCells(ERRORS)
        count = sum(
            (a.EndRow - a.StartRow + 1) * (a.EndColumn - a.StartColumn + 1)
            for a in wrong.RangeAddresses
        )
        if not count:
            return []
        first = wrong.getByIndex(0).getCellByPosition(0, 0)
        return [words.held_errors(count, _short(first.AbsoluteName))]

    def _kind(self, column):
        """Return the type of a column's first number, as the office shows it."""
        for row in range(1, min(len(self.values), LOOKED_AT)):
            if isinstance(self.values[row][column], float):
                key = self.cells.getCellByPosition(column, row).NumberFormat
                return self.document.NumberFormats.getByKey(key).Type
        return 0

    def _address(self, column, row):
        return _short(self.cells.getCellByPosition(column, row).AbsoluteName)


def _block(selection):
    """Return the block of cells that is meant: the selection, or the table around one cell."""
    if not selection.supportsService("com.sun.star.sheet.SheetCellRange"):
        raise Refused(words.ONE_BLOCK)
    sheet, where = selection.Spreadsheet, selection.RangeAddress
    if (where.StartColumn, where.StartRow) == (where.EndColumn, where.EndRow):
        cursor = sheet.createCursorByRange(selection)
        cursor.collapseToCurrentRegion()
        where = cursor.RangeAddress
    used = sheet.createCursor()
    used.gotoEndOfUsedArea(False)
    last = used.RangeAddress
    right, bottom = min(where.EndColumn, last.EndColumn), min(where.EndRow, last.EndRow)
    if right < where.StartColumn or bottom < where.StartRow:
        raise Refused(words.NOTHING)
    block = sheet.getCellRangeByPosition(where.StartColumn, where.StartRow, right, bottom)
    if not block.queryContentCells(1 | 2 | 4 | 16).Count:  # numbers, dates, text, formulas
        raise Refused(words.NOTHING)
    return block


def _written(value, kind, epoch):
    if not isinstance(value, float):
        return value
    if kind & LOGICAL:
        return "true" if value else "false"
    if kind & DATE:
        moment = epoch + timedelta(seconds=round(value * 86_400))
        return moment.date().isoformat() if value == int(value) else moment.isoformat(sep=" ")
    return int(value) if value == int(value) and abs(value) < 1e15 else repr(value)


def _short(address):
    """Write ``$Sheet1.$B$2:$C$3`` as people do.

    Examples
    --------
    >>> _short("$Sheet1.$B$2:$C$3")
    'B2:C3'
    """
    return address.rpartition(".")[2].replace("$", "")
