"""Two estimates compared: "a = b", with a standard error that holds for any correlation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from paribus.base import errors
from paribus.results import errors as result_errors
from paribus.results.contrast import Contrast, contrast_of
from paribus.results.tables import Row, rows_of
from paribus.results.words import interval_words, p_words, with_unit
from paribus.table import errors as table_errors

if TYPE_CHECKING:
    from paribus.results.effect_set import EffectSet

SIDE = re.compile(r"(?P<name>.*?)(?:\[(?P<level>.*)\])?")


def compared(effects: EffectSet, hypothesis: str) -> Contrast:
    """Return the difference between the two sides of a hypothesis; see `EffectSet.test`."""
    left, sign, right = hypothesis.partition("=")
    sides = [side.strip() for side in (left, right)]
    if not sign or not all(sides):
        raise result_errors.unclear_hypothesis(hypothesis)
    first = _read(effects, sides[0])
    if _number(sides[1]) is not None:
        return _said(effects, sides, first.found, _number(sides[1]) or 0.0)
    second = _read(effects, sides[1])
    if first.level and first.effect is second.effect:
        place = first.effect.labels.index
        found = first.effect._apart(place(second.level), place(first.level))
        return replace(found, sentence=_sentence(effects, sides, found, ""))
    return _said(effects, sides, first.found, second.found)


def difference(first: Contrast, second: Contrast) -> Contrast:
    """Return one estimate less another.

    The correlation of their errors is not known, so standard errors are added up, the worst case.

    Examples
    --------
    >>> a, b = contrast_of(3.0, 0.3, 0.95), contrast_of(1.0, 0.4, 0.95)
    >>> difference(a, b).se
    0.7
    """
    df = min(first.df, second.df)
    return contrast_of(first.value - second.value, first.se + second.se, first.conf_level, df)


def _said(
    effects: EffectSet, sides: list[str], first: Contrast | None, second: Contrast | float | None
) -> Contrast:
    if first is None or second is None:
        raise result_errors.untestable(sides[0] if first is None else sides[1])
    if isinstance(second, Contrast):
        found = difference(first, second)
        how = "; the errors of both are added up, as they may be correlated: a cautious interval"
    else:
        apart = contrast_of(first.value - second, first.se, first.conf_level, first.df)
        low, high = first.lower - second, first.upper - second
        found, how = replace(apart, lower=low, upper=high), ""
    return replace(found, sentence=_sentence(effects, sides, found, how))


def _sentence(effects: EffectSet, sides: list[str], found: Contrast, how: str) -> str:
    side = "more" if found.value >= 0 else "less"
    sure = interval_words(found.conf_level, found.lower, found.upper, found.value < 0)
    return (
        f"{sides[0]} goes with {with_unit(abs(found.value), effects.unit)} {side} than {sides[1]} "
        f"({sure}, {p_words(found.p_value)}){how}."
    )


def _read(effects: EffectSet, side: str) -> Row:
    """Find the estimate that a side names: a column, or a level compared with the commonest."""
    if side in effects:
        name, level = side, None
    else:
        parts = SIDE.fullmatch(side)
        name, level = (parts["name"].strip(), parts["level"]) if parts else (side, None)
    if name not in effects:
        raise errors.unknown_column(name, effects.ranking)
    rows = [row for row in rows_of(effects) if row.effect.feature == name]
    if level is not None:
        return _level(rows, name, level)
    if len(rows) > 1:
        raise result_errors.level_needed(name, [row.level for row in rows])
    return rows[0]


def _level(rows: list[Row], name: str, level: str) -> Row:
    for row in rows:
        if row.level == level:
            return row
    if rows[0].level and level == rows[0].reference:
        zero = contrast_of(0.0, 0.0, rows[0].effect.conf_level)
        return replace(rows[0], level=level, found=zero)
    raise table_errors.unknown_level(name, level, [row.level for row in rows])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
