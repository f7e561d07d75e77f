"""The other columns as covariates, for what is left of them inside a stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paribus._types import BoolArray, FloatArray, IntArray
from paribus.estimate.basis import hat_basis, weighted_quantiles
from paribus.estimate.groups import sums_of

ROWS_PER_COVARIATE = 10
MANY_ROWS = 50_000  # with more, strata are so narrow that no squares are needed
GROUPS = 16
SAMPLE = 20_000  # rows enough to see what depends on what
MAX_DUMMIES, MAX_CURVES, CURVE_DEPENDENCE = 30, 4, 0.05
CURVE_QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)


@dataclass(frozen=True, slots=True)
class Covariates:
    """Covariates, of which some take no part.

    Attributes
    ----------
    parts : tuple of float arrays of shape (n, q_i)
        The covariates, side by side.
    active : bool array of shape (q,)
        Those that do: the explained column itself must not.
    """

    parts: tuple[FloatArray, ...]
    active: BoolArray

    def beside(self, *columns: FloatArray) -> FloatArray:
        """Return covariates and more columns (n, m_i) in one new array."""
        return np.concatenate([*self.parts, *columns], axis=1)


@dataclass(frozen=True, slots=True)
class Others:
    """All columns of a table, ready to serve as covariates of one another.

    Attributes
    ----------
    values : float array of shape (n, q)
        Centred and scaled.
    owner : int array of shape (q,)
        The column that each is made from.
    numeric : tuple of int
        The numeric columns; their standardised values come first in `values`.
    weights : float array of shape (n,)
    groups : int array of shape (a sample of n, number of numeric columns)
        Groups of like values of each numeric column.
    """

    values: FloatArray
    owner: IntArray
    numeric: tuple[int, ...]
    weights: FloatArray
    groups: IntArray


def prepare_others(matrix: FloatArray, categorical: Sequence[int], weights: FloatArray) -> Others:
    """Make covariates of all columns of a table (n, p); the target is not looked at.

    Numeric columns enter linearly and, while there are rows enough but not too many, squared;
    categories by the indicators of their commonest levels, missing numbers by an indicator.
    """
    n, p = matrix.shape
    numeric = tuple(k for k in range(p) if k not in categorical)
    linear = [_standardised(matrix[:, k], weights) for k in numeric]
    parts = list(zip(numeric, linear, strict=True))
    for k in range(p):
        gone = np.isnan(matrix[:, k])
        if k in categorical:
            codes = np.where(gone, np.nanmax(matrix[:, k], initial=-1) + 1, matrix[:, k])
            parts += [(k, dummy) for dummy in _dummies(codes.astype(np.int64), weights)]
        elif gone.any() and not gone.all():
            parts.append((k, _standardised(gone.astype(np.float64), weights)))
    room = weights.sum() >= ROWS_PER_COVARIATE * (len(parts) + len(numeric))
    if room and n <= MANY_ROWS:
        # Clipped, because a long tail shall have no leverage.
        squares = [np.clip(z, -3, 3) ** 2 for z in linear]
        parts += [(k, _standardised(z, weights)) for k, z in zip(numeric, squares, strict=True)]
    values = np.column_stack([z for _, z in parts]) if parts else np.empty((n, 0))
    seen = _sample(n)
    groups = [_grouped(z[seen], weights[seen]) for z in linear]
    return Others(
        values=values,
        owner=np.array([k for k, _ in parts], dtype=np.int64),
        numeric=numeric,
        weights=weights,
        groups=np.column_stack(groups) if groups else np.empty((n, 0), dtype=np.int64),
    )


def covariates_of(others: Others, x: FloatArray, left_out: Sequence[int]) -> Covariates:
    """Return the covariates of all columns but those left out.

    The columns that `x` (n,) depends on most, where the confounding is, enter as a curve too,
    while there are rows enough.
    """
    active = ~np.isin(others.owner, list(left_out))
    room = int(others.weights.sum()) // ROWS_PER_COVARIATE - int(np.count_nonzero(active))
    count = min(room // len(CURVE_QUANTILES), MAX_CURVES)
    if count <= 0 or np.isnan(x[_sample(len(x))]).all():
        return Covariates((others.values,), active)
    curves = _curves(others, x, left_out, count)
    n_curves = sum(curve.shape[1] for curve in curves)
    return Covariates((others.values, *curves), np.append(active, np.ones(n_curves, np.bool_)))


def no_covariates(n: int) -> Covariates:
    """Return none, for n rows."""
    return Covariates((np.empty((n, 0)),), np.empty(0, dtype=np.bool_))


def dependence(x: FloatArray, group: IntArray, weights: FloatArray) -> float:
    """Return the share of the variance of `x` (n,) that lies between groups.

    Examples
    --------
    >>> group = np.repeat([0, 1], 50)
    >>> dependence(group + 0.0, group, np.ones(100))
    1.0
    """
    count = sums_of(group, weights, GROUPS)
    centred = x - np.average(x, weights=weights)
    means = sums_of(group, weights * centred, GROUPS) / np.maximum(count, 1e-300)
    return float(count @ means**2 / max(float(weights @ centred**2), 1e-300))


def _sample(n: int) -> slice:
    """Return rows enough to see what depends on what."""
    return slice(None, None, max(1, n // SAMPLE))


def _grouped(z: FloatArray, weights: FloatArray) -> IntArray:
    """Number groups of like values, about as many rows in each."""
    edges = weighted_quantiles(z, weights, np.linspace(0, 1, GROUPS + 1)[1:-1])
    return np.searchsorted(edges, z)


def _standardised(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return values less their mean in units of their standard deviation, missing ones at 0."""
    gone = np.isnan(values)
    if gone.all():
        return np.zeros(len(values))
    known, w = values[~gone], weights[~gone]
    mean = np.average(known, weights=w)
    scale = np.sqrt(np.average((known - mean) ** 2, weights=w)) or 1.0
    return np.where(gone, 0.0, (values - mean) / scale)


def _dummies(codes: IntArray, weights: FloatArray) -> list[FloatArray]:
    """Return indicators of the commonest levels but the first, standardised."""
    common = np.argsort(-np.bincount(codes, weights), kind="stable")[: MAX_DUMMIES + 1]
    return [_standardised((codes == level).astype(np.float64), weights) for level in common[1:]]


def _curves(others: Others, x: FloatArray, left_out: Sequence[int], count: int) -> list[FloatArray]:
    """Return the hats of the columns that `x` depends on most."""
    seen = _sample(len(x))
    known, weights = x[seen], others.weights[seen]
    filled = np.where(np.isnan(known), np.nanmean(known), known)
    places = [i for i, k in enumerate(others.numeric) if k not in left_out]
    ties = np.array([dependence(filled, others.groups[:, i], weights) for i in places])
    chosen = [i for i in np.argsort(-ties, kind="stable")[:count] if ties[i] > CURVE_DEPENDENCE]
    return [_curve_columns(others.values[:, places[i]], others.weights) for i in chosen]


def _curve_columns(z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return hats at inner quantiles; with the linear term they bend anywhere, tails included."""
    seen = _sample(len(z))
    inner = weighted_quantiles(z[seen], weights[seen], np.array(CURVE_QUANTILES))
    knots = np.unique([z.min(), *inner, z.max()])
    return hat_basis(z, knots).dense()[:, 1:-1] if len(knots) > 2 else np.empty((len(z), 0))
