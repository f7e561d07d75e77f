"""An opened file: where it is, what it is called, and how to get its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paribus.files import Reading, read_file
from paribus.files.kinds import PARQUET
from paribus.scale.sources import Stamp, stamp_of
from paribus.serve import errors as page_errors

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Source:
    """A file on disk."""

    path: Path  # where it lies: a name that the server chose, or the file named on the command line
    name: str  # what the user calls it; only ever shown
    folder: Path  # where things made from it are kept
    sheet: str | None = None  # the sheet of a workbook
    stamp: Stamp = None  # what the file was when it was opened

    @property
    def is_parquet(self) -> bool:
        """Whether the file knows its own types, so that a part of it can be read."""
        return self.path.suffix.lower() in PARQUET

    @property
    def copy(self) -> Path:
        """The table as it was understood, quick to read again."""
        return self.path if self.is_parquet else self.folder / "table.parquet"

    def check(self) -> None:
        """Refuse a file that is no longer the one that was opened."""
        if self.stamp is not None and stamp_of(str(self.path)) != self.stamp:
            raise page_errors.file_changed(self.name)

    def read(self, numeric: Sequence[str] = ()) -> Reading:
        """Read the file anew."""
        self.check()
        return read_file(self.path, sheet=self.sheet, numeric=numeric, name=self.name)

    def table(self, numeric: Sequence[str] = ()) -> pl.DataFrame:
        """Return the table: the copy, unless text must be read as numbers after all."""
        import polars as pl

        from paribus.files.frames import read_parquet

        if self.is_parquet:
            self.check()
        table = read_parquet(self.copy, self.name)
        texts = [n for n in numeric if n in table.columns and table.schema[n] == pl.String]
        return self.read(texts).table if texts and not self.is_parquet else table
