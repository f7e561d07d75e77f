"""What a look at a table found about a column, and what is done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from paribus.base.notes import Action, Note, Remedy

Role: TypeAlias = Literal[
    "explain", "leave out", "group", "category", "cycle", "missing values", "id", "rows", "question"
]
Strength: TypeAlias = Literal["exact", "near", "hint"]
Why: TypeAlias = Literal["", "leak", "id", "idle", "product"]
DONE = {
    "explain": "Explained",
    "leave out": "Left out",
    "id": "Left out as an id",
    "group": "Grouped",
    "category": "Taken as a category",
    "cycle": "Taken as a cycle",
    "missing values": "Some values taken as missing",
    "rows": "Rows to look at",
    "question": "Please decide",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one column is, and what will be done with it.

    Attributes
    ----------
    column : str
    role : str
        ``"explain"``: as it is. ``"leave out"``: made from the target, or the same in every row.
        ``"id"``: names rows, left out. ``"group"``: explained together with `members`, the first
        of which represents all. ``"category"``, ``"cycle"``: numbers that are names, or are cyclic
        with `period`. ``"missing values"``: `values` stand for something else and are treated as
        missing. ``"rows"``: odd values in `rows`. ``"question"``: nothing is done; the reason asks
        something.
    reason : str
        One sentence.
    strength : {"exact", "near", "hint"}
        Holds in every row; nearly holds; is suggested by the name.
    members : tuple of str
        The columns of a group, or those that move along when this one is explained.
    values : tuple of float
        Those treated as missing, or the two that a category has.
    rows : tuple of int
        Row numbers, counted from 0.
    period : int
        The period of a cycle; 0 for none.
    apart : bool
        Whether the group is a sum, whose parts are shown separately as well.
    flag : str
        The name of a column to add that marks `values`, if they are common.
    ask : str
        What would answer a question: the action of a `Remedy`, such as ``"cluster"`` for a column
        that may say which rows belong together.
    why : {"", "leak", "id", "idle", "product"}
        Why a column is left out: it was made from the target, names rows, never varies, or is made
        from other columns.
    """

    column: str
    role: Role
    reason: str
    strength: Strength = "exact"
    members: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    rows: tuple[int, ...] = ()
    period: int = 0
    apart: bool = False
    flag: str = ""
    ask: Action | None = None
    why: Why = ""

    @property
    def undo(self) -> str:
        """What to pass as `keep` to undo only this proposal: ``"zipcode:category"``."""
        return f"{self.column}:{self.role}"

    @property
    def remedy(self) -> Remedy | None:
        """What would answer the question, if there is one."""
        return Remedy(self.ask, (self.column,)) if self.ask else None

    @property
    def is_applied(self) -> bool:
        """Tell whether the proposal changes what is explained."""
        return self.role not in ("explain", "rows", "question")

    @property
    def is_told(self) -> bool:
        """Tell whether it deserves a note; recoding as a category or cycle does not."""
        return self.is_shown and self.role not in ("category", "cycle")

    @property
    def is_shown(self) -> bool:
        """Tell whether something is done or asked; a group is shown with its first member."""
        if self.role == "explain":
            return False
        return self.role != "group" or self.column == self.members[0]

    @property
    def done(self) -> str:
        """What is done with the column, in a word or two: ``"Left out"``."""
        return DONE[self.role]

    @property
    def said(self) -> str:
        """What is done with the column, and why."""
        return f"{self.done}. {self.reason}"

    def __str__(self) -> str:
        return f"{self.column}: {self.said}"

    @property
    def note(self) -> Note:
        """What is done with the column, and why, as a note."""
        facts = {"column": self.column, "role": self.role, "undo": self.undo}
        facts |= {"why": self.why, "reason": self.said}
        lists = {"members": list(self.members), "rows": list(self.rows)}
        return Note("tidied", str(self), facts | lists, self.remedy)
