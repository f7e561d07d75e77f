"""The effect of a numeric column: a piecewise linear curve, no rougher than the data demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy import linalg

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Labels, mean_and_scale
from paribus.estimate.basis import FEW_VALUES, Hats, atoms_of, hat_basis, place_knots
from paribus.estimate.covariance import (
    LEAST_LEVERAGE,
    MANY_ROWS,
    Moves,
    RowScores,
    error_df,
    influential_rows,
    row_scores,
    row_variance,
    score_covariance,
)
from paribus.estimate.covariates import Covariates
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import quadratic_p_value
from paribus.estimate.units import Units
from paribus.estimate.within import Within, compare_within

SPARE_DF = 0.2  # the stiffest penalty considered leaves a straight line this much freedom
SMOOTHING_SHARE = 0.5  # of the prior's smoothing bias counted in the covariance
END_SHARE, END_ROWS = 4.0, 0.05  # more of it at the ends, falling to none at that share of rows
ENOUGH_MORE = 1.1  # a design effect so much larger than assumed is taken into account
MOST_ROUNDS = 5  # in which that is found where rows belong together
FEWEST_IN_A_ROUND = 5  # knots of a curve that meets itself
TEST_DF = 4.0  # freedom of the curve whose size is tested against no effect at all
LEAST_SEEN = 0.01  # shrinkage of a direction: with less, it has no part in errors or tests


@dataclass(frozen=True, slots=True)
class CurveFit:
    """A piecewise linear effect, centred to mean zero over the rows."""

    knots: FloatArray  # (k,)
    effect: FloatArray  # (k,): at the knots
    covariance: FloatArray  # (k, k)
    row_share: FloatArray  # (k,): share of the rows at each of them
    edf: float  # how many numbers the curve is worth
    df: float  # degrees of freedom of the standard errors
    p_value: float  # of no effect at all
    residual: FloatArray  # (m,): of the rows at hand, in units of the target's standard deviation
    moves: Moves  # rows that move the curve by more than its standard error
    within: Within
    # Turns a change of the score into one of the effect, the target in standard deviations.
    solve: FloatArray  # (k, K)
    # How far the curve moves, in standard errors, when columns that act together are cut half as
    # finely.
    unsettled: float = 0.0


def fit_curve(basis: Hats, y: FloatArray, covariates: Covariates, strata: Partitions) -> CurveFit:
    """Estimate the effect of a column, given as hats between knots, on `y` (n,) in `strata`."""
    mean, scale = mean_and_scale(y, strata.weights)
    within = compare_within(basis, covariates, (y - mean) / scale, strata)
    count = basis.totals(strata.weights)
    return solve_curve(basis, basis.rarer_point(), within, count, covariates.n_active, scale)


def curve_basis(
    x: FloatArray, weights: FloatArray, fewer: float = 1.0, period: float = 0.0
) -> Hats:
    """Place knots along `x` (n,), none missing, and return its hats; see `place_knots`.

    A number that runs in a round of length `period` has a curve that meets itself.
    """
    basis = hat_basis(x, place_knots(x, weights, fewer))
    closes = basis.size >= FEWEST_IN_A_ROUND and np.ptp(x) < period
    return replace(basis, period=period) if closes else basis


def solve_curve(
    basis: Hats,
    points: Labels,
    within: Within,
    count: FloatArray,
    n_covariates: int,
    scale: float,
) -> CurveFit:
    """Find the curve from what is left inside the strata.

    The curve is averaged over the strength of its roughness penalty, weighted by the restricted
    likelihood; rows that weigh unequally, or share errors, are worth fewer than there are. Its
    covariance has four parts: the errors of the rows, each with a variance of its
    own; what the penalty smooths away, as a draw from the prior that it stands for; the doubt
    about the penalty; and what a piecewise linear curve misses between its knots.

    Parameters
    ----------
    basis : Hats
    points : int32 array of shape (m,)
        The point of each of the rows that `within` can look at.
    within : Within
    count : float array of shape (k,)
        Rows at each point.
    n_covariates : int
        Covariates taken out.
    scale : float
        Of the target; `within` is in units of it.
    """
    knots = basis.knots
    if knots is None:
        raise ValueError("a curve needs knots")
    row_share = count / count.sum()
    atoms = atoms_of(row_share)
    spectrum = decompose(within.gram, within.score, basis.bends(atoms))
    units = within.units
    solved = settle(spectrum, within, points, n_covariates)
    effect, edf, residual = solved.effect, solved.edf, solved.residual
    meat = null = solved.filled(spectrum, solved.meat)
    noise = solved.worth * solved.noise  # the prior's bends are as large as such rows can tell
    covariance = spectrum.back(averaged_covariance(spectrum, solved.choice, meat, noise))
    if not basis.period:
        covariance += end_doubt(spectrum, solved.choice, noise, row_share)
    covariance[np.diag_indices_from(covariance)] += bend_between(knots, effect, atoms) ** 2
    if units.n_rows <= MANY_ROWS:
        nothing = within.residual(np.zeros_like(effect))
        null = score_covariance(solved.scores, within, nothing, n_covariates, 0.0)
        null = solved.filled(spectrum, null)
    df = error_df(units, within.df - edf)
    covariance = centred_by(row_share, centred_by(row_share, covariance).T)
    solve = centred_by(row_share, spectrum.back_diagonal(solved.shrinkage))
    return CurveFit(
        knots=knots,
        effect=scale * centred_by(row_share, effect),
        covariance=scale**2 * covariance,
        row_share=row_share,
        edf=edf,
        df=df,
        p_value=quadratic_p_value(spectrum.score, spectrum.test_weights, null, df),
        residual=residual,
        moves=influential_rows(within, solve, residual).times(scale),
        within=within,
        solve=solve,
    )


def centred_by(share: FloatArray, points: FloatArray) -> FloatArray:
    """Return numbers of points (K,) or (K, m) less their mean over rows, `share` (K,) at each.

    Examples
    --------
    >>> centred_by(np.array([0.25, 0.75]), np.array([[0.0], [4.0]])).tolist()
    [[-3.0], [1.0]]
    """
    return points - share @ points


@dataclass(frozen=True)
class Spectrum:
    """Directions in which gram and penalty are both diagonal."""

    directions: FloatArray  # (K, m): from stiff to bending
    information: FloatArray  # (m,)
    roughness: FloatArray  # (m,)
    score: FloatArray  # (m,)

    def shrinkage(self, penalty: FloatArray) -> FloatArray:
        """Return the inverse of the penalised gram for each of G penalties, shape (G, m)."""
        return 1 / np.maximum(self.information + np.multiply.outer(penalty, self.roughness), 1e-12)

    def root(self, shrinkage: FloatArray) -> FloatArray:
        """Return a root of the inverse, less directions that the rows hardly tell, (m, r)."""
        seen = shrinkage * self.information > LEAST_LEVERAGE
        return np.diag(np.sqrt(shrinkage))[:, seen]

    def back(self, matrix: FloatArray) -> FloatArray:
        """Return a covariance in these directions as one of the points."""
        return self.directions @ matrix @ self.directions.T

    def back_diagonal(self, variance: FloatArray) -> FloatArray:
        """Return variances (m,) in these directions, free of each other, as a covariance."""
        out: FloatArray = (self.directions * variance) @ self.directions.T
        return out

    @cached_property
    def test_weights(self) -> FloatArray:
        """The shrinkage of a curve worth `TEST_DF` numbers, shape (m,), whatever the target."""
        if len(self.roughness) <= TEST_DF or not self.roughness.any():
            return self.shrinkage(np.zeros(1))[0]
        grid = self.shrinkage(self.penalties(200))
        freedom = (grid * self.information).sum(axis=1)
        return grid[np.argmin(np.abs(freedom - TEST_DF))]

    def penalties(self, size: int) -> FloatArray:
        """Return a grid of penalties from next to none to nearly a straight line, shape (size,)."""
        rough = self.roughness[self.roughness > 0]
        low, high = np.log(1e-3 / rough.max()), np.log(1e4 / rough.min())
        return np.exp(np.linspace(low, high, size))


def decompose(gram: FloatArray, score: FloatArray, change: FloatArray) -> Spectrum:
    """Bring gram G and penalty P to diagonal form: ``D'GD`` and ``D'PD`` have no off-diagonals.

    What the data say nothing about is left to the penalty: a trace of it is added to the gram.
    """
    size = len(score)
    centred = _centred(size)  # constants are not identified
    gram, bends = centred.T @ gram @ centred, change @ centred
    rough = bends.T @ bends
    trace = 1e-8 * np.trace(gram) / max(np.trace(rough), 1e-300)
    floor = (1e-13 * np.trace(gram) / size + 1e-300) * np.eye(size - 1)
    root = _root(gram + trace * rough + floor)
    # Eigenvalues of the penalty as squares of singular values: of the small ones, which decide on
    # how straight a curve is, twice as many digits are right.
    turned, bent, _ = np.linalg.svd(linalg.lapack.dtrtrs(root, bends.T, lower=True)[0])
    turned, _ = linalg.lapack.dtrtrs(root, turned[:, ::-1], lower=True, trans=True)
    directions = centred @ turned
    n_straight = max(size - 1 - (len(change) if change.any() else 0), 0)
    values = np.zeros(size - 1)
    values[n_straight:] = np.maximum(bent[: size - 1 - n_straight][::-1] ** 2, 1e-300)
    return Spectrum(directions, np.maximum(1 - trace * values, 0.0), values, directions.T @ score)


@lru_cache(maxsize=256)
def _centred(size: int) -> FloatArray:
    """Return an orthonormal basis of what sums up to zero, shape (size, size - 1)."""
    return np.asarray(linalg.null_space(np.ones((1, size))))


def _root(gram: FloatArray) -> FloatArray:
    """Return the Cholesky factor of a gram; rounding may have made it indefinite."""
    try:
        return np.asarray(np.linalg.cholesky(gram))
    except linalg.LinAlgError:
        # Twice the lowest: of what is nothing but rounding it is no better known than that.
        below = max(-float(np.linalg.eigvalsh(gram)[0]), 0.0)
        least = 1e-10 * max(float(np.trace(gram)), 0.0) + 2 * below + 1e-300
        return np.asarray(np.linalg.cholesky(gram + least * np.eye(len(gram))))


@dataclass(frozen=True, slots=True)
class _Solved:
    """A curve for rows worth so many, and the errors that it leaves."""

    choice: Penalties
    shrinkage: FloatArray
    effect: FloatArray
    edf: float
    residual: FloatArray
    noise: float
    worth: float  # rows that are worth one even, independent row
    seen: BoolArray  # (m,): directions that have a part in errors and tests, r of them
    scores: RowScores  # in these
    meat: FloatArray  # (r, r): covariance of their scores

    def filled(self, spectrum: Spectrum, covariance: FloatArray) -> FloatArray:
        """Return a covariance (r, r) in all directions, (m, m); even errors in those not seen."""
        out = np.diag(self.noise * spectrum.information)
        out[np.ix_(self.seen, self.seen)] = covariance
        return out


def settle(spectrum: Spectrum, within: Within, points: Labels, n_covariates: int) -> _Solved:
    """Find the curve, and with it how many rows are worth one that is even and independent.

    Where rows belong together the search begins with a stiff curve: a rough one would pass through
    the clusters, and see no errors that their rows share.
    """
    clustered = within.units.cluster is not None
    worth = max(within.df, 1.0) if clustered else within.units.design_effect
    solved = _solve(spectrum, within, points, n_covariates, worth)
    for _ in range(MOST_ROUNDS if clustered else 1):
        found = design_effect(spectrum, solved)
        less = clustered and 0 < found * ENOUGH_MORE < worth
        if not less and found <= ENOUGH_MORE * worth:
            break
        worth = found
        solved = _solve(spectrum, within, points, n_covariates, worth, solved)
    return solved


def _solve(
    spectrum: Spectrum,
    within: Within,
    points: Labels,
    n_covariates: int,
    worth: float,
    before: _Solved | None = None,
) -> _Solved:
    """Find the curve when `worth` rows are worth one even, independent row."""
    units = within.units
    # Errors that rows share are seen between clusters only: what a curve leaves inside is no guide.
    known = None if before is None or units.cluster is None else worth * before.noise
    choice = weigh_penalties(spectrum, within.total, max(within.df / worth, 1.0), known)
    shrinkage = choice.weight @ choice.shrinkage
    effect = spectrum.directions @ (shrinkage * spectrum.score)
    edf = float(shrinkage @ spectrum.information)
    residual = within.residual(effect)
    squares = float(units.sampling_weight * units.weights @ residual**2)
    if before is None:
        seen = seen_directions(spectrum, choice, units)
        variance = row_variance(units, residual, 0.0)
        scores = row_scores(within, points, variance, spectrum.directions[:, seen])
    else:
        seen, scores = before.seen, before.scores
    root = spectrum.root(shrinkage)[seen]
    meat = score_covariance(scores, within, residual, n_covariates, edf, root)
    noise = squares / max(within.df - edf, 1.0)
    return _Solved(choice, shrinkage, effect, edf, residual, noise, worth, seen, scores, meat)


def seen_directions(spectrum: Spectrum, choice: Penalties, units: Units) -> BoolArray:
    """Return the directions that have a part in errors and tests, shape (m,).

    Of the others the penalty leaves next to nothing. Where rows belong together none is left out:
    the search for their worth begins with a stiff curve.
    """
    if units.cluster is not None:
        return np.ones(len(spectrum.score), dtype=np.bool_)
    shrinkage = np.sqrt(choice.weight @ choice.shrinkage**2 * spectrum.information)
    test = spectrum.test_weights
    return (shrinkage > LEAST_SEEN) | (test > LEAST_SEEN * test.max(initial=0.0))


def design_effect(spectrum: Spectrum, solved: _Solved) -> float:
    """Return how much larger the score's variance is than that of even, independent rows.

    In the directions in which the curve bends.
    """
    bending = spectrum.roughness[solved.seen] > 0
    information = spectrum.information[solved.seen][bending]
    independent = max(solved.noise * float(information.sum()), 1e-300)
    return float(np.diag(solved.meat)[bending].sum()) / independent


@dataclass(frozen=True, slots=True)
class Penalties:
    """A grid of penalties (G,), their weights (G,) by likelihood, and shrinkage (G, m)."""

    penalty: FloatArray
    weight: FloatArray
    shrinkage: FloatArray


def weigh_penalties(
    spectrum: Spectrum, total: float, df: float, noise: float | None = None
) -> Penalties:
    """Weigh a grid of penalties by their restricted likelihood, for noise that is known or not.

    Averaging over it instead of taking its peak is what keeps intervals honest where the peak
    says "straight" and the data cannot tell.
    """
    bending = spectrum.roughness > 0
    if not bending.any():
        return Penalties(np.zeros(1), np.ones(1), spectrum.shrinkage(np.zeros(1)))
    penalty = spectrum.penalties(120)
    shrinkage = spectrum.shrinkage(penalty)
    freedom = (shrinkage * spectrum.information).sum(axis=1)
    kept = freedom >= min((~bending).sum() + SPARE_DF, freedom.max())
    penalty, shrinkage = penalty[kept], shrinkage[kept]
    least = 1e-12 * total + 1e-300
    misfit = np.maximum(total - shrinkage @ spectrum.score**2, least)
    misfit = df * np.log(misfit) if noise is None else misfit / max(noise, least)
    fit = misfit - np.log(shrinkage).sum(axis=1) - bending.sum() * np.log(penalty)
    weight = np.exp(-0.5 * (fit - fit.min()))
    return Penalties(penalty, weight / weight.sum(), shrinkage)


def averaged_covariance(
    spectrum: Spectrum, choice: Penalties, meat: FloatArray, noise: float
) -> FloatArray:
    """Return sampling error, smoothing bias and the penalty's own doubt together, shape (m, m)."""
    weighted = choice.shrinkage * choice.weight[:, None]
    sampling = meat * (choice.shrinkage.T @ weighted)
    smoothing = SMOOTHING_SHARE * noise * _smoothed_away(spectrum, choice)
    doubt = (choice.shrinkage - choice.weight @ choice.shrinkage) * spectrum.score
    out: FloatArray = sampling + np.diag(smoothing) + doubt.T @ (doubt * choice.weight[:, None])
    return out


def _smoothed_away(spectrum: Spectrum, choice: Penalties) -> FloatArray:
    """Return the variance of what the penalty takes away from a draw of its prior, shape (m,)."""
    squared = choice.weight @ (choice.penalty[:, None] * choice.shrinkage**2)
    out: FloatArray = spectrum.roughness * squared
    return out


def end_doubt(
    spectrum: Spectrum, choice: Penalties, noise: float, row_share: FloatArray
) -> FloatArray:
    """Return what more the penalty may take away towards the ends of a curve, shape (K, K).

    A curve is smoothed as its middle asks for, where the rows are. Towards the ends, with no rows
    beyond to hold it, it comes out too straight more often than that.
    """
    below = np.cumsum(row_share) - row_share / 2
    outside = np.clip(1 - np.minimum(below, 1 - below) / END_ROWS, 0, 1)
    more = np.sqrt(END_SHARE * noise * outside)
    prior = spectrum.back_diagonal(_smoothed_away(spectrum, choice))
    return prior * np.outer(more, more)


def bend_between(knots: FloatArray, effect: FloatArray, atoms: IntArray) -> FloatArray:
    """Return by how much a piecewise linear curve misses a parabola with these bends, shape (K,).

    Negligible beside noise; without noise it is what there is to be unsure about. At `atoms` the
    curve may jump, which is no bend.
    """
    out = np.zeros(len(effect))
    if len(knots) > FEW_VALUES:
        kept = np.delete(np.arange(len(knots)), atoms)
        step = np.diff(knots[kept])
        turn = np.diff(np.diff(effect[kept]) / step)
        bend = np.abs(turn * step[:-1] * step[1:] / (step[:-1] + step[1:]) / 6)
        out[kept] = np.concatenate([bend[:1], bend, bend[-1:]])
    return out
