"""CSV that is safe to open in a spreadsheet: no text is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_text(value: Any) -> Any:
    """Return a value for a CSV file: text that begins like a formula gets an apostrophe.

    Examples
    --------
    >>> as_text("=1+1"), as_text("plain"), as_text(-1.5)
    ("'=1+1", 'plain', -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Write columns as CSV; missing values stay empty.

    Examples
    --------
    >>> print(csv_text({"a": ["=1+1", "b"], "n": [1.5, float("nan")]}), end="")
    a,n
    '=1+1,1.5
    b,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(as_text, columns))
    for row in zip(*columns.values(), strict=True):
        writer.writerow(["" if value != value else as_text(value) for value in row])
    return text.getvalue()
