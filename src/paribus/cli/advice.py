"""Remedies, worded as options of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paribus.base.notes import Remedy


def option_advice(remedy: Remedy) -> str:
    """Word a remedy for users of the command line, by the option to use.

    Examples
    --------
    >>> from paribus.base.notes import Remedy
    >>> option_advice(Remedy("together", ("x", "y")))
    "Leave them out (--drop 'x' --drop 'y') or let them move along (--together 'x' --together 'y')."
    """
    them = "it" if len(remedy.columns) == 1 else "them"
    drop, together, numeric = (
        " ".join(f"--{option} {name!r}" for name in remedy.columns)
        for option in ("drop", "together", "numeric")
    )
    first = next(iter(remedy.columns), "")
    return {
        "cluster": f"If rows with the same {first!r} belong together, add --cluster {first!r}."
        if remedy.columns
        else "Name the column that says which rows belong together with --cluster.",
        "together": f"Leave {them} out ({drop}) or let {them} move along ({together}).",
        "drop": f"Consider leaving it out ({drop}).",
        "numeric": f"With {numeric} these count as missing.",
        "sheet": "Choose another with --sheet.",
        "weights": f"If so, add --weights {first!r}.",
        "per cent": "For effects in per cent add --target-scale log.",
        "rate": f"For effects on the rate add --exposure {first!r}.",
        "keep": f"To undo that add --keep {first!r}.",
    }.get(remedy.action, str(remedy))
