"""Names that a spreadsheet accepts for its sheets, and text that fits into a cell."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST_NAME = 31  # in UTF-16 units, as a spreadsheet counts
LONGEST_TEXT = 32_767
TAKEN = ("history",)  # a name that Excel keeps for itself


def sheet_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return a valid sheet name for each name, all of them different.

    Examples
    --------
    >>> sheet_names(["a/b", "A-B", "'quoted'", ""])
    ['a-b', 'A-B (2)', 'quoted', 'column']
    """
    used = {name.casefold() for name in (*TAKEN, *taken)}
    chosen = []
    for name in names:
        wanted = _cleaned(name)
        given, k = _cut(wanted, LONGEST_NAME), 1
        while given.casefold() in used:
            k += 1
            mark = f" ({k})"
            given = _cut(wanted, LONGEST_NAME - len(mark)) + mark
        used.add(given.casefold())
        chosen.append(given)
    return chosen


def plain_text(text: str) -> str:
    """Return text that fits into a cell."""
    return text.encode("utf-8", "replace").decode()[:LONGEST_TEXT]


def _cleaned(name: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in plain_text(name))
    return re.sub(r"[\[\]:*?/\\]", "-", printable).strip().strip("'").strip() or "column"


def _cut(name: str, longest: int) -> str:
    while len(name.encode("utf-16-le")) > 2 * longest:
        name = name[:-1]
    return name.strip().rstrip("'") or "column"
