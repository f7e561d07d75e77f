"""An effect as plain text: the sentence, the main numbers, the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.results.words import impact_words, lined_up, number, p_words, share_words

if TYPE_CHECKING:
    from paribus.base.arrays import IntArray
    from paribus.results.base import Effect
    from paribus.results.by_group import ByGroup

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_LEVELS = 10


def as_text(effect: Effect) -> str:
    """Return what `print` shows of an effect."""
    notes = [f"- {text}" for text in effect.remarks()]
    if not effect.explained:
        return "\n".join([effect.summary(), *notes])
    by = []
    if effect.by is not None:
        groups = lined_up(groups_table(effect.by)) if effect.by.in_numbers else []
        by = ["", effect.by.summary(), "", *groups]
    return "\n".join(
        [effect.summary(), "", *lined_up(table_of(effect)), "", _facts(effect), *notes, *by]
    )


def groups_table(by: ByGroup) -> list[list[str]]:
    """Return head and cells of the groups' table: the estimate for each, and the difference.

    What is compared is named in the head, or in an unnamed column if there is more than one thing.
    """
    lines = list(by.compared())
    every = list(dict.fromkeys(at for _, at, *_ in lines))
    what = every if len(every) == 1 else ["", "estimate"]
    beside = ["difference", "lower", "upper", "p"] if by.differences else []
    out = [[by.column, "rows", *what, "lower", "upper", *beside]]
    for label, at, found, apart in lines:
        numbers = map(number, (found.value, found.lower, found.upper))
        rest = [""] * len(beside)
        if apart is not None:
            p_value = p_words(apart.p_value).removeprefix("p ").lstrip("= ")
            rest = [*map(number, (apart.value, apart.lower, apart.upper)), p_value]
        named = [at] if len(every) > 1 else []
        out.append([label, f"{by[label].n_rows:,}", *named, *numbers, *rest])
    return out


def table_of(effect: Effect) -> list[list[str]]:
    """Return head and cells of a small table: a curve at quantiles, the commonest levels."""
    named = f"against {effect.reference}" if effect.reference else "effect"
    sides = {named: effect.effect, "lower": effect.lower, "upper": effect.upper}
    shown = {name: values for name, values in sides.items() if values is not None}
    rows = _points(effect)
    columns = {effect.feature: [effect.labels[k] for k in rows]}
    if not effect.is_curve:
        columns["share of rows"] = [share_words(float(effect.weights[k])) for k in rows]
    columns |= {name: [number(float(v[k])) for k in rows] for name, v in shown.items()}
    return [list(columns), *map(list, zip(*columns.values(), strict=True))]


def _points(effect: Effect) -> IntArray:
    """Return the points to show: the commonest levels, or a curve's at quantiles of the rows."""
    weights = effect.weights
    if not effect.is_curve:
        often = np.argsort(-weights, kind="stable")[:MOST_LEVELS]
        return often[np.argsort(-np.nan_to_num(effect.effect[often]), kind="stable")]
    if len(weights) <= len(QUANTILES):
        return np.arange(len(weights))
    share = np.cumsum(weights) / weights.sum()
    return np.unique(np.searchsorted(share, QUANTILES).clip(0, len(weights) - 1))


def _facts(effect: Effect) -> str:
    facts = [f"{effect.n_used:,} of {effect.n_rows:,} rows"]
    if np.isfinite(effect.impact):
        facts.insert(0, f"Impact {impact_words(effect)}")
    if np.isfinite(effect.p_value):
        facts.insert(1, p_words(effect.p_value))
    return ", ".join(facts) + "."
