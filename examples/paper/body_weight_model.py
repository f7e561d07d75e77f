"""The body weight data and the forests that figures 5 and 6 ask."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

import paribus as pb

TREES, BACKGROUND = 100, 100
SPLITS = (2, 3, 4)  # columns that a split may choose from, of four


@cache
def body_weight() -> tuple[pb.datasets.Dataset, pd.DataFrame]:
    """Return the data, and its columns as numbers."""
    data = pb.datasets.body_weight(2000, seed=0)
    X = pd.DataFrame(dict(data.X))
    return data, X.assign(sex=(X["sex"] == "F").astype(int), pregnant=X["pregnant"].astype(int))


@cache
def forest(max_features: int) -> RandomForestRegressor:
    """Fit a forest whose splits choose from so many columns."""
    data, X = body_weight()
    kind = RandomForestRegressor(
        TREES, max_features=max_features, oob_score=True, random_state=0
    )  # fmt: skip
    return kind.fit(X, data.y)


def best_forest() -> RandomForestRegressor:
    """Return the forest with the greatest OOB R2, as tuning would choose."""
    return max(map(forest, SPLITS), key=lambda f: f.oob_score_)


@cache
def raw_shap(mode: str, n_rows: int) -> tuple[pd.DataFrame, np.ndarray, float]:
    """Return rows, their SHAP values for height and the mean height that these start from.

    The values are relative to the base value, as SHAP defines them, not centred.
    """
    import shap

    _, X = body_weight()
    draw = np.random.default_rng(0).permutation(len(X))
    rows = X.iloc[draw[:n_rows]]
    behind = X.iloc[draw[-BACKGROUND:]] if mode == "interventional" else X
    options = {"data": behind} if mode == "interventional" else {}
    asked = shap.TreeExplainer(best_forest(), feature_perturbation=mode, **options)
    values = asked.shap_values(rows, check_additivity=False)
    return rows, values[:, list(X).index("height")], float(behind["height"].mean())
