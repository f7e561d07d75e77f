"""The strata of rows that come in batches: trees and cells found on the sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray, Labels
from paribus.pipeline.options import Options
from paribus.strata.checks import ColumnSet
from paribus.strata.cuts import Cut
from paribus.strata.family import Family
from paribus.strata.honest import Coded, Growing, effective_leaf, grow_on
from paribus.strata.known_cells import KnownCells, know_cells
from paribus.table.problem import Problem


@dataclass(frozen=True, slots=True)
class InCells:
    """Strata of a column inside the cells of others that act together on it."""

    cells: KnownCells
    family: Family  # one tree with larger leaves, each of which the cells divide

    @property
    def size(self) -> int:
        """How many there may be."""
        return int(self.family.nodes.n_strata[0]) * self.cells.size

    def of(self, codes: NDArray[np.uint8], matrix: FloatArray) -> Labels:
        """Return the stratum of each row (n,), given its codes and values."""
        leaf = self.family.apply_coded(codes)[:, 0].astype(np.int64)
        return (leaf * self.cells.size + self.cells.of(matrix)).astype(np.int32)


@dataclass(frozen=True, slots=True)
class BatchStrata:
    """The strata of all explained columns."""

    family: Family  # the trees, one for each set of columns left out
    inside: Mapping[int, InCells]  # strata of some columns, numbered after those of the trees
    place: Mapping[int, int]  # which of the strata each explained column has

    def of(self, codes: NDArray[np.uint8], matrix: FloatArray, n_jobs: int = 1) -> IntArray:
        """Return the strata of rows, given their codes and values, shape (number of strata, n)."""
        leaves = self.family.apply_coded(codes, n_jobs=n_jobs).T
        return np.vstack([leaves, *(each.of(codes, matrix) for each in self.inside.values())])

    def size(self, k: int) -> int:
        """Return how many strata an explained column has."""
        if k in self.inside:
            return self.inside[k].size
        return int(self.family.nodes.n_strata[self.place[k]])

    def held_exactly(self, k: int) -> set[tuple[int, ...]]:
        """Return the sets of columns with a separate cell for each of their values."""
        cuts = self.inside[k].cells.cuts if k in self.inside else ()
        return {cut.columns for cut in cuts if cut.is_exact}


@dataclass(frozen=True, slots=True)
class Trees:
    """How trees are grown on the sample."""

    problem: Problem
    coded: Coded
    options: Options
    most_strata: int  # of each, so that all sums fit into memory

    def grow(self, sets: list[ColumnSet], n_cells: int = 1) -> Family:
        """Grow trees for sets of columns left out; their leaves will be divided into `n_cells`."""
        options, counts, n = self.options, self.problem.counts, len(self.problem.y)
        counted = n if counts is None else counts.sum()
        leaf = effective_leaf(options.min_samples_leaf, self.problem.weights)
        leaf = n_cells * max(leaf, int(np.ceil(counted / self.most_strata)))
        growing = Growing(leaf, 1, options.seed, options.threads)
        family = grow_on(self.coded, self.problem.y, sets, growing, np.ones(n, dtype=np.bool_))
        return replace(family, codes=None)

    def cells(self, cuts: Sequence[Cut], matrix: FloatArray) -> KnownCells | None:
        """Return the cells of as many of the cuts as leave enough rows to compare."""
        least = 2 * effective_leaf(self.options.min_samples_leaf, self.problem.weights)
        found = None
        for cut in cuts:
            more = know_cells([*(found.cuts if found else ()), cut], matrix)
            if more.size <= min(len(matrix) // least, self.most_strata):
                found = more
        return found


def strata_of_batches(
    trees: Trees,
    left_out: Mapping[int, ColumnSet],
    cuts: Mapping[int, Sequence[Cut]],
    matrix: FloatArray,
) -> BatchStrata:
    """Grow the strata of all explained columns on the sample's `matrix` (n, p).

    For each of them `left_out` has the columns that are not held still, and `cuts` how columns that
    act together on it are cut.
    """
    sets = list(dict.fromkeys(left_out.values()))
    place = {k: sets.index(own) for k, own in left_out.items()}
    inside: dict[int, InCells] = {}
    for k, own in cuts.items():
        cells = trees.cells(own, matrix)
        if cells is not None:
            place[k] = len(sets) + len(inside)
            inside[k] = InCells(cells, trees.grow([left_out[k]], cells.size))
    return BatchStrata(trees.grow(sets), inside, place)
