"""Values to bytes: at most 255 ordered bins a column, or 255 levels of a category.

One byte is enough for strata: on rows a tree has not seen, quantile bins do as well as exact
values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paribus.strata import reference
from paribus.strata.checks import as_categorical, as_counts, as_jobs, as_table, as_target
from paribus.strata.engine import count_threads, has_kernel, run_all
from paribus.strata.levels import code_levels, group_levels

MISSING = 255
BINS = 255
BLOCK = 65_536  # rows a thread codes at a time


@dataclass(frozen=True, slots=True)
class Coding:
    """How each column's values become codes.

    Attributes
    ----------
    edges : ndarray of shape (p, 256), float64
        A value's code is the number of edges below it; padded with infinity. Unused in categories.
    levels : tuple of p items
        None for a column of ordered values; for a category its levels in ascending order.
    level_codes : tuple of p items
        The code of each level. Beyond 255 levels some share a code.
    """

    edges: NDArray[np.float64]
    levels: tuple[NDArray[np.float64] | None, ...]
    level_codes: tuple[NDArray[np.uint8] | None, ...]

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """Which columns have no order: a mask of shape (p,)."""
        return np.array([levels is not None for levels in self.levels], dtype=np.bool_)

    def encode(self, X: ArrayLike, *, n_jobs: int = 1) -> NDArray[np.uint8]:
        """Code a table.

        Parameters
        ----------
        X : array of shape (n, p)
            Values; NaN is missing. Levels not seen before count as missing.
        n_jobs : int
            How many threads share the work; -1 for all there are.

        Returns
        -------
        ndarray of shape (n, p), uint8
            Row by row; 255 is missing.
        """
        table = as_table(X)
        if table.shape[1] != len(self.levels):
            raise ValueError(
                f"X must have {len(self.levels)} columns like the table the coding was made for, "
                f"got {table.shape[1]}"
            )
        codes = np.empty(table.shape, dtype=np.uint8)
        run_all(
            lambda start: self._encode_block(table, codes, start),
            range(0, table.shape[0], BLOCK),
            count_threads(as_jobs(n_jobs)),
        )
        return codes

    def _encode_block(
        self, table: NDArray[np.float64], codes: NDArray[np.uint8], start: int
    ) -> None:
        stop = min(start + BLOCK, table.shape[0])
        _encode_ordered(table, self.edges, codes, start, stop)
        for j, levels in enumerate(self.levels):
            level_codes = self.level_codes[j]
            if levels is not None and level_codes is not None:
                codes[start:stop, j] = _encode_levels(table[start:stop, j], levels, level_codes)


def _encode_ordered(
    table: NDArray[np.float64],
    edges: NDArray[np.float64],
    codes: NDArray[np.uint8],
    start: int,
    stop: int,
) -> None:
    if has_kernel():
        from paribus.strata.kernel.encode import encode
    else:
        encode = reference.encode
    encode(table, edges, codes, start, stop)


def _encode_levels(
    values: NDArray[np.float64], levels: NDArray[np.float64], level_codes: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    if levels.size == 0:
        return np.full(values.size, MISSING, dtype=np.uint8)
    place = np.minimum(np.searchsorted(levels, values), levels.size - 1)
    known = levels[place] == values
    return np.where(known, level_codes[place], np.uint8(MISSING))


def fit_coding(
    X: ArrayLike,
    *,
    categorical: Iterable[int] = (),
    y: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    n_jobs: int = 1,
) -> Coding:
    """Find the codes for a table; the order of its rows does not matter.

    Parameters
    ----------
    X : array of shape (n, p)
        Values; NaN is missing, infinity is refused.
    categorical : iterable of int
        Columns whose values (whole numbers) have no order.
    y : array of shape (n,), optional
        The target. Only categories of more than 255 levels look at it: levels of like mean share a
        code. Without it the rarer levels share one.
    rows : array of shape (n,), optional
        A mask or counts of the rows whose `y` may be looked at; all by default.
    n_jobs : int
        How many threads share the columns; -1 for all there are.

    Returns
    -------
    Coding

    Examples
    --------
    >>> import numpy as np
    >>> coding = fit_coding(np.array([[1.0], [3.0], [np.nan], [3.0]]))
    >>> coding.encode(np.array([[0.0], [1.9], [2.1], [np.nan]])).ravel()
    array([  0,   0,   1, 255], dtype=uint8)
    """
    table = as_table(X)
    n, p = table.shape
    is_category = as_categorical(categorical, p)
    target = None if y is None else as_target(y, n)
    counts = as_counts(rows, n)
    edges = np.full((p, 256), np.inf)
    levels: list[NDArray[np.float64] | None] = [None] * p
    level_codes: list[NDArray[np.uint8] | None] = [None] * p

    def fit_column(j: int) -> None:
        values = _sorted_values(table, j)
        if not is_category[j]:
            found = find_edges(values)
            edges[j, : found.size] = found
            return
        distinct, sizes = np.unique(values, return_counts=True)
        levels[j], level_codes[j] = distinct, code_levels(sizes)
        if distinct.size > BINS and target is not None:
            level_codes[j] = group_levels(table[:, j], distinct, target, counts)

    run_all(fit_column, range(p), count_threads(as_jobs(n_jobs)))
    return Coding(edges, tuple(levels), tuple(level_codes))


def _sorted_values(table: NDArray[np.float64], j: int) -> NDArray[np.float64]:
    """Return a column's values in order, without the missing ones."""
    if has_kernel():
        from paribus.strata.kernel.sort import sort_values
    else:
        sort_values = reference.sort_values
    values = np.empty(table.shape[0])
    values = values[: sort_values(table[:, j], values)]
    if values.size and np.isinf(values[[0, -1]]).any():
        raise ValueError(
            f"X must not be infinite, but column {j} is in some rows: "
            "make those values missing (NaN)"
        )
    return values


def find_edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return at most 254 edges between sorted values: all there are, or quantiles.

    Edges lie halfway between neighbours, as in scikit-learn's trees.
    """
    n = values.size
    last = np.flatnonzero(values[1:] != values[:-1])
    if last.size >= BINS:
        wanted = values[-(-np.arange(1, BINS) * n // BINS) - 1]
        last = np.unique(np.searchsorted(values, wanted, side="right") - 1)
        last = last[last < n - 1]
    low, high = values[last], values[last + 1]
    middle = low / 2 + high / 2
    # Between two floats that touch there is no middle.
    return np.where((middle >= low) & (middle < high), middle, low)
