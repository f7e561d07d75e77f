"""Remedies, worded as controls of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paribus.base.wording import quoted

if TYPE_CHECKING:
    from paribus.base.notes import Remedy


def page_advice(remedy: Remedy) -> str:
    """Word a remedy for users of the page, by the control to use.

    Examples
    --------
    >>> from paribus.base.notes import Remedy
    >>> page_advice(Remedy("drop", ("cents",)))
    "Consider leaving 'cents' out: take its tick away and run again."
    """
    names = quoted(remedy.columns)
    tick = "its tick" if len(remedy.columns) == 1 else "their ticks"
    return {
        "together": f"Leave {names} out (take {tick} away), or tick this column and "
        f"{names} under Columns that move together, and run again.",
        "drop": f"Consider leaving {names} out: take {tick} away and run again.",
        "numeric": "Choose number as its kind to count these as missing.",
        "sheet": "Choose another under Sheet.",
        "per cent": "For that, choose per cent under Only some rows, per cent, and how sure.",
        "keep": "To undo that, switch its card off in the look at the columns, and run again.",
        "rate": f"For effects on the rate choose {names} under More about the rows.",
        "weights": f"If so, choose {names} under More about the rows, and run again.",
        "cluster": f"If rows with the same {names} belong together, choose it under More about the "
        "rows, and run again."
        if names
        else "Say which rows belong together under More about the rows, and run again.",
    }.get(remedy.action, str(remedy))
