"""CatStratPD's arithmetic: level means inside leaves, merged leaf by leaf into one vector.

Parr and Wilson, "Partial Dependence through Stratification", algorithm CatStratPD.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus._types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class LeafMeans:
    """The mean target of each level in each leaf.

    Attributes
    ----------
    level : int array of shape (k,)
        Levels met in the leaves, leaf by leaf.
    mean : float array of shape (k,)
        Mean y of that level in that leaf.
    count : int array of shape (k,)
        Rows behind the mean.
    bound : int array of shape (n_leaves + 1,)
        Leaf ``i`` owns the entries ``bound[i]:bound[i + 1]``.
    """

    level: IntArray
    mean: FloatArray
    count: IntArray
    bound: IntArray


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of the leaves.

    Attributes
    ----------
    effect : float array of shape (n_levels,)
        The running vector; NaN for levels that no merged leaf holds.
    n_silent : int
        Rows in leaves with a single level or left unmerged.
    n_unmerged : int
        Rows in leaves that share no level with the running vector.
    n_passes : int
        Passes over the leaves.
    """

    effect: FloatArray
    n_silent: int
    n_unmerged: int
    n_passes: int


def leaf_means(level: IntArray, y: FloatArray, leaf: IntArray) -> LeafMeans:
    """Average y a level in each leaf; all arrays of shape (n,)."""
    order = np.lexsort((level, leaf))
    leaves, levels = leaf[order], level[order]
    new_leaf = np.append(True, np.diff(leaves) != 0)
    first = np.flatnonzero(new_leaf | np.append(True, np.diff(levels) != 0))
    count = np.diff(np.append(first, len(y)))
    mean = np.add.reduceat(y[order], first) / count
    bound = np.append(np.flatnonzero(new_leaf[first]), len(first))
    return LeafMeans(levels[first], mean, count, bound)


def merge_leaves(leaves: LeafMeans, n_levels: int, rng: np.random.Generator) -> Merged:
    """Merge the leaves into one vector of level effects.

    A leaf that shares a level with the running vector is shifted to agree with it at a random
    common level and averaged in, weighted by rows; passes go on until one merges nothing. A
    leaf's own reference level cancels in that shift, so none is drawn. The paper starts at an
    arbitrary leaf: ours is the one with the most levels.
    """
    effect = np.full(n_levels, np.nan)
    weight = np.zeros(n_levels)
    sizes = np.diff(leaves.bound)
    start = int(np.argmax(sizes))
    _average_in(leaves, start, 0.0, effect, weight)
    work = [i for i in range(len(sizes)) if i != start]
    n_passes, merged_any = 0, True
    while work and merged_any:
        n_passes += 1
        left = [i for i in work if not _merge_one(leaves, i, effect, weight, rng)]
        merged_any = len(left) < len(work)
        work = left
    rows = np.add.reduceat(leaves.count, leaves.bound[:-1])
    unmerged = np.zeros(len(sizes), dtype=np.bool_)
    unmerged[work] = True
    silent = int(rows[unmerged | (sizes == 1)].sum())
    return Merged(effect, silent, int(rows[unmerged].sum()), n_passes)


def _merge_one(
    leaves: LeafMeans, i: int, effect: FloatArray, weight: FloatArray, rng: np.random.Generator
) -> bool:
    entries = slice(leaves.bound[i], leaves.bound[i + 1])
    known = effect[leaves.level[entries]]
    common = np.flatnonzero(~np.isnan(known))
    if len(common) == 0:
        return False
    at = common[rng.integers(len(common))]
    _average_in(leaves, i, known[at] - leaves.mean[entries][at], effect, weight)
    return True


def _average_in(
    leaves: LeafMeans, i: int, shift: float, effect: FloatArray, weight: FloatArray
) -> None:
    entries = slice(leaves.bound[i], leaves.bound[i + 1])
    level, count = leaves.level[entries], leaves.count[entries]
    total = weight[level] + count
    before = np.where(weight[level] > 0, effect[level], 0.0)
    effect[level] = (weight[level] * before + count * (leaves.mean[entries] + shift)) / total
    weight[level] = total
