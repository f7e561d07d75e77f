"""Tables of cells, and how much of some targets lies between the cells of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.compiled import compiled


def between_cells_reference(
    cells: NDArray[np.uint16],
    tested: NDArray[np.int64],
    n_cells: NDArray[np.int32],
    targets: FloatArray,
    between: FloatArray,
) -> None:
    """Write sums of squares between cells: `between` (len(tested), t).

    `cells` (n_tests, n) has a row for each table of cells, of which those `tested` are looked at,
    `n_cells` (n_tests,) how many there are; `targets` (n, t) are rows.
    """
    for out, test in zip(between, tested, strict=True):
        cell, size = cells[test], n_cells[test]
        count = np.maximum(np.bincount(cell, minlength=size), 1)
        sums = np.array([np.bincount(cell, target, size) for target in targets.T])
        out[:] = (sums.reshape(len(out), -1) ** 2 / count).sum(axis=1)


between_cells = compiled("strata.kernel.cells", between_cells_reference)


@dataclass(frozen=True, slots=True)
class Tests:
    """The cells of sets of columns, ready to be tested.

    Attributes
    ----------
    columns : int array of shape (T, 2)
        Two columns, or one in fine pieces, twice.
    cells : uint16 array of shape (T, s)
    n_cells, df : int32 arrays of shape (T,)
        Cells with rows; and the same less what an additive fit has taken.
    """

    columns: IntArray
    cells: NDArray[np.uint16]
    n_cells: NDArray[np.int32]
    df: NDArray[np.int32]

    def without(self, left_out: Sequence[int]) -> NDArray[np.int64]:
        """Return the numbers of those that have no column that is left out."""
        return np.flatnonzero(~np.isin(self.columns, list(left_out)).any(axis=1))

    def key(self, test: int) -> tuple[int, ...]:
        """Return the columns of one of them."""
        first, second = self.columns[test].tolist()
        return (first,) if first == second else (first, second)
