"""Columns explained one after the other: strata, estimate, result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np

from paribus.base import notes
from paribus.base.arrays import Labels
from paribus.base.notes import Remedy
from paribus.base.progress import Progress, silent
from paribus.estimate.partitions import Partitions, partitions_of
from paribus.pipeline.assemble import Setting, explain_column, unexplained
from paribus.pipeline.prepare import Analysis, is_id, why_idle
from paribus.results import Effect
from paribus.strata.honest import cross_fit
from paribus.strata.together import Cut, cross

SMALL, SMALL_REPEATS = 5_000, 4  # rows up to which strata are grown this often and averaged
REPEATED = 50_000  # rows up to which the same goes for tables in which most rows repeat others


def explain(
    analysis: Analysis,
    names: list[str],
    together: tuple[str, ...] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Effect]:
    """Explain columns one after the other, in the order asked for, on several threads.

    Columns in `together` are not held still: they may move along with the explained one.
    """
    held = {c.name for c in analysis.held}
    ready = [n for n in names if n in held]
    moving = tuple(analysis.position(n) for n in together if n in held)
    sets = [tuple(sorted({analysis.position(n), *moving})) for n in ready]
    shared = _shared_strata(analysis, sets) if ready else []
    work = partial(_explain_one, analysis, moving)
    with ThreadPoolExecutor(analysis.options.threads) as pool, single_blas_thread:
        jobs = {
            name: pool.submit(work, name, [labels[k] for labels in shared])
            for k, name in enumerate(ready)
        }
        try:
            for done, name in enumerate(names, start=1):
                yield jobs[name].result() if name in jobs else _idle(analysis, name)
                if progress is not None:
                    progress(done, len(names))
        finally:
            for job in jobs.values():
                job.cancel()


def explain_all(
    analysis: Analysis, names: list[str], group: tuple[str, ...], progress: Progress = silent
) -> Iterator[Effect]:
    """Explain columns; those of a group with the rest of it moving along."""
    moving = [name for name in names if name in group]
    still = [name for name in names if name not in group]
    found = chain(explain(analysis, moving, group), explain(analysis, still))
    for done, e in enumerate(found, start=1):
        yield with_group(e, group)
        progress(done, len(names))


def with_group(e: Effect, group: tuple[str, ...]) -> Effect:
    """Tell of the columns that moved along with an explained one."""
    others = [name for name in group if name != e.feature] if e.feature in group else []
    found = (notes.moved_together(e.feature, others),) if others and e.explained else ()
    return replace(e, notes=(*found, *e.notes))


def n_repeats(analysis: Analysis) -> int:
    """Return how many partitions there are for a column."""
    asked, n = analysis.options.repeats, len(analysis.problem.y)
    if asked is not None:
        return asked
    if n <= REPEATED and len(np.unique(analysis.coded.hashes)) < n / 2:
        return SMALL_REPEATS
    return int(np.clip(round(SMALL_REPEATS * SMALL / n), 1, SMALL_REPEATS))


def _shared_strata(analysis: Analysis, sets: list[tuple[int, ...]]) -> list[list[Labels]]:
    """Return, for each partition grown on the target, the strata of every set left out."""
    if analysis.problem.within is not None:
        return [[analysis.problem.within] * len(sets)]
    distinct = list(dict.fromkeys(sets))
    growing = analysis.growing(analysis.options.threads)
    out = []
    for repeat in range(n_repeats(analysis)):
        labels = cross_fit(analysis.coded, analysis.problem.y, distinct, growing, repeat)
        out.append([labels[distinct.index(s)] for s in sets])
    return out


def _explain_one(
    analysis: Analysis, moving: tuple[int, ...], name: str, labels: list[Labels]
) -> Effect:
    k, problem = analysis.position(name), analysis.problem
    left_out = tuple(sorted({k, *moving}))
    cuts = analysis.cuts(k, left_out)
    _grow_on_column(analysis, k, left_out, labels)
    strata = coarser = _partitions(analysis, labels, ())
    if cuts and len(labels) == 1:
        inside = _inside_cells(analysis, left_out, analysis.cells(cuts))
        strata = coarser = _partitions(analysis, [inside], ())
    elif cuts:
        strata = coarser = _partitions(analysis, labels, cuts)
        if any(cut.is_even for cut in cuts):
            coarser = _partitions(analysis, labels, [cut.coarser() for cut in cuts])
    setting = Setting(
        problem=problem,
        column=analysis.held[k],
        others={c.name: c for i, c in enumerate(analysis.held) if i not in left_out},
        y=problem.y,
        row=problem.row,
        strata=strata,
        coarser=None if coarser is strata else coarser,
        covariates=analysis.covariates(k, left_out, cuts),
        conf_level=analysis.options.conf_level,
        slopes_only=analysis.options.estimator == "slopes",
        n_missing=int(np.count_nonzero(np.isnan(analysis.held[k].values))),
    )
    rows = analysis.design.complete(analysis.matrix, left_out)
    return explain_column(setting if rows is None else setting.take(np.flatnonzero(rows)))


def _partitions(analysis: Analysis, labels: list[Labels], cuts: Sequence[Cut]) -> Partitions:
    problem = analysis.problem
    return partitions_of(
        labels,
        [int(label.max()) + 1 for label in labels],
        problem.total_weights,
        problem.counts,
        problem.cluster,
        analysis.cells(cuts),
    )


def _grow_on_column(
    analysis: Analysis, k: int, left_out: tuple[int, ...], labels: list[Labels]
) -> None:
    """Grow half of several partitions on the column itself.

    A tree on the target never splits on a column that moves the explained one strongly and the
    target weakly; a tree on the explained column does. A category is several numbers, which take
    turns.
    """
    scores = analysis.scores(k)
    for repeat in range(1, len(labels), 2):
        x = scores[:, (repeat // 2) % scores.shape[1]]
        x = np.where(np.isnan(x), np.nanmean(x), x)
        labels[repeat] = cross_fit(analysis.coded, x, [left_out], analysis.growing(), repeat)[0]


def _inside_cells(analysis: Analysis, left_out: tuple[int, ...], cells: list[Labels]) -> Labels:
    """Return strata that lie inside the cells of columns that act together.

    Trees are grown to larger leaves, so that a leaf's part of a cell has rows enough.
    """
    growing = analysis.growing()
    n, joint = len(cells[0]), cells[0]
    for other in cells[1:]:
        both = cross([joint, other])
        if (both.max() + 1) * 2 * growing.min_samples_leaf <= n:
            joint = both.astype(np.int32)
    n_cells = int(joint.max()) + 1
    larger = replace(growing, min_samples_leaf=growing.min_samples_leaf * n_cells)
    leaf = cross_fit(analysis.coded, analysis.problem.y, [left_out], larger, 0)[0]
    return cross([joint, leaf]).astype(np.int32)


def _idle(analysis: Analysis, name: str) -> Effect:
    column = analysis.problem.table[name]
    repeats = is_id(column) and len(column.levels) < len(column.values)
    remedy = Remedy("cluster", (name,)) if repeats else None
    note = notes.unexplained(name, why_idle(column), remedy, id=is_id(column))
    return unexplained(analysis.problem, column, note)


class _SingleThread:
    """Keep linear algebra to one thread each while any analysis runs.

    Threads do not step on each other then, and results do not depend on their number. The limit
    is the process's own: the first analysis in sets it, the last one out lifts it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        from threadpoolctl import threadpool_limits

        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limits = threadpool_limits(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


single_blas_thread = _SingleThread()
