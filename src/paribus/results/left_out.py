"""Columns that were left out after a look at the table, as a ranking shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paribus.table.proposal import Proposal

WORDS = {
    "leak": "gives it away", "id": "an id", "idle": "never varies", "product": "made of others",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that was left out, and why.

    Attributes
    ----------
    column : str
    words : str
        Why, in a few words: ``"left out: an id"``.
    reason : str
        The same in a sentence or two.
    leads : bool
        Whether the column would otherwise come first, because it was made from the target.
    """

    column: str
    words: str
    reason: str
    leads: bool


def left_out(tidied: Iterable[Proposal]) -> tuple[LeftOut, ...]:
    """Return the columns that were left out; those that would lead the ranking come first.

    Examples
    --------
    >>> left_out([Proposal("nr", "id", "It counts the rows.", why="id")])[0].words
    'left out: an id'
    """
    found = [
        LeftOut(p.column, f"left out: {WORDS[p.why]}", p.said, p.why == "leak")
        for p in tidied
        if p.why
    ]
    return tuple(sorted(found, key=lambda one: not one.leads))
