"""What is told of models' effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paribus.base.notes import Note, Remedy
from paribus.base.wording import listed


def empty_rectangles(n_empty: int, n_rectangles: int) -> Note:
    """Return the note on parts of a surface that no row lies in."""
    text = (
        f"In {n_empty:,} of the {n_rectangles:,} rectangles there are no rows: there the surface "
        "is a guess from the nearest that has some."
    )
    return Note("empty_rectangles", text, {"rectangles": n_empty, "of": n_rectangles})


def levels_not_drawn(feature: str, levels: Sequence[Any]) -> Note:
    """Return the note on levels that no row of a sample has."""
    shown = listed(levels, 5, write=str)
    text = (
        f"None of the rows drawn has {feature!r} = {shown}: there is no estimate for "
        f"{'it' if len(levels) == 1 else 'them'}."
    )
    return Note("levels_not_drawn", text, {"levels": list(levels)}, Remedy("more_rows"))
