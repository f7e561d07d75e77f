"""A basis and a target with strata and covariates taken out of them.

Two ways to the same numbers. With several partitions every row is held after demeaning
(`RowsWithin`). With one partition the rows are walked through stratum by stratum, a block that the
cache holds at a time, and only sums are kept, and some rows that show how the errors spread
(`SumsWithin`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from paribus.base.arrays import BLOCK, BoolArray, FloatArray, IntArray
from paribus.estimate.adjust import Covariates
from paribus.estimate.basis import Basis
from paribus.estimate.groups import Labels, add_rows, in_groups, weighted_gram
from paribus.estimate.hats import add_hats
from paribus.estimate.partitions import Partitions, Walk

MANY_ROWS = 8_000  # with more, a part of the rows shows how the errors spread
ERROR_ROWS = 5_000  # about so many
ROWS_A_POINT = 50  # and of every point or level at least so many, if it has them


@dataclass(frozen=True, slots=True)
class Errors:
    """What an effect leaves of the target, in all rows or in a part that stands for them.

    Attributes
    ----------
    rows : int array of shape (m,)
        The rows looked at.
    residual : float array of shape (m,)
    target : float array of shape (m,)
        What the residual would be with no effect at all.
    left : float array of shape (m,)
        Share of a row's error variance that demeaning leaves in its residual.
    sampling_weight : float array of shape (m,)
        How many rows like it each stands for.
    weights, error_weights : float arrays of shape (m,)
        How much these weigh together, and how much their error variance counts.
    influence : float array of shape (m, K)
        What an error in a row's target does to the score.
    noise : float
        Sum of squared residuals of all rows.
    """

    rows: IntArray
    residual: FloatArray
    target: FloatArray
    left: FloatArray
    sampling_weight: FloatArray
    weights: FloatArray
    error_weights: FloatArray
    influence: FloatArray
    noise: float

    def row_variance(self, used_df: float) -> FloatArray:
        """Return squared residuals freed of what strata and parameters took, shape (m,)."""
        n_rows = float(self.weights.sum())
        grown = n_rows / max(n_rows - used_df, 1.0)
        return self.residual**2 / np.maximum(self.left, 0.1) * grown

    def meat(self, variance: FloatArray) -> FloatArray:
        """Return the score's covariance when the errors have `variance` (m,), shape (K, K)."""
        return weighted_gram(self.influence, self.error_weights * variance)


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
    strata : Partitions
    gram : float array of shape (K, K)
        Products of the columns.
    score : float array of shape (K,)
        Products with the target.
    total : float
        Sum of squares of the target.
    df : float
        Rows left to compare.
    """

    rows: FloatArray
    influence: FloatArray
    target: FloatArray
    weights: FloatArray
    strata: Partitions
    gram: FloatArray
    score: FloatArray
    total: float
    df: float

    def errors(self, effect: FloatArray) -> Errors:
        """Look at what an effect (K,) leaves of the target."""
        left = self.target - self.rows @ effect
        noise = float(self.weights @ left**2)
        rows = np.arange(len(left))
        return Errors(
            rows=rows,
            residual=left,
            target=self.target,
            left=self.strata.left,
            sampling_weight=np.ones(len(left)),
            weights=self.weights,
            error_weights=self.strata.error_weights,
            influence=self.influence,
            noise=noise,
        )


@dataclass(frozen=True, slots=True)
class SumsWithin:
    """One partition, summed up, and some of its rows.

    Attributes
    ----------
    gram, score, total, df
        As in `RowsWithin`.
    slopes : float array of shape (q, K + 1)
        Of basis and target on the covariates; zero where one takes no part.
    sample : RowSample
    """

    gram: FloatArray
    score: FloatArray
    total: float
    df: float
    slopes: FloatArray
    sample: RowSample

    def errors(self, effect: FloatArray) -> Errors:
        """Look at what an effect (K,) leaves of the target, in rows that stand for all."""
        sample, q = self.sample, len(self.slopes)
        left = sample.columns[:, q:] - sample.columns[:, :q] @ np.roll(self.slopes, 1, axis=1)
        target, influence = left[:, 0], np.ascontiguousarray(left[:, 1:])
        residual = target - influence @ effect
        weights = sample.sampling_weight * sample.weights
        return Errors(
            rows=sample.rows,
            residual=residual,
            target=target,
            left=sample.left,
            sampling_weight=sample.sampling_weight,
            weights=weights,
            error_weights=weights if sample.repeated else weights * sample.weights,
            influence=influence,
            noise=float(weights @ residual**2),
        )

    def only(self, points: BoolArray) -> SumsWithin:
        """Return the same without some of the points or levels."""
        rest = np.ones(len(self.slopes) + 1, dtype=np.bool_)
        columns = self.sample.columns[:, np.append(rest, points)]
        return replace(
            self,
            gram=self.gram[np.ix_(points, points)],
            score=self.score[points],
            slopes=self.slopes[:, np.append(points, True)],
            sample=replace(self.sample, columns=columns),
        )


@dataclass(frozen=True, slots=True)
class RowSample:
    """Rows that show how the errors of all rows spread.

    Attributes
    ----------
    rows : int array of shape (m,)
    columns : float array of shape (m, q + 1 + K)
        Covariates, target and basis, less the means of their stratum.
    left, weights : float arrays of shape (m,)
        As in `Partitions`.
    sampling_weight : float array of shape (m,)
        How many rows like it each stands for.
    repeated : bool
        As in `Partitions`.
    """

    rows: IntArray
    columns: FloatArray
    left: FloatArray
    weights: FloatArray
    sampling_weight: FloatArray
    repeated: bool


def rows_looked_at(basis: Basis) -> FloatArray:
    """Return how many rows each row stands for when errors are looked at, 0 if it is not.

    Of many rows every so many-th is looked at, but of a point or level with few rows more of
    them, or all: were none of its rows among those looked at, it would seem to have no error.

    Examples
    --------
    >>> codes = np.repeat([0, 1], [99_990, 10])
    >>> found = rows_looked_at(Basis(codes.astype(np.int32), np.zeros(100_000), 2))
    >>> int(np.count_nonzero(found[codes == 0])), found[codes == 1].tolist() == [1.0] * 10
    (5000, True)
    """
    n = len(basis.index)
    if n <= MANY_ROWS:
        return np.ones(n)
    out = np.zeros(n)
    order, bounds = in_groups(basis.rarer_point(), basis.size)
    for first, last in pairwise(bounds):
        most = min((last - first) / ROWS_A_POINT, n / ERROR_ROWS)
        rows = order[first:last][:: max(int(most), 1)]
        out[rows] = (last - first) / max(len(rows), 1)
    return out


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

    def errors(self, effect: FloatArray) -> Errors:
        """Look at what an effect (K,) leaves of the target."""


def compare_within(
    basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions
) -> Within:
    """Take strata and covariates out of a basis and a target (n,)."""
    if len(strata.labels) == 1:
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
        influence=strata.demean(rows),
        target=target,
        weights=weights,
        strata=strata,
        gram=weighted_gram(rows, weights),
        score=rows.T @ (weights * target),
        total=float(weights @ target**2),
        df=float(weights @ strata.left) - np.count_nonzero(covariates.active),
    )


def by_sums(basis: Basis, covariates: Covariates, y: FloatArray, strata: Partitions) -> SumsWithin:
    """Sum up products stratum by stratum, for one partition.

    Products inside the strata are those of all rows less those of the strata's sums: a row is
    only ever added to something, and products are formed of a tenth as many rows.
    """
    weights, q = strata.weights, len(covariates.active)
    rest, hats = slice(None, q + 1), slice(q + 1, None)  # covariates and target; the basis
    inside = np.zeros((q + 1 + basis.size, q + 1 + basis.size))
    inside[hats, hats] = basis.gram(weights)
    sampling_weight = rows_looked_at(basis)
    is_seen = sampling_weight > 0
    walk = strata.walk()
    seen = []
    for block in blocks_of(strata, walk):
        z = covariates.rows(block.rows, y[block.rows, None])
        own = basis.take(block.rows)
        inside[rest, rest] += weighted_gram(z, None if block.even else block.weights)
        inside[hats, rest] += own.collect(z, block.weights)
        sums = block.sums(z, own)
        inside -= sums.T @ sums
        at = np.flatnonzero(is_seen[block.rows])
        seen.append(np.hstack([z[at], own.take(at).dense()]) - block.means(sums, at))
    blocks = inside[rest, rest], inside[hats, rest], inside[hats, hats]
    left = take_out(*blocks, covariates.active, float(weights.sum()))
    rows = walk.order[is_seen[walk.order]]
    return SumsWithin(
        gram=left.gram,
        score=left.score,
        total=left.total,
        df=float(weights.sum()) - len(strata.totals[0]) - np.count_nonzero(covariates.active),
        slopes=left.slopes,
        sample=RowSample(
            rows=rows,
            columns=np.concatenate(seen),
            left=strata.left[rows],
            weights=weights[rows],
            sampling_weight=sampling_weight[rows],
            repeated=strata.repeated,
        ),
    )


@dataclass(frozen=True, slots=True)
class Left:
    """Products of basis and target after the covariates are taken out; see `SumsWithin`."""

    slopes: FloatArray
    gram: FloatArray
    score: FloatArray
    total: float


def take_out(
    inner: FloatArray, crossed: FloatArray, gram: FloatArray, active: BoolArray, n_rows: float
) -> Left:
    """Take the covariates out of products inside the strata.

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


@dataclass(frozen=True, slots=True)
class Block:
    """Some strata as a whole.

    Attributes
    ----------
    rows : int64 array of shape (m,)
    label : int32 array of shape (m,)
        Their strata, numbered from 0.
    totals : float array of shape (number of strata,)
    weights : float array of shape (m,)
    even : bool
        Whether all weights are 1.
    """

    rows: NDArray[np.int64]
    label: Labels
    totals: FloatArray
    weights: FloatArray
    even: bool

    def sums(self, columns: FloatArray, basis: Basis | None = None) -> FloatArray:
        """Return the strata's sums of `columns` (m, k) and a basis, over the root of their weight.

        Their products are those of the strata's means, each as often as the stratum has rows.
        """
        width = columns.shape[1]
        out = np.zeros((len(self.totals), width + (basis.size if basis else 0)))
        add_rows(columns, self.weights, self.label, out)
        if basis:
            place = basis.index + np.int32(width)
            add_hats(place, basis.share, self.weights, self.label, out)
        out /= np.sqrt(self.totals)[:, None]
        return out

    def means(self, sums: FloatArray, at: IntArray) -> FloatArray:
        """Return the means of the strata of some rows, (len(at), k), from `sums`."""
        stratum = self.label[at]
        return sums[stratum] / np.sqrt(self.totals[stratum])[:, None]


def blocks_of(strata: Partitions, walk: Walk) -> Iterator[Block]:
    """Walk through the strata of one partition, as many at a time as the cache holds."""
    (totals,), order, bounds = strata.totals, walk.order, walk.bounds
    even = bool(np.all(strata.weights == 1))
    first = 0
    while first < len(totals):
        fits = int(np.searchsorted(bounds, bounds[first] + BLOCK, side="right")) - 1
        last = max(fits, first + 1)
        rows = order[bounds[first] : bounds[last]]
        number = np.arange(last - first, dtype=np.int32)
        label = np.repeat(number, np.diff(bounds[first : last + 1]))
        weights = np.ones(len(rows)) if even else strata.weights[rows]
        yield Block(rows, label, totals[first:last], weights, even)
        first = last
