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
    first: NDArray[np.int64],
    count: FloatArray,
    targets: FloatArray,
    between: FloatArray,
) -> None:
    """Write sums of squares between cells: `between` (len(tested), t).

    `cells` (n_tests, n) has a row for each table of cells, of which those `tested` are looked at;
    `count` has the rows of each cell, those of a table from `first` (n_tests + 1,) on. `targets`
    (t, n) are columns.
    """
    for out, test in zip(between, tested, strict=True):
        rows = count[first[test] : first[test + 1]]
        sums = np.array([np.bincount(cells[test], target, len(rows)) for target in targets])
        out[:] = (sums**2 / rows).sum(axis=1)


between_cells = compiled("strata.kernel.cells", between_cells_reference)


@dataclass(frozen=True, slots=True)
class Tests:
    """The cells of sets of columns, ready to be tested."""

    columns: IntArray  # (T, 2): two columns, or one in fine pieces, twice
    cells: NDArray[np.uint16]  # (T, s)
    first: NDArray[np.int64]  # (T + 1,): where the cells of each begin, numbered on
    count: FloatArray  # rows of each cell; every one has some
    df: IntArray  # (T,): how many cells there are, less what an additive fit has taken

    def without(self, left_out: Sequence[int]) -> NDArray[np.int64]:
        """Return the numbers of those that have no column that is left out."""
        return np.flatnonzero(~np.isin(self.columns, list(left_out)).any(axis=1))

    def between(self, tested: NDArray[np.int64], targets: FloatArray) -> FloatArray:
        """Return sums of squares of targets (t, s) between the cells of some, (len(tested), t)."""
        out = np.empty((len(tested), len(targets)))
        between_cells(self.cells, tested, self.first, self.count, targets, out)
        return out

    def key(self, test: int) -> tuple[int, ...]:
        """Return the columns of one of them."""
        first, second = self.columns[test].tolist()
        return (first,) if first == second else (first, second)
