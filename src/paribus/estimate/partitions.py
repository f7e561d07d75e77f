"""Several partitions of the same rows, and rows freed of their strata's means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray
from paribus.estimate.groups import Labels, add_rows, in_groups, subtract_rows, sums_of


@dataclass(frozen=True, slots=True)
class Walk:
    """Rows in the order of their strata: stratum k owns ``order[bounds[k]:bounds[k + 1]]``."""

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Partitions:
    """One or more partitions of n rows into strata.

    Attributes
    ----------
    labels : tuple of int32 arrays of shape (n,)
        The stratum of each row in each partition.
    totals : tuple of float arrays of shape (n_strata,)
        The weight of each stratum.
    weights : float array of shape (n,)
        How often each row counts.
    left : float array of shape (n,)
        Share of a row's error variance that demeaning leaves in its residual.
    repeated : bool
        Whether weights are whole numbers, each row standing for so many rows of their own errors.
        Otherwise a row has one error however much it weighs.
    """

    labels: tuple[Labels, ...]
    totals: tuple[FloatArray, ...]
    weights: FloatArray
    left: FloatArray
    repeated: bool = True

    @property
    def error_weights(self) -> FloatArray:
        """How much each row's error variance counts in a sum of weighted errors, shape (n,)."""
        return self.weights if self.repeated else self.weights**2

    def only_first(self) -> Partitions:
        """Return the first partition alone."""
        left = 1 - 1 / self.totals[0][self.labels[0]]
        return Partitions(self.labels[:1], self.totals[:1], self.weights, left, self.repeated)

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
        means = [self.means(columns, k) for k in range(len(self.labels))]
        for label, mean in zip(self.labels, means, strict=True):
            subtract_rows(columns, label, mean, 1 / len(self.labels))


def partitions_of(labels: list[Labels], n_strata: list[int], weights: FloatArray) -> Partitions:
    """Prepare partitions given by stratum numbers; every stratum must have a row.

    Examples
    --------
    >>> halves = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> strata = partitions_of([halves], [2], np.ones(4))
    >>> strata.demean(np.array([[1.0], [3.0], [5.0], [5.0]])).ravel().tolist()
    [-1.0, 1.0, 0.0, 0.0]
    """
    totals = [sums_of(a, weights, size) for a, size in zip(labels, n_strata, strict=True)]
    shares = [1 / total[label] for label, total in zip(labels, totals, strict=True)]
    left = 1 - shares[0]
    if len(labels) > 1:
        left = 1 - 2 * np.mean(shares, axis=0) + _squared_share(labels, shares, weights)
    repeated = bool(np.all(weights == np.floor(weights)))
    return Partitions(tuple(labels), tuple(totals), weights, left, repeated)


def _squared_share(
    labels: list[Labels], shares: list[FloatArray], weights: FloatArray
) -> FloatArray:
    """Return the diagonal of the squared averaging operator, shape (n,).

    For each pair of partitions that is how much a row's two strata have in common.
    """
    total = np.sum(shares, axis=0)
    for a in range(len(labels)):
        for b in range(a):
            pair = labels[a].astype(np.int64) * (int(labels[b].max()) + 1) + labels[b]
            _, index = np.unique(pair, return_inverse=True)
            common = np.bincount(index, weights)[index]
            total += 2 * common * shares[a] * shares[b]
    out: FloatArray = total / len(labels) ** 2
    return out
