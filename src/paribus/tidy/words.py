"""The sentences in a look at a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from paribus.base import wording
from paribus.base.arrays import FloatArray

if TYPE_CHECKING:
    from paribus.table.columns import Column
    from paribus.tidy.pairs import Link
    from paribus.tidy.profile import Profile

MOST_LISTED = 6


def listed(names: Sequence[object]) -> str:
    """List names without quotes, a long list by its start."""
    return wording.listed(names, MOST_LISTED, write=str)


def linked(link: Link, profiles: Sequence[Profile], about: int) -> str:
    """Say how two columns hang together, seen from the column `about`."""
    fine, coarse = profiles[link.fine].name, profiles[link.coarse].name
    other = coarse if about == link.fine else fine
    name = profiles[about].name
    if link.how == "near":
        return f"column {name} is a near twin of {other}"
    if link.form == "another unit":
        return f"column {name} is {other} in another unit"
    if link.form == "marker":
        return f"column {coarse} marks one value of {fine}"
    if link.form:
        return f"column {coarse} is the {link.form} of {fine}"
    if link.how == "same":
        return f"columns {name} and {other} say the same in every row"
    return f"column {coarse} follows from {fine} in every row"


def sum_words(
    whole: str, parts: Sequence[str], signs: Sequence[int], offset: float, product: bool
) -> str:
    """Write a sum, or a product, out.

    Examples
    --------
    >>> sum_words("age", ["educ", "exper"], [1, 1], 6.0, False)
    'column age is educ + exper + 6'
    >>> sum_words("margin", ["sales", "profit"], [-1, 1], 100.0, True)
    'column margin is profit / sales times 100'
    """
    up, down = (" times ", " / ") if product else (" + ", " - ")
    ordered = sorted(zip(parts, signs, strict=True), key=lambda term: -term[1])
    text = ordered[0][0]
    for name, sign in ordered[1:]:
        text += (up if sign > 0 else down) + name
    plain = f"{abs(offset):.4g}"
    if plain != ("1" if product else "0") and abs(offset) > 1e-6:
        text += (up if product or offset > 0 else down) + plain
    return f"column {whole} is {text}"


def sentence(text: str) -> str:
    """Begin with a capital letter: the first word is one of ours, never the name of a column."""
    return f"{text[:1].upper()}{text[1:]}"


def value_words(column: Column, value: float) -> str:
    """Write a value as the column's reader knows it."""
    if column.kind == "date":
        return str(column.shown(np.array([value]))[0])[:10]
    if not value.is_integer() and float(np.float32(value)) == value:
        return str(np.float32(value))  # stored in half the room: 0.01, not 0.009999999776
    return f"{value:.10g}"


def span_words(column: Column, values: FloatArray) -> str:
    """Write first and last of some values."""
    return f"{value_words(column, values[0])} to {value_words(column, values[-1])}"


def rows_words(rows: Sequence[int]) -> str:
    """Name rows, given as counted from 0, as readers count them: from 1, below the header.

    Examples
    --------
    >>> rows_words([15]), rows_words([0, 15_870])
    ('row 16', 'rows 1 and 15,871')
    """
    return f"row{'s' * (len(rows) != 1)} {listed([f'{row + 1:,}' for row in rows])}"


def plainly(profile: Profile) -> str:
    """Say what a column is that needs nothing done."""
    column = profile.column
    if profile.is_category:
        levels = listed(column.levels)
        if profile.is_digits and any(level.startswith("0") for level in column.levels):
            return f"A code of {len(column.levels)} values, some with a leading 0: {levels}."
        return f"A category of {len(column.levels)} values: {levels}."
    kind = "Dates" if column.kind == "date" else "Whole numbers" if profile.is_whole else "Numbers"
    ends = span_words(column, np.array([profile.low, profile.high]))
    if kind == "Numbers":  # which nobody looks up by their last digit
        ends = f"{wording.written(profile.low, 4)} to {wording.written(profile.high, 4)}"
    return f"{kind} from {ends}."
