"""The grown family as flat arrays, and how rows descend through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.compiled import compiled
from paribus.base.threads import run_all
from paribus.strata.reference import apply_reference, number_leaves_reference

BLOCK = 262_144  # rows a thread takes down at a time, when there are several

apply = compiled("strata.kernel.apply", apply_reference)
number_leaves = compiled("strata.kernel.apply", number_leaves_reference)


@dataclass(frozen=True, slots=True)
class Nodes:
    """All trees of a family; sets of left-out columns share the nodes they have in common.

    From a node that splits on column `f`, a row goes left or right in the trees of the sets that
    keep `f`, and on to the branch, as if the node were not there, in those that leave `f` out.
    """

    # Column (-1 in a leaf), cut (+ 256 when missing values go left), left, right and branch (-1 for
    # none). A leaf keeps the start and number of its sets in left and right.
    fields: NDArray[np.int32]  # (n_nodes, 5)
    # Which sets end in a leaf, and the stratum's number in each.
    leaf_sets: NDArray[np.int32]  # (n_leaf_sets,)
    numbers: NDArray[np.int32]  # (n_leaf_sets,)
    member: NDArray[np.uint8]  # (n_sets, p): 1 where a set leaves a column out
    roots: NDArray[np.int32]  # (n_sets,): where each set's tree starts: at 0 in a shared family
    n_strata: NDArray[np.int32]  # (n_sets,): leaves of each set's tree


def number_nodes(
    fields: NDArray[np.int32],
    leaf_sets: NDArray[np.int32],
    member: NDArray[np.uint8],
    roots: NDArray[np.int32],
) -> Nodes:
    """Give each set's strata numbers from 0, left before right, and join all into one family."""
    numbers = np.zeros(leaf_sets.size, dtype=np.int32)
    n_strata = np.zeros(member.shape[0], dtype=np.int32)
    number_leaves(fields, leaf_sets, np.unique(roots), numbers, n_strata)
    return Nodes(fields, leaf_sets, numbers, member, roots, n_strata)


def apply_nodes(
    nodes: Nodes,
    codes: NDArray[np.uint8],
    wanted: Sequence[int],
    rows: NDArray[np.int32] | None,
    n_threads: int,
) -> NDArray[np.int32]:
    """Return the stratum of each row in each wanted set, shape (rows, len(wanted)), int32."""
    # The kernel writes to the row it reads, so a choice of rows is taken out first.
    codes = codes if rows is None else codes[rows]
    n = codes.shape[0]
    out = np.zeros((n, len(wanted)), dtype=np.int32)
    if codes.shape[1] == 0:
        return out
    slot = np.zeros(nodes.roots.size, dtype=np.int32)
    slot[list(wanted)] = np.arange(len(wanted))
    ascending = np.array(sorted(wanted), dtype=np.int32)
    step = max(n if n_threads == 1 else min(BLOCK, -(-n // n_threads)), 1)

    def walk(start: int) -> None:
        part = np.arange(start, min(start + step, n), dtype=np.int32)
        for root in np.unique(nodes.roots[ascending]):
            sets = ascending[nodes.roots[ascending] == root]
            apply(
                codes, nodes.fields, nodes.leaf_sets, nodes.numbers, nodes.member, sets, slot,
                root, part.copy(), out,
            )  # fmt: skip

    run_all(walk, range(0, n, step), n_threads)
    return out
