"""Very many rows: the average over a part of them, corrected by the common effect of all rows.

The average over rows is estimated on a part of them. The difference between the common effect of
all rows and that of the part shows how far the part is off, and as much of it is added as minimises
the error, ``a_part + b (c_all - c_part)``, a control variate. That is all of it where the effect
hardly differs, and next to nothing where it differs much, because there the common effect is a
different, noisy average. Errors that the terms share are accounted for: the part's rows are among
all rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import FloatArray, Labels, Rows
from paribus.estimate.averaging import Averaged
from paribus.estimate.covariance import row_scores, row_variance, score_covariance
from paribus.estimate.curve import CurveFit
from paribus.estimate.levels import LevelFit, centred_in_islands
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import by_share, quadratic_p_value

PART_ROWS = 120_000  # tell the average over the rows, of more of them


def part_of(strata: Partitions, n_rows: int, *, by_row: bool = False) -> Rows | None:
    """Return about so many rows, whole strata unless drawn `by_row`; None stands for all.

    Every so many-th stratum is taken: those next to each other in a tree are alike, and drawn at
    random, those in which an effect is large could be more of a part than of all rows. The levels
    of a category are spread too unevenly over strata for that: a row is drawn by itself. Rows of a
    cluster stay together.
    """
    n, cluster = len(strata.weights), strata.units.cluster
    if n <= n_rows:
        return None
    if by_row and cluster is None:
        return np.arange(n_rows) * n // n_rows
    if cluster is not None:
        drawn = np.random.default_rng(0).random(int(cluster.max()) + 1) < n_rows / n
        return np.flatnonzero(drawn[cluster])
    met = np.floor(np.arange(len(strata.totals[0]) + 1) * (n_rows / n))
    return np.flatnonzero((np.diff(met) > 0)[strata.labels[0]])


def add_curve_difference(
    common: CurveFit,
    rows: Averaged[CurveFit],
    part: CurveFit,
    points: Labels,
    share: float,
    scale: float,
) -> CurveFit:
    """Return the curve averaged over the rows of a part, corrected by the common ones.

    Parameters
    ----------
    common : CurveFit
        Of all rows.
    rows, part : Averaged and CurveFit
        The average over rows, and the common curve, both of the part.
    points : int32 array of shape (m,)
        The point of each row of the part.
    share : float
        Of all rows that the part is.
    scale : float
        Of the target in the part.
    """
    found = rows.fit
    errors = _errors(found, part, part.solve, points, scale)
    beside = _positive(part.covariance - errors.part)
    weight = _weight(errors, common.covariance + beside, share, common.row_share)
    kept = np.full(len(common.effect), weight)
    covariance = (
        np.outer(kept, kept) * (common.covariance + beside)
        + rows.beside_errors
        + errors.of_part(kept, share)
    )
    covariance = _no_surer(covariance, share * found.covariance)
    effect = found.effect + weight * (common.effect - part.effect)
    effect = effect - common.row_share @ effect
    return replace(
        common,
        effect=effect,
        covariance=covariance,
        p_value=quadratic_p_value(
            effect, by_share(common.row_share, np.diag(covariance)), covariance, common.df
        ),
    )


def add_level_difference(
    common: LevelFit,
    rows: Averaged[LevelFit],
    part: LevelFit,
    points: Labels,
    count: FloatArray,
    share: float,
    scale: float,
) -> LevelFit:
    """Return the levels averaged over the rows of a part, corrected by those of all, `count` (K,).

    Levels of which the part has nothing to tell are those of all rows.
    """
    if part.within is None or common.covariance is None or rows.fit.covariance is None:
        raise ValueError("too many levels for interactions")
    island = common.island
    centre = centred_in_islands(np.eye(len(count)), island, count)
    found = replace(rows.fit, solve=centre @ rows.fit.solve)
    errors = _errors(found, part, centre @ part.solve, points, scale)
    known, told = ~np.isnan(common.effect), ~np.isnan(rows.fit.effect - part.effect)
    weight = _weight(errors, common.covariance, share, np.where(told, count, 0.0))
    kept = np.where(told, weight, 1.0)
    covariance = np.outer(kept, kept) * common.covariance + rows.beside_errors
    covariance = covariance + errors.of_part(kept, share)
    covariance = _no_surer(covariance, share * rows.fit.covariance)
    moved = rows.fit.effect - part.effect + (1 - weight) * (part.effect - common.effect)
    moved = centred_in_islands(np.nan_to_num(moved)[:, None], island, count)[:, 0]
    error = np.where(known, np.sqrt(np.diag(covariance)), np.nan)
    at = np.ix_(known, known)
    effect = common.effect + moved
    p_value = quadratic_p_value(
        effect[known],
        by_share(count[known] / count.sum(), np.diag(covariance[at])),
        covariance[at],
        float(np.min(common.df)),
    )
    return replace(
        common, effect=effect, covariance=covariance, standard_error=error, p_value=p_value
    )


@dataclass(frozen=True, slots=True)
class _Errors:
    """What the part's errors give, each of shape (K, K)."""

    change: FloatArray  # covariance of the average over rows less the common effect
    part: FloatArray  # of the common effect
    crossed: FloatArray  # of the first with the second

    def of_part(self, kept: FloatArray, share: float) -> FloatArray:
        """Return what the part's errors add when of the common effects `kept` (K,) is counted.

        The variance of ``a - k c``, and what it has in common with ``k`` times the effect of all
        rows, of which the part is a `share`.
        """
        less = 1 - kept
        beside = less[:, None] * self.crossed.T
        own = self.change + beside + beside.T + np.outer(less, less) * self.part
        both = (self.crossed + less[:, None] * self.part) * kept
        return own + share * (both + both.T)


def _weight(errors: _Errors, beside: FloatArray, share: float, rows: FloatArray) -> float:
    """Return how much of the common effects' difference makes the variance least, 0 to 1.

    The variance is a parabola in it, averaged over points by their `rows` (K,); `beside` (K, K)
    is what grows with its square.
    """
    told = rows > 0
    both, part, other = (
        float(rows[told] @ np.diag(matrix)[told])
        for matrix in (errors.crossed, errors.part, beside)
    )
    squared = other + (1 - 2 * share) * part
    return float(np.clip((1 - share) * (both + part) / max(squared, 1e-300), 0.0, 1.0))


def _errors(
    found: CurveFit | LevelFit,
    part: CurveFit | LevelFit,
    solve: FloatArray,
    points: Labels,
    scale: float,
) -> _Errors:
    """Return the errors of the average over rows, and of the common effect of the part.

    To the common effect, what makes effects differ is an error like any other.
    """
    if found.within is None or part.within is None:
        raise ValueError("too many levels for interactions")
    variance = row_variance(part.within.units, part.residual, 0.0)
    seen = row_scores(part.within, points, variance, solve.T)
    of_rows = found.within.influence(seen.at, found.solve.T) * found.residual[seen.at, None]
    of_part = seen.influence * part.residual[seen.at, None]
    both = replace(seen, influence=scale * np.hstack([of_rows - of_part, of_part]))
    ones = np.ones(len(part.residual))
    covariance = score_covariance(both, found.within, ones, 0.0, 0.0)
    size = of_part.shape[1]
    return _Errors(covariance[:size, :size], covariance[size:, size:], covariance[:size, size:])


def _positive(matrix: FloatArray) -> FloatArray:
    """Return a symmetric matrix without its negative directions."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def _no_surer(covariance: FloatArray, least: FloatArray) -> FloatArray:
    """Raise variances to those that the average over all rows would have."""
    short = np.maximum(np.diag(least) - np.diag(covariance), 0.0)
    return covariance + np.diag(short)
