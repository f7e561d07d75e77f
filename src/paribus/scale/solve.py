"""Sums to effects: the same least squares as in memory, on sums instead of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.estimate.adjust import no_covariates
from paribus.estimate.basis import Basis
from paribus.estimate.curve import CurveFit, solve_curve
from paribus.estimate.levels import solve_levels
from paribus.estimate.partitions import partitions_of
from paribus.estimate.within import RowSample, SumsWithin, take_out
from paribus.pipeline.assemble import (
    MISSING_LEVEL,
    CurveRows,
    LevelRows,
    Setting,
    curve_effect,
    fixed_by_others,
    level_effect,
    unexplained,
)
from paribus.pipeline.diagnostics import comparisons_of, holes_between
from paribus.pipeline.run import with_group
from paribus.results import Effect, Histogram, bin_edges
from paribus.scale.plan import Plan
from paribus.scale.row_transform import Explained, Recipe
from paribus.scale.sums import ColumnSums, Sums


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The rows that show how errors spread.

    Attributes
    ----------
    matrix : float array of shape (m, p)
    covariates : float array of shape (m, q + 1 + P)
    weights : float array of shape (m,)
    sampling_weight : float array of shape (m,)
        How many rows like it each stands for.
    strata : int32 array of shape (n_sets, m)
    """

    matrix: FloatArray
    covariates: FloatArray
    weights: FloatArray
    sampling_weight: FloatArray
    strata: IntArray


def kept_rows(recipe: Recipe, sums: Sums) -> KeptRows:
    """Prepare the rows that were kept for looking at their errors."""
    _, table, below = sums.kept.first(sums.kept.limit)
    values = np.column_stack([column.to_numpy() for column in table.columns])
    target, weights, rarity = values[:, -3:].T.copy()
    matrix = np.ascontiguousarray(values[:, :-3])
    sampling_weight = 1 / np.minimum(rarity * (below / 2**64), 1.0)
    covariates = recipe.covariates(matrix, target)
    return KeptRows(matrix, covariates, weights, sampling_weight, recipe.strata(matrix))


def summed_within(
    recipe: Recipe, explained: Explained, sums: Sums, column: ColumnSums, kept: KeptRows
) -> tuple[SumsWithin, Basis]:
    """Take strata and covariates out of sums; returns the basis of the kept rows too."""
    columns, q = recipe.columns_of(explained), len(recipe.shared.owner)
    d, size = len(columns), explained.size
    met = column.totals > 0
    strata, totals = column.strata[met], column.totals[met]
    # The target stands between the covariates: it goes to their end.
    order = np.r_[0:q, q + 1 : d, q, d : d + size]
    roots = (strata / np.sqrt(totals)[:, None])[:, order]
    between = roots.T @ roots
    at = columns[order[:d]]
    inner = sums.gram[np.ix_(at, at)] - between[:d, :d]
    crossed = column.crossed[:, order[:d]] - between[d:, :d]
    gram = np.diag(column.diagonal) + np.diag(column.beside, 1) + np.diag(column.beside, -1)
    gram -= between[d:, d:]
    active = np.append(explained.active, np.ones(d - 1 - q, dtype=np.bool_))
    weight = float(totals.sum())
    left = take_out(inner, crossed, gram, active, weight)
    basis = explained.basis(recipe.held[explained.position], kept.matrix[:, explained.position])
    label = kept.strata[explained.set]
    rows = np.concatenate([kept.covariates[:, columns], basis.dense()], axis=1)
    rows -= column.strata[label] / column.totals[label][:, None]
    sample = RowSample(
        rows=np.arange(len(rows)),
        columns=rows[:, order],
        left=1 - 1 / column.totals[label],
        weights=kept.weights,
        sampling_weight=kept.sampling_weight * weight / float(kept.sampling_weight @ kept.weights),
        repeated=bool(np.all(kept.weights == np.floor(kept.weights))),
    )
    df = weight - len(totals) - np.count_nonzero(active)
    return SumsWithin(left.gram, left.score, left.total, df, left.slopes, sample), basis


def explain_sums(plan: Plan, sums: Sums, level: float, n_rows: int) -> list[Effect]:
    """Turn sums into effects, in the order asked for."""
    kept = kept_rows(plan.recipe, sums)
    found: dict[str, Effect] = {}
    for explained, column in zip(plan.recipe.explained, sums.columns, strict=True):
        setting = _setting(plan, explained, level)
        one = _numbers if explained.knots is not None else _levels
        found[setting.column.name] = one(plan, explained, sums, column, kept, setting, n_rows)
    for name, note in plan.idle.items():
        found[name] = unexplained(plan.problem, plan.problem.table[name], note)
    return [with_group(found[name], plan.group) for name in plan.wanted]


def _setting(plan: Plan, explained: Explained, level: float) -> Setting:
    """Return the sample, from which the reader's notes are found."""
    left_out = plan.left_out[explained.position]
    label, n = plan.labels[explained.set], len(plan.problem.y)
    weights = np.ones(n) if plan.problem.weights is None else plan.problem.weights
    return Setting(
        problem=plan.problem,
        column=plan.columns[explained.position],
        others={c.name: c for k, c in enumerate(plan.columns) if k not in left_out},
        strata=partitions_of([label], [int(label.max()) + 1], weights),
        covariates=no_covariates(n),
        conf_level=level,
        slopes_only=False,
    )


def _n_used(column: ColumnSums, varies: BoolArray) -> int:
    return int(column.rows[varies].sum())


def _numbers(
    plan: Plan,
    explained: Explained,
    sums: Sums,
    column: ColumnSums,
    kept: KeptRows,
    setting: Setting,
    n_rows: int,
) -> Effect:
    knots = cast(FloatArray, explained.knots)
    n_used = _n_used(column, column.low < column.high)
    if n_used == 0:
        return fixed_by_others(setting)
    within, basis = summed_within(plan.recipe, explained, sums, column, kept)
    q, k = len(plan.recipe.shared.owner), len(knots)
    count = column.strata[:, -explained.size :].sum(axis=0)
    scale = plan.recipe.target.scale
    used = int(np.count_nonzero(explained.active)) + len(explained.further)
    fit = solve_curve(knots, basis, within, count, used, sums.used, scale)
    comparisons = comparisons_of(column.sides, k)
    x = setting.column.values
    edges = bin_edges(knots)
    seen = CurveRows(
        n_rows=n_rows,
        n_used=n_used,
        n_missing=int(column.count[k:].sum()),
        left=_left_to_vary(explained, column, fit),
        comparisons=comparisons,
        holes=holes_between(x[~np.isnan(x)], column.points[:k], knots, comparisons),
        marginal=scale * _marginal(column.crossed[:, q], count),
        distribution=Histogram(setting.column.shown(edges), column.histogram.astype(np.int64)),
    )
    return curve_effect(setting, fit, seen)


def _marginal(sums: FloatArray, count: FloatArray) -> FloatArray:
    """Return the mean target at each point less the overall mean."""
    return sums / np.maximum(count, 1e-300) - sums.sum() / count.sum()


def _left_to_vary(explained: Explained, column: ColumnSums, fit: CurveFit) -> float:
    weight, first, second = column.moments
    mean = first / weight
    spread = second - weight * mean**2
    run = np.append(fit.knots - explained.middle - mean, np.zeros(explained.size - len(fit.knots)))
    return float(run @ fit.within.gram @ run) / max(spread, 1e-300)


def _levels(
    plan: Plan,
    explained: Explained,
    sums: Sums,
    column: ColumnSums,
    kept: KeptRows,
    setting: Setting,
    n_rows: int,
) -> Effect:
    by_stratum = column.strata[:, -explained.size :]
    n_used = _n_used(column, np.count_nonzero(by_stratum, axis=1) > 1)
    if n_used == 0:
        return fixed_by_others(setting)
    met, scale = column.points > 0, plan.recipe.target.scale
    within, basis = summed_within(plan.recipe, explained, sums, column, kept)
    index = (np.cumsum(met) - 1).astype(np.int32)[basis.index]
    basis = Basis(index, basis.share, int(np.count_nonzero(met)))
    fit = solve_levels(basis, within.only(met), column.points[met], scale)
    extra = (MISSING_LEVEL,) if explained.size > len(setting.column.levels) else ()
    levels = (*setting.column.levels, *extra)
    marginal = _marginal(column.crossed[:, len(plan.recipe.shared.owner)], column.points)
    seen = LevelRows(
        levels=tuple(levels[k] for k in np.flatnonzero(met)),
        n_rows=n_rows,
        n_used=n_used,
        count=column.count[met].astype(np.int64),
        weight=column.points[met],
        marginal=scale * marginal[met],
    )
    return level_effect(setting, fit, seen)
