"""Rows known by their values: a hash of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import AnyArray, FloatArray, in_blocks, side_by_side
from paribus.strata.engine import has_kernel

MISSING = np.array([np.nan]).view(np.uint64)[0]


def row_hash(*parts: AnyArray, n_threads: int = 1) -> NDArray[np.uint64]:
    """Hash each row to 64 bits, shape (n,); `parts` are columns (n,) or arrays (n, k).

    Equal rows have equal hashes, whatever stands around them. Sorted by their hashes, rows stand
    in an order that depends on their values alone: what is then summed, tied or drawn no longer
    depends on the order in which the caller had them.

    Examples
    --------
    >>> a, b, c = row_hash(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    n = len(parts[0])
    out = np.empty(n, dtype=np.uint64)
    hash_block = _compiled_hash if has_kernel() else row_hash_reference

    def hash_rows(block: slice) -> None:
        columns = [c for part in parts for c in _columns_of(part[block])]
        out[block] = hash_block(side_by_side(columns)) if columns else 0

    in_blocks(hash_rows, n, n_threads)
    return out


def _columns_of(part: AnyArray) -> Sequence[AnyArray]:
    return [part] if part.ndim == 1 else list(part.T)


def _compiled_hash(values: FloatArray) -> NDArray[np.uint64]:
    from paribus.strata.kernel.hash import hash_rows

    out = np.empty(len(values), dtype=np.uint64)
    hash_rows(values, out, int(MISSING))
    return out


def row_hash_reference(values: FloatArray) -> NDArray[np.uint64]:
    """Hash each row of `values` (n, p) in plain NumPy, column by column."""
    out = np.zeros(len(values), dtype=np.uint64)
    for column in values.T:
        # Adding 0.0 turns -0.0 into 0.0; every NaN is missing, however it is written.
        bits = np.where(np.isnan(column), MISSING, (column + 0.0).view(np.uint64))
        out = mix(out ^ mix(bits))
    return out


def mix(bits: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    with np.errstate(over="ignore"):
        z = np.asarray(bits, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
