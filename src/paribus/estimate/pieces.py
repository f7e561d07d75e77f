"""Pieces of a column that an effect may differ with: fitted once per table, applied to any rows.

A number is cut into ramps, ``clip((z - t_k) / (t_k+1 - t_k), 0, 1)``: their coefficients are
increments between knots, so that a ridge on them is a random walk along z. A category is cut into
its commonest levels. Missing values are a separate piece.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, Protocol, TypeAlias

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Rows, mean_and_scale
from paribus.estimate.basis import weighted_quantiles
from paribus.estimate.groups import sums_of

SAMPLE = 20_000  # rows enough to place knots by
COARSE = (0.02, 0.34, 0.66, 0.98)  # quantiles between which the test has its ramps
FINE = (0.04, 0.14, 0.3, 0.5, 0.7, 0.86, 0.96)  # inner quantiles of the fit's ramps
FEW_VALUES = 8  # a number with no more values has a knot a value
ENDS = (0.001, 0.999)  # a straight line is clipped here
MOST_LEVELS, MOST_TESTED, MOST_IN_PAIRS = 40, 20, 8  # levels of a category with a piece
Moments: TypeAlias = tuple[FloatArray, FloatArray]  # mean and spread of columns
Order: TypeAlias = Literal["C", "F"]


class Pieces(Protocol):
    """How the values of a column (m,) become pieces."""

    def coarse(self, values: FloatArray, order: Order = "C") -> FloatArray:
        """Return a few pieces, for the test, shape (m, a), row by row or column by column."""

    def fine(self, values: FloatArray) -> FloatArray:
        """Return the pieces of the fit, shape (m, b)."""

    def line(self, values: FloatArray) -> FloatArray:
        """Return the straight line, where there is one, shape (m, 1) or (m, 0)."""

    def moments(self, values: FloatArray) -> Moments:
        """Return mean and spread of few columns, for products of two columns, (c,) each."""

    def standard(self, values: FloatArray, moments: Moments | None = None) -> FloatArray:
        """Return those of these columns that vary, standardised, shape (m, c or fewer).

        Their moments are those of the values, unless others are given.
        """


@dataclass(frozen=True, slots=True)
class NumberPieces:
    """Pieces of a number."""

    coarse_knots: FloatArray
    fine_knots: FloatArray
    ends: FloatArray  # (2,)
    # Of the values between the ends.
    mean: float
    scale: float
    has_missing: bool

    def coarse(self, values: FloatArray, order: Order = "C") -> FloatArray:
        """Return about three ramps."""
        return self._with_missing(values, ramps(values, self.coarse_knots, order))

    def fine(self, values: FloatArray) -> FloatArray:
        """Return about eight ramps, from the lowest to the highest value."""
        return self._with_missing(values, ramps(values, self.fine_knots))

    def line(self, values: FloatArray) -> FloatArray:
        """Return the values in units of their standard deviation, the ends clipped."""
        if len(self.fine_knots) < 3:
            return np.empty((len(values), 0))
        known = np.where(np.isnan(values), self.mean, values)
        return ((np.clip(known, *self.ends) - self.mean) / self.scale)[:, None]

    def moments(self, values: FloatArray) -> Moments:
        """Return those of the line between the outer coarse knots."""
        line = ramps(values, self.coarse_knots[[0, -1]])
        return line.mean(axis=0), line.std(axis=0)

    def standard(self, values: FloatArray, moments: Moments | None = None) -> FloatArray:
        """Return the line between the outer coarse knots."""
        line = ramps(values, self.coarse_knots[[0, -1]])
        return _standardised(line, moments or (line.mean(axis=0), line.std(axis=0)))

    def _with_missing(self, values: FloatArray, pieces: FloatArray) -> FloatArray:
        return np.column_stack([pieces, np.isnan(values)]) if self.has_missing else pieces


@dataclass(frozen=True, slots=True)
class LevelPieces:
    """Pieces of a category: its commonest `levels` but the first, (a,); missing values are -1."""

    levels: IntArray

    def coarse(self, values: FloatArray, order: Order = "C") -> FloatArray:
        """Return the indicators of the commonest levels."""
        return self._indicators(values, MOST_TESTED, order)

    def fine(self, values: FloatArray) -> FloatArray:
        """Return the indicators of the levels."""
        return self._indicators(values, MOST_LEVELS)

    def line(self, values: FloatArray) -> FloatArray:
        """Return nothing: levels have no order."""
        return np.empty((len(values), 0))

    def moments(self, values: FloatArray) -> Moments:
        """Return those of the indicators of the commonest levels."""
        share = self._indicators(values, MOST_IN_PAIRS, "F").mean(axis=0)
        return share, np.sqrt(share * (1 - share))

    def standard(self, values: FloatArray, moments: Moments | None = None) -> FloatArray:
        """Return the indicators of the commonest levels, standardised."""
        hit = self._indicators(values, MOST_IN_PAIRS)
        return _standardised(hit, moments or self.moments(values))

    def _indicators(self, values: FloatArray, most: int, order: Order = "C") -> FloatArray:
        """Return the indicators of so many of the levels at most."""
        codes = np.where(np.isnan(values), -1, values)
        out = np.empty((len(codes), len(self.levels[:most])), order=order)
        return np.equal(codes[:, None], self.levels[:most], out=out)


@dataclass(frozen=True, slots=True)
class Other:
    """A column held still: its values (n,), NaN where missing, and how they become pieces."""

    values: FloatArray
    pieces: Pieces

    @property
    def is_number(self) -> bool:
        """Whether its values have an order."""
        return isinstance(self.pieces, NumberPieces)

    def take(self, rows: Rows) -> Other:
        """Return some of the rows."""
        return replace(self, values=self.values[rows])

    def stretches(self) -> tuple[IntArray, int]:
        """Number the stretches between the fit's knots, or the levels, missing values last.

        Returns
        -------
        codes : int array of shape (n,)
        size : int
        """
        missing = np.isnan(self.values)
        codes: IntArray | FloatArray = self.values
        size = int(np.nanmax(codes, initial=0)) + 2
        if isinstance(self.pieces, NumberPieces):
            knots = self.pieces.fine_knots
            codes, size = np.searchsorted(knots, codes, side="right"), len(knots) + 2
        return np.where(missing, size - 1, codes).astype(np.int64), size


def fit_pieces(values: FloatArray, n_levels: int, weights: FloatArray) -> Pieces:
    """Fit the pieces of a column (n,); `n_levels` is 0 for a number.

    Examples
    --------
    >>> found = fit_pieces(np.array([0.0, 1.0, 2.0, np.nan]), 0, np.ones(4))
    >>> found.fine(np.array([0.5, np.nan])).tolist()
    [[0.5, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    missing = np.isnan(values)
    if n_levels:
        count = sums_of(np.where(missing, n_levels, values).astype(np.int64), weights, n_levels + 1)
        order = np.argsort(-count, kind="stable")
        order = order[count[order] > 0][1 : MOST_LEVELS + 1]
        return LevelPieces(np.where(order == n_levels, -1, order))
    known, heavy = (values[~missing], weights[~missing]) if missing.any() else (values, weights)
    seen = slice(None, None, max(1, len(known) // SAMPLE))
    sample, heavy = known[seen], heavy[seen]
    distinct = np.unique(sample)
    low, high = float(known.min()), float(known.max())
    quantiles = weighted_quantiles(sample, heavy, np.array([*COARSE, *FINE, *ENDS]))
    coarse, fine, ends = np.split(quantiles, [len(COARSE), len(COARSE) + len(FINE)])
    clipped = np.clip(sample, *ends)
    mean, scale = mean_and_scale(clipped, heavy)
    return NumberPieces(
        coarse_knots=distinct if len(distinct) <= len(COARSE) else np.unique(coarse),
        fine_knots=distinct if len(distinct) <= FEW_VALUES else np.unique([low, *fine, high]),
        ends=ends,
        mean=mean,
        scale=scale,
        has_missing=bool(missing.any()),
    )


def ramps(values: FloatArray, knots: FloatArray, order: Order = "C") -> FloatArray:
    """Return how far each value (m,) is along each stretch between knots (k,), shape (m, k - 1).

    Missing values are at the start. A stretch of no length is a step.

    Examples
    --------
    >>> ramps(np.array([0.0, 3.0]), np.array([0.0, 0.0, 4.0])).tolist()
    [[0.0, 0.0], [1.0, 0.75]]
    """
    known = np.where(np.isnan(values), knots[0], values)
    out = np.empty((len(known), len(knots) - 1), order=order)
    for k, (first, last) in enumerate(pairwise(knots.tolist())):
        if last > first:
            np.clip((known - first) / (last - first), 0.0, 1.0, out=out[:, k])
        else:
            out[:, k] = known > first
    return out


def _standardised(columns: FloatArray, moments: Moments) -> FloatArray:
    mean, spread = moments
    varies = spread > 0
    if not varies.all():
        columns, mean, spread = columns[:, varies], mean[varies], spread[varies]
    return (columns - mean) / spread
