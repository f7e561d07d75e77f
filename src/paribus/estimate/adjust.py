"""The other columns as covariates, for what is left of them inside a stratum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import BLOCK, BoolArray, FloatArray, IntArray, side_by_side
from paribus.estimate.basis import weighted_quantiles
from paribus.estimate.groups import Labels, sums_of
from paribus.estimate.hats import lay_rows

ROWS_PER_COVARIATE = 10
MANY_ROWS = 50_000  # with more, strata are so narrow that fewer covariates are needed
GROUPS = 16
SAMPLE = 20_000  # rows enough to see what depends on what
MAX_DUMMIES, MAX_CURVES, CURVE_DEPENDENCE = 30, 4, 0.05
CURVE_QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves of some covariates, of which the inner hats are covariates too.

    Attributes
    ----------
    place : int32 array of shape (c,)
        The column of `values` that each bends.
    knots : float array of shape (c, most)
        Padded with infinity.
    n_knots : int32 array of shape (c,)
    """

    place: Labels
    knots: FloatArray
    n_knots: Labels


NO_CURVES = Curves(np.empty(0, np.int32), np.empty((0, 0)), np.empty(0, np.int32))
NO_PAIRS = np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True, slots=True)
class ByLevel:
    """Covariates that follow from a category.

    Attributes
    ----------
    table : float array of shape (n_levels, q)
        Those of each level.
    codes : int array of shape (n,)
        The level of each row.
    """

    table: FloatArray
    codes: IntArray

    def rows(self, at: NDArray[np.int64]) -> FloatArray:
        """Return the covariates of some rows."""
        out: FloatArray = self.table[self.codes[at]]
        return out


@dataclass(frozen=True, slots=True)
class Covariates:
    """Covariates of n rows, of which some take no part; made block by block when needed.

    Attributes
    ----------
    values : float array of shape (n, q)
        Columns that are there already.
    active : bool array of shape (q + more,)
        Those that take part: the explained column itself must not.
    curves : Curves, or None
    pairs : int32 array of shape (number of pairs, 2), or None
        Columns of `values` whose products, clipped, are covariates.
    levels : tuple of ByLevel
    """

    values: FloatArray
    active: BoolArray
    curves: Curves | None = None
    pairs: Labels | None = None
    levels: tuple[ByLevel, ...] = ()

    def rows(self, at: NDArray[np.int64], *more: FloatArray) -> FloatArray:
        """Return the covariates of some rows, and `more` columns (m, k) beside them."""
        last = len(self.active)
        first = last - sum(each.table.shape[1] for each in self.levels)
        out = np.empty((len(at), last + sum(columns.shape[1] for columns in more)))
        curves = self.curves or NO_CURVES
        pairs = NO_PAIRS if self.pairs is None else self.pairs
        lay_rows(self.values, at, curves.place, curves.knots, curves.n_knots, pairs, out)
        for columns in (*(each.rows(at) for each in self.levels), *more):
            out[:, first : first + columns.shape[1]] = columns
            first += columns.shape[1]
        return out

    def times(self, slopes: FloatArray) -> FloatArray:
        """Return the covariates' sum with `slopes` (q + more,), shape (n,)."""
        out = np.empty(len(self.values))
        for start in range(0, len(out), BLOCK):
            block = np.arange(start, min(start + BLOCK, len(out)))
            out[block] = self.rows(block) @ slopes
        return out


@dataclass(frozen=True, slots=True)
class Others:
    """All columns of a table, ready to serve as covariates of one another.

    Attributes
    ----------
    values : float array of shape (n, q)
        Centred and scaled.
    owner : int array of shape (q,)
        The column that each is made from.
    numeric : tuple of int
        The numeric columns; their standardised values come first in `values`.
    weights : float array of shape (n,)
    groups : int array of shape (a sample of n, number of numeric columns)
        Labels of like values of each numeric column.
    large : mapping of int to ByLevel
        Of categories with more levels than indicators are made for, those of the commonest.
    """

    values: FloatArray
    owner: IntArray
    numeric: tuple[int, ...]
    weights: FloatArray
    groups: IntArray
    large: Mapping[int, ByLevel]


def prepare_others(
    matrix: FloatArray, categorical: Sequence[int], weights: FloatArray, n_jobs: int = 1
) -> Others:
    """Make covariates of all columns of a table (n, p); the target is not looked at.

    Numeric columns enter linearly and, while there are rows enough but not too many, squared;
    categories by the indicators of their commonest levels, missing numbers by an indicator.
    """
    n, p = matrix.shape
    numeric = tuple(k for k in range(p) if k not in categorical)
    with ThreadPoolExecutor(n_jobs) as pool:
        linear = list(pool.map(lambda k: _standardised(matrix[:, k], weights), numeric))
    parts = list(zip(numeric, linear, strict=True))
    large = {}
    for k in range(p):
        gone = np.isnan(matrix[:, k])
        if k in categorical:
            n_levels = int(np.nanmax(matrix[:, k], initial=-1)) + 1
            codes = np.where(gone, n_levels, matrix[:, k]).astype(np.int32)
            dummies = _dummies(codes, weights)
            if n_levels > MAX_DUMMIES:
                large[k] = ByLevel(dummies, codes)
            else:
                parts += [(k, dummy[codes]) for dummy in dummies.T]
        elif gone.any() and not gone.all():
            parts.append((k, _standardised(gone.astype(np.float64), weights)))
    n_made = len(parts) + len(numeric) + sum(each.table.shape[1] for each in large.values())
    room = weights.sum() >= ROWS_PER_COVARIATE * n_made
    if room and n <= MANY_ROWS:
        # Clipped, because a long tail shall have no leverage.
        squares = [np.clip(z, -3, 3) ** 2 for z in linear]
        parts += [(k, _standardised(z, weights)) for k, z in zip(numeric, squares, strict=True)]
    values = side_by_side([z for _, z in parts], n_jobs) if parts else np.empty((n, 0))
    seen = _sample(n)
    groups = [_grouped(z[seen], weights[seen]) for z in linear]
    return Others(
        values=values,
        owner=np.array([k for k, _ in parts], dtype=np.int64),
        numeric=numeric,
        weights=weights,
        groups=np.column_stack(groups) if groups else np.empty((n, 0), dtype=np.int64),
        large=large,
    )


def covariates_of(others: Others, x: FloatArray | None, left_out: Sequence[int]) -> Covariates:
    """Return the covariates of all columns but those left out.

    Where the explained column is numeric, `x` (n,), more are made of what it depends on, for that
    is where the confounding is: of the columns it depends on most a curve and products, and of
    categories with many levels the level's mean of `x` (Mundlak 1978), with which least squares
    compares inside levels.
    """
    active = ~np.isin(others.owner, list(left_out))
    large = tuple(each for k, each in others.large.items() if k not in left_out)
    n_large = sum(each.table.shape[1] for each in large)
    if x is None or np.isnan(x[_sample(len(x))]).all():
        active = np.append(active, np.ones(n_large, np.bool_))
        return Covariates(others.values, active, levels=large)
    room = int(others.weights.sum()) // ROWS_PER_COVARIATE
    room -= int(np.count_nonzero(active)) + n_large
    means = tuple(ByLevel(level_means(e.codes, x, others.weights), e.codes) for e in large)
    strongest = confounders(others, x, left_out)[: max(room // len(CURVE_QUANTILES), 0)]
    if len(x) > MANY_ROWS:
        strongest = [(k, tie) for k, tie in strongest if tie > CURVE_DEPENDENCE]
    curves = curves_of(others, [k for k, tie in strongest if tie > CURVE_DEPENDENCE])
    places = [k for k, _ in strongest]
    pairs = [(a, b) for i, a in enumerate(places) for b in places[:i]]
    n_more = int(np.sum(curves.n_knots - 2)) + len(pairs) + 2 * len(means) + n_large
    active = np.append(active, np.ones(n_more, np.bool_))
    laid_out = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Covariates(others.values, active, curves, laid_out, (*means, *large))


def no_covariates(n: int) -> Covariates:
    """Return none, for n rows."""
    return Covariates(np.empty((n, 0)), np.empty(0, dtype=np.bool_))


def dependence(x: FloatArray, group: IntArray, weights: FloatArray) -> float:
    """Return the share of the variance of `x` (n,) that lies between groups.

    Examples
    --------
    >>> group = np.repeat([0, 1], 50)
    >>> dependence(group + 0.0, group, np.ones(100))
    1.0
    """
    count = sums_of(group, weights, GROUPS)
    centred = x - np.average(x, weights=weights)
    means = sums_of(group, weights * centred, GROUPS) / np.maximum(count, 1e-300)
    return float(count @ means**2 / max(float(weights @ centred**2), 1e-300))


def _sample(n: int) -> slice:
    """Return rows enough to see what depends on what."""
    return slice(None, None, max(1, n // SAMPLE))


def _grouped(z: FloatArray, weights: FloatArray) -> IntArray:
    """Number groups of like values, about as many rows in each."""
    edges = weighted_quantiles(z, weights, np.linspace(0, 1, GROUPS + 1)[1:-1])
    return np.searchsorted(edges, z)


def _standardised(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return values less their mean in units of their standard deviation, missing ones at 0."""
    gone = np.isnan(values)
    if gone.all():
        return np.zeros(len(values))
    known, w = (values[~gone], weights[~gone]) if gone.any() else (values, weights)
    total = w.sum()
    out = values - (w @ known) / total
    if gone.any():
        out[gone] = 0.0
    scale = np.sqrt((weights * out) @ out / total)
    out /= scale if scale > 0 else 1.0
    return out


def _dummies(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Return standardised indicators of the commonest levels but the first, a row a level."""
    heavy = sums_of(codes, weights, int(codes.max()) + 1)
    common = np.argsort(-heavy, kind="stable")[1 : MAX_DUMMIES + 1]
    hit = np.arange(len(heavy))[:, None] == common
    columns = [_standardised(column.astype(np.float64), heavy) for column in hit.T]
    return np.column_stack(columns) if columns else np.empty((len(heavy), 0))


def confounders(others: Others, x: FloatArray, left_out: Sequence[int]) -> list[tuple[int, float]]:
    """Rank the few numeric covariates that `x` depends on most, each with its dependence."""
    seen = _sample(len(x))
    known, weights = x[seen], others.weights[seen]
    filled = np.where(np.isnan(known), np.nanmean(known), known)
    ties = [
        (place, dependence(filled, others.groups[:, place], weights))
        for place, column in enumerate(others.numeric)
        if column not in left_out
    ]
    return sorted(ties, key=lambda tie: -tie[1])[:MAX_CURVES]


def curves_of(others: Others, places: Sequence[int]) -> Curves:
    """Return hats between quantiles; with the linear term the inner ones bend anywhere."""
    found = [curve_knots(others, place) for place in places]
    bent = [k for k, knots in enumerate(found) if len(knots) > 2]
    padded = np.full((len(bent), len(CURVE_QUANTILES) + 2), np.inf)
    for row, k in zip(padded, bent, strict=True):
        row[: len(found[k])] = found[k]
    n_knots = np.array([len(found[k]) for k in bent], dtype=np.int32)
    return Curves(np.array([places[k] for k in bent], dtype=np.int32), padded, n_knots)


def curve_knots(others: Others, place: int) -> FloatArray:
    """Return where the curve of a numeric covariate may bend, and its ends."""
    seen = _sample(len(others.values))
    z = np.ascontiguousarray(others.values[seen, place])
    inner = weighted_quantiles(z, others.weights[seen], np.array(CURVE_QUANTILES))
    return np.unique([z.min(), *inner, z.max()])


def level_means(codes: IntArray, x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the mean of `x` (n,) over each level, standardised, and its square, a row a level."""
    present = ~np.isnan(x)
    heavy = sums_of(codes, weights, int(codes.max()) + 1)
    count = sums_of(codes[present], weights[present], len(heavy))
    total = sums_of(codes[present], weights[present] * x[present], len(heavy))
    mean = np.where(count > 0, total / np.maximum(count, 1e-300), np.nan)
    known = _standardised(mean, heavy)
    return np.column_stack([known, np.clip(known, -3, 3) ** 2])
