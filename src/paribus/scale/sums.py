"""What rows come to once strata are fixed: sums, which add up.

Everything the estimate needs of the rows is a product of basis, covariates and target, summed over
the rows, and the same sums by stratum: products inside the strata are the former less what the
latter give. All are taken about the sample's means, so that the difference keeps its digits.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.estimate.basis import Basis, hat_basis
from paribus.estimate.groups import Labels, spread, sums_of, weighted_gram
from paribus.estimate.hats import add_hats
from paribus.pipeline.diagnostics import n_sides, nearest_knot, sides_of
from paribus.results import bin_edges
from paribus.scale.reservoir import Hashes, Kept, lowered
from paribus.scale.row_transform import KEPT_ROWS, Explained, Recipe
from paribus.strata.rows import mix


@dataclass(slots=True)
class ColumnSums:
    """Sums for one explained column.

    K points or levels; d covariates, the target among them; L strata.

    Attributes
    ----------
    strata : float array of shape (L, d + K)
        Sums by stratum of covariates, target and basis.
    totals, rows : float array of shape (L,)
        Weight and number of rows of each stratum.
    low, high : float array of shape (L,)
        Extremes of a column of numbers in each stratum, missing counted as more than any.
    sides : float array of shape (L, S)
        Rows of each stratum between the middles that comparisons are counted across.
    crossed : float array of shape (K, d)
        Products of the basis with covariates and target.
    diagonal, beside : float arrays of shape (K,) and (K - 1,)
        Products of the basis with itself: columns overlap with the next only.
    points : float array of shape (K,)
        Rows nearest to each point, or of each level.
    count : float array of shape (K,)
        The same without weights.
    moments : float array of shape (3,)
        Weight of the present values, their sum and sum of squares about the sample's mean.
    histogram : float array of shape (n_bins,)
    """

    strata: FloatArray
    totals: FloatArray
    rows: FloatArray
    low: FloatArray
    high: FloatArray
    sides: FloatArray
    crossed: FloatArray
    diagonal: FloatArray
    beside: FloatArray
    points: FloatArray
    count: FloatArray
    moments: FloatArray
    histogram: FloatArray

    def __iadd__(self, other: ColumnSums) -> ColumnSums:
        for part in fields(self):
            mine, theirs = getattr(self, part.name), getattr(other, part.name)
            join = {"low": np.minimum, "high": np.maximum}.get(part.name, np.add)
            join(mine, theirs, out=mine)
        return self


@dataclass(slots=True)
class Sums:
    """Sums of a part of the rows, or of all of them.

    Attributes
    ----------
    columns : tuple of ColumnSums
    gram : float array of shape (q + 1 + P, q + 1 + P)
        Products of all covariates, shared or of the pool, and the target.
    parts : dict of int to int
        Rows of each part, all of them.
    sampled, missing_target, zero_weight, used : int
        What became of them.
    checksum : int
        Of the hashes of the rows that are in the sample.
    kept : Kept
        A few rows, that show how the errors spread.
    problems, names
        As in `Survey`.
    """

    columns: tuple[ColumnSums, ...]
    gram: FloatArray
    kept: Kept
    parts: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    sampled: int = 0
    missing_target: int = 0
    zero_weight: int = 0
    used: int = 0
    checksum: int = 0
    problems: dict[int, str] = field(default_factory=dict)

    def __iadd__(self, other: Sums) -> Sums:
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            mine += theirs
        self.gram += other.gram
        self.kept = self.kept + other.kept
        for name in ("sampled", "missing_target", "zero_weight", "used"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.checksum = (self.checksum + other.checksum) % 2**64
        for name in ("parts", "names", "problems"):
            getattr(self, name).update(getattr(other, name))
        return self

    def __add__(self, other: Sums) -> Sums:
        out = self.empty_like()
        out += self
        out += other
        return out

    def empty_like(self) -> Sums:
        """Return the sums of no rows."""
        columns = tuple(
            ColumnSums(**{f.name: _nothing(f.name, getattr(c, f.name)) for f in fields(c)})
            for c in self.columns
        )
        return Sums(columns, np.zeros_like(self.gram), Kept(self.kept.limit, self.kept.most))

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.gram.nbytes + sum(
            getattr(c, f.name).nbytes for c in self.columns for f in fields(c)
        )


def _nothing(name: str, like: FloatArray) -> FloatArray:
    return np.full_like(like, {"low": np.inf, "high": -np.inf}.get(name, 0.0))


def no_rows(recipe: Recipe) -> Sums:
    """Return the sums of no rows."""
    size = len(recipe.shared.owner) + 1 + len(recipe.pool)
    return Sums(
        columns=tuple(_no_rows(recipe, e) for e in recipe.explained),
        gram=np.zeros((size, size)),
        kept=Kept(KEPT_ROWS, KEPT_ROWS),
    )


def _no_rows(recipe: Recipe, explained: Explained) -> ColumnSums:
    size, d = explained.size, len(recipe.columns_of(explained))
    n_strata = int(recipe.family.nodes.n_strata[explained.set])
    numeric = explained.knots is not None
    size_of_sides = 0 if explained.knots is None else n_sides(len(explained.knots))
    return ColumnSums(
        strata=np.zeros((n_strata, d + size)),
        totals=np.zeros(n_strata),
        rows=np.zeros(n_strata),
        low=np.full(n_strata if numeric else 0, np.inf),
        high=np.full(n_strata if numeric else 0, -np.inf),
        sides=np.zeros((n_strata, size_of_sides)),
        crossed=np.zeros((size, d)),
        diagonal=np.zeros(size),
        beside=np.zeros(max(size - 1, 0)),
        points=np.zeros(size),
        count=np.zeros(size),
        moments=np.zeros(3),
        histogram=np.zeros(0 if explained.knots is None else len(bin_edges(explained.knots)) - 1),
    )


@dataclass(frozen=True, slots=True)
class Block:
    """Rows ready to be summed.

    Attributes
    ----------
    matrix : float array of shape (n, p)
        The held columns.
    covariates : float array of shape (n, q + 1 + P)
        Shared covariates, target and pool.
    weights : float array of shape (n,)
    strata : int32 array of shape (n_sets, n)
    """

    matrix: FloatArray
    covariates: FloatArray
    weights: FloatArray
    strata: IntArray


def add_rows_reference(
    rows: FloatArray,
    columns: Labels,
    weights: FloatArray,
    label: Labels,
    basis: Basis,
    sums: ColumnSums,
) -> None:
    """Add weighted rows (n, d) and their basis to the sums by stratum and to the products."""
    own = np.ascontiguousarray(rows[:, columns])
    np.add.at(sums.strata[:, : len(columns)], label, own * weights[:, None])
    sums.strata[:, len(columns) :] += basis.sums_by(label, len(sums.strata), weights)
    sums.crossed += basis.collect(own, weights)


def _add_rows(
    rows: FloatArray,
    columns: Labels,
    weights: FloatArray,
    label: Labels,
    basis: Basis,
    sums: ColumnSums,
) -> None:
    index, share = basis.index, basis.share
    compiled(rows, columns, weights, label, index, share, sums.strata, sums.crossed)


try:
    from paribus.scale._add import add_rows as compiled

    add_rows = _add_rows
except ImportError:
    add_rows = add_rows_reference


def add_column(sums: ColumnSums, recipe: Recipe, explained: Explained, block: Block) -> FloatArray:
    """Add rows to the sums of one column, and return how rare each is there."""
    x, weights = block.matrix[:, explained.position], block.weights
    label: Labels = block.strata[explained.set]
    basis = explained.basis(recipe.held[explained.position], x)
    add_rows(block.covariates, recipe.columns_of(explained), weights, label, basis, sums)
    sums.totals += sums_of(label, weights, len(sums.totals))
    sums.rows += np.bincount(label, minlength=len(sums.rows))
    diagonal, beside = basis.products(weights)
    sums.diagonal += diagonal
    sums.beside += beside
    if explained.knots is None:
        sums.points += sums_of(basis.index, weights, basis.size)
        sums.count += np.bincount(basis.index, minlength=basis.size)
    else:
        _add_numbers(sums, explained, x, basis, label, weights)
    return basis.highest(explained.rarity)


def _add_numbers(
    sums: ColumnSums,
    explained: Explained,
    x: FloatArray,
    basis: Basis,
    label: Labels,
    weights: FloatArray,
) -> None:
    """Add what only columns of numbers have."""
    knots: Any = explained.knots
    k = len(knots)
    gone = np.isnan(x)
    filled = np.where(gone, np.inf, x)
    spread(filled, label, sums.low, sums.high)
    near = np.minimum(nearest_knot(basis), k - 1)
    heavy = np.where(gone, 0.0, weights)
    none = np.zeros(len(x))
    add_hats(sides_of(k)[near].astype(np.int32), none, heavy, label, sums.sides)
    sums.points[:k] += sums_of(near, heavy, k)
    sums.count[:k] += np.bincount(near[~gone], minlength=k)
    if basis.size > k:
        sums.points[k] += weights[gone].sum()
        sums.count[k] += np.count_nonzero(gone)
    centred = np.where(gone, 0.0, x - explained.middle)
    sums.moments += heavy.sum(), heavy @ centred, heavy @ centred**2
    bins = hat_basis(x, bin_edges(knots)).index
    sums.histogram += np.bincount(bins[~gone], minlength=len(sums.histogram))


def add_block(sums: Sums, recipe: Recipe, block: Block, pool: Executor | None = None) -> FloatArray:
    """Add rows to all sums, columns side by side where there is a pool of threads.

    Returns how rare each row is, in the column where it is rarest.
    """

    def products() -> FloatArray:
        even = bool(np.all(block.weights == 1))
        sums.gram += weighted_gram(block.covariates, None if even else block.weights)
        return np.ones(len(block.weights))

    jobs: list[Callable[[], FloatArray]] = [products]
    for column, explained in zip(sums.columns, recipe.explained, strict=True):
        jobs.append(partial(add_column, column, recipe, explained, block))
    rarity = [job() for job in jobs] if pool is None else pool.map(lambda job: job(), jobs)
    sums.used += len(block.weights)
    return np.maximum.reduce(list(rarity))


def keep_rows(sums: Sums, recipe: Recipe, hashes: Hashes, block: Block, rarity: FloatArray) -> None:
    """Keep a few of the rows, drawn at random, to look at their errors; rare ones are likelier."""
    import pyarrow as pa

    again = lowered(mix(hashes), rarity)
    at = sums.kept.wanted(again)
    target = block.covariates[at, len(recipe.shared.owner)]
    values = [*block.matrix[at].T, target, block.weights[at], rarity[at]]
    names = [str(k) for k in range(len(values))]
    sums.kept.add(again[at], pa.table(dict(zip(names, map(pa.array, values), strict=True))))
