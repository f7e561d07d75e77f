"""Plain means along an axis, smoothed."""

from __future__ import annotations

import numpy as np

from paribus.base.arrays import FloatArray

NEAR = 0.05  # share of the rows on either side over which plain means are smoothed


def smoothed(x: FloatArray, y: FloatArray, share: FloatArray) -> FloatArray:
    """Smooth means `y` of shares of the rows along `x`, all of shape (m,).

    Each point gets the value of a line fitted to a tenth of the rows around it.

    Examples
    --------
    >>> x, share = np.linspace(0, 1, 101), np.full(101, 1 / 101)
    >>> jagged = 2 * x + np.where(np.arange(101) % 2, 0.5, -0.5)
    >>> bool(np.abs(smoothed(x, jagged, share) - 2 * x)[5:-5].max() < 0.1)
    True
    """
    middle = (np.cumsum(share) - share / 2) / share.sum()
    near = np.abs(middle[:, None] - middle) / NEAR
    weights = np.where(np.isfinite(y), share, 0.0) * np.clip(1 - near**2, 0, None)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    run = x - (weights @ x)[:, None]
    spread = np.sum(weights * run**2, axis=1)
    rise = np.sum(weights * run * np.nan_to_num(y), axis=1)
    slope = np.divide(rise, spread, out=np.zeros(len(x)), where=spread > 0)
    return weights @ np.nan_to_num(y) + slope * np.diag(run)
