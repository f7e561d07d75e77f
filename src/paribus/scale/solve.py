"""From sums to effects: the same least squares as in memory, on sums instead of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Labels, Rows, dot, lacks
from paribus.estimate.basis import Hats, level_basis
from paribus.estimate.covariance import Moves
from paribus.estimate.covariates import Covariates, no_covariates
from paribus.estimate.curve import CurveFit, solve_curve
from paribus.estimate.levels import LevelFit, solve_levels
from paribus.estimate.missing import MissingPoint, missing_point
from paribus.estimate.partitions import Partitions, own_pull, partitions_of
from paribus.estimate.pieces import Other, Pieces, fit_pieces
from paribus.estimate.units import Units
from paribus.estimate.within import Left, take_out
from paribus.pipeline.assemble import fixed_by_others, unexplained
from paribus.pipeline.averaging import (
    Averaging,
    average_curve_by_part,
    average_levels_by_part,
)
from paribus.pipeline.curves import CurveRows, curve_effect
from paribus.pipeline.diagnostics import comparisons_of, holes_between, used_rows
from paribus.pipeline.levels import LevelRows, level_effect
from paribus.pipeline.options import Average
from paribus.pipeline.run import with_group
from paribus.pipeline.setting import Setting
from paribus.results import Effect, Histogram, bin_edges
from paribus.scale import errors
from paribus.scale.notes import few_clusters_kept, too_fine_in_batches
from paribus.scale.plan import FEWEST_CLUSTERS, Plan
from paribus.scale.row_transform import Explained, RowTransform
from paribus.scale.sums import ColumnSums, Sums
from paribus.strata.honest import without_gaps
from paribus.table.problem import FEW_CLUSTERS

Fit = TypeVar("Fit", CurveFit, LevelFit)


@dataclass(frozen=True, slots=True)
class KeptRows:
    """The rows from which errors are estimated."""

    matrix: FloatArray  # (m, p)
    covariates: FloatArray  # (m, width): all covariates and the target
    weights: FloatArray  # (m,)
    counts: FloatArray  # (m,)
    sampling_weight: FloatArray  # (m,): how many rows like it each stands for
    cluster: Labels | None  # (m,)
    strata: IntArray  # (n_sets, m)


def kept_rows(transform: RowTransform, sums: Sums) -> KeptRows:
    """Prepare the rows that were kept to estimate errors."""
    _, table, below = sums.kept.first(sums.kept.limit)
    values = np.column_stack([column.to_numpy() for column in table.columns])
    target, weights, counts, unit, rarity = values[:, -5:].T.copy()
    matrix = np.ascontiguousarray(values[:, :-5])
    shared = transform.design.values(matrix)
    cluster = None
    if transform.roles.cluster is not None:
        cluster = np.unique(unit, return_inverse=True)[1].astype(np.int32)
        if cluster.max(initial=-1) + 1 < FEWEST_CLUSTERS:
            raise errors.clusters_too_large(transform.roles.cluster)
    return KeptRows(
        matrix=matrix,
        covariates=transform.covariates(matrix, shared, target),
        weights=weights,
        counts=counts,
        sampling_weight=1 / np.minimum(rarity * (below / 2**64), 1.0),
        cluster=cluster,
        strata=transform.labels(matrix, shared),
    )


@dataclass(frozen=True, slots=True)
class SummedWithin:
    """All rows summed up, and some kept to estimate errors; see `Within`."""

    left: Left
    # Covariates, target and basis of the kept rows, less the means of their stratum.
    columns: FloatArray  # (m, d + K)
    units: Units  # the kept rows
    label: IntArray  # (m,), their strata
    totals: FloatArray  # (n_strata,), the weight of each, all rows summed up
    df: float

    @property
    def gram(self) -> FloatArray:
        """Products of the basis columns, shape (K, K)."""
        return self.left.gram

    @property
    def score(self) -> FloatArray:
        """Their products with the target, shape (K,)."""
        return self.left.score

    @property
    def total(self) -> float:
        """Sum of squares of the target."""
        return self.left.total

    @property
    def taken(self) -> FloatArray:
        """The share of each error that the covariates absorb, shape (m,)."""
        return np.full(len(self.columns), len(self.left.slopes) / self.units.n_rows)

    def residual(self, effect: FloatArray) -> FloatArray:
        """Return the residuals of an effect (K,) in the kept rows, shape (m,)."""
        q, slopes = len(self.left.slopes), self.left.slopes
        target = self.columns[:, q] - self.columns[:, :q] @ slopes[:, -1]
        return target - self._freed(slice(None)) @ effect

    def without_cluster(self, residual: FloatArray) -> FloatArray:
        """Return residuals (m,) from stratum means computed without a row's own cluster.

        Clusters are kept as a whole, so all their rows in each stratum are known.
        """
        if self.units.cluster is None:
            raise ValueError("rows belong to no cluster")
        total = self.totals[self.label]
        weights, cluster = self.units.weights, self.units.cluster
        return residual + own_pull(residual, weights, cluster, self.label, total)

    def influence(self, at: Rows, functions: FloatArray | None = None) -> FloatArray:
        """Return what an error in the target of some kept rows does to the score; see `Within`."""
        freed = self._freed(at)
        return freed if functions is None else freed @ functions

    def _freed(self, at: Rows | slice) -> FloatArray:
        q, slopes, rows = len(self.left.slopes), self.left.slopes, self.columns[at]
        return rows[:, q + 1 :] - rows[:, :q] @ slopes[:, :-1]


def summed_within(
    explained: Explained, sums: Sums, column: ColumnSums, kept: KeptRows
) -> tuple[SummedWithin, Hats]:
    """Project strata and covariates out of sums; return the basis of the kept rows as well."""
    d, at = len(explained.columns), explained.columns
    met = column.totals > 0
    totals = column.totals[met]
    roots = column.strata[met] / np.sqrt(totals)[:, None]
    between = dot(roots.T, roots)
    inner = sums.gram[np.ix_(at, at)] - between[:d, :d]
    if explained.needs:
        inner -= column.missing
    gram = np.diag(column.diagonal) + np.diag(column.beside, 1) + np.diag(column.beside, -1)
    left = take_out(
        inner, column.crossed - between[d:, :d], gram - between[d:, d:],
        np.ones(d - 1, dtype=np.bool_), float(totals.sum()),
    )  # fmt: skip
    x = kept.matrix[:, explained.position]
    present = np.flatnonzero(~lacks(kept.matrix, explained.needs))
    basis = explained.basis(np.ascontiguousarray(x[present]))
    label = kept.strata[explained.strata][present]
    rows = np.hstack([kept.covariates[np.ix_(present, at)], basis.dense()])
    rows -= column.strata[label] / column.totals[label][:, None]
    # The sum over rows of `one_minus_leverage`; see `Units`.
    taken = 2 - column.counted[met] * column.squares[met] / totals**2
    n_left = float(np.sum(column.counted[met] - taken))
    units = _units(column, kept, present, label)
    return SummedWithin(left, rows, units, label, column.totals, n_left - d + 1), basis


def _units(column: ColumnSums, kept: KeptRows, present: Rows, label: IntArray) -> Units:
    """Return the kept rows that have a value, weighted to represent all rows."""
    weights, counts = kept.weights[present], kept.counts[present]
    total, square = column.totals[label], column.squares[label]
    for_all = kept.sampling_weight[present]
    return Units(
        weights=weights,
        counts=counts,
        one_minus_leverage=1 - 2 * weights / counts / total + square / total**2,
        sampling_weight=for_all * column.totals.sum() / float(for_all @ weights),
        cluster=None if kept.cluster is None else kept.cluster[present],
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """Everything that is known of one explained column."""

    plan: Plan
    explained: Explained
    sums: Sums
    column: ColumnSums
    kept: KeptRows
    setting: Setting
    n_rows: int


def explain_sums(
    plan: Plan, sums: Sums, level: float, n_rows: int, average: Average = "rows"
) -> list[Effect]:
    """Turn sums into effects, in the order asked for."""
    kept = kept_rows(plan.transform, sums)
    pieces: dict[str, Pieces] = {}
    if average == "rows":
        weights = plan.problem.total_weights
        pieces = {c.name: fit_pieces(c.values, len(c.levels), weights) for c in plan.columns}
    n_clusters = FEW_CLUSTERS if kept.cluster is None else int(kept.cluster.max()) + 1
    few = (few_clusters_kept(n_clusters),) if n_clusters < FEW_CLUSTERS else ()
    found: dict[str, Effect] = {}
    for explained, column in zip(plan.transform.explained, sums.columns, strict=True):
        setting = _setting(plan, explained, level, pieces)
        one = _numbers if explained.knots is not None else _levels
        e = one(_Given(plan, explained, sums, column, kept, setting, n_rows))
        together = plan.confounding.get(explained.position, ())
        fine = (too_fine_in_batches(e.feature, together),) if together else ()
        e = replace(e, notes=(*e.notes, *fine, *few)) if e.explained else e
        found[setting.column.name] = e
    for name, note in plan.idle.items():
        found[name] = unexplained(plan.problem, plan.problem.table[name], note)
    tidied = plan.problem.tidied
    return [with_group(found[name], plan.along[name], tidied) for name in plan.wanted]


def _setting(
    plan: Plan, explained: Explained, level: float, pieces: Mapping[str, Pieces]
) -> Setting:
    """Return the sample, from which the notes are derived."""
    left_out = plan.left_out[explained.position]
    problem, label = plan.problem, plan.labels[explained.strata]
    label = without_gaps(label, int(label.max()) + 1)  # not all cells are met in the sample
    return Setting(
        problem=problem,
        column=plan.columns[explained.position],
        others={c.name: c for k, c in enumerate(plan.columns) if k not in left_out},
        y=problem.y,
        row=problem.row,
        strata=partitions_of([label], [int(label.max()) + 1], problem.total_weights),
        otherwise=(),
        covariates=no_covariates(len(problem.y)),
        conf_level=level,
        slopes_only=False,
        n_missing=0,
        pieces=pieces,
    )


@dataclass(frozen=True, slots=True)
class _KeptTable:
    """Some of the kept rows as a table in memory: target (m,), covariates and strata."""

    y: FloatArray
    covariates: Covariates
    strata: Partitions


def _kept_table(explained: Explained, kept: KeptRows, rows: Rows, scale: float) -> _KeptTable:
    """Return kept rows, weighted to represent all rows."""
    own = kept.covariates[np.ix_(rows, explained.columns)]
    label = kept.strata[explained.strata][rows]
    label = without_gaps(label, int(label.max()) + 1)
    weights = (kept.weights * kept.sampling_weight)[rows]
    cluster = None if kept.cluster is None else kept.cluster[rows]
    strata = partitions_of(
        [label], [int(label.max()) + 1], weights / weights.mean(), cluster=cluster
    )
    values = np.ascontiguousarray(own[:, :-1])
    covariates = Covariates(values, np.ones(values.shape[1], dtype=np.bool_))
    return _KeptTable(scale * own[:, -1], covariates, strata)


def _point_of_missing(
    explained: Explained, kept: KeptRows, effect: FloatArray, scale: float
) -> MissingPoint | None:
    """Compare kept rows without a value with the others, minus the `effect` (m,) of the latter."""
    others = [k for k in explained.needs if k != explained.position]
    rows = np.flatnonzero(~lacks(kept.matrix, others))
    missing = np.isnan(kept.matrix[rows, explained.position])
    if not missing.any():
        return None
    table = _kept_table(explained, kept, rows, scale)
    left = table.y
    left[~missing] -= effect
    return missing_point(missing, left, table.covariates, table.strata)


def _averaging(given: _Given) -> tuple[Averaging, float]:
    """Return the kept rows that effects are averaged over, and their share of all rows."""
    plan, explained, kept, setting = given.plan, given.explained, given.kept, given.setting
    rows = np.flatnonzero(~lacks(kept.matrix, explained.needs))
    table = _kept_table(explained, kept, rows, plan.transform.target.scale)
    values = np.ascontiguousarray(kept.matrix[rows, explained.position])
    others = {
        name: Other(np.ascontiguousarray(kept.matrix[rows, k]), setting.pieces[name])
        for k, name in enumerate(column.name for column in plan.columns)
        if name in setting.others and name in setting.pieces
    }
    averaging = Averaging(
        values=values,
        y=table.y,
        covariates=table.covariates,
        strata=table.strata,
        others=others,
        counted=used_rows(values, table.strata).astype(np.float64),
        conf_level=setting.conf_level,
        levels={name: column.levels for name, column in setting.others.items()},
    )
    return averaging, len(rows) / float(kept.sampling_weight[rows].sum())


def _numbers(given: _Given) -> Effect:
    explained, column, kept, setting = given.explained, given.column, given.kept, given.setting
    n_used = int(column.rows[column.low < column.high].sum())
    if n_used == 0:
        return fixed_by_others(setting)
    within, basis = summed_within(explained, given.sums, column, kept)
    count = column.strata[:, -explained.size :].sum(axis=0)
    scale = given.plan.transform.target.scale
    n_covariates = len(explained.columns) - 1
    common = solve_curve(basis, basis.rarer_point(), within, count, n_covariates, scale)
    fit, differs = common, None
    if setting.pieces and len(basis.index):
        fit, differs = average_curve_by_part(basis, common, *_averaging(given))
    comparisons = comparisons_of(column.sides, len(fit.knots))
    x = setting.column.values
    edges = bin_edges(fit.knots)
    seen = CurveRows(
        n_rows=given.n_rows,
        n_used=n_used,
        n_missing=int(column.n_missing[0]),
        share_left=_left_to_vary(explained, column, fit),
        comparisons=comparisons,
        holes=holes_between(x[~np.isnan(x)], column.points, fit.knots, comparisons),
        marginal=scale * _marginal(column.crossed[:, -1], count),
        distribution=Histogram(setting.column.shown(edges), column.histogram.astype(np.int64)),
        missing=_point_of_missing(explained, kept, basis.times(fit.effect), scale),
    )
    return curve_effect(setting, _without_rows(fit), seen, differs)


def _marginal(sums: FloatArray, count: FloatArray) -> FloatArray:
    """Return the mean target at each point less the overall mean."""
    return sums / np.maximum(count, 1e-300) - sums.sum() / count.sum()


def _left_to_vary(explained: Explained, column: ColumnSums, fit: CurveFit) -> float:
    weight, first, second = column.moments
    mean = first / weight
    spread = second - weight * mean**2
    run = fit.knots - explained.middle - mean
    return float(run @ fit.within.gram @ run) / max(spread, 1e-300)


def _levels(given: _Given) -> Effect:
    explained, column, kept, setting = given.explained, given.column, given.kept, given.setting
    by_stratum = column.strata[:, -explained.size :]
    n_used = int(column.rows[np.count_nonzero(by_stratum, axis=1) > 1].sum())
    if n_used == 0:
        return fixed_by_others(setting)
    met, scale = column.points > 0, given.plan.transform.target.scale
    within, basis = summed_within(explained, given.sums, column, kept)
    level = (np.cumsum(met) - 1).astype(np.int32)[basis.index]
    n_covariates = len(explained.columns) - 1
    common = solve_levels(level, _only(within, met), column.points[met], n_covariates, scale)
    fit, differs = common, None
    if setting.pieces and len(level):
        own = level_basis(level, int(np.count_nonzero(met)))
        rows, share = _averaging(given)
        fit, differs = average_levels_by_part(own, common, rows, column.points[met], share)
    marginal = _marginal(column.crossed[:, -1], column.points)
    missing = np.isnan(kept.matrix[:, explained.position])
    at_missing = kept.covariates[missing, -1]
    seen = LevelRows(
        levels=tuple(setting.column.levels[k] for k in np.flatnonzero(met)),
        n_rows=given.n_rows,
        n_used=n_used,
        n_missing=int(column.n_missing[0]),
        count=column.count[met].astype(np.int64),
        weight=column.points[met],
        marginal=scale * marginal[met],
        missing=_point_of_missing(explained, kept, np.nan_to_num(fit.effect)[level], scale),
        missing_marginal=scale * float(at_missing.mean()) if missing.any() else 0.0,
    )
    return level_effect(setting, _without_rows(fit), seen, differs)


def _only(within: SummedWithin, points: BoolArray) -> SummedWithin:
    """Return the same without some of the levels."""
    rest = np.ones(within.columns.shape[1] - len(points), dtype=np.bool_)
    columns = np.ascontiguousarray(within.columns[:, np.append(rest, points)])
    return replace(within, left=within.left.only(points), columns=columns)


def _without_rows(fit: Fit) -> Fit:
    """Return a fit without its influential rows: row numbers of kept rows are not known."""
    return replace(fit, moves=Moves.none(len(fit.effect)))
