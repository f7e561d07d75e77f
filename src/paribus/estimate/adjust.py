"""The other columns as covariates, for what is left of them inside a stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paribus._types import BoolArray, FloatArray, IntArray
from paribus.estimate.basis import hat_basis, weighted_quantiles

ROWS_PER_COVARIATE = 10
MOST_NUMBERS = 30_000_000  # covariates beyond the linear ones are for tables that have the room
MAX_DUMMIES, MAX_CURVES, CURVE_DEPENDENCE = 30, 4, 0.05
CURVE_QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
SAMPLE = 20_000  # rows enough to see what depends on what


@dataclass(frozen=True, slots=True)
class Others:
    """All columns of a table, ready to serve as covariates of one another.

    Attributes
    ----------
    linear : float array of shape (n, p)
        Numeric columns, standardised, missing values at the mean; zero for categories.
    missing : float array of shape (n, p), or None
        1 where a numeric value is missing.
    codes : dict of int to int array of shape (n,)
        The categories among the columns, by position; missing is a level too.
    weights : float array of shape (n,)
    """

    linear: FloatArray
    missing: FloatArray | None
    codes: dict[int, IntArray]
    weights: FloatArray


def prepare_others(matrix: FloatArray, categorical: Sequence[int], weights: FloatArray) -> Others:
    """Standardise the numeric columns of a table (n, p), and number the levels of the others."""
    gone = np.isnan(matrix)
    codes = {}
    linear = np.empty_like(matrix)
    for k in range(matrix.shape[1]):
        if k in categorical:
            n_levels = np.nanmax(matrix[:, k], initial=-1) + 1
            codes[k] = np.where(gone[:, k], n_levels, matrix[:, k]).astype(np.int64)
            linear[:, k] = 0.0
        else:
            linear[:, k] = _standardised(matrix[:, k], gone[:, k], weights)
    numeric_gone = gone & ~np.isin(np.arange(matrix.shape[1]), list(categorical))
    missing = numeric_gone.astype(np.float64) if numeric_gone.any() else None
    return Others(linear, missing, codes, weights)


def covariates_of(others: Others, x: FloatArray, left_out: Sequence[int]) -> FloatArray:
    """Make covariates (n, q) of all columns but those left out; the target is not looked at.

    Every numeric column enters linearly and, while there are rows enough, squared; those that
    `x` (n,) depends on most, where the confounding is, as a curve. Categories enter by the
    indicators of their commonest levels, missing values by an indicator.
    """
    n, p = others.linear.shape
    n_rows = float(others.weights.sum())
    kept = [k for k in range(p) if k not in left_out]
    numeric = [k for k in kept if k not in others.codes]
    linear = others.linear[:, numeric]
    parts = [linear]
    if others.missing is not None:
        parts.append(others.missing[:, numeric])
    parts += [_dummies(others.codes[k], others.weights) for k in kept if k in others.codes]
    q = sum(part.shape[1] for part in parts)
    more = q + len(numeric)
    if n_rows >= ROWS_PER_COVARIATE * more and n * more <= MOST_NUMBERS:
        parts.append(np.clip(linear, -3, 3) ** 2)  # a long tail shall have no leverage
        room = min(int(n_rows) // ROWS_PER_COVARIATE, MOST_NUMBERS // n) - more
        parts += _curves(others, numeric, x, room)
    return _scaled(np.concatenate(parts, axis=1)) if q else np.empty((n, 0))


def dependence(x: FloatArray, z: FloatArray, weights: FloatArray, *, groups: int = 16) -> float:
    """Return the share of the variance of `x` that lies between groups of like `z`.

    Examples
    --------
    >>> z = np.arange(1000.0)
    >>> round(dependence((z - 500) ** 2, z, np.ones(1000)), 1)
    1.0
    """
    edges = weighted_quantiles(z, weights, np.linspace(0, 1, groups + 1)[1:-1])
    group = np.searchsorted(edges, z)
    count = np.bincount(group, weights, groups)
    centred = x - np.average(x, weights=weights)
    means = np.bincount(group, weights * centred, groups) / np.maximum(count, 1e-300)
    return float(count @ means**2 / max(float(weights @ centred**2), 1e-300))


def _standardised(values: FloatArray, gone: BoolArray, weights: FloatArray) -> FloatArray:
    if gone.all():
        return np.zeros(len(values))
    known, w = values[~gone], weights[~gone]
    mean = np.average(known, weights=w)
    scale = np.sqrt(np.average((known - mean) ** 2, weights=w)) or 1.0
    return np.where(gone, 0.0, (values - mean) / scale)


def _dummies(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Return indicators of the commonest levels but the first, shape (n, at most MAX_DUMMIES)."""
    common = np.argsort(-np.bincount(codes, weights), kind="stable")[: MAX_DUMMIES + 1]
    return (codes[:, None] == common[1:]).astype(np.float64)


def _curves(others: Others, numeric: list[int], x: FloatArray, room: int) -> list[FloatArray]:
    """Return the hats of the columns that `x` depends on most, as far as there is room."""
    count = max(min(room // len(CURVE_QUANTILES), MAX_CURVES), 0)
    if count == 0 or np.isnan(x).all():
        return []
    seen = slice(None, None, max(1, len(x) // SAMPLE))
    known = np.where(np.isnan(x), np.nanmean(x), x)[seen]
    weights = others.weights[seen]
    ties = np.array([dependence(known, others.linear[seen, k], weights) for k in numeric])
    chosen = [k for k in np.argsort(-ties, kind="stable")[:count] if ties[k] > CURVE_DEPENDENCE]
    return [_curve_columns(others.linear[:, numeric[k]], others.weights) for k in chosen]


def _curve_columns(z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return hats at inner quantiles; with the linear term they bend anywhere, tails included."""
    knots = np.unique(weighted_quantiles(z, weights, np.array([0, *CURVE_QUANTILES, 1])))
    return hat_basis(z, knots).dense()[:, 1:-1] if len(knots) > 2 else np.empty((len(z), 0))


def _scaled(columns: FloatArray) -> FloatArray:
    columns = columns - columns.mean(axis=0)
    scale = columns.std(axis=0)
    varies = scale > 1e-12
    return np.ascontiguousarray(columns[:, varies] / scale[varies])
