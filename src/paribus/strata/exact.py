"""The target as whole numbers, so that sums of it are exact.

Exact sums do not depend on the order of the rows, on the number of threads, or on whether a
histogram was counted or obtained by subtraction. That is why shared trees equal separate ones, bit
for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The kernel packs up to 2047 rows' sum and count into 63 bits: 11 for the count, 11 + 40 for the
# sum.
BITS = 40
WEIGHT_BITS = 16


@dataclass(frozen=True, slots=True)
class ExactTarget:
    """What the trees are grown on, in whole numbers."""

    rows: NDArray[np.int32]  # (m,): the rows that take part, ascending
    sums: NDArray[np.int64]  # (n,): fixed-point target times count times weight
    counts: NDArray[np.int32] | None  # (n,): how often each row counts; None for once
    weights: NDArray[np.int64] | None  # (n,): weight times count; None when the weight is the count


def exact_target(
    y: NDArray[np.float64],
    counts: NDArray[np.int32] | None,
    weights: NDArray[np.float64] | None,
) -> ExactTarget:
    """Turn target, counts and weights into whole numbers.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Finite.
    counts : ndarray of shape (n,), or None
        A row with count 0 takes no part.
    weights : ndarray of shape (n,), or None
        A row with weight 0 takes no part.

    Returns
    -------
    ExactTarget
    """
    used = np.ones(y.size, dtype=np.bool_)
    if counts is not None:
        used &= counts > 0
    if weights is not None:
        used &= weights > 0
    rows = np.flatnonzero(used).astype(np.int32)
    if rows.size == 0:
        raise ValueError(
            "there must be at least one row to grow on, got none: check rows and weights"
        )
    whole = y if rows.size == y.size else np.where(used, y, y[rows[0]])
    total = rows.size if counts is None else int(counts[rows].sum(dtype=np.int64))
    bits = min(BITS, 62 - total.bit_length())
    if weights is not None:
        bits -= WEIGHT_BITS
    sums = fixed_point(whole, bits)
    exact_weights = None
    if weights is not None:
        exact_weights = _whole_weights(weights)
        sums *= exact_weights
        if counts is not None:
            exact_weights *= counts
    if counts is not None:
        sums *= counts
        if (counts[rows] == 1).all():
            counts = None
    return ExactTarget(rows, sums, counts, exact_weights)


def fixed_point(y: NDArray[np.float64], bits: int) -> NDArray[np.int64]:
    """Round `y`, shifted to the middle of its range, to so many parts of half that range.

    No result exceeds `2**bits`. A power of two for a part would keep whole numbers whole, but only
    in one unit: splits that are equal in inches would not be in centimetres.
    """
    low, high = float(y.min()), float(y.max())
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    return np.rint((y - middle) / (half or 1.0) * 2.0**bits).astype(np.int64)


def _whole_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Scale the largest weight to `2**16`; a weight above 0 stays above 0."""
    scaled = np.rint(weights / weights.max() * 2**WEIGHT_BITS).astype(np.int64)
    return np.where(weights > 0, np.maximum(scaled, 1), 0)
