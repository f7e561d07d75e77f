"""From a covariance to intervals: pointwise, and for all points at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from paribus.base.arrays import BoolArray, FloatArray

N_DRAWS = 4000
AT_ONCE = 500  # of them, so that the cache holds what they move
LITTLE = 1e-4  # of the largest share of the variance: a direction with less is left out
MANY_DF = 1e6  # with more, Student's t is normal
Limits: TypeAlias = tuple[FloatArray | float, FloatArray | float]  # of what is possible
ANYWHERE: Limits = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True)
class Intervals:
    """Half-widths of intervals, shape (m,) each."""

    pointwise: FloatArray
    simultaneous: FloatArray

    def around(self, effect: FloatArray, limits: Limits = ANYWHERE) -> dict[str, Any]:
        """Return the ends of intervals and bands around estimates (m,), by name, cut at limits."""
        ends = {
            "lower": effect - self.pointwise,
            "upper": effect + self.pointwise,
            "band_lower": effect - self.simultaneous,
            "band_upper": effect + self.simultaneous,
        }
        return {name: np.clip(end, *limits) for name, end in ends.items()}


def normal_quantile(level: float) -> float:
    """Return how many standard errors a two-sided interval spans to either side.

    Examples
    --------
    >>> round(normal_quantile(0.95), 2)
    1.96
    """
    return float(ndtri((1 + level) / 2))


def student_quantile(level: float, df: FloatArray) -> FloatArray:
    """Return the same where standard errors rest on `df` (m,) rows.

    Examples
    --------
    >>> student_quantile(0.95, np.array([10.0, 1e6])).round(2).tolist()
    [2.23, 1.96]
    """
    return np.asarray(stdtrit(df, (1 + level) / 2), dtype=np.float64)


def two_sided_p(ratio: float, df: float) -> float:
    """Return the p-value of an estimate `ratio` standard errors, on `df` rows, away from zero.

    Examples
    --------
    >>> round(two_sided_p(1.96, np.inf), 3), round(two_sided_p(2.23, 10.0), 3)
    (0.05, 0.05)
    """
    return float(2 * stdtr(df, -abs(ratio)))


def intervals(covariance: FloatArray, level: float, df: float = np.inf) -> Intervals:
    """Turn the covariance of m estimates, shape (m, m), into half-widths.

    Standard errors that rest on few degrees of freedom `df` make them wider, after Student.

    The simultaneous ones hold all m at once. Their width is the `level` quantile of the largest
    standardised deviation under a multiplier bootstrap: with normal multipliers the bootstrap's
    distribution, given the data, is exactly the normal one with this covariance, so it is drawn
    from directly and costs nothing in the number of rows.

    Examples
    --------
    >>> half = intervals(np.eye(2), 0.95)
    >>> half.pointwise.round(2).tolist(), bool(half.simultaneous[0] > 2.2)
    ([1.96, 1.96], True)
    """
    se = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    narrow = normal_quantile(level)
    wider = 1.0 if df > MANY_DF else float(student_quantile(level, np.array([df]))[0]) / narrow
    wide = max(narrow, _largest_quantile(covariance, se, level))
    return Intervals(wider * narrow * se, wider * wide * se)


def intervals_where(
    known: BoolArray, covariance: FloatArray, level: float, df: float = np.inf
) -> Intervals:
    """Return half-widths (m,) of the estimates that are `known` (m,), NaN for the others."""
    out = np.full((2, len(known)), np.nan)
    spans = intervals(covariance[np.ix_(known, known)], level, df)
    out[:, known] = spans.pointwise, spans.simultaneous
    return Intervals(*out)


def wide_of_many(level: float, n_estimates: int, df: FloatArray) -> FloatArray:
    """Return how much wider intervals are that hold very many, all but independent, at once.

    Examples
    --------
    >>> wide_of_many(0.95, 1000, np.array([70.0])).round(2).tolist()
    [2.16]
    """
    each = level ** (1 / max(n_estimates, 1))
    return student_quantile(each, df) / student_quantile(level, df)


def largest_p_value(effect: FloatArray, covariance: FloatArray) -> float:
    """Return the chance under no effect of a point further out than all of `effect` (m,) are.

    Distances are in standard errors.

    Examples
    --------
    >>> round(largest_p_value(np.array([1.96]), np.eye(1)), 2)
    0.05
    """
    se = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    largest = _largest(covariance, se)
    if largest is None:
        return 1.0
    found = np.abs(effect[se > 0] / se[se > 0]).max(initial=0.0)
    return float(np.mean(largest >= found))


def _largest_quantile(covariance: FloatArray, se: FloatArray, level: float) -> float:
    largest = _largest(covariance, se)
    return 0.0 if largest is None else float(np.quantile(largest, level))


def _largest(covariance: FloatArray, se: FloatArray) -> FloatArray | None:
    """Draw the largest of all deviations in standard errors, shape (N_DRAWS,).

    Half the digits are enough for draws.
    """
    loose = se > 1e-9 * se.max(initial=0.0)
    if not loose.any():
        return None
    correlation = covariance[np.ix_(loose, loose)] / np.outer(se[loose], se[loose])
    values, vectors = np.linalg.eigh(correlation)
    kept = values > LITTLE * values[-1]  # a smooth curve moves in few directions
    root = (vectors[:, kept] * np.sqrt(values[kept])).astype(np.float32)
    size = root.shape[1]
    draws = _draws(1 << (size - 1).bit_length())[:size]
    out, moved = np.empty(N_DRAWS), np.empty((len(root), AT_ONCE), np.float32)
    for start in range(0, N_DRAWS, AT_ONCE):
        np.matmul(root, draws[:, start : start + AT_ONCE], out=moved)
        np.abs(moved, out=moved).max(axis=0, out=out[start : start + AT_ONCE])
    return out


@lru_cache(maxsize=8)
def _draws(size: int) -> NDArray[np.float32]:
    """Return normal draws, shape (size, N_DRAWS); the first of them are the same for all sizes."""
    return np.random.default_rng(0).standard_normal((size, N_DRAWS)).astype(np.float32)
