"""Averages over the rows at each x: what interactions add on average, and its covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, Labels, dot
from paribus.estimate.basis import Hats
from paribus.estimate.groups import add_rows, sums_of
from paribus.estimate.hats import value_products
from paribus.estimate.interactions import Interactions
from paribus.estimate.moderating import Parts
from paribus.estimate.units import Units

Fit = TypeVar("Fit")


@dataclass(frozen=True, slots=True)
class Over:
    """The rows that an effect is averaged over: those it is fitted on or, of very many, others."""

    basis: Hats  # of the explained column
    counted: FloatArray  # (n,): how much each row counts: 0 where it cannot be compared
    units: Units
    parts: Sequence[Parts]  # the moderators, cut up

    @property
    def weights(self) -> FloatArray:
        """How much each row counts in the average, by its weight too, shape (n,)."""
        return self.units.weights * self.counted


@dataclass(frozen=True, slots=True)
class Along:
    """The stretch between knots in which each row lies."""

    stretch: Labels  # (n,)
    on_knot: BoolArray  # (n,): rows exactly on a knot: they belong to the stretch before it as well
    weights: FloatArray  # (n,): how much each row counts; 0 if it takes part in no comparison
    steps: FloatArray  # (k - 1,): the stretches' lengths

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums of `values` (n,) by stretch, shape (k - 1,)."""
        size = len(self.steps)
        both = self.on_knot
        before = sums_of(self.stretch[both] - 1, values[both], size)
        return sums_of(self.stretch, values, size) + before

    def means(self, columns: FloatArray) -> FloatArray:
        """Return the means of `columns` (n, b) by stretch, shape (k - 1, b)."""
        total = np.maximum(self.sums(self.weights), 1e-300)
        return self.sums_of_rows(columns, self.weights, twice=True) / total[:, None]

    def sums_of_rows(
        self, columns: FloatArray, weights: FloatArray, *, twice: bool = False
    ) -> FloatArray:
        """Return the sums of `columns` (n, b) times `weights` (n,) by stretch, shape (k - 1, b).

        Rows on a knot count in the stretch that they lie in, or `twice`: in the one before too.
        """
        out = np.zeros((len(self.steps), columns.shape[1]))
        add_rows(columns, weights, self.stretch, out)
        if twice and self.on_knot.any():
            both = np.flatnonzero(self.on_knot)
            add_rows(columns[both], weights[both], self.stretch[both] - 1, out)
        return out


def along(basis: Hats, weights: FloatArray) -> Along:
    """Find the stretch of each row, which counts by its weight (n,)."""
    if basis.knots is None:
        raise ValueError("an average along x needs knots")
    last = len(basis.knots) - 2
    on_knot = (basis.share == 0) & (basis.index > 0) & (basis.index <= last)
    stretch = np.minimum(basis.index, last)
    return Along(stretch, on_knot, weights, np.diff(basis.knots))


def average_of(products: Interactions, here: FloatArray) -> FloatArray:
    """Return what each product rises to along x, averaged over the rows there, shape (k, P).

    ``int phi_a'(u) E[psi_b | x = u] du`` at the knots, with the means of psi `here` (k - 1, b) by
    stretch.
    """
    first, second = products.pairs.T
    each = np.diff(products.functions, axis=0)[:, first] * here[:, second]
    return np.vstack([np.zeros(each.shape[1]), np.cumsum(each, axis=0)])


@dataclass(frozen=True, slots=True)
class Deviations:
    """By how much each row's rise over a stretch differs from the mean of the rows there."""

    here: FloatArray  # (n,): over the stretch that the row lies in
    before: FloatArray  # (n,): over the one before, for rows on a knot; 0 for others


def deviations(
    rows: Along, products: Interactions, here: FloatArray, coefficients: FloatArray
) -> Deviations:
    """Return what interactions with `coefficients` (P,) add to each row's rise over the mean.

    `here` (k - 1, b) are the means of psi by stretch.
    """
    rise = np.diff(products.functions, axis=0) @ products.table(coefficients)
    mean = np.einsum("ij,ij->i", here, rise)

    def over(at: Labels, psi: FloatArray) -> FloatArray:
        out = -mean[at]
        value_products(at, np.zeros(len(at)), rise, psi, out)
        return out

    both = np.flatnonzero(rows.on_knot)
    before = np.zeros(len(rows.stretch))
    before[both] = over(rows.stretch[both] - 1, products.psi[both])
    return Deviations(over(rows.stretch, products.psi), before)


def sampling_covariance(rows: Along, apart: Deviations, units: Units) -> FloatArray:
    """Return the covariance of the curve that the sampling of its rows gives, shape (k, k).

    The mean rise over a stretch is one over the rows there, which are a sample: its variance is
    that of a mean. A row on a knot is in the means of two stretches; rows of a cluster are drawn
    together.
    """
    size = len(rows.steps)
    total = np.maximum(rows.sums(rows.weights), 1e-300)
    both = rows.on_knot
    if units.cluster is None:
        counted = np.where(rows.weights > 0, units.error_weights, 0.0)
        inside = sums_of(rows.stretch, counted * apart.here**2, size)
        inside += sums_of(rows.stretch[both] - 1, (counted * apart.before**2)[both], size)
        shared = (counted * apart.here * apart.before)[both]
        beside = sums_of(rows.stretch[both] - 1, shared, size)[:-1]
        stretches = np.diag(inside) + np.diag(beside, 1) + np.diag(beside, -1)
    else:
        sums = np.zeros((int(units.cluster.max()) + 1, size))
        np.add.at(sums, (units.cluster, rows.stretch), rows.weights * apart.here)
        before = (units.cluster[both], rows.stretch[both] - 1)
        np.add.at(sums, before, (rows.weights * apart.before)[both])
        stretches = dot(sums.T, sums)
    summed = np.tril(np.ones((size + 1, size)), -1) / total
    out: FloatArray = summed @ stretches @ summed.T
    return out


@dataclass(frozen=True, slots=True)
class Spread:
    """How much an effect differs: standard deviation over rows, with its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class Averaged(Generic[Fit]):
    """A curve or levels, averaged over the rows."""

    fit: Fit  # its `within` and `solve` are those of curve or levels, and interactions
    beside_errors: FloatArray  # (k, k): the parts of the covariance that are not the rows' errors
    # Over the rows: of the slope at their x, or of their level's difference from the commonest.
    mean: float
    spread: Spread  # of the rows' slopes or differences around the mean ones
    # By how much each row's slope, or mean difference, differs from the mean one.
    apart: FloatArray  # (n,)


def spread_of_slopes(
    rows: Along,
    products: Interactions,
    here: FloatArray,
    apart: Deviations,
    covariance: FloatArray,
    units: Units,
) -> Spread:
    """Return the standard deviation over rows of a row's slope around the mean slope at its x.

    Its variance is that of the coefficients, `covariance` (P, P), to first order, and that of a
    mean over rows.
    """
    at, weights = rows.stretch, rows.weights / rows.weights.sum()
    slope = apart.here / rows.steps[at]
    value = float(np.sqrt(weights @ slope**2))
    if value == 0:
        return Spread(0.0, 0.0)
    pull = weights * slope
    each = rows.sums_of_rows(products.psi, pull) - here * sums_of(at, pull, len(here))[:, None]
    change = (np.diff(products.functions, axis=0) / rows.steps[:, None]).T @ each
    gradient = change[products.pairs[:, 0], products.pairs[:, 1]] / value
    drawn = mean_variance(weights, slope**2, units) / (4 * value**2)
    estimated = max(float(gradient @ covariance @ gradient), 0.0)
    return Spread(value, float(np.sqrt(estimated + drawn)))


def mean_variance(weights: FloatArray, values: FloatArray, units: Units) -> float:
    """Return the variance of the mean of `values` (n,) under `weights` (n,) that sum to one."""
    apart = weights * (values - weights @ values)
    if units.cluster is None:
        return float(np.sum(apart**2 / units.counts))
    return float(np.sum(sums_of(units.cluster, apart, int(units.cluster.max()) + 1) ** 2))
