"""From strata to the effect of a category: its levels, and their caveats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.base.notes import Note
from paribus.estimate.bands import Intervals, intervals_where, normal_quantile, wide_of_many
from paribus.estimate.basis import level_basis
from paribus.estimate.groups import sums_of
from paribus.estimate.levels import LevelFit, fit_levels, in_one_cluster
from paribus.estimate.missing import MissingPoint
from paribus.estimate.refine import refined_levels
from paribus.pipeline import assemble, diagnostics
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.averaging import MOST_LEVELS, average_levels
from paribus.pipeline.regions import with_regions
from paribus.pipeline.remarks import (
    common_notes,
    island_notes,
    missing_notes,
    neighbours_alike,
)
from paribus.pipeline.setting import Setting
from paribus.results import (
    CategoricalEffect,
    Differs,
    Effect,
)
from paribus.results.impact import impact_of
from paribus.table.columns import MISSING_LEVEL

ZERO_ONE = np.array([0.0, 1.0])


def explain_levels(setting: Setting, every: Setting, missing: BoolArray) -> Effect:
    """Estimate the levels on the rows that have one, then compare `every` row without."""
    column = setting.column
    codes, size = column.values.astype(np.int64), len(column.levels)
    used = diagnostics.used_rows(column.values, setting.strata)
    fixing = diagnostics.fixing_columns(column.values, setting.held)
    if fixing or not used.any():
        return assemble.fixed_by_others(setting, fixing)
    y, weights = setting.y, setting.strata.weights
    fit, differs = levels_averaged(setting, codes, size, used)
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
        missing=assemble.point_of_missing(every, missing, at_rows),
        missing_marginal=float(every.y[missing].mean() - y.mean()) if missing.any() else 0.0,
    )
    found = level_effect(setting, fit, seen, differs)
    return replace(found, notes=(*found.notes, *_cluster_notes(setting, codes, size)))


def levels_averaged(
    setting: Setting, codes: IntArray, size: int, used: BoolArray, values: FloatArray = ZERO_ONE
) -> tuple[LevelFit, Differs | None]:
    """Estimate `size` levels, their `codes` (n,) given, averaged over the rows `used` (n,).

    Of two levels the `values` (2,) tell what one more is, where regions differ.
    """
    y, covariates = setting.y, setting.covariates
    common = fit_levels(codes, size, y, covariates, setting.strata)
    fit, differs = average_levels(level_basis(codes, size), common, setting.averaging(used))
    if size == 2:
        differs = with_regions(
            differs, setting, common.within, common.residual, common.effect, values
        )
    if setting.otherwise:
        fits = [common, *(fit_levels(codes, size, y, covariates, s) for s in setting.otherwise)]
        count = sums_of(codes, setting.strata.weights, size)
        fit = refined_levels(fit, fits, codes, count, setting.scale)
    return fit, differs


def _cluster_notes(setting: Setting, codes: IntArray, size: int) -> Iterator[Note]:
    units = setting.strata.units
    if units.cluster is None or units.nested:
        return
    alone = int(np.count_nonzero(in_one_cluster(codes, units.cluster, size)))
    if alone:
        yield pipeline_notes.levels_of_one_cluster(setting.column.name, alone)


def _level_means(codes: IntArray, weights: FloatArray, y: FloatArray, size: int) -> FloatArray:
    """Return the mean target of each level, NaN of one without a row that can be compared."""
    weight = sums_of(codes, weights, size)
    return sums_of(codes, weights * y, size) / np.where(weight > 0, weight, np.nan)


@dataclass(frozen=True, slots=True)
class LevelRows(assemble.SeenRows):
    """What the rows say beside the effects of levels."""

    levels: tuple[Any, ...]  # as shown
    count: IntArray  # (K,): rows of each level
    weight: FloatArray  # (K,): how much they count
    missing_marginal: float


def level_effect(
    setting: Setting, fit: LevelFit, seen: LevelRows, differs: Differs | None = None
) -> Effect:
    """Put the levels, their intervals and what the reader must know together."""
    if np.isnan(fit.effect).all():
        return assemble.fixed_by_others(setting)
    column = setting.column
    limits = setting.limits(_above(fit.island, seen))
    effect = np.clip(fit.effect, *limits)
    found = {
        "levels": seen.levels,
        "effect": effect,
        **_level_spans(fit, setting.conf_level).around(effect, limits),
        "row_share": seen.weight / seen.weight.sum(),
        "marginal": seen.marginal,
        "count": seen.count,
        "island": fit.island,
    }
    if seen.missing is not None:
        found = _with_missing_level(found, seen, setting)
    covariance, root = fit.covariance, fit.root
    alike = neighbours_alike(setting, fit.residual)
    return CategoricalEffect(
        **assemble.common_parts(setting, "least_squares"),
        **found,
        conf_level=setting.conf_level,
        covariance=None if covariance is None else assemble.with_missing(covariance, seen.missing),
        covariance_root=None if root is None else assemble.root_with_missing(root, seen.missing),
        n_rows=seen.n_rows,
        n_used=seen.n_used,
        impact=impact_of(effect, seen.weight, fit.standard_error**2),
        p_value=fit.p_value,
        neighbours_alike=alike,
        differs=differs,
        influential=assemble.influential(setting, fit.moves, effect),
        notes=(
            *missing_notes(column.name, seen),
            *island_notes(column.name, seen.levels, fit, seen.weight),
            *_average_notes(setting, seen.levels),
            *common_notes(setting, seen.n_used, seen.n_rows, fit, alike),
        ),
    )


def _above(island: IntArray, seen: LevelRows) -> FloatArray:
    """Return how far the mean target of each level's island lies above that of all rows."""
    total = sums_of(island + 1, seen.weight * np.nan_to_num(seen.marginal), len(island) + 1)
    weight = sums_of(island + 1, seen.weight, len(island) + 1)
    above: FloatArray = (total / np.maximum(weight, 1e-300))[island + 1]
    return above


def _with_missing_level(found: dict[str, Any], seen: LevelRows, setting: Setting) -> dict[str, Any]:
    """Return what is known of levels with one more for the missing values."""
    value, spans = assemble.missing_spans(setting, cast(MissingPoint, seen.missing))
    more: dict[str, Any] = {
        "levels": (MISSING_LEVEL,),
        "effect": value,
        **spans.around(value, setting.limits()),
        "row_share": 0.0,
        "marginal": seen.missing_marginal,
        "count": seen.n_missing,
        "island": 0,
    }
    return {
        name: (*values, *more[name]) if name == "levels" else np.append(values, more[name])
        for name, values in found.items()
    }


def _level_spans(fit: LevelFit, level: float) -> Intervals:
    """Return half-widths for single levels and for all at once, shape (K,) each."""
    known, pointwise = ~np.isnan(fit.effect), normal_quantile(level) * fit.standard_error
    if fit.covariance is not None:
        return Intervals(pointwise, intervals_where(known, fit.covariance, level).simultaneous)
    n_known = int(np.count_nonzero(known))
    return Intervals(pointwise, wide_of_many(level, n_known, fit.df) * pointwise)


def _average_notes(setting: Setting, levels: tuple[Any, ...]) -> Iterator[Note]:
    if setting.pieces and setting.others and len(levels) > MOST_LEVELS:
        yield pipeline_notes.too_many_levels_to_differ(setting.column.name, MOST_LEVELS)
