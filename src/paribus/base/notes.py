"""Caveats that accompany results: found as data, then put into words.

A note has a machine-readable ``kind``, the ``facts`` behind it, its text and, where something can
be done about it, a ``remedy``. A remedy is data: the Python API words it as an argument, the
command line as an option, the page as a control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from paribus.base.wording import quoted

Action: TypeAlias = Literal[
    "together", "drop", "numeric", "sheet", "more_rows", "cluster", "weights", "per cent", "rate",
    "keep",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remedy:
    """What can be done about what a note says.

    Attributes
    ----------
    action : str
        Leave columns out or move them together (``"together"``), leave a column out (``"drop"``),
        read it as numbers (``"numeric"``), choose another ``"sheet"``, draw ``"more_rows"``, say
        which rows belong together (``"cluster"``) or how many people each stands for
        (``"weights"``), explain the target in ``"per cent"`` or, by an exposure, as a ``"rate"``,
        or take a column as it is (``"keep"``).
    columns : tuple of str
        The columns concerned.

    Examples
    --------
    >>> str(Remedy("together", ("x", "y")))
    "Leave 'x', 'y' out, or let them move together with it."
    """

    action: Action
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        them = "it" if len(self.columns) == 1 else "them"
        return {
            "together": f"Leave {quoted(self.columns)} out, or let {them} move together with it.",
            "drop": "Consider leaving it out.",
            "numeric": "Read as numbers, these count as missing.",
            "sheet": "Another sheet can be chosen.",
            "more_rows": "With more rows there would be.",
            "cluster": _if_alike(self, "say so")
            if self.columns
            else "Say which rows belong together.",
            "weights": "If so, let it weight the rows.",
            "per cent": "Its effects can be given in per cent.",
            "rate": "Its effects can be given per unit of exposure.",
            "keep": "It can be taken as it is.",
        }[self.action]


def python_advice(remedy: Remedy) -> str:
    """Word a remedy for users of Python.

    Examples
    --------
    >>> python_advice(Remedy("together", ("x", "y")))
    "Leave 'x', 'y' out, or pass together=['x', 'y'] to move them along."
    """
    names, them = list(remedy.columns), "it" if len(remedy.columns) == 1 else "them"
    return {
        "together": f"Leave {quoted(names)} out, or pass together={names} to move {them} along.",
        "numeric": f"Pass kind={dict.fromkeys(names, 'numeric')} to count these as missing.",
        "more_rows": "Pass a larger max_rows to draw more.",
        "cluster": _if_alike(remedy, f"pass cluster={names[0]!r}")
        if names
        else "Pass cluster= with the column that says which rows belong together.",
        "weights": f"If so, pass weights={names[0]!r}." if names else str(remedy),
        "per cent": 'For effects in per cent pass target_scale="log".',
        "rate": f"For effects on the rate pass exposure={names[0]!r}." if names else str(remedy),
        "keep": f"Pass keep={names} to undo that.",
    }.get(remedy.action, str(remedy))


def _if_alike(remedy: Remedy, do: str) -> str:
    """Say what to do if rows of the same value belong together."""
    return f"If rows with the same {quoted(remedy.columns)} belong together, {do}."


@dataclass(frozen=True, slots=True)
class Note:
    """One caveat about a result.

    Attributes
    ----------
    kind : str
        What it is about, in one word, for programs.
    text : str
        A sentence or two, for people.
    facts : Mapping[str, Any]
        The numbers and names behind the sentence.
    remedy : Remedy or None
        What can be done about it.
    """

    kind: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    remedy: Remedy | None = None

    def __str__(self) -> str:
        return self.with_advice(python_advice)

    def with_advice(self, advice: Callable[[Remedy], str] = str) -> str:
        """Return the text, followed by the remedy as a front end words it."""
        return self.text if self.remedy is None else f"{self.text} {advice(self.remedy)}"

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Note:
        """Read back a stored note."""
        parts = dict(stored)
        if parts.get("remedy"):
            action, columns = parts["remedy"]["action"], parts["remedy"]["columns"]
            parts["remedy"] = Remedy(action, tuple(columns))
        return cls(**parts)
