"""Pieces of the moderators for the fit: lines, ramps, levels, and steps where a slope jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Rows, dot
from paribus.estimate.interactions import Interactions, products_of
from paribus.estimate.jumps import (
    MOST_JUMPS,
    Jump,
    Slopes,
    find_jumps,
    jumps_beside,
    steps_at,
)
from paribus.estimate.moderators import Moderator
from paribus.estimate.pieces import Other
from paribus.estimate.within import Within

ROWS_TELLING = 40_000  # rows enough to tell where slopes differ


@dataclass(frozen=True, slots=True)
class Parts:
    """A moderator cut up, in some rows."""

    line: FloatArray  # (n, 1) or (n, 0)
    pieces: FloatArray  # (n, b)
    coarse: FloatArray  # (n, c): fewer pieces, for the bends of a curve
    steps: FloatArray  # (n, j): where slopes jump

    def times_functions(self, *, bends: bool) -> list[FloatArray]:
        """Return what functions of the explained column are multiplied with, and its bends."""
        own = [self.line, self.pieces, self.steps]
        return [*own, self.coarse] if bends else own

    @property
    def own(self) -> FloatArray:
        """What the moderator does by itself, shape (n, b + j)."""
        return np.hstack([self.pieces, self.steps])

    @property
    def width(self) -> int:
        """The number of columns that levels are multiplied with."""
        return self.line.shape[1] + self.pieces.shape[1] + self.steps.shape[1]


def row_slopes(
    within: Within, residual: FloatArray, functions: FloatArray, at: Rows
) -> list[Slopes]:
    """Return what some rows say of the coefficients of functions (K, a)."""
    weights, left = within.units.weights[at], residual[at]
    freed = within.influence(at, functions)
    return [Slopes(weights * f * left, weights * f**2) for f in freed.T]


@dataclass(frozen=True, slots=True)
class Cut:
    """How a moderator is cut up, as some rows tell; other rows can be cut up alike."""

    columns: tuple[str, ...]  # one, or two that act together
    jumps: tuple[Sequence[Jump], ...]  # where the slope jumps along each of them
    coarse: bool = False
    # Of two columns: the means of the pieces, and of the steps, of each.
    means: tuple[FloatArray, ...] = ()

    def parts(self, others: Mapping[str, Other]) -> Parts:
        """Cut up the rows of the moderators among some columns."""
        if len(self.columns) == 2:
            return self._products([others[name] for name in self.columns])
        other = others[self.columns[0]]
        few = other.pieces.coarse(other.values)
        pieces = few if self.coarse else other.pieces.fine(other.values)
        steps = steps_at(self.jumps[0], other.values)
        return Parts(other.pieces.line(other.values), pieces, few, steps)

    def _products(self, pair: Sequence[Other]) -> Parts:
        """Return products of a few pieces of two columns."""
        own = [*_pieces_of(pair), *_steps_of(pair, self.jumps)]
        first, second, *steps = (each - mean for each, mean in zip(own, self.means, strict=True))
        pieces = products_of(first, second)
        none = np.empty((len(pieces), 0))
        return Parts(none, pieces, pieces, products_of(*steps))


def cut_up(
    moderators: Sequence[Moderator],
    others: Mapping[str, Other],
    slopes: Sequence[Slopes],
    *,
    coarse: bool = False,
) -> list[Cut]:
    """Cut the moderators up, with steps where the slopes jump."""
    most = MOST_JUMPS if len(slopes) == 1 else 1
    return [_cut(m.columns, others, slopes, most, coarse=coarse) for m in moderators]


def _cut(
    names: tuple[str, ...],
    others: Mapping[str, Other],
    slopes: Sequence[Slopes],
    most: int,
    *,
    coarse: bool,
) -> Cut:
    pair = [others[name] for name in names]
    if len(pair) == 2:
        jumps = _jumps_together(pair[0], pair[1], slopes[0])
        own = [*_pieces_of(pair), *_steps_of(pair, jumps)]
        return Cut(names, jumps, means=tuple(each.mean(axis=0) for each in own))
    (other,) = pair
    if coarse or not other.is_number:
        return Cut(names, ([],), coarse)
    pieces = other.pieces.fine(other.values)
    return Cut(names, (jumps_beside(slopes, other.values, pieces, most),))


def _jumps_together(a: Other, b: Other, slopes: Slopes) -> tuple[list[Jump], list[Jump]]:
    """Find a jump along each of two numbers, the slope's sign turned where the other is low."""
    if not (a.is_number and b.is_number):
        return [], []
    of_a = find_jumps(slopes.turned(_side(b, [])), a.values, 1)
    return of_a, find_jumps(slopes.turned(_side(a, of_a)), b.values, 1)


def _pieces_of(pair: Sequence[Other]) -> list[FloatArray]:
    return [other.pieces.coarse(other.values) for other in pair]


def _steps_of(pair: Sequence[Other], jumps: Sequence[Sequence[Jump]]) -> list[FloatArray]:
    return [steps_at(own, other.values) for other, own in zip(pair, jumps, strict=True)]


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
        own = part.times_functions(bends=len(bent) > 0)
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
    centre = dot(weights, psi) / weights.sum()
    psi -= centre
    return Interactions(
        functions=every,
        psi=psi,
        centre=centre,
        pairs=np.vstack(pairs).astype(np.int32),
        owner=np.repeat(np.arange(len(pairs)), [len(each) for each in pairs]),
    )


def in_rows(products: Interactions, parts: Sequence[Parts], *, bends: bool) -> Interactions:
    """Return the same products in other rows, where the moderators are cut up into `parts`."""
    psi = np.hstack([each for part in parts for each in part.times_functions(bends=bends)])
    psi -= products.centre
    return replace(products, psi=psi)


def _places(columns: Sequence[FloatArray], first: int) -> list[IntArray]:
    """Return the places of the columns of some arrays side by side, counted from `first`."""
    ends = first + np.cumsum([each.shape[1] for each in columns])
    return [np.arange(end - each.shape[1], end) for each, end in zip(columns, ends, strict=True)]
