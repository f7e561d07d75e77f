"""A uniform sample of rows that does not depend on their order: those with the smallest hashes.

The sample of two parts of a table follows from the samples of each. A row is hashed from its
columns, without the target: in another order, in other parts or on another engine the same rows are
drawn. Duplicate rows within a block are told apart by their position; otherwise either all or none
of them would be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from paribus.base.arrays import FloatArray, Hashes, IntArray
from paribus.scale.reading import Levels, Values
from paribus.strata.rows import mix, row_hash

if TYPE_CHECKING:
    import pyarrow as pa


def sampling_hash(columns: list[Values], seed: int, part: int, start: int) -> Hashes:
    """Return a hash for each row of a block that begins in row `start` of a part, shape (n,).

    Examples
    --------
    >>> rows = [np.array([1.0, 2.0, 1.0])]
    >>> first = sampling_hash(rows, 0, 0, 0)
    >>> len(set(first.tolist())), bool(first[1] == sampling_hash(rows, 0, 7, 100)[1])
    (3, True)
    """
    numbers = [c.hashed() if isinstance(c, Levels) else c for c in columns]
    hashes = mix(row_hash(*numbers) ^ mix(np.uint64(seed)))
    rank = _times_before(hashes)
    if not rank.any():
        return hashes
    place = mix(np.uint64(start)) ^ np.uint64(part)
    again = rank > 0
    hashes[again] = mix(hashes[again] ^ mix(place ^ mix(rank[again].astype(np.uint64))))
    return hashes


def _times_before(hashes: Hashes) -> IntArray:
    """Return how often each hash has occurred before, shape (n,)."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    fresh = np.append(True, ordered[1:] != ordered[:-1])[: len(order)]
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    out = np.empty(len(order), dtype=np.int64)
    out[order] = np.arange(len(order)) - first
    return out


def lowered(hashes: Hashes, times: FloatArray) -> Hashes:
    """Divide hashes (n,) so that a row is `times` (n,) as likely to be kept.

    Examples
    --------
    >>> lowered(np.array([4096, 2**64 - 1], dtype=np.uint64), np.array([2.0, 1.0])).tolist()
    [2048, 18446744073709549568]
    """
    return np.minimum(hashes / times, 2.0**64 - 2048).astype(np.uint64)


def checksum_of(hashes: Hashes) -> int:
    """Return a number that identifies a set of rows, whatever their order."""
    return int(mix(hashes).sum(dtype=np.uint64))


@dataclass(slots=True)
class Kept:
    """The rows with the smallest hashes, and one more that separates them from the others."""

    limit: int  # how many rows are wanted from the parts seen
    most: int  # how many are wanted in total
    # Hashes and rows, more than wanted until `settle` is called.
    pieces: list[tuple[Hashes, pa.Table]] = field(default_factory=list)  # hashes: (m,)
    below: int = 2**64  # hashes at or above it are not wanted

    def wanted(self, hashes: Hashes) -> IntArray:
        """Return the positions of the rows that may still be kept."""
        if self.is_all:
            return np.arange(len(hashes))
        return np.flatnonzero(hashes < np.uint64(self.below))

    def add(self, hashes: Hashes, rows: pa.Table) -> None:
        """Add rows that `wanted` chose."""
        if len(hashes):
            self.pieces.append((hashes, rows))
        if sum(len(h) for h, _ in self.pieces) > 1.25 * self.limit + 1000:
            self.settle()

    def __add__(self, other: Kept) -> Kept:
        limit = min(self.limit + other.limit, self.most)
        both = Kept(limit, self.most, self.pieces + other.pieces, min(self.below, other.below))
        both.settle()
        return both

    def settle(self) -> None:
        """Drop rows that are not wanted, and sort the others by hash."""
        import pyarrow as pa

        if not self.pieces:
            return
        hashes = np.concatenate([h for h, _ in self.pieces])
        rows = pa.concat_tables([t for _, t in self.pieces], promote_options="permissive")
        order = np.argsort(hashes, kind="stable")[: self.limit + 1]
        # `take` copies, so that a few rows do not keep the whole batch in memory.
        self.pieces = [(hashes[order], rows.take(order).combine_chunks())]
        if len(order) > self.limit:
            self.below = min(self.below, int(hashes[order[-1]]))

    @property
    def is_all(self) -> bool:
        """Whether no row was ever dropped."""
        return self.below == 2**64

    def first(self, size: int) -> tuple[Hashes, pa.Table, int]:
        """Return at most `size` rows, and a hash that no other row lies below."""
        self.settle()
        hashes, rows = self.pieces[0]
        below = min(self.below, int(hashes[size]) if len(hashes) > size else 2**64)
        n = int(np.searchsorted(hashes, np.uint64(below))) if below < 2**64 else len(hashes)
        return hashes[:n], rows.slice(0, n), below
