"""Effects of several methods brought to one height.

Only differences along a curve mean anything: each method has a zero of its own.
"""

from __future__ import annotations

import numpy as np

from paribus.base.arrays import FloatArray, IntArray


def lined_up(
    base: FloatArray, other: FloatArray, weight: FloatArray, piece: IntArray
) -> FloatArray:
    """Shift values (m,) to the height of others, piece by piece.

    Examples
    --------
    >>> base, other = np.array([0.0, 1, 5, 6]), np.array([10.0, 11, 10, 11])
    >>> lined_up(base, other, np.ones(4), np.array([0, 0, 1, 1])).tolist()
    [0.0, 1.0, 5.0, 6.0]
    """
    shifted = other.copy()
    for k in np.unique(piece):
        here = piece == k
        both = here & ~np.isnan(base + other) & (weight > 0)
        if both.any():
            shifted[here] += np.average((base - other)[both], weights=weight[both])
    return shifted
