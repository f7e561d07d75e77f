"""The sums that rows are reduced to once strata are fixed.

Everything the estimate needs of the rows is a product of basis, covariates and target, summed over
the rows, and the same sums by stratum: products inside the strata are the former less what the
latter give. All are measured from the sample's means, so that the difference keeps its precision.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from operator import add
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, Hashes, IntArray, Labels, lacks
from paribus.base.compiled import compiled
from paribus.estimate.basis import Hats, hat_basis
from paribus.estimate.groups import spread, sums_of, weighted_gram
from paribus.estimate.hats import add_hats, add_hats_reference, collect_hats_reference
from paribus.pipeline.diagnostics import n_sides, nearest_knot, sides_of
from paribus.results import bin_edges
from paribus.scale.reservoir import Kept, lowered
from paribus.scale.row_transform import KEPT_ROWS, Explained, RowTransform
from paribus.scale.survey import added
from paribus.strata.rows import mix


@dataclass(slots=True)
class ColumnSums:
    """Sums for one explained column.

    K points or levels; d covariates, the target among them; L strata.
    """

    strata: FloatArray  # (L, d + K): sums by stratum of covariates, target and basis
    # Weight of each stratum, and sum of squared weights.
    totals: FloatArray  # (L,)
    squares: FloatArray  # (L,)
    # Rows of each stratum, and how many they stand for.
    rows: FloatArray  # (L,)
    counted: FloatArray  # (L,)
    # Extremes of a column of numbers in each stratum.
    low: FloatArray  # (L,)
    high: FloatArray  # (L,)
    # Products of the covariates over rows that are not used because the column, or one that is
    # held still, is missing.
    missing: FloatArray  # (d, d) or (0, 0)
    n_missing: FloatArray  # (1,): how many rows have no value of the column
    # Rows of each stratum between the midpoints across which comparisons are counted.
    sides: FloatArray  # (L, S)
    crossed: FloatArray  # (K, d): products of the basis with covariates and target
    # Products of the basis with itself: columns overlap only with the next one.
    diagonal: FloatArray  # (K,)
    beside: FloatArray  # (K - 1,)
    points: FloatArray  # (K,): rows nearest to each point, or of each level
    count: FloatArray  # (K,): the same without weights
    # Weight of the present values, their sum and sum of squares about the sample's mean.
    moments: FloatArray  # (3,)
    histogram: FloatArray  # (n_bins,)

    def __add__(self, other: ColumnSums) -> ColumnSums:
        joined = added(self, other)
        joined["low"] = np.minimum(self.low, other.low)
        joined["high"] = np.maximum(self.high, other.high)
        return ColumnSums(**joined)


@dataclass(slots=True)
class Sums:
    """Sums of a part of the rows, or of all of them."""

    columns: tuple[ColumnSums, ...]
    gram: FloatArray  # (width, width): products of all covariates and the target
    kept: Kept  # a few rows, that show how the errors spread
    parts: dict[int, int] = field(default_factory=dict)  # rows of each part, all of them
    # As in `Survey`.
    names: dict[int, str] = field(default_factory=dict)
    # What became of the rows.
    sampled: int = 0
    missing_target: int = 0
    zero_weight: int = 0
    used: int = 0
    checksum: int = 0  # of the hashes of the rows that are in the sample
    problems: dict[int, str] = field(default_factory=dict)

    def __add__(self, other: Sums) -> Sums:
        joined = added(self, other)
        joined["columns"] = tuple(map(add, self.columns, other.columns))
        joined["checksum"] %= 2**64
        return Sums(**joined)


def no_rows(transform: RowTransform) -> Sums:
    """Return the sums of no rows."""
    return Sums(
        columns=tuple(_no_rows(transform, e) for e in transform.explained),
        gram=np.zeros((transform.width, transform.width)),
        kept=Kept(KEPT_ROWS, KEPT_ROWS),
    )


def _no_rows(transform: RowTransform, explained: Explained) -> ColumnSums:
    size, d = explained.size, len(explained.columns)
    n_strata = transform.strata.size(explained.position)
    n_ends = n_between = n_bins = 0  # of a category
    if explained.knots is not None:
        n_ends, n_between = n_strata, n_sides(len(explained.knots))
        n_bins = len(bin_edges(explained.knots)) - 1
    return ColumnSums(
        strata=np.zeros((n_strata, d + size)),
        totals=np.zeros(n_strata),
        squares=np.zeros(n_strata),
        rows=np.zeros(n_strata),
        counted=np.zeros(n_strata),
        low=np.full(n_ends, np.inf),
        high=np.full(n_ends, -np.inf),
        missing=np.zeros((d, d) if explained.needs else (0, 0)),
        n_missing=np.zeros(1),
        sides=np.zeros((n_strata, n_between)),
        crossed=np.zeros((size, d)),
        diagonal=np.zeros(size),
        beside=np.zeros(max(size - 1, 0)),
        points=np.zeros(size),
        count=np.zeros(size),
        moments=np.zeros(3),
        histogram=np.zeros(n_bins),
    )


@dataclass(frozen=True, slots=True)
class Block:
    """Rows ready to be summed."""

    matrix: FloatArray  # (n, p): the held columns
    covariates: FloatArray  # (n, width): all covariates and the target
    weights: FloatArray  # (n,)
    counts: FloatArray  # (n,)
    strata: IntArray  # (n_sets, n)
    cluster: FloatArray | None  # (n,): a number for each row's, where they come in clusters

    def take(self, rows: Any) -> Block:
        """Return some of the rows."""
        return Block(
            self.matrix[rows],
            self.covariates[rows],
            self.weights[rows],
            self.counts[rows],
            self.strata[:, rows],
            None if self.cluster is None else self.cluster[rows],
        )


def add_rows_reference(
    rows: FloatArray,
    columns: Labels,
    weights: FloatArray,
    label: Labels,
    index: Labels,
    share: FloatArray,
    strata: FloatArray,
    crossed: FloatArray,
) -> None:
    """Add weighted rows (n, d) and their basis to the sums by stratum and to the products."""
    own = np.ascontiguousarray(rows[:, columns])
    np.add.at(strata[:, : len(columns)], label, own * weights[:, None])
    add_hats_reference(index, share, weights, label, strata[:, len(columns) :])
    collect_hats_reference(index, share, weights, own, crossed)


add_rows = compiled("scale._add", add_rows_reference)


def add_column(sums: ColumnSums, explained: Explained, block: Block) -> FloatArray:
    """Add rows to the sums of one column, and return how rare each is there."""
    if not explained.needs:
        return _add_present(sums, explained, block)
    missing = lacks(block.matrix, explained.needs)
    rarity = np.full(len(missing), explained.rarity.max(initial=1.0))
    if not missing.all():
        rarity[~missing] = _add_present(sums, explained, block.take(~missing))
    without = block.covariates[missing][:, explained.columns]
    sums.missing += weighted_gram(without, block.weights[missing])
    sums.n_missing += np.count_nonzero(np.isnan(block.matrix[:, explained.position]))
    return rarity


def _add_present(sums: ColumnSums, explained: Explained, block: Block) -> FloatArray:
    """Add rows that have a value of the column."""
    x, weights = block.matrix[:, explained.position], block.weights
    label: Labels = np.ascontiguousarray(block.strata[explained.strata])
    basis = explained.basis(np.ascontiguousarray(x))
    add_rows(
        block.covariates, explained.columns, weights, label, basis.index, basis.share,
        sums.strata, sums.crossed,
    )  # fmt: skip
    sums.totals += sums_of(label, weights, len(sums.totals))
    sums.squares += sums_of(label, weights**2 / block.counts, len(sums.totals))
    sums.rows += np.bincount(label, minlength=len(sums.rows))
    sums.counted += sums_of(label, block.counts, len(sums.rows))
    diagonal, beside = basis.products(weights)
    sums.diagonal += diagonal
    sums.beside += beside
    if explained.knots is None:
        sums.points += sums_of(basis.index, weights, basis.size)
        sums.count += np.bincount(basis.index, minlength=basis.size)
    else:
        _add_numbers(sums, explained.knots, x - explained.middle, basis, block, label)
    return basis.highest(explained.rarity)


def _add_numbers(
    sums: ColumnSums,
    knots: FloatArray,
    centred: FloatArray,
    basis: Hats,
    block: Block,
    label: Labels,
) -> None:
    """Add the sums that only columns of numbers have."""
    weights, k = block.weights, len(knots)
    spread(centred, label, sums.low, sums.high)
    near = np.minimum(nearest_knot(basis), k - 1)
    none = np.zeros(len(centred))
    add_hats(sides_of(k)[near].astype(np.int32), none, weights, label, sums.sides)
    sums.points += sums_of(near, weights, k)
    sums.count += np.bincount(near, minlength=k)
    sums.moments += weights.sum(), weights @ centred, weights @ centred**2
    at = basis.times(knots)  # the row's value, at most that of the last knot
    bins = hat_basis(at, bin_edges(knots)).index
    sums.histogram += np.bincount(bins, minlength=len(sums.histogram))


def add_block(
    sums: Sums, transform: RowTransform, block: Block, pool: Executor | None = None
) -> FloatArray:
    """Add rows to all sums, columns in parallel if there is a pool of threads.

    Returns how rare each row is in the column where it is rarest.
    """

    def products() -> FloatArray:
        even = bool(np.all(block.weights == 1))
        sums.gram += weighted_gram(block.covariates, None if even else block.weights)
        return np.ones(len(block.weights))

    jobs: list[Callable[[], FloatArray]] = [products]
    for column, explained in zip(sums.columns, transform.explained, strict=True):
        jobs.append(partial(add_column, column, explained, block))
    rarity = [job() for job in jobs] if pool is None else pool.map(lambda job: job(), jobs)
    sums.used += len(block.weights)
    return np.maximum.reduce(list(rarity))


def keep_rows(sums: Sums, hashes: Hashes, block: Block, rarity: FloatArray) -> None:
    """Keep a random sample of rows to estimate errors; rare ones are more likely to be kept.

    So are rows with an extreme target, which may dominate the errors. Clusters are kept whole.
    """
    import pyarrow as pa

    if block.cluster is None:
        rarity = np.maximum(rarity, block.covariates[:, -1] ** 2)
    else:
        rarity = np.ones(len(rarity))
    again = lowered(mix(hashes), rarity)
    at = sums.kept.wanted(again)
    block = block.take(at)
    unit = np.zeros(len(at)) if block.cluster is None else block.cluster
    target = block.covariates[:, -1]
    values = [*block.matrix.T, target, block.weights, block.counts, unit, rarity[at]]
    names = [str(k) for k in range(len(values))]
    sums.kept.add(again[at], pa.table(dict(zip(names, map(pa.array, values), strict=True))))
