"""CatStratPD's arithmetic: level means inside leaves, merged leaf by leaf into one vector.

Parr and Wilson, "Partial Dependence through Stratification", algorithm CatStratPD.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.estimate.cells import Cells


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the leaves."""

    effect: FloatArray  # (n_levels,): the running vector; NaN for levels that no merged leaf holds
    silent: BoolArray  # (n,): rows in leaves with a single level, which compare nothing
    # Rows in leaves that share no level with the running vector, even indirectly.
    unmerged: BoolArray  # (n,)
    n_passes: int  # passes over the leaves; the paper has seen three at most


def merge_leaves(cells: Cells, n_levels: int, rng: np.random.Generator) -> Merged:
    """Merge the leaves into one vector of level effects.

    A leaf that shares a level with the running vector is shifted to agree with it at a random
    common level and averaged in, weighted by rows; passes go on until one merges nothing. A
    leaf's own reference level cancels in that shift, so none is drawn. The paper starts at an
    arbitrary leaf: ours is the one with the most levels among those that, directly or through
    others, are connected to the most rows.
    """
    effect = np.full(n_levels, np.nan)
    weight = np.zeros(n_levels)
    start = _starting_leaf(cells, n_levels)
    _average_in(cells, start, 0.0, effect, weight)
    work = [i for i in range(len(cells.n_values)) if i != start]
    n_passes, merged_any = 0, True
    while work and merged_any:
        n_passes += 1
        left = [i for i in work if not _merge_one(cells, i, effect, weight, rng)]
        merged_any = len(left) < len(work)
        work = left
    unmerged = np.zeros(len(cells.n_values), dtype=np.bool_)
    unmerged[work] = True
    alone = (cells.n_values == 1) & ~unmerged
    return Merged(effect, alone[cells.leaf], unmerged[cells.leaf], n_passes)


def aligned_trials(effects: list[FloatArray], count: IntArray) -> FloatArray:
    """Shift the vectors of several trials to agree, shape (n_trials, n_levels).

    Each is shifted to the mean of the fullest one over the levels that both know, weighted by
    rows. A trial that shares none with it stays out (NaN): nothing says where it belongs.
    """
    stacked: FloatArray = np.array(effects)
    known = ~np.isnan(stacked)
    anchor = int(np.argmax(known @ count))
    for k in range(len(stacked)):
        shared = known[k] & known[anchor]
        if shared.any():
            apart = stacked[k, shared] - stacked[anchor, shared]
            stacked[k] -= np.average(apart, weights=count[shared])
            stacked[k, ~known[anchor]] = np.nan
        else:
            stacked[k] = np.nan
    return stacked


def mean_of_known(trials: FloatArray) -> FloatArray:
    """Average over trials what each level has, shape (n_levels,); NaN for levels without any."""
    known = ~np.isnan(trials)
    total = np.where(known, trials, 0.0).sum(axis=0)
    n_known = known.sum(axis=0)
    out: FloatArray = np.full(len(total), np.nan)
    np.divide(total, n_known, out=out, where=n_known > 0)
    return out


def _starting_leaf(cells: Cells, n_levels: int) -> int:
    island = _islands(cells, n_levels)
    largest = np.bincount(island, cells.n_rows).argmax()
    return int(np.argmax(np.where(island == largest, cells.n_values, 0)))


def _islands(cells: Cells, n_levels: int) -> NDArray[np.int32]:
    """Number the groups of leaves that are connected through common levels, shape (n_leaves,)."""
    n_leaves = len(cells.n_values)
    shape = (n_leaves + n_levels, n_leaves + n_levels)
    leaf = np.repeat(np.arange(n_leaves), cells.n_values)
    meets = csr_array((np.ones(len(leaf)), (leaf, n_leaves + cells.value)), shape=shape)
    return connected_components(meets, directed=False)[1][:n_leaves]


def _merge_one(
    cells: Cells, i: int, effect: FloatArray, weight: FloatArray, rng: np.random.Generator
) -> bool:
    own = slice(cells.bound[i], cells.bound[i + 1])
    known = effect[cells.value[own]]
    common = np.flatnonzero(~np.isnan(known))
    if len(common) == 0:
        return False
    at = common[rng.integers(len(common))]
    _average_in(cells, i, known[at] - cells.mean[own][at], effect, weight)
    return True


def _average_in(cells: Cells, i: int, shift: float, effect: FloatArray, weight: FloatArray) -> None:
    own = slice(cells.bound[i], cells.bound[i + 1])
    level, count = cells.value[own], cells.count[own]
    total = weight[level] + count
    before = np.where(weight[level] > 0, effect[level], 0.0)
    effect[level] = (weight[level] * before + count * (cells.mean[own] + shift)) / total
    weight[level] = total
