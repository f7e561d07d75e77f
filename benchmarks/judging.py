"""Where a curve is judged, and how far it is from the truth: the same for every tool."""

from __future__ import annotations

import numpy as np

from scenarios import Sample, Scenario

FEW_VALUES = 30


def points(sample: Sample, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where a curve is judged and with which weights: levels, values or percentiles."""
    values, counts = np.unique(sample.X[:, column], return_counts=True)
    if column in sample.categories or len(values) <= FEW_VALUES:
        return values, counts / counts.sum()
    at = np.quantile(sample.X[:, column], np.linspace(0.01, 0.99, 99))
    return at, np.full(len(at), 1 / len(at))


def error(scenario: Scenario, curve: np.ndarray, at: np.ndarray, weight: np.ndarray) -> float:
    """Return the root mean squared error of a curve, both it and the truth centred."""
    known = np.isfinite(curve)
    if not known.any():
        return float("nan")
    off = (curve - scenario.truth(at))[known]
    weight = weight[known] / weight[known].sum()
    return float(np.sqrt(weight @ (off - weight @ off) ** 2))
