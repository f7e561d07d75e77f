"""StratPD and CatStratPD, to the letter of the paper.

Terence Parr and James D. Wilson, "Partial Dependence through Stratification".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from paribus import errors, notes
from paribus._types import BoolArray, FloatArray, IntArray
from paribus.estimate.merging import Merged, leaf_means, merge_leaves
from paribus.estimate.slopes import (
    Curve,
    Grid,
    average_slopes,
    grid_of,
    integrate,
    leaf_slopes,
)
from paribus.notes import Note
from paribus.question import Question, ask
from paribus.results import CategoricalEffect, Histogram, NumericEffect
from paribus.strata.paper_tree import Trees, exact_strata
from paribus.table import Column

HISTOGRAM_BINS = 40


def stratpd(
    X: Any,
    y: Any,
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
    seed: int = 0,
    n_jobs: int | None = None,
) -> NumericEffect:
    """Explain a column of numbers or dates: the paper's StratPD.

    A regression tree on the other columns groups alike rows into leaves. Inside a leaf only
    `feature` moves: neighbouring distinct values give slopes. Slopes of all leaves are averaged
    at each value and summed up to a curve that starts at 0.

    Parameters
    ----------
    X : table
        A pandas, polars or pyarrow table, a dict of columns, or a 2-D NumPy array.
    y : array, Series or str
        The target, or the name of the column of `X` that holds it.
    feature : str
        The column to explain.
    names : sequence of str, optional
        Column names, for a NumPy array.
    min_samples_leaf : int
        Rows in a leaf at least. Small leaves hold the others more still, large ones see wide
        wiggles and noise better.
    min_slopes_per_x : int
        Values at which fewer slopes meet are dropped.
    difference : {"forward", "central"}
        A forward difference has no slope at the last value, which is therefore lost; a central
        one averages the slopes on both sides of a value and keeps it.
    n_trials : int
        With more than one, that many bootstrap samples; the result is their mean.
    n_trees, max_features, bootstrap
        More than one tree: a random forest with that share (or number) of candidate columns a
        split, for columns with a near-twin among the others.
    seed : int
        Same seed, same answer.
    n_jobs : int, optional
        Threads for a forest; the answer does not depend on it.

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
    trees = Trees(min_samples_leaf, n_trees, max_features, bootstrap, n_jobs)
    _check_options(trees, n_trials=n_trials, min_slopes_per_x=min_slopes_per_x)
    if difference not in ("forward", "central"):
        raise errors.bad_choice("difference", difference, ["forward", "central"])
    question = ask(X, y, names=names)
    column = question.table[feature]
    if column.kind == "category":
        raise errors.not_a_number_column(feature)
    rows = _rows_that_speak(question, column)
    grid = grid_of(rows.x)
    if len(grid.x) < 2:
        return _no_curve(question, column, rows.notes, _why_constant(len(grid.x)))
    central = difference == "central"
    curves, n_silent = [], []
    for draw in _trials(rows, trees, n_trials, seed):
        drawn = Grid(grid.x, grid.position[draw.rows])
        slopes = [leaf_slopes(drawn, rows.y[draw.rows], leaf) for leaf in draw.strata.T]
        curves.append(average_slopes(slopes, len(grid.x), central=central))
        n_silent.append(np.count_nonzero(np.all([s.silent for s in slopes], axis=0)))
    n_ignored = round(np.mean(n_silent)) + question.table.n_rows - len(rows.x)
    return _assemble(
        question, column, grid, curves, rows.notes, min_slopes_per_x, central, n_ignored
    )


def catstratpd(
    X: Any,
    y: Any,
    feature: str,
    *,
    names: Sequence[str] | None = None,
    min_samples_leaf: int = 10,
    n_trials: int = 1,
    n_trees: int = 1,
    max_features: float | int = 1.0,
    bootstrap: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
) -> CategoricalEffect:
    """Explain a column level by level: the paper's CatStratPD.

    A regression tree on the other columns groups alike rows into leaves. Inside a leaf the mean
    target of each level is compared; the leaves are merged one by one where they share a level.
    Only differences between levels mean anything: the effects are shifted to a mean of zero over
    the rows.

    Parameters
    ----------
    X, y, feature, names
        As in `stratpd`; any column can be explained by its distinct values.
    min_samples_leaf, n_trials, n_trees, max_features, bootstrap, seed, n_jobs
        As in `stratpd`.

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
    trees = Trees(min_samples_leaf, n_trees, max_features, bootstrap, n_jobs)
    _check_options(trees, n_trials=n_trials)
    question = ask(X, y, names=names)
    column = question.table[feature].as_category()
    rows = _rows_that_speak(question, column)
    level, n_levels = rows.x.astype(np.int64), len(column.levels)
    if n_levels < 2:
        return _no_bars(question, column, rows.notes, _why_constant(n_levels))
    if n_levels == len(level):
        reason = f"each of its {n_levels:,} values occurs once, as in an id"
        return _no_bars(question, column, rows.notes, reason)
    merged = []
    for draw in _trials(rows, trees, n_trials, seed):
        leaf = (draw.strata + np.arange(n_trees) * (draw.strata.max() + 1)).T.ravel()
        drawn = np.tile(draw.rows, n_trees)
        means = leaf_means(level[drawn], rows.y[drawn], leaf)
        merged.append(merge_leaves(means, n_levels, np.random.default_rng(draw.seed)))
    return _assemble_levels(question, column, level, merged, rows.notes, n_trees)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows in which the explained column is not missing: arrays over n rows."""

    others: FloatArray
    x: FloatArray
    y: FloatArray
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class _Trial:
    """The rows drawn in one trial, shape (n,), and their strata, shape (n, n_trees)."""

    rows: IntArray
    strata: IntArray
    seed: int


def _check_options(trees: Trees, **whole_numbers: int) -> None:
    least_one = {
        "min_samples_leaf": trees.min_samples_leaf,
        "n_trees": trees.n_trees,
        **whole_numbers,
    }
    for option, value in least_one.items():
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value < 1:
            raise errors.below_minimum(option, value, 1)
    share = trees.max_features
    if isinstance(share, (float, np.floating)):
        valid = 0 < share <= 1
    else:
        valid = isinstance(share, (int, np.integer)) and not isinstance(share, bool) and share >= 1
    if not valid:
        raise errors.bad_fraction("max_features", share)


def _rows_that_speak(question: Question, column: Column) -> _Rows:
    present = ~np.isnan(column.values)
    others = question.table.without(column.name).matrix()[present]
    n_missing = int(np.count_nonzero(~present))
    found = (notes.missing_feature(column.name, n_missing),) if n_missing else ()
    return _Rows(others, column.values[present], question.y[present], found)


def _trials(rows: _Rows, trees: Trees, n_trials: int, seed: int) -> Iterator[_Trial]:
    """Stratify all rows once, or a bootstrap sample a trial."""
    n_rows = len(rows.y)
    for child in np.random.SeedSequence(seed).spawn(n_trials):
        rng = np.random.default_rng(child)
        drawn = np.arange(n_rows) if n_trials == 1 else np.sort(rng.integers(n_rows, size=n_rows))
        tree_seed = int(rng.integers(2**31))
        strata = exact_strata(rows.others[drawn], rows.y[drawn], trees, tree_seed)
        yield _Trial(drawn, strata, tree_seed)


def _assemble(
    question: Question,
    column: Column,
    grid: Grid,
    curves: list[Curve],
    found: tuple[Note, ...],
    min_slopes_per_x: int,
    central: bool,
    n_ignored: int,
) -> NumericEffect:
    """Drop values with too little support and integrate the rest."""
    enough = np.array([c.count >= min_slopes_per_x for c in curves])
    kept = 2 * np.count_nonzero(enough, axis=0) >= len(curves)
    if np.count_nonzero(kept) < 2:
        reason = (
            f"fewer than two of its values are met by {min_slopes_per_x} slopes; other columns "
            "may fix it, or there are too few rows"
        )
        return _no_curve(question, column, found, reason)
    x = grid.x[kept]
    slopes = np.where(enough, [c.slope for c in curves], np.nan)[:, kept]
    slope = np.nanmean(slopes, axis=0)
    effect = integrate(x, slope, central=central)
    trials = [_trial_curve(x, s, effect, central) for s in slopes]
    n_rows = question.table.n_rows
    if n_ignored:
        found = (*found, notes.ignored_rows(column.name, n_ignored, n_rows))
    found = (*found, *_gap_notes(column, grid.x, kept))
    return NumericEffect(
        feature=column.name,
        target=question.target,
        method="stratpd",
        x=column.shown(x),
        effect=effect,
        slope=slope,
        support=np.mean([c.count for c in curves], axis=0)[kept],
        trials=np.array(trials),
        distribution=_histogram(column, x[0], x[-1]),
        n_rows=n_rows,
        n_used=n_rows - n_ignored,
        notes=question.notes + found,
        backend=question.table.backend,
    )


def _trial_curve(x: FloatArray, slope: FloatArray, effect: FloatArray, central: bool) -> FloatArray:
    """Integrate one trial over the values that it supports, hung on the mean curve's start."""
    out = np.full(len(x), np.nan)
    own = np.flatnonzero(~np.isnan(slope))
    if len(own):
        out[own] = effect[own[0]] + integrate(x[own], slope[own], central=central)
    return out


def _gap_notes(column: Column, x: FloatArray, kept: BoolArray) -> tuple[Note, ...]:
    """Find the stretches between kept values from which values were dropped."""
    at = np.flatnonzero(kept)
    left = at[:-1][np.diff(at) > 1]
    if len(left) == 0:
        return ()
    right = at[np.searchsorted(at, left) + 1]
    ends = zip(column.shown(x[left]).tolist(), column.shown(x[right]).tolist(), strict=True)
    n_dropped = int(np.count_nonzero(~kept[at[0] : at[-1]]))
    return (notes.gaps(column.name, list(ends), n_dropped),)


def _assemble_levels(
    question: Question,
    column: Column,
    level: IntArray,
    merged: list[Merged],
    found: tuple[Note, ...],
    n_trees: int,
) -> CategoricalEffect:
    """Centre each trial over the rows, average them and report what was not merged."""
    count = np.bincount(level, minlength=len(column.levels))
    trials = np.array([_centred(m.effect, count) for m in merged])
    known = ~np.isnan(trials)
    effect = np.full(len(count), np.nan)
    any_trial = known.any(axis=0)
    effect[any_trial] = np.nanmean(trials[:, any_trial], axis=0)
    n_rows = question.table.n_rows
    n_ignored = round(np.mean([m.n_silent / n_trees for m in merged])) + n_rows - len(level)
    if n_ignored:
        found = (*found, notes.ignored_rows(column.name, n_ignored, n_rows))
    if not any_trial.all():
        left = [column.levels[k] for k in np.flatnonzero(~any_trial)]
        n_left = int(count[~any_trial].sum())
        found = (*found, notes.unmerged_levels(column.name, left, n_left))
    return CategoricalEffect(
        feature=column.name,
        target=question.target,
        method="catstratpd",
        levels=column.levels,
        effect=_centred(effect, count),
        count=count,
        trials=trials,
        n_rows=n_rows,
        n_used=n_rows - n_ignored,
        notes=question.notes + found,
        backend=question.table.backend,
    )


def _centred(effect: FloatArray, count: IntArray) -> FloatArray:
    known = ~np.isnan(effect)
    return effect - np.average(effect[known], weights=count[known])


def _histogram(column: Column, low: float, high: float) -> Histogram:
    values = column.values[~np.isnan(column.values)]
    counts, edges = np.histogram(values, bins=HISTOGRAM_BINS, range=(low, high))
    return Histogram(column.shown(edges), counts.astype(np.int64))


def _why_constant(n_distinct: int) -> str:
    return "it is missing in every row" if n_distinct == 0 else "it has the same value in every row"


def _no_curve(
    question: Question, column: Column, found: tuple[Note, ...], reason: str
) -> NumericEffect:
    nothing = np.empty(0)
    return NumericEffect(
        feature=column.name,
        target=question.target,
        method="stratpd",
        x=column.shown(nothing),
        effect=nothing,
        slope=nothing,
        support=nothing,
        trials=np.empty((0, 0)),
        distribution=Histogram(column.shown(nothing), np.empty(0, dtype=np.int64)),
        n_rows=question.table.n_rows,
        n_used=0,
        notes=(*question.notes, *found, notes.unexplained(column.name, reason)),
        backend=question.table.backend,
    )


def _no_bars(
    question: Question, column: Column, found: tuple[Note, ...], reason: str
) -> CategoricalEffect:
    return CategoricalEffect(
        feature=column.name,
        target=question.target,
        method="catstratpd",
        levels=(),
        effect=np.empty(0),
        count=np.empty(0, dtype=np.int64),
        trials=np.empty((0, 0)),
        n_rows=question.table.n_rows,
        n_used=0,
        notes=(*question.notes, *found, notes.unexplained(column.name, reason)),
        backend=question.table.backend,
    )
