"""The impact of a column, and its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.estimate.bands import normal_quantile
from paribus.estimate.testing import by_share
from paribus.results.scales import in_logs, in_per_cent, is_ratio

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray
    from paribus.results import Effect

DRAWS, SEED = 2000, 0


def impact_interval(effect: Effect) -> tuple[float, float] | None:
    """Return the interval of an impact, the mean absolute effect; None where nothing is known.

    Noise makes an impact larger, the more so the more levels there are, because signs are dropped.
    The lower end allows for that: the effect is shrunk by what noise adds to its square, noise is
    simulated, and what it adds to the impact is subtracted. The upper end takes the signs of the
    effect as given. The interval starts at zero where no effect is clear.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> height = pb.effect(d.table, "weight", "height")
    >>> low, high = impact_interval(height)
    >>> low <= height.impact <= high
    True
    """
    if not effect.explained or effect.lower is None or not np.isfinite(effect.impact):
        return None
    effect = effect.relative_to("mean") if effect.reference else effect
    values = np.nan_to_num(effect.linear)
    share = np.where(np.isnan(effect.effect), 0.0, effect.weights)
    share = share / share.sum()
    noise = _noise(effect, len(values))
    if noise is None:
        return None
    shrunk = values * _root_left(float(values**2 @ share), float((noise**2).mean(axis=0) @ share))
    added = np.abs(shrunk + noise) @ share - np.abs(shrunk) @ share
    found = float(np.abs(values) @ share)
    low = found - float(np.quantile(added, (1 + effect.conf_level) / 2))
    half = normal_quantile(effect.conf_level) * float(np.std(noise @ (share * np.sign(values))))
    impact = in_logs(effect.impact) if is_ratio(effect.unit) else effect.impact
    low = 0.0 if effect.unclear else min(max(0.0, low), impact)
    ends = low, max(found + half, impact)
    return (in_per_cent(ends[0]), in_per_cent(ends[1])) if is_ratio(effect.unit) else ends


def impact_of(effect: FloatArray, share: FloatArray, variance: FloatArray) -> float:
    """Return the mean absolute effect over the rows, corrected for what noise adds to it.

    Without the correction an irrelevant column with many levels would seem to matter. The effect
    is scaled down by the factor by which noise inflates its root mean square; a few rows of which
    little is known do not decide on it, see `by_share`. All arrays have shape (m,): effects, NaN
    where not known, the share of the rows at each, and the variance of each.

    Examples
    --------
    >>> effect, share = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> impact_of(effect, share, np.zeros(2)), impact_of(effect, share, np.full(2, 2.0))
    (1.0, 0.0)
    """
    known = ~np.isnan(effect)
    effect, variance, share = effect[known], variance[known], share[known] / share[known].sum()
    weight = by_share(share, variance)
    left = _root_left(float(effect**2 @ weight), float(variance @ weight))
    return float(np.abs(effect) @ share) * left


def _root_left(square: float, added: float) -> float:
    """Return the factor that removes what noise adds to a root mean square."""
    return float(np.sqrt(max(0.0, 1 - added / square))) if square else 0.0


def _noise(effect: Effect, size: int) -> FloatArray | None:
    """Simulate the noise of each point, shape (DRAWS, size)."""
    rng = np.random.default_rng(SEED)
    if effect.covariance is not None:
        covariance = np.nan_to_num(effect.covariance[:size, :size])
        root, across = np.linalg.eigh(covariance)
        drawn: FloatArray = rng.normal(size=(DRAWS, len(root))) * np.sqrt(np.clip(root, 0, None))
        return drawn @ across.T
    if effect.standard_error is None or len(effect.effect) != size:
        return None
    # Where there are very many levels, they are nearly independent of each other.
    relative = 1 + effect.effect / 100 if is_ratio(effect.unit) else 1.0
    return rng.normal(size=(DRAWS, size)) * np.nan_to_num(effect.standard_error / relative)
