"""Pieces of the moderators for the fit: lines, ramps, levels, and steps where a slope jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import BLOCK, FloatArray, Rows
from paribus.estimate.interactions import Block, centred, products_of
from paribus.estimate.jumps import MOST_JUMPS, Slopes, find_jumps
from paribus.estimate.moderators import Moderator
from paribus.estimate.pieces import Other, steps
from paribus.estimate.within import Within


@dataclass(frozen=True, slots=True)
class Parts:
    """A moderator cut up.

    Attributes
    ----------
    line : float array of shape (n, 1) or (n, 0)
    pieces : float array of shape (n, b)
    """

    line: FloatArray
    pieces: FloatArray


def row_slopes(within: Within, residual: FloatArray, functions: FloatArray) -> list[Slopes]:
    """Return what each row says of the coefficient of each of some functions (K, a)."""
    n, weights = len(residual), within.units.weights
    freed = np.vstack(
        [
            within.influence(np.arange(start, min(start + 2 * BLOCK, n)), functions)
            for start in range(0, n, 2 * BLOCK)
        ]
    )
    return [Slopes(weights * f * residual, weights * f**2) for f in freed.T]


def cut_up(
    moderators: Sequence[Moderator],
    others: Mapping[str, Other],
    slopes: Sequence[Slopes],
    *,
    coarse: bool = False,
) -> list[Parts]:
    """Cut the moderators up, with steps where the slopes jump."""
    most = MOST_JUMPS if len(slopes) == 1 else 1
    return [_cut(m, others, slopes, most, coarse=coarse) for m in moderators]


def _cut(
    moderator: Moderator,
    others: Mapping[str, Other],
    slopes: Sequence[Slopes],
    most: int,
    *,
    coarse: bool,
) -> Parts:
    columns = [others[name] for name in moderator.columns]
    if len(columns) == 2:
        return _cut_pair(columns[0], columns[1], slopes[0])
    (other,) = columns
    jumps: list[float] = []
    if other.is_number and not coarse:
        jumps = sorted({jump for s in slopes for jump in find_jumps(s, other.values, most)})
    cut = other.pieces.coarse(other.values) if coarse else other.pieces.fine(other.values)
    cut = np.hstack([cut, steps(other.values, jumps)])
    return Parts(other.pieces.line(other.values), cut)


def _cut_pair(a: Other, b: Other, slopes: Slopes) -> Parts:
    """Return products of a few pieces of two columns.

    A step of one is looked for with the slope's sign turned where the other is low.
    """
    first, second = a.pieces.coarse(a.values), b.pieces.coarse(b.values)
    if a.is_number and b.is_number:
        jumps = find_jumps(slopes.turned(_side(b, [])), a.values, 1)
        first = np.hstack([first, steps(a.values, jumps)])
        jumps = find_jumps(slopes.turned(_side(a, jumps)), b.values, 1)
        second = np.hstack([second, steps(b.values, jumps)])
    even = np.ones(len(first))
    both = products_of(centred(first, even), centred(second, even))
    return Parts(np.empty((len(first), 0)), both)


def _side(other: Other, jumps: Sequence[float]) -> FloatArray:
    """Return 1 where a number is beyond its jump, or its median, and -1 elsewhere."""
    edge = jumps[0] if jumps else float(np.nanmedian(other.values))
    return np.where(other.values > edge, 1.0, -1.0)


def blocks_of(
    parts: Sequence[Parts], functions: Sequence[FloatArray], weights: FloatArray
) -> list[Block]:
    """Return a block for each set of functions (K, a) and each of line and pieces of a moderator.

    Pieces are centred over the rows that are averaged over, by `weights` (n,).
    """
    return [
        Block(each, psi)
        for part in parts
        for psi in (centred(cut, weights) for cut in (part.line, part.pieces) if cut.shape[1])
        for each in functions
        if each.shape[1]
    ]


def rows_of(parts: Sequence[Parts], rows: Rows) -> list[Parts]:
    """Return some of the rows of moderators that were cut up."""
    return [Parts(part.line[rows], part.pieces[rows]) for part in parts]
