"""Rows identified by their values: a hash for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import AnyArray, FloatArray, in_blocks, side_by_side
from paribus.base.compiled import compiled

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

    def hash_block(block: slice) -> None:
        columns = [c for part in parts for c in _columns_of(part[block])]
        if columns:
            hash_rows(side_by_side(columns), out[block], int(MISSING))
        else:
            out[block] = 0

    in_blocks(hash_block, n, n_threads)
    return out


def _columns_of(part: AnyArray) -> Sequence[AnyArray]:
    return [part] if part.ndim == 1 else list(part.T)


def hash_rows_reference(values: FloatArray, out: NDArray[np.uint64], missing: int) -> None:
    """Hash each row of `values` (n, p) into `out` (n,); every NaN has the bits `missing`."""
    out[:] = 0
    for column in values.T:
        # Adding 0.0 turns -0.0 into 0.0; every NaN is missing, however it is written.
        bits = np.where(np.isnan(column), np.uint64(missing), (column + 0.0).view(np.uint64))
        out[:] = mix(out ^ mix(bits))


hash_rows = compiled("strata.kernel.hash", hash_rows_reference)


def mix(bits: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    with np.errstate(over="ignore"):
        z = np.asarray(bits, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
