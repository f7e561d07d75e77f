"""What `strata` accepts, checked once on entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

ColumnSet = tuple[int, ...]
MOST = 2**31 - 1  # a count in the kernel has 32 bits


def as_table(X: ArrayLike) -> NDArray[np.float64]:
    """Return `X` as a float64 array of two dimensions, copied only if it must be."""
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "X must hold numbers, but some of its values are not: "
            "code text and categories as whole numbers"
        ) from None
    if table.ndim != 2:
        raise ValueError(
            f"X must have two dimensions (rows, columns), got {table.ndim}: "
            "reshape a single column with X[:, None]"
        )
    if table.shape[0] >= 2**31:
        raise ValueError(f"X may have up to 2147483647 rows, got {table.shape[0]}: pass a sample")
    return table


def as_target(y: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return `y` as a finite float64 array with one value a row."""
    target = _as_vector(y, n, "y")
    if not np.isfinite(target).all():
        raise ValueError("y must be finite, but it has missing or infinite values: drop those rows")
    return target


def as_weights(weights: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Return the weights as finite, non-negative float64, or None when they are all the same."""
    if weights is None:
        return None
    values = _as_vector(weights, n, "weights")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("weights must be finite and not negative: set the others to 0")
    return values


def _as_vector(values: ArrayLike, n: int, name: str) -> NDArray[np.float64]:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, but some of its values are not") from None
    if vector.shape != (n,):
        raise ValueError(
            f"{name} must have one value for each of the {n} rows, got shape {vector.shape}"
        )
    return vector


def as_counts(rows: ArrayLike | None, n: int) -> NDArray[np.int32] | None:
    """Return how often each row counts, or None when every row counts once."""
    if rows is None:
        return None
    counts = np.asarray(rows)
    if counts.shape != (n,) or counts.dtype.kind not in "biu":
        raise ValueError(
            f"rows must be a mask or whole counts for each of the {n} rows, "
            f"got {counts.dtype} of shape {counts.shape}: "
            "turn row numbers into counts with np.bincount(numbers, minlength=n)"
        )
    if counts.size and (counts.min() < 0 or counts.sum(dtype=np.float64) >= 2**31):
        raise ValueError("rows must not be negative and must add up to less than 2147483648")
    return counts.astype(np.int32)


def as_column(column: Any, p: int, name: str) -> int:
    """Return a column's number, checked to be one of `p`."""
    if isinstance(column, bool) or not isinstance(column, int | np.integer):
        raise ValueError(f"{name} must name columns by whole numbers, got {column!r}")
    if not 0 <= column < p:
        raise ValueError(f"{name} must be between 0 and {p - 1}, got {column}: X has {p} columns")
    return int(column)


def as_set(columns: int | Iterable[int], p: int) -> ColumnSet:
    """Return one column or several as a set: ascending, each once."""
    several = columns if isinstance(columns, Iterable) else (columns,)
    return tuple(sorted({as_column(column, p, "leave_out") for column in several}))


def as_sets(leave_out: Sequence[int | Iterable[int]] | None, p: int) -> tuple[ColumnSet, ...]:
    """Return the sets of columns to leave out, each once, in the order given."""
    if leave_out is None:
        return tuple((j,) for j in range(p))
    if isinstance(leave_out, (str, bytes)) or not isinstance(leave_out, Iterable):
        raise ValueError(
            f"leave_out must be a list of columns or of sets of columns, got {leave_out!r}"
        )
    return tuple(dict.fromkeys(as_set(columns, p) for columns in leave_out))


def as_count(value: Any, name: str, default: int | None = None) -> int:
    """Return a whole number of at least 1; None stands for the default where there is one."""
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    if value > MOST:
        raise ValueError(f"{name} must be at most {MOST}, got {value}")
    return int(value)


def as_jobs(n_jobs: Any) -> int:
    """Return a number of threads, or -1 for all."""
    if n_jobs == -1 and not isinstance(n_jobs, bool):
        return -1
    return as_count(n_jobs, "n_jobs")


def as_seed(seed: Any) -> int:
    """Return a seed of 64 bits."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise ValueError(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r}")
    return int(seed)
