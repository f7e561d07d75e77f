"""Honest strata: each row's stratum comes from a tree that has not seen the row's target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray, Labels, in_blocks, side_by_side
from paribus.base.threads import crew
from paribus.strata.checks import ColumnSet
from paribus.strata.coding import Coding, fit_coding
from paribus.strata.columns import (
    know,
    level_sums,
    rank_hash,
    whole_times,
    with_missing_last,
)
from paribus.strata.family import Family, grow_coded
from paribus.strata.rows import mix, row_hash

MOST_COUNTED = 2**31 - 1  # rows, counted, that trees can hold
MOST_REPEATED = 5_000_000  # rows, repeated by their counts, that may be laid out for coding
ALL_GROWN_ON = 16_000  # rows: of more, trees are grown on a part
FEWEST_IN_LEAF = 10  # rows of that part, unless fewer are asked for


@dataclass(frozen=True, slots=True)
class TreeCoding:
    """How rows of a table become what trees see: fitted on rows, applied to any rows."""

    # Of each category, the numbers by which trees split its levels.
    numbers: Mapping[int, FloatArray]  # (n_levels,) each
    coding: Coding

    def encode(self, matrix: FloatArray, n_jobs: int = 1) -> NDArray[np.uint8]:
        """Return the codes of the rows of a table (n, p)."""
        return self.coding.encode(_numbered(matrix, self.numbers, n_jobs), n_jobs=n_jobs)


def fit_tree_coding(
    matrix: FloatArray,
    n_levels: Mapping[int, int],
    y: FloatArray,
    counts: FloatArray | None,
    n_jobs: int = 1,
) -> TreeCoding:
    """Find bins of the numbers, and numbers of the levels, of a table (n, p).

    Levels are numbered in an order that has nothing to do with their names. It follows from a
    hash of the rows of each level, by the rank of their target and, if that tells two levels apart
    no more, of their other columns: other labels, another unit or sign give the same strata, and so
    do other row orders.
    """
    numbers: dict[int, FloatArray] = {}
    if n_levels:
        times, by_row = whole_times(counts, len(y)), None
        by_target = rank_hash(y) * times
        for k, size in n_levels.items():
            levels = with_missing_last(matrix[:, k], size)
            total = level_sums(levels, by_target, size + 1)[:size]
            if len(np.unique(total)) < size:
                if by_row is None:
                    sizes = [n_levels.get(j, 0) for j in range(matrix.shape[1])]
                    by_row = know(list(matrix.T), sizes, y, counts, n_jobs).rows * times
                total = level_sums(levels, by_row, size + 1)[:size]
            numbers[k] = np.argsort(np.argsort(total, kind="stable")).astype(np.float64)
    laid_out = matrix
    if counts is not None and counts.sum() <= MOST_REPEATED:
        laid_out = np.repeat(matrix, counts.astype(np.int64), axis=0)
    return TreeCoding(numbers, fit_coding(_numbered(laid_out, numbers, n_jobs), n_jobs=n_jobs))


def _numbered(matrix: FloatArray, numbers: Mapping[int, FloatArray], n_jobs: int) -> FloatArray:
    """Return a table (n, p) with the levels of its categories numbered anew."""
    if not numbers:
        return matrix
    columns = list(matrix.T)
    for k, table in numbers.items():
        known = np.where(np.isnan(columns[k]), len(table), columns[k]).astype(np.int64)
        columns[k] = np.append(table, np.nan)[known]
    return side_by_side(columns, n_jobs)


@dataclass(frozen=True, slots=True)
class Coded:
    """A table as its trees see it."""

    codes: NDArray[np.uint8]  # (n, p)
    coding: Coding
    # Of each row's values, or of its cluster's: what is equal never comes into different folds.
    hashes: NDArray[np.uint64]  # (n,)
    weights: FloatArray | None = None  # (n,): how much each row counts in means
    counts: FloatArray | None = None  # (n,): how many rows each stands for


def fold_hashes(
    codes: NDArray[np.uint8], cluster: Labels | None, n_jobs: int
) -> NDArray[np.uint64]:
    """Return the hashes that decide on folds, shape (n,): of rows, or of whole clusters.

    The target must not be in them: where rows repeat, it would sort equal rows with unequal
    targets into different folds, and inside a fold the target would follow from the row.
    """
    hashes = row_hash(codes, n_threads=n_jobs)
    if cluster is None:
        return hashes
    total = np.zeros(int(cluster.max()) + 1, dtype=np.uint64)
    np.add.at(total, cluster, mix(hashes))
    return mix(total)[cluster]


@dataclass(frozen=True, slots=True)
class Growing:
    """How trees are grown: the fewest rows of a leaf, the number of folds, seed and threads.

    With one fold a tree sees the rows that it divides, and is not honest.
    """

    min_samples_leaf: int = 10
    folds: int = 2
    seed: int = 0
    n_jobs: int = 1

    def on_part(self, share: float) -> Growing:
        """Return the same for trees that see a share of the rows which they are to divide."""
        leaf = self.min_samples_leaf
        return replace(self, min_samples_leaf=max(min(leaf, FEWEST_IN_LEAF), round(share * leaf)))


def share_grown_on(n: int) -> float:
    """Return the share of n rows that trees are grown on.

    Growing costs more than anything else that is done with a row, and the more rows there are the
    less it matters where exactly a stratum ends: the rows grown on are as the root of all rows.

    Examples
    --------
    >>> [round(share_grown_on(n), 2) for n in (10_000, 100_000, 1_000_000)]
    [1.0, 0.4, 0.13]
    """
    return min(1.0, float(np.sqrt(ALL_GROWN_ON / max(n, 1))))


def fold_of(hashes: NDArray[np.uint64], folds: int, seed: int, repeat: int) -> IntArray:
    """Assign rows to folds by their own values, shape (n,).

    Examples
    --------
    >>> hashes = np.array([5, 6, 5], dtype=np.uint64)
    >>> fold = fold_of(hashes, 2, seed=0, repeat=0)
    >>> bool(fold[0] == fold[2])
    True
    """
    salt = mix(np.array([seed], dtype=np.uint64)) + mix(np.array([repeat], dtype=np.uint64))
    return (mix(hashes ^ mix(salt)) % np.uint64(folds)).astype(np.int64)


def cross_fit(
    coded: Coded, target: FloatArray, sets: list[ColumnSet], growing: Growing, repeat: int
) -> list[Labels]:
    """Grow on all folds but one, divide the rows of that one, for every set of columns left out.

    Of very many rows the trees see a part, drawn evenly: rows must stand in an order that says
    nothing of them.

    Parameters
    ----------
    coded : Coded
    target : float array of shape (n,)
        What the trees are to predict.
    sets : list of tuples of int
        The columns left out of each tree.
    growing : Growing
    repeat : int
        Which of several random divisions into folds.

    Returns
    -------
    list of int32 arrays of shape (n,)
        The stratum of each row, numbered without gaps, for each set.
    """
    n = len(target)
    fold = fold_of(coded.hashes, growing.folds, growing.seed, repeat)
    out = np.zeros((len(sets), n), dtype=np.int32)
    first = np.zeros(len(sets), dtype=np.int32)
    share = share_grown_on(n) if growing.folds > 1 else 1.0
    folds = np.unique(fold).tolist()
    each = replace(growing.on_part(share), n_jobs=max(1, growing.n_jobs // len(folds)))
    found: dict[int, Family] = {}

    def grow(k: int) -> None:
        grown_on = (fold != k) if growing.folds > 1 else np.ones(n, dtype=np.bool_)
        if grown_on.any():
            found[k] = grow_on(coded, target, sets, each, _part_of(grown_on, share))

    with crew(min(growing.n_jobs, len(folds))) as workers:
        for job in [workers.submit(grow, k) for k in folds]:
            job.result()
    for k in folds:
        held = np.flatnonzero(fold == k).astype(np.int32)
        if k not in found:
            out[:, held] = first[:, None]
            first += 1
            continue
        family = found.pop(k)
        labels = family.apply_coded(coded.codes, sets, rows=held, n_jobs=growing.n_jobs)
        _spread(labels, held, first, out, growing.n_jobs)
        first += np.array([family.n_strata(s) for s in sets], dtype=np.int32)
    return [without_gaps(label, int(size)) for label, size in zip(out, first, strict=True)]


def _part_of(rows: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """Return a share of the rows of a mask (n,), evenly."""
    if share == 1:
        return rows
    met = np.cumsum(rows)
    return rows & (np.floor(met * share) > np.floor((met - 1) * share))


def _spread(labels: Labels, held: IntArray, first: IntArray, out: Labels, n_threads: int) -> None:
    """Write the labels (m, n_sets) of the rows held, each set's counted on from its `first`."""

    def write(block: slice) -> None:
        out[:, held[block]] = labels[block].T + first[:, None]

    in_blocks(write, len(held), n_threads)


def grow_on(
    coded: Coded,
    target: FloatArray,
    sets: list[ColumnSet],
    growing: Growing,
    rows: NDArray[np.bool_],
) -> Family:
    """Grow the trees of all sets of columns left out on some of the rows, a mask (n,)."""
    counts, weights = coded.counts, coded.weights
    if counts is not None and counts.sum() > MOST_COUNTED:
        weights = counts if weights is None else counts * weights
        counts = None
    return grow_coded(
        coded.codes,
        coded.coding,
        target,
        min_samples_leaf=growing.min_samples_leaf,
        leave_out=sets,
        rows=rows if counts is None else np.where(rows, counts, 0.0).astype(np.int64),
        weights=weights,
        n_jobs=growing.n_jobs,
    )


def effective_leaf(min_samples_leaf: int, weights: FloatArray | None) -> int:
    """Return how many rows a leaf needs to be worth `min_samples_leaf` rows of equal weight.

    By Kish, rows of unequal weight are worth ``(sum w)^2 / sum w^2`` of equal weight. The weighted
    mean of few rows is biased, by one over their number, where weights go with the target: leaves
    grow with the root of the rows, so that this falls behind the standard error.

    Examples
    --------
    >>> effective_leaf(10, np.array([1.0, 1.0, 4.0])), effective_leaf(10, np.ones(4000))
    (15, 20)
    """
    if weights is None:
        return min_samples_leaf
    unequal = float(np.mean(weights**2) / np.mean(weights) ** 2)
    return int(np.ceil(min_samples_leaf * unequal * max(1.0, np.sqrt(len(weights) / 1000))))


def without_gaps(label: Labels, size: int) -> Labels:
    """Number again the strata that hold a row."""
    met = np.bincount(label, minlength=size) > 0
    return (np.cumsum(met) - 1).astype(np.int32)[label]
