"""Further covariates for one explained column, where it is confounded with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray, Labels, Rows, coarse
from paribus.estimate.basis import weighted_quantiles
from paribus.estimate.design import MANY_ROWS, ROWS_PER_COVARIATE, Design, moments
from paribus.estimate.groups import add_rows, sums_of
from paribus.strata.cells import between_cells, between_of_columns
from paribus.strata.coding import count_below

GROUPS = 16
SAMPLE = 20_000  # rows enough to see what depends on what
MAX_CURVES, CURVE_DEPENDENCE = 4, 0.05
CURVE_QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
MAX_SCORES = 8  # levels of an explained category whose indicators stand for it


@dataclass(frozen=True)
class Curves:
    """Curves of some covariates, of which the inner hats are covariates too."""

    place: Labels  # (c,): the shared covariate that each bends
    knots: FloatArray  # (c, most): padded with infinity
    n_knots: Labels  # (c,)

    @cached_property
    def size(self) -> int:
        """How many covariates they are."""
        return int(np.sum(self.n_knots - 2))


NO_CURVES = Curves(np.empty(0, np.int32), np.empty((0, 0)), np.empty(0, np.int32))


NO_PAIRS = np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Terms:
    """Covariates of explained columns, for what they depend on."""

    curves: Curves = NO_CURVES
    # Shared covariates whose products, clipped, are covariates.
    pairs: Labels = field(default_factory=lambda: NO_PAIRS)  # (number of pairs, 2)
    # Covariates that follow from the level of a category with many levels.
    tables: tuple[tuple[int, FloatArray], ...] = ()  # (n_levels + 1, d) each

    @property
    def size(self) -> int:
        """How many covariates they are."""
        widths = (table.shape[1] for _, table in self.tables)
        return self.curves.size + len(self.pairs) + sum(widths)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was selected of very many covariates."""

    covariates: IntArray  # (m,): places of shared covariates
    categories: tuple[int, ...]  # categories of many levels


@dataclass(frozen=True, slots=True)
class Seen:
    """Rows enough to see what depends on what."""

    rows: slice  # which of all rows they are
    numbers: FloatArray  # (s, m): the standardised numeric columns
    groups: NDArray[np.uint16]  # (m, s): groups of like values of each
    bends: FloatArray  # (m, len(CURVE_QUANTILES)): where curves of each may bend
    count: FloatArray  # (m, GROUPS): how much their rows weigh
    weights: FloatArray  # (s,)
    all_weights: FloatArray  # (n,): of all rows


def look(design: Design, values: FloatArray, weights: FloatArray) -> Seen:
    """Take rows enough out of all shared covariates (n, q)."""
    rows = slice(None, None, max(1, len(values) // SAMPLE))
    numbers = np.ascontiguousarray(values[rows, : len(design.numbers)])
    heavy = weights[rows]
    even = np.linspace(0, 1, GROUPS + 1)[1:-1]  # about as many rows in each group
    places = np.concatenate([even, CURVE_QUANTILES])
    found = [np.split(weighted_quantiles(z, heavy, places), [len(even)]) for z in numbers.T]
    groups = np.empty((len(found), len(numbers)), dtype=np.uint16)
    for group, z, (edges, _) in zip(groups, numbers.T, found, strict=True):
        group[:] = count_below(z, edges)
    bends = np.array([bent for _, bent in found]).reshape(len(found), len(CURVE_QUANTILES))
    return Seen(rows, numbers, groups, bends, _rows_in(groups, heavy), heavy, weights)


def choose_terms(
    design: Design, seen: Seen, x: FloatArray, left_out: Sequence[int], n_rows: float,
    levels_of: Mapping[int, Labels],
    together: Sequence[Sequence[int]] = (),
    chosen: Chosen | None = None,
    shares: FloatArray | None = None,
) -> Terms:  # fmt: skip
    """Choose the terms of a column: of what it depends on, for that is where confounding is.

    The columns that `x` depends on most get a curve, and products with each other; categories of
    many levels get the level's mean of `x` (Mundlak 1978), with which least squares compares
    inside levels, and the indicators of the commonest levels.

    Parameters
    ----------
    design : Design
    seen : Seen
    x : float array of shape (n, c)
        The explained column as numbers, see `scores_of`; NaN where missing.
    left_out : sequence of int
        Columns that are not held still.
    n_rows : float
        Rows to estimate from, which limit how many terms there can be.
    levels_of : mapping of int to int32 array of shape (n,)
        The levels of the categories with many of them.
    together : sequence of sequences of int
        Columns that act together; the numbers among them get products.
    chosen : Chosen, optional
        What was selected, if not all shared covariates take part.
    shares : float array of shape (m,), optional
        How much the column depends on each number, if that is known; see `dependences`.
    """
    large = [(k, design.tables[k]) for k in design.many if k not in left_out]
    active = int(np.sum(~np.isin(design.owner, list(left_out))))
    if chosen is not None:
        large = [(k, table) for k, table in large if k in chosen.categories]
        active = len(chosen.covariates)
    room = int(n_rows) // ROWS_PER_COVARIATE - active - sum(t.shape[1] for _, t in large)
    known = x[seen.rows]
    if np.isnan(known).all():
        return Terms(tables=tuple(large))
    present = np.flatnonzero(~np.isnan(x[:, 0])) if large else np.empty(0, np.int64)
    own = x[present], seen.all_weights[present], present
    means = [(k, level_means(levels_of[k], *own, seen.all_weights, len(t))) for k, t in large]
    ties = confounders(design, seen, known, left_out, shares)[
        : max(room // len(CURVE_QUANTILES), 0)
    ]
    if n_rows > MANY_ROWS:
        ties = [(k, tie) for k, tie in ties if tie > CURVE_DEPENDENCE]
    curves = _curves(seen, [k for k, tie in ties if tie > CURVE_DEPENDENCE])
    paired = {*combinations(sorted(k for k, _ in ties), 2)}
    place = {int(column): at for at, column in enumerate(design.numbers)}
    for columns in together:
        paired |= {*combinations(sorted(place[k] for k in columns if k in place), 2)}
    pairs = sorted(paired)
    return Terms(curves, np.array(pairs, dtype=np.int32).reshape(-1, 2), (*means, *large))


def scores_of(column: FloatArray, n_levels: int) -> FloatArray:
    """Return a column as numbers that other columns can be compared with, shape (n, c).

    A number is itself; a category (`n_levels` > 0) is the indicators of its commonest levels but
    the first. NaN where missing.

    Examples
    --------
    >>> scores_of(np.array([0.0, 1.0, 0.0, np.nan]), 2).ravel().tolist()
    [0.0, 1.0, 0.0, nan]
    """
    if n_levels == 0:
        return column[:, None]
    missing = np.isnan(column)
    codes = np.where(missing, n_levels, column).astype(np.int64)
    count = np.bincount(codes, minlength=n_levels + 1)[:n_levels]
    common = np.argsort(-count, kind="stable")[1 : MAX_SCORES + 1]
    hit = (codes[:, None] == common).astype(np.float64)
    hit[missing] = np.nan
    return hit


def confounders(
    design: Design,
    seen: Seen,
    x: FloatArray,
    left_out: Sequence[int],
    shares: FloatArray | None = None,
) -> list[tuple[int, float]]:
    """Rank the few numeric covariates that `x` (s, c) depends on most, with the dependence."""
    places = np.flatnonzero(~np.isin(design.numbers, list(left_out)))
    share = _of_one(seen, x, places) if shares is None else shares[places]
    strongest = np.argsort(-coarse(share), kind="stable")[:MAX_CURVES]
    return [(int(places[at]), float(share[at])) for at in strongest]


def _of_one(seen: Seen, x: FloatArray, places: Rows) -> FloatArray:
    """Return how much a column `x` (s, c) depends on the numbers at some places."""
    present = ~np.isnan(x[:, 0])
    groups, weights, count = seen.groups, seen.weights, seen.count
    if not present.all():
        groups = np.ascontiguousarray(groups[:, present])
        weights, x = weights[present], x[present]
        count = _rows_in(groups, weights)
    return dependence(x, groups, places, count, weights)


def dependences(seen: Seen, columns: Sequence[FloatArray]) -> list[FloatArray]:
    """Return how much complete columns (s, c) depend on each of all numbers, shape (m,) each.

    The same as `dependence` says of one, in half of the time.
    """
    wide = np.hstack(columns)
    wide = seen.weights[:, None] * (wide - np.average(wide, axis=0, weights=seen.weights))
    squares = np.einsum("ij,ij->j", wide, wide / seen.weights[:, None])
    ends = np.cumsum([0, *(each.shape[1] for each in columns)])
    parts = [slice(*both) for both in pairwise(ends.tolist())]
    for part in parts:
        wide[:, part] /= np.sqrt(max(float(squares[part].sum()), 1e-300))
    first = GROUPS * np.arange(len(seen.groups) + 1)
    between = between_of_columns(seen.groups, first, seen.count.ravel(), wide)
    return [between[:, part].sum(axis=1) for part in parts]


def dependence(
    x: FloatArray,
    groups: NDArray[np.uint16],
    places: Rows,
    count: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """Return the share of the variance of `x` (n, c) that lies between groups.

    Of each of some `places` among `groups` (m, n), whose rows weigh `count` (m, GROUPS).

    Examples
    --------
    >>> group = np.repeat([0, 1], 50)
    >>> groups, weights = group[None].astype(np.uint16), np.ones(100)
    >>> dependence(group[:, None] + 0.0, groups, np.arange(1), _rows_in(groups, weights), weights)
    array([1.])
    """
    centred = x - np.average(x, axis=0, weights=weights)
    weighted = np.ascontiguousarray((weights[:, None] * centred).T)
    total = max(float(np.sum(weighted * centred.T)), 1e-300)
    out = np.empty((len(places), len(weighted)))
    first = GROUPS * np.arange(len(groups) + 1)
    between_cells(groups, places, first, count.ravel(), weighted, out)
    return np.asarray(out.sum(axis=1) / total)


def _rows_in(groups: NDArray[np.uint16], weights: FloatArray) -> FloatArray:
    """Return how much the rows of each group weigh, shape (m, GROUPS)."""
    sums = [sums_of(group, weights, GROUPS) for group in groups]
    return np.maximum(np.array(sums).reshape(len(groups), GROUPS), 1e-300)


def _curves(seen: Seen, places: Sequence[int]) -> Curves:
    """Return hats between quantiles; with the linear term the inner ones bend anywhere."""
    found = {place: _curve_knots(seen, place) for place in places}
    bent = {place: knots for place, knots in found.items() if len(knots) > 2}
    padded = np.full((len(bent), len(CURVE_QUANTILES) + 2), np.inf)
    for row, knots in zip(padded, bent.values(), strict=True):
        row[: len(knots)] = knots
    n_knots = np.array([len(knots) for knots in bent.values()], dtype=np.int32)
    return Curves(np.array([*bent], dtype=np.int32), padded, n_knots)


def _curve_knots(seen: Seen, place: int) -> FloatArray:
    """Return where the curve of a numeric covariate may bend, and its ends."""
    z = seen.numbers[:, place]
    return np.unique([z.min(), *seen.bends[place], z.max()])


def level_means(
    codes: Labels,
    x: FloatArray,
    heavy: FloatArray,
    present: Rows,
    weights: FloatArray,
    size: int,
) -> FloatArray:
    """Return the means of a column over each level, standardised, and their squares.

    A row for each of `size` levels, that of the missing values last; 2 c columns. `codes` and
    `weights` (n,) are of all rows, `x` (m, c) and `heavy` (m,) of those `present`.
    """
    level_weight = sums_of(codes, weights, size)
    codes = codes if len(present) == len(codes) else codes[present]
    count, total = sums_of(codes, heavy, size), np.zeros((size, x.shape[1]))
    add_rows(x, heavy, codes, total)
    out = []
    for column in total.T:
        mean = np.where(count > 0, column / np.maximum(count, 1e-300), np.nan)
        middle, scale = moments(mean, level_weight)
        known = np.nan_to_num((mean - middle) / scale)
        out += [known, np.clip(known, -3, 3) ** 2]
    return np.column_stack(out)


def join_terms(every: Sequence[Terms]) -> tuple[Terms, list[IntArray]]:
    """Join the terms of several columns, each made once for all of them.

    Returns
    -------
    Terms
        All of them.
    list of int arrays
        For each of `every`, which of the joined covariates are its own.
    """
    knots: dict[int, tuple[FloatArray, int]] = {}
    for terms in every:
        curves = terms.curves
        knots |= {
            int(place): (row, int(size))
            for place, row, size in zip(curves.place, curves.knots, curves.n_knots, strict=True)
        }
    pairs = sorted({(int(a), int(b)) for terms in every for a, b in terms.pairs})
    tables = {id(table): (k, table) for terms in every for k, table in terms.tables}
    curves = NO_CURVES
    if knots:
        rows, sizes = zip(*knots.values(), strict=True)
        place = np.array([*knots], dtype=np.int32)
        curves = Curves(place, np.array(rows), np.array(sizes, dtype=np.int32))
    joined = Terms(curves, np.array(pairs, dtype=np.int32).reshape(-1, 2), tuple(tables.values()))
    widths = [*(curves.n_knots - 2), *np.ones(len(pairs), int)]
    widths += [table.shape[1] for _, table in joined.tables]
    owned: list[IntArray] = []
    for terms in every:
        own = {(int(a), int(b)) for a, b in terms.pairs}
        mine = [place in terms.curves.place for place in knots] + [pair in own for pair in pairs]
        mine += [any(table is other for _, other in terms.tables) for _, table in joined.tables]
        owned.append(np.flatnonzero(np.repeat(np.array(mine, dtype=np.bool_), widths)))
    return joined, owned
