"""Strata as in the paper: the leaves of one regression tree, or of a forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.checks import is_whole
from paribus.base.extras import need
from paribus.strata.coding import fit_coding
from paribus.strata.family import grow_coded


@dataclass(frozen=True, slots=True)
class Trees:
    """How the other columns are partitioned."""

    min_samples_leaf: int = 10  # rows in a leaf at least
    # One tree on all columns, or a random forest: with few candidate columns a split, no single
    # column (a twin of the explained one) decides every leaf.
    n_trees: int = 1
    max_features: float | int = 1.0
    bootstrap: bool = False
    n_jobs: int | None = None  # threads; the strata do not depend on it
    # scikit-learn's exact tree, or our own kernel on 255 quantile bins a column.
    engine: Literal["exact", "family"] = "exact"


def paper_strata(others: FloatArray, y: FloatArray, trees: Trees, seed: int = 0) -> IntArray:
    """Partition the rows by the leaves of a tree, or of each tree of a forest.

    Only the partition is used, never a prediction.

    Parameters
    ----------
    others : float array of shape (n, p)
        Every column but the explained one; NaN is a value of its own.
    y : float array of shape (n,)
    trees : Trees
    seed : int

    Returns
    -------
    int array of shape (n, n_trees)
        The stratum of each row in each tree.

    Examples
    --------
    >>> others, y = np.array([[1.0], [1.0], [5.0], [5.0]]), np.array([0.0, 1.0, 8.0, 9.0])
    >>> paper_strata(others, y, Trees(min_samples_leaf=2)).ravel().tolist()
    [1, 1, 2, 2]
    """
    if others.shape[1] == 0:
        return np.zeros((len(y), trees.n_trees), dtype=np.int64)
    grow_leaves = _exact_leaves if trees.engine == "exact" else _family_leaves
    return grow_leaves(others, y, trees, seed)


def _exact_leaves(others: FloatArray, y: FloatArray, trees: Trees, seed: int) -> IntArray:
    ensemble = need("sklearn.ensemble", "Growing the paper's trees", "models")
    tree = need("sklearn.tree", "Growing the paper's trees", "models")
    codes = _ranks(others)
    options = {
        "min_samples_leaf": trees.min_samples_leaf,
        "max_features": trees.max_features,
        "random_state": seed % 2**32,
    }
    if trees.n_trees == 1 and not trees.bootstrap:
        model = tree.DecisionTreeRegressor(**options)
    else:
        model = ensemble.RandomForestRegressor(
            trees.n_trees, bootstrap=trees.bootstrap, n_jobs=trees.n_jobs, **options
        )
    leaves = model.fit(codes, y).apply(codes)
    return np.asarray(leaves, dtype=np.int64).reshape(len(y), trees.n_trees)


def _family_leaves(others: FloatArray, y: FloatArray, trees: Trees, seed: int) -> IntArray:
    rng = np.random.default_rng(seed)
    n, p = others.shape
    share = trees.max_features
    n_candidates = int(share) if is_whole(share) else max(1, int(share * p))
    coding = fit_coding(others)
    codes = coding.encode(others)
    out = np.empty((n, trees.n_trees), dtype=np.int64)
    for k in range(trees.n_trees):
        drawn = np.bincount(rng.integers(n, size=n), minlength=n) if trees.bootstrap else None
        family = grow_coded(
            codes,
            coding,
            y,
            min_samples_leaf=trees.min_samples_leaf,
            leave_out=[()],
            rows=drawn,
            max_features=min(n_candidates, p),
            seed=int(rng.integers(2**31)),
            n_jobs=trees.n_jobs or 1,
        )
        out[:, k] = family.strata(())
    return out


def _ranks(values: FloatArray) -> FloatArray:
    """Replace each column by the ranks of its distinct values; NaN stays.

    A tree sees order only, so this changes no split; but scikit-learn takes values closer
    than 1e-7 for equal and rounds to 32 bits, which would make a column's unit matter.
    """
    out = np.empty_like(values)
    for k in range(values.shape[1]):
        distinct, rank = np.unique(values[:, k], return_inverse=True)
        out[:, k] = np.where(np.isnan(distinct), np.nan, np.arange(len(distinct)))[rank]
    return out
