"""Removing the means of several sets of groups from rows, all of them jointly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from paribus.base.arrays import FloatArray, Labels
from paribus.estimate.groups import add_rows, subtract_rows, sums_of

MOST_GROUPS = 1500  # whose means are solved for at once
RIDGE = 1e-10  # of a group's rows: sets share their mean
MOST_SWEEPS, SWEPT = 15, 1e-4  # over sets of very many, and the relative change that ends them


@dataclass(frozen=True, slots=True)
class Projection:
    """Rows projected off the indicators of all groups."""

    # The group of each row in each set, numbered through all sets.
    groups: tuple[Labels, ...]  # (n,) each
    totals: FloatArray  # (m,): the weight of each group
    # The Cholesky factor of the products of all indicators; None where these are very many.
    factor: FloatArray | None  # (m, m)

    def take_out(self, columns: FloatArray, weights: FloatArray) -> None:
        """Take the means out of `columns` (n, d), an array laid out row by row, in place.

        Those of all sets at once or, where groups are very many, each set's in turn until nothing
        changes.
        """
        if self.factor is not None:
            sums = self._sums(columns, weights, self.groups)
            self._subtract(columns, linalg.cho_solve((self.factor, True), sums), self.groups)
            return
        size = np.abs(columns).max(axis=0, initial=0.0) + 1e-300
        for _ in range(MOST_SWEEPS):
            change = np.zeros(columns.shape[1])
            for group in self.groups:
                means = self._sums(columns, weights, [group]) / self.totals[:, None]
                self._subtract(columns, means, [group])
                change = np.maximum(change, np.abs(means).max(axis=0))
            if np.all(change <= SWEPT * size):
                return

    def _sums(
        self, columns: FloatArray, weights: FloatArray, groups: Sequence[Labels]
    ) -> FloatArray:
        sums = np.zeros((len(self.totals), columns.shape[1]))
        for group in groups:
            add_rows(columns, weights, group, sums)
        return sums

    def _subtract(self, columns: FloatArray, means: FloatArray, groups: Sequence[Labels]) -> None:
        for group in groups:
            subtract_rows(columns, group, np.ascontiguousarray(means), 1.0)


def projection_of(sets: Sequence[Labels], weights: FloatArray) -> Projection:
    """Prepare sets of groups, each numbered from 0, of rows with `weights` (n,).

    Examples
    --------
    >>> rows, columns = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int32)
    >>> table = np.array([[1.0], [2.0], [5.0], [6.0]])
    >>> projection_of([rows, columns], np.ones(4)).take_out(table, np.ones(4))
    >>> bool(np.abs(table).max() < 1e-8)
    True
    """
    starts = np.cumsum([0, *(int(group.max(initial=-1)) + 1 for group in sets)])
    size = int(starts[-1])
    groups = tuple(
        (group + start).astype(np.int32) for group, start in zip(sets, starts[:-1], strict=True)
    )
    totals = np.maximum(np.sum([sums_of(group, weights, size) for group in groups], axis=0), 1e-300)
    if size > MOST_GROUPS:
        return Projection(groups, totals, None)
    products = np.diag(totals * (1 + RIDGE))
    for k, group in enumerate(groups):
        for other in groups[:k]:
            both = group.astype(np.int64) * size + other
            products += sums_of(both, weights, size**2).reshape(size, size)
    return Projection(groups, totals, linalg.cholesky(products, lower=True))
