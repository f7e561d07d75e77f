"""The levels of a category whose effect differs: the average over the rows that can be compared.

Levels are multiplied by pieces of the moderators, which are centred over those rows: with the
interactions removed, the levels' own coefficients are the average.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from paribus.base.arrays import FloatArray, dot, mean_and_scale
from paribus.estimate.averaging import Averaged, Over, Spread, mean_variance
from paribus.estimate.basis import Hats
from paribus.estimate.covariance import RowScores, row_scores, row_variance, score_covariance
from paribus.estimate.covariates import AsTheyAre, Covariates
from paribus.estimate.curve import SMOOTHING_SHARE
from paribus.estimate.groups import sums_of
from paribus.estimate.interactions import Interactions, level_functions
from paribus.estimate.levels import LevelFit, centred_in_islands, solve_levels
from paribus.estimate.moderating import Parts, in_rows, interactions_of
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other
from paribus.estimate.ridges import RidgedOut, ridge_out, weigh_ridges
from paribus.estimate.within import Within, compare_within

ENOUGH = 0.1  # times a level's usual share, among rows with like values of a moderator


def rows_counted(basis: Hats, moderators: Collection[Other], weights: FloatArray) -> FloatArray:
    """Return how much each row counts in the average, shape (n,).

    The effect differs with the moderators only, so a row can be compared where rows with like
    values of them have both the commonest level and others. A tenth of the usual share of these is
    enough for all rows to count, also for those whose own stratum has one level only: otherwise
    rows where a level is rare would count too little.

    Examples
    --------
    >>> from paribus.estimate.basis import level_basis
    >>> from paribus.estimate.pieces import fit_pieces
    >>> place = np.array([0.0, 0.0, 1.0, 1.0])
    >>> moderator = Other(place, fit_pieces(place, 2, np.ones(4)))
    >>> rows_counted(level_basis(np.array([0, 1, 0, 0]), 2), [moderator], np.ones(4)).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    commonest = basis.index == np.argmax(basis.totals(weights))
    out = np.ones(len(weights))
    for codes, size in (other.stretches() for other in moderators):
        total = np.maximum(sums_of(codes, weights, size), 1e-300)
        for own in (weights * commonest, weights * ~commonest):
            share = sums_of(codes, own, size) / total
            enough = max(ENOUGH * float(own.sum() / weights.sum()), 1e-300)
            out = np.minimum(out, (share / enough)[codes])
    return out


def fit_differing_levels(
    basis: Hats,
    y: FloatArray,
    covariates: Covariates,
    strata: Partitions,
    parts: Sequence[Parts],
    over: Over,
) -> Averaged[LevelFit]:
    """Estimate levels that differ with moderators, cut up into `parts`, averaged over rows.

    For how much rows count see `rows_counted`.
    """
    functions = level_functions(basis.totals(strata.weights))
    averaged = interactions_of(over.parts, over.weights, functions)
    products = averaged if over.parts is parts else in_rows(averaged, parts, bends=False)
    held = covariates.beside(*(AsTheyAre(part.own) for part in parts))
    mean, scale = mean_and_scale(y, strata.weights)
    within = compare_within(products.basis(basis), held, (y - mean) / scale, strata)
    return solve_differing_levels(basis, within, averaged, over, held.n_active, scale)


def solve_differing_levels(
    basis: Hats,
    within: Within,
    products: Interactions,
    over: Over,
    n_covariates: int,
    scale: float,
) -> Averaged[LevelFit]:
    """Average levels with interactions over rows, given what is left inside the strata.

    `products` are those of the rows averaged over. `scale` is that of the target; `within`, of
    levels and interactions, is in units of it.
    """
    units = within.units
    count = basis.totals(units.weights)
    ridges = weigh_ridges(within, basis.size, products.owner)
    lefts = [ridge_out(within, basis.size, ridge.ridge) for ridge in ridges]
    fits = [solve_levels(basis.index, left, count, n_covariates, scale) for left in lefts]
    weight = np.array([ridge.weight for ridge in ridges])
    effect = weight @ np.array([fit.effect for fit in fits])
    best = int(np.argmax(weight))
    own = lefts[best].coefficients(fits[best].solve @ lefts[best].score)[basis.size :]
    apart = _row_effects(products, own)
    beside = _sampling(apart, over)
    changes = [np.nan_to_num(fit.effect - effect) / scale for fit in fits]
    for w, left, fit, change in zip(weight, lefts, fits, changes, strict=True):
        beside += w * (_taken_by_ridge(left, fit) + np.outer(change, change))
    beside = scale**2 * centred_in_islands(
        centred_in_islands(beside, fits[best].island, count).T, fits[best].island, count
    )
    covariance = np.sum([w * _known(f) for w, f in zip(weight, fits, strict=True)], axis=0) + beside
    error = np.where(np.isnan(effect), np.nan, np.sqrt(np.diag(covariance)))
    spread = _spread(products, apart, over, count, lefts[best], fits[best], basis)
    return Averaged(
        fit=replace(
            fits[best],
            effect=effect,
            covariance=covariance,
            standard_error=error,
            within=within,
            solve=fits[best].solve @ lefts[best].freed,
        ),
        beside_errors=beside,
        mean=_contrast(effect, count),
        spread=Spread(scale * spread.value, scale * spread.standard_error),
        apart=scale * apart @ _beside_commonest(count),
    )


def _known(fit: LevelFit) -> FloatArray:
    if fit.covariance is None:
        raise ValueError("too many levels for interactions")
    return fit.covariance


def _taken_by_ridge(left: RidgedOut, fit: LevelFit) -> FloatArray:
    """Return what the ridge takes away, as a covariance of the levels, shape (K, K)."""
    units = left.units
    noise = float(units.weights @ fit.residual**2) / max(left.df - left.size, 1.0)
    moved = fit.solve @ (left.slopes.T * np.sqrt(SMOOTHING_SHARE * noise * left.ridge))
    out: FloatArray = moved @ moved.T
    return out


def _row_effects(products: Interactions, coefficients: FloatArray) -> FloatArray:
    """Return each row's effects of the levels less the average ones, shape (n, K)."""
    out: FloatArray = products.psi @ (products.functions @ products.table(coefficients)).T
    return out


def _sampling(apart: FloatArray, over: Over) -> FloatArray:
    """Return the covariance that the sampling of the rows averaged over gives, shape (K, K)."""
    units = over.units
    scores = RowScores(np.arange(len(apart)), apart * over.counted[:, None], units)
    total = float(over.weights.sum())
    even = np.ones(len(apart))
    if units.cluster is None:
        return scores.by_row(even) / total**2
    return scores.by_cluster(even, units.n_rows) / total**2


def _contrast(effect: FloatArray, count: FloatArray) -> float:
    base = int(np.argmax(count))
    share = np.where(np.isnan(effect), 0.0, count)
    share[base] = 0.0
    return float(share @ np.nan_to_num(effect - effect[base]) / max(share.sum(), 1e-300))


def _beside_commonest(count: FloatArray) -> FloatArray:
    """Return the shares of the levels (K,) among the rows not of the commonest."""
    share = count.copy()
    share[int(np.argmax(count))] = 0.0
    out: FloatArray = share / share.sum()
    return out


def _spread(
    products: Interactions,
    apart: FloatArray,
    over: Over,
    count: FloatArray,
    left: RidgedOut,
    fit: LevelFit,
    basis: Hats,
) -> Spread:
    """Return the standard deviation over rows of the levels' differences from the commonest.

    The levels count by their rows, `count` (K,).
    """
    share = _beside_commonest(count)
    weights = over.weights / over.weights.sum()
    squares = apart**2 @ share
    value = float(np.sqrt(weights @ squares))
    if value == 0:
        return Spread(0.0, 0.0)
    pull = apart * (weights[:, None] * share)
    change = products.functions.T @ dot(pull.T, products.psi)
    gradient = change[products.pairs[:, 0], products.pairs[:, 1]]
    inner = np.hstack([np.zeros_like(left.slopes), left.inverse])
    solve = inner - left.slopes @ fit.solve @ left.freed
    moved = (solve.T @ gradient / value)[:, None]
    variance = row_variance(left.units, fit.residual, 0.0)
    scores = row_scores(left.within, basis.index, variance, moved)
    meat = score_covariance(scores, left.within, fit.residual, 0.0, left.within.df - left.df)
    estimated = max(float(meat[0, 0]), 0.0)
    drawn = mean_variance(weights, squares, over.units) / (4 * value**2)
    return Spread(value, float(np.sqrt(estimated + drawn)))
