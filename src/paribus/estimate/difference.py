"""Very many rows: the common effect of all of them, and what averaging changes on a part.

The difference between the average over rows and the common effect is estimated on some of the rows
and added. Its own error is counted, and so is what both have in common: the part's rows are among
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
from paribus.estimate.within import Within

PART_ROWS = 60_000  # tell the difference, of more than twice as many


def part_of(strata: Partitions, n_rows: int, seed: int = 0) -> Rows | None:
    """Return about so many rows, whole strata of the first partition, of more than twice as many.

    None stands for all rows.
    """
    label, total = strata.labels[0], strata.totals[0]
    if len(label) <= 2 * n_rows:
        return None
    chance = n_rows / len(label)
    chosen = np.random.default_rng(seed).random(len(total)) < chance
    return np.flatnonzero(chosen[label])


def add_curve_difference(
    common: CurveFit,
    rows: Averaged[CurveFit],
    part: CurveFit,
    points: Labels,
    share: float,
    scale: float,
) -> CurveFit:
    """Add to the common curve of all rows what averaging changes on a part.

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
    errors = _errors(found, part.within, part.solve, points, scale)
    beside = rows.beside_errors + _positive(part.covariance - errors.part)
    covariance = common.covariance + beside + errors.change + share * errors.both
    covariance = _no_surer(covariance, share * found.covariance)
    effect = common.effect + found.effect - part.effect
    effect = effect - common.row_share @ effect
    return replace(
        common,
        effect=effect,
        covariance=covariance,
        p_value=quadratic_p_value(
            effect, by_share(common.row_share, covariance), covariance, common.df
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
    """Add to the common levels of all rows, `count` (K,), what averaging changes on a part."""
    if part.within is None or common.covariance is None or rows.fit.covariance is None:
        raise ValueError("too many levels for interactions")
    island = common.island
    centre = centred_in_islands(np.eye(len(count)), island, count)
    found = replace(rows.fit, solve=centre @ rows.fit.solve)
    errors = _errors(found, part.within, centre @ part.solve, points, scale)
    covariance = common.covariance + rows.beside_errors + errors.change + share * errors.both
    covariance = _no_surer(covariance, share * rows.fit.covariance)
    moved = centred_in_islands(
        np.nan_to_num(rows.fit.effect - part.effect)[:, None], island, count
    )[:, 0]
    known = ~np.isnan(common.effect)
    error = np.where(known, np.sqrt(np.diag(covariance)), np.nan)
    at = np.ix_(known, known)
    effect = common.effect + moved
    p_value = quadratic_p_value(
        effect[known],
        by_share(count[known] / count.sum(), covariance[at]),
        covariance[at],
        float(np.min(common.df)),
    )
    return replace(
        common, effect=effect, covariance=covariance, standard_error=error, p_value=p_value
    )


@dataclass(frozen=True, slots=True)
class _Errors:
    """What the part's errors give: covariances of the difference and of the common effect.

    `both` is what the two share, twice; all are of shape (K, K).
    """

    change: FloatArray
    part: FloatArray
    both: FloatArray


def _errors(
    found: CurveFit | LevelFit,
    within: Within,
    solve: FloatArray,
    points: Labels,
    scale: float,
) -> _Errors:
    if found.within is None:
        raise ValueError("too many levels for interactions")
    seen = row_scores(within, points, row_variance(within.units, found.residual, 0.0), solve.T)
    change = found.within.influence(seen.at, found.solve.T) - seen.influence
    both = replace(seen, influence=scale * np.hstack([change, seen.influence]))
    covariance = score_covariance(both, found.within, found.residual, 0.0, 0.0)
    size = change.shape[1]
    crossed = covariance[:size, size:]
    return _Errors(covariance[:size, :size], covariance[size:, size:], crossed + crossed.T)


def _positive(matrix: FloatArray) -> FloatArray:
    """Return a symmetric matrix without its negative directions."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def _no_surer(covariance: FloatArray, least: FloatArray) -> FloatArray:
    """Raise variances to those that the average over all rows would have."""
    short = np.maximum(np.diag(least) - np.diag(covariance), 0.0)
    return covariance + np.diag(short)
