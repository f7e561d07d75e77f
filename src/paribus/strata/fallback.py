"""Growing without the compiled kernel: one scikit-learn tree for each set of columns.

The trees are grown on the same codes and stored in the same arrays, so that nothing else needs to
know. Only the random draws of `max_features` are scikit-learn's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paribus.base.extras import need
from paribus.strata.exact import ExactTarget
from paribus.strata.growing import UNLIMITED, GrowOptions
from paribus.strata.nodes import Nodes, number_nodes
from paribus.strata.reference import COLUMN, CUT, LEFT, MISSING, RIGHT


def grow_with_sklearn(
    codes: NDArray[np.uint8],
    target: ExactTarget,
    member: NDArray[np.uint8],
    options: GrowOptions,
) -> Nodes:
    """Grow one tree a set; parameters and result as in `paribus.strata.growing.grow_nodes`."""
    rows = target.rows
    if target.counts is not None:
        rows = np.repeat(rows, target.counts[rows])
    grown = [
        _grow_one(codes, rows, target, np.flatnonzero(row == 0), options, number)
        for number, row in enumerate(member)
    ]
    roots = np.concatenate([[0], np.cumsum([len(fields) for fields in grown])[:-1]]).astype(
        np.int32
    )
    for fields, root in zip(grown, roots, strict=True):
        inner = fields[:, COLUMN] >= 0
        fields[inner, LEFT] += root
        fields[inner, RIGHT] += root
    n_leaves = [int((fields[:, COLUMN] < 0).sum()) for fields in grown]
    fields = np.concatenate(grown)
    leaves = fields[:, COLUMN] < 0
    fields[leaves, LEFT] = np.arange(leaves.sum())
    fields[leaves, RIGHT] = 1
    leaf_sets = np.repeat(np.arange(len(grown)), n_leaves).astype(np.int32)
    return number_nodes(fields, leaf_sets, member, roots)


def _grow_one(
    codes: NDArray[np.uint8],
    rows: NDArray[np.int32],
    target: ExactTarget,
    columns: NDArray[np.intp],
    options: GrowOptions,
    number: int,
) -> NDArray[np.int32]:
    if columns.size == 0:
        return np.array([[-1, 0, -1, -1, -1]], dtype=np.int32)
    sklearn = need("sklearn.tree", "Growing trees without the compiled kernel", "models")
    table = codes[rows][:, columns].astype(np.float32)
    table[table == MISSING] = np.nan
    tree = sklearn.DecisionTreeRegressor(
        min_samples_leaf=options.min_samples_leaf,
        max_depth=None if options.max_depth == UNLIMITED else options.max_depth,
        max_features=min(options.max_features, columns.size),
        random_state=(options.seed + number) % 2**32,
    )
    counts = 1 if target.counts is None else target.counts[rows]
    if target.weights is None:
        tree.fit(table, target.sums[rows] / counts)
    else:
        weights = target.weights[rows]
        tree.fit(table, target.sums[rows] / weights, sample_weight=weights / counts)
    return _to_fields(tree.tree_, columns)


def _to_fields(tree: Any, columns: NDArray[np.intp]) -> NDArray[np.int32]:
    """Bring scikit-learn's arrays into ours."""
    fields = np.full((tree.node_count, 5), -1, dtype=np.int32)
    inner = tree.children_left >= 0
    fields[inner, COLUMN] = columns[tree.feature[inner]]
    # An infinite threshold parts the missing values from all others.
    cut = np.clip(np.floor(tree.threshold[inner]), 0, MISSING - 1).astype(np.int32)
    fields[inner, CUT] = cut + 256 * tree.missing_go_to_left[inner].astype(np.int32)
    fields[:, LEFT] = tree.children_left
    fields[:, RIGHT] = tree.children_right
    return fields
