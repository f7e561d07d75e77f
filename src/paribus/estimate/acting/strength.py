"""How strong an interaction is: the standard deviation over the rows of what columns do together.

Its square, ``d' M d`` with slopes ``d`` and the products' moments ``M``, is inflated by noise by
``tr(M C)`` with ``C`` the slopes' covariance, and is distributed as a multiple of a noncentral
chi-square (Satterthwaite), from which its interval follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chndtrinc

from paribus.base.arrays import FloatArray
from paribus.estimate.bands import normal_quantile

MANY = 1e4  # a chi-square so large is as good as normal


@dataclass(frozen=True, slots=True)
class Strength:
    """A standard deviation with its interval, in the target's standard deviations."""

    value: float
    lower: float
    upper: float


NONE = Strength(0.0, 0.0, 0.0)


def strength_of(
    slopes: FloatArray,
    moments: FloatArray,
    covariance: FloatArray,
    sampled: float,
    conf_level: float,
) -> Strength:
    """Return how strong products are.

    Parameters
    ----------
    slopes : float array of shape (t,)
    moments, covariance : float arrays of shape (t, t)
        Of the products, over the rows; and of the slopes.
    sampled : float
        Variance of the squared strength because other rows might have been drawn.
    conf_level : float

    Examples
    --------
    >>> one = strength_of(np.array([2.0]), np.eye(1), 0.01 * np.eye(1), 0.0, 0.95)
    >>> round(one.value, 2), round(one.lower, 2), round(one.upper, 2)
    (2.0, 1.8, 2.2)
    """
    square = float(slopes @ moments @ slopes)
    noise = moments @ covariance
    mean, spread = float(np.trace(noise)), float(np.sum(noise * noise.T))
    value = float(np.sqrt(max(square - mean, 0.0)))
    if mean <= 0 or spread <= 0:
        return Strength(value, value, value)
    unit, freedom = spread / mean, mean**2 / spread
    tail = (1 - conf_level) / 2
    sides = [unit * _centre(square / unit, freedom, share) for share in (1 - tail, tail)]
    lower, upper = np.sqrt(np.maximum(sides, 0.0))
    if value == 0:
        return Strength(0.0, 0.0, float(upper))
    drawn = normal_quantile(conf_level) * np.sqrt(sampled) / (2 * value)
    return Strength(
        value,
        float(max(value - np.hypot(value - lower, drawn), 0.0)),
        float(value + np.hypot(upper - value, drawn)),
    )


def _centre(chi2: float, freedom: float, share: float) -> float:
    """Return how far off centre a chi-square is of which a share lies below a value."""
    if chi2 < MANY:
        return float(chndtrinc(chi2, freedom, share))
    z = normal_quantile(abs(2 * share - 1)) * np.sign(share - 0.5)
    return float(np.sqrt(chi2) - z) ** 2 - (freedom - 1)
