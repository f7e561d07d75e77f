"""A file sent by the browser, written to disk as it arrives."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote

from paribus.files import errors as file_errors
from paribus.files.kinds import ENDINGS
from paribus.serve import errors as page_errors

LONGEST_NAME = 200
SPARE = 100_000_000  # bytes of disk that are left alone


def safe_ending(name: str) -> str:
    """Return the ending under which a file is stored; no other part of its name is used on disk.

    Examples
    --------
    >>> safe_ending("../../etc/houses.CSV.gz"), safe_ending("book.xlsx")
    ('.csv.gz', '.xlsx')
    """
    lowered = name.lower()
    packed = ".gz" if lowered.endswith(".gz") else ""
    inner = lowered.removesuffix(".gz")
    ending = next((e for e in ENDINGS if inner.endswith(e)), None)
    if ending is None:
        raise file_errors.unknown_ending(shown_name(name), ENDINGS)
    return ending + packed


def shown_name(given: str) -> str:
    r"""Return a file's name as it is shown: its last part, without control characters.

    Examples
    --------
    >>> shown_name("C:\\data\\houses%20%C3%A9.csv")
    'houses é.csv'
    """
    last = unquote(given).replace("\\", "/").rsplit("/", 1)[-1]
    printable = "".join(c if c.isprintable() else " " for c in last).strip()
    return printable[:LONGEST_NAME] or "file"


async def receive(pieces: AsyncIterator[bytes], path: Path, limit: int, announced: int) -> None:
    """Write a body to disk piece by piece, up to the limit; leave no file if that fails."""
    if announced > limit:
        raise page_errors.too_large(limit)
    if announced > shutil.disk_usage(path.parent).free - SPARE:
        raise page_errors.disk_full()
    left = limit
    try:
        with path.open("wb") as file:
            async for piece in pieces:
                left -= len(piece)
                if left < 0:
                    raise page_errors.too_large(limit)
                file.write(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
