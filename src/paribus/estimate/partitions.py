"""Several partitions of the same rows, and rows with their strata's means removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray, Labels, Rows
from paribus.estimate.groups import (
    add_of_group,
    add_rows,
    in_groups,
    subtract_rows,
    sums_of,
)
from paribus.estimate.projecting import Projection, projection_of
from paribus.estimate.units import Units

LEAST_OTHERS = 0.1  # share of a stratum that other clusters have, to say where its mean would be
ROUNDING = 1e-9
MOST_PAIRS = 32  # of strata for every row, that are counted rather than sorted


@dataclass(frozen=True, slots=True)
class Walk:
    """Rows in the order of their strata: stratum k owns ``order[bounds[k]:bounds[k + 1]]``."""

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Partitions:
    """One or more partitions of n rows into strata."""

    labels: tuple[Labels, ...]  # (n,) each: the stratum of each row in each partition
    totals: tuple[FloatArray, ...]  # (n_strata,) each: the weight of each stratum
    units: Units  # the rows' weights, and what demeaning leaves of their errors
    # Further groups whose means are all taken out first, jointly.
    cells: tuple[Labels, ...] = ()  # (n,) each
    projection: Projection | None = None  # takes them out

    @property
    def weights(self) -> FloatArray:
        """How much each row weighs, shape (n,)."""
        return self.units.weights

    def only_first(self) -> Partitions:
        """Return the first partition alone."""
        (total,) = self.totals[:1]
        units = self.units
        return partitions_of(
            [self.labels[0]], [len(total)], units.weights, units.counts, units.cluster
        )

    def take(self, rows: Rows) -> Partitions:
        """Return some of the rows; strata that none of them has are gone."""
        labels = []
        for label, total in zip(self.labels, self.totals, strict=True):
            own = label[rows]
            met = np.bincount(own, minlength=len(total)) > 0
            labels.append((np.cumsum(met) - 1).astype(np.int32)[own])
        sizes = [int(label.max(initial=-1)) + 1 for label in labels]
        units = self.units.take(rows)
        cells = [cell[rows] for cell in self.cells]
        return partitions_of(labels, sizes, units.weights, units.counts, units.cluster, cells)

    def walk(self, k: int = 0) -> Walk:
        """Return the rows stratum by stratum, of partition k."""
        return Walk(*in_groups(self.labels[k], len(self.totals[k])))

    def means(self, columns: FloatArray, k: int = 0) -> FloatArray:
        """Return the means of `columns` (n, m) by stratum of partition k, shape (n_strata, m)."""
        sums = np.zeros((len(self.totals[k]), columns.shape[1]))
        add_rows(columns, self.weights, self.labels[k], sums)
        sums /= self.totals[k][:, None]
        return sums

    def demean(self, columns: FloatArray) -> FloatArray:
        """Return `columns` (n, m) less their stratum means, averaged over the partitions."""
        out = np.array(columns, order="C")
        self.demean_in_place(out)
        return out

    def demean_in_place(self, columns: FloatArray) -> None:
        """Do the same to the array itself, which must be laid out row by row."""
        self._take_cells_out(columns)
        self._take_strata_out(columns)

    def demean_back(self, columns: FloatArray) -> FloatArray:
        """Return the transpose of `demean` applied to `columns` (n, m)."""
        out = np.array(columns, order="C")
        self._take_strata_out(out)
        self._take_cells_out(out)
        return out

    def without_cluster(self, residual: FloatArray) -> FloatArray:
        """Return residuals (n,) from stratum means that a row's own cluster has no part in."""
        cluster = self.units.cluster
        if cluster is None:
            raise ValueError("rows belong to no cluster")
        parts = zip(self.labels, self.totals, strict=True)
        moved = [own_pull(residual, self.weights, cluster, a, total[a]) for a, total in parts]
        return residual + np.mean(moved, axis=0)

    def _take_cells_out(self, columns: FloatArray) -> None:
        if self.projection is not None:
            self.projection.take_out(columns, self.weights)

    def _take_strata_out(self, columns: FloatArray) -> None:
        means = [self.means(columns, k) for k in range(len(self.labels))]
        for label, mean in zip(self.labels, means, strict=True):
            subtract_rows(columns, label, mean, 1 / len(self.labels))


def partitions_of(
    labels: list[Labels],
    n_strata: list[int],
    weights: FloatArray,
    counts: FloatArray | None = None,
    cluster: Labels | None = None,
    cells: Sequence[Labels] = (),
) -> Partitions:
    """Prepare partitions given by stratum numbers; every stratum must have a row.

    Parameters
    ----------
    labels : list of int32 arrays of shape (n,)
    n_strata : list of int
    weights : float array of shape (n,)
        How much each row weighs.
    counts : float array of shape (n,), optional
        How many rows of their own errors each stands for; one by default.
    cluster : int32 array of shape (n,), optional
    cells : sequence of int32 arrays of shape (n,)
        Further groups, see `Partitions`.

    Examples
    --------
    >>> halves = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> strata = partitions_of([halves], [2], np.ones(4))
    >>> strata.demean(np.array([[1.0], [3.0], [5.0], [5.0]])).ravel().tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    ones = weights if np.all(weights == 1) else np.ones(len(weights))
    counts = ones if counts is None else counts
    totals = [sums_of(a, weights, size) for a, size in zip(labels, n_strata, strict=True)]
    left = _one_minus_leverage(labels, totals, weights, counts)
    for cell in cells:
        # To first order what cells take comes on top of what strata take.
        size = int(cell.max(initial=-1)) + 1
        left = left - (weights / counts) / sums_of(cell, weights, size)[cell]
    units = Units(
        weights=weights,
        counts=counts,
        one_minus_leverage=np.maximum(left, 0.0),
        sampling_weight=ones,
        cluster=cluster,
        nested=cluster is not None and _is_nested(labels[0], n_strata[0], cluster),
    )
    projection = projection_of(cells, weights) if len(cells) else None
    return Partitions(tuple(labels), tuple(totals), units, tuple(cells), projection)


def own_pull(
    residual: FloatArray,
    weights: FloatArray,
    cluster: Labels,
    label: IntArray | Labels,
    total: FloatArray,
) -> FloatArray:
    """Return by how much rows' own clusters pull their stratum means towards themselves, (n,).

    Of a stratum that weighs ``W`` (`total`, of each row), a cluster's rows with ``W_g`` and
    residuals ``e`` move the mean of the others by ``sum_g w e / (W - W_g)``. Where a cluster has a
    stratum to itself there are no others, and nothing is moved.

    Examples
    --------
    >>> label, cluster = np.zeros(4, np.int32), np.array([0, 0, 1, 2], np.int32)
    >>> residual = np.array([3.0, 1.0, -2.0, -2.0])  # of means without them: 5, 3, -8/3, -8/3
    >>> own_pull(residual, np.ones(4), cluster, label, np.full(4, 4.0)).round(2).tolist()
    [2.0, 2.0, -0.67, -0.67]
    """
    pair = label.astype(np.int64) * (int(cluster.max()) + 1) + cluster
    own = np.unique(pair, return_inverse=True)[1]
    rest = total - np.bincount(own, weights)[own]
    moved = np.bincount(own, weights * residual)[own] / np.maximum(rest, LEAST_OTHERS * total)
    return np.where(rest > ROUNDING * total, moved, 0.0)


def _one_minus_leverage(
    labels: list[Labels], totals: list[FloatArray], weights: FloatArray, counts: FloatArray
) -> FloatArray:
    """Return the share of each row's error variance that demeaning leaves, shape (n,).

    With A the averaging of stratum means over the R partitions, that is the diagonal of
    ``(I - A)(I - A)'``: ``1 - 2 a_ii + sum_j a_ij^2``. Two partitions have in the last sum what a
    row's two strata have in common.
    """
    even = weights is counts or np.array_equal(
        weights, counts
    )  # no row weighs more than it stands for rows
    squares = weights if even else weights**2 / counts
    size = len(labels)
    parts = list(zip(labels, totals, strict=True))
    out = np.ones(len(weights))
    for a, (label, total) in enumerate(parts):
        square = total if even else sums_of(label, squares, len(total))
        shared, own = square / (size * total) ** 2, 2 / (size * total)
        add_of_group(shared, label, out)
        if even:
            add_of_group(-own, label, out)
        else:
            out -= weights / counts * own[label]
        for other, other_total in parts[:a]:
            common = _in_common(label, other, squares, (len(total), len(other_total)))
            out += 2 * common / (size**2 * total[label] * other_total[other])
    return out


def _in_common(
    label: Labels, other: Labels, values: FloatArray, sizes: tuple[int, int]
) -> FloatArray:
    """Return the sum of `values` over the rows that share both strata with a row, shape (n,)."""
    pair = label.astype(np.int64) * sizes[1] + other
    if sizes[0] * sizes[1] > MOST_PAIRS * len(label):
        pair = np.unique(pair, return_inverse=True)[1]
    return np.asarray(np.bincount(pair, values)[pair])


def _is_nested(label: Labels, n_strata: int, cluster: Labels) -> bool:
    """Tell whether every stratum lies inside one cluster."""
    first = np.full(n_strata, -1, dtype=cluster.dtype)
    first[label] = cluster
    return bool(np.all(first[label] == cluster))
