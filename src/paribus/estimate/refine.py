"""The error that is left because cells have a width, estimated from cells of other widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Labels
from paribus.estimate.bands import largest_p_value
from paribus.estimate.covariance import LEAST_LEFT, row_scores
from paribus.estimate.curve import CurveFit
from paribus.estimate.groups import add_rows
from paribus.estimate.levels import LevelFit, centred_in_islands
from paribus.estimate.testing import by_share, quadratic_p_value
from paribus.estimate.within import Within

MOVED = 0.5  # standard errors: very many levels that change by less are left as they are
TELLING = 0.05  # of the range of an effect: a change that is smaller tells little of it
# What cells half as wide change, as a share of what the first halving changed: where confounding
# is smooth inside them, where it jumps along a line that they do not follow, and between.
SMOOTH, JUMP = 0.25, 0.5
RATIO = np.array([SMOOTH, JUMP, (SMOOTH + JUMP) / 2])
ANY = np.array([0.0, 0.0, 1.0])  # standard deviation of that share where it may be any other
LIKELY = np.array([0.25, 0.5, 0.25])  # how likely each is before anything is seen
NOTHING_LEFT = 0.3  # weight, at most, of nothing being left inside cells
ROUNDING = 1e-20  # of squares, in those of the target
GOING_ON = 0.5, 2 / 3  # where it may be any, changes go on with the one seen, within these


def _towards_none(ratio: float) -> FloatArray:
    """Return weights of estimates from cells of the width, a half and a quarter of it, shape (3,).

    They are the height at which a line leaves the axis: what is left falls by `ratio` from one to
    the next.

    Examples
    --------
    >>> (6 * _towards_none(0.25)).round(9).tolist(), (2 * _towards_none(0.5)).round(9).tolist()
    ([-1.0, 3.0, 4.0], [-1.0, 1.0, 2.0])
    """
    left = ratio ** np.arange(3)
    apart = left - left.mean()
    return np.asarray(1 / 3 - left.mean() * apart / (apart @ apart))


# Nothing is left, it falls as where smooth, as at a jump, or somehow else: rows (4, 3).
LAWS = np.array([[1, 0, 0], _towards_none(SMOOTH), _towards_none(JUMP), [0, 0, 0]])
LAWS[3] = LAWS[1:3].mean(axis=0)


@dataclass(frozen=True, slots=True)
class _Refined:
    """What to add to an effect, to its covariance, and how unsettled it is."""

    step: FloatArray  # (K,)
    covariance: FloatArray  # (K, K)
    unsettled: float


def refined_curve(
    fit: CurveFit, fits: Sequence[CurveFit], points: Labels, scale: float
) -> CurveFit:
    """Return a curve freed of most of what is left inside its cells.

    The first of the common curves `fits` is estimated in these cells. If there are two, the other
    one is in cells of twice their width; if three, the others are in cells of half and of a fourth
    of it. Rows (n,) lie at `points`; `scale` is that of the target.
    """
    first = fits[0]
    effects = np.array([each.effect for each in fits])
    error = np.sqrt(np.maximum(np.diag(first.covariance), 0.0))
    if len(fits) == 2:
        found = _wider(effects, error)
    else:
        errors = _row_errors([(each.within, each.residual, each.solve) for each in fits], points)
        found = _finer(effects, error, scale, errors, first.row_share)
    fit = replace(
        fit,
        effect=fit.effect + found.step,
        covariance=fit.covariance + found.covariance,
        unsettled=found.unsettled,
    )
    return tested_as_shown(fit)


def tested_as_shown(fit: CurveFit) -> CurveFit:
    """Return a curve with the test of the curve that is shown, with all its covariance.

    What cells leave bends a curve at its ends, for which that allows and the test of the score not.
    """
    weight = by_share(fit.row_share, np.diag(fit.covariance))
    return replace(fit, p_value=quadratic_p_value(fit.effect, weight, fit.covariance, fit.df))


def refined_levels(
    fit: LevelFit, fits: Sequence[LevelFit], codes: IntArray, count: FloatArray, scale: float
) -> LevelFit:
    """Return levels freed of most of what is left inside their cells; see `refined_curve`.

    `codes` (n,) are the levels of the rows, of which each level has `count` (K,).
    """
    first = fits[0]
    effects, error = np.array([each.effect for each in fits]), first.standard_error
    if len(fits) == 2 or first.within is None:
        found = _wider(effects, error) if len(fits) == 2 else _many_levels(effects, error)
    else:
        withins = [
            (each.within, each.residual, centred_in_islands(each.solve, each.island, count))
            for each in fits
            if each.within is not None
        ]
        errors = _row_errors(withins, codes.astype(np.int32))
        found = _finer(effects, error, scale, errors, count / count.sum())
    effect, covariance, p_value = fit.effect + found.step, fit.covariance, fit.p_value
    root = None if fit.root is None else np.column_stack([fit.root, found.step])
    if covariance is not None:
        covariance = covariance + found.covariance
        known = ~np.isnan(effect)
        p_value = max(p_value, largest_p_value(effect[known], covariance[np.ix_(known, known)]))
    variance = fit.standard_error**2 + np.diag(found.covariance)
    return replace(
        fit,
        effect=effect,
        covariance=covariance,
        root=root,
        standard_error=np.sqrt(np.maximum(variance, 0.0)),
        p_value=p_value,
        unsettled=found.unsettled,
    )


def _wider(effects: FloatArray, error: FloatArray) -> _Refined:
    """Extrapolate from cells of twice the width, `effects` (2, K) given.

    What cells of width h leave of smooth confounding falls with h^2: those of half the width leave
    a fourth, so that a third of what these changed is still to come (Richardson). The step counts
    as one more thing to be unsure about.
    """
    change = np.nan_to_num(effects[1] - effects[0])
    return _with_doubt(effects[0], change, error, -change / 3)


def _many_levels(effects: FloatArray, error: FloatArray) -> _Refined:
    """Extrapolate from cells of half the width, as `_wider`, where no errors of rows are known.

    The step is four times as large as what they change, and as noisy: it is taken only where some
    level moves by more than half a standard error.
    """
    change = np.nan_to_num(effects[1] - effects[0])
    return _with_doubt(effects[0], change, error, 4 / 3 * change * (_moved(change, error) > MOVED))


def _with_doubt(
    effect: FloatArray, change: FloatArray, error: FloatArray, step: FloatArray
) -> _Refined:
    return _Refined(step, np.outer(step, step), _unsettled(effect + step, change, error))


def _finer(
    effects: FloatArray,
    error: FloatArray,
    scale: float,
    errors: Sequence[FloatArray],
    share: FloatArray,
) -> _Refined:
    """Extrapolate from cells of half and of a fourth of the width, `effects` (3, K) given.

    Three laws may hold of what is left, and the ratio of the two changes tells how likely each is:
    a fourth where confounding is smooth, a half where it jumps along a line that cells do not
    follow, or any other, where the last change may be yet to come once or twice. The effect is the
    mean of what they say. Where the first change is no more than noise, nothing may be left at all.
    How the laws differ is added to the doubt, beside the sampling error of what is shown, known
    from the `errors` of rows (3 of shape (m, K)), in units of the target's standard deviation
    `scale`.
    """
    known = ~np.isnan(effects).any(axis=0)
    effects = np.where(known, effects / scale, 0.0)
    first, last = np.diff(effects, axis=0)
    errors = [np.where(known, each, 0.0) for each in errors]
    noise, last_noise = errors[1] - errors[0], errors[2] - errors[1]
    weight = by_share(share, np.square(last_noise).sum(axis=0))
    along = weight * first
    size = float(along @ first)
    if size < ROUNDING:
        return _Refined(np.zeros_like(first), np.zeros((len(first), len(first))), 0.0)
    ratio = float(along @ last) / size
    apart = (last_noise @ along)[:, None] - RATIO * (noise @ along)[:, None]
    variance = np.maximum(np.square(apart).sum(axis=0) / size**2 + ANY**2, ROUNDING)
    chance = -((ratio - RATIO) ** 2) / variance / 2
    chance = LIKELY * np.exp(chance - chance.max()) / np.sqrt(variance)
    none = NOTHING_LEFT * min(1.0, float(np.square(noise).sum(axis=0) @ weight) / size)
    chance = np.append(none, (1 - none) * chance / chance.sum())
    mean = chance @ LAWS
    step = mean @ effects - effects[0]
    beside = (LAWS - mean) @ effects
    total = np.tensordot(mean, np.array(errors), 1)
    covariance = total.T @ total - errors[0].T @ errors[0]
    going_on = np.clip(ratio, *GOING_ON)
    more = going_on / (1 - going_on) * last
    covariance += (beside.T * chance) @ beside + chance[-1] * np.outer(more, more)
    settled = _unsettled((effects[0] + step)[known], first, error / scale)
    return _Refined(scale * step, scale**2 * covariance, settled)


def _row_errors(
    fits: Sequence[tuple[Within, FloatArray, FloatArray]], points: Labels
) -> list[FloatArray]:
    """Return what the errors of some rows, or of clusters, do to each of several fits, (m, K) each.

    Their products sum up to covariances. A fit is what is left inside its strata, its residuals
    (n,), and what turns scores into it (K, K).
    """
    scores = row_scores(fits[0][0], points, fits[0][1] ** 2)
    at, units = scores.at, scores.units
    together = units.sampling_weight * units.weights**2
    counted = units.error_weights if units.cluster is None else together
    out = []
    for within, residual, solve in fits:
        left = np.sqrt(np.maximum(within.units.one_minus_leverage[at], LEAST_LEFT))
        rows = np.ascontiguousarray(within.influence(at) @ solve.T)
        error = np.sqrt(counted) * residual[at] / left
        if units.cluster is None:
            out.append(error[:, None] * rows)
        else:
            sums = np.zeros((int(units.cluster.max()) + 1, rows.shape[1]))
            add_rows(rows, error, units.cluster, sums)
            out.append(sums)
    return out


def _moved(change: FloatArray, error: FloatArray) -> float:
    """Return by how many standard errors an effect changes where it does so most."""
    return float(np.nanmax(np.abs(change) / np.maximum(error, 1e-300), initial=0.0))


def _unsettled(effect: FloatArray, change: FloatArray, error: FloatArray) -> float:
    """Return how many standard errors an effect changes by, if that is much of it."""
    effect = effect[~np.isnan(effect)]
    much = len(effect) > 0 and np.abs(change).max() > TELLING * np.ptp(effect)
    return _moved(change, error) if much else 0.0
