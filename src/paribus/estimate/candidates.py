"""A first look at which columns an effect may differ with, shared by all explained columns.

Pieces of all columns are laid out once for the rows that are tested. One number per piece, a sum of
products over the rows, then tells which columns are worth a test of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray, Rows, dot
from paribus.estimate.pieces import Other

MOST_ROWS = 8_000  # rows that the tests look at
PAIR_WORK = 3e7  # rows times squared columns that are looked at for two columns together
FEWEST_FOR_PAIRS = 500
MANY = 100  # columns: with more, a line of each is enough for a glance


@dataclass(frozen=True, slots=True)
class Tried:
    """A column as tests see it in m rows: a few pieces (m, b), and its line (m, 1) or (m, 0).

    Pieces are laid out column by column, for products; see `products_of`.
    """

    psi: FloatArray
    line: FloatArray

    @classmethod
    def of(cls, other: Other) -> Tried:
        """Cut up a column."""
        pieces = np.asfortranarray(other.pieces.coarse(other.values, "F"))
        return cls(pieces, other.pieces.line(other.values))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pieces of columns in m rows."""

    names: tuple[str, ...]
    # A few pieces of each column, or its line where there are many of them, centred; for a glance
    # half the digits are enough.
    psi: NDArray[np.float32]  # (m, B), laid out column by column
    squares: NDArray[np.float32]  # (m, B): of these
    owner: IntArray  # (B,): the column of each
    tried: Mapping[str, Tried]  # each column by itself; none where there are many of them
    in_pairs: slice  # which of the rows are looked at for products of two columns
    lines: NDArray[np.float32]  # (r, C): few standardised columns of each in these rows
    line_owner: IntArray  # (C,)

    def strength(self, pull: FloatArray, spread: FloatArray) -> dict[str, float]:
        """Return the largest chi-square of a column's pieces, for each column.

        Parameters
        ----------
        pull : float array of shape (m, a)
            What rows add to the scores of some functions of the explained column.
        spread : float array of shape (m, a)
            What they add to the variance of these scores.
        """
        score = _each_by_itself(pull, self.psi)
        variance = _each_by_itself(spread, self.squares)
        each = (score**2 / np.maximum(variance, np.float32(1e-30))).max(axis=0, initial=0.0)
        out = np.zeros(len(self.names))
        np.maximum.at(out, self.owner, each)
        return dict(zip(self.names, out.tolist(), strict=True))

    def pairs(self, names: Collection[str]) -> tuple[IntArray, IntArray]:
        """Return all pairs of lines of two different columns with these names."""
        wanted = np.array([name in names for name in self.names], dtype=np.bool_)
        own = np.flatnonzero(wanted[self.line_owner])
        first, second = np.triu_indices(len(own), 1)
        first, second = own[first], own[second]
        apart = self.line_owner[first] != self.line_owner[second]
        return first[apart], second[apart]


def _each_by_itself(columns: FloatArray, psi: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the products of few `columns` (m, a) with `psi` (m, B), shape (a, B).

    One at a time: of so few at once BLAS makes half the speed.
    """
    return np.array([dot(column, psi) for column in columns.T.astype(np.float32)])


def rows_looked_at(n: int, most: int = MOST_ROWS) -> Rows:
    """Return so many rows of n at most, evenly."""
    return np.arange(0, n, max(1, -(-n // most)))


def fresh_rows(n: int, most: int = MOST_ROWS) -> Rows:
    """Return up to three times as many others of n rows, evenly; none where all are looked at.

    Examples
    --------
    >>> rows_looked_at(10, 3).tolist(), fresh_rows(10, 3).tolist()
    ([0, 4, 8], [1, 2, 3, 5, 6, 7, 9])
    """
    step = max(1, -(-n // most))
    offsets = np.unique(np.linspace(0, step, 5)[1:-1].astype(np.int64))
    return np.flatnonzero(np.isin(np.arange(n) % step, offsets[offsets > 0]))


def candidates_of(others: Mapping[str, Other], at: Rows, *, pairs: bool = True) -> Candidates:
    """Lay out the pieces of columns in some rows, and their lines if `pairs` are looked for."""
    taken = {name: other.take(at) for name, other in others.items()}
    tried = {name: Tried.of(o) for name, o in taken.items()} if len(taken) <= MANY else {}
    lined = taken if pairs or not tried else {}
    scaled = {name: other.pieces.moments(other.values) for name, other in lined.items()}
    number = np.arange(len(taken))
    line_owner = np.repeat(
        number[: len(lined)], [np.count_nonzero(spread) for _, spread in scaled.values()]
    )
    in_pairs = rows_for_pairs(len(at), len(line_owner)) if pairs else slice(0)

    def lines_in(rows: slice) -> list[FloatArray]:
        return [
            other.pieces.standard(other.values[rows], scaled[name]) for name, other in lined.items()
        ]

    psi = [each.psi for each in tried.values()] if tried else lines_in(slice(None))
    laid = _beside_each_other(psi, len(at), centred=True)
    return Candidates(
        names=tuple(others),
        psi=laid,
        squares=laid**2,
        owner=np.repeat(number, [each.shape[1] for each in psi]),
        tried=tried,
        in_pairs=in_pairs,
        lines=_beside_each_other(lines_in(in_pairs), len(at[in_pairs])),
        line_owner=line_owner,
    )


def _beside_each_other(
    columns: Sequence[FloatArray], n: int, *, centred: bool = False
) -> NDArray[np.float32]:
    """Return columns (n, c) of each of several in one array, shape (n, all of these).

    It is laid out column by column, as they are.
    """
    out = np.empty((n, sum(each.shape[1] for each in columns)), dtype=np.float32, order="F")
    at = 0
    for each in columns:
        middle = each.mean(axis=0) if centred else 0.0
        own = out[:, at : at + each.shape[1]]
        np.subtract(each, middle, out=own, casting="same_kind")
        at += each.shape[1]
    return out


def rows_for_pairs(n: int, width: int) -> slice:
    """Return which of n rows are looked at for pairs of so many lines; none where too few are."""
    size = min(n, int(PAIR_WORK / max(width, 1) ** 2))
    return slice(None, None, -(-n // size)) if size >= min(n, FEWEST_FOR_PAIRS) else slice(0)
