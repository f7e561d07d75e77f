"""Rows without which a result would change, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import AnyArray
from paribus.base.notes import Note
from paribus.base.wording import listed
from paribus.results.words import number, quantity, whole
from paribus.table.proposal import Proposal

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.evidence import RowsBehind
    from paribus.results.parts import Influential


TITLE = "Rows that carry this result"
MOVING = 0.1  # of the distance between the highest and the lowest point of a clear effect
HIDING = 0.25  # of the half-width of an interval that leaves nothing clear
MEANING = (
    "Without any one of these rows some point would move by more than its standard error. Row 1 is "
    "the first of the table, below the header."
)


def influence_heads(effect: Effect) -> tuple[str, ...]:
    """Return the heads over the cells of `influence_cells`."""
    return "Row", effect.feature, effect.target, "Moves most at", "Effect there", "Without the row"


def influence_values(effect: Effect, row: Influential) -> tuple[Any, ...]:
    """Return what is shown of one row: its number counted from 1, its values, its influence."""
    has_classes = quantity(effect.target, effect.unit) != effect.target
    target = ("yes" if row.target > 0 else "no") if has_classes else row.target
    at = effect.labels[row.point]
    return row.row + 1, row.value, target, at, row.effect, row.without


def influence_cells(effect: Effect, row: Influential) -> tuple[str, ...]:
    """Return the same in words."""
    at, value, target, point, *moved = influence_values(effect, row)
    return f"{at:,}", _value(value), _value(target), point, *map(number, moved)


def influence_sentence(effect: Effect) -> str:
    """Say which row moves a result most; empty where none moves it enough to matter."""
    moving = [row for row in effect.influential if _matters(effect, row)]
    if not moving:
        return ""
    row, _, _, at, there, without = influence_cells(effect, moving[0])
    n = len(moving)
    who = "Row" if n == 1 else f"{n:,} rows carry this result, most of all row"
    carries = " carries this result" if n == 1 else ""
    return (
        f"{who} {row} of the table{carries}: without it the effect at {at} would be {without} "
        f"instead of {there}."
    )


def _matters(effect: Effect, row: Influential) -> bool:
    """Tell whether a row moves a clear effect much, or may hide an effect that is unclear."""
    moved = abs(row.without - row.effect)
    if effect.unclear and effect.lower is not None and effect.upper is not None:
        return bool(moved > HIDING * (effect.upper - effect.lower)[row.point] / 2)
    return bool(moved > MOVING * np.ptp(effect.effect[np.isfinite(effect.effect)]))


def with_odd_rows(
    notes: Iterable[Note], tidied: Iterable[Proposal], effects: Sequence[Effect]
) -> Iterator[Note]:
    """Add to notes on outlying rows which results would change without them."""
    odd = {str(p): p.rows for p in tidied}
    for note in notes:
        rows = odd.get(note.text, ())
        carried = [e.feature for e in effects if any(one.row in rows for one in e.influential)]
        if carried:
            them = "it" if len(rows) == 1 else "them"
            said = f"Without {them} these results would change: {listed(carried, write=str)}."
            note = replace(note, text=f"{note.text} {said}")
        yield note


def renumbered(effect: Effect, rows: AnyArray) -> Effect:
    """Return an effect estimated from some rows of a table, with their numbers in that table.

    `rows` (n,) are these numbers.
    """
    named = tuple(replace(row, row=int(rows[row.row])) for row in effect.influential)
    if effect.rows_are_known:
        behind = partial(_renumbered_rows, effect.rows_behind, rows)
        effect = replace(effect, _behind=behind)
    return replace(effect, influential=named)


def _renumbered_rows(behind: Callable[[], RowsBehind], rows: AnyArray) -> RowsBehind:
    found = behind()
    return replace(found, row=rows[found.row])


def _value(value: Any) -> str:
    if isinstance(value, float):
        return whole(int(value)) if value.is_integer() else number(value)
    return str(value)[:10] if isinstance(value, date) else str(value)
