"""How sure the impact of a column is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.estimate.bands import normal_quantile
from paribus.results.words import NO_EFFECT

if TYPE_CHECKING:
    from paribus._arrays import FloatArray
    from paribus.results import Effect


def impact_interval(effect: Effect) -> tuple[float, float] | None:
    """Return the interval of an impact: the mean absolute effect, its signs taken as found.

    It reaches down to zero where no effect can be told. None where nothing is known of it.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> height = pb.effect(d.table, "weight", "height")
    >>> low, high = impact_interval(height)
    >>> low < height.impact < high
    True
    """
    if not effect.explained or effect.covariance is None or not np.isfinite(effect.impact):
        return None
    weights = _weights(effect)
    covariance = effect.covariance[: len(weights), : len(weights)]
    variance = float(weights @ np.nan_to_num(covariance) @ weights)
    half = normal_quantile(effect.level) * np.sqrt(max(variance, 0.0))
    low = 0.0 if effect.p_value > NO_EFFECT else max(0.0, float(effect.impact - half))
    return low, float(effect.impact + half)


def _weights(effect: Effect) -> FloatArray:
    """Return what each point counts for, with the sign of its effect, shape (m,)."""
    known = ~np.isnan(effect.effect)
    count = getattr(effect, "count", effect.mass)
    mass = known * (np.ones(len(known)) if count is None else count)
    return mass / mass.sum() * np.sign(np.nan_to_num(effect.effect))
