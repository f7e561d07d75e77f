"""A problem prepared: which columns can be held still, and how rows become numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, Hashes, Labels, lacks, side_by_side
from paribus.base.notes import Note
from paribus.base.threads import both, run_all
from paribus.estimate.candidates import Candidates, candidates_of, rows_looked_at
from paribus.estimate.covariates import (
    AsTheyAre,
    Covariates,
    covariates_of,
    lines_by_level,
    no_covariates,
    shared_products,
)
from paribus.estimate.design import Design, fit_design
from paribus.estimate.pieces import Other, Pieces, fit_pieces
from paribus.estimate.selecting import Selection, select_covariates
from paribus.estimate.terms import Seen, choose_terms, dependences, look, scores_of
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.jointly import MOST_SCORES, Jointly, Moved, look_jointly
from paribus.pipeline.options import Options
from paribus.strata.checks import ColumnSet
from paribus.strata.cuts import Cut
from paribus.strata.honest import (
    Coded,
    Growing,
    TreeCoding,
    effective_leaf,
    fit_tree_coding,
    fold_hashes,
)
from paribus.strata.placing import placed
from paribus.strata.triples import product_of
from paribus.table.columns import Column
from paribus.table.problem import SMALLEST, Problem

# What is found when it is first asked for: None where a table is too small or too wide for it.
Looked: TypeAlias = Callable[[], Jointly | None]

AT_ONCE = 16  # columns looked at for what moves them together
OFTEN = 8  # columns explained with the same rows: from so many on products are formed once
ID_SHARE = 0.75  # text with more levels than this share of the rows is an id


@dataclass(frozen=True, slots=True)
class Alike:
    """What is formed once in rows that many explained columns have in common."""

    products: FloatArray  # see `shared_products`
    candidates: Candidates  # what effects may differ with, laid out


@dataclass(frozen=True, slots=True)
class Analysis:
    """A problem prepared for any of its columns."""

    problem: Problem
    options: Options
    # The columns that can be held still, all but ids and constants, and the same as they are held:
    # numbers of two values as levels, and levels numbered as they come.
    columns: tuple[Column, ...]
    held: tuple[Column, ...]
    design: Design  # how these columns become covariates
    values: FloatArray  # (n, q): the covariates that all explained columns share
    seen: Seen
    levels_of: Mapping[int, Labels]  # (n,) each: the levels of the categories with many of them
    coded: Coded  # the held columns as trees see them
    # The held columns, NaN where a value is missing and was not filled in.
    matrix: FloatArray  # (n, p)
    jointly: Looked  # which columns act together on the target
    # Pieces of each held column that effects may differ with; none where they may not.
    pieces: Mapping[str, Pieces]
    as_others: Mapping[str, Other]  # the held columns with these
    candidates: Candidates  # the same, laid out for the rows that tests look at
    selection: Selection | None  # which of very many covariates matter; None where all take part
    # For columns needed, what is formed once in the rows that have all of them.
    alike: Mapping[tuple[int, ...], Alike] = field(default_factory=dict)
    # For columns to be explained, and those left out with each, which others move them together.
    moved: Mapping[tuple[int, ColumnSet], Moved] = field(default_factory=dict)
    # How much complete columns to be explained depend on each number; see `dependences`.
    shares: Mapping[int, FloatArray] = field(default_factory=dict)
    # Products of columns to be explained with the covariates; see `Selection.pulls`.
    pulls: Mapping[int, FloatArray] = field(default_factory=dict)

    def with_alike(self, sets: Iterable[Sequence[int]]) -> Analysis:
        """Return the same with what is the same for many of the columns to be explained.

        `sets` are the columns left out for each of them.
        """
        times = Counter(self.design.needed_without(left_out) for left_out in sets)
        often = [needed for needed, count in times.items() if not needed or count >= OFTEN]
        return replace(self, alike={needed: self._alike(needed) for needed in often})

    @single_blas_thread
    def with_moved(self, explained: Sequence[tuple[int, ColumnSet]]) -> Analysis:
        """Return the same with what was seen of the columns to be explained, several at once.

        Each comes with the columns that are left out while it is explained.
        """
        jointly = None if self.problem.within is not None else self.jointly()
        moved: dict[tuple[int, ColumnSet], Moved] = {}
        shares: dict[int, FloatArray] = {}
        pulls: dict[int, FloatArray] = {}
        selection = self.selection if self.options.adjust else None

        def look(some: Sequence[tuple[int, ColumnSet]]) -> None:
            columns, left_out = [self.scores(k) for k, _ in some], [own for _, own in some]
            if jointly is not None:
                moved.update(zip(some, jointly.look_at(columns, left_out), strict=True))
            seen = {k: x[self.seen.rows] for (k, _), x in zip(some, columns, strict=True)}
            whole = {k: x for k, x in seen.items() if k not in shares and not np.isnan(x).any()}
            if whole and self.options.adjust:
                shares.update(zip(whole, dependences(self.seen, [*whole.values()]), strict=True))
            if selection is not None:
                pulls.update(zip([k for k, _ in some], selection.pulls(columns), strict=True))

        # An even number, of like size, however many threads there are: rounding is then the same.
        n_groups = 2 * -(-len(explained) // (2 * AT_ONCE))
        bounds = np.linspace(0, len(explained), n_groups + 1).astype(np.int64)
        groups = [explained[a:b] for a, b in pairwise(bounds.tolist()) if a < b]
        run_all(look, groups, self.options.threads)
        return replace(self, moved=moved, shares=shares, pulls=pulls)

    def _alike(self, needed: tuple[int, ...]) -> Alike:
        weights, lacking = self.problem.total_weights, lacks(self.matrix, needed)
        threads = self.options.threads
        if not lacking.any():
            formed = shared_products(self.design, self.values, self.levels_of, weights, threads)
            return Alike(formed, self.candidates)
        rows = np.flatnonzero(~lacking)
        levels_of = {k: level[rows] for k, level in self.levels_of.items()}
        formed = shared_products(self.design, self.values[rows], levels_of, weights[rows], threads)
        others = {name: other.take(rows) for name, other in self.as_others.items()}
        return Alike(formed, candidates_of(others, rows_looked_at(len(rows))))

    def position(self, name: str) -> int:
        """Return the place of a column among those held still."""
        return next(k for k, column in enumerate(self.held) if column.name == name)

    def scores(self, k: int | Sequence[int]) -> FloatArray:
        """Return a held column, or several, as numbers to depend on others, shape (n, c)."""
        columns = [self.held[j] for j in ([k] if isinstance(k, int) else k)]
        return np.hstack([scores_of(c.values, len(c.levels)) for c in columns])

    def covariates(
        self, k: int | Sequence[int], left_out: Sequence[int], cuts: Sequence[Cut] = ()
    ) -> Covariates:
        """Return the covariates of a column, made from all columns that are not left out.

        Numbers that act together have products among them: what varies inside their cells.
        """
        n = len(self.problem.y)
        if not self.options.adjust:
            return no_covariates(n)
        x = self.scores(k)
        n_rows = float(self.problem.total_weights.sum())
        sets = [cut.columns for cut in cuts]
        chosen = None
        if self.selection is not None:
            pull = self.pulls.get(k) if isinstance(k, int) else None
            chosen = self.selection.choose(x, left_out, self.design.place_of(k), pull)
        shares = self.shares.get(k) if isinstance(k, int) else None
        terms = choose_terms(
            self.design, self.seen, x, left_out, n_rows, self.levels_of, sets, chosen, shares
        )
        covariates = covariates_of(self.design, self.values, terms, left_out, self.levels_of)
        if chosen is not None:
            covariates = covariates.only(chosen.covariates)
        lines = lines_by_level(
            self.design, self.matrix, self.values, x, sets, self.problem.total_weights
        )
        covariates = covariates.beside(*(each.fitted for each in lines))
        products = [*self._products(sets)]
        return covariates.beside(AsTheyAre(np.column_stack(products))) if products else covariates

    def _products(self, sets: Sequence[Sequence[int]]) -> Iterator[FloatArray]:
        """Return the products of numbers that act only together, more than two of them."""
        place = {int(column): at for at, column in enumerate(self.design.numbers)}
        for columns in sets:
            numbers = [place[k] for k in columns if k in place]
            if len(numbers) > 2:
                yield product_of(self.values[:, numbers])

    def cuts(
        self, k: int | Sequence[int], left_out: Sequence[int], *, acting: bool = False
    ) -> list[Cut]:
        """Find held columns that act together on a column or on the target, and their cells.

        Only those `acting` on the column are cut, if asked for.
        """
        if self.problem.within is not None or (jointly := self.jointly()) is None:
            return []
        moved = self.moved.get((k, tuple(left_out))) if isinstance(k, int) else None
        if moved is None:
            (moved,) = jointly.look_at([self.scores(k)], [left_out])
        cuts = jointly.cuts(moved, left_out, acting=acting)
        seen = jointly.together.matrix
        if len(seen) == len(self.matrix) or not any(cut.has_jumps for cut in cuts):
            return cuts
        x = self.scores(k)[:, :MOST_SCORES]
        x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
        targets = np.column_stack([x, self.problem.y])
        return [placed(cut, seen, self.matrix, targets) if cut.has_jumps else cut for cut in cuts]

    def cells(self, cuts: Sequence[Cut]) -> list[Labels]:
        """Return the cells of all rows."""
        return [cut.cells(self.matrix).astype(np.int32) for cut in cuts]

    def growing(self, n_jobs: int = 1, min_samples_leaf: int | None = None) -> Growing:
        """Return how trees are grown; to leaves of the usual size, or of another."""
        options = self.options
        folds = options.folds if options.honest else 1
        usual = effective_leaf(options.min_samples_leaf, self.problem.weights)
        return Growing(min_samples_leaf or usual, folds, options.seed, n_jobs)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What makes covariates and strata of rows, fitted on some of them, and what it made of these.

    n rows; p columns that can be held still.
    """

    design: Design
    tree_coding: TreeCoding
    values: FloatArray  # (n, q): the covariates that all explained columns share
    incomplete: FloatArray  # (n, p): the columns as they are
    matrix: FloatArray  # (n, p): NaN where a value is missing and was not filled in
    codes: NDArray[np.uint8]  # the columns as trees see them
    notes: tuple[Note, ...]  # on missing values
    jointly: Looked  # which columns act together on the target

    def coded(self, problem: Problem, hashes: Hashes) -> Coded:
        """Return the rows as trees are grown on them."""
        return Coded(self.codes, self.tree_coding.coding, hashes, problem.weights, problem.counts)


def fit_columns(
    columns: Sequence[Column], problem: Problem, n_rows: float, options: Options
) -> Fitted:
    """Fit the columns that can be held still on the rows of a problem, which stand for `n_rows`."""
    threads, y = options.threads, problem.y
    incomplete = np.empty((len(y), 0))
    if columns:
        incomplete = side_by_side([c.values for c in columns], threads)
    n_levels = {k: len(c.levels) for k, c in enumerate(columns) if c.kind == "category"}
    design = fit_design(incomplete, n_levels, problem.total_weights, n_rows, threads)
    values = design.values(incomplete, threads)
    matrix = design.filled(incomplete, values)

    tree_coding = fit_tree_coding(matrix, n_levels, y, problem.counts, threads)

    @cache
    def jointly() -> Jointly | None:
        return look_jointly(matrix, [*n_levels], y) if options.looks_jointly else None

    return Fitted(
        design=design,
        tree_coding=tree_coding,
        values=values,
        incomplete=incomplete,
        matrix=matrix,
        codes=tree_coding.encode(matrix, threads),
        notes=tuple(_missing_notes([c.name for c in columns], design, incomplete)),
        jointly=jointly,
    )


@single_blas_thread
def prepare(problem: Problem, options: Options) -> Analysis:
    """Code the table once for all columns."""
    columns, weights = held_columns(problem), problem.total_weights
    held = tuple(column.two_as_levels().by_appearance() for column in columns)
    fitted = fit_columns(held, problem, float(weights.sum()), options)
    design, values, matrix = fitted.design, fitted.values, fitted.matrix
    levels_of = {k: design.codes(k, matrix[:, k]) for k in design.many}

    def lay_out() -> tuple[dict[str, Other], Candidates, Hashes, Seen]:
        others = {
            c.name: Other(c.values, fit_pieces(c.values, len(c.levels), weights)) for c in held
        }
        candidates = candidates_of(others, rows_looked_at(len(matrix)))
        hashes = fold_hashes(fitted.codes, problem.cluster, n_jobs=1)
        return others, candidates, hashes, look(design, values, weights)

    (others, candidates, hashes, seen), _ = both(lay_out, fitted.jointly, options.threads)
    return Analysis(
        problem=replace(problem, notes=(*problem.notes, *fitted.notes)),
        options=options,
        columns=columns,
        held=held,
        design=design,
        values=values,
        seen=seen,
        levels_of=levels_of,
        coded=fitted.coded(problem, hashes),
        matrix=matrix,
        jointly=fitted.jointly,
        pieces={name: other.pieces for name, other in others.items()},
        as_others=others,
        candidates=candidates,
        selection=select_covariates(design, values, problem.y, weights, levels_of),
    )


def held_columns(problem: Problem) -> tuple[Column, ...]:
    """Return the columns that can be held still, in their own order: all but ids and constants."""
    columns = [problem.table[name] for name in problem.own_order]
    return tuple(
        c.with_missing_level() if has_one_value(c) else c for c in columns if not why_idle(c)
    )


def _missing_notes(names: Sequence[str], design: Design, matrix: FloatArray) -> Iterator[Note]:
    """Tell what was done about missing values of columns that are held still."""
    if design.needed:
        rows = int(lacks(matrix, design.needed).sum())
        yield pipeline_notes.incomplete_rows(sorted(names[k] for k in design.needed), rows)
    if design.flags:
        rows = int(lacks(matrix, [*design.flags]).sum())
        yield pipeline_notes.filled_in(sorted(names[k] for k in design.flags), rows)


def why_idle(column: Column) -> str:
    """Say why a column can be neither explained nor held still; nothing if it can."""
    if np.isnan(column.values).all():
        return "it is missing in every row"
    if has_one_value(column) and not np.isnan(column.values).any():
        return "it has the same value in every row"
    if column.kind == "number" and np.fmax.reduce(np.abs(column.values)) < SMALLEST:
        return "its numbers are all smaller than 1e-140: measure it in another unit"
    return id_reason(len(column.levels), len(column.values)) if is_id(column) else ""


def is_id(column: Column) -> bool:
    """Tell whether a column is text that names nearly every row anew."""
    return column.kind == "category" and looks_like_id(len(column.levels), len(column.values))


def id_reason(n_levels: int, n_rows: int) -> str:
    """Say why a column of names is left out."""
    return f"its {n_levels:,} different texts in {n_rows:,} rows look like an id"


def has_one_value(column: Column) -> bool:
    """Tell whether a column is one value, or missing: two levels rather than a number."""
    present = column.values[~np.isnan(column.values)]
    return len(present) > 0 and bool(present.min() == present.max())


def looks_like_id(n_levels: int, n_rows: int) -> bool:
    """Tell whether so many different texts in so many rows name nearly every row anew."""
    return n_levels > max(ID_SHARE * n_rows, 20)
