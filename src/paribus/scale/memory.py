"""Would a file fit into memory?"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from paribus.scale import errors as refusals
from paribus.scale.sources import PARQUET, TEXT

VARIABLE = "PARIBUS_MEMORY"  # how much memory may be used, such as 500MB; what there is by default
COPIES = 12  # a table is read, coded and made into covariates: measured on a million rows
TEXT_BYTES = 8  # of a CSV file that make a number
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def would_fit(path: str) -> bool:
    """Tell whether a Parquet or CSV file can be explained in memory.

    Files of other kinds are small by nature, and read as a whole.
    """
    ending = Path(path).suffix.lower()
    if ending not in (*PARQUET, *TEXT) or not Path(path).is_file() or not find_spec("pyarrow"):
        return True
    needed = COPIES * 8 * _cells(path, ending)
    return needed <= memory()


def _cells(path: str, ending: str) -> float:
    if ending in TEXT:
        return Path(path).stat().st_size / TEXT_BYTES
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return 0.0  # whoever reads it says what is wrong with it
    return float(found.num_rows * found.num_columns)


def memory() -> float:
    """Return how many bytes may be used: what the variable says, or what is available.

    Examples
    --------
    >>> memory() > 0
    True
    """
    asked = os.environ.get(VARIABLE)
    if asked:
        return _bytes(asked)
    known = Path("/proc/meminfo")
    if known.exists():
        lines = dict(line.split(":", 1) for line in known.read_text(encoding="ascii").splitlines())
        return float(lines["MemAvailable"].split()[0]) * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) / 2
    return float("inf")


def _bytes(text: str) -> float:
    number = text.upper().rstrip("BKMGT ")
    unit = text.upper()[len(number) :].strip()
    try:
        return float(number) * UNITS[unit if unit != "B" else ""]
    except (KeyError, ValueError):
        raise refusals.bad_memory(VARIABLE, text) from None
