"""StratPD and CatStratPD, exactly as published.

Terence Parr and James D. Wilson, "Partial Dependence through Stratification".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from paribus.base import errors
from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.base.checks import check_jobs, check_seed, check_whole, is_whole
from paribus.base.notes import Note
from paribus.estimate.cells import cells_of
from paribus.estimate.merging import aligned_trials, mean_of_known, merge_leaves
from paribus.estimate.slopes import Grid, average_slopes, grid_of, leaf_slopes, mean_curve
from paribus.results import CategoricalEffect, NumericEffect, histogram
from paribus.results import notes as result_notes
from paribus.results.empty import empty_effect, identity, why_constant
from paribus.strata.paper_tree import Trees, paper_strata
from paribus.table import errors as table_errors
from paribus.table.columns import Column
from paribus.table.problem import Problem, make_problem


def stratpd(
    data: Any,
    target: Any,
    feature: str,
    *,
    names: Sequence[str] | None = None,
    min_samples_leaf: int = 10,
    min_slopes_per_x: int = 5,
    difference: Literal["forward", "central"] = "forward",
    n_trials: int = 1,
    n_trees: int = 1,
    max_features: float | int = 1.0,
    bootstrap: bool = False,
    engine: Literal["exact", "family"] = "exact",
    seed: int = 0,
    n_jobs: int | None = None,
) -> NumericEffect:
    """Explain a column of numbers or dates: the paper's StratPD.

    A regression tree on the other columns groups similar rows into leaves. Inside a leaf only
    `feature` moves: neighbouring distinct values give slopes. The slopes of all leaves are
    averaged at each value and summed up to a curve that starts at 0.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, a dict of columns, or a 2-D NumPy array.
    target : str, array or Series
        The name of the target's column, or the target as a separate array.
    feature : str
        The column to explain.
    names : sequence of str, optional
        Column names, for a NumPy array.
    min_samples_leaf : int
        Minimum rows in a leaf. Small leaves hold the others more still, large ones cope better
        with wide wiggles and noise.
    min_slopes_per_x : int
        Values with fewer slopes than this are dropped.
    difference : {"forward", "central"}
        A forward difference has no slope at the last value, which is therefore lost; a central
        one averages the slopes on both sides of a value and keeps it.
    n_trials : int
        If more than one, that many bootstrap samples are drawn. Their slopes are averaged and
        integrated, which gives the mean of their curves without jumps where one of them ends; a
        value is kept when at least half of them support it.
    n_trees, max_features, bootstrap
        More than one tree: a random forest with that share (or number) of candidate columns per
        split, for columns with a near-twin among the others. The slopes of all its trees are
        pooled, and `min_slopes_per_x` counts all of them.
    engine : {"exact", "family"}
        scikit-learn's exact tree, as in the paper, or paribus's own much faster one.
    seed : int
        Same seed, same answer.
    n_jobs : int, optional
        Threads; the answer does not depend on it.

    Returns
    -------
    NumericEffect

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> curve = pb.stratpd(d.table, "weight", "height")
    >>> round(float(np.polyfit(curve.x, curve.effect, 1)[0]), 1)
    10.0
    """
    trees = Trees(min_samples_leaf, n_trees, max_features, bootstrap, n_jobs, engine)
    _check_options(trees, seed, n_trials=n_trials, min_slopes_per_x=min_slopes_per_x)
    if difference not in ("forward", "central"):
        raise errors.bad_choice("difference", difference, ["forward", "central"])
    problem = make_problem(data, target, names=names)
    column = problem.column(feature)
    if column.kind == "category" and len(column.levels) > 1:
        raise table_errors.not_a_number_column(column.name)
    rows = _rows_with_value(problem, column)
    grid = grid_of(rows.x)
    if len(grid.x) < 2:
        return rows.unexplained("stratpd", why_constant(len(grid.x) > 0))
    curves, silent, n_strata = [], [], []
    for draw in _trials(rows, trees, n_trials, seed):
        drawn = Grid(grid.x, grid.position[draw.rows])
        slopes = [leaf_slopes(drawn, rows.y[draw.rows], leaf) for leaf in draw.strata.T]
        curves.append(average_slopes(slopes, len(grid.x), central=difference == "central"))
        silent.append(np.count_nonzero(np.all([s.silent for s in slopes], axis=0)))
        n_strata.append(sum(len(np.unique(leaf)) for leaf in draw.strata.T))
    curve = mean_curve(grid.x, curves, min_slopes_per_x, central=difference == "central")
    if len(curve.x) < 2:
        reason = _why_too_few(grid, max(n_strata), min_slopes_per_x, difference)
        return rows.unexplained("stratpd", reason)
    n_silent = round(np.mean(silent))
    return NumericEffect(
        x=column.shown(curve.x),
        effect=curve.effect,
        slope=curve.slope,
        support=curve.support,
        trials=curve.trials,
        distribution=histogram(column, curve.x),
        n_used=len(rows.x) - n_silent,
        notes=(
            *rows.notes,
            *rows.notes_on_strata(max(n_strata) == 1, n_silent),
            *_notes_on_dropped(column, grid, curve.x, rows.x),
        ),
        **identity(problem, column, "stratpd"),
    )


def catstratpd(
    data: Any,
    target: Any,
    feature: str,
    *,
    names: Sequence[str] | None = None,
    n_trials: int = 1,
    seed: int = 0,
    **options: Any,
) -> CategoricalEffect:
    """Explain a column level by level: the paper's CatStratPD.

    A regression tree on the other columns groups similar rows into leaves. Inside a leaf the mean
    target of each level is compared; the leaves are merged one by one where they share a level.
    Only differences between levels are meaningful: the effects are shifted to a mean of zero over
    the rows.

    Parameters
    ----------
    data, target, feature, names, n_trials, seed
        As in `stratpd`; any column can be explained by its distinct values.
    **options
        As in `stratpd`: `min_samples_leaf`, `n_trees`, `max_features`, `bootstrap`, `engine`,
        `n_jobs`.

    Returns
    -------
    CategoricalEffect

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> bars = pb.catstratpd(d.table, "weight", "pregnant")
    >>> bars.levels, int(round(bars.effect[1] - bars.effect[0]))
    ((False, True), 40)
    """
    trees = Trees(**options)
    n_trees = trees.n_trees
    _check_options(trees, seed, n_trials=n_trials)
    problem = make_problem(data, target, names=names)
    column = problem.column(feature).as_category()
    rows = _rows_with_value(problem, column)
    level, n_levels = rows.x.astype(np.int64), len(column.levels)
    if n_levels < 2:
        return rows.unexplained("catstratpd", why_constant(n_levels > 0))
    if n_levels == len(level):
        reason = f"each of its {n_levels:,} values occurs once, as in an id"
        return rows.unexplained("catstratpd", reason)
    merged = []
    for draw in _trials(rows, trees, n_trials, seed):
        leaf = (draw.strata + np.arange(n_trees) * (draw.strata.max() + 1)).T.ravel()
        drawn = np.tile(draw.rows, n_trees)
        cells = cells_of(level[drawn], rows.y[drawn], leaf)
        merged.append(merge_leaves(cells, n_levels, np.random.default_rng(draw.seed)))
    count = np.bincount(level, minlength=n_levels)
    trials = aligned_trials([m.effect for m in merged], count)
    effect = mean_of_known(trials)
    known = ~np.isnan(effect)
    if np.count_nonzero(known) < 2:
        reason = "among the rows alike in the other columns it never varies"
        return rows.unexplained("catstratpd", reason)
    n_silent = round(np.mean([_in_all_trees(m.silent, n_trees) for m in merged]))
    n_unmerged = round(np.mean([_in_all_trees(m.unmerged, n_trees) for m in merged]))
    left = [column.levels[k] for k in np.flatnonzero(~known)]
    notes = [*rows.notes, *rows.notes_on_strata(len(np.unique(leaf)) == n_trees, n_silent)]
    if left:
        notes.append(result_notes.unmerged_levels(column.name, left, int(count[~known].sum())))
    shift = np.average(effect[known], weights=count[known])
    return CategoricalEffect(
        levels=column.levels,
        effect=effect - shift,
        count=count,
        trials=trials - shift,
        n_used=len(level) - n_silent - n_unmerged,
        notes=tuple(notes),
        **identity(problem, column, "catstratpd"),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows in which the explained column is not missing: arrays over n rows."""

    problem: Problem
    column: Column
    others: FloatArray
    x: FloatArray
    y: FloatArray
    notes: tuple[Note, ...]  # on the table, and on rows without a value

    def notes_on_strata(self, is_one: bool, n_silent: int) -> Iterator[Note]:
        """Tell that all rows are one stratum, and of rows whose stratum says nothing."""
        if is_one:
            yield result_notes.nothing_held(self.column.name)
        if n_silent:
            n_rows = self.problem.table.n_rows
            yield result_notes.silent_rows(self.column.name, n_silent, n_rows)

    def unexplained(self, method: str, reason: str) -> Any:
        """Return an effect without a point, and say why there is none."""
        why = result_notes.unexplained(self.column.name, reason)
        return empty_effect(self.problem, self.column, method, *self.notes, why)


@dataclass(frozen=True, slots=True)
class _Trial:
    """The rows drawn in one trial, shape (n,), and their strata, shape (n, n_trees)."""

    rows: IntArray
    strata: IntArray
    seed: int


def _check_options(trees: Trees, seed: Any, **whole_numbers: Any) -> None:
    of_trees = {name: getattr(trees, name) for name in ("min_samples_leaf", "n_trees")}
    for option, value in (of_trees | whole_numbers).items():
        check_whole(option, value, 1)
    if not isinstance(trees.bootstrap, bool):
        raise errors.bad_flag("bootstrap", trees.bootstrap)
    check_jobs(trees.n_jobs)
    check_seed(seed)
    if trees.engine not in ("exact", "family"):
        raise errors.bad_choice("engine", trees.engine, ["exact", "family"])
    share = trees.max_features
    is_share = isinstance(share, (float, np.floating)) and 0 < share <= 1
    if not is_share and not (is_whole(share) and share >= 1):
        raise table_errors.bad_fraction("max_features", share)


def _rows_with_value(problem: Problem, column: Column) -> _Rows:
    present = ~np.isnan(column.values)
    others = problem.table.without(column.name).matrix()[present]
    n_missing = int(np.count_nonzero(~present))
    found = (result_notes.missing_feature(column.name, n_missing),) if n_missing else ()
    notes = problem.notes + found
    return _Rows(problem, column, others, column.values[present], problem.y[present], notes)


def _trials(rows: _Rows, trees: Trees, n_trials: int, seed: int) -> Iterator[_Trial]:
    """Stratify all rows once, or a bootstrap sample a trial."""
    n_rows = len(rows.y)
    for child in np.random.SeedSequence(seed).spawn(n_trials):
        rng = np.random.default_rng(child)
        drawn = np.arange(n_rows) if n_trials == 1 else np.sort(rng.integers(n_rows, size=n_rows))
        tree_seed = int(rng.integers(2**31))
        strata = paper_strata(rows.others[drawn], rows.y[drawn], trees, tree_seed)
        yield _Trial(drawn, strata, tree_seed)


def _in_all_trees(rows: BoolArray, n_trees: int) -> int:
    """Count the rows, given tree by tree, of which something is true in every tree."""
    return int(np.count_nonzero(rows.reshape(n_trees, -1).all(axis=0)))


def _notes_on_dropped(
    column: Column, grid: Grid, kept: FloatArray, x: FloatArray
) -> Iterator[Note]:
    """Tell of values dropped inside the curve and beyond its ends."""
    at = np.searchsorted(grid.x, kept)
    wide = np.flatnonzero(np.diff(at) > 1)
    if len(wide):
        sides = [column.shown(grid.x[at[wide + side]]).tolist() for side in (0, 1)]
        n_dropped = int(np.sum(np.diff(at)[wide] - 1))
        yield result_notes.bridged_gaps(column.name, list(zip(*sides, strict=True)), n_dropped)
    n_lost = int(np.count_nonzero((x < kept[0]) | (x > kept[-1])))
    if n_lost:
        first, last = column.shown(kept[[0, -1]]).tolist()
        yield result_notes.lost_ends(column.name, first, last, n_lost)


def _why_too_few(grid: Grid, n_strata: int, min_slopes: int, difference: str) -> str:
    if len(grid.x) == 2 and difference == "forward":
        return (
            "it has two values, and a forward difference loses the last; "
            "use difference='central', or catstratpd"
        )
    if n_strata < min_slopes:
        return (
            f"the other columns divide the rows into {n_strata} strata only, which cannot give "
            f"{min_slopes} slopes at a value; lower min_slopes_per_x or min_samples_leaf"
        )
    return (
        f"fewer than two of its values have {min_slopes} slopes; with the other columns held "
        "still it hardly varies, or there are too few rows"
    )
