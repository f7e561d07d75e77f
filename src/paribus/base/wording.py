"""Small parts of sentences: counts, names and values in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import floor, log10
from typing import Any

LONGEST = 80  # letters of a text that a sentence quotes


def quoted(names: Iterable[str]) -> str:
    """List names: "'a', 'b'"."""
    return ", ".join(map(repr, names))


def brief(value: Any) -> str:
    """Write a value as in code, with long text cut short.

    Examples
    --------
    >>> brief("a"), len(brief("a" * 10_000))
    ("'a'", 83)
    """
    long = isinstance(value, str) and len(value) > LONGEST
    return repr(f"{value[:LONGEST]}…" if long else value)


def listed(
    values: Sequence[Any],
    most: int = 3,
    last: str = " and ",
    write: Callable[[Any], str] = brief,
) -> str:
    """Name some of many values, with text in quotes unless `write` is str.

    If there is just one more than `most`, it is named too, since "1 more" would be no shorter.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"])
    "'a', 'b', 'c' and 'd'"
    >>> listed(range(9), most=2), listed([])
    ('0, 1 and 7 more', 'none')
    """
    most = most if len(values) > most + 1 else len(values)
    shown = [write(value) for value in values[:most]]
    if len(values) > most:
        shown.append(f"{len(values) - most:,} more")
    *first, final = shown or ["none"]
    return f"{', '.join(first)}{last}{final}" if first else final


def together(columns: Sequence[str]) -> str:
    """Begin a sentence about one column, or several together, that go with something.

    Examples
    --------
    >>> together(["a"]), together(["a", "b"])
    ("Column 'a' goes", "Columns 'a' and 'b' together go")
    """
    one = len(columns) == 1
    return f"Column {columns[0]!r} goes" if one else f"Columns {listed(columns)} together go"


def rows(count: int) -> str:
    """Count rows in words: '1 row', '2,000 rows'."""
    return f"{count:,} row" if count == 1 else f"{count:,} rows"


def were(count: int) -> str:
    """Return 'was' or 'were', to agree with a count."""
    return "was" if count == 1 else "were"


def written(value: Any, digits: int = 10) -> str:
    """Write a number with thousands separated, anything else as it is."""
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{float(f'{value:.{digits}g}'):,.10g}"


def apart(start: Any, stop: Any) -> tuple[str, str]:
    """Write two values with enough digits to tell them apart."""
    if not isinstance(start, (int, float)) or stop <= start:
        return written(start), written(stop)
    digits = 1 - floor(log10(stop - start))
    return written(round(start, digits)), written(round(stop, digits))
