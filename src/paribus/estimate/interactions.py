"""Interactions: the effect of a column times pieces of the columns that it differs with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import BLOCK, FloatArray, IntArray, Labels
from paribus.estimate.basis import Hats, weighted_quantiles
from paribus.estimate.groups import add_rows, weighted_gram
from paribus.estimate.pieces import ramps

# Quantiles between which an interaction may bend: when it is looked for, and when it is fitted.
COARSE = (0.02, 0.34, 0.66, 0.98)
FINE = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)


@dataclass(frozen=True, slots=True)
class Interacted:
    """A column's own basis and, beside it, its products with pieces of others; see `Basis`.

    Attributes
    ----------
    own : Hats
        K columns.
    products : float array of shape (n, P)
    """

    own: Hats
    products: FloatArray

    @property
    def size(self) -> int:
        """The number of columns, K + P."""
        return self.own.size + self.products.shape[1]

    def take(self, rows: Any) -> Interacted:
        """Return some of the rows."""
        return Interacted(self.own.take(rows), np.ascontiguousarray(self.products[rows]))

    def dense(self) -> FloatArray:
        """Return all rows, shape (n, K + P)."""
        return np.hstack([self.own.dense(), self.products])

    def times(self, values: FloatArray) -> FloatArray:
        """Return the sum of the columns with `values` (K + P,) in each row, shape (n,)."""
        out: FloatArray = self.own.times(values[: self.own.size])
        return out + self.products @ values[self.own.size :]

    def gram(self, weights: FloatArray) -> FloatArray:
        """Return the weighted products of the columns, shape (K + P, K + P)."""
        crossed = self.own.collect(self.products, weights)
        inner = weighted_gram(self.products, weights)
        return np.block([[self.own.gram(weights), crossed], [crossed.T, inner]])

    def collect(self, rows: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the columns' products with weighted `rows` (n, m), shape (K + P, m)."""
        inner = self.products.T @ (weights[:, None] * rows)
        return np.vstack([self.own.collect(rows, weights), inner])

    def sums_by(self, group: Labels, n_groups: int, weights: FloatArray) -> FloatArray:
        """Return the weighted sums of the columns by group, shape (n_groups, K + P)."""
        inner = np.zeros((n_groups, self.products.shape[1]))
        add_rows(self.products, weights, group, inner)
        return np.hstack([self.own.sums_by(group, n_groups, weights), inner])

    def bends(self) -> FloatArray:
        """Return the changes of slope of the column's own curve."""
        own = self.own.bends()
        return np.hstack([own, np.zeros((len(own), self.products.shape[1]))])


def curve_functions(
    basis: Hats, x: FloatArray, weights: FloatArray, quantiles: Sequence[float]
) -> FloatArray:
    """Return a few functions of a number by their values at its knots, shape (k, a).

    The straight line in units of the standard deviation first; then ramps of x less their
    straight line, so that line and bends can have ridges of their own.
    """
    knots = basis.knots
    if knots is None:
        raise ValueError("a curve needs knots")
    mean = np.average(x, weights=weights)
    scale = float(np.sqrt(np.average((x - mean) ** 2, weights=weights))) or 1.0
    line = ((knots - mean) / scale)[:, None]
    if len(knots) <= len(quantiles):
        inner = knots
    else:
        inner = np.unique(weighted_quantiles(x, weights, np.array(quantiles)))
    if len(inner) < 3:
        return line
    bent = ramps(knots, inner)[:, 1:]
    straight = np.column_stack([np.ones(len(knots)), line])
    weighted = basis.totals(weights)[:, None] * straight
    slopes = np.linalg.solve(weighted.T @ straight, weighted.T @ bent)
    return np.hstack([line, bent - straight @ slopes])


def level_functions(count: FloatArray) -> FloatArray:
    """Return the indicators of all levels but the commonest, `count` (K,), shape (K, K - 1)."""
    return np.delete(np.eye(len(count)), int(np.argmax(count)), axis=1)


def products_of(rows: FloatArray, psi: FloatArray) -> FloatArray:
    """Return every column of `rows` (n, a) times every one of `psi` (n, b), shape (n, a b)."""
    width = psi.shape[1]
    out = np.empty((len(rows), rows.shape[1] * width))
    for a in range(rows.shape[1]):
        np.multiply(rows[:, a : a + 1], psi, out=out[:, a * width : (a + 1) * width])
    return out


def centred(psi: FloatArray, weights: FloatArray) -> FloatArray:
    """Return pieces (n, b) less their weighted means."""
    return psi - weights @ psi / weights.sum()


@dataclass(frozen=True, slots=True)
class Block:
    """Products of some functions of the explained column with pieces of a moderator; one ridge.

    Attributes
    ----------
    functions : float array of shape (K, a)
        By their values at the points of the explained column.
    psi : float array of shape (n, b)
        Pieces of the moderator, centred.
    """

    functions: FloatArray
    psi: FloatArray

    @property
    def size(self) -> int:
        """The number of products, a b."""
        return self.functions.shape[1] * self.psi.shape[1]


def products_basis(basis: Hats, blocks: Sequence[Block]) -> Interacted:
    """Lay the products of all blocks out beside the column's own basis.

    Some rows at a time: each is written once, while it is in the cache.
    """
    n = len(basis.index)
    out = np.empty((n, sum(block.size for block in blocks)))
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        own, first = basis.take(rows), 0
        for block in blocks:
            psi, width = block.psi[rows], block.psi.shape[1]
            for f in block.functions.T:
                part = out[rows, first : first + width]
                np.multiply(own.times(f)[:, None], psi, out=part)
                first += width
    return Interacted(basis, out)


def owner_of(blocks: Sequence[Block]) -> IntArray:
    """Return the block of each product, shape (P,)."""
    return np.repeat(np.arange(len(blocks)), [block.size for block in blocks])
