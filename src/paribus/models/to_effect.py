"""What a model says of a column, put into the same results as our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.base.notes import Note
from paribus.models.grid import Grid
from paribus.models.predictor import Predictor
from paribus.results import CategoricalEffect, NumericEffect, Scatter, histogram
from paribus.results import notes as result_notes
from paribus.results.empty import empty_effect, why_constant
from paribus.table.columns import Column

ROUNDING = 1e-12  # of the predictions: less is no change


def as_curve(
    predictor: Predictor,
    column: Column,
    points: Grid,
    effect: FloatArray,
    method: str,
    n_used: int,
    remarks: Sequence[Note],
    **parts: Any,
) -> NumericEffect:
    """Return a curve (m,) over the points, relative to its mean over the rows."""
    centred = _less_mean(effect, float(points.mass @ effect))
    return NumericEffect(
        feature=column.name,
        target=predictor.target,
        method=method,
        unit=predictor.unit,
        x=column.shown(points.x),
        effect=centred,
        support=points.mass * len(points.cell),
        row_share=points.mass,
        distribution=histogram(column, points.x),
        n_rows=predictor.table.n_rows,
        n_used=n_used,
        impact=float(points.mass @ np.abs(centred)),
        notes=tuple(remarks),
        backend=predictor.table.backend,
        **parts,
    )


def as_levels(
    predictor: Predictor,
    column: Column,
    effect: FloatArray,
    method: str,
    n_used: int,
    remarks: Sequence[Note],
    trials: FloatArray | None = None,
    scatter: Scatter | None = None,
) -> CategoricalEffect:
    """Return values (m,) of the levels, relative to their mean over the rows; NaN if unknown."""
    count = counts_of(column)
    mass = count / count.sum()
    centred = _less_mean(effect, mean_of_levels(column, effect))
    known = ~np.isnan(effect)
    return CategoricalEffect(
        feature=column.name,
        target=predictor.target,
        method=method,
        unit=predictor.unit,
        levels=column.levels,
        effect=centred,
        count=count,
        row_share=mass,
        trials=trials,
        scatter=scatter,
        n_rows=predictor.table.n_rows,
        n_used=n_used,
        impact=float(np.average(np.abs(centred[known]), weights=mass[known])),
        notes=tuple(remarks),
        backend=predictor.table.backend,
    )


def mean_of_levels(column: Column, effect: FloatArray) -> float:
    """Return the mean over the rows of values (m,) of levels, as far as they are known."""
    known = ~np.isnan(effect)
    return float(np.average(effect[known], weights=counts_of(column)[known]))


def _less_mean(effect: FloatArray, mean: float) -> FloatArray:
    return less_rounding(effect - mean, float(np.nanmax(np.abs(effect))))


def counts_of(column: Column) -> Any:
    """Return the rows at each level of a category, shape (m,)."""
    present = column.values[~np.isnan(column.values)].astype(np.int64)
    return np.bincount(present, minlength=len(column.levels))


def nothing_to_move(
    predictor: Predictor, column: Column, method: str
) -> NumericEffect | CategoricalEffect:
    """Say that a column with fewer than two values cannot be moved."""
    reason = why_constant(bool((~np.isnan(column.values)).any()))
    return empty_effect(predictor, column, method, result_notes.unexplained(column.name, reason))


def less_rounding(values: FloatArray, size: float) -> FloatArray:
    """Return values (n,) with 0 for what rounding of numbers of a size may have made.

    Examples
    --------
    >>> less_rounding(np.array([1e-14, 0.5, np.nan]), 100.0).tolist()
    [0.0, 0.5, nan]
    """
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)


def is_constant(column: Column) -> bool:
    """Tell whether a column has fewer than two values."""
    present = column.values[~np.isnan(column.values)]
    return len(present) == 0 or bool(present.min() == present.max())
