"""The effect of a category: one number per level, by least squares inside the strata."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Labels, mean_and_scale
from paribus.estimate.bands import normal_quantile, student_quantile
from paribus.estimate.basis import level_basis
from paribus.estimate.covariance import (
    LEAST_LEFT,
    Moves,
    RowScores,
    error_df,
    influential_rows,
    may_leave_out,
    row_scores,
    score_covariance,
)
from paribus.estimate.covariates import Covariates
from paribus.estimate.groups import sums_of
from paribus.estimate.many_levels import (
    PRIOR_ROWS,
    Solution,
    level_variance,
    shared_errors,
    solve_many,
)
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import quadratic_p_value
from paribus.estimate.within import Within, compare_within

DENSE_LEVELS = 300  # more are solved by conjugate gradients, on one partition
UNSEEN = 1e-6  # share of a direction's rows left inside the strata: below it, nothing is known
SAME_ROW = 1e-4
CARRY_A_LEVEL = 100  # rows: one of two levels with twice as many has errors as numbers have
FEWEST_TO_DIFFER = 3  # rows of a level that tell whether its errors are larger than others'
USUAL_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class LevelFit:
    """One number a level, each island centred to mean zero over its rows."""

    effect: FloatArray  # (K,): NaN for a level that no row compares with another
    # Which levels can be compared with each other; 0 is the island with the most rows.
    island: IntArray  # (K,)
    # Widened to make up for few rows: normal intervals are as wide as Student's.
    standard_error: FloatArray  # (K,)
    df: FloatArray  # (K,): how many rows each standard error rests on
    covariance: FloatArray | None  # (K, K): of the centred effects; None for very many levels
    # In its place for very many levels: times itself, transposed, it is the covariance.
    root: FloatArray | None  # (K, r)
    p_value: float  # of no effect at all
    residual: FloatArray  # (m,): of the rows at hand, in units of the target's standard deviation
    # Rows that move a level by more than its standard error; none are looked for where there are
    # very many levels.
    moves: Moves
    within: Within | None = None  # none for very many levels
    # Turns a change of the score into one of the levels, before they are centred, the target in
    # standard deviations; empty for very many levels.
    solve: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # (K, K)
    unsettled: float = 0.0  # as in `CurveFit`

    def as_of_a_curve(self) -> tuple[FloatArray, float]:
        """Return the covariance (K, K) and degrees of freedom as a curve has them.

        Where all levels rest on as many rows or clusters, the covariance is not widened.
        """
        if self.covariance is None:
            raise ValueError("very many levels have no covariance")
        if np.ptp(self.df) > 0:
            return self.covariance, np.inf
        return self.covariance / _wider(self.df[0]) ** 2, float(self.df[0])


def fit_levels(
    codes: IntArray, n_levels: int, y: FloatArray, covariates: Covariates, strata: Partitions
) -> LevelFit:
    """Estimate the effect of each level, `codes` (n,) in 0 to n_levels - 1, inside `strata`.

    Plain least squares: a level with few rows gets a wide interval, not a value pulled to the
    mean.
    """
    mean, scale = mean_and_scale(y, strata.weights)
    target = (y - mean) / scale
    count = sums_of(codes, strata.weights, n_levels)
    basis = level_basis(codes, n_levels)
    if n_levels <= DENSE_LEVELS:
        within = compare_within(basis, covariates, target, strata)
        return solve_levels(basis.index, within, count, covariates.n_active, scale)
    solution = solve_many(basis, target, covariates, strata.only_first())
    return _centred_fit(solution, count, scale, Moves.none(n_levels))


def solve_levels(
    level: Labels, within: Within, count: FloatArray, n_covariates: int, scale: float
) -> LevelFit:
    """Find the levels' effects from what is left inside the strata.

    Parameters
    ----------
    level : int32 array of shape (m,)
        Of each of the rows that `within` can look at.
    within : Within
    count : float array of shape (K,)
        Rows of each level.
    n_covariates : int
        Covariates taken out.
    scale : float
        Of the target; `within` is in units of it.
    """
    size = 1 / np.sqrt(np.where(count > 0, count, 1.0))  # of a level without rows nothing is known
    values, vectors = np.linalg.eigh(within.gram * np.outer(size, size))
    vectors *= size[:, None]
    seen = values > UNSEEN
    half = vectors[:, seen] / np.sqrt(values[seen])
    score = half.T @ within.score
    effect = half @ score
    units, residual = within.units, within.residual(effect)
    df = max(within.df - np.count_nonzero(seen), 1.0)
    noise = float(units.sampling_weight * units.weights @ residual**2) / df
    variance = level_variance(level, residual, units, noise, len(count))[level]
    scores = row_scores(within, level, variance)
    if units.cluster is None:
        errors = _errors_that_count(level[scores.at], residual[scores.at], scores, half, noise)
        covariance, rows = scores.by_row(errors.variance[level[scores.at]]), errors.rows
        test_df = min(errors.df, df)
        if len(count) == 2:  # a number of two values has the errors of one, unless one is rare
            few = float(np.clip(2 - rows.min() / CARRY_A_LEVEL, 0.0, 1.0))
            robust = score_covariance(scores, within, residual, n_covariates, len(score))
            covariance = few * covariance + (1 - few) * robust
            rows = 1 / (few / np.maximum(rows, 1e-9) + (1 - few) / df)
            test_df = 1 / (few / max(test_df, 1e-9) + (1 - few) / df)
    else:
        if may_leave_out(int(units.cluster.max()) + 1, len(score)):
            covariance = score_covariance(scores, within, residual, n_covariates, len(score), half)
        else:
            covariance = scores.of_shared(variance, shared_errors(residual, units))
        covariance += _of_lone_clusters(level, units.cluster, covariance, scores.by_row(variance))
        test_df = error_df(units, df)
        rows = np.full(len(count), test_df)
    meat = half.T @ covariance @ half
    p_value = quadratic_p_value(score, np.ones(len(score)), meat, test_df)
    island = _islands_of_unseen(vectors[:, ~seen])
    solution = Solution(effect, island, half @ _root(meat), rows, p_value, residual)
    solve = half @ half.T
    moves = influential_rows(within, solve, residual).times(scale)
    return replace(_centred_fit(solution, count, scale, moves), within=within, solve=solve)


@dataclass(frozen=True, slots=True)
class _Errors:
    """Error variances of levels (K,), and how many rows tell them."""

    variance: FloatArray
    rows: FloatArray
    df: float  # of all of them together (Satterthwaite)


def _errors_that_count(
    level: Labels, residual: FloatArray, scores: RowScores, half: FloatArray, noise: float
) -> _Errors:
    """Return each level's error variance: a mean over its rows by what they do to the levels.

    Few rows may carry a level, those that can be compared with others, and their errors may be
    larger than those of the rest. A residual is as much too small as its row pulls the fit towards
    itself. The variance is drawn to the pooled one, `noise`, by as many rows as levels are alike.
    """
    units, n_levels = scores.units, len(half)
    pull = np.square(scores.influence @ half).sum(axis=1)
    own = units.weights / units.counts * pull
    left = np.maximum(units.one_minus_leverage - own, LEAST_LEFT)
    counted = units.error_weights * pull
    total = np.maximum(sums_of(level, counted, n_levels), 1e-300)
    squares = sums_of(level, counted * residual**2 / left, n_levels)
    alike = units.sampling_weight * units.counts  # rows that a row stands for
    rows = total**2 / np.maximum(sums_of(level, counted**2 / alike, n_levels), 1e-300)
    # Demeaning swaps a part of a row's error for those of its stratum, which may be smaller.
    kept = np.maximum(sums_of(level, counted * units.one_minus_leverage, n_levels) / total, 0.5)
    own_variance = squares / total
    own_variance = np.maximum(own_variance, (own_variance - (1 - kept) * noise) / kept)
    prior = rows_of_prior(own_variance, rows)
    variance = (rows * own_variance + prior * noise) / (rows + prior)
    if prior < PRIOR_ROWS:  # the pooled variance says nothing of a level with larger errors
        told = rows >= FEWEST_TO_DIFFER
        variance = np.where(told, np.maximum(variance, own_variance), variance)
    free = np.maximum(rows - 1, 0.0) + prior  # its own mean takes one row
    part = total * variance  # of the test's variance
    df = part.sum() ** 2 / np.maximum(np.sum(part**2 / free), 1e-300)
    return _Errors(variance, free, float(df))


def rows_of_prior(variance: FloatArray, rows: FloatArray) -> float:
    """Return how many rows the pooled variance is worth beside a level's own, `PRIOR_ROWS` at most.

    The more the levels' variances (K,) differ, beyond what so many `rows` (K,) each do by chance,
    the fewer (Smyth 2004, with the weighted moments of DerSimonian and Laird 1986).

    Examples
    --------
    >>> rows = np.array([100.0, 50.0, 12.0])
    >>> rows_of_prior(np.array([1.0, 1.1, 0.8]), rows)
    10.0
    >>> round(rows_of_prior(np.array([0.25, 1.0, 25.0]), rows), 1)
    1.4
    """
    told = (rows >= FEWEST_TO_DIFFER) & (variance > 0)
    if np.count_nonzero(told) < 2:
        return PRIOR_ROWS
    half = rows[told] / 2
    size = np.log(variance[told]) - digamma(half) + np.log(half)
    weight = 1 / polygamma(1, half)
    total = weight.sum()
    beyond = weight @ (size - weight @ size / total) ** 2 - (len(size) - 1)
    spread = beyond / (total - weight @ weight / total)
    if spread <= polygamma(1, PRIOR_ROWS / 2):
        return PRIOR_ROWS
    return float(2 * brentq(lambda d: polygamma(1, d) - spread, 1e-3, PRIOR_ROWS / 2))


def _of_lone_clusters(
    level: Labels, cluster: Labels, by_cluster: FloatArray, by_row: FloatArray
) -> FloatArray:
    """Return what is missing in the score's covariance of levels that lie in one cluster, (K, K).

    Their rows add up to nothing, as if they were exact; their errors are at least those of rows.
    """
    short = np.maximum(np.diag(by_row) - np.diag(by_cluster), 0.0)
    return np.diag(np.where(in_one_cluster(level, cluster, len(by_row)), short, 0.0))


def in_one_cluster(level: IntArray | Labels, cluster: Labels, n_levels: int) -> BoolArray:
    """Tell which levels (K,) have all their rows in one cluster.

    Examples
    --------
    >>> in_one_cluster(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1], np.int32), 2).tolist()
    [False, True]
    """
    first, last = np.full(n_levels, np.inf), np.full(n_levels, -np.inf)
    np.minimum.at(first, level, cluster)
    np.maximum.at(last, level, cluster)
    return np.asarray(first == last)


def _centred_fit(solution: Solution, count: FloatArray, scale: float, moves: Moves) -> LevelFit:
    island = _by_size(solution.island, count)
    alone = np.bincount(island)[island] == 1
    effect = scale * centred_in_islands(solution.effect[:, None], island, count)[:, 0]
    wider = _wider(solution.df)
    root = scale * wider[:, None] * centred_in_islands(solution.root, island, count)
    error = np.sqrt(np.einsum("ij,ij->i", root, root))
    effect[alone], error[alone] = np.nan, np.nan
    dense = len(count) <= DENSE_LEVELS
    return LevelFit(
        effect=effect,
        island=island,
        standard_error=error,
        df=solution.df,
        covariance=root @ root.T if dense else None,
        root=None if dense else root,
        p_value=solution.p_value,
        residual=solution.residual,
        moves=moves,
    )


def _wider(df: FloatArray) -> FloatArray:
    """Return how much wider Student's intervals are than normal ones."""
    return student_quantile(USUAL_LEVEL, df) / normal_quantile(USUAL_LEVEL)


def _islands_of_unseen(unseen: FloatArray) -> IntArray:
    """Number the groups of levels that can be compared, shape (K,).

    The columns of `unseen` (K, m) are the directions that the data say nothing about. Two levels
    can be compared when none of them tells the two apart: when their rows are equal. That finds
    levels that never meet, and levels that another column's levels separate, alike.
    """
    size = np.sqrt(np.einsum("ij,ij->j", unseen, unseen))
    rows = unseen / np.maximum(size, 1e-300)
    island = np.full(len(rows), -1)
    for k in range(len(rows)):
        if island[k] < 0:
            alike = np.all(np.abs(rows - rows[k]) < SAME_ROW, axis=1) & (island < 0)
            island[alike] = island.max() + 1
    return island


def _by_size(island: IntArray, count: FloatArray) -> IntArray:
    """Number islands (K,) anew, the one with the most rows 0."""
    number = np.unique(island, return_inverse=True)[1]
    order = np.argsort(-np.bincount(number, count), kind="stable")
    return np.argsort(order, kind="stable")[number]


def centred_in_islands(values: FloatArray, island: IntArray, count: FloatArray) -> FloatArray:
    """Return `values` (K, m) less their mean over the rows of each level's island."""
    n_islands, size = int(island.max()) + 1, len(island)
    share = count / np.maximum(sums_of(island, count, n_islands), 1e-300)[island]
    average = sparse.csr_array((share, (island, np.arange(size))), shape=(n_islands, size))
    mean: Any = average @ values
    return values - mean[island]


def _root(covariance: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))
