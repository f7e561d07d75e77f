"""The kernel's slow twin, to be read and to be tested against.

Each function says in a few lines of NumPy what its compiled counterpart does fast. `grow_one`
grows a single tree on its own; the family's strata must equal its strata, row for row. The
functions called ``..._reference`` also serve where the kernel could not be built.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MISSING = 255
ROUNDING = 2.0**-44
COLUMN, CUT, LEFT, RIGHT, BRANCH = range(5)
MASK = 2**64 - 1


def encode_reference(
    values: NDArray[np.float64],
    edges: NDArray[np.float64],
    codes: NDArray[np.uint8],
    start: int,
    stop: int,
) -> None:
    """Set each code to the number of edges below the value; see the kernel's `encode`."""
    for j in range(values.shape[1]):
        column = values[start:stop, j]
        place = np.searchsorted(edges[j, :-1], column)
        codes[start:stop, j] = np.where(np.isnan(column), MISSING, place)


def number_leaves_reference(
    fields: NDArray[np.int32],
    leaf_sets: NDArray[np.int32],
    roots: NDArray[np.int32],
    numbers: NDArray[np.int32],
    n_strata: NDArray[np.int32],
) -> None:
    """Give each set's leaves numbers from 0, left before right."""
    stack = roots[::-1].tolist()
    while stack:
        node = fields[stack.pop()]
        if node[COLUMN] >= 0:
            stack += [int(node[k]) for k in (RIGHT, LEFT, BRANCH) if node[k] >= 0]
            continue
        for at in range(node[LEFT], node[LEFT] + node[RIGHT]):
            numbers[at] = n_strata[leaf_sets[at]]
            n_strata[leaf_sets[at]] += 1


def apply_reference(
    codes: NDArray[np.uint8],
    fields: NDArray[np.int32],
    leaf_sets: NDArray[np.int32],
    numbers: NDArray[np.int32],
    member: NDArray[np.uint8],
    wanted: NDArray[np.int32],
    slot: NDArray[np.int32],
    root: int,
    rows: NDArray[np.int32],
    out: NDArray[np.int32],
) -> None:
    """Write the strata of the rows for the wanted sets, one set after the other."""
    for one in wanted:
        at = np.full(rows.size, root)
        column = fields[at, COLUMN]
        while (column >= 0).any():
            inner = np.flatnonzero(column >= 0)
            node = fields[at[inner]]
            code = codes[rows[inner], node[:, COLUMN]].astype(np.int64)
            side = np.where(_goes_left(code, node), node[:, LEFT], node[:, RIGHT])
            left_out = member[one, node[:, COLUMN]] == 1
            at[inner] = np.where(left_out, node[:, BRANCH], side)
            column = fields[at, COLUMN]
        for leaf in np.unique(at):
            first = fields[leaf, LEFT]
            among = leaf_sets[first : first + fields[leaf, RIGHT]]
            out[rows[at == leaf], slot[one]] = numbers[first + np.searchsorted(among, one)]


def _goes_left(code: NDArray[np.int64], node: NDArray[np.int32]) -> NDArray[np.bool_]:
    missing_left = (code == MISSING) & (node[:, CUT] >= 256)
    left: NDArray[np.bool_] = (code <= node[:, CUT] % 256) | missing_left
    return left


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree to be grown on whole numbers: see `paribus.strata.exact` for the arrays."""

    codes: NDArray[np.uint8]
    sums: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: NDArray[np.int64]
    left_out: frozenset[int]
    min_leaf: int
    max_depth: int
    max_features: int
    strata: list[NDArray[np.int32]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Split:
    """The best split of a cell by one column, and who goes left."""

    gain: float
    column: int
    cut: int
    left: NDArray[np.bool_]


def grow_one(tree: Tree, rows: NDArray[np.int32], seed: int) -> NDArray[np.int32]:
    """Grow a tree on its own; return each row's stratum, or -1 where it took no part."""
    _grow(tree, rows, 0, seed)
    out = np.full(tree.codes.shape[0], -1, dtype=np.int32)
    for number, cell in enumerate(tree.strata):
        out[cell] = number
    return out


def _grow(tree: Tree, rows: NDArray[np.int32], depth: int, path: int) -> None:
    split = None
    if tree.counts[rows].sum() >= 2 * tree.min_leaf and depth < tree.max_depth:
        split = _choose(tree, rows, path)
    if split is None:
        tree.strata.append(rows)
        return
    for side, part in ((LEFT, rows[split.left]), (RIGHT, rows[~split.left])):
        _grow(tree, part, depth + 1, child_path(path, split.column, split.cut, side))


def _choose(tree: Tree, rows: NDArray[np.int32], path: int) -> Split | None:
    """Return the best split over the first `max_features` columns in this node's order."""
    p = tree.codes.shape[1]
    order = list(range(p))
    if tree.max_features < p:
        order.sort(key=lambda f: (mix(path ^ ((f + 1) * 0x9E3779B97F4A7C15 & MASK)), f))
    best = None
    for turn, f in enumerate(order):
        if turn >= tree.max_features and best is not None:
            break
        if f in tree.left_out:
            continue
        split = best_split(tree, rows, f)
        if split is not None and (best is None or (split.gain, -f) > (best.gain, -best.column)):
            best = split
    return best


def best_split(tree: Tree, rows: NDArray[np.int32], column: int) -> Split | None:
    """Try every cut of a column's levels; missing values go to either side."""
    code = tree.codes[rows, column].astype(np.int64)
    levels = np.unique(code)
    ways: list[tuple[list[int], list[int]]]
    if levels[-1] == MISSING:
        values = levels[:-1].tolist()
        ways = [([*values, MISSING], []), (values, [MISSING])]
    else:
        ways = [(levels.tolist(), [])]
    best = None
    for order, first in ways:
        for k in range(1, len(order)):
            left = np.isin(code, [*order[:k], *first])
            gain = _gain(tree, rows, left)
            if gain > (0.0 if best is None else best.gain):
                high = order[k]
                cut = MISSING - 1 if high == MISSING else (order[k - 1] + high) // 2
                best = Split(gain, column, cut, left)
    return None if best is None or _is_rounding(tree, rows, best.left) else best


def _sum(values: NDArray[np.int64], rows: NDArray[np.int32], which: NDArray[np.bool_]) -> int:
    return int(values[rows[which]].sum())


def _gain(tree: Tree, rows: NDArray[np.int32], left: NDArray[np.bool_]) -> float:
    """Return the fall in the sum of squares times the weight; 0 where a side is too small."""
    n_left = _sum(tree.counts, rows, left)
    if n_left < tree.min_leaf or _sum(tree.counts, rows, ~left) < tree.min_leaf:
        return 0.0
    w, rest = _sum(tree.weights, rows, left), _sum(tree.weights, rows, ~left)
    d = float(w + rest) * float(_sum(tree.sums, rows, left)) - float(
        int(tree.sums[rows].sum())
    ) * float(w)
    return d * d * (1.0 / (float(w) * float(rest)))


def _is_rounding(tree: Tree, rows: NDArray[np.int32], left: NDArray[np.bool_]) -> bool:
    a = float(int(tree.weights[rows].sum())) * float(_sum(tree.sums, rows, left))
    b = float(int(tree.sums[rows].sum())) * float(_sum(tree.weights, rows, left))
    return abs(a - b) <= ROUNDING * (abs(a) + abs(b))


def mix(z: int) -> int:
    """Scramble 64 bits (the finaliser of splitmix64)."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def child_path(path: int, column: int, cut: int, side: int) -> int:
    """Name a child after the way to it."""
    return mix(mix((path + 0x9E3779B97F4A7C15) & MASK) ^ (column << 32 | cut << 8 | side))
