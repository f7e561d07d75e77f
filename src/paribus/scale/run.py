"""Two passes over a table that does not fit into memory: survey, then sums; and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paribus.base import errors as base_errors
from paribus.base.progress import Progress
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.options import Options
from paribus.pipeline.prepare import prepare
from paribus.pipeline.run import explain, moving_along
from paribus.results import Effect
from paribus.scale import errors
from paribus.scale import notes as batch_notes
from paribus.scale.plan import FEWEST_CLUSTERS, Asked, Plan, make_plan, problem_of
from paribus.scale.reading import Reader
from paribus.scale.solve import explain_sums
from paribus.scale.sources import Source
from paribus.scale.summing import Summing
from paribus.scale.sums import Sums
from paribus.scale.survey import Roles, Survey, Surveying
from paribus.table import errors as table_errors
from paribus.table.problem import Problem

SAMPLE_ROWS = 1_000_000  # rows the trees are grown on, and up to which a table is held in memory
SAMPLE_BYTES = 2**30  # what the sample may take; with very many columns it has fewer rows
UNEQUAL, FEWEST_PART_ROWS = 4, 2_000


@dataclass(frozen=True, slots=True)
class Answer:
    """Effects of the columns asked for, in that order, and the problem of all rows or a sample."""

    problem: Problem
    effects: list[Effect]
    n_rows: int


def asked_of(
    source: Source,
    target: str,
    options: Options,
    roles: Mapping[str, str | None],
    kind: Mapping[str, str] | None = None,
    **more: Any,
) -> Asked:
    """Put together what is asked of a source, once it is sure that all columns named are there."""
    within = roles.get("within")
    if within is not None:
        raise errors.within_in_batches(within)
    weights, counts, cluster = (roles.get(role) for role in ("weights", "counts", "cluster"))
    own, sorts = Roles(target, weights, counts, cluster, options.seed), source.sorts
    for name in (*own.named, *(kind or {})):
        if name not in sorts:
            raise base_errors.unknown_column(name, list(sorts))
    if not own.features(list(sorts)):
        raise table_errors.no_columns()
    return Asked(Reader(sorts, dict(kind or {})), own, options, **more)


def explain_source(
    source: Source,
    asked: Asked,
    sample_rows: int | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Explain columns of a table that is read in batches.

    A table with no more rows than the sample may have is held in memory and explained like any
    other.
    """
    if sample_rows is None:
        sample_rows = min(SAMPLE_ROWS, SAMPLE_BYTES // (8 * len(source.sorts)))
    options, bar = asked.options, _Bar(progress, source.n_rows)
    with single_blas_thread:
        survey = _surveyed(asked, source, sample_rows, bar.advance)
        if survey.n_rows <= sample_rows and survey.kept.is_all:
            return _in_memory(asked, source, survey)
        plan = make_plan(asked, survey, sample_rows)
        bar.total = 2 * sum(survey.parts.values())
        sums = source.run(Summing(plan.transform), options.threads, bar.advance)
        check_rows(survey, plan, sums)
        found = explain_sums(plan, sums, options.conf_level, survey.n_rows, options.average)
    problem = _told(plan.problem, survey, source)
    found = [replace(e, backend=source.backend) for e in found]
    return Answer(problem, found, survey.n_rows)


def sampled_problem(source: Source, asked: Asked, most: int) -> tuple[Problem, int]:
    """Read a table in batches; return the problem of at most `most` rows, and the row count.

    Only these rows are used afterwards, so they are tidied like a table of their own.
    """
    survey = _surveyed(asked, source, most, lambda _: None)
    hashes, rows, _ = survey.kept.first(most)
    cluster = asked.roles.cluster
    if cluster is not None and len(np.unique(hashes)) < FEWEST_CLUSTERS:
        raise errors.clusters_too_large(cluster)
    problem, _ = problem_of(rows, survey, asked, asked.tidy)
    return _told(problem, survey, source), survey.n_rows


def _surveyed(
    asked: Asked, source: Source, sample_rows: int, advance: Callable[[int], None]
) -> Survey:
    part_rows = _part_rows(sample_rows, source.n_alone)
    surveying = Surveying(asked.reader, asked.roles, sample_rows, part_rows)
    survey = source.run(surveying, asked.options.threads, advance)
    _check_parts(survey)
    if survey.n_rows < 2:
        raise table_errors.too_few_rows(survey.n_rows)
    return survey


def _part_rows(sample_rows: int, n_parts: int) -> int:
    """Return the maximum number of rows that each part contributes to the sample.

    For parts of equal size its share would do; a part may be `UNEQUAL` times as large.
    """
    if n_parts == 1:
        return sample_rows
    return min(sample_rows, max(UNEQUAL * sample_rows // n_parts, FEWEST_PART_ROWS))


def _check_parts(found: Survey | Sums) -> None:
    """Raise an error for the first part that cannot be used."""
    if found.problems:
        first = min(found.problems)
        raise errors.in_part(first, found.names[first], found.problems[first])


def check_rows(survey: Survey, plan: Plan, sums: Sums) -> None:
    """Check that no row was lost or read twice: each one was used, or left out and counted."""
    _check_parts(sums)
    n_first, n_second = sum(survey.parts.values()), sum(sums.parts.values())
    counts = (
        survey.parts == sums.parts,
        survey.missing_target == sums.missing_target,
        survey.zero_weight == sums.zero_weight,
        len(plan.problem.y) == sums.sampled,
        plan.checksum == sums.checksum,
        n_second == sums.used + sums.sampled + sums.missing_target + sums.zero_weight,
    )
    if not all(counts):
        raise errors.rows_changed(n_first, n_second)


def _in_memory(asked: Asked, source: Source, survey: Survey) -> Answer:
    _, rows, _ = survey.kept.first(survey.n_rows)
    problem, _ = problem_of(rows, survey, asked, asked.tidy, whole=True)
    problem = _told(problem, survey, source)
    along = moving_along(problem, asked.features, asked.together)
    analysis = prepare(problem, asked.options)
    found = list(explain(analysis, [*along], along))
    return Answer(analysis.problem, found, survey.n_rows)


def _told(problem: Problem, survey: Survey, source: Source) -> Problem:
    """Return the problem in the caller's library, with a note on empty parts."""
    table = replace(problem.table, backend=source.backend)
    empty = [survey.names[k] for k, n in sorted(survey.parts.items()) if n == 0]
    remarks = (batch_notes.empty_parts(empty),) if empty else ()
    return replace(problem, table=table, notes=(*source.notes, *problem.notes, *remarks))


class _Bar:
    """Reports how many rows of both passes are done."""

    def __init__(self, progress: Progress | None, n_rows: int | None) -> None:
        self._progress, self._done = progress, 0
        self.total = 2 * n_rows if n_rows else 0

    def advance(self, n_rows: int) -> None:
        self._done += n_rows
        if self._progress is not None and self.total:
            self._progress(min(self._done, self.total), self.total)
