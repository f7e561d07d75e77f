"""Names for the arrays that walk through the package, and how columns are laid out as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

BLOCK = 8192  # rows, as many as the cache holds


def side_by_side(columns: Sequence[AnyArray]) -> FloatArray:
    """Lay columns (n,) out row by row, shape (n, p), in blocks that the cache holds.

    Examples
    --------
    >>> side_by_side([np.array([1, 2]), np.array([3.0, np.nan])]).tolist()
    [[1.0, 3.0], [2.0, nan]]
    """
    n = len(columns[0]) if columns else 0
    out = np.empty((n, len(columns)))
    for start in range(0, n, BLOCK):
        for k, column in enumerate(columns):
            out[start : start + BLOCK, k] = column[start : start + BLOCK]
    return out
