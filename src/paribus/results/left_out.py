"""Columns that a look at the table left out, as a ranking shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paribus.base.notes import Note

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
        Whether the column would come first were it not left out: it was made from the target.
    """

    column: str
    words: str
    reason: str
    leads: bool


def left_out(notes: Iterable[Note]) -> tuple[LeftOut, ...]:
    """Read off the notes which columns were left out; those that would lead come first.

    Examples
    --------
    >>> facts = {"column": "nr", "reason": "Left out as an id. It counts the rows.", "why": "id"}
    >>> left_out([Note("tidied", "", facts)])[0].words
    'left out: an id'
    """
    found = [
        LeftOut(
            note.facts["column"],
            f"left out: {WORDS[why]}",
            note.facts["reason"],
            why == "leak",
        )
        for note in notes
        if note.kind == "tidied" and (why := note.facts.get("why"))
    ]
    return tuple(sorted(found, key=lambda one: not one.leads))
