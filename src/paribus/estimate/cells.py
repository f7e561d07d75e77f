"""Means of the target in cells: rows of one stratum that share a value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Cells:
    """The mean target of each value in each leaf."""

    value: IntArray  # (k,): values met in the leaves, leaf by leaf and ascending inside each
    mean: FloatArray  # (k,): mean y of that value in that leaf
    count: IntArray  # (k,): rows behind the mean
    bound: IntArray  # (n_leaves + 1,): leaf ``i`` owns the cells ``bound[i]:bound[i + 1]``
    leaf: IntArray  # (n,): which of these leaves each row is in

    @property
    def n_values(self) -> IntArray:
        """How many values each leaf has, shape (n_leaves,)."""
        return np.diff(self.bound)

    @property
    def n_rows(self) -> IntArray:
        """How many rows each leaf has, shape (n_leaves,)."""
        return np.add.reduceat(self.count, self.bound[:-1])


def cells_of(value: IntArray, y: FloatArray, leaf: IntArray) -> Cells:
    """Average y over the rows of one leaf and value; all arrays of shape (n,).

    Examples
    --------
    >>> cells = cells_of(np.array([5, 2, 5]), np.array([1.0, 2.0, 3.0]), np.array([0, 0, 0]))
    >>> cells.value.tolist(), cells.mean.tolist()
    ([2, 5], [2.0, 2.0])
    """
    order = np.lexsort((value, leaf))
    leaves, values = leaf[order], value[order]
    new_leaf = np.append(True, np.diff(leaves) != 0)
    first = np.flatnonzero(new_leaf | np.append(True, np.diff(values) != 0))
    count = np.diff(np.append(first, len(y)))
    mean = np.add.reduceat(y[order], first) / count
    bound = np.append(np.flatnonzero(new_leaf[first]), len(first))
    number = np.empty(len(y), dtype=np.int64)
    number[order] = np.cumsum(new_leaf) - 1
    return Cells(values[first], mean, count, bound, number)
