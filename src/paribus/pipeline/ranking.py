"""Effects ranked by importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from paribus.results import Effect, EffectSet
from paribus.results.impact import impact_interval
from paribus.results.influence import with_odd_rows
from paribus.table.problem import Problem


def ranked(problem: Problem, every: Sequence[Effect], n_rows: int) -> EffectSet:
    """Put effects in order, each with its share of all impacts.

    What is known comes before what is not: a column whose effect is unclear never comes before one
    whose effect is clear, however large it seems, and of an impact beyond the target's own spread
    only what is sure counts.
    """
    spread, span = float(np.std(problem.y)), float(np.ptp(problem.y))
    empty = {e.feature for e in every if _says_nothing(e, spread, span)}
    counted = {e.feature: _counted(e, spread) for e in every}
    total = _total(every, {name: c for name, c in counted.items() if name not in empty})
    in_order = sorted(
        every,
        key=lambda e: (
            not e.explained,
            e.feature in empty,
            e.unclear,
            -np.nan_to_num(counted[e.feature]),
            -np.nan_to_num(e.impact),
            np.nan_to_num(e.p_value, nan=1.0),
            e.feature,
        ),
    )
    complete = [
        _of_no_share(e)
        if e.feature in empty
        else replace(e, share=counted[e.feature] / total if total else 0.0)
        for e in in_order
    ]
    tidied = problem.tidied.told
    return EffectSet(
        problem.target, tuple(complete), n_rows,
        notes=tuple(with_odd_rows(problem.notes, tidied, complete)), tidied=tidied,
        backend=problem.table.backend,
    )  # fmt: skip


def _of_no_share(e: Effect) -> Effect:
    """Return an effect that is noise; where too little of it varies, its size is not known."""
    if e.hardly_varies:
        return replace(e, share=0.0, impact=np.nan, absorbed_by=())
    return replace(e, share=0.0)


def _counted(e: Effect, spread: float) -> float:
    """Return the impact by which a column is ranked; beyond the target's `spread` its lower end."""
    interval = impact_interval(e) if e.impact > spread else None
    return e.impact if interval is None else interval[0]


def _total(every: Sequence[Effect], counted: Mapping[str, float]) -> float:
    """Add impacts up: a group that is told of with each of its columns counts once."""
    total, done = 0.0, set[str]()
    for e in sorted(every, key=lambda e: -np.nan_to_num(counted.get(e.feature, 0.0))):
        if e.feature not in done:
            total += float(np.nan_to_num(counted.get(e.feature, 0.0)))
        done.update(() if e.tied else e.along)
    return total


def _says_nothing(e: Effect, spread: float, span: float) -> bool:
    """Tell whether an effect is noise: of a mere twin, or less sure than the target's `span`."""
    if e.hardly_varies and (e.unclear or e.impact > spread):
        return True
    if not e.unclear or e.upper is None or e.lower is None:
        return False
    return bool(e.twins) or bool(np.nanmean(e.upper - e.lower) / 2 > span)
