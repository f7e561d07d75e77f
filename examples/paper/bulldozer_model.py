"""The bulldozer data and the forest that figures 7 and 8 ask."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from looks import Plate, draw_curve, panels
from sklearn.ensemble import RandomForestRegressor
from tables import RealTable, bulldozer

import paribus as pb
from paribus import models

N = 20_000
PAPERS = ("FPD/ICE", "SHAP", "ALE, K = 300", "StratPD, 10 trials")
SETTING = (
    "20,000 of the 22,482 sales at hand with a usable year: the first 14,180 of the competition's "
    "401,125 rows (one data source, sales 2004 to 2011) and its whole validation set (2012), not "
    "a random sample of the paper's 362,000; 14 columns. Forest of 40 trees, OOB R2 {r2:.2f}; "
    "SHAP: 200 rows explained before 50 background rows."
)


@cache
def machines() -> tuple[RealTable, Any, RandomForestRegressor]:
    """Return the sales, their columns as numbers, and a forest fitted to them."""
    table = bulldozer().sample(N)
    X = table.coded()
    forest = RandomForestRegressor(
        40, min_samples_leaf=3, max_features=0.4, oob_score=True, random_state=0
    )
    return table, X, forest.fit(X, table.y)


def curves(feature: str, together: tuple[str, ...] = ()) -> tuple[Any, dict[str, pb.NumericEffect]]:
    """Draw a column by five ways; return the figure and the curves."""
    table, X, forest = machines()
    found = {
        "FPD/ICE": models.ice(forest, X, feature, max_rows=500, curves=40),
        "SHAP": models.shap(forest, X, feature, max_rows=200, background=50),
        "ALE, K = 300": models.ale(forest, X, feature, bins=300),
        "StratPD, 10 trials": pb.stratpd(X, table.y, feature, n_trials=10),
        "paribus": pb.effect(table.X, table.y, feature, together=together),
    }
    figure, axes = panels(1, 5, y="change in price, dollars", sharex=True, sharey=True)
    for ax, (name, effect) in zip(axes.flat, found.items(), strict=True):
        draw_curve(ax, effect, name, X[feature])
    return figure, found


def pairwise(values: dict[str, np.ndarray]) -> dict[str, float]:
    """Return the correlation of each two of the paper's four techniques."""
    return {
        f"{a} and {b}": float(np.corrcoef(values[a], values[b])[0, 1])
        for a, b in combinations(PAPERS, 2)
    }


def plate(number: int, title: str, figure: Any, claims: list[Any], numbers: Any) -> Plate:
    """Put a plate together."""
    setting = SETTING.format(r2=machines()[2].oob_score_)
    return Plate(number, title, setting, figure, claims, numbers)
