"""The error that is left because cells have a width, estimated from cells twice as wide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.bands import largest_p_value
from paribus.estimate.curve import CurveFit
from paribus.estimate.levels import LevelFit
from paribus.estimate.testing import by_share, quadratic_p_value


def refined_curve(fit: CurveFit, fine: CurveFit, coarse: CurveFit, even: bool) -> CurveFit:
    """Return a curve freed of most of what is left inside its cells.

    `fine` and `coarse` are two estimates in cells of single and double width. Where cells are not
    `even` their difference is only reported.
    """
    error = np.sqrt(np.maximum(np.diag(fine.covariance), 0.0))
    effect, covariance = fit.effect, fit.covariance
    if even:
        step = _step(fine.effect, coarse.effect, error)
        effect, covariance = effect + step, covariance + np.outer(step, step)
    unsettled = _change(fine.effect, coarse.effect, error)
    return tested_as_shown(replace(fit, effect=effect, covariance=covariance, unsettled=unsettled))


def tested_as_shown(fit: CurveFit) -> CurveFit:
    """Return a curve with the test of the curve that is shown, with all its covariance.

    What cells leave bends a curve at its ends, for which that allows and the test of the score not.
    """
    weight = by_share(fit.row_share, np.diag(fit.covariance))
    return replace(fit, p_value=quadratic_p_value(fit.effect, weight, fit.covariance, fit.df))


def refined_levels(fit: LevelFit, fine: LevelFit, coarse: LevelFit, even: bool) -> LevelFit:
    """Return levels freed of most of what is left inside their cells; see `refined_curve`."""
    fit = replace(fit, unsettled=_change(fine.effect, coarse.effect, fine.standard_error))
    if not even:
        return fit
    step = _step(fine.effect, coarse.effect, fine.standard_error)
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
    )


def _change(fine: FloatArray, coarse: FloatArray, error: FloatArray) -> float:
    """Return the largest difference of two estimates in standard errors."""
    change = np.abs(fine - coarse) / np.maximum(error, 1e-300)
    return float(np.nanmax(change, initial=0.0))


def _step(fine: FloatArray, coarse: FloatArray, error: FloatArray) -> FloatArray:
    """Return what to add to a fine estimate, given one from cells twice as wide, shape (K,).

    What cells of width h leave of the confounding falls with h^2, so it is a third of what cells
    of twice the width leave more (Richardson). The step is limited to a standard error at each
    point, and counts as one more thing to be unsure about.
    """
    return np.nan_to_num(np.clip((fine - coarse) / 3, -error, error))
