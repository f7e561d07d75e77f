"""Very many levels: the same least squares without forming a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.stats import f as f_distribution

from paribus.base.arrays import BLOCK, FloatArray, IntArray, Labels, dot
from paribus.estimate.basis import Hats
from paribus.estimate.covariance import LEAST_LEFT, draw_rows, drawing_chance
from paribus.estimate.covariates import Covariates
from paribus.estimate.groups import add_rows, sums_of
from paribus.estimate.partitions import Partitions
from paribus.estimate.units import Units
from paribus.estimate.within import add_up, products_of_sums, slopes_on

PRIOR_ROWS = 10.0  # weight of the pooled variance in a level's own
APART = 1e-3  # pivot of columns' correlations: above it, their products tell them apart
ROUNDING = 1e-12  # share of the strongest direction: what is far weaker is not gone along
N_DRAWS = 60  # random errors that stand for the covariance of very many levels


@dataclass(frozen=True, slots=True)
class Solution:
    """Effects of levels before they are centred."""

    effect: FloatArray  # (K,)
    island: IntArray  # (K,): effects of one island can be compared, those of different ones cannot
    root: FloatArray  # (K, m): a root of their covariance
    df: FloatArray  # (K,): how many rows the errors rest on
    p_value: float
    residual: FloatArray  # (n,)


def level_variance(
    level: Labels, residual: FloatArray, units: Units, noise: float, n_levels: int
) -> FloatArray:
    """Return the error variance of each level, drawn to the pooled one by `PRIOR_ROWS` rows.

    `level` and `residual` are of shape (m,), the result of shape (n_levels,).
    """
    weights = units.sampling_weight * units.weights
    squares = sums_of(level, weights * residual**2, n_levels)
    left = np.maximum(units.one_minus_leverage, LEAST_LEFT)
    count = np.maximum(sums_of(level, weights * left, n_levels) - 1, 0.0)
    return (squares + PRIOR_ROWS * noise) / (count + PRIOR_ROWS)


def solve_many(basis: Hats, y: FloatArray, covariates: Covariates, strata: Partitions) -> Solution:
    """Solve for very many levels; the covariance is that of random errors sent the same way."""
    system = _laplacian(basis, covariates, y, strata)
    diagonal, weights = system.diagonal, strata.weights
    effect = conjugate_gradients(system.times, system.score[:, None], diagonal)[:, 0]
    residual = system.residual(effect)
    df = max(system.df - basis.size + 1, 1.0)
    noise = float(weights @ residual**2) / df
    variance = level_variance(basis.index, residual, strata.units, noise, basis.size)
    alike = shared_errors(residual, strata.units)
    scores = system.random_scores(variance[basis.index] * strata.units.error_weights, alike)
    root = conjugate_gradients(system.times, scores, diagonal)
    null = np.sum(scores * root, axis=0) * N_DRAWS
    shape = 2 * null.mean() ** 2 / max(null.var(), 1e-300)
    statistic = float(system.score @ effect)
    p_value = float(f_distribution.sf(statistic / null.mean(), shape, df)) if null.any() else 1.0
    island = find_islands(basis, strata)
    rows = sums_of(basis.index, weights, basis.size) + PRIOR_ROWS
    return Solution(effect, island, root, 1 / (1 / rows + 1 / N_DRAWS), p_value, residual)


@dataclass(frozen=True, slots=True)
class _Laplacian:
    """The levels' system on one partition, never formed."""

    basis: Hats
    covariates: Covariates
    y: FloatArray  # (n,)
    strata: Partitions
    shares: sparse.csr_array  # (L, K): of the levels in each stratum
    means: FloatArray  # (L, q + 1): of covariates and target in each stratum
    crossed: FloatArray  # (K, q + 1): products of the levels with these, inside the strata
    slopes: FloatArray  # (q, K + 1): of levels and target on the covariates
    count: FloatArray  # (K,)

    @property
    def df(self) -> float:
        return self.strata.units.n_left - self.covariates.n_active

    @property
    def score(self) -> FloatArray:
        return self.crossed[:, -1] - self.crossed[:, :-1] @ self.slopes[:, -1]

    @property
    def diagonal(self) -> FloatArray:
        return sums_of(self.basis.index, self.strata.weights * self._left, self.basis.size)

    @property
    def _left(self) -> FloatArray:
        return self.strata.units.one_minus_leverage

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

    def random_scores(self, variance: FloatArray, alike: float) -> FloatArray:
        """Return scores of random errors of `variance` (n,) in rows that stand for all.

        Rows of a cluster share a part `alike` of it. Shape (K, `N_DRAWS`); their products add up
        to the score's covariance.
        """
        cluster = self.strata.units.cluster
        chance = drawing_chance(self.basis.index, variance)
        chance = np.ones_like(chance) if alike else chance
        seen = draw_rows(self.basis.index, chance)
        spread = np.sqrt(variance / chance / N_DRAWS)
        draw = np.random.default_rng(0)
        shared = np.zeros((1, N_DRAWS))
        if alike and cluster is not None:
            shared = draw.standard_normal((int(cluster.max()) + 1, N_DRAWS))
        by_level = np.zeros((self.basis.size, N_DRAWS))
        by_stratum = np.zeros((len(self.means), N_DRAWS))
        by_covariate = np.zeros((len(self.slopes), N_DRAWS))
        for start in range(0, len(seen), BLOCK):
            rows = seen[start : start + BLOCK]
            label, even = self.strata.labels[0][rows], np.ones(len(rows))
            errors = np.sqrt(1 - alike) * draw.standard_normal((len(rows), N_DRAWS))
            if alike and cluster is not None:
                errors += np.sqrt(alike) * shared[cluster[rows]]
            errors *= spread[rows, None]
            add_rows(errors, even, self.basis.index[rows], by_level)
            add_rows(errors, even, label, by_stratum)
            freed = self.covariates.rows(rows) - self.means[label, :-1]
            by_covariate += dot(freed.T, errors)
        return by_level - self.shares.T @ by_stratum - self.slopes[:, :-1].T @ by_covariate


def _laplacian(
    basis: Hats, covariates: Covariates, y: FloatArray, strata: Partitions
) -> _Laplacian:
    weights, label, totals = strata.weights, strata.labels[0], strata.totals[0]
    q, size = len(covariates.active), (len(totals), basis.size)
    shares = sparse.coo_array((weights / totals[label], (label, basis.index)), shape=size).tocsr()
    means = np.zeros((len(totals), q + 1))
    inner, crossed = add_up(basis, covariates, y, strata, means)
    crossed -= np.asarray(shares.T @ means)
    inner -= products_of_sums(means, totals)
    products = np.column_stack([crossed[:, :-1].T, inner[:-1, -1]])
    return _Laplacian(
        basis=basis,
        covariates=covariates,
        y=y,
        strata=strata,
        shares=shares,
        means=means,
        crossed=crossed,
        slopes=slopes_on(inner[:-1, :-1], products, covariates.active, float(weights.sum())),
        count=sums_of(basis.index, weights, basis.size),
    )


def shared_errors(residual: FloatArray, units: Units) -> float:
    """Return which share of their errors' variance rows of a cluster have in common.

    Examples
    --------
    >>> ones = np.ones(4)
    >>> pairs = Units(ones, ones, ones, ones, np.array([0, 0, 1, 1], np.int32))
    >>> shared_errors(np.array([1.0, 1.0, -1.0, -1.0]), pairs)
    1.0
    """
    if units.cluster is None:
        return 0.0
    weights, size = units.weights, int(units.cluster.max()) + 1
    own = sums_of(units.cluster, (weights * residual) ** 2, size)
    products = sums_of(units.cluster, weights * residual, size) ** 2 - own
    pairs = sums_of(units.cluster, weights, size) ** 2 - sums_of(units.cluster, weights**2, size)
    usual = float(own.sum()) / max(float(weights @ weights), 1e-300)
    common = float(products.sum()) / max(float(pairs.sum()), 1e-300)
    return float(np.clip(common / max(usual, 1e-300), 0.0, 1.0))


def find_islands(basis: Hats, strata: Partitions) -> IntArray:
    """Number the groups of levels that meet, directly or through others, shape (K,)."""
    offsets = np.cumsum([basis.size] + [len(total) for total in strata.totals])
    level = np.tile(basis.index, len(strata.labels))
    stratum = np.concatenate(
        [label + offset for label, offset in zip(strata.labels, offsets[:-1], strict=True)]
    )
    size = int(offsets[-1])
    graph = sparse.coo_array((np.ones(len(level)), (level, stratum)), shape=(size, size))
    return connected_components(graph, directed=False)[1][: basis.size]


def conjugate_gradients(
    multiply: Callable[[FloatArray], FloatArray],
    right: FloatArray,
    diagonal: FloatArray,
    *,
    tolerance: float = 1e-6,
    limit: int = 500,
) -> FloatArray:
    """Solve a singular but consistent symmetric system for all columns of `right` (K, m) at once.

    Steps go along all columns' directions together, which are kept orthonormal (Dubrulle 2001):
    for many columns that takes a fifth of the steps that each by itself would take, or fewer.

    Examples
    --------
    >>> chain = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> found = conjugate_gradients(chain.__matmul__, np.array([[1.0], [-1.0]]), np.ones(2))
    >>> round(float((found[0] - found[1])[0]), 6)
    1.0
    """
    scale = (1 / np.sqrt(np.maximum(diagonal, 1e-12)))[:, None]
    solution = np.zeros_like(right)
    left, size = _orthonormal(scale * right)  # what is left is their product
    direction, enough = left, tolerance**2 * np.maximum(np.sum(size**2, axis=0), 1e-300)
    for _ in range(limit):
        if np.all(np.sum(size**2, axis=0) <= enough):
            break
        image = scale * multiply(scale * direction)
        step = linalg.pinvh(dot(direction.T, image), rtol=ROUNDING)
        solution += dot(direction, step @ size)
        left, turned = _orthonormal(left - dot(image, step))
        direction, size = left + dot(direction, turned.T), turned @ size
    return scale * solution


def _orthonormal(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return orthonormal columns (K, m), and what they are multiplied with to be the given ones.

    Where columns are well apart their products are enough, which takes a third of the time.

    Examples
    --------
    >>> found, turned = _orthonormal(np.array([[1.0, 1.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> np.abs(found.T @ found).round(9).tolist(), (found @ turned).round(9).tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    """
    gram = dot(columns.T, columns)
    size = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    root, failed = linalg.lapack.dpotrf(gram / size / size[:, None], clean=True)
    if failed or np.diag(root).min() < APART:
        found, turned = np.linalg.qr(columns)
        return found, turned
    inverse, _ = linalg.lapack.dtrtri(root)
    return dot(columns, inverse / size[:, None]), root * size
