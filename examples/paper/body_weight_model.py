"""The body weight data and the forest that figures 5 and 6 ask."""

from __future__ import annotations

from functools import cache

import pandas as pd
from sklearn.ensemble import RandomForestRegressor

import paribus as pb


@cache
def body_weight() -> tuple[pb.datasets.Dataset, pd.DataFrame, RandomForestRegressor]:
    """Return the data, its columns as numbers, and a forest fitted to them."""
    data = pb.datasets.body_weight(2000, seed=0)
    X = pd.DataFrame(dict(data.X))
    X = X.assign(sex=(X["sex"] == "F").astype(int), pregnant=X["pregnant"].astype(int))
    forest = RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, data.y)
    return data, X, forest
