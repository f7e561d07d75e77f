"""Accumulated local effects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paribus.api import Kind
from paribus.base.arrays import FloatArray, IntArray
from paribus.base.checks import check_whole
from paribus.models import to_effect
from paribus.models.grid import make_grid
from paribus.models.predictor import Predictor, make_predictor
from paribus.models.similarity import order_by_similarity
from paribus.results import CategoricalEffect, NumericEffect
from paribus.table.columns import Column


def ale(
    model: Any,
    data: Any,
    feature: str,
    *,
    bins: int = 40,
    target: str | None = None,
    class_: Any = None,
    kind: Kind | None = None,
    names: Sequence[str] | None = None,
) -> NumericEffect | CategoricalEffect:
    """Compute accumulated local effects of a fitted model.

    Each row is moved only to the two ends of its bin; the mean changes of the predictions are
    added up from bin to bin. The levels of a category are put into an order in which neighbours are
    similar in the other columns, and rows are moved to the neighbouring levels.

    Parameters
    ----------
    model, data, feature, target, class_, kind, names
        As in `fpd`.
    bins : int
        Maximum number of bins for a numeric column (the paper's K): between quantiles, or between
        all values if there are fewer.

    Returns
    -------
    NumericEffect or CategoricalEffect
        As for `fpd`.

    References
    ----------
    Daniel Apley and Jingyu Zhu, "Visualizing the effects of predictor variables in black box
    supervised learning models", 2020.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> curve = ale(LinearRegression().fit(X, X @ [1, 3]), X, "x1")
    >>> len(curve.x), round(float(np.polyfit(curve.x, curve.effect, 1)[0]), 6)
    (41, 3.0)
    """
    predictor = make_predictor(model, data, target=target, class_=class_, names=names)
    return ale_of(predictor, predictor.column(feature, kind), bins=bins)


def ale_of(
    predictor: Predictor, column: Column, *, bins: int = 40
) -> NumericEffect | CategoricalEffect:
    """Compute accumulated local effects of a predictor."""
    check_whole("bins", bins, 1)
    if to_effect.is_constant(column):
        return to_effect.nothing_to_move(predictor, column, "ale")
    rows, remarks = predictor.present(column)
    if column.kind == "category":
        effect = _levels(predictor, column, rows)
        return to_effect.as_effect(predictor, column, effect, "ale", len(rows), remarks)
    points = make_grid(column.values[rows], rows, bins + 1)
    low, high = points.source[points.cell], points.source[points.cell + 1]
    change = _change(predictor, column.name, rows, low, high)
    steps = _mean_in(points.cell, change, len(points.x) - 1)
    effect = np.append(0.0, np.cumsum(steps))
    return to_effect.as_effect(predictor, column, effect, "ale", len(rows), remarks, points)


def _levels(predictor: Predictor, column: Column, rows: IntArray) -> FloatArray:
    """Accumulate from level to level in the order of similarity; shape (m,)."""
    level = column.values[rows].astype(np.int64)
    others = [c.take(rows) for c in predictor.table.columns if c.name != column.name]
    order = order_by_similarity(level, len(column.levels), others)
    place = np.argsort(order)[level]
    sources = rows[np.unique(level, return_index=True)[1]][order]
    # A row counts for the step up from its level and for the step down from it.
    up, down = np.flatnonzero(place < len(order) - 1), np.flatnonzero(place > 0)
    at = np.concatenate([up, down])
    step = np.concatenate([place[up], place[down] - 1])
    change = _change(predictor, column.name, rows[at], sources[step], sources[step + 1])
    effect = np.append(0.0, np.cumsum(_mean_in(step, change, len(order) - 1)))
    return effect[np.argsort(order)]


def _change(
    predictor: Predictor, name: str, rows: IntArray, low: IntArray, high: IntArray
) -> FloatArray:
    """Return how predictions of rows change from one source's value to another's; shape (n,)."""
    before, after = (predictor.predict(rows, {name: source}) for source in (low, high))
    return to_effect.less_rounding(after - before, float(np.abs(after).max()))


def _mean_in(cell: IntArray, values: FloatArray, n_cells: int) -> FloatArray:
    return np.bincount(cell, values, n_cells) / np.bincount(cell, minlength=n_cells)
