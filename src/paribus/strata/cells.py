"""Tables of cells, and how much of the variance of targets lies between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import BoolArray, FloatArray, IntArray
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


def between_cells_of_four_reference(
    cells: NDArray[np.uint16],
    first: NDArray[np.int64],
    count: FloatArray,
    targets: FloatArray,
    between: FloatArray,
) -> None:
    """Write sums of squares between the cells of all tables: `between` (n_tests, 4 g).

    For `cells`, `first` and `count` see `between_cells_reference`; `targets` (g, n, 4) lie four
    side by side.
    """
    columns = targets.transpose(0, 2, 1).reshape(-1, cells.shape[1])
    every = np.arange(len(cells))
    between_cells_reference(cells, every, first, count, columns, between)


between_cells = compiled("strata.kernel.cells", between_cells_reference)
between_cells_of_four = compiled("strata.kernel.cells", between_cells_of_four_reference)


def between_of_columns(
    cells: NDArray[np.uint16],
    first: NDArray[np.int64],
    count: FloatArray,
    targets: FloatArray,
) -> FloatArray:
    """Return sums of squares of targets (n, t) between the cells of each table, (n_tests, t).

    For `cells`, `first` and `count` see `between_cells_reference`. Four targets at once take half
    the time.
    """
    n, t = targets.shape
    four = np.zeros((-(-t // 4), n, 4))
    for k in range(t):
        four[k // 4, :, k % 4] = targets[:, k]
    out = np.zeros((len(cells), 4 * len(four)))
    between_cells_of_four(cells, first, count, four, out)
    return out[:, :t]


@dataclass(frozen=True, slots=True)
class Tests:
    """The cells of sets of columns, ready to be tested."""

    columns: IntArray  # (T, 2): two columns, or one in fine pieces, twice
    cells: NDArray[np.uint16]  # (T, s)
    first: NDArray[np.int64]  # (T + 1,): where the cells of each begin, numbered on
    count: FloatArray  # rows of each cell; every one has some
    df: IntArray  # (T,): how many cells there are, less what an additive fit has taken

    def allowed(self, left_out: Sequence[int]) -> BoolArray:
        """Tell which have no column that is left out, shape (T,)."""
        return np.asarray(~np.isin(self.columns, list(left_out)).any(axis=1))

    def between(self, targets: FloatArray) -> FloatArray:
        """Return sums of squares of standardised targets (s, t) between their cells, (T, t)."""
        return between_of_columns(self.cells, self.first, self.count, targets)

    def key(self, test: int) -> tuple[int, ...]:
        """Return the columns of one of them."""
        first, second = self.columns[test].tolist()
        return (first,) if first == second else (first, second)
