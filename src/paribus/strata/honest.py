"""Honest strata: each row's stratum comes from a tree that has not seen the row's target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray, in_blocks
from paribus.strata.checks import ColumnSet
from paribus.strata.coding import Coding
from paribus.strata.family import Family, grow_coded
from paribus.strata.rows import mix

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Coded:
    """A table as its trees see it.

    Attributes
    ----------
    codes : uint8 array of shape (n, p)
    coding : Coding
    hashes : uint64 array of shape (n,)
        Of each row's values: rows that are equal never come into different folds.
    weights : float array of shape (n,), or None
    """

    codes: NDArray[np.uint8]
    coding: Coding
    hashes: NDArray[np.uint64]
    weights: FloatArray | None


@dataclass(frozen=True, slots=True)
class Growing:
    """How trees are grown: the fewest rows of a leaf, the number of folds, seed and threads.

    With one fold a tree sees the rows that it divides, and is not honest.
    """

    min_samples_leaf: int = 10
    folds: int = 2
    seed: int = 0
    n_jobs: int = 1


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
    for k in range(growing.folds):
        held = np.flatnonzero(fold == k).astype(np.int32)
        grown_on = (fold != k) if growing.folds > 1 else np.ones(n, dtype=np.bool_)
        if len(held) == 0:
            continue
        if not grown_on.any():
            out[:, held] = first[:, None]
            first += 1
            continue
        family = grow_on(coded, target, sets, growing, grown_on)
        labels = family.apply_coded(coded.codes, sets, rows=held, n_jobs=growing.n_jobs)
        _spread(labels, held, first, out, growing.n_jobs)
        first += np.array([family.n_strata(s) for s in sets], dtype=np.int32)
    return [_without_gaps(label, int(size)) for label, size in zip(out, first, strict=True)]


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
    return grow_coded(
        coded.codes,
        coded.coding,
        target,
        min_samples_leaf=growing.min_samples_leaf,
        leave_out=sets,
        rows=_counts(coded.weights, rows),
        weights=None if _repeats(coded.weights) else coded.weights,
        n_jobs=growing.n_jobs,
    )


def _repeats(weights: FloatArray | None) -> bool:
    """Tell whether weights are whole numbers, that is, rows repeated."""
    return weights is None or bool(np.all(weights == np.floor(weights)))


def _counts(weights: FloatArray | None, grown_on: NDArray[np.bool_]) -> NDArray[np.generic]:
    if weights is None or not _repeats(weights):
        return grown_on
    return np.where(grown_on, weights, 0.0).astype(np.int64)


def _without_gaps(label: Labels, size: int) -> Labels:
    """Number again the strata that hold a row."""
    met = np.bincount(label, minlength=size) > 0
    return (np.cumsum(met) - 1).astype(np.int32)[label]
