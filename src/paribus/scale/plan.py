"""From the first pass to the second: what the sample says about how rows are to be summed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from paribus.base import notes
from paribus.base.arrays import FloatArray, IntArray, side_by_side
from paribus.base.notes import Note
from paribus.estimate.adjust import (
    CURVE_DEPENDENCE,
    MAX_DUMMIES,
    Others,
    confounders,
    curves_of,
    level_means,
    prepare_others,
)
from paribus.estimate.basis import place_knots
from paribus.estimate.levels import DENSE_LEVELS
from paribus.estimate.within import ROWS_A_POINT
from paribus.pipeline.run import Options, is_idle, laid_out, looks_like_id, shuffle_levels
from paribus.scale.reading import Reader
from paribus.scale.reservoir import checksum_of
from paribus.scale.row_transform import (
    KEPT_ROWS,
    Explained,
    HeldColumn,
    Pool,
    Recipe,
    Shared,
    Target,
)
from paribus.scale.survey import Counted, Roles, Survey
from paribus.strata.coding import fit_coding
from paribus.strata.family import Family
from paribus.strata.honest import Coded, Growing, grow_on
from paribus.strata.rows import row_hash
from paribus.table.columns import LONGEST_WHOLE, Column
from paribus.table.problem import Problem, make_problem
from paribus.table.target import coded_target

OTHER = "(other)"
SAMPLE_SHARE = 10  # the sample is at most this part of the rows: the others are to be summed
SUMS_BYTES = 256 * 2**20  # what all sums may come to
MOST_STRATA, FEWEST_STRATA = 4_000, 100


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known after the first pass.

    Attributes
    ----------
    recipe : Recipe
        For the workers.
    problem : Problem
        That of the sample.
    columns : tuple of Column
        The sample's held columns, in the order of the recipe's.
    labels : int32 array of shape (n_sets, n)
        The strata of the sample's rows.
    wanted : tuple of str
        The columns to explain, in the order asked for.
    idle : mapping of str to Note
        Why some of them cannot be.
    group : tuple of str
        Columns that move together.
    left_out : mapping of int to tuple of int
        The columns that are not held still, for each explained one.
    checksum : int
        Of the hashes of the sample's rows.
    """

    recipe: Recipe
    problem: Problem
    columns: tuple[Column, ...]
    labels: IntArray
    wanted: tuple[str, ...]
    idle: Mapping[str, Note]
    group: tuple[str, ...]
    left_out: Mapping[int, tuple[int, ...]]
    checksum: int


def sample_size(survey: Survey, sample_rows: int) -> int:
    """Return how many of the rows the trees are grown on."""
    return min(sample_rows, survey.n_rows // SAMPLE_SHARE)


def problem_of(
    rows: Any, survey: Survey, reader: Reader, roles: Roles, class_: Any
) -> tuple[Problem, Mapping[Any, float] | None]:
    """Ask the problem of some rows, and return how values of the target become numbers."""
    found: dict[str, Any] = {}

    def code(column: Column) -> Any:
        target, found["number"] = _coded(column, survey.columns[roles.target], class_)
        return target

    problem = make_problem(rows, roles.target, weights=roles.weights, kind=reader.kind, code=code)
    return replace(problem, notes=problem.notes + tuple(_left_out(survey, problem))), found[
        "number"
    ]


def _coded(column: Column, counted: Counted, class_: Any) -> tuple[Any, Any]:
    """Code the target by all its values, not only by those that the sample holds."""
    told = coded_target(column, class_) if counted.levels is None else None
    if counted.levels is None or told is not None:
        return told, None
    if column.kind == "category":
        distinct = sorted(counted.levels, key=lambda v: (type(v).__name__, v))
        every = Column(
            column.name, "category", np.arange(len(distinct), dtype=float), tuple(distinct)
        )
    else:
        distinct = sorted(counted.levels)
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
        found.append(notes.missing_target(problem.target, survey.missing_target))
    if survey.zero_weight:
        found.append(notes.zero_weight(survey.zero_weight))
    return found


def make_plan(
    survey: Survey,
    reader: Reader,
    roles: Roles,
    options: Options,
    *,
    sample_rows: int,
    features: Sequence[str] | None,
    together: Sequence[str],
    class_: Any,
) -> Plan:
    """Code columns, grow trees and choose covariates on the sample."""
    hashes, rows, below = survey.kept.first(sample_size(survey, sample_rows))
    problem, number = problem_of(rows, survey, reader, roles, class_)
    wanted = problem.table.names if features is None else problem.names_of(features)
    group = problem.group(together, wanted)
    held, columns, idle, capped = _held_columns(problem, survey, reader)
    moving = [k for k, h in enumerate(held) if h.name in group]
    places = [k for k, h in enumerate(held) if h.name in wanted]
    left_out = {k: tuple(moving) if k in moving else (k,) for k in places}
    sets = list(dict.fromkeys(left_out.values()))
    weights = np.ones(len(rows)) if problem.weights is None else problem.weights
    matrix = side_by_side([c.values for c in columns]) if columns else np.empty((len(rows), 0))
    categorical = [k for k, c in enumerate(columns) if c.kind == "category"]
    others = prepare_others(matrix, categorical, weights, options.n_jobs)
    shared = _shared(held, columns, matrix, weights)
    for_all = weights * (survey.n_rows / len(weights))  # more rows have room for more knots
    ties = {k: _ties(columns[k], others, left_out[k], options.adjust) for k in places}
    pool = _pool(held, columns, others, left_out, ties, options.adjust)
    explained = tuple(
        Explained(
            position=k,
            set=sets.index(left_out[k]),
            **_points(columns[k], survey.columns[columns[k].name], held[k], for_all),
            active=options.adjust & ~np.isin(shared.owner, left_out[k]),
            further=pool.places(ties[k], k),
            rarity=np.empty(0),
        )
        for k in places
    )
    explained = _with_rarity(explained, held, matrix, survey.n_rows)
    most = _most_strata(explained, len(shared.owner))
    held, codes, family = _grown(problem, held, matrix, categorical, sets, options, most)
    mean = float(np.average(problem.y, weights=weights))
    spread = float(np.sqrt(np.average((problem.y - mean) ** 2, weights=weights))) or 1.0
    recipe = Recipe(
        reader=reader,
        roles=roles,
        below=below,
        target=Target(number, mean, spread),
        mean_weight=1.0 if survey.whole else survey.weight / survey.n_rows,
        held=held,
        family=family,
        shared=shared,
        pool=pool,
        explained=explained,
    )
    labels = np.ascontiguousarray(family.apply_coded(codes, n_jobs=options.n_jobs).T)
    told = (
        *problem.notes,
        notes.trees_on_sample(len(rows), survey.n_rows),
        *capped,
    )
    problem = replace(problem, notes=told)
    return Plan(
        recipe, problem, columns, labels, tuple(wanted), idle, group, left_out, checksum_of(hashes)
    )


def _held_columns(
    problem: Problem, survey: Survey, reader: Reader
) -> tuple[tuple[HeldColumn, ...], tuple[Column, ...], dict[str, Note], list[Note]]:
    """Return the columns that can be held still, and of the others why they cannot."""
    held: list[HeldColumn] = []
    columns: list[Column] = []
    idle: dict[str, Note] = {}
    capped: list[Note] = []
    for column in problem.table.columns:
        counted = survey.columns[column.name]
        reason = _why_idle(column, counted, survey.n_rows, reader.sorts[column.name])
        if reason:
            idle[column.name] = notes.unexplained(column.name, reason)
            continue
        if column.kind != "category" and counted.low == counted.high:
            column = column.as_category()
            held.append(HeldColumn(column.name, {counted.low: 0.0}, n_levels=1))
        elif column.kind == "category":
            levels, has_other = _level_table(column, counted)
            column, one = _with_levels(column, levels, has_other)
            held.append(one)
            if has_other:
                capped.append(notes.other_levels(column.name, len(levels), OTHER))
        else:
            held.append(HeldColumn(column.name))
        columns.append(column)
    return tuple(held), tuple(columns), idle, capped


def _why_idle(column: Column, counted: Counted, n_rows: int, sort: str) -> str:
    """Say why a column can be neither explained nor held still, or nothing."""
    if counted.missing == n_rows:
        return "it is missing in every row"
    numbers = column.kind != "category" or sort == "whole"
    if sort == "whole" and max(-counted.low, counted.high) > LONGEST_WHOLE:
        return "its whole numbers are too long to be amounts, so they look like an id"
    one_value = counted.low == counted.high if numbers else len(counted.levels or "ab") == 1
    if one_value and counted.missing == 0:
        return "it has the same value in every row"
    if is_idle(column) or (len(np.unique(column.values)) < 2 and not one_value):
        return "nearly all rows have the same value"
    counts_all = counted.levels is not None and column.kind == "category"
    n_levels = len(counted.levels or ()) if counts_all else len(column.levels)
    n_seen = n_rows if counts_all else len(column.values)
    if column.kind == "category" and looks_like_id(n_levels, n_seen):
        return f"its {n_levels:,} different texts in {n_seen:,} rows look like an id"
    return ""


def _level_table(column: Column, counted: Counted) -> tuple[tuple[Any, ...], bool]:
    """Return the levels to tell apart, and whether the others are taken together."""
    count = counted.levels
    if count is not None and len(count) <= DENSE_LEVELS:
        return _in_order(count), False
    if count is None:
        present = column.values[~np.isnan(column.values)].astype(np.int64)
        sizes = np.bincount(present, minlength=len(column.levels))
        count = Counter(dict(zip(column.levels, sizes.tolist(), strict=True)))
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
    codes = np.where(np.isnan(column.values), len(column.levels), column.values).astype(np.int64)
    new = Column(column.name, "category", table[codes], shown)
    return new, HeldColumn(column.name, number, other, n_levels=len(shown))


def _shared(
    held: Sequence[HeldColumn],
    columns: Sequence[Column],
    matrix: FloatArray,
    weights: FloatArray,
) -> Shared:
    """Choose the covariates that all explained columns share; see `prepare_others`."""
    numbers = [k for k, c in enumerate(columns) if c.kind != "category"]
    moments = [_moments(matrix[:, k], weights) for k in numbers]
    flags, tables = {}, {}
    for k in numbers:
        gone = np.isnan(matrix[:, k])
        if gone.any():
            flags[k] = _standardised(np.array([0.0, 1.0]), _moments(gone + 0.0, weights))
    for k in range(len(columns)):
        if k not in numbers:
            codes = held[k].codes(matrix[:, k])
            common = np.argsort(-np.bincount(codes, weights), kind="stable")[1 : MAX_DUMMIES + 1]
            hit = np.arange(held[k].n_levels + 1)[:, None] == common
            of_codes = [_moments((codes == level) + 0.0, weights) for level in common]
            tables[k] = _standardised(hit + 0.0, np.array(of_codes).reshape(-1, 2).T)
    owner = [*numbers, *flags, *(k for k, table in tables.items() for _ in table[0])]
    mean, scale = np.array(moments).reshape(-1, 2).T
    return Shared(
        np.array(owner, dtype=np.int64),
        np.array(numbers, dtype=np.int64),
        mean,
        scale,
        flags,
        tables,
    )


def _standardised(values: FloatArray, moments: Any) -> FloatArray:
    mean, scale = moments
    return (values - mean) / scale


def _moments(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of the present values, 1 where there is none."""
    known = ~np.isnan(values)
    mean = float(np.average(values[known], weights=weights[known]))
    scale = float(np.sqrt(np.average((values[known] - mean) ** 2, weights=weights[known])))
    return mean, scale or 1.0


def _ties(
    column: Column, others: Others, left_out: tuple[int, ...], adjust: bool
) -> tuple[int, ...]:
    """Return the shared covariates that a column of numbers depends on; see `covariates_of`."""
    if column.kind == "category" or not adjust:
        return ()
    strongest = confounders(others, column.values, left_out)
    return tuple(sorted(place for place, tie in strongest if tie > CURVE_DEPENDENCE))


def _pool(
    held: Sequence[HeldColumn],
    columns: Sequence[Column],
    others: Others,
    left_out: Mapping[int, tuple[int, ...]],
    ties: Mapping[int, tuple[int, ...]],
    adjust: bool,
) -> Pool:
    """Gather the covariates that only some explained columns have; see `covariates_of`."""
    bent = sorted({k for tied in ties.values() for k in tied})
    pairs = sorted({pair for tied in ties.values() for pair in combinations(tied, 2)})
    means = {}
    for k in ties:
        for j, each in others.large.items():
            if adjust and columns[k].kind != "category" and j not in left_out[k]:
                found = level_means(each.codes, columns[k].values, others.weights)
                means[k, j] = np.zeros((held[j].n_levels + 1, 2))
                means[k, j][: len(found)] = found
    laid_out = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Pool(curves_of(others, bent), laid_out, means)


def _points(
    column: Column, counted: Counted, held: HeldColumn, weights: FloatArray
) -> dict[str, Any]:
    """Choose the points of a column of numbers, or the levels of a category."""
    extra = int(counted.missing > 0)
    if column.kind == "category":
        return {"knots": None, "size": held.n_levels + extra, "middle": 0.0}
    ends = [counted.low, counted.high]
    knots = place_knots(np.append(column.values, ends), np.append(weights, np.ones(2)))
    middle = float(np.nanmean(column.values))
    return {"knots": knots, "size": len(knots) + extra, "middle": middle}


def _with_rarity(
    explained: tuple[Explained, ...],
    held: Sequence[HeldColumn],
    matrix: FloatArray,
    n_rows: int,
) -> tuple[Explained, ...]:
    """Say how much likelier rows at rare points are to be kept: else their errors go unseen."""
    usual = min(KEPT_ROWS / n_rows, 1.0)
    counts = []
    for e in explained:
        basis = e.basis(held[e.position], matrix[:, e.position])
        found = np.bincount(basis.rarer_point(), minlength=e.size)
        counts.append(found * (n_rows / len(matrix)))
    n_rare = sum(int(np.count_nonzero(usual * count < ROWS_A_POINT)) for count in counts)
    wanted = min(ROWS_A_POINT, KEPT_ROWS / 2 / max(n_rare, 1))
    out = []
    for e, count in zip(explained, counts, strict=True):
        share = np.clip(wanted / np.maximum(count, 1e-300), usual, 1.0)
        # All rows of the rarest are kept, come what may.
        out.append(replace(e, rarity=share / usual * np.where(share < 1, 1.0, 1000.0)))
    return tuple(out)


def _most_strata(explained: Sequence[Explained], q: int) -> int:
    """Return how many strata a tree may have so that all sums have room."""
    width = sum(e.size + q + len(e.further) + 50 for e in explained)
    fit = SUMS_BYTES // max(8 * width, 1)
    return int(min(MOST_STRATA, max(fit, FEWEST_STRATA)))


def _grown(
    problem: Problem,
    held: tuple[HeldColumn, ...],
    matrix: FloatArray,
    categorical: list[int],
    sets: list[tuple[int, ...]],
    options: Options,
    most_strata: int,
) -> tuple[tuple[HeldColumn, ...], Any, Family]:
    """Grow the trees on all of the sample, to no more than so many strata each."""
    n = len(problem.y)
    weights = np.ones(n) if problem.weights is None else problem.weights
    seen = matrix.copy()
    shuffle_levels(seen, categorical, problem.y, weights)
    numbered = list(held)
    for k in categorical:
        table = np.arange(held[k].n_levels, dtype=np.float64)
        present = ~np.isnan(matrix[:, k])
        table[matrix[present, k].astype(np.int64)] = seen[present, k]
        numbered[k] = replace(held[k], tree_number=table)
    coding = fit_coding(laid_out(seen, problem.weights), n_jobs=options.n_jobs)
    codes = coding.encode(seen, n_jobs=options.n_jobs)
    counted = weights.sum() if np.all(weights == np.floor(weights)) else n
    leaf = max(options.min_samples_leaf, int(np.ceil(counted / most_strata)))
    coded = Coded(codes, coding, row_hash(codes), problem.weights)
    growing = Growing(leaf, 1, options.seed, options.n_jobs)
    family = grow_on(coded, problem.y, sets, growing, np.ones(n, dtype=np.bool_))
    return tuple(numbered), codes, replace(family, codes=None)
