"""Columns that act together: cells of them become strata, for no greedy tree would find them.

A tree splits on one column at a time, and sees nothing where two columns matter only together, as
hour and weekday do. Such sets are found by score tests: what an additive fit leaves of a column or
of the target must not differ between the cells of a pair of columns, nor between narrow pieces of
a single one. The cells of the sets found are exact where columns have few values; numbers are cut
as finely as cells predict best, each row left out in its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import chdtrc

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.strata.cells import Tests, between_cells

SAMPLE = 10_000  # rows that tests and choices look at
WORK = 2e9  # rows times pairs of columns times columns that may be looked at
FEWEST_ROWS = 200
PIECES, FINE_PIECES = 8, 48
CERTAIN = 0.01  # level of the tests, divided by their number
MOST_SETS = 3
FEW_VALUES = 30  # a number with no more values is taken as it is
RIDGE = 1e-3  # rows: keeps the additive fit solvable where columns are equal
CLIP = 3.5  # standard deviations of a residual
FEWEST_IN_CELL = 5  # rows, on average, where numbers are cut
SLACK = 0.04  # of the log error: the finest cut that is hardly worse than the best
STEP_GAIN, STEP_COST = 0.01, 8.0  # what uneven cuts must gain, and what each costs
STEP_PIECES, MOST_STEPS, MOST_BESIDE = 256, 24, 64
MOST_CELLS, MOST_CELLS_WHOLE = 0.6, 0.25  # of the rows: cells of categories; of more than two
MOST_COUNTED = 5_000_000  # codes that are counted rather than sorted
MOST_LEVELS = 300  # of a category that enter the additive fit


@dataclass(frozen=True, slots=True)
class Together:
    """A table looked at for columns that act together.

    Attributes
    ----------
    rows : slice
        The rows looked at, s of them.
    matrix : float array of shape (s, p)
    is_discrete : bool array of shape (p,)
        Categories, and numbers with few values.
    pieces : list of int arrays of shape (s,)
        A few pieces of each column.
    tests : Tests
        Every pair of columns, and every number alone.
    additive : float array of shape (s, q)
        Indicators of pieces, and numbers as they are.
    owner : int array of shape (q,)
        The column that each is made from; -1 for the constant.
    inverse : float array of shape (q, q)
        Of their products.
    """

    rows: slice
    matrix: FloatArray
    is_discrete: BoolArray
    pieces: list[IntArray]
    tests: Tests
    additive: FloatArray
    owner: IntArray
    inverse: FloatArray


@dataclass(frozen=True, slots=True)
class Residuals:
    """What an additive fit leaves of some targets.

    Attributes
    ----------
    left : float array of shape (s, t)
    slopes : float array of shape (q, t)
    n_used : int
        Columns of the additive fit that took part.
    """

    left: FloatArray
    slopes: FloatArray
    n_used: int

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
        return _even_pieces(codes, size)

    pieces = [cut(k, PIECES) for k in range(p)]
    parts, owner = [np.ones((len(seen), 1))], [-1]
    for k, codes in enumerate(pieces):
        count = np.bincount(codes)
        common = np.argsort(-count, kind="stable")[1:MOST_LEVELS]
        common = common[count[common] >= 2]
        parts.append((codes[:, None] == common).astype(np.float64))
        owner += [k] * len(common)
        if k not in categorical:
            linear = np.nan_to_num(seen[:, k] - np.nanmean(seen[:, k]))
            parts.append(linear[:, None] / (linear.std() or 1.0))
            owner.append(k)
    additive = np.hstack(parts)
    return Together(
        rows=rows,
        matrix=seen,
        is_discrete=np.array(discrete),
        pieces=pieces,
        tests=_tests(pieces, [cut(k, n_fine) for k in range(p)], np.array(discrete)),
        additive=additive,
        owner=np.array(owner),
        inverse=linalg.inv(additive.T @ additive + RIDGE * np.eye(len(owner))),
    )


def _tests(pieces: Sequence[IntArray], fine: Sequence[IntArray], is_discrete: BoolArray) -> Tests:
    """Return the cells of every pair of columns, and of every single one in fine pieces."""
    n = len(pieces[0])
    found: list[tuple[tuple[int, int], int, int]] = []
    codes: list[NDArray[np.uint16]] = []

    def add(columns: tuple[int, int], cell: IntArray, taken: int, most: float) -> None:
        cell = squeeze(cell)
        size = int(cell.max()) + 1
        if taken < size <= most * n:
            found.append((columns, size, size - taken))
            codes.append(cell.astype(np.uint16))

    for i in range(len(pieces)):
        if fine[i].max() > pieces[i].max():
            add((i, i), fine[i], int(pieces[i].max()) + 2, 1 / 3)
        for j in range(i):
            a, b = _few_cells(pieces[i], pieces[j], is_discrete[[i, j]])
            most = MOST_CELLS if is_discrete[i] and is_discrete[j] else 1 / 3
            taken = int(a.max()) + int(b.max()) + 1
            add((j, i), a * (int(b.max()) + 1) + b, taken, most)
    return Tests(
        columns=np.array([columns for columns, _, _ in found], dtype=np.int64).reshape(-1, 2),
        cells=np.array(codes, dtype=np.uint16).reshape(len(codes), n),
        n_cells=np.array([size for _, size, _ in found], dtype=np.int32),
        df=np.array([df for _, _, df in found], dtype=np.int32),
    )


def _few_cells(
    first: IntArray, second: IntArray, is_discrete: BoolArray
) -> tuple[IntArray, IntArray]:
    """Return the pieces of two columns, coarser where they would make too many cells."""
    pieces = [first, second]
    while (int(pieces[0].max()) + 1) * (int(pieces[1].max()) + 1) > len(first) / 4:
        side = next((s for s in (0, 1) if not is_discrete[s] and pieces[s].max() >= 2), None)
        if side is None:
            break
        pieces[side] = pieces[side] // 2
    return pieces[0], pieces[1]


def residuals_of(together: Together, targets: FloatArray, left_out: Sequence[int]) -> Residuals:
    """Fit targets (s, t) additively by all columns but those left out."""
    inverse, out = together.inverse, np.isin(together.owner, left_out)
    slopes = inverse @ (together.additive.T @ targets)
    # The inverse without some columns is that of all less what these have in it.
    slopes -= inverse[:, out] @ linalg.solve(inverse[np.ix_(out, out)], slopes[out], assume_a="pos")
    slopes[out] = 0.0
    return Residuals(targets - together.additive @ slopes, slopes, int(np.sum(~out)))


def p_values(
    together: Together, residuals: Residuals, left_out: Sequence[int]
) -> dict[tuple[int, ...], float]:
    """Test all sets without the columns left out for what is left of the targets.

    The least p-value of the targets is returned for each set.
    """
    n = len(residuals.left)
    spread = residuals.left.std(axis=0)
    left = np.clip(residuals.left, -CLIP * spread, CLIP * spread)
    noise = np.maximum((left**2).sum(axis=0) / max(n - residuals.n_used, n / 3), 1e-300)
    tests = together.tests
    tested = tests.without(left_out)
    between = np.empty((len(tested), left.shape[1]))
    between_cells(tests.cells, tested, tests.n_cells, np.ascontiguousarray(left), between)
    found = chdtrc(tests.df[tested], (between / noise).max(axis=1, initial=0.0))
    return {tests.key(test): float(p) for test, p in zip(tested, found, strict=True)}


def choose_sets(
    together: Together, found: dict[tuple[int, ...], float], n_tests: int
) -> list[tuple[int, ...]]:
    """Return the sets of columns that act together, most certain first.

    Pairs of discrete columns that share one are joined, where rows are enough for all their cells;
    a single column is left out where a pair has it.
    """
    level = CERTAIN / max(n_tests, 1)
    ranked = sorted(found.items(), key=lambda item: item[1])[:MOST_SETS]
    certain = [key for key, p in ranked if p < level]
    out: list[tuple[int, ...]] = []
    for component in _components(certain):
        own = [key for key in certain if set(key) <= component]
        discrete = tuple(sorted(k for k in component if together.is_discrete[k]))
        if len(discrete) > 2:
            cells = cross([together.pieces[k] for k in discrete])
            if cells.max() < MOST_CELLS_WHOLE * len(cells):
                own = [key for key in own if not set(key) <= {*discrete}] + [discrete]
        paired = {k for key in own if len(key) > 1 for k in key}
        out += [key for key in own if len(key) > 1 or key[0] not in paired]
    return out


def _components(sets: Sequence[tuple[int, ...]]) -> list[set[int]]:
    out: list[set[int]] = []
    for key in sets:
        touched = [c for c in out if c & {*key}]
        out = [c for c in out if not c & {*key}]
        out.append({*key}.union(*touched))
    return out


@dataclass(frozen=True, slots=True)
class Cut:
    """How a set of columns is cut into cells.

    Attributes
    ----------
    columns : tuple of int
    edges : list of float arrays, or None
        Where a number is cut; None for a column whose values are taken as they are.
    is_even : bool
        Whether numbers are cut into pieces of like size.
    acts : bool
        Whether the columns act together on the explained column; else on the target alone.
    confounds : bool
        Whether they act together on both.
    """

    columns: tuple[int, ...]
    edges: list[FloatArray | None]
    is_even: bool = False
    acts: bool = False
    confounds: bool = False

    @property
    def concerns(self) -> bool:
        """Whether the explained column may change with how finely the set is cut."""
        return not self.is_exact and (self.is_even or self.confounds)

    @property
    def is_exact(self) -> bool:
        """Whether values are taken as they are, so that nothing varies inside a cell."""
        return all(edges is None for edges in self.edges)

    def coarser(self) -> Cut:
        """Return the cut with every other edge of its numbers."""
        return replace(self, edges=[None if e is None else e[1::2] for e in self.edges])

    def cells(self, matrix: FloatArray) -> IntArray:
        """Return the cell of each row of a table (n, p), numbered without gaps."""
        codes = []
        for k, edges in zip(self.columns, self.edges, strict=True):
            column = matrix[:, k]
            if edges is None:
                codes.append(np.unique(column, return_inverse=True)[1])
            else:
                codes.append(np.searchsorted(edges, column, side="right"))
        return cross(codes)


def cut_set(together: Together, residuals: Residuals, columns: tuple[int, ...]) -> list[Cut]:
    """Choose how finely a set of columns is cut; none where it has too many cells."""
    if not all(together.is_discrete[k] for k in columns):
        return _cut_numbers(together, columns, residuals.partial(together, columns))
    cut = Cut(columns, [None] * len(columns))
    cells = cut.cells(together.matrix)
    return [cut] if cells.max() < MOST_CELLS * len(cells) else []


def _cut_numbers(together: Together, columns: tuple[int, ...], targets: FloatArray) -> list[Cut]:
    """Cut the numbers of a set evenly or, where that predicts better, unevenly."""
    matrix, n = together.matrix, len(together.matrix)
    codes = {k: np.unique(matrix[:, k], return_inverse=True)[1] for k in columns}
    free = [k for k in columns if not together.is_discrete[k]]
    rest = [codes[k] for k in columns if together.is_discrete[k]]
    tried: list[tuple[int, float]] = []
    for size in sorted({round(v) for v in np.geomspace(2, n / FEWEST_IN_CELL, 24)}):
        cells = cross([*rest, *(_even_pieces(codes[k], size) for k in free)])
        if cells.max() + 1 > n / FEWEST_IN_CELL:
            break
        tried.append((size, left_out_error(cells, targets)))
    if not tried:
        return []
    least = min(error for _, error in tried)
    finest = max(size for size, error in tried if error <= least + SLACK)
    best = min(tried, key=lambda item: item[1])[0]
    even = {k: _even_pieces(codes[k], finest) for k in free}
    steps = None
    if len(free) <= 2:
        start = {k: _even_pieces(codes[k], best) for k in free}
        steps = _steps(codes, free, rest, start, targets, least - STEP_GAIN)
    cut = _cut_at(together, columns, even if steps is None else steps)
    return [replace(cut, is_even=steps is None)]


def _cut_at(together: Together, columns: tuple[int, ...], pieces: Mapping[int, IntArray]) -> Cut:
    """Return the cut whose edges lie where the pieces of the rows looked at begin."""
    edges: list[FloatArray | None] = []
    for k in columns:
        if k in pieces:
            lowest = np.full(int(pieces[k].max()) + 1, np.inf)
            np.fmin.at(lowest, pieces[k], together.matrix[:, k])
            edges.append(np.unique(lowest[1:]))
        else:
            edges.append(None)
    return Cut(columns, edges)


def _steps(
    codes: Mapping[int, IntArray],
    free: Sequence[int],
    rest: Sequence[IntArray],
    start: Mapping[int, IntArray],
    targets: FloatArray,
    must_beat: float,
) -> dict[int, IntArray] | None:
    """Cut numbers unevenly, one at a time, where the cells' means change; None if it does not pay.

    Two numbers take turns twice.
    """
    n = len(targets)
    n_fine = min(STEP_PIECES, max(8, n // 16))
    now, out = dict(start), None
    for k in [*free] * len(free):
        others = [*rest, *(now[j] for j in free if j != k)]
        beside = cross(others) if others else np.zeros(n, np.int64)
        n_beside = int(beside.max()) + 1
        most = int(min(MOST_STEPS, n_fine // 2, n / FEWEST_IN_CELL / n_beside))
        if most < 2 or n_beside > MOST_BESIDE:
            continue
        fine = _even_pieces(codes[k], n_fine)
        elsewhere = sum(int(now[j].max()) for j in free if j != k)
        sums = _sums_of(fine, beside, targets)
        options = [
            (sums.left_out_error(cuts) + STEP_COST * (len(cuts) + elsewhere) / n, cuts)
            for cuts in segmentations(sums, most)
        ]
        error, cuts = min(options, key=lambda option: option[0])
        now[k] = np.searchsorted(cuts, np.arange(int(fine.max()) + 1), side="right")[fine]
        if error < must_beat:
            out = dict(now)
    return out


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums of targets by fine piece of one column and group of the others.

    Attributes
    ----------
    count : float array of shape (n_fine, n_beside)
    sums, squares : float arrays of shape (t, n_fine, n_beside)
    """

    count: FloatArray
    sums: FloatArray
    squares: FloatArray

    def left_out_error(self, cuts: IntArray) -> float:
        """Return the log error of the parts' means, each row left out in its turn."""
        first = np.append(0, cuts)
        count = np.add.reduceat(self.count, first, axis=0)
        sums = np.add.reduceat(self.sums, first, axis=1)
        squares = np.add.reduceat(self.squares, first, axis=1)
        return _log_error(count, sums, squares)


def _sums_of(fine: IntArray, beside: IntArray, targets: FloatArray) -> CellSums:
    shape = int(fine.max()) + 1, int(beside.max()) + 1
    cell = fine * shape[1] + beside

    def total(values: FloatArray | None) -> FloatArray:
        out = np.bincount(cell, values, shape[0] * shape[1])
        return out.reshape(shape).astype(np.float64)

    columns = targets.T
    squares = np.array([total(column**2) for column in columns])
    return CellSums(total(None), np.array([total(column) for column in columns]), squares)


def segmentations(sums: CellSums, most: int) -> Iterator[IntArray]:
    """Return the best cuts of fine pieces into 2 to `most` parts, by dynamic programming.

    The parts are common to all groups beside; the best ones leave the least squared error around
    the means of part and group.
    """
    n_fine = len(sums.count)

    def running(values: FloatArray) -> FloatArray:
        return np.vstack([np.zeros(values.shape[1]), values.cumsum(axis=0)])

    count = running(sums.count)
    gain = np.zeros((n_fine + 1, n_fine + 1))
    for group in range(count.shape[1]):
        rows = count[None, :, group] - count[:, None, group]
        share = 1 / np.where(rows > 0, rows, np.inf)
        for target in sums.sums:
            total = np.append(0.0, target[:, group].cumsum())
            gain += (total[None] - total[:, None]) ** 2 * share
    gain[np.tril_indices(n_fine + 1)] = -np.inf
    best, back = gain[0].copy(), []
    for _ in range(2, most + 1):
        total = best[:, None] + gain
        step = total.argmax(axis=0)
        back.append(step)
        best = total[step, np.arange(n_fine + 1)]
        end, cuts = n_fine, []
        for before in reversed(back):
            end = int(before[end])
            cuts.append(end)
        yield np.unique(np.array([c for c in cuts if c > 0], dtype=np.int64))


def left_out_error(cells: IntArray, targets: FloatArray) -> float:
    """Return the log of the squared error of the cells' means, each row left out in its turn.

    Summed over the targets (n, t).
    """
    count = np.bincount(cells).astype(np.float64)
    sums = np.array([np.bincount(cells, target) for target in targets.T])
    squares = np.array([np.bincount(cells, target**2) for target in targets.T])
    return _log_error(count, sums, squares)


def _log_error(count: FloatArray, sums: FloatArray, squares: FloatArray) -> float:
    """Sum the log error of means over targets; `count` (...), the others (t, ...)."""
    grown = (count / np.maximum(count - 1, 1)) ** 2
    inside = np.maximum(squares - sums**2 / np.maximum(count, 1), 0.0)
    each = np.where(count == 1, squares, grown * inside)
    total = each.reshape(len(sums), -1).sum(axis=1)
    return float(np.log(total + 1e-300).sum())


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


def _even_pieces(codes: IntArray, size: int) -> IntArray:
    """Cut a column, given as the ranks of its distinct values (n,), into pieces of like size.

    Equal values stay together.
    """
    before = np.cumsum(np.bincount(codes)) - 1
    return squeeze(before * size // len(codes))[codes]
