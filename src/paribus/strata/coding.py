"""Values to bytes: at most 255 ordered bins per column.

One byte is enough for strata: on rows that a tree has not seen, quantile bins do as well as exact
values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paribus.base.compiled import compiled
from paribus.base.threads import count_threads, run_all
from paribus.strata.checks import as_jobs, as_table
from paribus.strata.reference import encode_reference

BINS = 255
BLOCK = 65_536  # rows a thread codes at a time

encode = compiled("strata.kernel.encode", encode_reference)


@dataclass(frozen=True, slots=True)
class Coding:
    """How each column's values become codes."""

    # A value's code is the number of edges below it; padded with infinity.
    edges: NDArray[np.float64]  # (p, 256)

    @property
    def n_columns(self) -> int:
        """How many columns the table has, p."""
        return self.edges.shape[0]

    def encode(self, X: ArrayLike, *, n_jobs: int = 1) -> NDArray[np.uint8]:
        """Code a table.

        Parameters
        ----------
        X : array of shape (n, p)
            Values; NaN is missing.
        n_jobs : int
            How many threads share the work; -1 for all there are.

        Returns
        -------
        ndarray of shape (n, p), uint8
            Row by row; 255 is missing.
        """
        table = as_table(X)
        if table.shape[1] != self.n_columns:
            raise ValueError(
                f"X must have {self.n_columns} columns like the table the coding was made for, "
                f"got {table.shape[1]}"
            )
        codes = np.empty(table.shape, dtype=np.uint8)
        run_all(
            lambda start: encode(
                table, self.edges, codes, start, min(start + BLOCK, table.shape[0])
            ),
            range(0, table.shape[0], BLOCK),
            count_threads(as_jobs(n_jobs)),
        )
        return codes


def fit_coding(X: ArrayLike, *, n_jobs: int = 1) -> Coding:
    """Find the codes for a table; the order of its rows does not matter.

    Parameters
    ----------
    X : array of shape (n, p)
        Values; NaN is missing, infinity is refused.
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
    edges = np.full((table.shape[1], 256), np.inf)

    def fit_column(j: int) -> None:
        values = sorted_values(table[:, j])
        if values.size and np.isinf(values[[0, -1]]).any():
            raise ValueError(
                f"X must not be infinite, but column {j} is in some rows: "
                "make those values missing (NaN)"
            )
        found = find_edges(values)
        edges[j, : found.size] = found

    run_all(fit_column, range(table.shape[1]), count_threads(as_jobs(n_jobs)))
    return Coding(edges)


def count_below(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return how many of some edges, fewer than 255, lie below each value; 255 for missing ones.

    Examples
    --------
    >>> count_below(np.array([0.5, 1.0, 2.5, np.nan]), np.array([1.0, 2.0])).tolist()
    [0, 0, 2, 255]
    """
    padded = np.full((1, 1 << len(edges).bit_length()), np.inf)
    padded[0, : len(edges)] = edges
    codes = np.empty((len(values), 1), dtype=np.uint8)
    encode(values[:, None], padded, codes, 0, len(values))
    return codes[:, 0]


def sorted_values(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a column's values in order, without the missing ones."""
    in_order = np.sort(values)  # what is missing comes last
    return in_order[: np.searchsorted(in_order, np.nan)]


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
