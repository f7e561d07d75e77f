"""Models that are fitted here, for users who bring none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.extras import need
from paribus.models.predictor import Predictor, matrix_predictor
from paribus.table.columns import Table
from paribus.table.problem import Problem

TEST_SHARE = 0.2
FOREST_TREES = 100
ONE_THREAD = 50_000  # rows up to which boosting is fitted on one thread: more do not help
MOST_LEVELS = 255  # of a category that boosting treats as one; others it treats as numbers


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model, and how well it predicts."""

    name: str
    predictor: Predictor
    r2: float  # share of the target's variance that it predicts
    # Rows that it was fitted on here, none for a model that came fitted; rows behind `r2`.
    n_train: int
    n_test: int


def fit_baselines(problem: Problem, seed: int) -> list[FittedModel]:
    """Fit a random forest and boosting on four fifths of the rows, and score them on the rest.

    Categories are numbered for the forest, as in the paper; boosting treats those with up to 255
    levels as categories.
    """
    from threadpoolctl import threadpool_limits

    order = np.random.default_rng(seed).permutation(problem.table.n_rows)
    n_test = max(1, round(TEST_SHARE * len(order)))
    test, train = np.sort(order[:n_test]), np.sort(order[n_test:])
    X = problem.table.matrix()
    y = problem.y > 50 if problem.unit else problem.y
    found = []
    for name, model in _models(problem.table, bool(problem.unit), seed).items():
        with threadpool_limits(1 if len(train) <= ONE_THREAD else None, user_api="openmp"):
            model.fit(X[train], y[train])
        predictor = matrix_predictor(model, problem.table, problem.target, problem.unit)
        r2 = r2_of(problem.y[test], predictor.predict(test))
        found.append(FittedModel(name, predictor, r2, len(train), len(test)))
    return found


def r2_of(y: FloatArray, predicted: FloatArray) -> float:
    """Return the share of the variance of `y` that predictions explain, arrays of shape (n,)."""
    known = ~np.isnan(y)
    spread = float(np.sum((y[known] - y[known].mean()) ** 2))
    left = float(np.sum((y[known] - predicted[known]) ** 2))
    return 1 - left / spread if spread else float("nan")


def scored(name: str, predictor: Predictor, y: FloatArray) -> FittedModel:
    """Score a model that was already fitted, on the rows given."""
    rows: IntArray = np.flatnonzero(~np.isnan(y))
    return FittedModel(name, predictor, r2_of(y[rows], predictor.predict(rows)), 0, len(rows))


def _models(table: Table, classes: bool, seed: int) -> dict[str, Any]:
    ensemble = need("sklearn.ensemble", "Fitting models", "models")
    categories = [c.kind == "category" and len(c.levels) <= MOST_LEVELS for c in table.columns]
    ending = "Classifier" if classes else "Regressor"
    forest = getattr(ensemble, f"RandomForest{ending}")
    boosting = getattr(ensemble, f"HistGradientBoosting{ending}")
    return {
        "random forest": forest(FOREST_TREES, min_samples_leaf=2, random_state=seed % 2**32),
        "boosting": boosting(
            categorical_features=categories if any(categories) else None, random_state=seed % 2**32
        ),
    }
