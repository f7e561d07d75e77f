"""How finely columns that act together are cut into cells.

Cells are exact where columns have few values; numbers are cut as finely as the cells predict best,
by leave-one-out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, first_best
from paribus.strata.own_edges import edges_by_level
from paribus.strata.together import MOST_CELLS, Residuals, Together, cross, even_pieces, squeeze

FEWEST_IN_CELL = 5  # rows, on average, where numbers are cut
SLACK = 0.04  # of the log error: the finest cut that is hardly worse than the best
STEP_GAIN, STEP_COST = 0.01, 8.0  # what uneven cuts must gain, and what each costs
SETTLED, SETTLED_ALONE, SETTLED_AT_EDGES = 2.0, 3.0, 1.0  # standard errors
STEP_PIECES, MOST_STEPS, MOST_BESIDE = 256, 24, 64
MOVED_BY = 50  # an edge of three numbers is moved by up to one row in so many
MOST_WITH_EDGES = 200  # levels of a category in each of which a number has edges of its own
ROUNDING = 1e-9  # of squares: edges that differ by no more are equally good


@dataclass(frozen=True, slots=True)
class Cut:
    """How a set of columns is cut into cells."""

    columns: tuple[int, ...]
    # Where a number is cut; None for a column whose values are taken as they are.
    edges: list[FloatArray | None]
    is_even: bool = False  # whether numbers are cut into pieces of like size
    confounds: bool = False  # whether they act together on the explained column and on the target
    # Whether they act together on the target, and each by itself on the explained column.
    half_confounds: bool = False
    # Where a number beside a category is cut in each level, if these have edges of their own.
    by_level: Mapping[float, FloatArray] = field(default_factory=dict)

    @property
    def concerns(self) -> bool:
        """Whether the explained column may change with how finely the set is cut."""
        return not self.is_exact and (self.is_even or self.confounds)

    @property
    def has_jumps(self) -> bool:
        """Whether numbers are cut where columns jump that may confound."""
        return self.confounds and not self.is_even and not self.is_exact

    @property
    def is_exact(self) -> bool:
        """Whether values are taken as they are, so that nothing varies inside a cell."""
        return all(edges is None for edges in self.edges)

    @property
    def settled_within(self) -> float:
        """Standard errors that an effect may move when the set is cut otherwise.

        A wave of one number is settled sooner than cells of several. Between edges at which two
        numbers jump, finer cells hardly move anything.
        """
        n_numbers = sum(edges is not None for edges in self.edges)
        if n_numbers == 2 and not self.is_even:
            return SETTLED_AT_EDGES
        return SETTLED_ALONE if len(self.columns) == 1 else SETTLED

    def otherwise(self, matrix: FloatArray) -> Cut:
        """Return another cut of a table (n, p), which tells whether an effect has settled.

        Half as fine where numbers are cut evenly. Where edges lie at jumps, twice as fine: between
        right edges nothing is left.
        """
        if self.is_even:
            return replace(self, edges=[None if e is None else e[1::2] for e in self.edges])
        edges = [
            None if e is None else _halved(e, matrix[:, k])
            for k, e in zip(self.columns, self.edges, strict=True)
        ]
        by_level = {}
        if self.by_level:
            category, number = self.category_and_number()
            for level, own in self.by_level.items():
                by_level[level] = _halved(own, matrix[matrix[:, category] == level, number])
        return replace(self, edges=edges, by_level=by_level)

    def category_and_number(self) -> tuple[int, int]:
        """Return the category and the number of a set of both."""
        first, second = self.columns
        return (first, second) if self.edges[0] is None else (second, first)

    def cells(self, matrix: FloatArray) -> IntArray:
        """Return the cell of each row of a table (n, p), numbered without gaps."""
        return cross([self.pieces(k, matrix) for k in self.columns])

    def pieces(self, k: int, matrix: FloatArray) -> IntArray:
        """Return the piece of each row's value of one of the columns, shape (n,).

        Of a column whose values are taken as they are, their places among those there.
        """
        edges = self.edges[self.columns.index(k)]
        if edges is None:
            return _places(matrix[:, k])
        if not self.by_level:
            return np.searchsorted(edges, matrix[:, k], side="right")
        category, number = self.category_and_number()
        out = np.zeros(len(matrix), dtype=np.int64)
        for level, edges in self.by_level.items():
            rows = np.flatnonzero(matrix[:, category] == level)
            out[rows] = np.searchsorted(edges, matrix[rows, number], side="right")
        return out


def _places(values: FloatArray) -> IntArray:
    """Return the place of each value (n,) among the distinct ones, missing ones last.

    The levels of a category are whole numbers, which are counted rather than sorted.

    Examples
    --------
    >>> _places(np.array([2.0, np.nan, 0.0])).tolist(), _places(np.array([0.5, -1.0])).tolist()
    ([1, 2, 0], [1, 0])
    """
    last = np.nanmax(values, initial=-1.0) + 1
    known = np.where(np.isnan(values), last, values)
    if last > len(values) or known.min(initial=0.0) < 0:
        return np.unique(values, return_inverse=True)[1]
    whole = known.astype(np.int64)
    if np.any(whole != known):
        return np.unique(values, return_inverse=True)[1]
    return squeeze(whole)


def _halved(edges: FloatArray, column: FloatArray) -> FloatArray:
    """Return edges of a column (n,) with the median of the rows between them."""
    column = column[~np.isnan(column)]
    part = np.searchsorted(edges, column, side="right")
    middles = [np.median(column[part == k]) for k in np.unique(part)]
    return np.unique([*edges, *middles])


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
        cells = cross([*rest, *(even_pieces(codes[k], size) for k in free)])
        if cells.max() + 1 > n / FEWEST_IN_CELL:
            break
        tried.append((size, left_out_error(cells, targets)))
    if not tried:
        return []
    least = min(error for _, error in tried)
    finest = max(size for size, error in tried if error <= least + SLACK)
    best = min(tried, key=lambda item: item[1])[0]
    even = {k: even_pieces(codes[k], finest) for k in free}
    steps = None
    if len(free) <= 2:
        start = {k: even_pieces(codes[k], best) for k in free}
        steps = _steps(codes, free, rest, start, targets, least - STEP_GAIN)
    else:
        steps = _moved(codes, free, rest, even, targets, least - STEP_GAIN)
    cut = _cut_at(together, columns, codes, even if steps is None else steps)
    cut = replace(cut, is_even=steps is None)
    if len(free) == len(rest) == 1 and rest[0].max() < MOST_WITH_EDGES:
        category, number = cut.category_and_number()
        by_level = edges_by_level(matrix[:, category], matrix[:, number], targets)
        own = replace(cut, is_even=False, by_level=by_level)
        if _error_of(own, matrix, targets) < _error_of(cut, matrix, targets) - STEP_GAIN:
            return [own]
    return [cut]


def _error_of(cut: Cut, matrix: FloatArray, targets: FloatArray) -> float:
    """Return the left-out error of a cut, with what edges cost that were looked for."""
    looked_for = cut.by_level.values() if cut.by_level else cut.edges
    n_edges = 0 if cut.is_even else sum(len(e) for e in looked_for if e is not None)
    return left_out_error(cut.cells(matrix), targets) + STEP_COST * n_edges / len(matrix)


def _cut_at(
    together: Together,
    columns: tuple[int, ...],
    codes: Mapping[int, IntArray],
    pieces: Mapping[int, IntArray],
) -> Cut:
    """Return the cut whose edges lie where the pieces of the rows looked at begin.

    Where every value is a piece of its own, values are taken as they are.
    """
    edges: list[FloatArray | None] = []
    for k in columns:
        if k in pieces and pieces[k].max() < codes[k].max():
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
        fine = even_pieces(codes[k], n_fine)
        elsewhere = sum(int(now[j].max()) for j in free if j != k)
        sums = _sums_of(fine, beside, targets)
        options = [
            (sums.left_out_error(cuts) + STEP_COST * (len(cuts) + elsewhere) / n, cuts)
            for cuts in segmentations(sums, most)
        ]
        error, cuts = min(options, key=lambda option: option[0])
        now[k] = np.searchsorted(cuts, np.arange(int(fine.max()) + 1), side="right")[fine]
        now[k] = _moved_edges(codes[k], now[k], beside, targets, len(codes[k]) // n_fine)
        if error < must_beat:
            out = dict(now)
    return out


def _moved(
    codes: Mapping[int, IntArray],
    free: Sequence[int],
    rest: Sequence[IntArray],
    even: Mapping[int, IntArray],
    targets: FloatArray,
    must_beat: float,
) -> dict[int, IntArray] | None:
    """Move edges of several numbers to where the cells' means change; None if it does not pay."""
    now = dict(even)
    for k in free:
        beside = cross([*rest, *(now[j] for j in free if j != k)])
        now[k] = _moved_edges(codes[k], now[k], beside, targets, len(targets) // MOVED_BY)
    error = left_out_error(cross([*rest, *now.values()]), targets)
    n_edges = sum(int(part.max()) for part in now.values())
    return now if error + STEP_COST * n_edges / len(targets) < must_beat else None


def _moved_edges(
    codes: IntArray, part: IntArray, beside: IntArray, targets: FloatArray, reach: int
) -> IntArray:
    """Move each edge between parts (n,) of a column to the row where it fits best, shape (n,).

    Pieces hold several rows, and an edge inside one leaves some of them on the wrong side. Rows
    `reach` to either side of an edge are looked at; `codes` (n,) are the column's ranks.
    """
    order = np.argsort(codes, kind="stable")
    rank, out = codes[order], part[order]
    group, values = beside[order], np.column_stack([np.ones(len(order)), targets[order]])
    size = int(beside.max()) + 1
    for low in range(int(part.max())):
        start, edge, stop = np.searchsorted(out, [low, low + 1, low + 2])
        first, last = max(start + 1, edge - reach), min(stop - 1, edge + reach)
        if last <= first:
            continue
        left = np.array([np.bincount(group[start:first], v, size) for v in values[start:first].T])
        both = left + [np.bincount(group[first:stop], v, size) for v in values[first:stop].T]
        inside = np.zeros((last - first + 1, values.shape[1], size))
        inside[np.arange(1, last - first + 1), :, group[first:last]] = values[first:last]
        before = left + inside.cumsum(axis=0)
        gain = _between(before) + _between(both - before)
        apart = rank[first : last + 1] != rank[first - 1 : last]
        best = first + int(first_best(np.where(apart, gain, -np.inf), ROUNDING * targets.size))
        out[start:best], out[best:stop] = low, low + 1
    back = np.empty_like(out)
    back[order] = out
    return back


def _between(sums: FloatArray) -> FloatArray:
    """Return the squares between groups, of counts and sums of targets (m, 1 + t, n_groups)."""
    squares = np.square(sums[:, 1:]).sum(axis=1) / np.maximum(sums[:, 0], 1)
    out: FloatArray = squares.sum(axis=1)
    return out


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums of targets by fine piece of one column and group of the others."""

    count: FloatArray  # (n_fine, n_beside)
    sums: FloatArray  # (t, n_fine, n_beside)
    squares: FloatArray  # (t, n_fine, n_beside)

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
    slack = ROUNDING * float(sums.squares.sum())
    best, back = gain[0].copy(), []
    for _ in range(2, most + 1):
        total = best[:, None] + gain
        step = first_best(total, slack)
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
