"""Whether the pages of a Parquet file can be what they say, seen before Polars trusts them.

Polars lays out memory for as many values as a page says it has. In a damaged file a page may say
that it has fewer than none, which asks for more memory than there is, and ends Python. Only the
footer and the few bytes before each page are read here; both are in Thrift's compact form.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import IO, Any

from paribus.base.errors import InputError
from paribus.files import errors, limits

END = 8  # bytes after the footer: its length, and a mark
LONGEST = 10  # bytes of a whole number
# How Thrift writes the type of a value.
TRUE, FALSE, BYTE, SHORT, WHOLE, LONG, DOUBLE, TEXT, ITEMS, STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 12
# The numbers of the fields that are looked at: of a footer, a row group, a column in it, a page.
ROW_GROUPS, COLUMNS, COLUMN = 4, 1, 3
N_VALUES, DATA_PAGE, DICTIONARY_PAGE = 5, 9, 11
UNPACKED, PACKED, DATA, DICTIONARY, DATA_2, N_IN_PAGE = 2, 3, 5, 7, 8, 1
# What reading comes to in bytes that are no footer and no page.
NO_SUCH_FORM = (
    AttributeError, IndexError, KeyError, OSError, OverflowError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip


def check_pages(file: IO[bytes], name: str) -> None:
    """Refuse a Parquet file with pages that cannot be what they say, or would fill the memory."""
    try:
        size = file.seek(0, os.SEEK_END)
        unpacked = sum(_unpacked(file, column, size) for column in _columns(file, size))
    except NO_SUCH_FORM:
        raise damaged_parquet(name) from None
    finally:
        file.seek(0)
    if unpacked > limits.most_bytes():
        raise errors.too_many_bytes(name, limits.memory() / 1e9, limits.MEMORY)


def damaged_parquet(name: str) -> InputError:
    """Return the error for what is no Parquet file, or a damaged one."""
    return errors.not_what_it_says(name, "a Parquet file, or it is damaged")


def _columns(file: IO[bytes], size: int) -> Iterator[dict[int, Any]]:
    """Give what the footer says of the columns of each row group."""
    file.seek(size - END)
    file.seek(size - END - int.from_bytes(file.read(4), "little"))
    for group in _struct(file)[ROW_GROUPS]:
        for column in group[COLUMNS]:
            yield column[COLUMN]


def _unpacked(file: IO[bytes], column: dict[int, Any], size: int) -> int:
    """Return what a column's pages unpack to, if they lie in the file and have all its values."""
    n_left, at, unpacked = column[N_VALUES], column.get(DICTIONARY_PAGE) or column[DATA_PAGE], 0
    while n_left:
        file.seek(at)
        page = _struct(file)
        at = file.tell() + page[PACKED]
        unpacked += page[UNPACKED]
        n_values = (page.get(DATA) or page.get(DATA_2) or {N_IN_PAGE: 0})[N_IN_PAGE]
        n_known = page.get(DICTIONARY, {N_IN_PAGE: 0})[N_IN_PAGE]
        n_left -= n_values
        if min(n_left, n_values, n_known, page[UNPACKED] - n_known, page[PACKED], size - at) < 0:
            raise ValueError("no page can be so")
    return unpacked


def _struct(file: IO[bytes]) -> dict[int, Any]:
    """Read fields by their numbers; of text and decimals only where they end."""
    fields, number = {}, 0
    while (head := file.read(1)[0]) & 15:
        number = number + (head >> 4) if head >> 4 else _whole(file)
        fields[number] = _value(file, head & 15)
    return fields


def _value(file: IO[bytes], kind: int) -> Any:
    if kind == STRUCT:
        return _struct(file)
    if kind in (SHORT, WHOLE, LONG):
        return _whole(file)
    if kind in (TRUE, FALSE):
        return kind == TRUE
    if kind == ITEMS:
        head = file.read(1)[0]
        n_items = head >> 4 if head >> 4 < 15 else _natural(file)
        # Among items yes and no take a byte.
        return [_value(file, max(head & 15, BYTE)) for _ in range(n_items)]
    return file.seek({BYTE: 1, DOUBLE: 8}[kind] if kind != TEXT else _natural(file), os.SEEK_CUR)


def _whole(file: IO[bytes]) -> int:
    number = _natural(file)
    return number >> 1 ^ -(number & 1)


def _natural(file: IO[bytes]) -> int:
    number = 0
    for k in range(LONGEST):
        byte = file.read(1)[0]
        number |= (byte & 127) << 7 * k
        if byte < 128:
            break
    return number
