"""The error that is left because cells have a width, estimated from cells of another width."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.bands import largest_p_value
from paribus.estimate.curve import CurveFit
from paribus.estimate.levels import LevelFit
from paribus.estimate.testing import by_share, quadratic_p_value

MOVED = 0.5  # standard errors: an effect that changes by less with finer cells is left as it is
TELLING = 0.05  # of the range of an effect: a change that is smaller tells little of it


def refined_curve(fit: CurveFit, common: CurveFit, other: CurveFit, finer: bool) -> CurveFit:
    """Return a curve freed of most of what is left inside its cells.

    The `common` curve is estimated in these cells, the `other` one in cells of twice their width,
    or of half if it is `finer`.
    """
    error = np.sqrt(np.maximum(np.diag(common.covariance), 0.0))
    step, unsettled = _refined(common.effect, other.effect, error, finer)
    covariance = fit.covariance + np.outer(step, step)
    effect = fit.effect + step
    return tested_as_shown(replace(fit, effect=effect, covariance=covariance, unsettled=unsettled))


def tested_as_shown(fit: CurveFit) -> CurveFit:
    """Return a curve with the test of the curve that is shown, with all its covariance.

    What cells leave bends a curve at its ends, for which that allows and the test of the score not.
    """
    weight = by_share(fit.row_share, np.diag(fit.covariance))
    return replace(fit, p_value=quadratic_p_value(fit.effect, weight, fit.covariance, fit.df))


def refined_levels(fit: LevelFit, common: LevelFit, other: LevelFit, finer: bool) -> LevelFit:
    """Return levels freed of most of what is left inside their cells; see `refined_curve`."""
    step, unsettled = _refined(common.effect, other.effect, common.standard_error, finer)
    effect, covariance, p_value = fit.effect + step, fit.covariance, fit.p_value
    root = None if fit.root is None else np.column_stack([fit.root, step])
    if covariance is not None:
        covariance = covariance + np.outer(step, step)
        known = ~np.isnan(effect)
        p_value = max(p_value, largest_p_value(effect[known], covariance[np.ix_(known, known)]))
    return replace(
        fit,
        effect=effect,
        covariance=covariance,
        root=root,
        standard_error=np.hypot(fit.standard_error, step),
        p_value=p_value,
        unsettled=unsettled,
    )


def _refined(
    common: FloatArray, other: FloatArray, error: FloatArray, finer: bool
) -> tuple[FloatArray, float]:
    """Return what to add to an estimate, given one from other cells, and how unsettled it is.

    What cells of width h leave of the confounding falls with h^2: those of half the width leave a
    fourth, so that a third of what these change is still to come (Richardson). The step counts as
    one more thing to be unsure about. From finer cells it is four times as large, and as noisy: it
    is taken only where some point moves by more than half a standard error.

    An effect is as unsettled as its largest change has standard errors, if that is much of it.
    """
    change = np.nan_to_num(other - common)
    moved = float(np.nanmax(np.abs(change) / np.maximum(error, 1e-300), initial=0.0))
    step = -change / 3
    if finer:
        step = 4 / 3 * change if moved > MOVED else np.zeros_like(change)
    effect = (common + step)[~np.isnan(common)]
    much = len(effect) > 0 and np.abs(change).max() > TELLING * np.ptp(effect)
    return step, moved if much else 0.0
