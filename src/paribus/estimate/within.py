"""Rows with their strata and covariates projected out: what is left to compare.

With one partition everything is summed up stratum by stratum; with several, whose means are
averaged, every row is demeaned. Either way an estimate needs only what `Within` declares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import linalg

from paribus.base.arrays import BLOCK, SMALL_BLOCK, BoolArray, FloatArray, Rows, dot
from paribus.estimate.basis import Basis
from paribus.estimate.covariates import Covariates
from paribus.estimate.groups import (
    add_of_group,
    add_rows,
    in_groups,
    subtract_rows,
    weighted_gram,
)
from paribus.estimate.hats import add_hats
from paribus.estimate.interactions import Interacted
from paribus.estimate.partitions import Partitions
from paribus.estimate.units import Units

LOST = 1e-7  # times the number of rows: a direction so short is rounding
RIDGE = 1e-10  # times the number of rows: keeps equal covariates solvable


class Within(Protocol):
    """What a solve needs of rows freed of strata and covariates, however they were freed."""

    @property
    def gram(self) -> FloatArray:
        """Products of the basis columns, shape (K, K)."""

    @property
    def score(self) -> FloatArray:
        """Their products with the target, shape (K,)."""

    @property
    def total(self) -> float:
        """Sum of squares of the target."""

    @property
    def df(self) -> float:
        """Rows left to compare."""

    @property
    def units(self) -> Units:
        """The rows whose errors can be looked at: all of them, or some that stand for all."""

    @property
    def taken(self) -> FloatArray:
        """The share of each of their errors that covariates take into themselves, shape (m,)."""

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target in these rows, shape (m,)."""

    def without_cluster(self, residual: FloatArray) -> FloatArray:
        """Return residuals (m,) from stratum means that a row's own cluster has no part in."""

    def influence(self, at: Rows, functions: FloatArray | None = None) -> FloatArray:
        """Return what an error in the target of some rows does to the score, (len(at), K).

        Or to the score of some `functions` (K, a) of the column, given by their values at its
        points, shape (len(at), a).
        """


@dataclass(frozen=True, slots=True)
class _InMemory:
    strata: Partitions
    gram: FloatArray
    score: FloatArray
    total: float
    df: float
    taken: FloatArray

    @property
    def units(self) -> Units:
        """All rows."""
        return self.strata.units

    def without_cluster(self, residual: FloatArray) -> FloatArray:
        """Return residuals (n,) from stratum means that a row's own cluster has no part in."""
        return self.strata.without_cluster(residual)


@dataclass(frozen=True, slots=True)
class RowsWithin(_InMemory):
    """Any number of partitions; see `Within`."""

    rows: FloatArray  # (n, K): the basis, demeaned and adjusted
    target: FloatArray  # (n,): demeaned and adjusted
    # The rows demeaned once more: an error moves the means of its strata too.
    demeaned_back: FloatArray  # (n, K)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target, shape (n,)."""
        return self.target - self.rows @ effect

    def influence(self, at: Rows, functions: FloatArray | None = None) -> FloatArray:
        """Return some of the rows demeaned once more, or functions of the column in them."""
        out = self.demeaned_back[at]
        return out if functions is None else out @ functions


@dataclass(frozen=True, slots=True)
class SumsWithin(_InMemory):
    """One partition, summed up; see `Within`."""

    basis: Basis
    covariates: Covariates
    y: FloatArray  # (n,)
    # Of covariates, target, and the basis in each stratum, of which the hats come last.
    means: FloatArray  # (n_strata, q + 1 + K)
    # Of basis and target on the covariates; zero where one takes no part.
    slopes: FloatArray  # (q, K + 1)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return what an effect (K,) leaves of the target, shape (n,)."""
        slopes = self.slopes[:, -1] - self.slopes[:, :-1] @ effect
        size = self.basis.own.size
        left = self.covariates.times(slopes)
        np.subtract(self.y, left, out=left)
        left -= self.basis.times(effect)
        means = self.means @ np.concatenate([slopes, [-1.0], effect[size:], effect[:size]])
        add_of_group(means, self.strata.labels[0], left)
        return left

    def influence(self, at: Rows, functions: FloatArray | None = None) -> FloatArray:
        """Return basis less strata and covariates, or functions of the column, for some rows."""
        basis, slopes, label = self.basis.take(at), self.slopes[:, :-1], self.strata.labels[0][at]
        if functions is None:
            out = basis.dense()
        else:
            out, slopes = basis.times(functions), slopes @ functions
        for start in range(0, len(at), SMALL_BLOCK):
            some = slice(start, start + SMALL_BLOCK)
            out[some] -= self.covariates.rows(at[some]) @ slopes
        if 3 * len(at) < len(self.means):  # few rows: their own strata are enough
            out -= self._left_of(self.means[label], slopes, functions)
        else:
            subtract_rows(out, label, self._left_of(self.means, slopes, functions), 1.0)
        return out

    def _left_of(
        self, means: FloatArray, slopes: FloatArray, functions: FloatArray | None
    ) -> FloatArray:
        """Return means (m, q + 1 + K) of the basis, or of functions of it, less covariates'."""
        size, q = self.basis.own.size, len(slopes)
        if functions is None:
            every = np.hstack([means[:, -size:], means[:, q + 1 : -size]])
            return every - dot(means[:, :q], slopes)
        target = np.zeros((1, functions.shape[1]))
        return dot(means, np.vstack([-slopes, target, functions[size:], functions[:size]]))


def compare_within(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions
) -> Within:
    """Take strata and covariates out of a basis and a target (n,)."""
    if len(strata.labels) == 1 and not strata.cells:
        return by_sums(basis, covariates, y, strata)
    return row_by_row(basis, covariates, y, strata)


def row_by_row(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions
) -> RowsWithin:
    """Demean and adjust every row, for any number of partitions."""
    weights, q = strata.weights, len(covariates.active)
    columns = covariates.rows(np.arange(len(y)), basis.dense(), y[:, None])
    strata.demean_in_place(columns)
    products = weighted_gram(columns, weights)
    slopes = slopes_on(products[:q, :q], products[:q, q:], covariates.active, weights.sum())
    left = columns[:, q:] - columns[:, :q] @ slopes
    rows, target = np.ascontiguousarray(left[:, :-1]), left[:, -1]
    return RowsWithin(
        rows=rows,
        target=target,
        strata=strata,
        demeaned_back=strata.demean_back(rows),
        gram=weighted_gram(rows, weights),
        score=dot(rows.T, weights * target),
        total=float(weights @ target**2),
        df=strata.units.n_left - covariates.n_active,
        taken=_leverage(columns[:, :q], products[:q, :q], covariates.active, strata.units),
    )


def by_sums(basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions) -> SumsWithin:
    """Sum up products stratum by stratum, for one partition.

    Products inside the strata are those of all rows less those of the strata's sums,
    ``sum_i w_i u_i v_i - sum_s (sum_i in s w_i u_i) (sum_i in s w_i v_i) / W_s``: a row is only
    ever added to something, and the products of sums are formed of far fewer rows.
    """
    weights, q, own = strata.weights, len(covariates.active), basis.own
    width = q + 1 + basis.size - own.size  # covariates, target and what is laid out of the basis
    rest, hats = slice(None, width), slice(width, None)
    means = np.zeros((len(strata.totals[0]), width + own.size))
    inside = np.zeros((width + own.size, width + own.size))
    inside[rest, rest], inside[hats, rest] = add_up(basis, covariates, y, strata, means)
    inside[rest, hats] = inside[hats, rest].T
    inside[hats, hats] = own.gram(weights)
    add_hats(own.index, own.share, weights, strata.labels[0], means[:, hats])
    inside -= products_of_sums(means, strata.totals[0])
    at = np.append(np.arange(width, len(inside)), np.arange(q + 1, width))  # hats come first
    held = slice(None, q + 1)
    left = take_out(
        inside[held, held], inside[at, held], inside[np.ix_(at, at)], covariates.active,
        float(weights.sum()),
    )  # fmt: skip
    return SumsWithin(
        basis=basis,
        covariates=covariates,
        y=y,
        strata=strata,
        means=means,
        slopes=left.slopes,
        gram=left.gram,
        score=left.score,
        total=left.total,
        df=strata.units.n_left - covariates.n_active,
        taken=np.broadcast_to(covariates.n_active / strata.units.n_rows, len(y)),
    )


def add_up(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions, sums: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add up the products of all rows, and the sums of the strata of one partition.

    Columns are the covariates, the target and what is laid out of the basis beside its hats, m of
    them. Returned are their products (m, m) and those of the hats with them (K, m); `sums`
    (n_strata, m or more) are added to.
    """
    weights, label, own = strata.weights, strata.labels[0], basis.own
    shared, q = covariates.values, len(covariates.active)
    size, width = shared.shape[1], q + 1 + basis.size - own.size
    even = bool(np.all(weights == 1))
    wide = basis if isinstance(basis, Interacted) and basis.is_wide else None
    last = q + 1 if wide else width  # columns whose products are formed row by row
    inner, crossed = np.zeros((width, width)), np.zeros((own.size, width))
    known, products = covariates.products(weights)
    new = np.setdiff1d(np.arange(last), known)
    formed, of_block = np.zeros((len(new), last)), np.empty((min(BLOCK, len(y)), last - size))
    for start in range(0, len(y), BLOCK):
        block = slice(start, start + BLOCK)
        rows = np.arange(start, min(start + BLOCK, len(y)))
        laid = of_block[: len(rows)]  # memory once asked for is faster
        covariates.lay_terms(rows, laid)
        laid[:, q - size] = y[block]
        if not wide:
            basis.lay_beside(rows, laid[:, q - size + 1 :])
        add_rows(shared[block], weights[block], label[block], sums[:, :size])
        add_rows(laid, weights[block], label[block], sums[:, size:last])
        fresh = laid if len(new) == laid.shape[1] else np.take(laid, new - size, axis=1)
        fresh = fresh if even else fresh * weights[block, None]
        formed[:, :size] += dot(shared[block].T, fresh).T  # the wider one first is faster
        formed[:, size:] += dot(fresh.T, laid)
        some = own.take(block)
        crossed[:, :size] += some.collect(shared[block], weights[block])
        crossed[:, size:last] += some.collect(laid, weights[block])
    inner[np.ix_(known, known)] = products
    inner[new, :last] = formed
    inner[:last, new] = formed.T
    if wide:

        def lay(rows: Rows, out: FloatArray) -> None:
            covariates.lay(rows, out)
            out[:, q] = y[rows]

        by_stratum, _ = in_groups(label, len(sums))
        wide.add_beside(by_stratum, weights, label, sums[:, last:width])
        inner[last:], crossed[:, last:] = wide.sums(weights, lay, last)
        inner[:last, last:] = inner[last:, :last].T
    return inner, crossed


def products_of_sums(sums: FloatArray, totals: FloatArray) -> FloatArray:
    """Return ``sum_s S_s S_s' / W_s`` of the strata's sums (n_strata, m), which become means."""
    out = np.zeros((sums.shape[1], sums.shape[1]))
    for start in range(0, len(sums), BLOCK):
        block = slice(start, start + BLOCK)
        roots = sums[block] / np.sqrt(totals[block])[:, None]
        out += dot(roots.T, roots)
        sums[block] /= totals[block, None]
    return out


@dataclass(frozen=True, slots=True)
class Left:
    """Products of basis and target after the covariates are taken out; see `SumsWithin`."""

    slopes: FloatArray
    gram: FloatArray
    score: FloatArray
    total: float

    def only(self, points: BoolArray) -> Left:
        """Return the same without some of the points or levels."""
        return replace(
            self,
            slopes=self.slopes[:, np.append(points, True)],
            gram=self.gram[np.ix_(points, points)],
            score=self.score[points],
        )


def take_out(
    inner: FloatArray, crossed: FloatArray, gram: FloatArray, active: BoolArray, n_rows: float
) -> Left:
    """Take the covariates out of products inside the strata.

    With products ``Z'Z``, ``B'Z`` and ``B'B`` of covariates and basis, ``S = (Z'Z)^-1 Z'B`` are
    the slopes and ``B'B - B'Z S`` what is left.

    Parameters
    ----------
    inner : float array of shape (q + 1, q + 1)
        Products of the covariates and, last, the target.
    crossed : float array of shape (K, q + 1)
        Products of the basis with these.
    gram : float array of shape (K, K)
        Products of the basis.
    active : bool array of shape (q,)
        The covariates that take part.
    n_rows : float
    """
    products = np.column_stack([crossed[:, :-1].T, inner[:-1, -1]])
    slopes = slopes_on(inner[:-1, :-1], products, active, n_rows)
    return Left(
        slopes=slopes,
        gram=gram - crossed[:, :-1] @ slopes[:, :-1],
        score=crossed[:, -1] - crossed[:, :-1] @ slopes[:, -1],
        total=float(inner[-1, -1] - inner[:-1, -1] @ slopes[:, -1]),
    )


def _leverage(columns: FloatArray, gram: FloatArray, active: BoolArray, units: Units) -> FloatArray:
    """Return the share of each row's error that active covariates (n, q) take, shape (n,).

    Rows that weigh the same are taken to give alike.
    """
    if units.is_even:
        return np.full(len(columns), np.count_nonzero(active) / units.n_rows)
    own, z = gram[np.ix_(active, active)], columns[:, active]
    inverse = linalg.pinvh(own + RIDGE * float(units.weights.sum()) * np.eye(len(own)))
    pull = np.einsum("ij,ij->i", z @ inverse, z)
    return np.clip(units.weights / units.counts * pull, 0.0, 1.0)


def slopes_on(
    gram: FloatArray, products: FloatArray, active: BoolArray, n_rows: float
) -> FloatArray:
    """Return slopes (q, m) on the active covariates, zero on the others.

    A tiny ridge keeps the system solvable where covariates are equal to each other; where rounding
    is larger than that, directions that have no length left take no slope.
    """
    out = np.zeros_like(products)
    if active.any():
        own = gram[np.ix_(active, active)]
        own[np.diag_indices_from(own)] += RIDGE * n_rows
        _, found, failed = linalg.lapack.dposv(own, products[active])
        if not failed:
            out[active] = found
        else:
            lengths, directions = linalg.eigh(own)
            kept = directions[:, lengths > LOST * n_rows]
            along = kept.T @ products[active] / lengths[lengths > LOST * n_rows, None]
            out[active] = kept @ along
    return out
