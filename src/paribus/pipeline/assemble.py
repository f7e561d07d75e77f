"""What curves and levels share when a result is put together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from paribus.base import notes
from paribus.base.arrays import BoolArray, FloatArray
from paribus.base.notes import Note, Remedy
from paribus.base.wording import quoted
from paribus.estimate.bands import student_quantile
from paribus.estimate.covariance import Moves
from paribus.estimate.missing import MissingPoint, missing_point
from paribus.pipeline.setting import Setting
from paribus.results import (
    CategoricalEffect,
    Effect,
    Histogram,
    Influential,
    NumericEffect,
)
from paribus.table.columns import Column
from paribus.table.problem import Problem


def point_of_missing(
    setting: Setting, missing: BoolArray, effect: FloatArray
) -> MissingPoint | None:
    """Compare rows without a value with the others, less the `effect` (m,) of their value."""
    if not missing.any():
        return None
    left = setting.y.copy()
    left[~missing] -= effect
    return missing_point(missing, left, setting.covariates, setting.strata)


def with_missing(covariance: FloatArray, point: MissingPoint | None) -> FloatArray:
    """Return the covariance of points and, last, that of the missing values."""
    if point is None:
        return covariance
    out = np.zeros((len(covariance) + 1, len(covariance) + 1))
    out[:-1, :-1] = covariance
    out[-1, -1] = point.standard_error**2
    return out


def influential(setting: Setting, moves: Moves, effect: FloatArray) -> tuple[Influential, ...]:
    """Name the rows that move the result by more than its standard error."""
    out = []
    for row, change, size in zip(moves.rows, moves.change, moves.size, strict=True):
        at = int(np.nanargmax(np.abs(change)))
        out.append(
            Influential(
                row=int(setting.row[row]),
                target=float(setting.y[row]),
                value=_value(setting.column, float(setting.column.values[row])),
                point=at,
                effect=float(effect[at]),
                without=float(effect[at] + change[at]),
                standard_errors=float(size),
            )
        )
    return tuple(out)


def _value(column: Column, value: float) -> Any:
    if column.kind == "category":
        return column.levels[int(value)]
    return column.shown(np.array([value]))[0].item()


def unexplained(problem: Problem, column: Column, *found: Note) -> Effect:
    """Return an effect without a point, with the notes that say why."""
    nothing = np.empty(0)
    common: dict[str, Any] = {
        "feature": column.name,
        "target": problem.target,
        "method": "least_squares",
        "unit": problem.unit,
        "effect": nothing,
        "n_rows": problem.table.n_rows,
        "n_used": 0,
        "notes": found,
        "backend": problem.table.backend,
    }
    if column.kind == "category":
        return CategoricalEffect(levels=(), count=np.empty(0, dtype=np.int64), **common)
    empty = Histogram(column.shown(nothing), np.empty(0, dtype=np.int64))
    return NumericEffect(x=column.shown(nothing), support=nothing, distribution=empty, **common)


def fixed_by_others(setting: Setting, twins: tuple[str, ...] = ()) -> Effect:
    """Return the empty effect of a column that does not vary among alike rows."""
    twins = twins or setting.twins()
    reason = "with the other columns held still, nothing of it is left to vary"
    if twins:
        reason += f"; {quoted(twins)} {'fixes' if len(twins) == 1 else 'fix'} it"
    remedy = Remedy("together", twins) if twins else None
    note = notes.unexplained(setting.column.name, reason, remedy)
    return replace(unexplained(setting.problem, setting.column, note), twins=twins)


def half_width(point: MissingPoint, conf_level: float) -> float:
    """Return how far the interval of the missing values reaches on either side."""
    quantile = student_quantile(conf_level, np.array([point.df]))[0]
    return float(quantile) * point.standard_error
