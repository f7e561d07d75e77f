"""What the second pass does to a row: columns to numbers, strata, covariates and basis.

A transform is made from the sample and sent to every worker; it holds no rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Labels, side_by_side
from paribus.estimate.basis import Hats, hat_basis, level_basis
from paribus.estimate.covariates import Lines, covariates_of
from paribus.estimate.design import Design
from paribus.estimate.terms import Terms
from paribus.scale.reading import Levels, Reader, Values
from paribus.scale.strata import BatchStrata
from paribus.scale.survey import Roles
from paribus.strata.honest import TreeCoding

KEPT_ROWS = 40_000  # rows that show how the errors spread


@dataclass(frozen=True, slots=True)
class HeldColumn:
    """A column that can be held still, as a number for each row."""

    name: str
    # The positions of a category's levels; None for a column of numbers.
    number: Mapping[Any, float] | None = None
    other: float = np.nan  # number of the levels that are not in `number`
    missing: float = np.nan  # number of missing values: NaN, unless they are a level of their own

    def values(self, column: Values) -> FloatArray:
        """Return the column as numbers, NaN where missing, shape (n,)."""
        if self.number is None:
            return column if not isinstance(column, Levels) else np.full(len(column.codes), np.nan)
        if isinstance(column, Levels):
            values = column.through(self.number, self.other)
        else:  # a column of numbers of which there is one, or of nothing
            known = np.array([*self.number])
            values = np.where(np.isnan(column) | ~np.isin(column, known), np.nan, 0.0)
        return np.where(np.isnan(values), self.missing, values)


@dataclass(frozen=True, slots=True)
class Explained:
    """How one column is explained."""

    position: int  # among the held columns
    strata: int  # which of the strata
    knots: FloatArray | None  # (k,): none for a category
    size: int  # points or levels
    # Held columns, itself among them, that some rows lack: those rows take no part.
    needs: tuple[int, ...]
    middle: float  # taken off a column of numbers before it is squared
    columns: Labels  # (d,): which of all covariates take part; the target is the last
    # How much likelier than others a row at each point or level is to be kept.
    rarity: FloatArray  # (K,)

    def basis(self, values: FloatArray) -> Hats:
        """Return the points or levels of rows, none of them missing."""
        if self.knots is None:
            return level_basis(values.astype(np.int32), self.size)
        return hat_basis(values, self.knots)


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
class RowTransform:
    """All of it."""

    reader: Reader
    roles: Roles
    below: int  # rows whose hash is less are in the sample, and not summed
    target: Target
    mean_weight: float  # what sampling weights are divided by
    held: tuple[HeldColumn, ...]
    tree_coding: TreeCoding
    strata: BatchStrata
    design: Design
    terms: Terms  # those of all explained columns
    lines: tuple[Lines, ...]  # likewise
    explained: tuple[Explained, ...]

    def matrix(self, columns: Mapping[str, Values]) -> FloatArray:
        """Return the held columns as numbers, shape (n, p)."""
        return side_by_side([held.values(columns[held.name]) for held in self.held])

    def labels(self, matrix: FloatArray, values: FloatArray) -> IntArray:
        """Return the strata of each row, shape (number of strata, n)."""
        filled = self.design.filled(matrix, values)
        return self.strata.of(self.tree_coding.encode(filled), filled)

    @property
    def width(self) -> int:
        """How many covariates there are, the target counted."""
        lines = sum(each.fitted.width for each in self.lines)
        return len(self.design.owner) + self.terms.size + lines + 1

    def covariates(self, matrix: FloatArray, values: FloatArray, target: FloatArray) -> FloatArray:
        """Return all covariates and, last, the target, shape (n, width)."""
        design = self.design
        levels_of = {k: design.codes(k, matrix[:, k]) for k in design.many}
        every = covariates_of(design, values, self.terms, (), levels_of)
        every = every.beside(*(each.of(design, matrix, values) for each in self.lines))
        return every.rows(np.arange(len(matrix)), target[:, None])
