"""Text that a spreadsheet would take for a formula."""

from __future__ import annotations

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
