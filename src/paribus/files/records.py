"""Records of delimited text: where each ends, and quotes that are never closed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

QUOTE, NEWLINE, RETURN = 34, 10, 13
SWALLOWED = 4  # so many lines inside quotes that look like rows mean an unclosed quote


class UnclosedQuoteError(Exception):
    """A quote is not closed: in which line it opens, and where its record begins."""

    def __init__(self, line: int, start: int) -> None:
        super().__init__(line)
        self.line, self.start = line, start


class Record(NamedTuple):
    """A record: its first line (from 0), where it begins and ends in the text, its fields."""

    line: int
    start: int
    end: int
    fields: list[str]


def records(
    text: str, delimiter: str, width: int = 0, *, lenient: bool = False
) -> Iterator[Record]:
    r"""Split text into records, as spreadsheets do: quotes hide delimiters and line ends.

    A quote inside a field, or one that is not followed by a delimiter, is part of the text.
    `width` is the number of fields in a row, if known: quotes around several whole rows are then an
    error. Unclosed quotes are one too, unless `lenient`, when they count as text.

    Raises
    ------
    UnclosedQuoteError

    Examples
    --------
    >>> [r.fields for r in records('a,"x, y"\n5" pipe,"a ""b"" c"\n', ",")]
    [['a', 'x, y'], ['5" pipe', 'a "b" c']]
    """
    at = line = 0
    quoted = re.compile(rf' *"((?:[^"]|"")*+)" *(?=[{re.escape(delimiter)}\n]|\r\n|\Z)')
    while at < len(text):
        end = _first(text, "\n", at, len(text))
        if '"' not in text[at:end]:
            fields, stop = text[at:end].removesuffix("\r").split(delimiter), end
        else:
            fields, stop = [], at
            while not fields or text[stop : stop + 1] == delimiter:
                begin = stop + bool(fields)
                found = quoted.match(text, begin)
                swallows = found is not None and _swallows(found[1], delimiter, width)
                if found and not swallows:
                    fields.append(found[1].replace('""', '"'))
                    stop = found.end()
                    continue
                end = _first(text, "\n", begin, len(text))
                field = text[begin : _first(text, delimiter, begin, end)]
                if field.lstrip(" ").startswith('"') and not lenient:
                    lone = '"' not in text[text.index('"', begin) + 1 : end]
                    if lone or swallows:
                        raise UnclosedQuoteError(line + text.count("\n", at, begin), at)
                fields.append(field.removesuffix("\r"))
                stop = begin + len(field)
            stop += text[stop : stop + 1] == "\r"
        yield Record(line, at, min(stop + 1, len(text)), fields)
        line += text.count("\n", at, stop + 1)
        at = stop + 1


def last_end(content: bytes, delimiter: str, width: int, final: bool) -> int | None:
    """Return where the last complete record ends; None if quotes are not used as they should be.

    `content` is UTF-8 and begins with a record. Every opening quote must follow a delimiter or a
    line end, every closing one must precede one, and two in a row stand for one in the text.
    """
    if b'"' not in content:
        return len(content) if final else content.rfind(b"\n") + 1
    signs = np.frombuffer(content, dtype=np.uint8)
    quotes = np.flatnonzero(signs == QUOTE)
    is_edge = np.zeros(256, dtype=bool)
    is_edge[[QUOTE, NEWLINE, RETURN, ord(delimiter)]] = True
    opening, closing = quotes[::2], quotes[1::2]
    before, after = opening[opening > 0] - 1, closing[closing < len(signs) - 1] + 1
    if not is_edge[signs[before]].all() or not is_edge[signs[after]].all():
        return None
    if final and len(quotes) % 2:
        return None
    lines = np.flatnonzero(signs == NEWLINE)
    starts, stops = opening[: len(closing)], closing
    n_inside = np.searchsorted(lines, stops) - np.searchsorted(lines, starts)
    for k in np.flatnonzero(n_inside > SWALLOWED):
        inside = content[starts[k] : stops[k]].decode(errors="replace")
        if _swallows(inside, delimiter, width):
            return None
    if final:
        return len(content)
    outside = lines[np.searchsorted(quotes, lines) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0


def _swallows(field: str, delimiter: str, width: int) -> bool:
    """Tell whether the text between two quotes looks like rows of the table."""
    inner = field.split("\n")[1:-1]
    rows = width > 1 and len(inner) >= SWALLOWED
    return rows and all(line.count(delimiter) == width - 1 for line in inner)


def _first(text: str, sign: str, at: int, end: int) -> int:
    """Return where a sign first occurs between two positions, or the second of them."""
    found = text.find(sign, at, end)
    return end if found < 0 else found
