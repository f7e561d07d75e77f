"""How columns become covariates: fitted once on rows, applied to any rows.

Tables in memory and tables read in batches use the same two objects: a `Design` makes the
covariates that all explained columns share, `Terms` (terms.py) the further ones that a column needs
because of the columns it depends on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import (
    BLOCK,
    SMALL_BLOCK,
    BoolArray,
    FloatArray,
    IntArray,
    Labels,
    dot,
    in_blocks,
    lacks,
)
from paribus.base.threads import run_all
from paribus.estimate.groups import sums_of

ROWS_PER_COVARIATE = 5
MANY_ROWS = 50_000  # with more, strata are so narrow that fewer covariates are needed
MAX_DUMMIES = 30
MOST_LEFT_OUT = 1 / 3  # of the rows, because a column that is held still is missing
FILL_SAMPLE = 10_000  # rows enough to predict missing values from
FILL_BENDS, FILL_CLIP = (-1.0, 0.0, 1.0), 4.0  # standard deviations, where predictions may bend
FILL_DIGITS = 6  # of a standard deviation: missing values are predicted to so many
FILL_RIDGE = 1e-6  # times the rows: keeps the prediction defined where columns are equal


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
    """

    # Positions of the numeric columns. Their standardised values come first.
    numbers: IntArray  # (m,)
    mean: FloatArray  # (m,)
    scale: FloatArray  # (m,)
    # The standardised indicator of missing values of a column: if present, if missing.
    flags: Mapping[int, FloatArray]  # (2,) each
    # The standardised indicators of a category, for each level; the missing values' last.
    tables: Mapping[int, FloatArray]  # (n_levels + 1, d) each
    # Columns with missing values that are not filled in: rows without them are left out.
    needed: tuple[int, ...]
    fills: tuple[Fill, ...]
    # Mean and standard deviation of the squares, which are clipped: a long tail shall have no
    # leverage.
    squares: FloatArray  # (m, 2) or (0, 2)
    owner: IntArray  # (q,): the column that each laid out covariate is made from

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

    def place_of(self, k: int | Sequence[int]) -> int | None:
        """Return the place of a number without missing values among the covariates."""
        if not isinstance(k, int) or k in self.needed or k in self.flags:
            return None
        return next((at for at, number in enumerate(self.numbers) if number == k), None)

    def values(self, matrix: FloatArray, n_jobs: int = 1) -> FloatArray:
        """Return the shared covariates of the rows of a table (n, p), shape (n, q)."""
        out = np.empty((len(matrix), len(self.owner)))
        size = SMALL_BLOCK if self.fills else BLOCK
        in_blocks(lambda block: self._lay(matrix[block], out[block]), len(matrix), n_jobs, size)
        return out

    def needed_without(self, left_out: Sequence[int]) -> tuple[int, ...]:
        """Return the columns whose missing values leave rows out, but for those left out."""
        return tuple(k for k in self.needed if k not in left_out)

    def complete(self, matrix: FloatArray, left_out: Sequence[int]) -> BoolArray | None:
        """Return the rows of a table that have all columns needed, shape (n,); None if all do."""
        needed = self.needed_without(left_out)
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
            missing = np.isnan(column)
            column[missing] = self.mean[place] + self.scale[place] * values[missing, place]
        return out

    def _lay(self, matrix: FloatArray, out: FloatArray) -> None:
        self._lay_plain(matrix, out)
        for fill in self.fills:
            missing = np.flatnonzero(np.isnan(matrix[:, fill.column]))
            if len(missing):
                out[np.ix_(missing, fill.own)] = fill.predict(out[missing])
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
    """How the covariates of a column are predicted where its value is missing."""

    column: int
    own: IntArray  # (a,): places of its covariates
    constant: FloatArray  # (a,)
    slopes: FloatArray  # (s, a): of the covariates but the squares, 0 of the column's own
    bends: FloatArray  # (3, m, a): of the numbers, beyond each place where they may bend

    def predict(self, values: FloatArray) -> FloatArray:
        """Return the covariates (r, a) that go with the others in rows of covariates (r, q).

        Rows alike in all others must be alike here: trees would tell them apart by rounding.
        """
        return np.round(self.to_all_digits(values), FILL_DIGITS)

    def to_all_digits(self, values: FloatArray) -> FloatArray:
        """Return them before they are rounded, the last digits of which are the machine's."""
        out: FloatArray = self.constant + dot(values[:, : len(self.slopes)], self.slopes)
        for bent, slopes in zip(_bent(values, self.bends.shape[1]), self.bends, strict=True):
            out += dot(bent, slopes)
        return out


def _bent(values: FloatArray, n_numbers: int) -> list[FloatArray]:
    """Return how far the numbers, which come first in `values` (r, q), are beyond each bend."""
    bent = np.minimum(values[:, :n_numbers], FILL_CLIP)
    return [np.maximum(bent - at, 0.0) for at in FILL_BENDS]


def fit_design(
    matrix: FloatArray,
    n_levels: Mapping[int, int],
    weights: FloatArray,
    n_rows: float,
    n_threads: int = 1,
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
    n_threads : int
    """
    numbers = [k for k in range(matrix.shape[1]) if k not in n_levels]
    centre = np.array([moments(matrix[:, k], weights) for k in numbers]).reshape(-1, 2)
    missing = np.isnan(matrix)
    needed, filled = _needed(missing)
    flags: dict[int, FloatArray] = {}
    for k in filled:
        mean, scale = moments(missing[:, k].astype(np.float64), weights)
        flags[k] = (np.array([0.0, 1.0]) - mean) / scale
    tables = {k: _indicators(matrix[:, k], size, weights) for k, size in n_levels.items()}
    few = [k for k, table in tables.items() if len(table) <= MAX_DUMMIES + 1]
    owner = [*numbers, *flags, *(k for k in few for _ in tables[k][0])]
    n_made = len(owner) + len(numbers) + sum(t.shape[1] for k, t in tables.items() if k not in few)
    squares = np.empty((0, 2))
    if n_rows <= MANY_ROWS and n_rows >= ROWS_PER_COVARIATE * n_made and numbers:
        squares = np.array(
            [
                moments(np.clip((matrix[:, k] - mean) / scale, -3, 3) ** 2, weights)
                for k, (mean, scale) in zip(numbers, centre, strict=True)
            ]
        )
        owner += numbers
    design = Design(
        numbers=np.array(numbers, dtype=np.int64),
        mean=centre[:, 0],
        scale=centre[:, 1],
        flags=flags,
        tables=tables,
        needed=needed,
        fills=(),
        squares=squares,
        owner=np.array(owner, dtype=np.int64),
    )
    return (
        replace(design, fills=_fit_fills(design, matrix, weights, n_threads)) if flags else design
    )


def _needed(missing: BoolArray) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Choose, of the incomplete columns, those whose rows are left out and those filled in.

    `missing` (n, p) tells where values are missing. The columns with the fewest of them come first,
    until more than `MOST_LEFT_OUT` of the rows would be left out.
    """
    share = missing.mean(axis=0)
    holes = [int(k) for k in np.argsort(share, kind="stable") if 0 < share[k] < 1]
    left_out = np.zeros(len(missing), dtype=np.bool_)
    for at, k in enumerate(holes):
        left_out |= missing[:, k]
        if left_out.mean() > MOST_LEFT_OUT:
            return tuple(holes[:at]), tuple(holes[at:])
    return tuple(holes), ()


def _fit_fills(
    design: Design, matrix: FloatArray, weights: FloatArray, n_threads: int
) -> tuple[Fill, ...]:
    """Fit predictions of the covariates of each incomplete column from those of all others.

    What predicts is laid out once for all columns; each leaves out its own covariates and the rows
    in which it is missing, whose products are taken off those of all rows.
    """
    seen = slice(None, None, max(1, len(matrix) // FILL_SAMPLE))
    matrix, m, n_flags = matrix[seen], len(design.numbers), len(design.flags)
    size = len(design.owner) - len(design.squares)
    values = np.empty((len(matrix), len(design.owner)))
    design._lay_plain(matrix, values)
    laid = np.hstack([np.ones((len(matrix), 1)), values[:, :size], *_bent(values, m)])
    laid *= np.sqrt(weights[seen])[:, None]
    every = dot(laid.T, laid)
    owner = np.concatenate([[-1], design.owner[:size], np.tile(design.numbers, len(FILL_BENDS))])
    is_flag = np.zeros(len(owner), dtype=np.bool_)
    is_flag[1 + m : 1 + m + n_flags] = True
    alike: dict[bytes, list[int]] = {}  # columns are often missing in the very same rows
    for k in design.flags:
        alike.setdefault(np.isnan(matrix[:, k]).tobytes(), []).append(k)
    found: dict[int, Fill] = {}

    def fit(columns: Sequence[int]) -> None:
        missing = np.isnan(matrix[:, columns[0]])
        few = 2 * np.count_nonzero(missing) < len(laid)
        fewer = laid[missing if few else ~missing]
        products = dot(fewer.T, fewer)
        products = every - products if few else products
        for k in columns:
            mine = owner == k
            own = np.flatnonzero(mine[: 1 + size] & ~is_flag[: 1 + size])
            given = np.flatnonzero(~mine)
            if len(own) == 0 or missing.all():
                continue
            inner = products[np.ix_(given, given)]
            inner[np.diag_indices_from(inner)] += FILL_RIDGE * np.count_nonzero(~missing)
            slopes = np.zeros((len(owner), len(own)))
            slopes[given] = np.linalg.solve(inner, products[np.ix_(given, own)])
            bends = slopes[1 + size :].reshape(len(FILL_BENDS), m, len(own))
            found[k] = Fill(k, own - 1, slopes[0], slopes[1 : 1 + size], bends)

    run_all(fit, alike.values(), n_threads)
    return tuple(found[k] for k in design.flags if k in found)


def moments(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of the present values, 1 where it is none."""
    missing = np.isnan(values)
    if missing.all():
        return 0.0, 1.0
    known, w = (values[~missing], weights[~missing]) if missing.any() else (values, weights)
    mean = float(w @ known / w.sum())
    centred = known - mean
    return mean, float(np.sqrt((w * centred) @ centred / w.sum())) or 1.0


def _indicators(column: FloatArray, n_levels: int, weights: FloatArray) -> FloatArray:
    """Return standardised indicators of the commonest levels but the first, a row a level."""
    present = ~np.isnan(column)
    level_weight = sums_of(column[present].astype(np.int64), weights[present], n_levels)
    common = np.argsort(-level_weight, kind="stable")[1 : MAX_DUMMIES + 1]
    common = common[level_weight[common] > 0]
    share = level_weight[common] / level_weight.sum()
    hit = np.arange(n_levels + 1)[:, None] == common
    return (hit - share) / np.sqrt(np.maximum(share * (1 - share), 1e-300))
