"""What a model says about a column, as the same kind of result as our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.notes import Note
from paribus.models.grid import Grid
from paribus.models.predictor import Predictor
from paribus.results import CategoricalEffect, NumericEffect, histogram
from paribus.results import notes as result_notes
from paribus.results.empty import empty_effect, identity, why_constant
from paribus.table.columns import Column

ROUNDING = 1e-12  # of the predictions: less is no change


def as_effect(
    predictor: Predictor,
    column: Column,
    effect: FloatArray,
    method: str,
    n_used: int,
    remarks: Sequence[Note],
    points: Grid | None = None,
    **parts: Any,
) -> NumericEffect | CategoricalEffect:
    """Return values (m,) relative to their mean over the rows: a curve over points, or levels.

    The value of a level is NaN where it is not known.
    """
    count: Any = None if points else column.counts
    mass = points.mass if points else count / count.sum()
    mean = float(mass @ effect) if points else mean_of_levels(column, effect)
    centred = less_rounding(effect - mean, float(np.nanmax(np.abs(effect))))
    parts |= identity(predictor, column, method)
    parts |= {"effect": centred, "row_share": mass, "n_used": n_used, "notes": tuple(remarks)}
    if points is None:
        known = ~np.isnan(effect)
        impact = float(np.average(np.abs(centred[known]), weights=mass[known]))
        return CategoricalEffect(levels=column.levels, count=count, impact=impact, **parts)
    return NumericEffect(
        x=column.shown(points.x),
        support=points.mass * len(points.cell),
        distribution=histogram(column, points.x),
        impact=float(points.mass @ np.abs(centred)),
        **parts,
    )


def mean_of_levels(column: Column, effect: FloatArray) -> float:
    """Return the mean over the rows of values (m,) of levels, as far as they are known."""
    known = ~np.isnan(effect)
    return float(np.average(effect[known], weights=column.counts[known]))


def nothing_to_move(
    predictor: Predictor, column: Column, method: str
) -> NumericEffect | CategoricalEffect:
    """Say that a column with fewer than two values cannot be moved."""
    reason = why_constant(len(column.known) > 0)
    return empty_effect(predictor, column, method, result_notes.unexplained(column.name, reason))


def less_rounding(values: FloatArray, size: float) -> FloatArray:
    """Return values (n,), setting to 0 what may be rounding of numbers of a given size.

    Examples
    --------
    >>> less_rounding(np.array([1e-14, 0.5, np.nan]), 100.0).tolist()
    [0.0, 0.5, nan]
    """
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)


def lined_up(
    base: FloatArray, other: FloatArray, weight: FloatArray, piece: IntArray
) -> FloatArray:
    """Shift values (m,) to the level of others, piece by piece: each method has its own zero.

    Examples
    --------
    >>> base, other = np.array([0.0, 1, 5, 6]), np.array([10.0, 11, 10, 11])
    >>> lined_up(base, other, np.ones(4), np.array([0, 0, 1, 1])).tolist()
    [0.0, 1.0, 5.0, 6.0]
    """
    shifted = other.copy()
    for k in np.unique(piece):
        here = piece == k
        both = here & ~np.isnan(base + other) & (weight > 0)
        if both.any():
            shifted[here] += np.average((base - other)[both], weights=weight[both])
    return shifted


def is_constant(column: Column) -> bool:
    """Tell whether a column has fewer than two values."""
    known = column.known
    return len(known) == 0 or bool(known.min() == known.max())
