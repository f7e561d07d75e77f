"""Levels of a category to at most 255 codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paribus.strata.exact import fixed_point

CODES = 255
PRIOR = 10.0  # rows of the overall mean that each level's own mean is mixed with


def code_levels(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Give each level a code in order; beyond 255 levels, the rarer ones share the last code.

    Parameters
    ----------
    counts : ndarray of shape (n_levels,)
        Rows of each level, levels in ascending order.

    Returns
    -------
    ndarray of shape (n_levels,), uint8
    """
    if counts.size <= CODES:
        return np.arange(counts.size, dtype=np.uint8)
    codes = np.full(counts.size, CODES - 1, dtype=np.uint8)
    common = np.sort(np.lexsort((np.arange(counts.size), -counts))[: CODES - 1])
    codes[common] = np.arange(CODES - 1)
    return codes


def group_levels(
    values: NDArray[np.float64],
    levels: NDArray[np.float64],
    y: NDArray[np.float64],
    counts: NDArray[np.int32] | None,
) -> NDArray[np.uint8]:
    """Give levels of like mean target a common code, about as many rows to each code.

    With a thousand levels of equal size this leaves half the within-stratum variance, on unseen
    rows, that a common code for the rarer levels does. It looks at the target, so strata that are
    to be honest need rows that count 0 for all that they are used on.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The column; NaN is missing.
    levels : ndarray of shape (n_levels,)
        Its levels in ascending order.
    y : ndarray of shape (n,)
    counts : ndarray of shape (n,), or None
        How often each row counts.

    Returns
    -------
    ndarray of shape (n_levels,), uint8
    """
    times = np.ones(y.size) if counts is None else counts.astype(np.float64)
    used = np.flatnonzero(~np.isnan(values) & (times > 0))
    level, times = np.searchsorted(levels, values[used]), times[used]
    total = int(times.sum())
    if total == 0:
        return np.zeros(levels.size, dtype=np.uint8)
    # Whole numbers whose sums a float holds exactly: the order of the rows must not matter.
    whole = fixed_point(y[used], 52 - total.bit_length()).astype(np.float64)
    size = np.bincount(level, times, minlength=levels.size)
    sums = np.bincount(level, whole * times, minlength=levels.size)
    mean = (sums - size * (sums.sum() / total)) / (size + PRIOR)
    order = np.lexsort((np.arange(levels.size), mean))
    middle = np.cumsum(size[order]) - size[order] / 2
    codes = np.empty(levels.size, dtype=np.uint8)
    codes[order] = np.minimum(middle * (CODES / total), CODES - 1).astype(np.uint8)
    return codes
