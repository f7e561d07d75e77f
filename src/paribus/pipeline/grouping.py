"""Effects by group: rows divided by one column, and explained group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Labels
from paribus.base.notes import Note
from paribus.base.progress import Progress, silent
from paribus.estimate.basis import weighted_quantiles
from paribus.pipeline import errors as pipeline_errors
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.options import Options
from paribus.pipeline.prepare import prepare
from paribus.pipeline.run import explain
from paribus.results import Effect
from paribus.results.by_group import compare_groups
from paribus.results.words import places
from paribus.table.columns import MISSING_LEVEL, Column
from paribus.table.problem import Problem

FEWEST_ROWS = 30  # of a group
MOST_GROUPS = 8  # of a category; rarer levels are one group more
THIRDS = (1 / 3, 2 / 3)  # of a number: low, middle and high
MIDDLE = (0.05, 0.95)  # quantiles between which most rows lie
FEW_VALUES = 5  # a number with no more is a group a value
OTHERS = "(others)"
FEWER_KNOTS = 0.5  # so that curves laid over each other can be read


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows divided into groups."""

    column: str
    labels: tuple[str, ...]
    cuts: FloatArray  # (c,): the cut points of a number; none of a category
    levels: tuple[Any, ...]  # the level of each group that has one of its own
    # Which of the levels or stretches each group is; small ones may be left out.
    place: tuple[int, ...]
    code: Labels  # (n,): the group of each row; -1 for none


def asked_by(by: Any) -> tuple[str, Sequence[float] | None]:
    """Return the column that groups are made of, and the cut points, if any are given."""
    if isinstance(by, str):
        return by, None
    if not isinstance(by, Mapping) or len(by) != 1:
        raise pipeline_errors.bad_by(by)
    ((name, cuts),) = by.items()
    try:
        ends = np.asarray(cuts, dtype=np.float64)
    except (TypeError, ValueError):
        raise pipeline_errors.bad_by(by) from None
    ascending = ends.ndim == 1 and len(ends) > 0 and np.all(np.diff(ends) > 0)
    if not ascending or not np.isfinite(ends).all():
        raise pipeline_errors.bad_by(by)
    return str(name), ends.tolist()


def grouping_of(
    column: Column,
    weights: FloatArray,
    cuts: Sequence[float] | None = None,
    fewest: float = FEWEST_ROWS,
) -> Grouping:
    """Divide rows by a column: levels, or thirds of a number; the target is never looked at.

    Levels of fewer than `fewest` rows are one group together. Rows without a value are a group of
    their own.
    """
    if column.kind == "category" and cuts is not None:
        raise pipeline_errors.cuts_of_category(column.name)
    n_values = len(np.unique(column.values[~np.isnan(column.values)]))
    if n_values == 0:
        raise pipeline_errors.one_group(column.name, FEWEST_ROWS)
    few = n_values <= FEW_VALUES
    if column.kind == "category" or (few and cuts is None):
        found = _by_level(column.as_category(), fewest)
    else:
        found = _by_cuts(column, weights, cuts)
    missing = np.isnan(column.values)
    if missing.any():
        code = np.where(missing, len(found.labels), found.code).astype(np.int32)
        found = replace(found, labels=(*found.labels, MISSING_LEVEL), code=code)
    return _without_small(found, fewest)


def _by_level(column: Column, fewest: float) -> Grouping:
    codes = np.where(np.isnan(column.values), -1, column.values).astype(np.int64)
    count = np.bincount(codes[codes >= 0], minlength=len(column.levels))
    # A single level more is no "others".
    most = MOST_GROUPS + int(len(count) == MOST_GROUPS + 1)
    often = np.argsort(-count, kind="stable")[:most]
    kept = np.sort(often[count[often] >= fewest])
    labels = tuple(str(column.levels[k]) for k in kept)
    group = np.full(len(column.levels) + 1, len(kept))
    group[kept] = np.arange(len(kept))
    group[-1] = -1
    if len(kept) < len(column.levels):
        labels = (*labels, OTHERS)
    levels = tuple(column.levels[k] for k in kept)
    code = group[codes].astype(np.int32)
    return Grouping(column.name, labels, np.empty(0), levels, (), code)


def _by_cuts(column: Column, weights: FloatArray, cuts: Sequence[float] | None) -> Grouping:
    present = ~np.isnan(column.values)
    x = column.values[present]
    ends = np.asarray(cuts) if cuts is not None else _thirds(x, weights[present])
    # A few values far off must not make the ends look alike.
    stretch = float(np.ptp(np.quantile(x, MIDDLE))) or float(np.ptp(x))
    (*words,) = places(column.shown(ends), min(stretch, 10 * np.diff(ends).min(initial=np.inf)))
    between = [f"{a} to {b}" for a, b in pairwise(words)]
    labels = (f"up to {words[0]}", *between, f"above {words[-1]}")
    code = np.searchsorted(ends, column.values, side="left").astype(np.int32)
    return Grouping(column.name, labels, ends, (), (), code)


def _thirds(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the values that divide the rows into thirds; ties may leave fewer."""
    ends = np.unique(weighted_quantiles(x, weights, np.array(THIRDS)))
    below = ends[ends < x.max()]
    return below if len(below) else np.array([float(np.mean([x.min(), x.max()]))])


def _without_small(found: Grouping, fewest: float) -> Grouping:
    count = np.bincount(found.code[found.code >= 0], minlength=len(found.labels))
    kept = np.flatnonzero(count >= fewest)
    if len(kept) < 2:
        raise pipeline_errors.one_group(found.column, FEWEST_ROWS)
    number = np.full(len(found.labels) + 1, -1)
    number[kept] = np.arange(len(kept))
    labels = tuple(found.labels[k] for k in kept)
    code = number[found.code].astype(np.int32)
    return replace(found, labels=labels, place=tuple(kept.tolist()), code=code)


def with_groups(
    every: Sequence[Effect],
    problem: Problem,
    options: Options,
    along: Mapping[str, Sequence[str]],
    grouping: Grouping,
    progress: Progress = silent,
) -> list[Effect]:
    """Return effects with their like in every group.

    Each group is a table of its own: its own strata, covariates and penalties, and no row in
    common with another. So the difference between two groups has the sum of their variances.
    """
    smoother = replace(options, fewer_knots=FEWER_KNOTS)
    names = [e.feature for e in every if e.explained and e.feature != grouping.column]
    found: dict[str, dict[str, Effect]] = {name: {} for name in names}
    for k, label in enumerate(grouping.labels):
        rows = np.flatnonzero(grouping.code == k)
        if np.ptp(problem.y[rows]) > 0:
            analysis = prepare(problem.take(rows), smoother)
            for e in explain(analysis, names, along):
                found[e.feature][label] = e
        progress(k + 1, len(grouping.labels))
    return compared(every, found, problem, grouping)


def compared(
    every: Sequence[Effect],
    found: Mapping[str, Mapping[str, Effect]],
    problem: Problem,
    grouping: Grouping,
) -> list[Effect]:
    """Return effects with what was `found` in each group, by column and group."""
    remarks = tuple(_notes(problem, grouping))
    cuts = problem.column(grouping.column).shown(grouping.cuts)
    return [
        replace(e, by=compare_groups(e, grouping.column, cuts, found[e.feature], remarks))
        if found.get(e.feature)
        else e
        for e in every
    ]


def _notes(problem: Problem, grouping: Grouping) -> list[Note]:
    remarks = []
    if (grouping.code < 0).any():
        left_out = int(np.count_nonzero(grouping.code < 0))
        remarks.append(pipeline_notes.small_groups(grouping.column, left_out, FEWEST_ROWS))
    cluster = problem.cluster
    if cluster is not None and _spans(cluster, grouping.code):
        remarks.append(pipeline_notes.clusters_across(grouping.column))
    return remarks


def _spans(cluster: IntArray | Labels, code: Labels) -> bool:
    """Tell whether some cluster has rows in several groups."""
    pairs = np.unique(np.column_stack([cluster, code]), axis=0)
    return len(pairs) > len(np.unique(cluster))
