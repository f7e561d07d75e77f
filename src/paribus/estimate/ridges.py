"""How strongly interactions are shrunk: a ridge for each block, by restricted likelihood.

The column's own effect is first projected out of the interactions, without a penalty: what is left
must be explained by coefficients that are, block by block, draws of a common size. The ridge that
belongs to that size is found by Fellner-Schall steps, and averaged with an eighth of it and eight
times it, weighted by likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from paribus.base.arrays import FloatArray, IntArray, Rows
from paribus.estimate.covariance import LEAST_LEVERAGE
from paribus.estimate.units import Units
from paribus.estimate.within import Within

STEPS, STILL = 40, 0.05  # of Fellner and Schall, and the log change that ends them
FACTORS = (0.125, 1.0, 8.0)
LEAST_WEIGHT = 0.002
FLOOR = 1e-9  # of the interactions' mean information: keeps equal ones solvable
LITTLE = 1e-4  # of the largest information: what is far less is rounding
UNSEEN = 1e-9  # share of a direction left inside the strata: below it, nothing is known


@dataclass(frozen=True, slots=True)
class Ridge:
    """A ridge (P,) on the interactions and its weight by likelihood."""

    weight: float
    ridge: FloatArray


def weigh_ridges(within: Within, size: int, owner: IntArray) -> list[Ridge]:
    """Find the ridges of interactions.

    Parameters
    ----------
    within : Within
        Of a column's own basis, `size` columns, and P interactions after these.
    size : int
    owner : int array of shape (P,)
        The block of each.
    """
    problem = _own_taken_out(within, size)
    count = np.bincount(owner)
    left, whole = np.diag(problem.gram), _information(within.gram, size)
    diagonal = np.where(left > 0, left, whole)
    high = 1e3 * np.array([diagonal[owner == k].max() for k in range(len(count))])
    low = 1e-6 * np.bincount(owner, diagonal) / count
    problem = problem.factorable(low[owner])
    ridge = np.sqrt(high) * np.sqrt(low)  # their product may be too small for a number
    for _ in range(STEPS):
        fresh = np.clip(problem.step(ridge, owner, count), low, high)
        change = float(np.abs(np.log(fresh / ridge)).max())
        ridge = fresh
        if change < STILL:
            break
    options = [np.clip(ridge * factor, low, high) for factor in FACTORS]
    fit = np.array([problem.misfit(option, owner, count) for option in options])
    weight = np.exp(-0.5 * (fit - fit.min()))
    weight /= weight.sum()
    kept = weight > LEAST_WEIGHT
    total = weight[kept].sum()
    return [
        Ridge(float(w / total), option[owner])
        for w, option, keep in zip(weight, options, kept, strict=True)
        if keep
    ]


def _factor(gram: FloatArray, ridge: FloatArray) -> tuple[FloatArray, bool]:
    """Factor products with a ridge (P,) added; what rounding made negative counts as nothing."""
    try:
        return _plain_factor(gram, ridge)
    except linalg.LinAlgError:
        return _plain_factor(_without_negatives(gram), ridge)


def _plain_factor(gram: FloatArray, ridge: FloatArray) -> tuple[FloatArray, bool]:
    factor: tuple[FloatArray, bool] = linalg.cho_factor(gram + _added(ridge, np.diag(gram)))
    return factor


def _without_negatives(gram: FloatArray) -> FloatArray:
    """Return products (P, P) in which what rounding made negative counts as nothing."""
    values, vectors = linalg.eigh(gram)
    out: FloatArray = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return out


def _variances(factor: tuple[FloatArray, bool]) -> FloatArray:
    """Return the diagonal of the inverse (P, P) of what was factored, shape (P,).

    The triangle alone is inverted, which is a sixth of the work of all columns of the inverse.

    Examples
    --------
    >>> _variances(linalg.cho_factor(np.diag([4.0, 2.0]))).round(6).tolist()
    [0.25, 0.5]
    """
    root, _ = linalg.lapack.dtrtri(factor[0], lower=factor[1])
    root = np.tril(root) if factor[1] else np.triu(root)
    return np.asarray(np.einsum("ij,ij->i", root, root))


def _added(ridge: FloatArray, information: FloatArray) -> FloatArray:
    """Return what is added to products (P, P), of which there is `information` (P,) in all."""
    return np.diag(ridge + FLOOR * max(float(information.mean()), 0.0))


@dataclass(frozen=True, slots=True)
class _Problem:
    """Interactions with the column's own effect taken out."""

    gram: FloatArray
    score: FloatArray
    total: float
    df: float

    def factorable(self, ridge: FloatArray) -> _Problem:
        """Return the same, free of what rounding made negative if it is no less than a ridge."""
        try:
            _plain_factor(self.gram, ridge)
        except linalg.LinAlgError:
            return replace(self, gram=_without_negatives(self.gram))
        return self

    def _solved(self, ridge: FloatArray) -> tuple[tuple[FloatArray, bool], FloatArray, float]:
        factor = _factor(self.gram, ridge)
        coefficients = linalg.cho_solve(factor, self.score)
        left = max(self.total - float(self.score @ coefficients), 1e-12 * self.total)
        return factor, coefficients, left

    def step(self, ridge: FloatArray, owner: IntArray, count: IntArray) -> FloatArray:
        """Return ``sigma^2 (p - ridge tr(H^-1)) / |coefficients|^2`` of each block."""
        factor, coefficients, left = self._solved(ridge[owner])
        freedom = np.maximum(count - ridge * np.bincount(owner, _variances(factor)), 1e-8 * count)
        squares = np.maximum(np.bincount(owner, coefficients**2), 1e-300)
        return left / self.df * freedom / squares

    def misfit(self, ridge: FloatArray, owner: IntArray, count: IntArray) -> float:
        """Return -2 times the restricted log-likelihood."""
        factor, _, left = self._solved(ridge[owner])
        size = 2 * np.log(np.diag(factor[0])).sum()
        return float(self.df * np.log(left) + size - count @ np.log(ridge))


def _information(gram: FloatArray, size: int) -> FloatArray:
    """Return the information in interactions (P,), rounding taken for a little of the largest."""
    every = np.diag(gram)
    return np.maximum(every[size:], LITTLE * every.max() + 1e-300)


def _own_taken_out(within: Within, size: int) -> _Problem:
    gram, score = within.gram, within.score
    scale = 1 / np.sqrt(np.maximum(np.diag(gram)[:size], 1e-300))
    values, vectors = np.linalg.eigh(gram[:size, :size] * np.outer(scale, scale))
    seen = values > UNSEEN * max(float(values[-1]), 1e-300)
    half = scale[:, None] * vectors[:, seen] / np.sqrt(values[seen])
    crossed, own = half.T @ gram[:size, size:], half.T @ score[:size]
    left = gram[size:, size:] - crossed.T @ crossed
    # What the strata or the column's own effect take up whole leaves rounding, and says nothing.
    varies = np.diag(left) > UNSEEN * _information(gram, size)
    return _Problem(
        gram=np.where(np.outer(varies, varies), left, 0.0),
        score=np.where(varies, score[size:] - crossed.T @ own, 0.0),
        total=max(within.total - float(own @ own), 1e-12 * within.total + 1e-300),
        df=max(within.df - np.count_nonzero(seen), 1.0),
    )


@dataclass(frozen=True, slots=True)
class RidgedOut:
    """Interactions taken out of a column's own basis with a ridge; a `Within` of what is left."""

    within: Within  # of both
    ridge: FloatArray  # (P,)
    inverse: FloatArray  # (P, P): ``A``
    slopes: FloatArray  # (P, K): ``A G21``
    # Of what is left.
    gram: FloatArray
    score: FloatArray
    total: float

    @property
    def size(self) -> int:
        """The number of columns of the basis, K."""
        return len(self.score)

    @property
    def df(self) -> float:
        """Rows left to compare, less what the interactions are worth."""
        return self.within.df - float(np.sum(1 - self.ridge * np.diag(self.inverse)))

    @property
    def units(self) -> Units:
        """The rows whose errors can be looked at."""
        return self.within.units

    @property
    def taken(self) -> FloatArray:
        """The share of each of their errors that covariates take into themselves, shape (m,)."""
        return self.within.taken

    @property
    def freed(self) -> FloatArray:
        """``(I, -G12 A)``: the score with the interactions taken out, shape (K, K + P)."""
        return np.hstack([np.eye(self.size), -self.slopes.T])

    @property
    def root(self) -> FloatArray:
        """A root of ``A``, P rows; directions that the rows hardly tell are left out."""
        own = self.within.gram[self.size :, self.size :]
        leverage, vectors = linalg.eigh(own, own + _added(self.ridge, np.diag(own)))
        root: FloatArray = vectors[:, leverage > LEAST_LEVERAGE]
        return root

    def coefficients(self, effect: FloatArray) -> FloatArray:
        """Return an effect (K,) and the interactions that go with it, shape (K + P,)."""
        own = self.inverse @ self.within.score[self.size :] - self.slopes @ effect
        return np.append(effect, own)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) and its interactions leave of the target, shape (m,)."""
        return self.within.residual(self.coefficients(effect))

    def without_cluster(self, residual: FloatArray) -> FloatArray:
        """Return residuals (m,) from stratum means that a row's own cluster has no part in."""
        return self.within.without_cluster(residual)

    def influence(self, at: Rows, functions: FloatArray | None = None) -> FloatArray:
        """Return what an error in the target of some rows does to the score; see `Within`."""
        freed = self.freed.T
        return self.within.influence(at, freed if functions is None else freed @ functions)

    def freedom(self, inverse: FloatArray) -> float:
        """Return how many numbers the interactions are worth, given that (K, K) of the basis."""
        own = np.einsum("ij,ij->i", self.slopes @ inverse, self.slopes)
        taken = np.diag(self.inverse) + own
        return float(np.sum(1 - self.ridge * taken))


def ridge_out(within: Within, size: int, ridge: FloatArray) -> RidgedOut:
    """Take all columns but the first `size` out, with a `ridge` (P,)."""
    gram, score = within.gram, within.score
    inner, crossed = gram[size:, size:], gram[size:, :size]
    factor = _factor(inner, ridge)
    inverse = linalg.cho_solve(factor, np.eye(len(ridge)))
    slopes, own = inverse @ crossed, inverse @ score[size:]
    return RidgedOut(
        within=within,
        ridge=ridge,
        inverse=inverse,
        slopes=slopes,
        gram=gram[:size, :size] - crossed.T @ slopes,
        score=score[:size] - crossed.T @ own,
        total=within.total - float(score[size:] @ own),
    )
