"""A basis and a target with strata and covariates taken out of them.

Two ways to the same numbers. With several partitions every row is held after demeaning
(`RowsWithin`). With one partition sums by stratum are enough (`SumsWithin`), and the work grows
with n instead of n K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import linalg

from paribus._types import BoolArray, FloatArray
from paribus.estimate.adjust import Covariates
from paribus.estimate.basis import Basis
from paribus.estimate.groups import Groups, add_rows, sums_of, weighted_gram
from paribus.estimate.partitions import Partitions


@dataclass(frozen=True, slots=True)
class RowsWithin:
    """Any number of partitions.

    Attributes
    ----------
    rows : float array of shape (n, K)
        The basis, demeaned and adjusted.
    influence : float array of shape (n, K)
        `rows` demeaned once more: what an error in a row's target does to the score.
    target : float array of shape (n,)
        Demeaned and adjusted.
    weights : float array of shape (n,)
    raw : float array of shape (K, K)
        Products of the demeaned basis before the adjustment.
    df : float
        Rows left to compare.
    """

    rows: FloatArray
    influence: FloatArray
    target: FloatArray
    weights: FloatArray
    raw: FloatArray
    df: float

    def gram(self) -> FloatArray:
        """Return the products of the columns, shape (K, K)."""
        return weighted_gram(self.rows, self.weights)

    def score(self) -> FloatArray:
        """Return the products with the target, shape (K,)."""
        return self.rows.T @ (self.weights * self.target)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target, shape (n,)."""
        return self.target - self.rows @ effect

    def meat(self, variance: FloatArray) -> FloatArray:
        """Return the score's covariance when the errors have `variance` (n,), shape (K, K)."""
        return weighted_gram(self.influence, self.weights * variance)


@dataclass(frozen=True, slots=True)
class SumsWithin:
    """One partition.

    Attributes
    ----------
    basis : Basis
    means : float array of shape (L, K)
        Its means by stratum.
    label : int32 array of shape (n,)
    totals : float array of shape (L,)
        The weight of each stratum.
    covariates : float array of shape (n, q)
        Demeaned.
    slopes : float array of shape (q, K)
        Of the basis on the covariates; zero where one takes no part.
    target, weights, raw, df
        As in `RowsWithin`.
    """

    basis: Basis
    means: FloatArray
    label: Groups
    totals: FloatArray
    covariates: FloatArray
    slopes: FloatArray
    target: FloatArray
    weights: FloatArray
    raw: FloatArray
    df: float

    def gram(self) -> FloatArray:
        """Return the products of the columns, shape (K, K)."""
        return self.raw - self.basis.collect(self.covariates, self.weights) @ self.slopes

    def score(self) -> FloatArray:
        """Return the products with the target, shape (K,)."""
        return self.basis.collect(self.target[:, None], self.weights)[:, 0]

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target, shape (n,)."""
        fitted = self.basis.times(effect) - (self.means @ effect)[self.label]
        return self.target - fitted + self.covariates @ (self.slopes @ effect)

    def meat(self, variance: FloatArray) -> FloatArray:
        """Return the score's covariance when the errors have `variance` (n,), shape (K, K)."""
        heavy = self.weights * variance
        n_strata = len(self.totals)
        cross = self.basis.sums_by(self.label, n_strata, heavy).T @ self.means
        mass = sums_of(self.label, heavy, n_strata)
        inner = self.basis.gram(heavy) + (self.means * mass[:, None]).T @ self.means
        sums = np.zeros((n_strata, self.covariates.shape[1]))
        add_rows(self.covariates, heavy, self.label, sums)
        mixed = (self.basis.collect(self.covariates, heavy) - self.means.T @ sums) @ self.slopes
        products = weighted_gram(self.covariates, heavy)
        out: FloatArray = inner - cross - cross.T - mixed - mixed.T
        return out + self.slopes.T @ products @ self.slopes


Within: TypeAlias = RowsWithin | SumsWithin


def compare_within(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions
) -> Within:
    """Take strata and covariates out of a basis and a target (n,)."""
    if len(strata.labels) == 1:
        return _by_sums(basis, covariates, y, strata)
    return _row_by_row(basis, covariates, y, strata)


def _row_by_row(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions
) -> RowsWithin:
    size, weights = basis.size, strata.weights
    columns = covariates.beside(basis.dense(), y[:, None])
    strata.demean_in_place(columns)
    n_covariates = len(covariates.active)
    z, rows, target = np.split(columns, [n_covariates, n_covariates + size], axis=1)
    products = weighted_gram(columns, weights)
    slopes = slopes_on(
        products[:n_covariates, :n_covariates],
        products[:n_covariates, n_covariates:],
        covariates.active,
        float(weights.sum()),
    )
    raw = products[n_covariates:-1, n_covariates:-1]
    adjusted = rows - z @ slopes[:, :-1]
    return RowsWithin(
        rows=adjusted,
        influence=strata.demean(adjusted),
        target=target[:, 0] - z @ slopes[:, -1],
        weights=weights,
        raw=raw,
        df=float(weights @ strata.left) - np.count_nonzero(covariates.active),
    )


def _by_sums(basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions) -> SumsWithin:
    (label,), (totals,), weights = strata.labels, strata.totals, strata.weights
    # The target goes along as a covariate that takes no part: one array is made, and no copy.
    columns = covariates.beside(y[:, None])
    active = np.append(covariates.active, False)
    strata.demean_in_place(columns)
    products = weighted_gram(columns, weights)
    together = np.column_stack([basis.collect(columns, weights).T, products[:, -1]])
    slopes = slopes_on(products, together, active, float(weights.sum()))
    means = basis.sums_by(label, len(totals), weights)
    means /= totals[:, None]
    raw = basis.gram(weights) - (means * totals[:, None]).T @ means
    return SumsWithin(
        basis=basis,
        means=means,
        label=label,
        totals=totals,
        covariates=columns,
        slopes=slopes[:, :-1],
        target=columns[:, -1] - columns @ slopes[:, -1],
        weights=weights,
        raw=raw,
        df=float(weights.sum()) - len(totals) - np.count_nonzero(active),
    )


def slopes_on(
    gram: FloatArray, products: FloatArray, active: BoolArray, n_rows: float
) -> FloatArray:
    """Return slopes (q, m) on the active covariates, zero on the others.

    A whiff of ridge keeps twins among them harmless.
    """
    out = np.zeros_like(products)
    if active.any():
        own = gram[np.ix_(active, active)]
        own = own + 1e-10 * n_rows * np.eye(len(own))
        out[active] = linalg.solve(own, products[active], assume_a="pos")
    return out


def row_variance(residual: FloatArray, strata: Partitions, used_df: float) -> FloatArray:
    """Return squared residuals freed of what strata and parameters took from them, shape (n,)."""
    n_rows = float(strata.weights.sum())
    return residual**2 / np.maximum(strata.left, 0.1) * (n_rows / max(n_rows - used_df, 1.0))
