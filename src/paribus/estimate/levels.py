"""The effect of a category: one number a level, by least squares inside the strata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.stats import f as f_distribution

from paribus.base.arrays import BLOCK, FloatArray, IntArray
from paribus.estimate.adjust import Covariates
from paribus.estimate.bands import normal_quantile, student_quantile
from paribus.estimate.basis import Basis, level_basis
from paribus.estimate.groups import add_rows, sums_of, weighted_gram
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import quadratic_p_value
from paribus.estimate.within import Within, blocks_of, compare_within, rows_looked_at, slopes_on

DENSE_LEVELS = 300  # more are solved by conjugate gradients, on one partition
UNSEEN = 1e-6  # share of a direction's rows left inside the strata: below it, nothing is known
SAME_ROW = 1e-4
PRIOR_ROWS = 10  # weight of the pooled variance in a level's own
USUAL_LEVEL = 0.95
N_DRAWS = 60  # random errors that stand for the covariance of very many levels


@dataclass(frozen=True, slots=True)
class LevelFit:
    """One number a level, each island centred to mean zero over its rows.

    Attributes
    ----------
    effect : float array of shape (K,)
        NaN for a level that no row compares with another.
    island : int array of shape (K,)
        Which levels can be compared with each other; 0 is the island with the most rows.
    standard_error : float array of shape (K,)
        Widened to make up for few rows: normal intervals are as wide as Student's.
    df : float array of shape (K,)
        How many rows each standard error rests on.
    covariance : float array of shape (K, K), or None
        Of the centred effects; None for very many levels.
    p_value : float
        Of no effect at all.
    residual : float array of shape (n,)
        In units of the target's standard deviation.
    """

    effect: FloatArray
    island: IntArray
    standard_error: FloatArray
    df: FloatArray
    covariance: FloatArray | None
    p_value: float
    residual: FloatArray


def fit_levels(
    codes: IntArray, n_levels: int, y: FloatArray, covariates: Covariates, strata: Partitions
) -> LevelFit:
    """Estimate the effect of each level, `codes` (n,) in 0 to n_levels - 1, inside `strata`.

    Plain least squares: a level with few rows gets a wide interval, not a value pulled to the
    mean.
    """
    mean = np.average(y, weights=strata.weights)
    scale = float(np.sqrt(np.average((y - mean) ** 2, weights=strata.weights))) or 1.0
    target = (y - mean) / scale
    count = sums_of(codes, strata.weights, n_levels)
    basis = level_basis(codes, n_levels)
    if n_levels <= DENSE_LEVELS:
        within = compare_within(basis, covariates, target, strata)
        return solve_levels(basis, within, count, scale)
    return _centred_fit(_solve_sparse(basis, target, covariates, strata.only_first()), count, scale)


def solve_levels(basis: Basis, within: Within, count: FloatArray, scale: float) -> LevelFit:
    """Find the levels' effects from what is left inside the strata.

    Parameters
    ----------
    basis : Basis
        The level of each row that `within` may look at the errors of.
    within : Within
    count : float array of shape (K,)
        Rows of each level.
    scale : float
        Of the target; `within` is in units of it.
    """
    return _centred_fit(_solve_dense(basis, within, count), count, scale)


def _centred_fit(solution: _Solution, count: FloatArray, scale: float) -> LevelFit:
    island = _by_size(solution.island, count)
    alone = np.bincount(island)[island] == 1
    effect = scale * _centred(solution.effect[:, None], island, count)[:, 0]
    wider = student_quantile(USUAL_LEVEL, solution.df) / normal_quantile(USUAL_LEVEL)
    root = scale * wider[:, None] * _centred(solution.root, island, count)
    error = np.sqrt(np.einsum("ij,ij->i", root, root))
    effect[alone], error[alone] = np.nan, np.nan
    return LevelFit(
        effect=effect,
        island=island,
        standard_error=error,
        df=solution.df,
        covariance=root @ root.T if len(count) <= DENSE_LEVELS else None,
        p_value=solution.p_value,
        residual=solution.residual,
    )


@dataclass(frozen=True, slots=True)
class _Solution:
    """Effects (K,), a root (K, m) of their covariance, p-value and residual (n,), not centred.

    Effects of one island (K,) can be compared, those of different ones cannot. The errors rest on
    `df` (K,) rows.
    """

    effect: FloatArray
    island: IntArray
    root: FloatArray
    df: FloatArray
    p_value: float
    residual: FloatArray


def _solve_dense(basis: Basis, within: Within, count: FloatArray) -> _Solution:
    scale = 1 / np.sqrt(np.maximum(count, 1e-300))
    values, vectors = np.linalg.eigh(within.gram * np.outer(scale, scale))
    vectors *= scale[:, None]
    seen = values > UNSEEN
    half = vectors[:, seen] / np.sqrt(values[seen])
    score = half.T @ within.score
    effect = half @ score
    errors = within.errors(effect)
    df = max(within.df - np.count_nonzero(seen), 1.0)
    level, noise = basis.index[errors.rows], errors.noise / df
    variance = _level_variance(level, errors.residual, errors.left, errors.weights, noise)
    meat = half.T @ errors.meat(variance) @ half
    p_value = quadratic_p_value(score, np.ones(len(score)), meat, df)
    island = _islands_of_unseen(vectors[:, ~seen])
    rows = sums_of(level, errors.weights / errors.sampling_weight, basis.size) + PRIOR_ROWS
    return _Solution(effect, island, half @ _root(meat), rows, p_value, errors.residual)


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


def _solve_sparse(
    basis: Basis, y: FloatArray, covariates: Covariates, strata: Partitions
) -> _Solution:
    """Solve for very many levels; the covariance is that of random errors sent the same way."""
    system = _laplacian(basis, covariates, y, strata)
    diagonal, weights = system.diagonal, strata.weights
    effect = conjugate_gradients(system.times, system.score[:, None], diagonal)[:, 0]
    residual = system.residual(effect)
    df = max(system.df - basis.size + 1, 1.0)
    noise = float(weights @ residual**2) / df
    variance = _level_variance(basis.index, residual, strata.left, weights, noise)
    scores = system.random_scores(variance * strata.error_weights)
    root = conjugate_gradients(system.times, scores, diagonal)
    null = np.sum(scores * root, axis=0) * N_DRAWS
    shape = 2 * null.mean() ** 2 / max(null.var(), 1e-300)
    statistic = float(system.score @ effect)
    p_value = float(f_distribution.sf(statistic / null.mean(), shape, df)) if null.any() else 1.0
    island = find_islands(basis, strata)
    rows = sums_of(basis.index, weights, basis.size) + PRIOR_ROWS
    return _Solution(effect, island, root, 1 / (1 / rows + 1 / N_DRAWS), p_value, residual)


@dataclass(frozen=True, slots=True)
class _Laplacian:
    """The levels' system on one partition, never formed.

    Attributes
    ----------
    basis : Basis
    covariates : Covariates
    y : float array of shape (n,)
    strata : Partitions
    shares : sparse array of shape (L, K)
        Of the levels in each stratum.
    means : float array of shape (L, q + 1)
        Of covariates and target in each stratum.
    crossed : float array of shape (K, q + 1)
        Products of the levels with these, inside the strata.
    slopes : float array of shape (q, K + 1)
        Of levels and target on the covariates.
    count : float array of shape (K,)
    """

    basis: Basis
    covariates: Covariates
    y: FloatArray
    strata: Partitions
    shares: sparse.csr_array
    means: FloatArray
    crossed: FloatArray
    slopes: FloatArray
    count: FloatArray

    @property
    def df(self) -> float:
        n_covariates = np.count_nonzero(self.covariates.active)
        return float(self.strata.weights.sum()) - len(self.means) - n_covariates

    @property
    def score(self) -> FloatArray:
        return self.crossed[:, -1] - self.crossed[:, :-1] @ self.slopes[:, -1]

    @property
    def diagonal(self) -> FloatArray:
        return sums_of(self.basis.index, self.strata.weights * self.strata.left, self.basis.size)

    def times(self, columns: FloatArray) -> FloatArray:
        """Return the system times `columns` (K, m)."""
        totals = self.strata.totals[0][:, None]
        inner = self.count[:, None] * columns - self.shares.T @ (totals * (self.shares @ columns))
        return inner - self.crossed[:, :-1] @ (self.slopes[:, :-1] @ columns)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target, shape (n,)."""
        slopes = self.slopes[:, -1] - self.slopes[:, :-1] @ effect
        left = self.y - self.covariates.times(slopes) - effect[self.basis.index]
        return self.strata.demean(left[:, None])[:, 0]

    def random_scores(self, variance: FloatArray) -> FloatArray:
        """Return scores of random errors of `variance` (n,) in rows that stand for all.

        Shape (K, `N_DRAWS`); their products add up to the score's covariance.
        """
        sampling_weight = rows_looked_at(self.basis)
        seen = np.flatnonzero(sampling_weight)
        spread = np.sqrt(sampling_weight * variance / N_DRAWS)
        draw = np.random.default_rng(0)
        by_level = np.zeros((self.basis.size, N_DRAWS))
        by_stratum = np.zeros((len(self.means), N_DRAWS))
        by_covariate = np.zeros((len(self.slopes), N_DRAWS))
        for start in range(0, len(seen), BLOCK):
            rows = seen[start : start + BLOCK]
            label, even = self.strata.labels[0][rows], np.ones(len(rows))
            errors = spread[rows, None] * draw.standard_normal((len(rows), N_DRAWS))
            add_rows(errors, even, self.basis.index[rows], by_level)
            add_rows(errors, even, label, by_stratum)
            freed = self.covariates.rows(rows) - self.means[label, :-1]
            by_covariate += freed.T @ errors
        return by_level - self.shares.T @ by_stratum - self.slopes[:, :-1].T @ by_covariate


def _laplacian(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions
) -> _Laplacian:
    weights, label, totals = strata.weights, strata.labels[0], strata.totals[0]
    q, size = len(covariates.active), (len(totals), basis.size)
    shares = sparse.coo_array((weights / totals[label], (label, basis.index)), shape=size).tocsr()
    inner, crossed = np.zeros((q + 1, q + 1)), np.zeros((basis.size, q + 1))
    roots = []
    for block in blocks_of(strata, strata.walk()):
        z = covariates.rows(block.rows, y[block.rows, None])
        inner += weighted_gram(z, None if block.even else block.weights)
        crossed += basis.take(block.rows).collect(z, block.weights)
        roots.append(block.sums(z))
    root = np.concatenate(roots)
    inner -= root.T @ root
    crossed -= np.asarray(shares.T @ (root * np.sqrt(totals)[:, None]))
    products = np.column_stack([crossed[:, :-1].T, inner[:-1, -1]])
    return _Laplacian(
        basis=basis,
        covariates=covariates,
        y=y,
        strata=strata,
        shares=shares,
        means=root / np.sqrt(totals)[:, None],
        crossed=crossed,
        slopes=slopes_on(inner[:-1, :-1], products, covariates.active, float(weights.sum())),
        count=sums_of(basis.index, weights, basis.size),
    )


def find_islands(basis: Basis, strata: Partitions) -> IntArray:
    """Number the groups of levels that meet, directly or through others, shape (K,)."""
    offsets = np.cumsum([basis.size] + [len(total) for total in strata.totals])
    level = np.tile(basis.index, len(strata.labels))
    stratum = np.concatenate(
        [label + offset for label, offset in zip(strata.labels, offsets[:-1], strict=True)]
    )
    size = int(offsets[-1])
    graph = sparse.coo_array((np.ones(len(level)), (level, stratum)), shape=(size, size))
    return connected_components(graph, directed=False)[1][: basis.size]


def _by_size(island: IntArray, count: FloatArray) -> IntArray:
    """Number islands (K,) anew, the one with the most rows 0."""
    number = np.unique(island, return_inverse=True)[1]
    order = np.argsort(-np.bincount(number, count), kind="stable")
    return np.argsort(order, kind="stable")[number]


def conjugate_gradients(
    multiply: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    diagonal: FloatArray,
    *,
    tolerance: float = 1e-6,
    limit: int = 500,
) -> FloatArray:
    """Solve a singular but consistent symmetric system for all columns of `right` (K, m) at once.

    Examples
    --------
    >>> chain = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> found = conjugate_gradients(chain.__matmul__, np.array([[1.0], [-1.0]]), np.ones(2))
    >>> float((found[0] - found[1])[0])
    1.0
    """
    scale = (1 / np.maximum(diagonal, 1e-12))[:, None]
    solution, residual = np.zeros_like(right), right.copy()
    direction = scale * residual
    energy = np.sum(residual * direction, axis=0)
    enough = tolerance**2 * np.maximum(energy, 1e-300)
    for _ in range(limit):
        if np.all(energy <= enough):
            break
        image = multiply(direction)
        step = energy / np.maximum(np.sum(direction * image, axis=0), 1e-300)
        solution += step * direction
        residual -= step * image
        fresh = scale * residual
        previous, energy = energy, np.sum(residual * fresh, axis=0)
        direction = fresh + energy / np.maximum(previous, 1e-300) * direction
    return solution


def _level_variance(
    level: IntArray, residual: FloatArray, left: FloatArray, weights: FloatArray, noise: float
) -> FloatArray:
    """Return the variance of each row's level, drawn to the pooled one by `PRIOR_ROWS` rows.

    All arrays are of shape (m,); `left` is the share of a row's variance in its residual.
    """
    size = int(level.max()) + 1
    squares = sums_of(level, weights * residual**2, size)
    count = np.maximum(sums_of(level, weights * left, size) - 1, 0.0)
    return ((squares + PRIOR_ROWS * noise) / (count + PRIOR_ROWS))[level]


def _centred(values: FloatArray, island: IntArray, count: FloatArray) -> FloatArray:
    """Return `values` (K, m) less their mean over the rows of each level's island."""
    n_islands, size = int(island.max()) + 1, len(island)
    share = count / sums_of(island, count, n_islands)[island]
    average = sparse.csr_array((share, (island, np.arange(size))), shape=(n_islands, size))
    mean: Any = average @ values
    return values - mean[island]


def _root(covariance: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))
