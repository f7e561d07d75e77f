"""How far a piece of work is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]  # of (done, total)


def silent(_done: int, _total: int) -> None:
    """Ignore how far the work is."""


def part_of(progress: Progress, first: int, last: int) -> Progress:
    """Return the progress of a part of the work, which runs from one per cent of it to another.

    Examples
    --------
    >>> part_of(lambda done, total: print(done, total), 50, 100)(1, 5)
    60 100
    """
    return lambda done, total: progress(round(first + (last - first) * done / total), 100)
