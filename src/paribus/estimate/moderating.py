"""Pieces of the moderators for the fit: lines, ramps, levels, and steps where a slope jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paribus.base.arrays import BLOCK, FloatArray, IntArray, Rows
from paribus.estimate.interactions import Interactions, centred, products_of
from paribus.estimate.jumps import MOST_JUMPS, Jump, Slopes, find_jumps, steps_beside
from paribus.estimate.moderators import Moderator
from paribus.estimate.pieces import Other
from paribus.estimate.within import Within


@dataclass(frozen=True, slots=True)
class Parts:
    """A moderator cut up."""

    line: FloatArray  # (n, 1) or (n, 0)
    pieces: FloatArray  # (n, b)
    coarse: FloatArray  # (n, c): fewer pieces, for the bends of a curve
    steps: FloatArray  # (n, j): where slopes jump

    @property
    def own(self) -> FloatArray:
        """What the moderator does by itself, shape (n, b + j)."""
        return np.hstack([self.pieces, self.steps])

    @property
    def width(self) -> int:
        """The number of columns that levels are multiplied with."""
        return self.line.shape[1] + self.pieces.shape[1] + self.steps.shape[1]


def row_slopes(
    within: Within, residual: FloatArray, functions: FloatArray, at: Rows | None = None
) -> list[Slopes]:
    """Return what each row, or some of them, says of the coefficients of functions (K, a)."""
    at = np.arange(len(residual)) if at is None else at
    weights, left = within.units.weights[at], residual[at]
    freed = np.vstack(
        [
            within.influence(at[start : start + 2 * BLOCK], functions)
            for start in range(0, len(at), 2 * BLOCK)
        ]
    )
    return [Slopes(weights * f * left, weights * f**2) for f in freed.T]


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
    few = other.pieces.coarse(other.values)
    pieces = few if coarse else other.pieces.fine(other.values)
    steps = np.empty((len(few), 0))
    if other.is_number and not coarse:
        steps = steps_beside(slopes, other.values, pieces, most)
    return Parts(other.pieces.line(other.values), pieces, few, steps)


def _cut_pair(a: Other, b: Other, slopes: Slopes) -> Parts:
    """Return products of a few pieces of two columns.

    A step of one is looked for with the slope's sign turned where the other is low.
    """
    even = np.ones(len(a.values))
    first, second = (centred(k.pieces.coarse(k.values), even) for k in (a, b))
    none = np.empty((len(even), 0))
    steps = none
    if a.is_number and b.is_number:
        of_a = find_jumps(slopes.turned(_side(b, [])), a.values, 1)
        of_b = find_jumps(slopes.turned(_side(a, of_a)), b.values, 1)
        own = [_centred_steps(k, jumps) for k, jumps in ((a, of_a), (b, of_b))]
        steps = products_of(*own)
    pieces = products_of(first, second)
    return Parts(none, pieces, pieces, steps)


def _centred_steps(other: Other, jumps: Sequence[Jump]) -> FloatArray:
    """Return a column a jump, shape (n, j)."""
    none = np.empty((len(other.values), 0))
    steps = np.column_stack([none, *(jump.step(other.values) for jump in jumps)])
    return centred(steps, np.ones(len(steps)))


def _side(other: Other, jumps: Sequence[Jump]) -> FloatArray:
    """Return 1 where a number is beyond its jump, or its median, and -1 elsewhere."""
    edge = jumps[0].middle if jumps else float(np.nanmedian(other.values))
    return np.where(other.values > edge, 1.0, -1.0)


def interactions_of(
    parts: Sequence[Parts],
    weights: FloatArray,
    functions: FloatArray,
    bends: FloatArray | None = None,
) -> Interactions:
    """Multiply some functions (K, a) with line, pieces and steps of each moderator, a block each.

    The `bends` (K, d) of a curve have blocks of their own, with coarse pieces. All are centred over
    the rows that are averaged over, by `weights` (n,).
    """
    none = np.empty((len(functions), 0))
    every = np.hstack([functions, none if bends is None else bends])
    straight, bent = np.split(np.arange(every.shape[1]), [functions.shape[1]])
    columns, blocks, first = [], [], 0
    for part in parts:
        own = [part.line, part.pieces, part.steps, part.coarse]
        own = own if len(bent) else own[:-1]
        line, pieces, steps, *coarse = _places(own, first)
        blocks += [(straight, at) for at in (line, pieces, steps)]
        blocks += [(bent, at) for few in coarse for at in (line, few, steps)]
        columns += own
        first += sum(each.shape[1] for each in own)
    blocks = [(f, at) for f, at in blocks if len(f) * len(at)]
    pairs = [
        np.stack(np.meshgrid(f, at, indexing="ij"), axis=-1).reshape(-1, 2) for f, at in blocks
    ]
    psi = np.hstack(columns)
    psi -= weights @ psi / weights.sum()
    return Interactions(
        functions=every,
        psi=psi,
        pairs=np.vstack(pairs).astype(np.int32),
        owner=np.repeat(np.arange(len(pairs)), [len(each) for each in pairs]),
    )


def _places(columns: Sequence[FloatArray], first: int) -> list[IntArray]:
    """Return the places of the columns of some arrays side by side, counted from `first`."""
    ends = first + np.cumsum([each.shape[1] for each in columns])
    return [np.arange(end - each.shape[1], end) for each, end in zip(columns, ends, strict=True)]
