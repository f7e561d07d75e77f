"""What the second pass does to a row: columns to numbers, strata, covariates and basis.

A recipe is made from the sample and sent to every worker; it holds no rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray, side_by_side
from paribus.estimate.adjust import ByLevel, Covariates, Curves
from paribus.estimate.basis import Basis, hat_basis, level_basis
from paribus.estimate.groups import Labels
from paribus.scale.reading import Levels, Reader, Values
from paribus.scale.survey import Roles
from paribus.strata.family import Family

KEPT_ROWS = 40_000  # rows that show how the errors spread


def hats(x: FloatArray, knots: FloatArray, size: int) -> Basis:
    """Interpolate between knots as `hat_basis` does, with so many columns whatever is missing."""
    basis = hat_basis(x, knots)
    return Basis(basis.index, basis.share, size)


@dataclass(frozen=True, slots=True)
class HeldColumn:
    """A column that can be held still, as a number for each row.

    Attributes
    ----------
    name : str
    number : mapping of level to number, or None
        The positions of a category's levels; None for a column of numbers.
    other : float
        Number of the levels that are not in `number`.
    tree_number : float array of shape (n_levels,), or None
        The levels' numbers as the trees see them.
    n_levels : int
        Levels of a category; missing values, where there are some, are one more.
    """

    name: str
    number: Mapping[Any, float] | None = None
    other: float = np.nan
    tree_number: FloatArray | None = None
    n_levels: int = 0

    def values(self, column: Values) -> FloatArray:
        """Return the column as numbers, NaN where missing, shape (n,)."""
        if self.number is None:
            return column if not isinstance(column, Levels) else np.full(len(column.codes), np.nan)
        if isinstance(column, Levels):
            return column.through(self.number, self.other)
        # A column of numbers of which there is one, or of nothing.
        known = np.array([*self.number])
        return np.where(np.isnan(column) | ~np.isin(column, known), np.nan, 0.0)

    def as_trees_see(self, values: FloatArray) -> FloatArray:
        """Return the numbers by which trees split, shape (n,)."""
        if self.tree_number is None:
            return values
        known = np.where(np.isnan(values), len(self.tree_number), values).astype(np.int64)
        return np.append(self.tree_number, np.nan)[known]

    def codes(self, values: FloatArray) -> IntArray:
        """Return a category's levels, the missing values' last, shape (n,)."""
        return np.where(np.isnan(values), self.n_levels, values).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Shared:
    """Covariates that all explained columns share.

    Attributes
    ----------
    owner : int array of shape (q,)
        The held column that each is made from.
    numbers : int array of shape (m,)
        The held columns of numbers: their standardised values come first.
    mean, scale : float arrays of shape (m,)
        Taken off, and divided by.
    flags : mapping of int to float array of shape (2,)
        The standardised indicator of missing values of some of them: if present, if missing.
    tables : mapping of int to float array of shape (n_levels + 1, d)
        Of categories the standardised indicators of their commonest levels, for each level.
    """

    owner: IntArray
    numbers: IntArray
    mean: FloatArray
    scale: FloatArray
    flags: Mapping[int, FloatArray]
    tables: Mapping[int, FloatArray]

    def rows(
        self, held: Sequence[HeldColumn], matrix: FloatArray, target: FloatArray
    ) -> FloatArray:
        """Return the covariates and the target beside them, shape (n, q + 1)."""
        out = np.empty((len(matrix), len(self.owner) + 1))
        at = len(self.numbers)
        first = out[:, :at]
        np.subtract(matrix[:, self.numbers], self.mean, out=first)
        first /= self.scale
        first[np.isnan(first)] = 0.0
        for k, flag in self.flags.items():
            out[:, at] = flag[np.isnan(matrix[:, k]).astype(np.int64)]
            at += 1
        for k, table in self.tables.items():
            out[:, at : at + table.shape[1]] = table[held[k].codes(matrix[:, k])]
            at += table.shape[1]
        out[:, at] = target
        return out


@dataclass(frozen=True, slots=True)
class Pool:
    """Covariates that some explained columns have: each is made once for all of them.

    Attributes
    ----------
    curves : Curves
        Of shared covariates.
    pairs : int32 array of shape (number of pairs, 2)
        Shared covariates whose products, clipped, are covariates.
    means : mapping of (int, int) to float array of shape (n_levels + 1, 2)
        For an explained column and a category of many levels, the levels' means of the column,
        and their squares.
    """

    curves: Curves
    pairs: Labels
    means: Mapping[tuple[int, int], FloatArray]

    def __len__(self) -> int:
        return int(np.sum(self.curves.n_knots - 2)) + len(self.pairs) + 2 * len(self.means)

    def places(self, tied: Sequence[int], position: int) -> Labels:
        """Return which covariates an explained column has that depends on certain ones."""
        hats = np.repeat(np.isin(self.curves.place, tied), self.curves.n_knots - 2)
        pairs = np.isin(self.pairs, tied).all(axis=1)
        means = np.repeat([explained == position for explained, _ in self.means], 2)
        return np.flatnonzero(np.concatenate([hats, pairs, means])).astype(np.int32)

    def beside(
        self, held: Sequence[HeldColumn], matrix: FloatArray, shared: FloatArray
    ) -> FloatArray:
        """Return the `shared` columns (n, m) and all of these beside them, shape (n, m + P)."""
        means = [
            ByLevel(table, held[k].codes(matrix[:, k])) for (_, k), table in self.means.items()
        ]
        every = np.ones(shared.shape[1] + len(self), dtype=np.bool_)
        covariates = Covariates(shared, every, self.curves, self.pairs, tuple(means))
        return covariates.rows(np.arange(len(shared)))


@dataclass(frozen=True, slots=True)
class Explained:
    """How one column is explained.

    Attributes
    ----------
    position : int
        Among the held columns.
    set : int
        The tree that leaves it out.
    knots : float array of shape (k,), or None
        None for a category.
    size : int
        Points or levels, that of missing values included.
    middle : float
        Taken off a column of numbers before it is squared.
    active : bool array of shape (q,)
        Shared covariates that take part.
    further : int32 array of shape (e,)
        Covariates of the pool that take part.
    rarity : float array of shape (K,)
        How much likelier than others a row at each point or level is to be kept.
    """

    position: int
    set: int
    knots: FloatArray | None
    size: int
    middle: float
    active: BoolArray
    further: Labels
    rarity: FloatArray

    def basis(self, column: HeldColumn, values: FloatArray) -> Basis:
        """Return the points or levels of rows."""
        if self.knots is None:
            return level_basis(column.codes(values), self.size)
        return hats(values, self.knots, self.size)


@dataclass(frozen=True, slots=True)
class Target:
    """How the target becomes a number: as it is, or by a table of its values."""

    number: Mapping[Any, float] | None
    mean: float
    scale: float

    def values(self, column: Values) -> FloatArray:
        """Return the target in units of its standard deviation, shape (n,)."""
        if isinstance(column, Levels):
            y = column.through(self.number or {}, np.nan)
        elif self.number is None:
            y = column
        else:
            known = np.array(sorted(self.number))
            place = np.minimum(np.searchsorted(known, column), len(known) - 1)
            y = np.array([self.number[v] for v in known])[place]
        return (y - self.mean) / self.scale


@dataclass(frozen=True, slots=True)
class Recipe:
    """All of it.

    Attributes
    ----------
    reader : Reader
    roles : Roles
    below : int
        Rows whose hash is less are in the sample, and not summed.
    target : Target
    mean_weight : float
        What weights are divided by; 1 for whole numbers.
    held : tuple of HeldColumn
    family : Family
        The trees, one for each set of columns left out.
    shared : Shared
    pool : Pool
    explained : tuple of Explained
    """

    reader: Reader
    roles: Roles
    below: int
    target: Target
    mean_weight: float
    held: tuple[HeldColumn, ...]
    family: Family
    shared: Shared
    pool: Pool
    explained: tuple[Explained, ...]

    def matrix(self, columns: Mapping[str, Values]) -> FloatArray:
        """Return the held columns as numbers, shape (n, p)."""
        return side_by_side([held.values(columns[held.name]) for held in self.held])

    def strata(self, matrix: FloatArray, n_jobs: int = 1) -> IntArray:
        """Return each row's stratum for every set left out, shape (n_sets, n)."""
        seen = matrix
        if any(held.tree_number is not None for held in self.held):
            columns = zip(self.held, matrix.T, strict=True)
            seen = side_by_side([held.as_trees_see(values) for held, values in columns])
        codes = self.family.coding.encode(seen, n_jobs=n_jobs)
        return np.ascontiguousarray(self.family.apply_coded(codes, n_jobs=n_jobs).T)

    def covariates(self, matrix: FloatArray, target: FloatArray) -> FloatArray:
        """Return shared covariates, target and pool side by side, shape (n, q + 1 + P)."""
        shared = self.shared.rows(self.held, matrix, target)
        return self.pool.beside(self.held, matrix, shared)

    def columns_of(self, explained: Explained) -> Labels:
        """Return which of these an explained column has, the target in place q, shape (d,)."""
        q = len(self.shared.owner)
        return np.append(np.arange(q + 1), q + 1 + explained.further).astype(np.int32)
