"""Columns that act together: their cells become strata, because no greedy tree would find them.

A tree splits on one column at a time, and sees nothing where two columns matter only together, as
hour and weekday do. Such sets are found by score tests: what an additive fit leaves of a column or
of the target must not differ between the cells of a pair of columns, nor between narrow pieces of
a single one. How finely the sets found are cut into cells is chosen in cuts.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.special import chdtrc, chdtri

from paribus.base.arrays import BoolArray, FloatArray, IntArray, dot
from paribus.strata.cells import Tests

SAMPLE = 10_000  # rows that tests and choices look at
WORK = 1e9  # rows times pairs of columns times columns that may be looked at
FEWEST_ROWS = 200
PIECES, FINE_PIECES = 8, 48
CERTAIN = 0.01  # level of the tests, divided by their number
MOST_SETS = 3
FEW_VALUES = 30  # a number with no more values is taken as it is
RIDGE = 1e-3  # rows: keeps the additive fit solvable where columns are equal
CLIP = 3.5  # standard deviations of a residual
MOST_CELLS, MOST_CELLS_WHOLE = 0.6, 0.25  # of the rows: cells of categories; of more than two
MOST_COUNTED = 5_000_000  # codes that are counted rather than sorted
MOST_LAID_OUT = 4_000_000  # numbers of the additive fit: with more, zeros are left out
MOST_LEVELS = 300  # of a category that enter the additive fit


@dataclass(frozen=True, slots=True)
class Together:
    """A table looked at for columns that act together."""

    rows: slice  # the rows looked at, s of them
    matrix: FloatArray  # (s, p)
    is_discrete: BoolArray  # (p,): categories, and numbers with few values
    pieces: list[IntArray]  # (s,) each: a few pieces of each column
    tests: Tests  # every pair of columns, and every number alone
    additive: sparse.csc_array  # (s, q): indicators of pieces, and numbers as they are
    owner: IntArray  # (q,): the column that each is made from; -1 for the constant, the first
    products: FloatArray  # (q, q): of these
    inverse: FloatArray  # (q, q): of their products
    least: FloatArray  # (T,): from which on the chi-square of a test is certain, were it the only

    def told_by(self, columns: Sequence[int], slopes: FloatArray) -> FloatArray:
        """Return the variance of what columns tell in an additive fit, `slopes` (q, t), (t,)."""
        mine = np.flatnonzero(np.isin(self.owner, columns))
        own, n = slopes[mine], len(self.matrix)
        squares = np.sum(own * (self.products[np.ix_(mine, mine)] @ own), axis=0) / n
        mean = self.products[0, mine] @ own / n
        told: FloatArray = np.maximum(squares - mean**2, 0.0)
        return told


@dataclass(frozen=True, slots=True)
class Residuals:
    """What an additive fit leaves of some targets."""

    left: FloatArray  # (s, t)
    slopes: FloatArray  # (q, t)
    n_used: int  # columns of the additive fit that took part

    def beside(self, other: Residuals) -> Residuals:
        """Return these and those of other targets together."""
        return Residuals(
            np.hstack([self.left, other.left]),
            np.hstack([self.slopes, other.slopes]),
            max(self.n_used, other.n_used),
        )

    def partial(self, together: Together, columns: Sequence[int]) -> FloatArray:
        """Return what is left when only the other columns are taken out, shape (s, t)."""
        mine = np.isin(together.owner, columns)
        out = self.left + together.additive[:, mine] @ self.slopes[mine]
        out -= out.mean(axis=0)
        return out / np.maximum(out.std(axis=0), 1e-300)


def look_together(matrix: FloatArray, categorical: Sequence[int]) -> Together | None:
    """Prepare a table (n, p) for the tests; None where it is too small or too wide for them."""
    n, p = matrix.shape
    size = int(min(n, SAMPLE, WORK / max(p, 1) ** 3))
    if size < FEWEST_ROWS or p < 1:
        return None
    rows = slice(None, None, max(1, n // size))
    seen = np.ascontiguousarray(matrix[rows])
    exact = [np.unique(column, return_inverse=True) for column in seen.T]
    discrete = [
        k in categorical or len(values) <= FEW_VALUES for k, (values, _) in enumerate(exact)
    ]
    n_fine = min(FINE_PIECES, max(PIECES, len(seen) // 12))

    def cut(k: int, size: int) -> IntArray:
        values, codes = exact[k]
        if k in categorical or len(values) <= max(size, 3 * PIECES):
            return codes
        return even_pieces(codes, size)

    pieces = [cut(k, PIECES) for k in range(p)]
    parts, owner = [_column(np.ones(len(seen)))], [-1]
    for k, codes in enumerate(pieces):
        parts += (own := _indicators(codes))
        if k not in categorical:
            linear = np.nan_to_num(seen[:, k] - np.nanmean(seen[:, k]))
            parts.append(_column(linear / (linear.std() or 1.0)))
        owner += [k] * (len(own) + (k not in categorical))
    additive = _beside_each_other(parts, len(seen))
    products = _products(additive)
    tests = _tests(pieces, [cut(k, n_fine) for k in range(p)], np.array(discrete))
    return Together(
        rows=rows,
        matrix=seen,
        is_discrete=np.array(discrete),
        pieces=pieces,
        tests=tests,
        additive=additive,
        owner=np.array(owner),
        products=products,
        inverse=linalg.inv(products + RIDGE * np.eye(len(owner))),
        least=np.asarray(chdtri(tests.df, CERTAIN), dtype=np.float64),
    )


def _products(columns: sparse.csc_array) -> FloatArray:
    """Return the products of columns (s, q), shape (q, q): laid out whole where they are few."""
    if columns.shape[0] * columns.shape[1] > MOST_LAID_OUT:
        return np.asarray((columns.T @ columns).toarray())
    laid = columns.toarray(order="F")
    return dot(laid.T, laid)


def _column(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return a column (s,) by its values that are not zero, and their rows."""
    rows = np.flatnonzero(values)
    return values[rows], rows


def _indicators(codes: IntArray) -> list[tuple[FloatArray, IntArray]]:
    """Return a column for each of the commonest codes (s,) but the first; see `_column`."""
    count, order = np.bincount(codes), np.argsort(codes.astype(np.uint16), kind="stable")
    ends, common = np.cumsum(count), np.argsort(-count, kind="stable")[1:MOST_LEVELS]
    rows = [order[ends[k] - count[k] : ends[k]] for k in common if count[k] >= 2]
    return [(np.ones(len(own)), own) for own in rows]


def _beside_each_other(columns: Sequence[tuple[FloatArray, IntArray]], n: int) -> sparse.csc_array:
    """Lay columns of n rows side by side; see `_column`."""
    values, rows = zip(*columns, strict=True)
    ends = np.cumsum([0, *(len(each) for each in values)])
    laid = (np.concatenate(values), np.concatenate(rows), ends)
    return sparse.csc_array(laid, shape=(n, len(columns)))


def _tests(pieces: Sequence[IntArray], fine: Sequence[IntArray], is_discrete: BoolArray) -> Tests:
    """Return the cells of every pair of columns, and of every single one in fine pieces."""
    n = len(pieces[0])
    found: list[tuple[tuple[int, int], IntArray, int]] = []
    codes: list[NDArray[np.uint16]] = []

    def add(columns: tuple[int, int], cell: IntArray, taken: int, most: float) -> None:
        count = np.bincount(cell)
        met = np.flatnonzero(count)
        if taken < len(met) <= most * n:
            number = np.zeros(len(count), dtype=np.uint16)
            number[met] = np.arange(len(met))
            found.append((columns, count[met], len(met) - taken))
            codes.append(number[cell])

    sizes = [int(codes.max()) + 1 for codes in pieces]
    for i in range(len(pieces)):
        if fine[i].max() >= sizes[i]:
            add((i, i), fine[i], sizes[i] + 1, 1 / 3)
        for j in range(i):
            whole = bool(is_discrete[i] and is_discrete[j])
            steps = _steps((sizes[i], sizes[j]), is_discrete[[i, j]], n / 4)
            a, b = (
                c // s if s > 1 else c for c, s in zip((pieces[i], pieces[j]), steps, strict=True)
            )
            n_a, n_b = (
                (size - 1) // s + 1 for size, s in zip((sizes[i], sizes[j]), steps, strict=True)
            )
            cell: IntArray = a * n_b + b
            cell = squeeze(cell) if n_a * n_b > MOST_COUNTED else cell
            add((j, i), cell, n_a + n_b - 1, MOST_CELLS if whole else 1 / 3)
    return Tests(
        columns=np.array([columns for columns, _, _ in found], dtype=np.int64).reshape(-1, 2),
        cells=np.array(codes, dtype=np.uint16).reshape(len(codes), n),
        first=np.cumsum([0, *(len(count) for _, count, _ in found)]),
        count=np.concatenate([np.empty(0), *(count for _, count, _ in found)]),
        df=np.array([df for _, _, df in found], dtype=np.int64),
    )


def _steps(sizes: tuple[int, int], is_discrete: BoolArray, most: float) -> list[int]:
    """Return how many pieces of each of two numbers are joined, for at most so many cells."""
    steps, left = [1, 1], list(sizes)
    while left[0] * left[1] > most:
        side = next((s for s in (0, 1) if not is_discrete[s] and left[s] >= 3), None)
        if side is None:
            break
        steps[side] *= 2
        left[side] = (left[side] - 1) // 2 + 1
    return steps


def residuals_of(together: Together, targets: FloatArray, left_out: Sequence[int]) -> Residuals:
    """Fit targets (s, t) additively by all columns but those left out."""
    return residuals_of_each(together, [targets], [left_out])[0]


def residuals_of_each(
    together: Together, targets: Sequence[FloatArray], left_out: Sequence[Sequence[int]]
) -> list[Residuals]:
    """Fit targets (s, t) of several columns additively, each by all columns but those left out."""
    inverse, wide = together.inverse, np.hstack(targets)
    wide = wide - wide.mean(axis=0)  # or the ridge would leave some of it
    slopes = inverse @ (together.additive.T @ wide)
    ends = np.cumsum([0, *(each.shape[1] for each in targets)])
    parts = [slice(*both) for both in pairwise(ends.tolist())]
    n_used = []
    for part, columns in zip(parts, left_out, strict=True):
        # The inverse without some columns is that of all less what these have in it.
        out = np.isin(together.owner, columns)
        taken, own = inverse[out], slopes[:, part]
        factor = linalg.cho_factor(taken[:, out], check_finite=False)
        own -= taken.T @ linalg.cho_solve(factor, own[out], check_finite=False)
        own[out] = 0.0
        n_used.append(int(np.sum(~out)))
    left = wide - together.additive @ slopes
    return [
        Residuals(left[:, part], slopes[:, part], n) for part, n in zip(parts, n_used, strict=True)
    ]


def p_values(together: Together, every: Sequence[Residuals]) -> list[FloatArray]:
    """Test all sets of columns for what is left of several columns' targets, shape (T,) each.

    The least p-value of the targets is returned for each set; 1 where it is not below `CERTAIN`.
    """
    n, tests = len(together.matrix), together.tests
    scaled = []
    for residuals in every:
        left = residuals.left / np.maximum(residuals.left.std(axis=0), 1e-300)
        left = np.clip(left, -CLIP, CLIP)
        noise = (left**2).sum(axis=0) / max(n - residuals.n_used, n / 3)
        scaled.append(left / np.sqrt(np.maximum(noise, 1e-300)))
    between, out, at = tests.between(np.hstack(scaled)), [], 0
    for left in scaled:
        largest = between[:, at : at + left.shape[1]].max(axis=1, initial=0.0)
        telling, p = np.flatnonzero(largest > together.least), np.ones(len(largest))
        p[telling] = chdtrc(tests.df[telling], largest[telling])
        out.append(p)
        at += left.shape[1]
    return out


def choose_sets(
    together: Together, found: Mapping[tuple[int, ...], float], n_tests: int
) -> list[tuple[int, ...]]:
    """Return the sets of columns that act together, most certain first.

    Pairs of discrete columns that share one are joined, where rows are enough for all their cells;
    a single column is left out where a pair that has it is more certain.
    """
    level = CERTAIN / max(n_tests, 1)
    certain = [key for key, p in found.items() if p < level]
    out: list[tuple[int, ...]] = []
    for component in _components(certain):
        own = [key for key in certain if set(key) <= component]
        discrete = tuple(sorted(k for k in component if together.is_discrete[k]))
        if len(discrete) > 2:
            cells = cross([together.pieces[k] for k in discrete])
            if cells.max() < MOST_CELLS_WHOLE * len(cells):
                own = [key for key in own if not set(key) <= {*discrete}] + [discrete]
        met = set[int]()
        for key in own:
            if len(key) > 1 or key[0] not in met:
                out.append(key)
            met.update(key)
    return out


def _components(sets: Sequence[tuple[int, ...]]) -> list[set[int]]:
    out: list[set[int]] = []
    for key in sets:
        touched = [c for c in out if c & {*key}]
        out = [c for c in out if not c & {*key}]
        out.append({*key}.union(*touched))
    return out


def cross(codes: Sequence[IntArray]) -> IntArray:
    """Return the cells of several columns of codes (n,), numbered without gaps."""
    out: IntArray = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        out = squeeze(out * (int(column.max()) + 1) + column)
    return out


def squeeze(codes: IntArray) -> IntArray:
    """Number codes (n,) again without gaps, in their order."""
    if codes.max() > MOST_COUNTED:
        return np.unique(codes, return_inverse=True)[1]
    met = np.bincount(codes) > 0
    return (np.cumsum(met) - 1)[codes]


def even_pieces(codes: IntArray, size: int) -> IntArray:
    """Cut a column, given as the ranks of its distinct values (n,), into pieces of like size.

    Equal values stay together, and are a piece each where these are no more than pieces.
    """
    count = np.bincount(codes)
    if len(count) <= size:
        return codes
    before = np.cumsum(count) - 1
    return squeeze(before * size // len(codes))[codes]
