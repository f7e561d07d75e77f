"""The usual ways to draw partial dependence, to compare with; each returns a curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

import paribus as pb

from scenarios import Sample

Curve = Callable[[np.ndarray], np.ndarray]
PDP_ROWS, ALE_BINS = 300, 50


def table_of(sample: Sample) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the sample as a table with named columns, and the kinds of its categories."""
    names = [f"x{k}" for k in range(sample.X.shape[1])]
    kinds = {names[k]: "categorical" for k in sample.categories}
    return {name: sample.X[:, k] for k, name in enumerate(names)}, kinds


def paper(sample: Sample, column: int) -> Curve:
    """StratPD or CatStratPD, to the letter."""
    table, kinds = table_of(sample)
    name = f"x{column}"
    if name in kinds:
        bars = pb.catstratpd(table, sample.y, name)
        return lambda x: np.array([dict(zip(bars.levels, bars.effect, strict=True))[v] for v in x])
    curve = pb.stratpd(table, sample.y, name)
    if not curve.explained:
        return lambda x: np.full(len(x), np.nan)
    return lambda x: np.interp(x, curve.x, curve.effect)


def forest(sample: Sample) -> RandomForestRegressor:
    """Fit a random forest of 100 trees."""
    return RandomForestRegressor(100, random_state=0, n_jobs=2).fit(sample.X, sample.y)


def boosting(sample: Sample) -> HistGradientBoostingRegressor:
    """Fit gradient boosting with its defaults."""
    return HistGradientBoostingRegressor(random_state=0).fit(sample.X, sample.y)


def curves(models: Mapping[str, Any], sample: Sample, column: int) -> Iterator[tuple[str, Curve]]:
    """Yield the paper's algorithm, and the curves of each model, by name."""
    yield "paper", paper(sample, column)
    for name, model in models.items():
        yield f"pdp {name}", partial_dependence(model, sample, column)
        if column not in sample.categories:
            yield f"ale {name}", accumulated_effects(model, sample, column)


def partial_dependence(model, sample: Sample, column: int) -> Curve:
    """Average predictions with the column set to each value (Friedman)."""
    rows = np.random.default_rng(0).permutation(len(sample.y))[:PDP_ROWS]

    def curve(x: np.ndarray) -> np.ndarray:
        changed = np.repeat(sample.X[rows][None], len(x), axis=0)
        changed[:, :, column] = x[:, None]
        return (
            model.predict(changed.reshape(-1, sample.X.shape[1])).reshape(len(x), -1).mean(axis=1)
        )

    return curve


def accumulated_effects(model, sample: Sample, column: int) -> Curve:
    """Accumulate local differences of predictions between quantiles (Apley and Zhu)."""
    x = sample.X[:, column]
    edges = np.unique(np.quantile(x, np.linspace(0, 1, ALE_BINS + 1)))
    if len(edges) < 3:
        edges = np.unique(x)
    cell = np.clip(np.searchsorted(edges, x) - 1, 0, len(edges) - 2)
    low, high = sample.X.copy(), sample.X.copy()
    low[:, column], high[:, column] = edges[cell], edges[cell + 1]
    difference = model.predict(high) - model.predict(low)
    count = np.bincount(cell, minlength=len(edges) - 1)
    mean = np.bincount(cell, difference, len(edges) - 1) / np.maximum(count, 1)
    curve = np.append(0.0, np.cumsum(mean))
    return lambda at: np.interp(at, edges, curve)
