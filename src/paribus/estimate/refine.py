"""What cells that are not infinitely narrow leave, told from cells twice as wide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.bands import largest_p_value
from paribus.estimate.curve import CurveFit
from paribus.estimate.levels import LevelFit


def refined_curve(fine: CurveFit, coarse: CurveFit) -> CurveFit:
    """Return a curve freed of most of what is left inside its cells."""
    error = np.sqrt(np.maximum(np.diag(fine.covariance), 0.0))
    step = _step(fine.effect, coarse.effect, error)
    effect, covariance = fine.effect + step, fine.covariance + np.outer(step, step)
    p_value = max(fine.p_value, largest_p_value(effect, covariance))
    return replace(fine, effect=effect, covariance=covariance, p_value=p_value)


def refined_levels(fine: LevelFit, coarse: LevelFit) -> LevelFit:
    """Return levels freed of most of what is left inside their cells."""
    error = fine.standard_error
    step = _step(fine.effect, coarse.effect, error)
    effect, covariance, p_value = fine.effect + step, fine.covariance, fine.p_value
    if covariance is not None:
        covariance = covariance + np.outer(step, step)
        known = ~np.isnan(effect)
        p_value = max(p_value, largest_p_value(effect[known], covariance[np.ix_(known, known)]))
    error = np.hypot(error, step)
    return replace(
        fine, effect=effect, covariance=covariance, standard_error=error, p_value=p_value
    )


def _step(fine: FloatArray, coarse: FloatArray, error: FloatArray) -> FloatArray:
    """Return what to add to a fine estimate, given one from cells twice as wide, shape (K,).

    What cells of width h leave of the confounding falls with h^2, so it is a third of what cells
    of twice the width leave more (Richardson). The step is limited to a standard error at each
    point, and counts as one more thing to be unsure about.
    """
    return np.nan_to_num(np.clip((fine - coarse) / 3, -error, error))
