"""Interactions: the effect of a column times pieces of the columns that it differs with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from paribus.base.arrays import BLOCK, FloatArray, IntArray, Labels, Rows, dot, mean_and_scale
from paribus.estimate.basis import Hats, weighted_quantiles
from paribus.estimate.groups import in_groups
from paribus.estimate.hats import add_products, lay_products, value_products
from paribus.estimate.pieces import SAMPLE, ramps

# Quantiles between which an interaction may bend: when it is looked for, and when it is fitted.
COARSE = (0.02, 0.34, 0.66, 0.98)
FINE = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)
MANY, MANY_A_PIECE = 100, 3  # products: with more, sums are formed point by point
Lay: TypeAlias = Callable[[Rows, FloatArray], None]  # writes columns of some rows, (m, width)


@dataclass(frozen=True, slots=True)
class Interacted:
    """A column's own basis and, beside it, its products with pieces of others; see `Basis`."""

    own: Hats  # k columns
    functions: FloatArray  # (K, a): of the column, by their values at its points
    psi: FloatArray  # (n, b)
    pairs: Labels  # (P, 2): which of the functions is multiplied with which of psi

    @property
    def size(self) -> int:
        """The number of columns, K + P."""
        return self.own.size + len(self.pairs)

    def take(self, rows: Any) -> Interacted:
        """Return some of the rows."""
        return replace(self, own=self.own.take(rows), psi=self.psi[rows])

    def lay_beside(self, rows: Rows, out: FloatArray) -> None:
        """Write the products in some rows, shape (m, P)."""
        index, share = self.own.index, self.own.share
        lay_products(index, share, self.functions, self.psi, rows, self.pairs, out)

    def add_beside(self, rows: Rows, weights: FloatArray, group: Labels, sums: FloatArray) -> None:
        """Add the weighted products of some rows to `sums` (n_groups, P) of their groups."""
        own = self.own
        add_products(
            own.index, own.share, self.functions, self.psi, rows, self.pairs, weights, group, sums
        )

    @property
    def is_wide(self) -> bool:
        """Whether the products are so many that sums of pieces, point by point, are fewer."""
        return len(self.pairs) >= max(MANY, MANY_A_PIECE * self.psi.shape[1])

    def sums(self, weights: FloatArray, lay: Lay, width: int) -> tuple[FloatArray, FloatArray]:
        """Return the weighted products of the products, formed of sums at each point.

        A product is a function of the column times a piece, and the function follows from the
        point: of every two pieces, a sum a point is enough for all functions.

        Parameters
        ----------
        weights : float array of shape (n,)
        lay : callable
            Writes `width` further columns of some rows.
        width : int

        Returns
        -------
        float array of shape (P, width + P)
            With the further columns, and with each other.
        float array of shape (K, P)
            The own basis with them.
        """
        found = _at_points(self.own, self.psi, weights, lay, width)
        function, piece = self.pairs.T
        columns = np.tensordot(self.functions, found.columns, axes=(0, 0))[function, piece]
        own = found.same[:, 0, 1:][:, piece] * self.functions[:, function]
        beside = found.beside[:, 0, 1:][:, piece]
        own[:-1] += beside * self.functions[1:, function]
        own[1:] += beside * self.functions[:-1, function]
        return np.hstack([columns, found.products(self.functions, self.pairs)]), own

    def _products(self, rows: Rows) -> FloatArray:
        out = np.empty((len(rows), len(self.pairs)))
        self.lay_beside(rows, out)
        return out

    def dense(self) -> FloatArray:
        """Return all rows, shape (n, K + P)."""
        out = np.empty((len(self.psi), self.size))
        out[:, : self.own.size] = self.own.dense()
        self.lay_beside(np.arange(len(out)), out[:, self.own.size :])
        return out

    def times(self, values: FloatArray) -> FloatArray:
        """Return the sum of the columns with `values` (K + P,) or (K + P, c) in each row."""
        own = self.own
        out: FloatArray = own.times(values[: own.size])
        beside = values[own.size :]
        if values.ndim == 1:
            table = spread_out(beside, self.pairs, self.functions.shape[1], self.psi.shape[1])
            value_products(own.index, own.share, self.functions @ table, self.psi, out)
            return out
        for start in range(0, len(out), BLOCK):
            rows = np.arange(start, min(start + BLOCK, len(out)))
            out[rows[0] : rows[-1] + 1] += dot(self._products(rows), beside)
        return out


def spread_out(values: FloatArray, pairs: Labels, n_first: int, n_second: int) -> FloatArray:
    """Return the values (P,) of pairs (P, 2) as a table, 0 without a pair."""
    out = np.zeros((n_first, n_second))
    out[pairs[:, 0], pairs[:, 1]] = values
    return out


@dataclass(frozen=True, slots=True)
class _AtPoints:
    """Sums of products of pieces (b, and a one before them) at the K points of a column."""

    same: FloatArray  # (K, b + 1, b + 1): weighed by the square of a point's hat
    beside: FloatArray  # (K - 1, b + 1, b + 1): by the hats of a point and the next
    columns: FloatArray  # (K, b, width): of pieces and further columns, weighed by its hat

    def products(self, functions: FloatArray, pairs: Labels) -> FloatArray:
        """Return those of pairs of functions (K, a) and pieces, shape (P, P)."""
        function, piece = pairs.T
        near, far = functions[:-1], functions[1:]
        both = _each_with_each(near, far)
        squares, crossed = _each_with_each(functions, functions), both + both.swapaxes(1, 2)
        sums = np.tensordot(squares, self.same[:, 1:, 1:], axes=(0, 0))
        sums += np.tensordot(crossed, self.beside[:, 1:, 1:], axes=(0, 0))
        out: FloatArray = sums[function[:, None], function[None, :], piece[:, None], piece[None, :]]
        return out


def _each_with_each(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the products of the columns of two arrays (k, a), shape (k, a, a)."""
    return left[:, :, None] * right[:, None, :]


def _at_points(own: Hats, psi: FloatArray, weights: FloatArray, lay: Lay, width: int) -> _AtPoints:
    """Sum up products of pieces (n, b) with each other and with further columns, see `Lay`."""
    size, b = own.size, psi.shape[1] + 1
    same, beside = np.zeros((size, b, b)), np.zeros((size, b, b))
    columns = np.zeros((size, b, width))
    order, bounds = in_groups(own.index, size)
    for point in np.flatnonzero(np.diff(bounds)):
        for start in range(bounds[point], bounds[point + 1], BLOCK):
            rows = order[start : min(start + BLOCK, bounds[point + 1])]
            laid = np.ones((len(rows), b + width))
            laid[:, 1:b] = psi[rows]
            lay(rows, laid[:, b:])
            share, weight = own.share[rows, None], weights[rows, None]
            spilt = weight * share * laid[:, :b]
            sums = dot((weight * laid[:, :b] - spilt).T, laid)
            same[point] += sums[:, :b]
            columns[point] += sums[:, b:]
            if share.any():
                sums, crossed = dot(spilt.T, laid), dot(((1 - share) * spilt).T, laid[:, :b])
                same[point] -= crossed
                same[point + 1] += sums[:, :b] - crossed
                beside[point] += crossed
                columns[point + 1] += sums[:, b:]
    return _AtPoints(same, beside[:-1], columns[:, 1:])


def with_columns(own: Hats, columns: FloatArray) -> Interacted:
    """Return a column's own basis and further `columns` (n, P) as they are beside it."""
    at = np.arange(columns.shape[1], dtype=np.int32)
    return Interacted(own, np.ones((own.size, 1)), columns, np.column_stack([0 * at, at]))


def curve_functions(
    basis: Hats, x: FloatArray, weights: FloatArray, *quantiles: Sequence[float]
) -> list[FloatArray]:
    """Return a few functions of a number by their values at its knots, shape (k, a).

    The straight line in units of the standard deviation first; then ramps of x less their
    straight line, so that line and bends can have ridges of their own. They bend at `quantiles`:
    several sets of these give several sets of functions.
    """
    knots = basis.knots
    if knots is None:
        raise ValueError("a curve needs knots")
    mean, scale = mean_and_scale(x, weights)
    line = ((knots - mean) / scale)[:, None]
    straight = np.column_stack([np.ones(len(knots)), line])
    weighted = basis.totals(weights)[:, None] * straight
    seen = slice(None, None, max(1, len(x) // SAMPLE))
    places = weighted_quantiles(x[seen], weights[seen], np.concatenate(quantiles))
    out = []
    for some in np.split(places, np.cumsum([len(q) for q in quantiles])[:-1]):
        inner = knots if len(knots) <= len(some) else np.unique(some)
        bent = ramps(knots, inner)[:, 1:] if len(inner) > 2 else np.empty((len(knots), 0))
        slopes = np.linalg.lstsq(dot(weighted.T, straight), dot(weighted.T, bent), rcond=None)[0]
        out.append(np.hstack([line, bent - straight @ slopes]))
    return out


def level_functions(count: FloatArray) -> FloatArray:
    """Return the indicators of all levels but the commonest, `count` (K,), shape (K, K - 1)."""
    return np.delete(np.eye(len(count)), int(np.argmax(count)), axis=1)


def products_of(rows: FloatArray, psi: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Return every column of `rows` (n, a) times every one of `psi` (n, b), shape (n, a b).

    Ten times as fast where these and `out` are laid out column by column.
    """
    width = psi.shape[1]
    out = np.empty((len(rows), rows.shape[1] * width)) if out is None else out
    for a in range(rows.shape[1]):
        np.multiply(rows[:, a : a + 1], psi, out=out[:, a * width : (a + 1) * width])
    return out


def centred(psi: FloatArray, weights: FloatArray) -> FloatArray:
    """Return pieces (n, b) less their weighted means."""
    return psi - dot(weights, psi) / weights.sum()


@dataclass(frozen=True, slots=True)
class Interactions:
    """Products of functions of the explained column with pieces of moderators."""

    functions: FloatArray  # (K, a): by their values at the points of the explained column
    psi: FloatArray  # (n, b): pieces of the moderators, centred
    centre: FloatArray  # (b,): what was taken from them
    pairs: Labels  # (P, 2): which of the functions is multiplied with which piece
    owner: IntArray  # (P,): the block of each product: those of a block have one ridge

    def basis(self, own: Hats) -> Interacted:
        """Return the products beside the column's own basis."""
        return Interacted(own, self.functions, self.psi, self.pairs)

    def table(self, coefficients: FloatArray) -> FloatArray:
        """Return the coefficients (P,) of functions and pieces, 0 without a product, (a, b)."""
        return spread_out(coefficients, self.pairs, self.functions.shape[1], self.psi.shape[1])
