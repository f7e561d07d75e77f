"""The covariance of an estimate, from what each row contributes to its score.

The score of a least squares fit is a sum over rows of influence times error. Its covariance needs
only these row scores: rows with a variance of their own (White 1980), rows of a cluster together
(Liang and Zeger 1986), rows with sampling weights or counts by how much each contributes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import FloatArray, Labels, Rows, coarse, dot, quantiles_of_sorted
from paribus.estimate.groups import add_of_group, add_rows, draw_along, weighted_gram
from paribus.estimate.units import Units
from paribus.estimate.within import Within

MANY_ROWS = 8_000  # with more, some of the rows show how the errors spread
ERROR_ROWS = 4000  # about so many drawn evenly, and as many by what they contribute
ROWS_A_POINT = 50  # and of every point or level at least so many, if it has them
LEAST_LEFT = 0.1  # a residual of which less is left says nothing
USUAL_ROWS = 0.95  # errors beyond this quantile of their squares count as large as there
EXACT = 1e-6  # an error no larger than this, in units of the target, is rounding
LEAST_LEVERAGE = 0.02  # of a direction, for its clusters to pull the fit towards themselves
MOST_LEFT_OUT = 4_000_000  # numbers in the leverage of all clusters: with more, it is left alone
CANDIDATES = 200  # rows looked at for their influence on the result


@dataclass(frozen=True, slots=True)
class RowScores:
    """What errors in some rows do to the score."""

    at: Rows  # (m,): the rows
    influence: FloatArray  # (m, K): on the score of the points, or of some functions of them
    units: Units  # of these rows; they stand for all

    def by_row(self, variance: FloatArray) -> FloatArray:
        """Return the score's covariance when errors have `variance` (m,), shape (K, K)."""
        return weighted_gram(self.influence, self.units.error_weights * variance)

    def own(self, root: FloatArray) -> FloatArray:
        """Return the share of each row's error that an estimate takes into itself, shape (m,).

        For `root` see `by_cluster`.
        """
        pull: FloatArray = np.square(self.influence @ root).sum(axis=1)
        return self.units.weights / self.units.counts * pull

    def by_cluster(
        self, residual: FloatArray, df: float | None, root: FloatArray | None = None
    ) -> FloatArray:
        """Return the score's covariance when rows of a cluster share errors, shape (K, K).

        ``G / (G - 1) (n - 1) / df sum_g s_g s_g'`` with ``s_g`` the scores of a cluster's rows; the
        sum alone where no `df` is given. With a `root` (K, m) of the matrix that turns scores into
        the estimate, residuals are those of an estimate without the cluster: the jackknife, for
        few clusters pull it towards themselves (MacKinnon, Nielsen and Webb 2023).
        """
        cluster = self._clusters()
        if root is not None:
            residual = self._without_cluster(residual, cluster, root)
        sums = self._sums(self.influence, residual, cluster)
        if df is None:
            return dot(sums.T, sums)
        size = len(sums)
        small = size / max(size - 1, 1) * (self.units.n_rows - 1) / max(df, 1.0)
        return small * dot(sums.T, sums)

    def _clusters(self) -> Labels:
        """Return the clusters of the rows, numbered without gaps, shape (m,)."""
        if self.units.cluster is None:
            raise ValueError("rows belong to no cluster")
        return np.unique(self.units.cluster, return_inverse=True)[1].astype(np.int32)

    def of_shared(self, variance: FloatArray, alike: float) -> FloatArray:
        """Return the same when rows of a cluster share a part `alike` of `variance` (m,), (K, K).

        For so many numbers and clusters that the jackknife would take too long.
        """
        if self.units.cluster is None:
            raise ValueError("rows belong to no cluster")
        sums = self._sums(self.influence, np.sqrt(variance), self.units.cluster)
        return (1 - alike) * self.by_row(variance) + alike * dot(sums.T, sums)

    def _sums(self, rows: FloatArray, residual: FloatArray, cluster: Labels) -> FloatArray:
        """Return the clusters' sums of `rows` (m, t) times residuals, shape (G, t)."""
        sums = np.zeros((int(cluster.max()) + 1, rows.shape[1]))
        weights = np.sqrt(self.units.sampling_weight) * self.units.weights
        add_rows(np.ascontiguousarray(rows), weights * residual, cluster, sums)
        return sums

    def _without_cluster(
        self, residual: FloatArray, cluster: Labels, root: FloatArray
    ) -> FloatArray:
        """Return what the estimate made without a row's cluster leaves of it, shape (m,).

        ``e + T_g (I - T_g' T_g)^-1 T_g' e`` with ``T_g`` the cluster's rows times the root.
        """
        rows = self.influence @ root
        first, second = np.triu_indices(rows.shape[1])
        ones = np.ones(len(rows))
        products = self._sums(rows[:, first] * rows[:, second], ones, cluster)
        leverage = np.zeros((len(products), rows.shape[1], rows.shape[1]))
        leverage[:, first, second] = leverage[:, second, first] = products
        taken, vectors = np.linalg.eigh(leverage)
        pull = np.einsum("gij,gi->gj", vectors, self._sums(rows, residual, cluster))
        pull /= np.maximum(1 - taken, LEAST_LEFT)
        moved = np.einsum("gij,gj->gi", vectors, pull)
        return residual + np.einsum("ij,ij->i", rows, moved[cluster])


def may_leave_out(n_clusters: int, n_numbers: int) -> bool:
    """Tell whether each cluster can be left out in turn in good time."""
    return n_clusters * n_numbers**2 <= MOST_LEFT_OUT


def row_scores(
    within: Within, points: Labels, variance: FloatArray, functions: FloatArray | None = None
) -> RowScores:
    """Look at rows that show how the errors spread: all of them, or of very many some.

    Parameters
    ----------
    within : Within
    points : int32 array of shape (n,)
        The point or level of each row; each has rows among those looked at.
    variance : float array of shape (n,)
        The errors' variance as far as known: rows with much of it are looked at more often, and
        the largest always.
    functions : float array of shape (K, a), optional
        Functions of the points whose scores are looked at, instead of those of the points.
    """
    units = within.units
    n = len(points)
    if n <= MANY_ROWS or units.cluster is not None or np.any(units.sampling_weight != 1):
        every: Rows = np.arange(n)
        return RowScores(every, within.influence(every, functions), units)
    drawn = drawing_chance(points, units.error_weights * variance)
    at = draw_rows(points, drawn)
    chosen = replace(units.take(at), sampling_weight=1 / drawn[at])
    return RowScores(at, within.influence(at, functions), chosen)


def drawing_chance(points: Labels, contribution: FloatArray) -> FloatArray:
    """Return how likely each row is to be looked at, shape (n,).

    Rows are drawn evenly, but of a point or level with few rows more of them, or all: were none
    of its rows among them, it would seem to have no error. Beside that they are drawn by what
    they contribute to the covariance, so that the few that carry it are always among them.

    Examples
    --------
    >>> points = np.repeat([0, 1], [99_990, 10]).astype(np.int32)
    >>> spread = np.ones(100_000)
    >>> spread[7] = 1e6
    >>> chance = drawing_chance(points, spread)
    >>> float(chance[7]), float(chance[-1]), round(float(chance.sum()), -2)
    (1.0, 1.0, 4400.0)
    """
    count = np.bincount(points)
    base = np.maximum(ROWS_A_POINT / np.maximum(count, 1), ERROR_ROWS / len(points))
    out: FloatArray = ERROR_ROWS * contribution
    out /= max(float(contribution.sum()), 1e-300)
    add_of_group(base, points, out)
    return np.minimum(out, 1.0, out=out)


def draw_rows(points: Labels, chance: FloatArray) -> Rows:
    """Draw rows with the given chances, evenly along the points.

    Rows are walked point by point, chances added up, and a row is drawn whenever the sum passes
    a whole number: no luck is involved, and every point has its share.
    """
    drawn, passed = np.empty(len(points), np.bool_), np.zeros(int(points.max(initial=-1)) + 1)
    draw_along(points, chance, passed, drawn.view(np.uint8))
    return np.flatnonzero(drawn)


def row_variance(
    units: Units,
    residual: FloatArray,
    used_df: float,
    taken: FloatArray | float = 0.0,
    n_rows: float | None = None,
) -> FloatArray:
    """Return squared residuals freed of what strata and parameters took, shape (m,).

    Parameters took `used_df` of all rows alike, or of each row what it has `taken` (m,). All rows
    are `n_rows`, where these are but some of them.
    """
    n_rows = units.n_rows if n_rows is None else n_rows
    grown = n_rows / max(n_rows - used_df, 1.0)
    left = units.one_minus_leverage - taken
    np.maximum(left, LEAST_LEFT, out=left)
    out: FloatArray = residual**2
    out /= left
    out *= grown
    return out


def score_covariance(
    scores: RowScores,
    within: Within,
    residual: FloatArray,
    n_covariates: float,
    edf: float,
    root: FloatArray | None = None,
) -> FloatArray:
    """Return the score's covariance given the residuals of all rows (n,), shape (K, K).

    `n_covariates` were taken out, and the effect is worth `edf` numbers. For `root` see
    `RowScores.by_cluster`.
    """
    units, left = scores.units, residual[scores.at]
    if units.cluster is None:
        if root is None or within.units.is_even:
            used, n_rows = n_covariates + edf, within.units.n_rows
            return scores.by_row(row_variance(units, left, used, n_rows=n_rows))
        # A row that weighs much pulls the fit towards itself (HC2 of MacKinnon and White 1985).
        taken = within.taken[scores.at] + scores.own(root)
        return scores.by_row(row_variance(units, left, 0.0, taken))
    # Strata inside clusters take nothing from the freedom between clusters.
    df = units.n_rows - n_covariates - edf if units.nested else within.df - edf
    if root is None or not may_leave_out(len(np.unique(units.cluster)), root.shape[1]):
        return scores.by_cluster(left, df)
    if units.nested:
        return scores.by_cluster(left, df, root)
    # Left out of its stratum means as well, a cluster takes nothing from them.
    return scores.by_cluster(within.without_cluster(residual)[scores.at], None, root)


def error_df(units: Units, df: float) -> float:
    """Return the degrees of freedom of the standard errors: clusters less one, or rows."""
    if units.cluster is None:
        return max(df, 1.0)
    return max(len(np.unique(units.cluster)) - 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Moves:
    """Rows that move an estimate."""

    rows: Rows  # (m,): those that move it most first
    change: FloatArray  # (m, K): by how much the estimate would change without each of them
    size: FloatArray  # (m,): the largest of these changes, in standard errors

    @classmethod
    def none(cls, size: int) -> Moves:
        """Return no rows, for an estimate of so many points."""
        return cls(np.empty(0, dtype=np.int64), np.empty((0, size)), np.empty(0))

    def times(self, scale: float) -> Moves:
        """Return the changes in another unit."""
        return replace(self, change=scale * self.change)


def influential_rows(within: Within, solve: FloatArray, residual: FloatArray) -> Moves:
    """Find the rows without which some point would move by more than its standard error.

    That is the standard error which the usual row's error gives: the extreme rows themselves would
    make it so large that none of them stood out.

    Parameters
    ----------
    within : Within
    solve : float array of shape (P, K)
        Turns a change of the score into one of the P reported points.
    residual : float array of shape (n,)
    """
    units = within.units
    squares = residual[:: max(1, len(residual) // MANY_ROWS)] ** 2
    squares = np.minimum(squares, quantiles_of_sorted(np.sort(squares), np.array([USUAL_ROWS])))
    usual = max(float(np.sqrt(squares.mean())), EXACT)
    spread = np.einsum("ij,ij->i", solve @ within.gram, solve)
    standard_error = np.maximum(usual * np.sqrt(np.maximum(spread, 0.0)), 1e-300)
    pull = units.weights * np.abs(residual)
    most = np.sort(np.argpartition(pull, -min(CANDIDATES, len(pull)))[-CANDIDATES:])
    left = np.maximum(units.one_minus_leverage[most], LEAST_LEFT)
    push = (units.weights[most] * residual[most] / left)[:, None] * within.influence(most)
    change = -push @ solve.T
    size = np.abs(change / standard_error).max(axis=1, initial=0.0)
    order = np.argsort(-coarse(size), kind="stable")
    order = order[size[order] > 1.0]
    return Moves(most[order], change[order], size[order])
