"""SHAP values of a column, through the `shap` package."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from paribus.api import Kind
from paribus.base import errors
from paribus.base.arrays import FloatArray, IntArray
from paribus.base.checks import check_seed, check_whole
from paribus.base.extras import need
from paribus.models import errors as model_errors
from paribus.models import notes as model_notes
from paribus.models import to_effect
from paribus.models.grid import make_grid
from paribus.models.predictor import Predictor, make_predictor
from paribus.pipeline import notes as pipeline_notes
from paribus.results import CategoricalEffect, NumericEffect, Scatter
from paribus.table.columns import Column

Mode: TypeAlias = Literal["interventional", "path_dependent"]
ROWS_A_POINT, FEWEST, MOST = 15, 10, 60  # of the mean curve of a numeric column
AT_ONCE = 100  # rows explained in one call: the package draws a bar when one takes long
ADDS_UP = 1e-3  # of the predictions' range: how far values may be from adding up
ROUNDS = 2  # of permuting the columns, where that is needed


def shap(
    model: Any,
    data: Any,
    feature: str,
    *,
    mode: Mode = "interventional",
    target: str | None = None,
    class_: Any = None,
    kind: Kind | None = None,
    names: Sequence[str] | None = None,
    max_rows: int = 300,
    background: int = 100,
    seed: int = 0,
) -> NumericEffect | CategoricalEffect:
    """Compute SHAP values of a column: each row's own, and their mean at each value.

    Needs the extra ``shap``. Values are exact for trees on numbers: single trees and forests that
    predict numbers or shares of classes, and boosting that predicts numbers, from scikit-learn,
    XGBoost or LightGBM, provided that they add up to the predictions (which is checked). For any
    other model, including boosted classes (whose trees add up to log-odds, not to shares), the
    columns of each row are permuted, in two random orders forwards and backwards: values still add
    up, but are estimates, and take longer.

    Parameters
    ----------
    model, data, feature, target, class_, kind, names
        As in `fpd`.
    mode : {"interventional", "path_dependent"}
        Replace the columns left out by those of background rows, or follow both branches of a
        tree in proportion to its training rows (only where the values are exact).
    max_rows : int
        Maximum number of rows to explain; drawn at random if there are more.
    background : int
        Maximum number of background rows in the interventional mode.
    seed : int
        Same seed, same rows.

    Returns
    -------
    NumericEffect or CategoricalEffect
        The mean of the values at each x or level, relative to the mean over the rows; the values
        themselves, on the same scale, in `scatter`.

    References
    ----------
    Scott Lundberg and Su-In Lee, "A unified approach to interpreting model predictions", 2017.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> tree = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, X @ [1, 3])
    >>> curve = shap(tree, X, "x1", max_rows=50)
    >>> len(curve.scatter.value)
    50
    """
    predictor = make_predictor(model, data, target=target, class_=class_, names=names)
    return shap_of(
        predictor, predictor.column(feature, kind), mode=mode, max_rows=max_rows,
        background=background, seed=seed,
    )  # fmt: skip


def shap_of(
    predictor: Predictor,
    column: Column,
    *,
    mode: Mode = "interventional",
    max_rows: int = 300,
    background: int = 100,
    seed: int = 0,
) -> NumericEffect | CategoricalEffect:
    """Compute SHAP values of a predictor."""
    check_whole("max_rows", max_rows, 2)
    check_whole("background", background, 1)
    check_seed(seed)
    if mode not in get_args(Mode):
        raise errors.bad_choice("mode", mode, get_args(Mode))
    if to_effect.is_constant(column):
        return to_effect.nothing_to_move(predictor, column, "shap")
    rows, remarks = predictor.present(column)
    draw = np.random.default_rng(seed).permutation(rows)
    chosen, behind = np.sort(draw[:max_rows]), np.sort(draw[-background:])
    if len(chosen) < len(rows):
        remarks = (*remarks, pipeline_notes.sampled(len(chosen), len(rows)))
    value = _values(predictor, column.name, mode, chosen, behind, seed)
    if column.kind == "category":
        level = column.values[chosen].astype(np.int64)
        mean = _level_means(level, value, len(column.levels))
        unseen = [column.levels[k] for k in np.flatnonzero(np.isnan(mean))]
        if unseen:
            remarks = (*remarks, model_notes.levels_not_drawn(column.name, unseen))
        points = None
        scatter = Scatter(level, value - to_effect.mean_of_levels(column, mean))
    else:
        x = column.values[chosen]
        points = make_grid(x, chosen, min(max(len(x) // ROWS_A_POINT, FEWEST), MOST))
        mean = _smooth(points.x, x, value)
        scatter = Scatter(column.shown(x), value - float(points.mass @ mean))
    return to_effect.as_effect(
        predictor, column, mean, "shap", len(chosen), remarks, points, scatter=scatter
    )


def _smooth(at: FloatArray, x: FloatArray, value: FloatArray) -> FloatArray:
    """Fit straight pieces between points (m,) to values (n,) by least squares."""
    basis = np.column_stack([np.interp(x, at, unit) for unit in np.eye(len(at))])
    fitted: FloatArray = np.linalg.lstsq(basis, value, rcond=None)[0].astype(np.float64)
    return fitted


def _level_means(level: IntArray, value: FloatArray, n_levels: int) -> FloatArray:
    """Average values (n,) by level, shape (m,); NaN for a level that no row has."""
    count = np.bincount(level, minlength=n_levels)
    return np.where(count, np.bincount(level, value, n_levels) / np.maximum(count, 1), np.nan)


def _values(
    predictor: Predictor, name: str, mode: Mode, rows: IntArray, behind: IntArray, seed: int
) -> FloatArray:
    """Return the SHAP values of one column for some rows, shape (k,)."""
    with warnings.catch_warnings():  # loading its own pictures warns of what is not ours to mend
        warnings.simplefilter("ignore")
        package = need("shap", "SHAP values", "shap")
    found = _of_trees(package, predictor, mode, rows, behind)
    if found is None and mode == "path_dependent":
        raise model_errors.not_a_tree(type(predictor.model).__name__)
    if found is None:
        found = _of_any(package, predictor, rows, behind, seed)
    return found[:, predictor.table.names.index(name)]


def _of_trees(
    package: Any, predictor: Predictor, mode: Mode, rows: IntArray, behind: IntArray
) -> FloatArray | None:
    """Return exact values (k, p) of a model made of trees over numbers, or None."""
    predicted = predictor.predict(rows)
    numbers = all(c.kind == "number" for c in predictor.table.columns) or predictor.coded
    tree = package.explainers.Tree.supports_model_with_masker
    if not numbers or not tree(predictor.model, None):
        return None
    of_rows = mode == "interventional"
    data, manner = (predictor.rows(behind), mode) if of_rows else (None, "tree_path_dependent")
    explainer = package.TreeExplainer(predictor.model, data, feature_perturbation=manner)
    parts = [rows[k : k + AT_ONCE] for k in range(0, len(rows), AT_ONCE)]
    said = [explainer.shap_values(predictor.rows(part), check_additivity=False) for part in parts]
    value, base = np.concatenate(said), np.ravel(explainer.expected_value)
    if value.ndim == 3 and predictor.at is not None:  # leaves hold the shares of several classes
        value, base = value[:, :, predictor.at], base[[predictor.at]]
    # Values must add up to predictions; those of trees that the package misreads do not: trees
    # that split categories, or that were taught where missing values go. Nor do those of boosted
    # classes, which add up to log-odds.
    found = predictor.factor * value
    missed = found.sum(axis=1) + predictor.factor * base[0] + predictor.offset - predicted
    return found if np.abs(missed).max() <= ADDS_UP * max(np.ptp(predicted), 1e-12) else None


def _of_any(
    package: Any, predictor: Predictor, rows: IntArray, behind: IntArray, seed: int
) -> FloatArray:
    """Return values (k, p) of any model by permuting columns, forwards and backwards.

    A row is given to the package as the numbers of the rows that its values come from, so that
    text, dates and categories can be mixed as well as numbers.
    """
    names = predictor.table.names
    base = np.zeros(1, dtype=np.int64)

    def mixed(sources: FloatArray) -> FloatArray:
        columns = sources.astype(np.int64).T
        return predictor.predict(
            np.repeat(base, len(sources)), dict(zip(names, columns, strict=True))
        )

    each = np.ones(len(names))
    masker = package.maskers.Independent(np.outer(behind, each), max_samples=len(behind))
    explainer = package.explainers.Permutation(mixed, masker, seed=seed)
    evaluations = ROUNDS * (2 * len(names) + 1)
    found = explainer(np.outer(rows, each), max_evals=evaluations, silent=True)
    return np.asarray(found.values, dtype=np.float64)
