"""Rows prepared for the search: what single columns do, and products of their functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from typing import TypeAlias

import numpy as np
from scipy import linalg

from paribus.base.arrays import BoolArray, FloatArray, IntArray, dot
from paribus.estimate.covariance import RowScores, error_df
from paribus.estimate.interactions import centred, products_of
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other

Columns: TypeAlias = tuple[int, ...]  # the places of columns that act together, two or three

RIDGE, EMPTY = 1e-9, 1e-12  # of a function's square; of the largest square
MOST_PRODUCTS = 64  # of two columns; of categories with many levels the commonest are taken
MOST_IN_TRIPLES = 3  # levels of a category
FEWEST_ROWS = 15.0  # that a product must rest on
# Of a product's square what nothing else gives, for it to say something new; what is rounding.
NEW, NOTHING = 0.01, 1e-6
MOST_OWN = 0.25  # of the rows: functions of single columns


@dataclass(frozen=True, slots=True)
class ActingRows:
    """A table ready for the search. All rows are demeaned, and times the root of their weight."""

    own: FloatArray  # (m, q): functions of single columns
    owner: IntArray  # (q,): the column that each is made from
    gram: FloatArray  # (q, q): their products
    # A few functions of each column to make products of, a number's line first; centred only.
    few: Sequence[FloatArray]  # (m, b) each
    finer: Sequence[FloatArray]  # more of each number, (m, d) each
    is_number: Sequence[bool]
    # Fewer still, for products of three columns: line and bend, or the commonest levels.
    simple: Sequence[FloatArray]  # (m, c) each
    target: FloatArray  # (m,): in standard deviations
    strata: Partitions  # the units within which rows are compared, or one stratum for all
    conf_level: float

    def products(self, columns: Columns) -> FloatArray:
        """Return the products of some columns' functions, shape (m, t)."""
        return self._products(columns, self.few if len(columns) == 2 else self.simple)

    def finer_products(self, pair: Columns) -> FloatArray:
        """Return the products of more functions of two columns, shape (m, t)."""
        return self._products(pair, self.finer)

    def _products(self, columns: Columns, functions: Sequence[FloatArray]) -> FloatArray:
        parts = [functions[k] for k in columns]
        while len(parts) == 2 and parts[0].shape[1] * parts[1].shape[1] > MOST_PRODUCTS:
            widest = int(parts[1].shape[1] > parts[0].shape[1])
            parts[widest] = parts[widest][:, : parts[widest].shape[1] // 2]
        return _rooted(reduce(products_of, parts), self.strata)

    def lower(self, columns: Columns) -> FloatArray:
        """Return the functions of fewer of some columns: single ones, and pairs of three."""
        single = self.own[:, np.isin(self.owner, columns)]
        pairs = [self.products(pair) for pair in combinations(columns, 2)]
        return single if len(columns) == 2 else np.hstack([single, *pairs])

    def pure(self, columns: Columns, products: FloatArray) -> FloatArray:
        """Return products (m, t) less what fewer of their columns do."""
        lower = self.lower(columns)
        mine = np.flatnonzero(np.isin(self.owner, columns))
        gram = self.gram[np.ix_(mine, mine)] if len(columns) == 2 else dot(lower.T, lower)
        out: FloatArray = products - lower @ solve(gram, dot(lower.T, products))
        return out

    def share_left(self, columns: Columns) -> float:
        """Return the share of products' freedom that units and single columns leave them."""
        units = self.strata.units
        taken = np.count_nonzero(np.isin(self.owner, columns))
        return max(units.n_left - taken, 1.0) / units.n_rows

    def covariance(self, scores: FloatArray, residual: FloatArray, n_used: float) -> FloatArray:
        """Return the covariance of ``scores.T @ residual``, shape (t, t)."""
        units, root = self.strata.units, np.sqrt(self.strata.weights)
        rows = RowScores(np.arange(len(root)), scores, replace(units, weights=root))
        left, n = residual / root, units.n_left
        if units.cluster is None:
            return rows.by_row(n / max(n - n_used, n / 10) * left**2)
        return rows.by_cluster(left, n - n_used)

    def df(self, n_used: float) -> float:
        """Return how many rows or clusters a covariance rests on."""
        units = self.strata.units
        return error_df(units, units.n_left - n_used)


def lay_out(
    columns: Mapping[str, Other], y: FloatArray, strata: Partitions, conf_level: float
) -> ActingRows:
    """Lay columns (m,) and a target (m,), in standard deviations, out for the search."""
    weights = strata.weights
    most = max(int(MOST_OWN * strata.units.n_rows / max(len(columns), 1)), 2)
    own, owner = [], []
    few, finer, simple = [], [], []
    for place, other in enumerate(columns.values()):
        pieces, values = other.pieces, other.values
        coarse, standard, mine = pieces.coarse(values), pieces.standard(values), pieces.fine(values)
        fine = coarse
        if other.is_number:
            line = pieces.line(values)
            # With the line itself, one of the ramps says nothing new.
            spare = slice(1, line.shape[1] + 1)
            fine = np.hstack([line, np.delete(mine, spare, axis=1)])
            mine = np.hstack([line, coarse, mine])
            coarse = np.hstack([line, np.delete(coarse, spare, axis=1)])
            standard = np.hstack([standard, np.abs(standard)])
        own.append(mine[:, :most])
        owner += [place] * own[-1].shape[1]
        few.append(centred(coarse, weights))
        finer.append(centred(fine, weights))
        simple.append(centred(standard[:, :MOST_IN_TRIPLES], weights))
    together = _rooted(np.hstack(own), strata)
    return ActingRows(
        own=together,
        owner=np.array(owner),
        gram=dot(together.T, together),
        few=few,
        finer=finer,
        is_number=[other.is_number for other in columns.values()],
        simple=simple,
        target=_rooted(y[:, None], strata)[:, 0],
        strata=strata,
        conf_level=conf_level,
    )


def _rooted(columns: FloatArray, strata: Partitions) -> FloatArray:
    out = strata.demean(columns)
    out *= np.sqrt(strata.weights)[:, None]
    return out


def rests_on(columns: FloatArray, counts: FloatArray) -> FloatArray:
    """Return how many rows each of some columns (m, t) rests on, shape (t,).

    Rows stand for `counts` (m,) equal ones, and the columns are times the root of that.

    Examples
    --------
    >>> rests_on(np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 3.0]]), np.ones(3)).tolist()
    [3.0, 1.0]
    """
    square = columns**2
    return np.sum(square, axis=0) ** 2 / np.maximum((1 / counts) @ square**2, 1e-300)


def beyond(freed: FloatArray, pure: FloatArray, products: FloatArray) -> BoolArray:
    """Return which of some products (m, t) say something that nothing else in a fit does, (t,).

    `pure` are the products less what fewer of their columns do, `freed` less all else that is in
    the fit. Each product also stands beside those before it.

    Examples
    --------
    >>> line = np.linspace(-1, 1, 5)[:, None]
    >>> three = np.hstack([line, line, line])
    >>> beyond(np.hstack([line, 2 * line, 1e-9 * line**2]), three, three).tolist()
    [True, False, False]
    """
    (left,) = linalg.qr(freed, mode="r")
    square = np.zeros(freed.shape[1])
    square[: len(left)] = np.diag(left) ** 2
    of_pure, of_all = (np.sum(part**2, axis=0) for part in (pure, products))
    out: BoolArray = square > np.maximum(NEW * of_pure, NOTHING * of_all)
    return out


def solve(gram: FloatArray, right: FloatArray) -> FloatArray:
    """Solve normal equations, a trace of ridge added: equal or empty functions do no harm."""
    size = np.diag(gram)
    seen = size > EMPTY * float(size.max(initial=0.0))
    scale = np.where(seen, 1 / np.sqrt(np.where(seen, size, 1.0)), 0.0)
    scaled = gram * np.outer(scale, scale) + np.diag(np.where(seen, RIDGE, 1.0))
    out: FloatArray = scale[:, None] * linalg.solve(
        scaled, (scale * right.T).T.reshape(len(scale), -1), assume_a="pos"
    )
    return out.reshape(right.shape)
