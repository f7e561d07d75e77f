"""Files that are made to fill the memory, recognised before they are unpacked."""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO

from paribus.files.read import GZIP
from paribus.serve import errors as page_errors

TIMES = 100  # a table packs to a twentieth, sometimes a fiftieth
HARMLESS = 100_000_000  # bytes that may be unpacked whatever the file weighs
ZIP = b"PK\x03\x04"
PIECE = 1 << 20
LOCAL_HEADER = struct.Struct("<26x2H")


def check_unpacked(path: Path, name: str) -> None:
    """Refuse a gzip file or workbook that unpacks to much more than it weighs.

    It is unpacked piece by piece and thrown away: what a file says of its own size proves nothing.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "zeros.csv.gz"
    >>> _ = path.write_bytes(gzip.compress(bytes(200_000_000), 1))
    >>> check_unpacked(path, "zeros.csv.gz")
    Traceback (most recent call last):
    ...
    paribus.base.errors.InputError: 'zeros.csv.gz' unpacks to more than 100 times its size, ...
    """
    with path.open("rb") as file:
        start = file.read(4)
    most = max(HARMLESS, TIMES * path.stat().st_size)
    if start.startswith(GZIP) and not _gzip_fits(path, most):
        raise page_errors.unpacks_too_much(name, TIMES)
    if start == ZIP and not _zip_fits(path, most):
        raise page_errors.unpacks_too_much(name, TIMES)


def _gzip_fits(path: Path, most: int) -> bool:
    left = most
    try:
        with gzip.open(path) as packed:
            while piece := packed.read(PIECE):
                left -= len(piece)
                if left < 0:
                    return False
    except (EOFError, OSError, zlib.error):
        return True  # damaged: whoever reads it says so
    return True


def _zip_fits(path: Path, most: int) -> bool:
    left = most
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            for entry in archive.infolist():
                left -= _unpacked(file, entry, left)
                if left < 0:
                    return False
    except (zipfile.BadZipFile, zlib.error, struct.error, OSError):
        return True
    return True


def _unpacked(file: IO[bytes], entry: zipfile.ZipInfo, most: int) -> int:
    """Return how many bytes an entry unpacks to, or more than `most`, whatever its header says."""
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        return entry.compress_size
    file.seek(entry.header_offset)
    name_length, extra_length = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    file.seek(name_length + extra_length, 1)
    inflate, total, left = zlib.decompressobj(-zlib.MAX_WBITS), 0, entry.compress_size
    while total <= most and (packed := file.read(min(PIECE, left))):
        left -= len(packed)
        while packed and total <= most:
            total += len(inflate.decompress(packed, PIECE))
            packed = inflate.unconsumed_tail
    return total
