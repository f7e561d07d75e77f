"""Tests of whether there is an effect at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg
from scipy.special import fdtrc

from paribus.base.arrays import FloatArray

LARGEST = 0.95  # p-values above it count as this
WELL_APART = 0.03  # pivot of a correlation's root: above it, no direction is rounding


def quadratic_p_value(
    score: FloatArray, weight: FloatArray, covariance: FloatArray, df: float
) -> float:
    """Return the chance under no effect of a larger ``sum(weight * score**2)``.

    The sum is matched in mean and variance by a multiple of chi-square (Satterthwaite), and
    referred to F because the noise was estimated from `df` rows.

    Parameters
    ----------
    score, weight : float arrays of shape (m,)
    covariance : float array of shape (m, m)
        Of `score` under no effect.
    df : float

    Examples
    --------
    >>> round(quadratic_p_value(np.array([1.96]), np.ones(1), np.eye(1), 1e6), 3)
    0.05
    """
    statistic = float(weight @ score**2)
    mean = float(weight @ np.diag(covariance))
    if mean <= 1e-20 * max(statistic, 1e-300):
        return 1.0 if statistic <= 1e-20 else 0.0
    # In units of the mean, for squares of small units are too small to be numbers.
    spread = 2 * float(np.sum(np.outer(weight, weight) * (covariance / mean) ** 2))
    return float(fdtrc(2 / spread, max(df, 1.0), statistic / mean))


def by_share(share: FloatArray, variance: FloatArray) -> FloatArray:
    """Return what the points of an effect weigh in its test, (m,): the share of rows there.

    What is known far less well than usual weighs less, or its noise would hide what all others say.

    Examples
    --------
    >>> by_share(np.array([0.5, 0.4, 0.1]), np.array([1.0, 1.0, 100.0])).round(3).tolist()
    [0.5, 0.4, 0.001]
    """
    order = np.argsort(variance)
    middle = np.searchsorted(np.cumsum(share[order]), 0.5 * share.sum())
    usual = variance[order[min(middle, len(order) - 1)]]
    return share * np.where(variance > usual, usual / np.maximum(variance, 1e-300), 1.0)


def joint_p_value(score: FloatArray, covariance: FloatArray, df: float) -> float:
    """Return the chance under no effect of a larger ``score' covariance^-1 score``.

    Hotelling's: `covariance` (m, m) was estimated from `df` rows or clusters. Where these are too
    few to know it, the plain sum of squares is tested.

    Examples
    --------
    >>> round(joint_p_value(np.array([1.96, 0.0]), np.eye(2), 1e6), 3)
    0.146
    """
    variance = np.diag(covariance)
    seen = variance > 1e-12 * float(np.max(variance, initial=0.0))
    if not seen.any():
        return 1.0
    if not seen.all():
        score, covariance = score[seen], covariance[np.ix_(seen, seen)]
    size = 1 / np.sqrt(variance[seen])
    if df < 2 * len(score):
        return quadratic_p_value(score, size**2, covariance, df)
    statistic, rank = _distance(score * size, covariance * size * size[:, None])
    left = df - rank + 1
    return float(fdtrc(rank, left, statistic * left / (df * rank)))


def _distance(score: FloatArray, correlation: FloatArray) -> tuple[float, int]:
    """Return ``score' correlation^-1 score`` and the rank, less directions that are rounding."""
    root, failed = linalg.lapack.dpotrf(correlation, lower=True)
    if not failed and np.diag(root).min() > WELL_APART:
        along, _ = linalg.lapack.dtrtrs(root, score, lower=True)
        return float(along @ along), len(score)
    values, vectors = np.linalg.eigh(correlation)
    kept = values > 1e-6 * values[-1]
    along = vectors[:, kept].T @ score
    return float(np.sum(along**2 / values[kept])), int(np.count_nonzero(kept))


def joined_p_value(p_values: Sequence[float]) -> float:
    """Return one p-value of several tests of the same thing, however they depend on each other.

    Cauchy's combination (Liu and Xie 2020), with values near 1 cut off.

    Examples
    --------
    >>> round(joined_p_value([0.01, 0.5]), 3)
    0.02
    >>> round(joined_p_value([0.3, 0.3]), 3)
    0.3
    """
    p = np.clip(p_values, 1e-300, LARGEST)
    return float(np.arctan2(1.0, np.mean(1 / np.tan(np.pi * p))) / np.pi)
