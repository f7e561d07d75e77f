"""How columns become covariates: fitted once on rows, applied to any rows.

Tables in memory and tables read in batches use the same two objects: a `Design` makes the
covariates that every explained column shares, `Terms` the further ones that a column needs for
what it depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from paribus.base.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    in_blocks,
    lacks,
)
from paribus.estimate.basis import weighted_quantiles
from paribus.estimate.groups import sums_of

ROWS_PER_COVARIATE = 5
MANY_ROWS = 50_000  # with more, strata are so narrow that fewer covariates are needed
GROUPS = 16
SAMPLE = 20_000  # rows enough to see what depends on what
MAX_DUMMIES, MAX_CURVES, CURVE_DEPENDENCE = 30, 4, 0.05
CURVE_QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
MOST_LEFT_OUT = 1 / 3  # of the rows, because a column that is held still is missing
FILL_SAMPLE = 10_000  # rows enough to predict missing values from
FILL_BENDS, FILL_CLIP = (-1.0, 0.0, 1.0), 4.0  # standard deviations, where predictions may bend
FILL_RIDGE = 1e-6  # times the rows: keeps the prediction defined where columns are equal
MAX_SCORES = 8  # levels of an explained category whose indicators stand for it


@dataclass(frozen=True, slots=True)
class Design:
    """The covariates that every explained column shares.

    Numbers enter standardised and, while rows are enough but not too many, squared; categories
    enter by indicators of their commonest levels.

    A confounder that is missing in some rows is not held still in these. Rows without it are left
    out, as long as enough rows remain: that is right whatever the other columns have to do with
    its being missing. What is missing more often is filled in by a prediction from all other
    columns, the explained one included and the target not, and where it is missing is a
    covariate too.

    Attributes
    ----------
    numbers : int array of shape (m,)
        Positions of the numeric columns. Their standardised values come first.
    mean, scale : float arrays of shape (m,)
    flags : mapping of int to float array of shape (2,)
        The standardised indicator of missing values of a column: if present, if missing.
    tables : mapping of int to float array of shape (n_levels + 1, d)
        The standardised indicators of a category, for each level; the missing values' last.
    needed : tuple of int
        Columns with missing values that are not filled in: rows without them are left out.
    fills : tuple of Fill
    squares : float array of shape (m, 2), or of shape (0, 2)
        Mean and standard deviation of the squares, which are clipped: a long tail shall have no
        leverage.
    owner : int array of shape (q,)
        The column that each laid out covariate is made from.
    """

    numbers: IntArray
    mean: FloatArray
    scale: FloatArray
    flags: Mapping[int, FloatArray]
    tables: Mapping[int, FloatArray]
    needed: tuple[int, ...]
    fills: tuple[Fill, ...]
    squares: FloatArray
    owner: IntArray

    @property
    def few(self) -> list[int]:
        """Categories with so few levels that their indicators are laid out."""
        return [k for k, table in self.tables.items() if len(table) <= MAX_DUMMIES + 1]

    @property
    def many(self) -> list[int]:
        """The other categories, whose indicators are looked up by level."""
        return [k for k, table in self.tables.items() if len(table) > MAX_DUMMIES + 1]

    def codes(self, k: int, column: FloatArray) -> Labels:
        """Return the level of each value of a category, the missing values' last, shape (n,)."""
        missing = len(self.tables[k]) - 1
        return np.where(np.isnan(column), missing, column).astype(np.int32)

    def values(self, matrix: FloatArray, n_jobs: int = 1) -> FloatArray:
        """Return the shared covariates of the rows of a table (n, p), shape (n, q)."""
        out = np.empty((len(matrix), len(self.owner)))
        in_blocks(lambda block: self._lay(matrix[block], out[block]), len(matrix), n_jobs)
        return out

    def complete(self, matrix: FloatArray, left_out: Sequence[int]) -> BoolArray | None:
        """Return the rows of a table that have all columns needed, shape (n,); None if all do."""
        needed = [k for k in self.needed if k not in left_out]
        if not needed:
            return None
        rows = ~lacks(matrix, needed)
        return None if rows.all() else rows

    def filled(self, matrix: FloatArray, values: FloatArray) -> FloatArray:
        """Return a table (n, p) with missing numbers as they are in its covariates (n, q)."""
        holes = [fill.column for fill in self.fills if fill.column in self.numbers]
        if not holes:
            return matrix
        out = matrix.copy()
        for place in np.flatnonzero(np.isin(self.numbers, holes)):
            column = out[:, self.numbers[place]]
            gone = np.isnan(column)
            column[gone] = self.mean[place] + self.scale[place] * values[gone, place]
        return out

    def _lay(self, matrix: FloatArray, out: FloatArray) -> None:
        self._lay_plain(matrix, out)
        for fill in self.fills:
            gone = np.flatnonzero(np.isnan(matrix[:, fill.column]))
            if len(gone):
                out[np.ix_(gone, fill.own)] = fill.predict(out[gone])
        if len(self.squares):
            mean, scale = self.squares.T
            linear = out[:, : len(self.numbers)]
            out[:, -len(mean) :] = (np.clip(linear, -3, 3) ** 2 - mean) / scale

    def _lay_plain(self, matrix: FloatArray, out: FloatArray) -> None:
        """Lay out all but the squares, with 0 where a number is missing."""
        at = len(self.numbers)
        linear = out[:, :at]
        np.subtract(matrix[:, self.numbers], self.mean, out=linear)
        linear /= self.scale
        linear[np.isnan(linear)] = 0.0
        for k, flag in self.flags.items():
            out[:, at] = flag[np.isnan(matrix[:, k]).astype(np.int64)]
            at += 1
        for k in self.few:
            table = self.tables[k]
            out[:, at : at + table.shape[1]] = table[self.codes(k, matrix[:, k])]
            at += table.shape[1]


@dataclass(frozen=True, slots=True)
class Fill:
    """How the covariates of a column are predicted where its value is missing.

    Attributes
    ----------
    column : int
    own, others, numbers : int arrays of shape (a,), (b,) and (c,)
        Places of its covariates, of those they are predicted from, and of the numbers among these.
    slopes : float array of shape (1 + b + 3 c, a)
    """

    column: int
    own: IntArray
    others: IntArray
    numbers: IntArray
    slopes: FloatArray

    def given(self, values: FloatArray) -> FloatArray:
        """Return what predicts in rows of covariates (m, q): all others; numbers may bend."""
        bent = np.minimum(values[:, self.numbers], FILL_CLIP)
        bends = [np.maximum(bent - at, 0.0) for at in FILL_BENDS]
        return np.hstack([np.ones((len(values), 1)), values[:, self.others], *bends])

    def predict(self, values: FloatArray) -> FloatArray:
        """Return the covariates (m, a) that go with the others in rows of covariates (m, q)."""
        out: FloatArray = self.given(values) @ self.slopes
        return out


def fit_design(
    matrix: FloatArray, n_levels: Mapping[int, int], weights: FloatArray, n_rows: float
) -> Design:
    """Fit the shared covariates to the rows of a table (n, p); the target is not looked at.

    Parameters
    ----------
    matrix : float array of shape (n, p)
        Numbers, and categories as level numbers; NaN is missing.
    n_levels : mapping of int to int
        The categories among the columns, and how many levels each has.
    weights : float array of shape (n,)
    n_rows : float
        The rows to which the design will be applied; `matrix` may be a sample of them.
    """
    numbers = [k for k in range(matrix.shape[1]) if k not in n_levels]
    moments = np.array([_moments(matrix[:, k], weights) for k in numbers]).reshape(-1, 2)
    gone = np.isnan(matrix)
    needed, filled = _needed(gone)
    flags: dict[int, FloatArray] = {}
    for k in filled:
        mean, scale = _moments(gone[:, k].astype(np.float64), weights)
        flags[k] = (np.array([0.0, 1.0]) - mean) / scale
    tables = {k: _indicators(matrix[:, k], size, weights) for k, size in n_levels.items()}
    few = [k for k, table in tables.items() if len(table) <= MAX_DUMMIES + 1]
    owner = [*numbers, *flags, *(k for k in few for _ in tables[k][0])]
    n_made = len(owner) + len(numbers) + sum(t.shape[1] for k, t in tables.items() if k not in few)
    squares = np.empty((0, 2))
    if n_rows <= MANY_ROWS and n_rows >= ROWS_PER_COVARIATE * n_made and numbers:
        squares = np.array(
            [
                _moments(np.clip((matrix[:, k] - mean) / scale, -3, 3) ** 2, weights)
                for k, (mean, scale) in zip(numbers, moments, strict=True)
            ]
        )
        owner += numbers
    design = Design(
        numbers=np.array(numbers, dtype=np.int64),
        mean=moments[:, 0],
        scale=moments[:, 1],
        flags=flags,
        tables=tables,
        needed=needed,
        fills=(),
        squares=squares,
        owner=np.array(owner, dtype=np.int64),
    )
    return replace(design, fills=_fit_fills(design, matrix, weights)) if flags else design


def _needed(gone: BoolArray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Choose, of the incomplete columns, those whose rows are left out and those filled in.

    `gone` (n, p) tells where values are missing. The columns with the fewest of them come first,
    until more than `MOST_LEFT_OUT` of the rows would be left out.
    """
    share = gone.mean(axis=0)
    holes = [int(k) for k in np.argsort(share, kind="stable") if 0 < share[k] < 1]
    left_out = np.zeros(len(gone), dtype=np.bool_)
    for at, k in enumerate(holes):
        left_out |= gone[:, k]
        if left_out.mean() > MOST_LEFT_OUT:
            return tuple(holes[:at]), tuple(holes[at:])
    return tuple(holes), ()


def _fit_fills(design: Design, matrix: FloatArray, weights: FloatArray) -> tuple[Fill, ...]:
    """Fit predictions of the covariates of each incomplete column from those of all others."""
    seen = slice(None, None, max(1, len(matrix) // FILL_SAMPLE))
    matrix, root = matrix[seen], np.sqrt(weights[seen])
    m, n_flags = len(design.numbers), len(design.flags)
    size = len(design.owner) - len(design.squares)
    values = np.empty((len(matrix), len(design.owner)))
    design._lay_plain(matrix, values)
    is_flag = np.zeros(size, dtype=np.bool_)
    is_flag[m : m + n_flags] = True
    fills = []
    for k in design.flags:
        mine = design.owner[:size] == k
        own, others = np.flatnonzero(mine & ~is_flag), np.flatnonzero(~mine)
        present = ~np.isnan(matrix[:, k])
        if len(own) and present.any():
            fill = Fill(k, own, others, others[others < m], np.empty((0, 0)))
            given = root[present, None] * fill.given(values[present])
            wanted = root[present, None] * values[np.ix_(present, own)]
            products = given.T @ given
            products[np.diag_indices_from(products)] += FILL_RIDGE * present.sum()
            slopes = np.linalg.solve(products, given.T @ wanted)
            fills.append(replace(fill, slopes=slopes))
    return tuple(fills)


def _moments(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of the present values, 1 where it is none."""
    gone = np.isnan(values)
    if gone.all():
        return 0.0, 1.0
    known, w = (values[~gone], weights[~gone]) if gone.any() else (values, weights)
    mean = float(w @ known / w.sum())
    centred = known - mean
    return mean, float(np.sqrt((w * centred) @ centred / w.sum())) or 1.0


def _indicators(column: FloatArray, n_levels: int, weights: FloatArray) -> FloatArray:
    """Return standardised indicators of the commonest levels but the first, a row a level."""
    present = ~np.isnan(column)
    heavy = sums_of(column[present].astype(np.int64), weights[present], n_levels)
    common = np.argsort(-heavy, kind="stable")[1 : MAX_DUMMIES + 1]
    common = common[heavy[common] > 0]
    share = heavy[common] / heavy.sum()
    hit = np.arange(n_levels + 1)[:, None] == common
    return (hit - share) / np.sqrt(np.maximum(share * (1 - share), 1e-300))


@dataclass(frozen=True, slots=True)
class Seen:
    """Rows enough to see what depends on what.

    Attributes
    ----------
    rows : slice
        Which of all rows they are.
    numbers : float array of shape (s, m)
        The standardised numeric columns.
    groups : int array of shape (s, m)
        Groups of like values of each.
    weights : float array of shape (s,)
    all_weights : float array of shape (n,)
        Of all rows.
    """

    rows: slice
    numbers: FloatArray
    groups: IntArray
    weights: FloatArray
    all_weights: FloatArray


def look(design: Design, values: FloatArray, weights: FloatArray) -> Seen:
    """Take rows enough out of all shared covariates (n, q)."""
    rows = slice(None, None, max(1, len(values) // SAMPLE))
    numbers = np.ascontiguousarray(values[rows, : len(design.numbers)])
    groups = [_grouped(z, weights[rows]) for z in numbers.T]
    none = np.empty((len(numbers), 0), dtype=np.int64)
    laid_out = np.column_stack(groups) if groups else none
    return Seen(rows, numbers, laid_out, weights[rows], weights)


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves of some covariates, of which the inner hats are covariates too.

    Attributes
    ----------
    place : int32 array of shape (c,)
        The shared covariate that each bends.
    knots : float array of shape (c, most)
        Padded with infinity.
    n_knots : int32 array of shape (c,)
    """

    place: Labels
    knots: FloatArray
    n_knots: Labels

    @property
    def size(self) -> int:
        """How many covariates they are."""
        return int(np.sum(self.n_knots - 2))


NO_CURVES = Curves(np.empty(0, np.int32), np.empty((0, 0)), np.empty(0, np.int32))
NO_PAIRS = np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Terms:
    """Covariates of explained columns, for what they depend on.

    Attributes
    ----------
    curves : Curves
    pairs : int32 array of shape (number of pairs, 2)
        Shared covariates whose products, clipped, are covariates.
    tables : tuple of (int, float array of shape (n_levels + 1, d))
        Covariates that follow from the level of a category with many levels.
    """

    curves: Curves = NO_CURVES
    pairs: Labels = field(default_factory=lambda: NO_PAIRS)
    tables: tuple[tuple[int, FloatArray], ...] = ()

    @property
    def size(self) -> int:
        """How many covariates they are."""
        widths = (table.shape[1] for _, table in self.tables)
        return self.curves.size + len(self.pairs) + sum(widths)


def choose_terms(
    design: Design, seen: Seen, x: FloatArray, left_out: Sequence[int], n_rows: float,
    levels_of: Mapping[int, Labels],
    together: Sequence[Sequence[int]] = (),
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
    """
    large = [(k, design.tables[k]) for k in design.many if k not in left_out]
    active = np.count_nonzero(~np.isin(design.owner, list(left_out)))
    room = int(n_rows) // ROWS_PER_COVARIATE - active - sum(t.shape[1] for _, t in large)
    known = x[seen.rows]
    if np.isnan(known).all():
        return Terms(tables=tuple(large))
    means = [(k, level_means(levels_of[k], x, seen.all_weights, len(t))) for k, t in large]
    ties = confounders(design, seen, known, left_out)[: max(room // len(CURVE_QUANTILES), 0)]
    if n_rows > MANY_ROWS:
        ties = [(k, tie) for k, tie in ties if tie > CURVE_DEPENDENCE]
    curves = _curves(seen, [k for k, tie in ties if tie > CURVE_DEPENDENCE])
    chosen = {*combinations(sorted(k for k, _ in ties), 2)}
    place = {int(column): at for at, column in enumerate(design.numbers)}
    for columns in together:
        chosen |= {*combinations(sorted(place[k] for k in columns if k in place), 2)}
    pairs = sorted(chosen)
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
    design: Design, seen: Seen, x: FloatArray, left_out: Sequence[int]
) -> list[tuple[int, float]]:
    """Rank the few numeric covariates that `x` (s, c) depends on most, with the dependence."""
    present = ~np.isnan(x[:, 0])
    weights = seen.weights[present]
    ties = [
        (place, dependence(x[present], seen.groups[present, place], weights))
        for place, column in enumerate(design.numbers)
        if column not in left_out
    ]
    return sorted(ties, key=lambda tie: -tie[1])[:MAX_CURVES]


def dependence(x: FloatArray, group: IntArray, weights: FloatArray) -> float:
    """Return the share of the variance of `x` (n, c) that lies between groups.

    Examples
    --------
    >>> group = np.repeat([0, 1], 50)
    >>> dependence(group[:, None] + 0.0, group, np.ones(100))
    1.0
    """
    count = np.maximum(sums_of(group, weights, GROUPS), 1e-300)
    between = total = 0.0
    for column in x.T:
        centred = column - np.average(column, weights=weights)
        sums = sums_of(group, weights * centred, GROUPS)
        between += float(sums @ (sums / count))
        total += float(weights @ centred**2)
    return between / max(total, 1e-300)


def _grouped(z: FloatArray, weights: FloatArray) -> IntArray:
    """Number groups of like values, about as many rows in each."""
    edges = weighted_quantiles(z, weights, np.linspace(0, 1, GROUPS + 1)[1:-1])
    return np.searchsorted(edges, z)


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
    z = np.ascontiguousarray(seen.numbers[:, place])
    inner = weighted_quantiles(z, seen.weights, np.array(CURVE_QUANTILES))
    return np.unique([z.min(), *inner, z.max()])


def level_means(codes: IntArray, x: FloatArray, weights: FloatArray, size: int) -> FloatArray:
    """Return the means of `x` (n, c) over each level, standardised, and their squares.

    A row for each of `size` levels, that of the missing values last; 2 c columns.
    """
    present = ~np.isnan(x[:, 0])
    heavy = sums_of(codes, weights, size)
    count = sums_of(codes[present], weights[present], size)
    out = []
    for column in x.T:
        total = sums_of(codes[present], weights[present] * column[present], size)
        mean = np.where(count > 0, total / np.maximum(count, 1e-300), np.nan)
        middle, scale = _moments(mean, heavy)
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
