"""The effect of a numeric column: a piecewise linear curve, no rougher than the data ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from paribus.base.arrays import FloatArray
from paribus.estimate.adjust import Covariates
from paribus.estimate.basis import FEW_VALUES, Basis, hat_basis, place_knots, second_differences
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import quadratic_p_value
from paribus.estimate.within import MANY_ROWS, Within, compare_within

UNSEEN = 1e-6  # share of the missing values' rows left inside the strata: below it, no point
SPARE_DF = 0.2  # the stiffest penalty considered leaves a straight line this much freedom
SMOOTHING_SHARE = 0.5  # of the prior's smoothing bias counted in the covariance
TEST_DF = 4.0  # freedom of the curve whose size is tested against no effect at all


@dataclass(frozen=True, slots=True)
class CurveFit:
    """A piecewise linear effect, centred to mean zero over the rows.

    Attributes
    ----------
    knots : float array of shape (k,)
    effect : float array of shape (K,)
        At the knots and, where values are missing and can be told, last at the missing ones.
    covariance : float array of shape (K, K)
    mass : float array of shape (K,)
        Share of the rows at each of them.
    freedom : float
        How many numbers the curve is worth.
    p_value : float
        Of no effect at all.
    residual : float array
        Of all rows or of a part of them, in units of the target's standard deviation.
    basis : Basis
    within : Within
    """

    knots: FloatArray
    effect: FloatArray
    covariance: FloatArray
    mass: FloatArray
    freedom: float
    p_value: float
    residual: FloatArray
    basis: Basis
    within: Within


def fit_curve(x: FloatArray, y: FloatArray, covariates: Covariates, strata: Partitions) -> CurveFit:
    """Estimate the effect of `x` (n,), NaN where missing, on `y` (n,) inside `strata`."""
    mean = np.average(y, weights=strata.weights)
    scale = float(np.sqrt(np.average((y - mean) ** 2, weights=strata.weights))) or 1.0
    knots = place_knots(x, strata.weights)
    basis = hat_basis(x, knots)
    within = compare_within(basis, covariates, (y - mean) / scale, strata)
    used = int(np.count_nonzero(covariates.active))
    return solve_curve(knots, basis, within, basis.totals(strata.weights), used, len(x), scale)


def solve_curve(
    knots: FloatArray,
    basis: Basis,
    within: Within,
    count: FloatArray,
    n_covariates: int,
    n_rows: int,
    scale: float,
) -> CurveFit:
    """Find the curve from what is left inside the strata.

    The curve is averaged over the strength of its roughness penalty, weighted by the restricted
    likelihood. Its covariance has four parts: the errors of the rows, each with a variance of its
    own; what the penalty smooths away, as a draw from the prior that it stands for; the doubt
    about the penalty; and what a piecewise linear curve misses between its knots.

    Parameters
    ----------
    knots : float array of shape (k,)
    basis : Basis
        Of the rows; kept with the result.
    within : Within
    count : float array of shape (K,)
        Rows at each point.
    n_covariates : int
        Covariates taken out.
    n_rows : int
        Rows looked at; of few, the test takes the errors as they are without an effect.
    scale : float
        Of the target; `within` is in units of it.
    """
    told = _points_told(within, len(knots), count)
    change = second_differences(knots, told)
    spectrum = _decompose(within.gram[:told, :told], within.score[:told], change)
    choice = _weigh_penalties(spectrum, within.total, max(within.df, 1.0))
    shrinkage = choice.weight @ choice.shrinkage
    effect = spectrum.directions @ (shrinkage * spectrum.score)
    freedom = float(shrinkage @ spectrum.information)
    errors = within.errors(np.append(effect, np.zeros(basis.size - told)))
    noise = errors.noise / max(within.df - freedom, 1.0)
    meat = spectrum.turn(errors.meat(errors.row_variance(n_covariates + freedom))[:told, :told])
    covariance = spectrum.back(_averaged_covariance(spectrum, choice, meat, noise))
    covariance[np.diag_indices_from(covariance)] += _bend_between(knots, effect) ** 2
    null = meat
    if n_rows <= MANY_ROWS:
        nothing = replace(errors, residual=errors.target)
        null = spectrum.turn(nothing.meat(nothing.row_variance(n_covariates))[:told, :told])
    mass = count[:told] / count[:told].sum()
    centre = np.eye(told) - mass
    return CurveFit(
        knots=knots,
        effect=scale * centre @ effect,
        covariance=scale**2 * centre @ covariance @ centre.T,
        mass=mass,
        freedom=freedom,
        p_value=quadratic_p_value(spectrum.score, _test_weights(spectrum), null, within.df),
        residual=errors.residual,
        basis=basis,
        within=within,
    )


def _points_told(within: Within, n_knots: int, count: FloatArray) -> int:
    """Return how many points can be told: the missing values' last one, only where it can be.

    It cannot where another column is missing in the same rows.
    """
    size = len(count)
    if size > n_knots and within.gram[-1, -1] < UNSEEN * count[-1]:
        return n_knots
    return size


@dataclass(frozen=True, slots=True)
class _Spectrum:
    """Directions in which gram and penalty are both diagonal.

    Attributes
    ----------
    directions : float array of shape (K, m)
        From stiff to bending.
    information, roughness, score : float arrays of shape (m,)
    """

    directions: FloatArray
    information: FloatArray
    roughness: FloatArray
    score: FloatArray

    def shrinkage(self, penalty: FloatArray) -> FloatArray:
        """Return the inverse of the penalised gram for each of G penalties, shape (G, m)."""
        return 1 / np.maximum(self.information + np.multiply.outer(penalty, self.roughness), 1e-12)

    def turn(self, matrix: FloatArray) -> FloatArray:
        return self.directions.T @ matrix @ self.directions

    def back(self, matrix: FloatArray) -> FloatArray:
        return self.directions @ matrix @ self.directions.T

    def penalties(self, size: int) -> FloatArray:
        """Return a grid of penalties from next to none to nearly a straight line, shape (size,)."""
        rough = self.roughness[self.roughness > 0]
        return np.geomspace(1e-3 / rough.max(), 1e4 / rough.min(), size)


def _decompose(gram: FloatArray, score: FloatArray, change: FloatArray) -> _Spectrum:
    """Bring both to diagonal form; what the data say nothing about is left to the penalty."""
    size = len(score)
    centred = linalg.null_space(np.ones((1, size)))  # constants are not identified
    gram, bends = centred.T @ gram @ centred, change @ centred
    rough = bends.T @ bends
    whiff = 1e-8 * np.trace(gram) / max(np.trace(rough), 1e-300)
    floor = (1e-13 * np.trace(gram) / size + 1e-300) * np.eye(size - 1)
    values, vectors = linalg.eigh(rough, gram + whiff * rough + floor)
    directions = centred @ vectors
    n_straight = size - 1 - (len(change) if change.any() else 0)
    values = np.where(np.arange(size - 1) < n_straight, 0.0, np.maximum(values, 1e-300))
    return _Spectrum(directions, np.maximum(1 - whiff * values, 0.0), values, directions.T @ score)


@dataclass(frozen=True, slots=True)
class _Penalties:
    """A grid of penalties (G,), their weights (G,) by likelihood, and shrinkage (G, m)."""

    penalty: FloatArray
    weight: FloatArray
    shrinkage: FloatArray


def _weigh_penalties(spectrum: _Spectrum, total: float, df: float) -> _Penalties:
    """Weigh a grid of penalties by their restricted likelihood.

    Averaging over it instead of taking its peak is what keeps intervals honest where the peak
    says "straight" and the data cannot tell.
    """
    bending = spectrum.roughness > 0
    if not bending.any():
        return _Penalties(np.zeros(1), np.ones(1), spectrum.shrinkage(np.zeros(1)))
    penalty = spectrum.penalties(120)
    shrinkage = spectrum.shrinkage(penalty)
    freedom = (shrinkage * spectrum.information).sum(axis=1)
    kept = freedom >= min((~bending).sum() + SPARE_DF, freedom.max())
    penalty, shrinkage = penalty[kept], shrinkage[kept]
    misfit = np.maximum(total - shrinkage @ spectrum.score**2, 1e-12 * total + 1e-300)
    fit = df * np.log(misfit) - np.log(shrinkage).sum(axis=1) - bending.sum() * np.log(penalty)
    weight = np.exp(-0.5 * (fit - fit.min()))
    return _Penalties(penalty, weight / weight.sum(), shrinkage)


def _averaged_covariance(
    spectrum: _Spectrum, choice: _Penalties, meat: FloatArray, noise: float
) -> FloatArray:
    """Return sampling error, smoothing bias and the penalty's own doubt together, shape (m, m)."""
    weighted = choice.shrinkage * choice.weight[:, None]
    sampling = meat * (choice.shrinkage.T @ weighted)
    prior = spectrum.roughness * (choice.penalty @ (weighted * choice.shrinkage))
    smoothing = SMOOTHING_SHARE * noise * prior
    doubt = (choice.shrinkage - choice.weight @ choice.shrinkage) * spectrum.score
    out: FloatArray = sampling + np.diag(smoothing) + doubt.T @ (doubt * choice.weight[:, None])
    return out


def _bend_between(knots: FloatArray, effect: FloatArray) -> FloatArray:
    """Return by how much a piecewise linear curve misses a parabola with these bends, shape (K,).

    Negligible beside noise; without noise it is what there is to be unsure about.
    """
    out = np.zeros(len(effect))
    if len(knots) > FEW_VALUES:
        step = np.diff(knots)
        turn = np.diff(np.diff(effect[: len(knots)]) / step)
        bend = np.abs(turn * step[:-1] * step[1:] / (step[:-1] + step[1:]) / 6)
        out[: len(knots)] = np.concatenate([bend[:1], bend, bend[-1:]])
    return out


def _test_weights(spectrum: _Spectrum) -> FloatArray:
    """Return the shrinkage of a curve worth `TEST_DF` numbers, shape (m,), whatever the target."""
    if len(spectrum.roughness) <= TEST_DF or not spectrum.roughness.any():
        return spectrum.shrinkage(np.zeros(1))[0]
    grid = spectrum.shrinkage(spectrum.penalties(200))
    freedom = (grid * spectrum.information).sum(axis=1)
    return grid[np.argmin(np.abs(freedom - TEST_DF))]
