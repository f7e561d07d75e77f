"""Friedman's partial dependence, and the individual curves that it is the mean of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paribus.api import Kind
from paribus.base import errors
from paribus.base.arrays import FloatArray, IntArray
from paribus.base.checks import check_seed, check_whole
from paribus.models import to_effect
from paribus.models.grid import make_grid
from paribus.models.predictor import Predictor, make_predictor
from paribus.pipeline import notes as pipeline_notes
from paribus.results import CategoricalEffect, NumericEffect
from paribus.table.columns import Column


def fpd(
    model: Any,
    data: Any,
    feature: str,
    *,
    target: str | None = None,
    class_: Any = None,
    kind: Kind | None = None,
    names: Sequence[str] | None = None,
    grid: int = 100,
    max_rows: int = 1000,
    seed: int = 0,
) -> NumericEffect | CategoricalEffect:
    """Compute Friedman's partial dependence: the mean prediction with the column set to a value.

    Every row is given every value of the grid, and the predictions are averaged. Where columns
    depend on each other, the model has to predict rows that cannot exist.

    Parameters
    ----------
    model : object
        A fitted model with ``predict``, or a classifier with ``predict_proba``, for which the share
        of a class is explained, in percentage points.
    data : table
        What the model predicts from, in the form that it takes.
    feature : str
        The column to explain.
    target : str, optional
        What the model predicts, for labels; a column of that name is left out of the table.
    class_ : optional
        The class to explain; of two, the second by default.
    kind : {"numeric", "categorical"}, optional
        How to treat the column, if that is not obvious.
    names : sequence of str, optional
        Column names, for a NumPy array.
    grid : int
        Maximum number of values of a numeric column: all there are, or quantiles.
    max_rows : int
        Maximum number of rows to average over; drawn at random if there are more.
    seed : int
        Same seed, same rows.

    Returns
    -------
    NumericEffect or CategoricalEffect
        Relative to the mean over the rows, like all effects; without intervals.

    References
    ----------
    Jerome Friedman, "Greedy function approximation: a gradient boosting machine", 2001.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> curve = fpd(LinearRegression().fit(X, X @ [1, 3]), X, "x1")
    >>> round(float(np.polyfit(curve.x, curve.effect, 1)[0]), 6)
    3.0
    """
    predictor = make_predictor(model, data, target=target, class_=class_, names=names)
    column = predictor.column(feature, kind)
    return fpd_of(predictor, column, grid=grid, max_rows=max_rows, seed=seed)


def ice(
    model: Any,
    data: Any,
    feature: str,
    *,
    centred: bool = True,
    curves: int = 50,
    **options: Any,
) -> NumericEffect | CategoricalEffect:
    """Compute individual conditional expectations: the predictions for single rows.

    The mean is that of `fpd`; the curves of some rows are in `trials`, and fan out where the
    column's effect depends on others.

    Parameters
    ----------
    model, data, feature
        As in `fpd`.
    centred : bool
        Let every curve begin where the mean does; otherwise each keeps its own level.
    curves : int
        Number of rows whose curves are kept.
    **options
        As in `fpd`: `target`, `class_`, `kind`, `names`, `grid`, `max_rows`, `seed`.

    Returns
    -------
    NumericEffect or CategoricalEffect

    References
    ----------
    Alex Goldstein and others, "Peeking inside the black box", 2015.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> ice(LinearRegression().fit(X, X @ [1, 3]), X, "x1", curves=10).trials.shape
    (10, 100)
    """
    check_whole("curves", curves, 1)
    if not isinstance(centred, bool):
        raise errors.bad_flag("centred", centred)
    about = {name: options.pop(name, None) for name in ("target", "class_", "names")}
    predictor = make_predictor(model, data, **about)
    column = predictor.column(feature, options.pop("kind", None))
    return fpd_of(predictor, column, curves=curves, centred=centred, **options)


def fpd_of(
    predictor: Predictor,
    column: Column,
    *,
    grid: int = 100,
    max_rows: int = 1000,
    seed: int = 0,
    curves: int = 0,
    centred: bool = True,
) -> NumericEffect | CategoricalEffect:
    """Compute partial dependence of a predictor; with `curves`, individual ones too."""
    check_whole("grid", grid, 2)
    check_whole("max_rows", max_rows, 1)
    check_seed(seed)
    method = "ice" if curves else "fpd"
    if to_effect.is_constant(column):
        return to_effect.nothing_to_move(predictor, column, method)
    rows, remarks = predictor.present(column)
    drawn = rows
    if len(rows) > max_rows:
        remarks = (*remarks, pipeline_notes.sampled(max_rows, len(rows)))
        drawn = np.sort(np.random.default_rng(seed).choice(rows, max_rows, replace=False))
    most = len(column.levels) if column.kind == "category" else grid
    points = make_grid(column.values[rows], rows, most)
    single = _individual(predictor, column.name, drawn, points.source)
    mean = single.mean(axis=0)
    trials = _curves(single, mean, points.mass, curves, centred) if curves else None
    own = None if column.kind == "category" else points
    return to_effect.as_effect(
        predictor, column, mean, method, len(drawn), remarks, own, trials=trials
    )


def _individual(predictor: Predictor, name: str, rows: IntArray, source: IntArray) -> FloatArray:
    """Predict each row (n,) with the value of each source row (m,): shape (n, m)."""
    at = np.tile(rows, len(source))
    moved = {name: np.repeat(source, len(rows))}
    return predictor.predict(at, moved).reshape(len(source), len(rows)).T


def _curves(
    single: FloatArray, mean: FloatArray, mass: FloatArray, curves: int, centred: bool
) -> FloatArray:
    """Choose some curves, evenly among the rows, on the scale of the centred mean."""
    chosen = np.unique(np.linspace(0, len(single) - 1, curves).round().astype(np.int64))
    kept = single[chosen] - mass @ mean
    return kept - kept[:, :1] + (mean[0] - mass @ mean) if centred else kept
