"""The point of rows without a value of the explained column, compared with similar rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray
from paribus.estimate.basis import level_basis
from paribus.estimate.covariance import error_df, row_scores, row_variance, score_covariance
from paribus.estimate.covariates import Covariates
from paribus.estimate.partitions import Partitions
from paribus.estimate.within import compare_within

UNSEEN = 1e-6  # share of the missing values' rows left inside the strata: below it, no point
GLANCE = 100  # rows that show which covariates differ otherwise


@dataclass(frozen=True, slots=True)
class MissingPoint:
    """Where rows without a value lie on the scale of the effect."""

    value: float
    standard_error: float
    df: float  # degrees of freedom of the standard error


def missing_point(
    missing: BoolArray, left: FloatArray, covariates: Covariates, strata: Partitions
) -> MissingPoint | None:
    """Compare rows without a value with alike rows that have one.

    Parameters
    ----------
    missing : bool array of shape (n,)
    left : float array of shape (n,)
        The target less the effect of the value, where there is one.
    covariates : Covariates
    strata : Partitions

    Returns
    -------
    MissingPoint, or None
        None where no such rows are alike, as when another column is missing in the same rows.
    """
    least = UNSEEN * float(strata.weights[missing].sum())
    if _not_alike(missing, covariates, strata, least):
        return None
    basis = level_basis(missing.astype(np.int64), 2)
    centred = left - np.average(left, weights=strata.weights)
    within = compare_within(basis, covariates, centred, strata)
    information = float(within.gram[1, 1])
    if information < least:
        return None
    value = float(within.score[1]) / information
    residual = within.residual(np.array([0.0, value]))
    scores = row_scores(within, basis.index, row_variance(within.units, residual, 0.0))
    meat = score_covariance(scores, within, residual, covariates.n_active, 1.0)
    error = float(np.sqrt(max(meat[1, 1], 0.0))) / information
    return MissingPoint(value, error, error_df(within.units, within.df - 1))


def _not_alike(
    missing: BoolArray, covariates: Covariates, strata: Partitions, least: float
) -> bool:
    """Tell at a glance that what is `missing` (n,) varies by no more than `least` in the end.

    No stratum may have rows of both kinds, or another column may be missing in the same rows. What
    covariates take out as well only makes it less.
    """
    inside = strata.demean(missing[:, None].astype(np.float64))[:, 0]
    if float(strata.weights @ inside**2) < least:
        return True
    first, other = (covariates.values[np.argmax(missing == kind)] for kind in (True, False))
    places = np.flatnonzero(covariates.active[: len(first)] & (first != other))
    for rows in (slice(0, GLANCE), slice(None)):
        values, expected = covariates.values[rows][:, places], missing[rows, None]
        same = values == np.where(expected, first[places], other[places])
        places = places[same.all(axis=0)]
    return len(places) > 0
