"""Which files are meant, and what kind each is."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

from paribus.files import errors as file_errors

Given: TypeAlias = str | os.PathLike[str]

STANDARD_INPUT = "-"
TEXT = {".csv": None, ".txt": None, ".tsv": "\t", ".tab": "\t"}  # and the usual delimiter
LINES = (".jsonl", ".ndjson", ".json")
PARQUET = (".parquet", ".pq")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
STATISTICS = (".dta", ".sav", ".zsav", ".sas7bdat")
ENDINGS = (*TEXT, *LINES, *PARQUET, *WORKBOOKS, *STATISTICS)


def ending_of(path: Given) -> str:
    """Return the ending of a file's name, without a final .gz.

    Examples
    --------
    >>> ending_of("Houses.CSV.gz"), ending_of("-")
    ('.csv', '.csv')
    """
    if os.fspath(path) == STANDARD_INPUT:
        return ".csv"
    path = Path(path)
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def checked_ending(path: Given) -> str:
    """Return the ending of a file's name, if the file exists and can be read."""
    if os.fspath(path) != STANDARD_INPUT:
        check_there(Path(path))
    ending = ending_of(path)
    if ending not in ENDINGS:
        raise file_errors.unknown_ending(str(path), ENDINGS)
    return ending


def files_of(given: Given | Sequence[Given]) -> list[str]:
    """Return the files meant by a name, a pattern, a folder of Parquet files, or a list of them."""
    items = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    paths: list[str] = []
    for item in [os.fspath(item) for item in items]:
        path = Path(item)
        if path.is_dir():
            item = str(path / "*.parquet")
            found = sorted(str(p) for p in path.rglob("*") if p.suffix.lower() in PARQUET)
        elif glob.has_magic(item) and not path.exists():
            found = sorted(glob.glob(item, recursive=True))  # noqa: PTH207 - absolute or not
        else:
            check_there(path)
            found = [item]
        if not found:
            raise file_errors.no_such_file(item, [])
        paths += found
    if not paths:
        raise file_errors.no_such_file("", [])
    return paths


def check_there(path: Path) -> None:
    """Refuse a path that is not a plain file."""
    if path.is_dir():
        raise file_errors.is_a_folder(str(path))
    if not path.exists():
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        names = [p.name for p in beside if p.exists()]  # a link may lead nowhere
        raise file_errors.no_such_file(str(path), get_close_matches(path.name, names, n=2))
    if not path.is_file():
        raise file_errors.no_plain_file(str(path))
