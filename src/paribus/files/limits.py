"""How much may be read: memory, columns, and what compressed files unpack to.

How much a file would take is found out before it is read: a small file can be made to fill memory.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from paribus.files import errors
from paribus.files.kinds import PARQUET, TEXT, Given, ending_of

MEMORY = "PARIBUS_MEMORY"  # how much may be used, such as 500MB; by default what is free
COLUMNS = "PARIBUS_COLUMNS"  # how many columns a file may have
MOST_COLUMNS = 10_000
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}

COPIES = 12  # of a table that is read, coded and turned into covariates (measured, 1 million rows)
TEXT_BYTES = 8  # of a CSV file per number
PACKED = 10  # text compresses to about a tenth
CELL_BYTES = 32  # per cell while a file is read
TEXT_COPIES = 3  # of the text in a cell while a file is read
TIMES = 100  # tables compress to a twentieth, sometimes to a fiftieth
HARMLESS = 100_000_000  # bytes that may be unpacked whatever the size of the file


def memory() -> float:
    """Return how many bytes may be used: the variable's value, or what is free.

    Examples
    --------
    >>> memory() > 0
    True
    """
    asked = os.environ.get(MEMORY)
    if asked:
        return _bytes(asked)
    known = Path("/proc/meminfo")
    if known.exists():
        lines = dict(line.split(":", 1) for line in known.read_text(encoding="ascii").splitlines())
        return float(lines["MemAvailable"].split()[0]) * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) / 2
    return float("inf")


def would_fit(*paths: Given) -> bool:
    """Tell whether Parquet or text files can be explained in memory.

    Files of other kinds are small, and read as a whole.
    """
    if not find_spec("pyarrow"):
        return True
    return COPIES * 8 * sum(map(_cells, map(Path, paths))) <= memory()


def most_columns() -> int:
    """Return how many columns a file may have."""
    asked = os.environ.get(COLUMNS, "")
    if asked and not (asked.isdecimal() and int(asked)):
        raise errors.bad_columns(COLUMNS, asked)
    return int(asked) if asked else MOST_COLUMNS


def check_size(name: str, n_rows: int, n_columns: int, n_text: int = 0) -> None:
    """Refuse a table that has too many columns or does not fit into memory.

    `n_text` is the total size in bytes of the texts in all cells.

    Examples
    --------
    >>> check_size("wide.csv", 2, 1_000_000)
    Traceback (most recent call last):
    ...
    paribus.base.errors.InputError: File 'wide.csv' has 1,000,000 columns; at most 10,000 ...
    """
    if n_columns > most_columns():
        raise errors.too_many_columns(name, n_columns, most_columns(), COLUMNS)
    needed = CELL_BYTES * n_rows * n_columns + TEXT_COPIES * n_text
    if needed > most_bytes():
        gigabytes = needed / 1e9, memory() / 1e9
        raise errors.too_many_cells(name, n_rows, n_columns, *gigabytes, MEMORY)


def most_bytes() -> float:
    """Return how many bytes of a file's content may be held in memory."""
    return max(memory(), HARMLESS)


def most_unpacked(packed: int) -> int:
    """Return how many bytes a packed file of this size may unpack to."""
    return max(HARMLESS, TIMES * packed)


def _cells(path: Path) -> float:
    ending = ending_of(path)
    if ending not in (*PARQUET, *TEXT) or not path.is_file():
        return 0.0
    if ending in TEXT:
        size = path.stat().st_size * (PACKED if path.suffix.lower() == ".gz" else 1)
        return size / TEXT_BYTES
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return 0.0  # reading it will raise the error
    return float(found.num_rows * found.num_columns)


def _bytes(text: str) -> float:
    number = text.upper().rstrip("BKMGT ")
    unit = text.upper()[len(number) :].strip()
    try:
        size = float(number) * UNITS[unit if unit != "B" else ""]
    except (KeyError, ValueError):
        size = 0.0
    if not size > 0:
        raise errors.bad_memory(MEMORY, text)
    return size
