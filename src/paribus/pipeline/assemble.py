"""From strata to a result: estimate, look at what the reader must know, put it together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from paribus.base import notes
from paribus.base.arrays import BoolArray, FloatArray, IntArray, Rows
from paribus.base.notes import Note, Remedy
from paribus.estimate.bands import intervals, normal_quantile, student_quantile
from paribus.estimate.basis import Hats, level_basis
from paribus.estimate.covariance import Moves
from paribus.estimate.covariates import Covariates
from paribus.estimate.curve import CurveFit, curve_basis, fit_curve
from paribus.estimate.design import scores_of
from paribus.estimate.groups import sums_of
from paribus.estimate.levels import LevelFit, fit_levels
from paribus.estimate.missing import MissingPoint, missing_point
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other, Pieces
from paribus.estimate.refine import refined_curve, refined_levels
from paribus.estimate.slopes import average_slopes, grid_of, integrate, leaf_slopes
from paribus.pipeline import diagnostics
from paribus.pipeline.averaging import MOST_LEVELS, Averaging, average_curve, average_levels
from paribus.pipeline.diagnostics import Hole
from paribus.pipeline.remarks import (
    common_notes,
    gap_notes,
    island_notes,
    missing_notes,
    twin_notes,
)
from paribus.results import (
    CategoricalEffect,
    Differs,
    Effect,
    Gap,
    Histogram,
    Influential,
    Missing,
    NumericEffect,
    histogram,
)
from paribus.results.impact import impact_of
from paribus.table.columns import MISSING_LEVEL, Column
from paribus.table.problem import Problem

FIXED = 1e-8  # share of a column's variance left to vary: below it, there is nothing to see


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
    y : float array of shape (n,)
    row : int64 array of shape (n,)
        Where the rows stand in the caller's table.
    strata : Partitions
    coarser : Partitions, or None
        The same with columns that act together cut half as finely.
    covariates : Covariates
    conf_level : float
        How sure the intervals are to be.
    slopes_only : bool
        Average slopes as the paper does, without intervals.
    fewer_knots : float
        Times the usual number of knots of a curve.
    pieces : mapping of str to Pieces
        Of the columns that the effect may differ with.
    n_missing : int
        Rows of the whole table without a value of the column.
    even : bool
        Whether that is so for columns cut evenly, from which the rest can be extrapolated.
    confounding : tuple of str
        Columns that act together on the column and on the target, and can be held still only as
        finely as there are rows.
    """

    problem: Problem
    column: Column
    others: Mapping[str, Column]
    y: FloatArray
    row: Rows
    strata: Partitions
    coarser: Partitions | None
    covariates: Covariates
    conf_level: float
    slopes_only: bool
    n_missing: int
    fewer_knots: float = 1.0
    pieces: Mapping[str, Pieces] = field(default_factory=dict)
    even: bool = False
    confounding: tuple[str, ...] = ()

    def take(self, rows: Rows) -> Setting:
        """Return some of the rows."""
        return replace(
            self,
            column=replace(self.column, values=self.column.values[rows]),
            others={name: replace(c, values=c.values[rows]) for name, c in self.others.items()},
            y=self.y[rows],
            row=self.row[rows],
            strata=self.strata.take(rows),
            coarser=None if self.coarser is None else self.coarser.take(rows),
            covariates=self.covariates.take(rows),
        )

    def moderators(self) -> dict[str, Other]:
        """Return the columns that the effect may differ with."""
        return {
            name: Other(column.values, self.pieces[name])
            for name, column in self.others.items()
            if name in self.pieces
        }

    def scores(self) -> FloatArray:
        """Return the column as numbers, shape (n, c); see `scores_of`."""
        return scores_of(self.column.values, len(self.column.levels))


def explain_column(setting: Setting) -> Effect:
    """Estimate the effect of a column, on the rows that have a value of it.

    Rows without one are compared with alike rows afterwards: a point of its own.
    """
    missing = np.isnan(setting.column.values)
    present = setting.take(np.flatnonzero(~missing)) if missing.any() else setting
    if setting.column.kind == "category":
        return _explain_levels(present, setting, missing)
    return _explain_numbers(present, setting, missing)


def _point_of_missing(
    setting: Setting, missing: BoolArray, effect: FloatArray
) -> MissingPoint | None:
    """Compare rows without a value with the others, less the `effect` (m,) of their value."""
    if not missing.any():
        return None
    left = setting.y.copy()
    left[~missing] -= effect
    return missing_point(missing, left, setting.covariates, setting.strata)


def _explain_numbers(setting: Setting, every: Setting, missing: BoolArray) -> Effect:
    column, x = setting.column, setting.column.values
    used = diagnostics.used_rows(x, setting.strata)
    if not used.any():
        return fixed_by_others(setting)
    if setting.slopes_only:
        return _slopes(setting, int(np.count_nonzero(used)))
    weights = setting.strata.weights
    basis = curve_basis(x, weights, setting.fewer_knots)
    common = fit_curve(basis, setting.y, setting.covariates, setting.strata)
    fit, differs = average_curve(basis, common, _averaging(setting, used))
    if setting.coarser is not None:
        coarse = fit_curve(basis, setting.y, setting.covariates, setting.coarser)
        fit = refined_curve(fit, common, coarse, setting.even)
    comparisons = diagnostics.comparisons_across(basis, len(fit.knots), setting.strata)
    seen = CurveRows(
        n_rows=setting.problem.table.n_rows,
        n_used=int(np.count_nonzero(used)),
        n_missing=setting.n_missing,
        share_left=_left_to_vary(basis, fit, weights),
        comparisons=comparisons,
        holes=diagnostics.find_holes(x, basis, fit.knots, comparisons, weights),
        marginal=_marginal(setting, basis),
        distribution=histogram(column, fit.knots),
        missing=_point_of_missing(every, missing, basis.times(fit.effect)),
    )
    return curve_effect(setting, fit, seen, differs)


def _averaging(setting: Setting, used: BoolArray) -> Averaging:
    return Averaging(
        values=setting.column.values,
        y=setting.y,
        covariates=setting.covariates,
        strata=setting.strata,
        others=setting.moderators(),
        used=used,
        conf_level=setting.conf_level,
    )


@dataclass(frozen=True, slots=True)
class CurveRows:
    """What the rows say beside a curve.

    Attributes
    ----------
    n_rows, n_used, n_missing : int
        Rows, those that took part in a comparison, and those without a value.
    share_left : float
        Share of the column's variance that is left when the others are held still.
    comparisons : float array of shape (k - 1,)
        Across the middle between neighbouring knots.
    holes : list of Hole
    marginal : float array of shape (k,)
    distribution : Histogram
    missing : MissingPoint, or None
    """

    n_rows: int
    n_used: int
    n_missing: int
    share_left: float
    comparisons: FloatArray
    holes: list[Hole]
    marginal: FloatArray
    distribution: Histogram
    missing: MissingPoint | None


def curve_effect(
    setting: Setting, fit: CurveFit, seen: CurveRows, differs: Differs | None = None
) -> Effect:
    """Put a curve, its intervals and what the reader must know together."""
    if seen.share_left < FIXED:
        return fixed_by_others(setting)
    column = setting.column
    gaps = tuple(_gap(setting, fit.knots, hole) for hole in seen.holes)
    spans = intervals(fit.covariance, setting.conf_level, fit.df)
    effect = fit.effect
    twins = _twins(setting) if seen.share_left < diagnostics.TWIN_LEFT else ()
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
        covariance=_with_missing(fit.covariance, seen.missing),
        df=np.full(len(effect), fit.df),
        row_share=fit.row_share,
        marginal=seen.marginal,
        support=_at_points(seen.comparisons),
        slope=_slopes_of(fit.knots, effect),
        gaps=gaps,
        missing=_missing(seen, setting.conf_level),
        distribution=seen.distribution,
        n_rows=seen.n_rows,
        n_used=seen.n_used,
        n_held=len(setting.others),
        impact=impact_of(effect, fit.row_share, np.diag(fit.covariance)),
        p_value=fit.p_value,
        share_left=seen.share_left,
        twins=twins,
        differs=differs,
        influential=_influential(setting, fit.moves, effect),
        notes=(
            *missing_notes(column.name, seen),
            *twin_notes(column.name, twins, seen.share_left),
            *gap_notes(column.name, gaps),
            *common_notes(setting, seen.n_used, seen.n_rows, fit.residual, fit.unsettled),
        ),
        backend=setting.problem.table.backend,
    )


def _with_missing(covariance: FloatArray, point: MissingPoint | None) -> FloatArray:
    """Return the covariance of points and, last, that of the missing values."""
    if point is None:
        return covariance
    out = np.zeros((len(covariance) + 1, len(covariance) + 1))
    out[:-1, :-1] = covariance
    out[-1, -1] = point.standard_error**2
    return out


def _influential(setting: Setting, moves: Moves, effect: FloatArray) -> tuple[Influential, ...]:
    """Name the rows that move the result by more than its standard error."""
    out = []
    for row, change, size in zip(moves.rows, moves.change, moves.size, strict=True):
        at = int(np.nanargmax(np.abs(change)))
        out.append(
            Influential(
                row=int(setting.row[row]),
                target=float(setting.y[row]),
                value=_value(setting.column, float(setting.column.values[row])),
                point=at,
                effect=float(effect[at]),
                without=float(effect[at] + change[at]),
                standard_errors=float(size),
            )
        )
    return tuple(out)


def _value(column: Column, value: float) -> Any:
    if column.kind == "category":
        return column.levels[int(value)]
    return column.shown(np.array([value]))[0].item()


def _explain_levels(setting: Setting, every: Setting, missing: BoolArray) -> Effect:
    column = setting.column
    codes, size = column.values.astype(np.int64), len(column.levels)
    used = diagnostics.used_rows(column.values, setting.strata)
    others = {name: c.values for name, c in setting.others.items()}
    fixing = diagnostics.fixing_columns(column.values, others)
    if fixing or not used.any():
        return fixed_by_others(setting, fixing)
    y, weights = setting.y, setting.strata.weights
    common = fit_levels(codes, size, y, setting.covariates, setting.strata)
    basis = level_basis(codes, size)
    fit, differs = average_levels(basis, common, _averaging(setting, used))
    if setting.coarser is not None:
        coarse = fit_levels(codes, size, y, setting.covariates, setting.coarser)
        fit = refined_levels(fit, common, coarse, setting.even)
    at_rows = np.nan_to_num(fit.effect)[codes]
    weight = sums_of(codes, weights, size)
    seen = LevelRows(
        levels=column.levels,
        n_rows=setting.problem.table.n_rows,
        n_used=int(np.count_nonzero(used)),
        n_missing=setting.n_missing,
        count=np.bincount(codes, minlength=size),
        weight=weight,
        marginal=_level_means(codes, weights, y, size) - np.average(y, weights=weights),
        missing=_point_of_missing(every, missing, at_rows),
        missing_marginal=float(every.y[missing].mean() - y.mean()) if missing.any() else 0.0,
    )
    return level_effect(setting, fit, seen, differs)


def _level_means(codes: IntArray, weights: FloatArray, y: FloatArray, size: int) -> FloatArray:
    """Return the mean target of each level, NaN of one without a row that can be compared."""
    weight = sums_of(codes, weights, size)
    return sums_of(codes, weights * y, size) / np.where(weight > 0, weight, np.nan)


@dataclass(frozen=True, slots=True)
class LevelRows:
    """What the rows say beside the effects of levels.

    Attributes
    ----------
    levels : tuple
        As shown.
    n_rows, n_used, n_missing : int
        Rows, those that took part in a comparison, and those without a value.
    count : int array of shape (K,)
        Rows of each level.
    weight : float array of shape (K,)
        How much they count.
    marginal : float array of shape (K,)
    missing : MissingPoint, or None
    missing_marginal : float
    """

    levels: tuple[Any, ...]
    n_rows: int
    n_used: int
    n_missing: int
    count: IntArray
    weight: FloatArray
    marginal: FloatArray
    missing: MissingPoint | None
    missing_marginal: float


def level_effect(
    setting: Setting, fit: LevelFit, seen: LevelRows, differs: Differs | None = None
) -> Effect:
    """Put the levels, their intervals and what the reader must know together."""
    if np.isnan(fit.effect).all():
        return fixed_by_others(setting)
    column = setting.column
    pointwise, simultaneous = _level_spans(fit, setting.conf_level)
    effect = fit.effect
    found = {
        "levels": seen.levels,
        "effect": effect,
        "lower": effect - pointwise,
        "upper": effect + pointwise,
        "band_lower": effect - simultaneous,
        "band_upper": effect + simultaneous,
        "row_share": seen.weight / seen.weight.sum(),
        "marginal": seen.marginal,
        "count": seen.count,
        "island": fit.island,
    }
    if seen.missing is not None:
        found = _with_missing_level(found, seen, setting.conf_level)
    covariance = fit.covariance
    return CategoricalEffect(
        feature=column.name,
        target=setting.problem.target,
        method="least_squares",
        unit=setting.problem.unit,
        **found,
        conf_level=setting.conf_level,
        covariance=None if covariance is None else _with_missing(covariance, seen.missing),
        n_rows=seen.n_rows,
        n_used=seen.n_used,
        n_held=len(setting.others),
        impact=impact_of(effect, seen.weight, fit.standard_error**2),
        p_value=fit.p_value,
        differs=differs,
        influential=_influential(setting, fit.moves, effect),
        notes=(
            *missing_notes(column.name, seen),
            *island_notes(column.name, seen.levels, fit, seen.weight),
            *_average_notes(setting, seen.levels),
            *common_notes(setting, seen.n_used, seen.n_rows, fit.residual, fit.unsettled),
        ),
        backend=setting.problem.table.backend,
    )


def _with_missing_level(
    found: dict[str, Any], seen: LevelRows, conf_level: float
) -> dict[str, Any]:
    """Return what is known of levels with one more for the missing values."""
    point = cast(MissingPoint, seen.missing)
    half = float(student_quantile(conf_level, np.array([point.df]))[0]) * point.standard_error
    more: dict[str, Any] = {
        "levels": (MISSING_LEVEL,),
        "effect": point.value,
        "lower": point.value - half,
        "upper": point.value + half,
        "band_lower": point.value - half,
        "band_upper": point.value + half,
        "row_share": 0.0,
        "marginal": seen.missing_marginal,
        "count": seen.n_missing,
        "island": 0,
    }
    return {
        name: (*values, *more[name]) if name == "levels" else np.append(values, more[name])
        for name, values in found.items()
    }


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


def fixed_by_others(setting: Setting, twins: tuple[str, ...] = ()) -> Effect:
    """Return the empty effect of a column that does not vary among alike rows."""
    twins = twins or _twins(setting)
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
    x, y = column.values[present], setting.y[present]
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


def _marginal(setting: Setting, basis: Hats) -> FloatArray:
    """Return the mean target around each point with nothing held still, less the overall mean."""
    y, weights = setting.y, setting.strata.weights
    centred = y - np.average(y, weights=weights)
    sums = basis.collect(centred[:, None], weights)[:, 0]
    return sums / np.maximum(basis.totals(weights), 1e-300)


def _missing(seen: CurveRows, conf_level: float) -> Missing | None:
    point = seen.missing
    if point is None:
        return None
    half = float(student_quantile(conf_level, np.array([point.df]))[0]) * point.standard_error
    return Missing(point.value, point.value - half, point.value + half, seen.n_missing)


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


def _left_to_vary(basis: Hats, fit: CurveFit, weights: FloatArray) -> float:
    """Return the share of a column's variance that is left when the others are held still."""
    present = basis.gram(weights)
    run = fit.knots - np.average(fit.knots, weights=present.sum(axis=1))
    return float(run @ fit.within.gram @ run) / max(float(run @ present @ run), 1e-300)


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


def _average_notes(setting: Setting, levels: tuple[Any, ...]) -> Iterator[Note]:
    if setting.pieces and setting.others and len(levels) > MOST_LEVELS:
        yield notes.too_many_levels_to_differ(setting.column.name, MOST_LEVELS)
