"""From strata to the effect of a number: a curve, and its caveats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, dot
from paribus.estimate.bands import intervals
from paribus.estimate.basis import Hats
from paribus.estimate.curve import CurveFit, curve_basis, fit_curve
from paribus.estimate.groups import sums_of
from paribus.estimate.refine import refined_curve, tested_as_shown
from paribus.estimate.slopes import average_slopes, grid_of, integrate, leaf_slopes
from paribus.pipeline import assemble, diagnostics
from paribus.pipeline.averaging import average_curve
from paribus.pipeline.diagnostics import Hole
from paribus.pipeline.levels import levels_averaged
from paribus.pipeline.regions import with_regions
from paribus.pipeline.remarks import (
    common_notes,
    gap_notes,
    missing_notes,
    neighbours_alike,
    twin_notes,
)
from paribus.pipeline.setting import Setting
from paribus.results import (
    Differs,
    Effect,
    Gap,
    Histogram,
    Missing,
    NumericEffect,
    histogram,
)
from paribus.results.impact import impact_of

FAR_SHARE, FAR_OFF = 0.01, 20.0  # rows beyond that share, so many times as far as the rest
FIXED = 1e-8  # share of a column's variance left to vary: below it, there is nothing to see


def explain_numbers(setting: Setting, every: Setting, missing: BoolArray) -> Effect:
    """Estimate the curve on the rows that have a value, then compare `every` row without."""
    column, x = setting.column, setting.column.values
    used = diagnostics.used_rows(x, setting.strata)
    if not used.any():
        return assemble.fixed_by_others(setting)
    if setting.slopes_only:
        return _slopes(setting, int(np.count_nonzero(used)))
    weights = setting.strata.weights
    period = float(setting.problem.tidied.cycles.get(column.name, 0))
    basis = curve_basis(x, weights, setting.fewer_knots, period)
    # Values that only rounding tells apart are one point of a curve, not two levels.
    two = basis.size == 2 and column.two_as_levels().kind == "category"
    fit, differs = (_of_two_values if two else _curve_averaged)(setting, basis, used)
    if np.isnan(fit.effect).any():
        return assemble.fixed_by_others(setting)
    comparisons = diagnostics.comparisons_across(basis, len(fit.knots), setting.strata)
    seen = CurveRows(
        n_rows=setting.problem.table.n_rows,
        n_used=int(np.count_nonzero(used)),
        n_missing=setting.n_missing,
        share_left=_left_to_vary(basis, fit, weights),
        comparisons=comparisons,
        holes=diagnostics.find_holes(x, basis, fit.knots, comparisons, weights),
        marginal=_marginal(setting, basis, fit.row_share),
        distribution=histogram(column, fit.knots),
        missing=assemble.point_of_missing(every, missing, basis.times(fit.effect)),
    )
    found = curve_effect(setting, fit, seen, differs)
    return assemble.closed(found, basis.period)


def _curve_averaged(
    setting: Setting, basis: Hats, used: BoolArray
) -> tuple[CurveFit, Differs | None]:
    """Estimate a curve, averaged over the rows `used` (n,) at each of its points."""
    common = fit_curve(basis, setting.y, setting.covariates, setting.strata)
    fit, differs = average_curve(basis, common, setting.averaging(used))
    if not basis.period:  # along a round, there is no slope to tell
        differs = with_regions(
            differs, setting, common.within, common.residual, common.effect, common.knots
        )
    if setting.otherwise:
        y, covariates = setting.y, setting.covariates
        fits = [common, *(fit_curve(basis, y, covariates, s) for s in setting.otherwise)]
        fit = refined_curve(fit, fits, basis.rarer_point(), setting.scale)
    elif setting.half_confounded:
        fit = tested_as_shown(fit)
    return fit, differs


def _of_two_values(
    setting: Setting, basis: Hats, used: BoolArray
) -> tuple[CurveFit, Differs | None]:
    """Estimate a number of two values as the levels that it is, to the same numbers."""
    values, codes = np.unique(setting.column.values, return_inverse=True)
    fit, differs = levels_averaged(setting, codes, 2, used, values)
    count = basis.totals(setting.strata.weights)
    if fit.within is None:
        raise ValueError("two levels are not very many")
    covariance, df = fit.as_of_a_curve()
    curve = CurveFit(
        knots=values,
        effect=fit.effect,
        covariance=covariance,
        row_share=count / count.sum(),
        edf=1.0,
        df=df,
        p_value=fit.p_value,
        residual=fit.residual,
        moves=fit.moves,
        within=fit.within,
        solve=fit.solve,
        unsettled=fit.unsettled,
    )
    return curve, differs


@dataclass(frozen=True, slots=True)
class CurveRows(assemble.SeenRows):
    """What the rows say beside a curve."""

    share_left: float  # share of the column's variance that is left when the others are held still
    comparisons: FloatArray  # (k - 1,): across the middle between neighbouring knots
    holes: list[Hole]
    distribution: Histogram


def curve_effect(
    setting: Setting, fit: CurveFit, seen: CurveRows, differs: Differs | None = None
) -> Effect:
    """Put a curve, its intervals and what the reader must know together."""
    if seen.share_left < FIXED:
        return assemble.fixed_by_others(setting)
    column = setting.column
    gaps = tuple(_gap(setting, fit.knots, hole) for hole in seen.holes)
    spans = intervals(fit.covariance, setting.conf_level, fit.df)
    effect = np.clip(fit.effect, *setting.limits())
    twins = setting.twins() if seen.share_left < diagnostics.TWIN_LEFT else ()
    alike = neighbours_alike(setting, fit.residual)
    return NumericEffect(
        **assemble.common_parts(setting, "least_squares"),
        **spans.around(effect, setting.limits()),
        x=column.shown(fit.knots),
        effect=effect,
        conf_level=setting.conf_level,
        covariance=assemble.with_missing(fit.covariance, seen.missing),
        df=np.full(len(effect), fit.df),
        row_share=fit.row_share,
        marginal=seen.marginal,
        support=_at_points(seen.comparisons),
        slope=_slopes_of(fit.knots, effect),
        gaps=gaps,
        missing=_missing(setting, seen),
        distribution=seen.distribution,
        n_rows=seen.n_rows,
        n_used=seen.n_used,
        impact=impact_of(effect, fit.row_share, np.diag(fit.covariance)),
        p_value=fit.p_value,
        share_left=seen.share_left,
        twins=twins,
        neighbours_alike=alike,
        differs=differs,
        influential=assemble.influential(setting, fit.moves, effect),
        notes=(
            *missing_notes(column.name, seen),
            *twin_notes(column.name, twins, seen.share_left),
            *gap_notes(column.name, gaps),
            *common_notes(setting, seen.n_used, seen.n_rows, fit, alike),
        ),
    )


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
        **assemble.common_parts(setting, "slopes"),
        x=column.shown(points),
        effect=effect,
        slope=slope,
        support=curve.count[kept].astype(np.float64),
        row_share=mass / mass.sum(),
        distribution=histogram(column, points),
        n_rows=len(present),
        n_used=n_used,
        impact=float(np.average(np.abs(effect), weights=mass)),
    )


def _slopes_of(knots: FloatArray, effect: FloatArray) -> FloatArray:
    """Return the slope from each knot on; the last has that of the stretch before it."""
    slope = np.diff(effect) / np.diff(knots)
    return np.append(slope, slope[-1:])


def _at_points(comparisons: FloatArray) -> FloatArray:
    """Turn comparisons between neighbouring points into support at the points."""
    return np.maximum(np.append(comparisons, 0.0), np.append(0.0, comparisons))


def _marginal(setting: Setting, basis: Hats, row_share: FloatArray) -> FloatArray:
    """Return the mean target around each point with nothing held still, less the overall mean."""
    y, weights = setting.y, setting.strata.weights
    total = float(weights.sum())
    centred = y - dot(weights, y) / total
    sums = basis.collect(centred[:, None], weights)[:, 0]
    return sums / np.maximum(total * row_share, 1e-300)


def _missing(setting: Setting, seen: CurveRows) -> Missing | None:
    if seen.missing is None:
        return None
    effect, spans = assemble.missing_spans(setting, seen.missing)
    ends = spans.around(effect, setting.limits())
    return Missing(effect.item(), ends["lower"].item(), ends["upper"].item(), seen.n_missing)


def _gap(setting: Setting, knots: FloatArray, hole: Hole) -> Gap:
    column, x = setting.column, setting.column.values
    middle = (knots[hole.left] + knots[hole.right]) / 2
    beyond = np.where(np.isnan(x), 0.0, x > middle).astype(np.float64)
    ranked = diagnostics.closest_columns(beyond, setting.held, setting.categories)
    blocker = ranked[0][0] if ranked and ranked[0][1] > 0.5 else None
    start, stop = column.shown(knots[[hole.left, hole.right]])
    return Gap(start.item(), stop.item(), "no rows" if hole.empty else "held still", blocker)


def _left_to_vary(basis: Hats, fit: CurveFit, weights: FloatArray) -> float:
    """Return the share of a column's variance that is left when the others are held still.

    Where a few rows lie far off, in other columns as well, they carry all the variance of the
    values and would hide that the other rows vary freely: then it is that of the ranks.
    """
    present = basis.gram(weights)
    share = present.sum(axis=1) / present.sum()
    below = np.cumsum(share) - share / 2
    bulk = fit.knots[(below > FAR_SHARE) & (below < 1 - FAR_SHARE)]
    left = _left_of(fit.knots, share, fit.within.gram, present)
    if left < FIXED or len(bulk) < 2 or np.ptp(fit.knots) < FAR_OFF * np.ptp(bulk):
        return left
    return max(left, _left_of(below, share, fit.within.gram, present))


def _left_of(run: FloatArray, share: FloatArray, left: FloatArray, present: FloatArray) -> float:
    apart = run - share @ run
    return float(apart @ left @ apart) / max(float(apart @ present @ apart), 1e-300)
