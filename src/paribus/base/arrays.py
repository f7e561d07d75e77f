"""Names for the types of arrays used throughout, and how columns are laid out as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paribus.base.threads import run_all

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]
Labels: TypeAlias = NDArray[np.int32]  # a group, stratum, cluster or level of each row
Rows: TypeAlias = NDArray[np.int64]  # numbers of rows
Hashes: TypeAlias = NDArray[np.uint64]

BLOCK = 8192  # rows, as many as the cache holds
SMALL_BLOCK = 2048  # the same where a row's covariates are read again and again


def in_blocks(work: Callable[[slice], None], n: int, n_threads: int = 1, size: int = BLOCK) -> None:
    """Do the work for every block of n rows, `size` each, in parallel if there are threads."""
    blocks = [slice(start, min(start + size, n)) for start in range(0, n, size)]
    run_all(work, blocks, n_threads if len(blocks) > 1 else 1)


def side_by_side(columns: Sequence[AnyArray], n_threads: int = 1) -> FloatArray:
    """Lay out columns (n,) row by row, shape (n, p), in blocks that fit into the cache.

    Examples
    --------
    >>> side_by_side([np.array([1, 2]), np.array([3.0, np.nan])]).tolist()
    [[1.0, 3.0], [2.0, nan]]
    """
    n = len(columns[0]) if columns else 0
    out = np.empty((n, len(columns)))

    def lay(block: slice) -> None:
        for k, column in enumerate(columns):
            out[block, k] = column[block]

    in_blocks(lay, n, n_threads)
    return out


def dot(left: AnyArray, right: AnyArray) -> AnyArray:
    """Return ``left @ right`` for two arrays with very many rows, without blocking other threads.

    Where the product is small, NumPy's `@` keeps the interpreter lock, however much is summed up;
    its `dot` does not (measured with NumPy 2.4).

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> dot(rows.T, rows).tolist()
    [[10.0, 14.0], [14.0, 20.0]]
    """
    return np.asarray(np.dot(left, right))


def lacks(matrix: FloatArray, columns: Sequence[int]) -> BoolArray:
    """Return which rows of a table (n, p) lack a value in any of some columns, shape (n,).

    Examples
    --------
    >>> lacks(np.array([[1.0, np.nan], [2.0, 3.0]]), [1]).tolist()
    [True, False]
    """
    return np.asarray(np.isnan(matrix[:, list(columns)]).any(axis=1))


def mean_and_scale(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and standard deviation of values (n,); 1 if all are equal.

    Examples
    --------
    >>> mean_and_scale(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    (2.0, 1.0)
    """
    total = float(weights.sum())
    mean = float(dot(weights, values)) / total
    apart = values - mean
    np.square(apart, out=apart)
    return mean, float(np.sqrt(dot(weights, apart) / total)) or 1.0


def coarse(values: FloatArray | float) -> Any:
    """Round values to six digits, so that those that differ only by rounding errors are equal.

    Examples
    --------
    >>> np.argsort(coarse(np.array([0.1 + 0.2, 0.3, 0.2])), kind="stable").tolist()
    [2, 0, 1]
    """
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 2.0**20) / 2.0**20, exponent)


def first_best(values: FloatArray, slack: float, axis: int = 0) -> IntArray:
    """Return the position of the first value that is the largest up to rounding errors.

    Which of several equally good choices is taken must not depend on the unit of what was summed.

    Examples
    --------
    >>> int(first_best(np.array([0.1, 0.3, 0.1 + 0.2]), 1e-9))
    1
    """
    out: IntArray = (values >= values.max(axis=axis, keepdims=True) - slack).argmax(axis=axis)
    return out


def quantiles_of_sorted(values: FloatArray, q: FloatArray) -> FloatArray:
    """Return quantiles `q` (m,) of sorted values (n,), interpolated linearly, shape (m,).

    For many quantiles, sorting once is ten times as fast as np.quantile.

    Examples
    --------
    >>> quantiles_of_sorted(np.array([1.0, 3.0, 7.0]), np.array([0.25, 1.0])).tolist()
    [2.0, 7.0]
    """
    place = q * (len(values) - 1)
    low = place.astype(np.int64)
    high = np.minimum(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def one_by_one(rows: AnyArray) -> AnyArray:
    """Lay out rows (n, p) column by column, shape (p, n), in blocks that fit into the cache.

    Examples
    --------
    >>> one_by_one(np.array([[1, 3], [2, 4]])).tolist()
    [[1, 2], [3, 4]]
    """
    out = np.empty(rows.shape[::-1], dtype=rows.dtype)

    def lay(block: slice) -> None:
        out[:, block] = rows[block].T

    in_blocks(lay, len(rows))
    return out
