"""From the first pass to the second: what the sample decides about how rows are summed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray, Hashes, IntArray, mean_and_scale
from paribus.base.notes import Note
from paribus.estimate.basis import place_knots
from paribus.estimate.covariance import ROWS_A_POINT
from paribus.estimate.covariates import Lines, lines_by_level
from paribus.estimate.design import Design
from paribus.estimate.levels import DENSE_LEVELS
from paribus.estimate.terms import Terms, choose_terms, join_terms, look, scores_of
from paribus.pipeline.jointly import Jointly
from paribus.pipeline.options import Options
from paribus.pipeline.prepare import (
    Fitted,
    fit_columns,
    has_one_value,
    id_reason,
    looks_like_id,
    why_idle,
)
from paribus.pipeline.run import left_out_with, moving_along
from paribus.results import notes as result_notes
from paribus.scale import errors
from paribus.scale import notes as batch_notes
from paribus.scale.reading import Reader
from paribus.scale.reservoir import checksum_of
from paribus.scale.row_transform import KEPT_ROWS, Explained, HeldColumn, RowTransform, Target
from paribus.scale.strata import BatchStrata, Trees, strata_of_batches
from paribus.scale.survey import Counted, Roles, Survey
from paribus.strata.cuts import Cut
from paribus.strata.rows import row_hash
from paribus.table import notes as table_notes
from paribus.table.columns import LONGEST_WHOLE, MISSING_LEVEL, Column
from paribus.table.problem import SMALLEST, Problem, Tidy, make_problem
from paribus.table.target import coded_target

if TYPE_CHECKING:
    import pyarrow as pa

OTHER = "(other)"
SAMPLE_SHARE = 10  # the sample is at most one row in so many: the others are to be summed
LOOKED_AT = 1_000  # minimum rows of a sample for a look at its columns to be useful
FEWEST_CLUSTERS = 2  # in the sample, and among the rows kept to estimate errors
SUMS_BYTES = 256 * 2**20  # maximum size of all sums
MOST_STRATA, FEWEST_STRATA = 4_000, 100


@dataclass(frozen=True, slots=True)
class Asked:
    """What to find out about a table that is read in batches."""

    reader: Reader
    roles: Roles
    options: Options
    features: Sequence[str] | None = None
    together: Sequence[str] = ()
    class_: Any = None
    tidy: Callable[..., Any] | None = None  # the look at the rows at hand before anything else


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known after the first pass."""

    transform: RowTransform  # for the workers
    problem: Problem  # that of the sample
    columns: tuple[Column, ...]  # the sample's held columns, in the order of the transform's
    labels: IntArray  # (number of strata, n): those of the sample's rows
    wanted: tuple[str, ...]  # the columns to explain, in the order asked for
    idle: Mapping[str, Note]  # why some of them cannot be
    along: Mapping[str, tuple[str, ...]]  # the columns that move along with each of them
    # The columns that are not held still, for each explained one.
    left_out: Mapping[int, tuple[int, ...]]
    # Held columns that act together on an explained one and on the target.
    confounding: Mapping[int, tuple[str, ...]]
    checksum: int  # of the hashes of the sample's rows


def _sample(survey: Survey, sample_rows: int, cluster: str | None) -> tuple[Hashes, pa.Table, int]:
    """Draw the rows that trees are grown on; see `Kept.first`. Clusters are drawn as a whole."""
    found = survey.kept.first(min(sample_rows, survey.n_rows // SAMPLE_SHARE))
    if cluster is not None and len(np.unique(found[0])) < FEWEST_CLUSTERS:
        found = survey.kept.first(min(sample_rows, survey.n_rows // 2))
        if len(np.unique(found[0])) < FEWEST_CLUSTERS:
            raise errors.clusters_too_large(cluster)
    return found


def problem_of(
    rows: Any, survey: Survey, asked: Asked, tidy: Tidy | None, whole: bool = False
) -> tuple[Problem, Mapping[Any, float] | None]:
    """Return the problem of some rows, or of all, and how targets become numbers."""
    found: dict[str, Any] = {}
    roles = asked.roles

    def code(column: Column) -> Any:
        target, found["number"] = _coded(column, survey.columns[roles.target], asked.class_)
        return target

    problem = make_problem(
        rows, roles.target, weights=roles.weights, counts=roles.counts, cluster=roles.cluster,
        kind=asked.reader.kind, code=code, copies_once=whole, tidy=tidy,
    )  # fmt: skip
    problem = replace(problem, notes=(*problem.notes, *_left_out(survey, problem)))
    return problem, found["number"]


def _coded(column: Column, counted: Counted, class_: Any) -> tuple[Any, Any]:
    """Code the target by all its values, not only by those in the sample."""
    if counted.levels is None:
        return coded_target(column, class_), None
    if column.kind == "category":
        distinct = _in_order(counted.levels)
        every = Column(column.name, "category", np.arange(len(distinct), dtype=float), distinct)
    else:
        distinct = tuple(sorted(counted.levels))
        every = Column(column.name, column.kind, np.array(distinct))
    target = coded_target(every, class_)
    number = dict(zip(distinct, target.values.tolist(), strict=True))
    if not target.unit:
        return replace(target, values=column.values), None
    shown = [column.levels[int(v)] for v in column.values] if column.levels else column.values
    return replace(target, values=np.array([number[v] for v in shown])), number


def _left_out(survey: Survey, problem: Problem) -> list[Note]:
    found = []
    if survey.missing_target:
        found.append(table_notes.missing_target(problem.target, survey.missing_target))
    if survey.zero_weight > survey.without_unit:
        found.append(table_notes.zero_weight(survey.zero_weight - survey.without_unit))
    if survey.without_unit:
        found.append(table_notes.without_unit(survey.without_unit))
    return found


def make_plan(asked: Asked, survey: Survey, sample_rows: int) -> Plan:
    """Code columns, grow trees and choose covariates on the sample."""
    reader, roles, options = asked.reader, asked.roles, asked.options
    hashes, rows, below = _sample(survey, sample_rows, roles.cluster)
    enough = len(rows) >= LOOKED_AT
    look_first = partial(asked.tidy, sampled=True) if asked.tidy and enough else None
    problem, number = problem_of(rows, survey, asked, look_first)
    along = moving_along(problem, asked.features, asked.together)
    held, columns, idle, capped = _held_columns(problem, survey, reader)
    names = [h.name for h in held]
    named = left_out_with(names, [*along], along)
    left_out = {names.index(name): out for name, out in named.items()}
    fitted = fit_columns(columns, problem, survey.count, options)
    cuts = _cuts(fitted.jointly(), columns, left_out)
    weights = problem.total_weights
    sample = _OnSample(fitted, columns, weights, survey, options, left_out, cuts)
    explained, terms, lines = sample.explained()
    coded = fitted.coded(problem, row_hash(fitted.codes))
    trees = Trees(problem, coded, options, _most_strata(explained))
    strata = strata_of_batches(trees, left_out, cuts, fitted.matrix)
    transform = RowTransform(
        reader=reader,
        roles=roles,
        below=below,
        target=Target(number, *mean_and_scale(problem.y, weights)),
        mean_weight=survey.weight / survey.count if roles.weights else 1.0,
        held=held,
        tree_coding=fitted.tree_coding,
        strata=strata,
        design=fitted.design,
        terms=terms,
        lines=lines,
        explained=tuple(replace(e, strata=strata.place[e.position]) for e in explained),
    )
    remark = batch_notes.look_on_sample if look_first else batch_notes.not_looked_at
    looked = () if asked.tidy is None else (remark(len(rows)),)
    grown = batch_notes.trees_on_sample(len(rows), survey.n_rows)
    # A note on few clusters in the sample would say nothing about the whole table.
    seen = 0 if problem.cluster is None else int(problem.cluster.max()) + 1
    remarks = [note for note in problem.notes if note != table_notes.few_clusters(seen)]
    return Plan(
        transform=transform,
        problem=replace(problem, notes=(*looked, *remarks, grown, *capped, *fitted.notes)),
        columns=columns,
        labels=strata.of(fitted.codes, fitted.matrix, options.threads),
        wanted=tuple(along),
        idle=idle,
        along=along,
        left_out=left_out,
        confounding=_confounding(cuts, strata, columns),
        checksum=checksum_of(hashes),
    )


@dataclass(frozen=True, slots=True)
class _OnSample:
    """The sample, from which it is decided how each column is explained."""

    fitted: Fitted
    columns: Sequence[Column]
    weights: FloatArray  # (n,)
    survey: Survey
    options: Options
    left_out: Mapping[int, tuple[int, ...]]
    cuts: Mapping[int, Sequence[Cut]]

    def explained(self) -> tuple[tuple[Explained, ...], Terms, tuple[Lines, ...]]:
        """Return how each column is explained, and the terms and lines of all of them."""
        design, count = self.fitted.design, self.survey.count
        for_all = self.weights * (count / self.weights.sum())  # more rows allow more knots
        terms, owned = join_terms(self._terms())
        lines, crossed = self._lines()
        n_terms = len(design.owner) + terms.size
        last = n_terms + sum(each.fitted.width for each in lines)
        found = []
        for (k, out), own in zip(self.left_out.items(), owned, strict=True):
            column = self.columns[k]
            counted = self.survey.columns[column.name]
            shared = np.flatnonzero(self.options.adjust & ~np.isin(design.owner, out))
            covariates: list[Any] = [shared, len(design.owner) + own, n_terms + crossed[k], last]
            found.append(
                Explained(
                    position=k,
                    strata=0,
                    **_points(column, counted, for_all, self.options.fewer_knots),
                    needs=_needs(design, k, out, column, counted),
                    columns=np.hstack(covariates).astype(np.int32),
                    rarity=np.empty(0),
                )
            )
        return _with_rarity(tuple(found), self.columns, self.survey.n_rows), terms, lines

    def _terms(self) -> list[Terms]:
        """Choose the terms of each explained column."""
        if not self.options.adjust:
            return [Terms() for _ in self.left_out]
        design, columns = self.fitted.design, self.columns
        seen = look(design, self.fitted.values, self.weights)
        n_levels = {k: len(table) - 1 for k, table in design.tables.items()}
        levels_of = {k: design.codes(k, columns[k].values) for k in design.many}
        return [
            choose_terms(
                design, seen, scores_of(columns[k].values, n_levels.get(k, 0)), out,
                self.survey.count, levels_of, [cut.columns for cut in self.cuts[k]],
            )
            for k, out in self.left_out.items()
        ]  # fmt: skip

    def _lines(self) -> tuple[tuple[Lines, ...], dict[int, IntArray]]:
        """Fit lines by level of all explained columns, and say which covariates each one's are."""
        design, matrix = self.fitted.design, self.fitted.incomplete
        every: list[Lines] = []
        own: dict[int, IntArray] = {}
        first = 0
        for k, found in self.cuts.items():
            x = scores_of(matrix[:, k], len(design.tables[k]) - 1 if k in design.tables else 0)
            sets = [cut.columns for cut in found] if self.options.adjust else []
            lines = [*lines_by_level(design, matrix, self.fitted.values, x, sets, self.weights)]
            last = first + sum(each.fitted.width for each in lines)
            own[k], first = np.arange(first, last), last
            every += lines
        return tuple(every), own


def _cuts(
    jointly: Jointly | None, columns: Sequence[Column], left_out: Mapping[int, tuple[int, ...]]
) -> dict[int, list[Cut]]:
    """Find the held columns that act together on each explained one, and how they are cut.

    Those that are only named, as they act on the target alone, are left to the trees.
    """
    if jointly is None:
        return {k: [] for k in left_out}
    scores = [scores_of(columns[k].values, len(columns[k].levels)) for k in left_out]
    moved = jointly.look_at(scores, [*left_out.values()]) if scores else []
    return {
        k: [cut for cut in jointly.cuts(each, own, acting=True) if not cut.half_confounds]
        for each, (k, own) in zip(moved, left_out.items(), strict=True)
    }


def _confounding(
    cuts: Mapping[int, Sequence[Cut]], strata: BatchStrata, columns: Sequence[Column]
) -> dict[int, tuple[str, ...]]:
    """Name columns that act on an explained one and the target, and are not held still exactly."""
    out = {}
    for k, own in cuts.items():
        exact = strata.held_exactly(k)
        finer = [
            j for cut in own if cut.confounds and cut.columns not in exact for j in cut.columns
        ]
        out[k] = tuple(dict.fromkeys(columns[j].name for j in finer))
    return out


def _held_columns(
    problem: Problem, survey: Survey, reader: Reader
) -> tuple[tuple[HeldColumn, ...], tuple[Column, ...], dict[str, Note], list[Note]]:
    """Return the columns that can be held still, and why the others cannot."""
    held: list[HeldColumn] = []
    columns: list[Column] = []
    idle: dict[str, Note] = {}
    capped: list[Note] = []
    for column in (problem.table[name] for name in problem.own_order):
        counted = survey.columns[column.name]
        reason = _why_idle(column, counted, survey.n_rows, reader.sorts[column.name])
        if reason:
            idle[column.name] = result_notes.unexplained(column.name, reason)
            continue
        if column.kind != "category" and counted.low == counted.high:
            column = column.with_missing_level()
            held.append(HeldColumn(column.name, {counted.low: 0.0}, missing=1.0))
        elif column.kind == "category":
            levels, has_other = _level_table(column, counted)
            column, one = _with_levels(column, levels, has_other)
            held.append(one)
            if has_other:
                capped.append(batch_notes.other_levels(column.name, len(levels), OTHER))
        else:
            held.append(HeldColumn(column.name))
        columns.append(column)
    return tuple(held), tuple(columns), idle, capped


def _why_idle(column: Column, counted: Counted, n_rows: int, sort: str) -> str:
    """Say why a column can be neither explained nor held still; empty if it can."""
    if counted.missing == n_rows:
        return why_idle(replace(column, values=np.full(1, np.nan)))
    numbers = column.kind != "category" or sort == "whole"
    if sort == "whole" and max(-counted.low, counted.high) > LONGEST_WHOLE:
        return "its whole numbers are too long to be amounts, so they look like an id"
    one_value = counted.low == counted.high if numbers else len(counted.levels or "ab") == 1
    if one_value and counted.missing == 0:
        return why_idle(replace(column, values=np.zeros(1)))
    if column.kind == "number" and max(-counted.low, counted.high) < SMALLEST:
        return why_idle(replace(column, values=np.array([counted.low, counted.high])))
    alike = has_one_value(column) and not np.isnan(column.values).any()
    if alike or np.isnan(column.values).all():
        return "nearly all rows have the same value"
    counts_all = counted.levels is not None and column.kind == "category"
    n_levels = len(counted.levels or ()) if counts_all else len(column.levels)
    n_seen = n_rows if counts_all else len(column.values)
    if column.kind == "category" and looks_like_id(n_levels, n_seen):
        return id_reason(n_levels, n_seen)
    return ""


def _level_table(column: Column, counted: Counted) -> tuple[tuple[Any, ...], bool]:
    """Return the levels to keep apart, and whether the others are combined."""
    count = counted.levels
    if count is not None and len(count) <= DENSE_LEVELS:
        return _in_order(count), False
    if count is None:
        count = Counter(dict(zip(column.levels, column.counts.tolist(), strict=True)))
    common = sorted(count, key=lambda level: (-count[level], str(level)))[: DENSE_LEVELS - 2]
    return _in_order(common), True


def _in_order(levels: Any) -> tuple[Any, ...]:
    return tuple(sorted(levels, key=lambda v: (type(v).__name__, v)))


def _with_levels(
    column: Column, levels: tuple[Any, ...], has_other: bool
) -> tuple[Column, HeldColumn]:
    """Number a category's levels by a table."""
    number = {level: float(k) for k, level in enumerate(levels)}
    other = float(len(levels)) if has_other else np.nan
    shown = (*levels, OTHER) if has_other else levels
    table = np.array([*(number.get(v, other) for v in column.levels), np.nan])
    new = Column(column.name, "category", table[column.codes], shown)
    return new, HeldColumn(column.name, number, other)


def _points(column: Column, counted: Counted, weights: FloatArray, fewer: float) -> dict[str, Any]:
    """Choose the points of a column of numbers, or the levels of a category."""
    if column.kind == "category":
        return {"knots": None, "size": len(column.levels), "middle": 0.0}
    ends = [counted.low, counted.high]
    knots = place_knots(np.append(column.values, ends), np.append(weights, np.ones(2)), fewer)
    middle = float(np.nanmean(column.values))
    return {"knots": knots, "size": len(knots), "middle": middle}


def _needs(
    design: Design, k: int, left_out: tuple[int, ...], column: Column, counted: Counted
) -> tuple[int, ...]:
    """Return the columns, missing in some rows, that must be known to explain column k."""
    has_missing = counted.missing > 0 and MISSING_LEVEL not in column.levels
    return (*((k,) if has_missing else ()), *(j for j in design.needed if j not in left_out))


def _with_rarity(
    explained: tuple[Explained, ...], columns: Sequence[Column], n_rows: int
) -> tuple[Explained, ...]:
    """Set how much likelier rows at rare points are kept; otherwise their errors go unseen."""
    usual = min(KEPT_ROWS / n_rows, 1.0)
    counts = []
    for e in explained:
        x = columns[e.position].values
        basis = e.basis(x[~np.isnan(x)])
        found = basis.totals(np.ones(len(basis.index)))
        counts.append(found * (n_rows / len(x)))
    n_rare = sum(int(np.count_nonzero(usual * count < ROWS_A_POINT)) for count in counts)
    wanted = min(ROWS_A_POINT, KEPT_ROWS / 2 / max(n_rare, 1))
    out = []
    for e, count in zip(explained, counts, strict=True):
        share = np.clip(wanted / np.maximum(count, 1e-300), usual, 1.0)
        # All rows at the rarest points are kept in any case.
        out.append(replace(e, rarity=share / usual * np.where(share < 1, 1.0, 1000.0)))
    return tuple(out)


def _most_strata(explained: Sequence[Explained]) -> int:
    """Return how many strata a tree may have so that all sums fit into `SUMS_BYTES`."""
    width = sum(e.size + len(e.columns) + 50 for e in explained)
    fit = SUMS_BYTES // max(8 * width, 1)
    return int(min(MOST_STRATA, max(fit, FEWEST_STRATA)))
