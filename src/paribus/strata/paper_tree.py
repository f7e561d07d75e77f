"""Strata from scikit-learn's exact regression tree, as the paper has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus._types import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Trees:
    """How the other columns are partitioned.

    Attributes
    ----------
    min_samples_leaf : int
        Rows in a leaf at least.
    n_trees, max_features, bootstrap
        One tree on all columns, or a random forest: with few candidate columns a split, no
        single column (a twin of the explained one) decides every leaf.
    n_jobs : int, optional
        Threads for a forest; the strata do not depend on it.
    """

    min_samples_leaf: int = 10
    n_trees: int = 1
    max_features: float | int = 1.0
    bootstrap: bool = False
    n_jobs: int | None = None


def exact_strata(others: FloatArray, y: FloatArray, trees: Trees, seed: int = 0) -> IntArray:
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
    >>> exact_strata(others, y, Trees(min_samples_leaf=2)).ravel().tolist()
    [1, 1, 2, 2]
    """
    if others.shape[1] == 0:
        return np.zeros((len(y), trees.n_trees), dtype=np.int64)
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.tree import DecisionTreeRegressor

    codes = _ranks(others)
    options = {
        "min_samples_leaf": trees.min_samples_leaf,
        "max_features": trees.max_features,
        "random_state": seed,
    }
    if trees.n_trees == 1 and not trees.bootstrap:
        model = DecisionTreeRegressor(**options)
    else:
        model = RandomForestRegressor(
            trees.n_trees, bootstrap=trees.bootstrap, n_jobs=trees.n_jobs, **options
        )
    leaves = model.fit(codes, y).apply(codes)
    return np.asarray(leaves, dtype=np.int64).reshape(len(y), trees.n_trees)


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
