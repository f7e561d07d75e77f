"""Cells of columns that act together, found on a sample and applied to other rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.strata.cuts import Cut


@dataclass(frozen=True, slots=True)
class KnownCells:
    """The cells of some cuts that the rows of a sample lie in."""

    cuts: tuple[Cut, ...]
    values: Mapping[int, FloatArray]  # of each column that is taken as it is, in order
    known: tuple[IntArray, ...]  # for each cut, the cells of all cuts up to it that were met

    @property
    def size(self) -> int:
        """How many cells there are; the last is for rows that lie in none of those met."""
        return len(self.known[-1]) + 1

    def of(self, matrix: FloatArray) -> IntArray:
        """Return the cell of each row of a table (n, p)."""
        cell: IntArray = np.zeros(len(matrix), dtype=np.int64)
        for cut, known in zip(self.cuts, self.known, strict=True):
            cell = _places(known, _crossed(cell, cut, self.values, matrix))
        return cell


def know_cells(cuts: Sequence[Cut], matrix: FloatArray) -> KnownCells:
    """Find the cells that the rows of a table (n, p) lie in.

    Examples
    --------
    >>> seen = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 3.0]])
    >>> cells = know_cells([Cut((0, 1), [None, np.array([2.0])])], seen)
    >>> cells.of(seen).tolist(), cells.of(np.array([[0.0, 9.0], [7.0, 1.0], [1.0, 2.5]])).tolist()
    ([0, 1, 2], [3, 3, 2])
    """
    as_they_are = {
        k for cut in cuts for k, edges in zip(cut.columns, cut.edges, strict=True) if edges is None
    }
    values = {k: np.unique(matrix[:, k]) for k in as_they_are}
    cell: IntArray = np.zeros(len(matrix), dtype=np.int64)
    known = []
    for cut in cuts:
        met, cell = np.unique(_crossed(cell, cut, values, matrix), return_inverse=True)
        known.append(met)
    return KnownCells(tuple(cuts), values, tuple(known))


def _crossed(
    cell: IntArray, cut: Cut, values: Mapping[int, FloatArray], matrix: FloatArray
) -> IntArray:
    """Number the cells (n,) again, crossed with those of a cut."""
    for codes, size in _codes(cut, values, matrix):
        cell = cell * size + codes
    return cell


def _codes(
    cut: Cut, values: Mapping[int, FloatArray], matrix: FloatArray
) -> Iterator[tuple[IntArray, int]]:
    """Yield the codes (n,) of each column of a cut, and how many there may be."""
    for k, edges in zip(cut.columns, cut.edges, strict=True):
        if edges is None:
            yield _places(values[k], matrix[:, k]), len(values[k]) + 1
        else:
            n_edges = max([len(edges), *(len(own) for own in cut.by_level.values())])
            yield cut.pieces(k, matrix), n_edges + 1


def _places(known: FloatArray | IntArray, values: FloatArray | IntArray) -> IntArray:
    """Return the place of each value (n,) among those known, which are in order; else the last."""
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, at, len(known))
