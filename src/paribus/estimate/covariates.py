"""Covariates of rows: those shared by a whole design, and further terms for one column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paribus.base.arrays import (
    SMALL_BLOCK,
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    Rows,
    dot,
    mean_and_scale,
)
from paribus.base.threads import run_all
from paribus.estimate.design import Design
from paribus.estimate.groups import sums_of, weighted_gram
from paribus.estimate.hats import lay_rows, lay_terms, value_terms
from paribus.estimate.terms import NO_CURVES, NO_PAIRS, Curves, Terms

SUMMED_APART = 4  # parts of the rows, however many threads share them: sums are then the same
MOST_LINES = 3  # of an explained category
MOST_SHARED = 1_000  # covariates that have products formed once, with those of categories
LINE_PRIOR = 5.0  # rows by which the slope of a level is drawn to that of all


@dataclass(frozen=True, slots=True)
class ByLevel:
    """Covariates that follow from a category."""

    table: FloatArray  # (n_levels, d): those of each level
    codes: Labels  # (n,): the level of each row

    @property
    def width(self) -> int:
        """How many covariates they are."""
        return self.table.shape[1]

    def take(self, rows: Rows) -> ByLevel:
        """Return some of the rows."""
        return replace(self, codes=self.codes[rows])

    def lay(self, at: Rows, out: FloatArray) -> None:
        """Write the covariates of some rows, shape (m, d)."""
        lay_rows(self.table, self.codes[at].astype(np.int64), out)

    def times(self, slopes: FloatArray) -> FloatArray:
        """Return their sum with `slopes` (d,), shape (n,)."""
        out: FloatArray = (self.table @ slopes)[self.codes]
        return out


@dataclass(frozen=True, slots=True)
class ByLine:
    """Covariates that are a straight line in a number, another for each level of a category."""

    constant: FloatArray  # (n_levels, d)
    slope: FloatArray  # (n_levels, d)
    codes: Labels  # (n,): the level of each row
    number: FloatArray  # (n,)

    @property
    def width(self) -> int:
        """How many covariates they are."""
        return self.constant.shape[1]

    def take(self, rows: Rows) -> ByLine:
        """Return some of the rows."""
        return replace(self, codes=self.codes[rows], number=self.number[rows])

    def lay(self, at: Rows, out: FloatArray) -> None:
        """Write the covariates of some rows, shape (m, d)."""
        level = self.codes[at]
        out[:] = self.constant[level] + self.slope[level] * self.number[at, None]

    def times(self, slopes: FloatArray) -> FloatArray:
        """Return their sum with `slopes` (d,), shape (n,)."""
        constant, slope = self.constant @ slopes, self.slope @ slopes
        out: FloatArray = constant[self.codes] + slope[self.codes] * self.number
        return out


@dataclass(frozen=True, slots=True)
class AsTheyAre:
    """Covariates that are columns (n, d) of numbers."""

    columns: FloatArray

    @property
    def width(self) -> int:
        """How many covariates they are."""
        return self.columns.shape[1]

    def take(self, rows: Rows) -> AsTheyAre:
        """Return some of the rows."""
        return AsTheyAre(self.columns[rows])

    def lay(self, at: Rows, out: FloatArray) -> None:
        """Write the covariates of some rows, shape (m, d)."""
        lay_rows(self.columns, at, out)

    def times(self, slopes: FloatArray) -> FloatArray:
        """Return their sum with `slopes` (d,), shape (n,)."""
        out: FloatArray = self.columns @ slopes
        return out


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines in a number, another for each level of a category, fitted on rows for other rows."""

    category: int
    place: int  # of the number among the covariates that all columns share
    fitted: ByLine

    def of(self, design: Design, matrix: FloatArray, values: FloatArray) -> ByLine:
        """Return them for the rows of a table (n, p) with shared covariates (n, q)."""
        codes = design.codes(self.category, matrix[:, self.category])
        number = np.ascontiguousarray(values[:, self.place])
        return replace(self.fitted, codes=codes, number=number)


def lines_by_level(
    design: Design,
    matrix: FloatArray,
    values: FloatArray,
    x: FloatArray,
    sets: Sequence[Sequence[int]],
    weights: FloatArray,
) -> Iterator[Lines]:
    """Fit a column by lines, for every number that acts together with a category.

    As covariates they hold still what the two say together also inside cells.

    Parameters
    ----------
    design : Design
    matrix : float array of shape (n, p)
    values : float array of shape (n, q)
        The shared covariates.
    x : float array of shape (n, c)
        The explained column as numbers.
    sets : sequence of sequences of int
        Columns that act together.
    weights : float array of shape (n,)
    """
    place = {int(column): at for at, column in enumerate(design.numbers)}
    for columns in sets:
        numbers = [k for k in columns if k in place]
        if len(columns) == 2 and len(numbers) == 1:
            (category,) = (k for k in columns if k not in place)
            codes = design.codes(category, matrix[:, category])
            number = np.ascontiguousarray(values[:, place[numbers[0]]])
            size = len(design.tables[category])
            fitted = _lines_of(x[:, :MOST_LINES], codes, number, weights, size)
            yield Lines(category, place[numbers[0]], fitted)


def _lines_of(
    x: FloatArray, codes: Labels, number: FloatArray, weights: FloatArray, size: int
) -> ByLine:
    """Fit `x` (n, c) by a line in a number (n,) for each of so many levels.

    Levels with few rows have nearly the slope of all. Lines are in standard deviations of `x`, so
    that its unit leaves no trace.
    """
    known = ~np.isnan(x).any(axis=1)
    level, w, z = codes[known], weights[known], number[known]
    count = np.maximum(sums_of(level, w, size), 1e-300)
    middle = sums_of(level, w * z, size) / count
    run = z - middle[level]
    spread = sums_of(level, w * run**2, size)
    constants, slopes = [], []
    for values in x[known].T:
        column = values / mean_and_scale(values, w)[1]
        mean = sums_of(level, w * column, size) / count
        moment = sums_of(level, w * run * column, size)
        pooled = float(moment.sum() / max(float(spread.sum()), 1e-300))
        prior = LINE_PRIOR * float(spread.sum()) / float(count.sum())
        slope = (moment + prior * pooled) / (spread + prior + 1e-300)
        constants.append(mean - slope * middle)
        slopes.append(slope)
    return ByLine(np.column_stack(constants), np.column_stack(slopes), codes, number)


@dataclass(frozen=True, slots=True)
class Covariates:
    """Covariates of n rows, of which some take no part; made block by block when needed."""

    values: FloatArray  # (n, q): the shared ones
    active: BoolArray  # (q + more,): those that take part: the explained column itself must not
    curves: Curves = NO_CURVES
    pairs: Labels = field(default_factory=lambda: NO_PAIRS)  # (number of pairs, 2)
    more: tuple[ByLevel | ByLine | AsTheyAre, ...] = ()
    # The place of each among the covariates of `shared_products`, -1 of one of its own.
    place: Rows | None = None  # (q + more,)
    # Weighted products of these in the same rows, where they are formed once for several columns.
    known_products: FloatArray | None = None

    def products(self, weights: FloatArray) -> tuple[Rows, FloatArray]:
        """Return which have weighted products that are known, or soon formed, and these."""
        if self.place is None or self.known_products is None:
            return np.arange(self.values.shape[1]), weighted_gram(self.values, weights)
        at = np.flatnonzero(self.place >= 0)
        return at, self.known_products[np.ix_(self.place[at], self.place[at])]

    def beside(self, *more: ByLine | AsTheyAre) -> Covariates:
        """Return these and further ones beside them."""
        width = sum(m.width for m in more)
        active = np.append(self.active, np.ones(width, dtype=np.bool_))
        place = self.place
        place = place if place is None else np.append(place, np.full(width, -1))
        return replace(self, active=active, place=place, more=(*self.more, *more))

    def only(self, places: IntArray) -> Covariates:
        """Return these with some of the shared ones, and those that further terms are made of."""
        kept = np.unique(np.concatenate([places, self.curves.place, self.pairs.ravel()]))
        at = np.zeros(self.values.shape[1], dtype=np.int32)
        at[kept] = np.arange(len(kept))
        every = np.append(kept, np.arange(self.values.shape[1], len(self.active)))
        return replace(
            self,
            values=np.take(self.values, kept, axis=1),
            active=self.active[every],
            curves=replace(self.curves, place=at[self.curves.place]),
            pairs=at[self.pairs],
            place=self.place if self.place is None else self.place[every],
        )

    @property
    def n_active(self) -> int:
        """How many take part."""
        return int(np.count_nonzero(self.active))

    def take(self, rows: Rows) -> Covariates:
        """Return some of the rows."""
        more = tuple(each.take(rows) for each in self.more)
        return replace(self, values=self.values[rows], more=more, known_products=None)

    def lay(self, at: Rows, out: FloatArray) -> None:
        """Write the covariates of some rows into the first columns of `out` (m, q or more)."""
        size = self.values.shape[1]
        lay_rows(self.values, at, out[:, :size])
        self.lay_terms(at, out[:, size:])

    def lay_terms(self, at: Rows, out: FloatArray) -> None:
        """Write those that are not shared into the first columns of `out` (m, more)."""
        curves, first = self.curves, self.curves.size + len(self.pairs)
        lay_terms(self.values, at, curves.place, curves.knots, curves.n_knots, self.pairs, out)
        for each in self.more:
            each.lay(at, out[:, first : first + each.width])
            first += each.width

    def rows(self, at: Rows, *more: FloatArray) -> FloatArray:
        """Return the covariates of some rows, and `more` columns (m, k) beside them."""
        first = len(self.active)
        out = np.empty((len(at), first + sum(columns.shape[1] for columns in more)))
        self.lay(at, out)
        for columns in more:
            out[:, first : first + columns.shape[1]] = columns
            first += columns.shape[1]
        return out

    def times(self, slopes: FloatArray) -> FloatArray:
        """Return the covariates' sum with `slopes` (q + more,), shape (n,)."""
        curves, first = self.curves, self.values.shape[1]
        out = dot(self.values, slopes[:first])
        last = first + curves.size + len(self.pairs)
        value_terms(
            self.values, curves.place, curves.knots, curves.n_knots, self.pairs,
            np.ascontiguousarray(slopes[first:last]), out,
        )  # fmt: skip
        for each in self.more:
            first, last = last, last + each.width
            out += each.times(slopes[first:last])
        return out


def covariates_of(
    design: Design,
    values: FloatArray,
    terms: Terms,
    left_out: Sequence[int],
    levels_of: Mapping[int, Labels],
) -> Covariates:
    """Put shared covariates (n, q) and a column's terms together.

    Those made from columns `left_out` take no part.
    """
    active = np.append(~np.isin(design.owner, list(left_out)), np.ones(terms.size, np.bool_))
    levels = tuple(ByLevel(table, levels_of[k]) for k, table in terms.tables)
    place, first = np.full(len(active), -1), _places_of_tables(design)
    place[: values.shape[1]] = np.arange(values.shape[1])
    at = len(active) - sum(level.width for level in levels)
    for (k, table), level in zip(terms.tables, levels, strict=True):
        if k in first and table is design.tables[k]:
            place[at : at + level.width] = first[k] + np.arange(level.width)
        at += level.width
    return Covariates(values, active, terms.curves, terms.pairs, levels, place)


def shared_products(
    design: Design,
    values: FloatArray,
    levels_of: Mapping[int, Labels],
    weights: FloatArray,
    n_threads: int = 1,
) -> FloatArray:
    """Return the weighted products of what the covariates of explained columns have in common.

    That is the shared ones (n, q) and, unless they are too many, the indicators of categories with
    many levels.
    """
    tables = tuple(ByLevel(design.tables[k], levels_of[k]) for k in _places_of_tables(design))
    size = values.shape[1] + sum(each.width for each in tables)
    every = Covariates(values, np.ones(size, np.bool_), more=tables)
    roots, even = np.sqrt(weights), bool(np.all(weights == 1))
    parts = np.array_split(np.arange(0, len(values), SMALL_BLOCK), SUMMED_APART)
    out = np.zeros((len(parts), size, size))

    def add_up(part: int) -> None:
        of_block = np.empty((min(SMALL_BLOCK, len(values)), size))
        for start in parts[part]:
            rows = np.arange(start, min(start + SMALL_BLOCK, len(values)))
            laid = of_block[: len(rows)]
            every.lay(rows, laid)
            if not even:
                laid *= roots[rows, None]
            out[part] += dot(laid.T, laid)

    run_all(add_up, range(len(parts)), n_threads)
    return np.asarray(out.sum(axis=0))


def _places_of_tables(design: Design) -> dict[int, int]:
    """Return where the indicators of each category of many levels come after the shared ones."""
    width = [design.tables[k].shape[1] for k in design.many]
    ends = len(design.owner) + np.cumsum(width)
    if not width or ends[-1] > MOST_SHARED:
        return {}
    return dict(zip(design.many, (ends - width).tolist(), strict=True))


def no_covariates(n: int) -> Covariates:
    """Return none, for n rows."""
    return Covariates(np.empty((n, 0)), np.empty(0, dtype=np.bool_))
