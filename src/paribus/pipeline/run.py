"""A problem worked through: coded, stratified, estimated, one column at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paribus.base import notes
from paribus.base.arrays import FloatArray, side_by_side
from paribus.base.progress import Progress, silent
from paribus.estimate.adjust import Others, covariates_of, no_covariates, prepare_others
from paribus.estimate.partitions import Partitions, partitions_of
from paribus.pipeline.assemble import Setting, explain_levels, explain_numbers, unexplained
from paribus.results import Effect
from paribus.strata.coding import fit_coding
from paribus.strata.honest import Coded, Growing, Labels, cross_fit
from paribus.strata.rows import row_hash
from paribus.table.columns import Column
from paribus.table.problem import Problem

SMALL, SMALL_REPEATS = 5_000, 4  # rows up to which strata are grown this often and averaged
REPEATED = 50_000  # rows up to which the same goes for tables in which most rows repeat others
ID_SHARE = 0.75  # text with more levels than this share of the rows is an id
MOST_REPEATED = 5_000_000  # rows, repeated by their weights, that may be laid out for coding


@dataclass(frozen=True, slots=True)
class Options:
    """How to estimate; `repeats` None means by the number of rows."""

    min_samples_leaf: int = 10
    conf_level: float = 0.95
    repeats: int | None = None
    folds: int = 2
    adjust: bool = True
    honest: bool = True
    estimator: Literal["least_squares", "slopes"] = "least_squares"
    seed: int = 0
    n_jobs: int = 1


@dataclass(frozen=True, slots=True)
class Analysis:
    """A problem prepared for any of its columns.

    Attributes
    ----------
    problem : Problem
    options : Options
    held : tuple of Column
        The columns that can be held still: all but ids and constants.
    coded : Coded
        These columns as trees see them.
    others : Others
        These columns as covariates.
    weights : float array of shape (n,)
        How often each row counts.
    """

    problem: Problem
    options: Options
    held: tuple[Column, ...]
    coded: Coded
    others: Others
    weights: FloatArray

    def position(self, name: str) -> int:
        """Return the place of a column among those held still."""
        return next(k for k, column in enumerate(self.held) if column.name == name)


def prepare(problem: Problem, options: Options) -> Analysis:
    """Code the table once for all columns."""
    held = tuple(
        c.as_category() if has_one_value(c) else c
        for c in problem.table.columns
        if not is_idle(c) and not is_id(c)
    )
    n = problem.table.n_rows
    threads = options.n_jobs
    matrix = side_by_side([c.values for c in held], threads) if held else np.empty((n, 0))
    categorical = [k for k, c in enumerate(held) if c.kind == "category"]
    weights = np.ones(n) if problem.weights is None else problem.weights
    with single_blas_thread:
        others = prepare_others(matrix, categorical, weights, threads)
    shuffle_levels(matrix, categorical, problem.y, weights)
    coding = fit_coding(laid_out(matrix, problem.weights), n_jobs=threads)
    codes = coding.encode(matrix, n_jobs=threads)
    # The target must not be in the hash: where rows repeat, it would sort equal rows with unequal
    # targets into different folds, and inside a fold the target would follow from the row.
    hashes = row_hash(codes, n_threads=threads)
    coded = Coded(codes, coding, hashes, problem.weights)
    return Analysis(problem, options, held, coded, others, weights)


def shuffle_levels(
    matrix: FloatArray, categorical: list[int], y: FloatArray, weights: FloatArray
) -> None:
    """Number the levels of categories anew, in an order that has nothing to do with their names.

    Trees split categories by these numbers. The order follows from a hash of the rows of each
    level, by the rank of their target and, if that tells two levels apart no more, of their
    numeric columns: other labels or another unit give the same strata, and so do other row orders.
    """
    if not categorical:
        return
    whole = np.all(weights == np.floor(weights))
    times = weights.astype(np.uint64) if whole else np.ones(len(weights), dtype=np.uint64)
    numeric = [k for k in range(matrix.shape[1]) if k not in categorical]
    by_target = _rank_hash(y) * times
    by_row = by_target
    for k in categorical:
        total = _level_sums(matrix[:, k], by_target)
        if len(np.unique(total)) < len(total):
            if by_row is by_target:
                by_row = _rank_hash(*matrix[:, numeric].T, y) * times
            total = _level_sums(matrix[:, k], by_row)
        present = ~np.isnan(matrix[:, k])
        number = np.argsort(np.argsort(total, kind="stable"))
        matrix[present, k] = number[matrix[present, k].astype(np.int64)]


def _rank_hash(*columns: FloatArray) -> NDArray[np.uint64]:
    """Hash the ranks of each row's values, shape (n,)."""
    return row_hash(*(np.unique(column, return_inverse=True)[1] for column in columns))


def _level_sums(levels: FloatArray, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    present = ~np.isnan(levels)
    out = np.zeros(int(np.nanmax(levels, initial=-1)) + 1, dtype=np.uint64)
    np.add.at(out, levels[present].astype(np.int64), hashes[present])
    return out


def is_idle(column: Column) -> bool:
    """Tell whether a column has fewer than two different values, missing counted as one."""
    missing = np.isnan(column.values)
    present = column.values[~missing]
    if len(present) == 0:
        return True
    return bool(present.min() == present.max() and not missing.any())


def has_one_value(column: Column) -> bool:
    """Tell whether a column is one value, or missing: two levels rather than a number."""
    present = column.values[~np.isnan(column.values)]
    return len(present) > 0 and bool(present.min() == present.max())


def is_id(column: Column) -> bool:
    """Tell whether a column is text that names nearly every row anew."""
    return column.kind == "category" and looks_like_id(len(column.levels), len(column.values))


def looks_like_id(n_levels: int, n_rows: int) -> bool:
    """Tell whether so many different texts in so many rows name nearly every row anew."""
    return n_levels > max(ID_SHARE * n_rows, 20)


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
    with ThreadPoolExecutor(analysis.options.n_jobs) as pool, single_blas_thread:
        jobs = {
            name: pool.submit(work, name, [labels[k] for labels in shared])
            for k, name in enumerate(ready)
        }
        for done, name in enumerate(names, start=1):
            yield jobs[name].result() if name in jobs else _idle(analysis, name)
            if progress is not None:
                progress(done, len(names))


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
    told = (notes.moved_together(e.feature, others),) if others and e.explained else ()
    return replace(e, notes=(*told, *e.notes))


def n_repeats(analysis: Analysis) -> int:
    """Return how many partitions there are for a column."""
    asked, n = analysis.options.repeats, len(analysis.weights)
    if asked is not None:
        return asked
    few_distinct = n <= REPEATED and len(np.unique(analysis.coded.hashes)) < n / 2
    return SMALL_REPEATS if n <= SMALL or few_distinct else 1


def _shared_strata(analysis: Analysis, sets: list[tuple[int, ...]]) -> list[list[Labels]]:
    """Return, for each partition grown on the target, the strata of every set left out."""
    distinct = list(dict.fromkeys(sets))
    growing = _growing(analysis, analysis.options.n_jobs)
    out = []
    for repeat in range(n_repeats(analysis)):
        labels = cross_fit(analysis.coded, analysis.problem.y, distinct, growing, repeat)
        out.append([labels[distinct.index(s)] for s in sets])
    return out


def _growing(analysis: Analysis, n_jobs: int = 1) -> Growing:
    options = analysis.options
    folds = options.folds if options.honest else 1
    return Growing(options.min_samples_leaf, folds, options.seed, n_jobs)


def _explain_one(
    analysis: Analysis, moving: tuple[int, ...], name: str, labels: list[Labels]
) -> Effect:
    k = analysis.position(name)
    left_out = tuple(sorted({k, *moving}))
    strata = _all_strata(analysis, k, left_out, labels)
    column = analysis.held[k]
    covariates = no_covariates(len(analysis.weights))
    if analysis.options.adjust:
        x = None if column.kind == "category" else column.values
        covariates = covariates_of(analysis.others, x, left_out)
    setting = Setting(
        problem=analysis.problem,
        column=column,
        others={c.name: c for i, c in enumerate(analysis.held) if i not in left_out},
        strata=strata,
        covariates=covariates,
        conf_level=analysis.options.conf_level,
        slopes_only=analysis.options.estimator == "slopes",
    )
    if column.kind == "category":
        return explain_levels(setting)
    return explain_numbers(setting)


def _all_strata(
    analysis: Analysis, k: int, left_out: tuple[int, ...], labels: list[Labels]
) -> Partitions:
    """Put the partitions together; for a number, half of several are grown on the column itself.

    A tree on the target never splits on a column that moves the explained one strongly and the
    target weakly; a tree on the explained column does.
    """
    column = analysis.held[k]
    if column.kind != "category" and len(labels) > 1:
        x = np.where(np.isnan(column.values), np.nanmean(column.values), column.values)
        for repeat in range(1, len(labels), 2):
            labels[repeat] = cross_fit(analysis.coded, x, [left_out], _growing(analysis), repeat)[0]
    sizes = [int(label.max()) + 1 for label in labels]
    return partitions_of(labels, sizes, analysis.weights)


def _idle(analysis: Analysis, name: str) -> Effect:
    column = analysis.problem.table[name]
    if is_id(column):
        n_levels = f"{len(column.levels):,}"
        reason = f"its {n_levels} different texts in {len(column.values):,} rows look like an id"
        return unexplained(analysis.problem, column, notes.unexplained(name, reason, id=True))
    reason = "it has the same value in every row"
    if np.isnan(column.values).all():
        reason = "it is missing in every row"
    return unexplained(analysis.problem, column, notes.unexplained(name, reason))


def laid_out(matrix: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Repeat rows by their weights, where these are whole numbers, so that quantiles count them."""
    whole = weights is not None and np.all(weights == np.floor(weights))
    if weights is None or not whole or weights.sum() > MOST_REPEATED:
        return matrix
    return np.repeat(matrix, weights.astype(np.int64), axis=0)


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
