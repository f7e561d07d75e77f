"""A curve and its interactions solved together, averaged over all their penalties.

For a given ridge the interactions can be projected out like covariates, and what is left is the
curve's own problem: its penalty is weighted like that of a curve without interactions.
With G the products of curve (1) and interactions (2), s their score, Lambda the ridge, L the
average over rows of the interactions, ``A = (G22 + Lambda)^-1`` and C the inverse of the curve's
penalised ``G11 - G12 A G21``:

    curve         theta1 = C (s1 - G12 A s2)
    interactions  theta2 = A (s2 - G21 theta1)
    reported      theta1 + L theta2 = (I - L A G21) theta1 + L A s2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Labels, dot
from paribus.estimate.basis import Hats, atoms_of
from paribus.estimate.covariance import RowScores, row_scores, row_variance, score_covariance
from paribus.estimate.curve import (
    SMOOTHING_SHARE,
    Penalties,
    Spectrum,
    averaged_covariance,
    bend_between,
    decompose,
    end_doubt,
    seen_directions,
    settle,
    weigh_penalties,
)
from paribus.estimate.ridges import Ridge, RidgedOut, ridge_out, weigh_ridges
from paribus.estimate.within import Within

FEW_INTERACTIONS = 64  # up to so many are cheaper as functions of the column than all its points


@dataclass(frozen=True, slots=True)
class Joint:
    """A curve with interactions, averaged over rows; the target in standard deviations."""

    effect: FloatArray  # (k,)
    coefficients: FloatArray  # (k + P,)
    # Covariance of the effect: of the rows' errors, and of penalties and knots.
    errors: FloatArray  # (k, k)
    beside_errors: FloatArray  # (k, k)
    of_interactions: FloatArray  # (P, P): covariance of the interactions' coefficients
    solve: FloatArray  # (k, k + P): turns a change of the score into one of the effect
    edf: float
    residual: FloatArray  # (m,)


@dataclass(frozen=True, eq=False)
class _Conditional:
    """The solution for one ridge, averaged over the curve's penalty; see the module."""

    weight: float
    left: RidgedOut
    average: FloatArray
    spectrum: Spectrum
    choice: Penalties

    @cached_property
    def shrinkage(self) -> FloatArray:
        out: FloatArray = self.choice.weight @ self.choice.shrinkage
        return out

    @cached_property
    def inverse(self) -> FloatArray:
        return self.spectrum.back_diagonal(self.shrinkage)

    @cached_property
    def coefficients(self) -> FloatArray:
        curve = self.spectrum.directions @ (self.shrinkage * self.spectrum.score)
        return self.left.coefficients(curve)

    @cached_property
    def edf(self) -> float:
        own = float(self.shrinkage @ self.spectrum.information)
        return own + self.left.freedom(self.inverse)

    @cached_property
    def reported(self) -> FloatArray:
        """``I - L A G21``, shape (k, k)."""
        return np.eye(self.left.size) - self.average @ self.left.slopes

    @cached_property
    def by_interactions(self) -> FloatArray:
        """``(0, L A)``, shape (k, k + P)."""
        own = self.average @ self.left.inverse
        return np.hstack([np.zeros((len(own), self.left.size)), own])

    @cached_property
    def solve(self) -> FloatArray:
        return self.reported @ self.inverse @ self.left.freed + self.by_interactions

    @cached_property
    def solve_interactions(self) -> FloatArray:
        own = np.hstack([np.zeros_like(self.left.slopes), self.left.inverse])
        out: FloatArray = own - self.left.slopes @ self.inverse @ self.left.freed
        return out

    @property
    def root(self) -> FloatArray:
        """A root of the matrix that turns scores into coefficients, k + P rows."""
        own = self.left.root
        beside = np.vstack([np.zeros((self.left.size, own.shape[1])), own])
        curve = self.spectrum.directions @ self.spectrum.root(self.shrinkage)
        return np.hstack([self.left.freed.T @ curve, beside])

    def scores(self, points: Labels, variance: FloatArray, seen: BoolArray) -> RowScores:
        """Return the scores that are looked at: those of directions seen, and of interactions.

        Of m rows, shape (m, directions seen + P); for `points` and `variance` see `row_scores`.
        """
        within, size = self.left.within, self.left.size
        directions = self.left.freed.T @ self.spectrum.directions[:, seen]
        if len(directions) - size <= FEW_INTERACTIONS:
            interactions = np.eye(len(directions))[:, size:]
            return row_scores(within, points, variance, np.hstack([directions, interactions]))
        scores = row_scores(within, points, variance)
        every = scores.influence
        return replace(scores, influence=np.hstack([dot(every, directions), every[:, size:]]))

    def filled(self, meat: FloatArray, seen: BoolArray, noise: float) -> FloatArray:
        """Return the covariance of all scores, (k + P, k + P), given that of some; see `scores`.

        ``s1 = G11.2 D v + G12 A s2``, with D the directions, v the scores along them and G11.2 what
        the interactions leave of the products. Along directions not seen errors are even.
        """
        back = self.left.gram @ self.spectrum.directions
        whole = np.zeros((len(meat) - np.count_nonzero(seen) + self.left.size, len(meat)))
        whole[: self.left.size] = np.hstack([back[:, seen], self.left.slopes.T])
        whole[self.left.size :, np.count_nonzero(seen) :] = np.eye(len(self.left.ridge))
        out: FloatArray = whole @ meat @ whole.T
        rest = back[:, ~seen]
        out[: self.left.size, : self.left.size] += noise * rest @ rest.T
        return out

    def covariance(self, meat: FloatArray, noise: float) -> FloatArray:
        """Return the covariance of the reported curve, given that of the score, shape (k, k).

        `noise` (0 for none) is the errors' variance, for what the curve's penalty takes away.
        """
        turned = self.spectrum.directions.T @ self.left.freed
        back, beside = self.reported @ self.spectrum.directions, self.by_interactions
        own = averaged_covariance(self.spectrum, self.choice, turned @ meat @ turned.T, noise)
        crossed = (back * self.shrinkage) @ turned @ meat @ beside.T
        out: FloatArray = back @ own @ back.T + crossed + crossed.T + beside @ meat @ beside.T
        return out

    def of_ridge(self, noise: float) -> FloatArray:
        """Return what the ridge takes away, as a score's covariance, shape (k + P, k + P)."""
        prior = np.append(np.zeros(self.left.size), SMOOTHING_SHARE * noise * self.left.ridge)
        return np.diag(prior)


def solve_joint(
    basis: Hats, within: Within, average: FloatArray, owner: IntArray, n_covariates: int
) -> Joint:
    """Solve for a curve and its interactions.

    Parameters
    ----------
    basis : Hats
        Of the curve, k knots.
    within : Within
        Of curve and interactions.
    average : float array of shape (k, P)
        What the interactions come to along x, averaged over rows; see `average_of`.
    owner : int array of shape (P,)
        The block of each interaction, which has a ridge of its own.
    n_covariates : int
    """
    size = basis.size
    count = basis.totals(within.units.weights)
    row_share = count / count.sum()
    atoms = atoms_of(row_share)
    change = basis.bends(atoms)
    points = basis.rarer_point()
    each = [
        _condition(change, within, ridge, average, points, n_covariates)
        for ridge in weigh_ridges(within, size, owner)
    ]
    weights = [one.weight for one in each]
    coefficients = _mean(weights, [one.coefficients for one in each])
    edf = float(_mean(weights, [np.array(one.edf) for one in each]))
    units, residual = within.units, within.residual(coefficients)
    noise = float(units.sampling_weight * units.weights @ residual**2) / max(within.df - edf, 1.0)
    best = max(each, key=lambda one: one.weight)
    variance = row_variance(units, residual, 0.0)
    if units.cluster is None:
        seen = seen_directions(best.spectrum, best.choice, units)
        scores = best.scores(points, variance, seen)
        meat = score_covariance(scores, within, residual, n_covariates, edf)
        meat = best.filled(meat, seen, noise)
    else:
        scores = row_scores(within, points, variance)
        meat = score_covariance(scores, within, residual, n_covariates, edf, best.root)
    solve = _mean(weights, [one.solve for one in each])
    effects = [one.coefficients[:size] + average @ one.coefficients[size:] for one in each]
    effect = _mean(weights, effects)
    total = _mean(weights, [one.covariance(meat + one.of_ridge(noise), noise) for one in each])
    total += _mean(weights, [np.outer(e - effect, e - effect) for e in effects])
    if not basis.period:
        ends = [end_doubt(one.spectrum, one.choice, noise, row_share) for one in each]
        total += _mean(weights, ends)
    total[np.diag_indices_from(total)] += bend_between(knots_of(basis), effect, atoms) ** 2
    errors = solve @ meat @ solve.T
    of_interactions = [
        one.solve_interactions @ (meat + one.of_ridge(noise)) @ one.solve_interactions.T
        for one in each
    ]
    return Joint(
        effect=effect,
        coefficients=coefficients,
        errors=errors,
        beside_errors=total - errors,
        of_interactions=_mean(weights, of_interactions),
        solve=solve,
        edf=edf,
        residual=residual,
    )


def _condition(
    change: FloatArray,
    within: Within,
    ridge: Ridge,
    average: FloatArray,
    points: Labels,
    n_covariates: int,
) -> _Conditional:
    left = ridge_out(within, change.shape[1], ridge.ridge)
    spectrum = decompose(left.gram, left.score, change)
    units = within.units
    if units.cluster is None:
        choice = weigh_penalties(spectrum, left.total, max(within.df / units.design_effect, 1.0))
    else:
        choice = settle(spectrum, left, points, n_covariates).choice
    return _Conditional(ridge.weight, left, average, spectrum, choice)


def _mean(weights: Sequence[float], values: Sequence[FloatArray]) -> FloatArray:
    return np.sum([w * v for w, v in zip(weights, values, strict=True)], axis=0)


def knots_of(basis: Hats) -> FloatArray:
    """Return the knots of a curve."""
    if basis.knots is None:
        raise ValueError("a curve needs knots")
    return basis.knots
