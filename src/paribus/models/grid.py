"""The values at which a curve of a model is computed: always values that rows have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Grid:
    """Values of a column and where the rows lie among them."""

    x: FloatArray  # (m,): ascending
    source: IntArray  # (m,): a row that has each value
    # Share of the rows at each value, a row between two counting for both by its distance: the mean
    # over the rows of a curve with straight pieces is ``mass @ curve``.
    mass: FloatArray  # (m,)
    # The piece that each given row lies in, its end included; the first value in the first.
    cell: IntArray  # (n,)


def make_grid(values: FloatArray, rows: IntArray, most: int) -> Grid:
    """Choose all distinct values, or quantiles where there are more than `most`.

    `values` (n,) are those of the given rows, none missing; `rows` (n,) their numbers in the table.

    Examples
    --------
    >>> points = make_grid(np.array([3.0, 1.0, 2.0, 2.0]), np.arange(4), 10)
    >>> points.x.tolist(), points.source.tolist(), points.mass.tolist(), points.cell.tolist()
    ([1.0, 2.0, 3.0], [1, 2, 0], [0.25, 0.5, 0.25], [1, 0, 0, 0])
    """
    x, first = np.unique(values, return_index=True)
    if len(x) > most:
        wanted = np.quantile(values, np.linspace(0, 1, most), method="inverted_cdf")
        keep = np.searchsorted(x, np.unique(wanted))
        x, first = x[keep], first[keep]
    cell = np.clip(np.searchsorted(x, values) - 1, 0, max(len(x) - 2, 0))
    return Grid(x, rows[first], _mass(x, values, cell), cell)


def _mass(x: FloatArray, values: FloatArray, cell: IntArray) -> FloatArray:
    if len(x) < 2:
        return np.ones(len(x))
    right = (values - x[cell]) / (x[cell + 1] - x[cell])
    low = np.bincount(cell, 1 - right, len(x))
    return (low + np.bincount(cell + 1, right, len(x))) / len(values)
