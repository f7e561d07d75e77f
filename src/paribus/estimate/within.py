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
from paribus.estimate.groups import Groups, add_rows, sums_of
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
        return self.rows.T @ (self.rows * self.weights[:, None])

    def score(self) -> FloatArray:
        """Return the products with the target, shape (K,)."""
        return self.rows.T @ (self.weights * self.target)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target, shape (n,)."""
        return self.target - self.rows @ effect

    def meat(self, variance: FloatArray) -> FloatArray:
        """Return the score's covariance when the errors have `variance` (n,), shape (K, K)."""
        return (self.influence * (self.weights * variance)[:, None]).T @ self.influence


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
        Of the basis on the covariates.
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
        products = self.covariates.T @ (self.covariates * heavy[:, None])
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
    size = basis.size
    demeaned = strata.demean(np.column_stack([basis.dense(), covariates.values, y]))
    rows, z, target = demeaned[:, :size], demeaned[:, size:-1], demeaned[:, -1]
    raw = rows.T @ (rows * strata.weights[:, None])
    heavy = z * strata.weights[:, None]
    products = heavy.T @ np.column_stack([rows, target])
    slopes = slopes_on(heavy.T @ z, products, covariates.active, float(strata.weights.sum()))
    rows, target = rows - z @ slopes[:, :-1], target - z @ slopes[:, -1]
    df = float(strata.weights @ strata.left) - np.count_nonzero(covariates.active)
    return RowsWithin(rows, strata.demean(rows), target, strata.weights, raw, df)


def _by_sums(basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions) -> SumsWithin:
    (label,), (totals,), weights = strata.labels, strata.totals, strata.weights
    demeaned = strata.demean(np.column_stack([covariates.values, y]))
    z, target = np.ascontiguousarray(demeaned[:, :-1]), demeaned[:, -1]
    products = (z * weights[:, None]).T @ demeaned
    with_basis = basis.collect(z, weights).T
    together = np.column_stack([with_basis, products[:, -1]])
    slopes = slopes_on(products[:, :-1], together, covariates.active, float(weights.sum()))
    means = basis.sums_by(label, len(totals), weights)
    means /= totals[:, None]
    raw = basis.gram(weights) - (means * totals[:, None]).T @ means
    return SumsWithin(
        basis=basis,
        means=means,
        label=label,
        totals=totals,
        covariates=z,
        slopes=slopes[:, :-1],
        target=target - z @ slopes[:, -1],
        weights=weights,
        raw=raw,
        df=float(weights.sum()) - len(totals) - np.count_nonzero(covariates.active),
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
