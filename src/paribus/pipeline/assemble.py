"""From strata to a result: estimate, look at what the reader must know, put it together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from paribus.base import notes
from paribus.base.arrays import FloatArray, IntArray
from paribus.base.notes import Note, Remedy
from paribus.estimate.adjust import Covariates
from paribus.estimate.bands import intervals, normal_quantile, student_quantile
from paribus.estimate.curve import CurveFit, fit_curve
from paribus.estimate.groups import sums_of
from paribus.estimate.levels import LevelFit, fit_levels
from paribus.estimate.partitions import Partitions
from paribus.estimate.slopes import average_slopes, grid_of, integrate, leaf_slopes
from paribus.pipeline import diagnostics
from paribus.pipeline.diagnostics import Hole
from paribus.results import (
    CategoricalEffect,
    Effect,
    Gap,
    Histogram,
    Missing,
    NumericEffect,
    histogram,
)
from paribus.table.columns import Column
from paribus.table.problem import Problem

MISSING_LEVEL = "(missing)"
LOW_SHARE = 0.5  # of the rows used: below it, a note
FEW_ROWS = 100
EXACT = 1e-9  # share of the target's variance that is left: below it, it is made from the columns
FIXED = 1e-8  # share of a column's variance left to vary: below it, there is nothing to see
IMBALANCE = 0.25  # share of the column's variance that others still give inside the strata


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything needed to explain one column.

    Attributes
    ----------
    problem : Problem
    column : Column
        The column to explain.
    others : mapping of str to Column
        The columns held still.
    strata : Partitions
    covariates : Covariates
    conf_level : float
        How sure the intervals are to be.
    slopes_only : bool
        Average slopes as the paper does, without intervals.
    """

    problem: Problem
    column: Column
    others: Mapping[str, Column]
    strata: Partitions
    covariates: Covariates
    conf_level: float
    slopes_only: bool


def explain_numbers(setting: Setting) -> NumericEffect:
    """Estimate the curve of a numeric column."""
    column, x = setting.column, setting.column.values
    used = diagnostics.used_rows(x, setting.strata)
    if not used.any():
        return cast(NumericEffect, fixed_by_others(setting))
    if setting.slopes_only:
        return _slopes(setting, int(np.count_nonzero(used)))
    fit = fit_curve(x, setting.problem.y, setting.covariates, setting.strata)
    weights = setting.strata.weights
    comparisons = diagnostics.comparisons_across(fit.basis, len(fit.knots), setting.strata)
    seen = CurveRows(
        n_rows=len(x),
        n_used=int(np.count_nonzero(used)),
        n_missing=int(np.count_nonzero(np.isnan(x))),
        left=_left_to_vary(fit, weights),
        comparisons=comparisons,
        holes=diagnostics.find_holes(x, fit.basis, fit.knots, comparisons, weights),
        marginal=_marginal(setting, fit),
        distribution=histogram(column, fit.knots),
    )
    return curve_effect(setting, fit, seen)


@dataclass(frozen=True, slots=True)
class CurveRows:
    """What the rows say beside a curve.

    Attributes
    ----------
    n_rows, n_used, n_missing : int
        Rows, those that took part in a comparison, and those without a value.
    left : float
        Share of the column's variance that is left when the others are held still.
    comparisons : float array of shape (k - 1,)
        Across the middle between neighbouring knots.
    holes : list of Hole
    marginal : float array of shape (K,)
    distribution : Histogram
    """

    n_rows: int
    n_used: int
    n_missing: int
    left: float
    comparisons: FloatArray
    holes: list[Hole]
    marginal: FloatArray
    distribution: Histogram


def curve_effect(setting: Setting, fit: CurveFit, seen: CurveRows) -> NumericEffect:
    """Put a curve, its intervals and what the reader must know together."""
    if seen.left < FIXED:
        return cast(NumericEffect, fixed_by_others(setting))
    column, k = setting.column, len(fit.knots)
    gaps = tuple(_gap(setting, fit.knots, hole) for hole in seen.holes)
    spans = intervals(fit.covariance[:k, :k], setting.conf_level)
    effect = fit.effect[:k]
    twins = _twins(setting) if seen.left < diagnostics.TWIN_LEFT else ()
    return NumericEffect(
        feature=column.name,
        target=setting.problem.target,
        method="least_squares",
        unit=setting.problem.unit,
        x=column.shown(fit.knots),
        effect=effect,
        lower=effect - spans.pointwise,
        upper=effect + spans.pointwise,
        band_lower=effect - spans.simultaneous,
        band_upper=effect + spans.simultaneous,
        conf_level=setting.conf_level,
        covariance=fit.covariance,
        row_share=fit.mass[:k],
        marginal=seen.marginal[:k],
        support=_at_points(seen.comparisons),
        slope=_slopes_of(fit.knots, effect),
        gaps=gaps,
        missing=_missing(fit, setting.conf_level, seen.n_missing),
        distribution=seen.distribution,
        n_rows=seen.n_rows,
        n_used=seen.n_used,
        n_held=len(setting.others),
        share_left=seen.left,
        impact=float(fit.mass @ np.abs(fit.effect)),
        p_value=fit.p_value,
        twins=twins,
        notes=(
            *_missing_notes(column.name, fit, seen.n_missing),
            *_twin_notes(column.name, twins, seen.left),
            *_gap_notes(column.name, gaps),
            *_notes(setting, seen.n_used, seen.n_rows, fit.residual),
        ),
        backend=setting.problem.table.backend,
    )


def explain_levels(setting: Setting) -> CategoricalEffect:
    """Estimate the levels of a category; missing is a level of its own."""
    column = setting.column
    missing = np.isnan(column.values)
    codes = np.where(missing, len(column.levels), column.values).astype(np.int64)
    levels = column.levels + ((MISSING_LEVEL,) if missing.any() else ())
    used = diagnostics.used_rows(codes.astype(np.float64), setting.strata)
    if not used.any():
        return cast(CategoricalEffect, fixed_by_others(setting))
    y, weights = setting.problem.y, setting.strata.weights
    fit = fit_levels(codes, len(levels), y, setting.covariates, setting.strata)
    weight = sums_of(codes, weights, len(levels))
    seen = LevelRows(
        levels=levels,
        n_rows=len(codes),
        n_used=int(np.count_nonzero(used)),
        count=np.bincount(codes, minlength=len(levels)),
        weight=weight,
        marginal=sums_of(codes, weights * y, len(levels)) / weight - np.average(y, weights=weights),
    )
    return level_effect(setting, fit, seen)


@dataclass(frozen=True, slots=True)
class LevelRows:
    """What the rows say beside the effects of levels.

    Attributes
    ----------
    levels : tuple
        As shown, the missing values' last.
    n_rows, n_used : int
        Rows, and those that took part in a comparison.
    count : int array of shape (K,)
        Rows of each level.
    weight : float array of shape (K,)
        How much they count.
    marginal : float array of shape (K,)
    """

    levels: tuple[Any, ...]
    n_rows: int
    n_used: int
    count: IntArray
    weight: FloatArray
    marginal: FloatArray


def level_effect(setting: Setting, fit: LevelFit, seen: LevelRows) -> CategoricalEffect:
    """Put the levels, their intervals and what the reader must know together."""
    if np.isnan(fit.effect).all():
        return cast(CategoricalEffect, fixed_by_others(setting))
    column, known = setting.column, ~np.isnan(fit.effect)
    pointwise, simultaneous = _level_spans(fit, setting.conf_level)
    return CategoricalEffect(
        feature=column.name,
        target=setting.problem.target,
        method="least_squares",
        unit=setting.problem.unit,
        levels=seen.levels,
        effect=fit.effect,
        lower=fit.effect - pointwise,
        upper=fit.effect + pointwise,
        band_lower=fit.effect - simultaneous,
        band_upper=fit.effect + simultaneous,
        conf_level=setting.conf_level,
        covariance=fit.covariance,
        row_share=seen.weight / seen.weight.sum(),
        marginal=seen.marginal,
        count=seen.count,
        island=fit.island,
        n_rows=seen.n_rows,
        n_used=seen.n_used,
        n_held=len(setting.others),
        impact=float(np.average(np.abs(fit.effect[known]), weights=seen.weight[known])),
        p_value=fit.p_value,
        notes=(
            *_island_notes(column.name, seen.levels, fit, seen.weight),
            *_notes(setting, seen.n_used, seen.n_rows, fit.residual),
        ),
        backend=setting.problem.table.backend,
    )


def unexplained(problem: Problem, column: Column, *found: Note) -> Effect:
    """Return an effect without a point, with the notes that say why."""
    nothing = np.empty(0)
    common: dict[str, Any] = {
        "feature": column.name,
        "target": problem.target,
        "method": "least_squares",
        "unit": problem.unit,
        "effect": nothing,
        "n_rows": problem.table.n_rows,
        "n_used": 0,
        "notes": found,
        "backend": problem.table.backend,
    }
    if column.kind == "category":
        return CategoricalEffect(levels=(), count=np.empty(0, dtype=np.int64), **common)
    empty = Histogram(column.shown(nothing), np.empty(0, dtype=np.int64))
    return NumericEffect(x=column.shown(nothing), support=nothing, distribution=empty, **common)


def fixed_by_others(setting: Setting) -> Effect:
    """Return the empty effect of a column that does not vary among alike rows."""
    twins = _twins(setting)
    reason = "with the other columns held still, nothing of it is left to vary"
    if twins:
        reason += f"; {notes.quoted(twins)} {'fixes' if len(twins) == 1 else 'fix'} it"
    remedy = Remedy("together", twins) if twins else None
    note = notes.unexplained(setting.column.name, reason, remedy)
    return replace(unexplained(setting.problem, setting.column, note), twins=twins)


def _slopes(setting: Setting, n_used: int) -> NumericEffect:
    """Average slopes as the paper does, but in honest strata."""
    column = setting.column
    present = ~np.isnan(column.values)
    x, y = column.values[present], setting.problem.y[present]
    grid = grid_of(x)
    trees = [leaf_slopes(grid, y, label[present]) for label in setting.strata.labels]
    curve = average_slopes(trees, len(grid.x))
    kept = curve.count > 0
    points, slope = grid.x[kept], curve.slope[kept]
    mass = sums_of(grid.position, setting.strata.weights[present], len(grid.x))[kept]
    effect = integrate(points, slope)
    effect -= np.average(effect, weights=mass)
    return NumericEffect(
        feature=column.name,
        target=setting.problem.target,
        method="slopes",
        unit=setting.problem.unit,
        x=column.shown(points),
        effect=effect,
        slope=slope,
        support=curve.count[kept].astype(np.float64),
        row_share=mass / mass.sum(),
        distribution=histogram(column, points),
        n_rows=len(present),
        n_used=n_used,
        n_held=len(setting.others),
        impact=float(np.average(np.abs(effect), weights=mass)),
        backend=setting.problem.table.backend,
    )


def _slopes_of(knots: FloatArray, effect: FloatArray) -> FloatArray:
    """Return the slope from each knot on; the last has that of the stretch before it."""
    slope = np.diff(effect) / np.diff(knots)
    return np.append(slope, slope[-1:])


def _at_points(comparisons: FloatArray) -> FloatArray:
    """Turn comparisons between neighbouring points into support at the points."""
    return np.maximum(np.append(comparisons, 0.0), np.append(0.0, comparisons))


def _marginal(setting: Setting, fit: CurveFit) -> FloatArray:
    """Return the mean target around each point with nothing held still, less the overall mean."""
    y, weights = setting.problem.y, setting.strata.weights
    centred = y - np.average(y, weights=weights)
    sums = fit.basis.collect(centred[:, None], weights)[:, 0]
    return sums / np.maximum(fit.basis.totals(weights), 1e-300)


def _missing(fit: CurveFit, level: float, count: int) -> Missing | None:
    if len(fit.effect) == len(fit.knots):
        return None
    half = normal_quantile(level) * float(np.sqrt(max(fit.covariance[-1, -1], 0.0)))
    value = float(fit.effect[-1])
    return Missing(value, value - half, value + half, count)


def _missing_notes(feature: str, fit: CurveFit, n_missing: int) -> Iterator[Note]:
    if fit.basis.size > len(fit.effect):
        yield notes.missing_not_comparable(feature, n_missing)


def _gap(setting: Setting, knots: FloatArray, hole: Hole) -> Gap:
    column, x = setting.column, setting.column.values
    middle = (knots[hole.left] + knots[hole.right]) / 2
    beyond = np.where(np.isnan(x), 0.0, x > middle).astype(np.float64)
    others = {name: c.values for name, c in setting.others.items()}
    ranked = diagnostics.closest_columns(beyond, others, _categories(setting))
    blocker = ranked[0][0] if ranked and ranked[0][1] > 0.5 else None
    start, stop = column.shown(knots[[hole.left, hole.right]])
    return Gap(start.item(), stop.item(), "no rows" if hole.empty else "held still", blocker)


def _categories(setting: Setting) -> list[str]:
    return [name for name, c in setting.others.items() if c.kind == "category"]


def _left_to_vary(fit: CurveFit, weights: FloatArray) -> float:
    """Return the share of a column's variance that is left when the others are held still."""
    present = fit.basis.gram(weights)[: len(fit.knots), : len(fit.knots)]
    run = fit.knots - np.average(fit.knots, weights=present.sum(axis=1))
    spread = float(run @ present @ run)
    run = np.append(run, np.zeros(fit.basis.size - len(run)))
    return float(run @ fit.within.gram @ run) / max(spread, 1e-300)


def _twins(setting: Setting) -> tuple[str, ...]:
    others = {name: c.values for name, c in setting.others.items()}
    return diagnostics.find_twins(setting.column.values, others, _categories(setting))


def _level_spans(fit: LevelFit, level: float) -> tuple[FloatArray, FloatArray]:
    """Return half-widths for single levels and for all at once, shape (K,) each."""
    pointwise = normal_quantile(level) * fit.standard_error
    if fit.covariance is not None:
        known = ~np.isnan(fit.effect)
        wide = np.full(len(fit.effect), np.nan)
        wide[known] = intervals(fit.covariance[np.ix_(known, known)], level).simultaneous
        return pointwise, wide
    # Very many levels are all but independent of each other.
    each = level ** (1 / max(int(np.count_nonzero(~np.isnan(fit.effect))), 1))
    wider = student_quantile(each, fit.df) / student_quantile(level, fit.df)
    return pointwise, wider * pointwise


def _twin_notes(feature: str, twins: tuple[str, ...], left: float) -> Iterator[Note]:
    if twins:
        yield notes.twins(feature, twins)
    elif left < diagnostics.TWIN_LEFT:
        yield notes.nearly_fixed(feature, left)


def _gap_notes(feature: str, gaps: tuple[Gap, ...]) -> Iterator[Note]:
    for gap in gaps:
        yield notes.gap(feature, gap.start, gap.stop, gap.reason, gap.blocked_by)


def _island_notes(
    feature: str, levels: tuple[Any, ...], fit: LevelFit, count: FloatArray
) -> Iterator[Note]:
    if fit.island.max() == 0:
        return
    groups: list[IntArray] = [
        np.flatnonzero(fit.island == k) for k in range(int(fit.island.max()) + 1)
    ]
    named = [[levels[k] for k in group] for group in groups]
    yield notes.islands(feature, named, [int(count[group].sum()) for group in groups])


def _notes(setting: Setting, n_used: int, n_rows: int, residual: FloatArray) -> Iterator[Note]:
    """Tell what holds for both kinds of column."""
    name, y = setting.column.name, setting.problem.y
    is_category = setting.column.kind == "category"
    step = max(1, len(y) // diagnostics.SAMPLE)
    known = diagnostics.share_known(y[::step], setting.column.values[::step], is_category)
    if known >= diagnostics.LEAK_KNOWN:
        yield notes.leak(name, setting.problem.target, known)
    if n_used < LOW_SHARE * n_rows:
        yield notes.low_share(name, n_used, n_rows)
    if n_used < FEW_ROWS:
        yield notes.few_rows(name, n_used)
    if not setting.others:
        yield notes.nothing_held(name)
    if not is_category:
        yield from _balance_notes(setting)
    if np.mean(residual**2) < EXACT:
        yield notes.exact(setting.problem.target)
    elif diagnostics.is_heavy_tailed(residual):
        yield notes.heavy_tails(setting.problem.target)


def _balance_notes(setting: Setting) -> Iterator[Note]:
    """Tell how much the other columns still move with this one inside the strata."""
    numeric = [c for c in setting.others.values() if c.kind != "category"]
    if not numeric:
        return
    columns = [c.values for c in (setting.column, *numeric)]
    inside = diagnostics.sample_inside(columns, setting.strata)
    products = inside.T @ inside
    spread = np.diag(products)
    known = products[0, 1:] ** 2 / np.maximum(spread[0] * spread[1:], 1e-300)
    most = int(np.argmax(known))
    if known[most] > IMBALANCE:
        yield notes.imbalance(setting.column.name, numeric[most].name, float(known[most]))
