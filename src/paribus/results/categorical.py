"""The effect of a category: its levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.results import errors as result_errors
from paribus.results import sentences
from paribus.results.base import Effect
from paribus.results.contrast import Contrast
from paribus.results.support import Support, support_at
from paribus.results.words import counts
from paribus.table import errors as table_errors


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class CategoricalEffect(Effect):
    """What the target goes with at the levels of a category, the other columns held still.

    Has all attributes of `Effect` (NaN for a level that could not be compared), and:

    Attributes
    ----------
    levels : tuple
        The levels of the column; ``"(missing)"`` where the value is missing.
    count : int array of shape (m,)
        Rows at each level.
    island : int array of shape (m,), or None
        Levels of one island can be compared with each other, levels of different islands cannot;
        0 is the island with the most rows. Each island is centred separately.
    """

    levels: tuple[Any, ...]
    count: IntArray
    island: IntArray | None = None

    is_curve: ClassVar[bool] = False

    def __repr__(self) -> str:
        n_levels = f"{len(self.levels):,} levels"
        return f"<CategoricalEffect: {self.feature} on {self.target}, {n_levels}, {counts(self)}>"

    @property
    def axis(self) -> list[Any]:
        """The levels of the column, for a table."""
        return list(self.levels)

    @property
    def positions(self) -> FloatArray:
        """Numbers of the levels, shape (m,)."""
        return np.arange(len(self.levels), dtype=np.float64)

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels as text, all different."""
        seen: dict[str, int] = {}
        written = []
        for level in map(str, self.levels):
            seen[level] = seen.get(level, 0) + 1
            written.append(level if seen[level] == 1 else f"{level} ({seen[level]})")
        return tuple(written)

    @property
    def pieces(self) -> IntArray:
        """The islands of the levels, shape (m,)."""
        return np.zeros(len(self.levels), dtype=np.int64) if self.island is None else self.island

    @property
    def weights(self) -> FloatArray:
        """Share of the rows at each level, shape (m,)."""
        return self.count / max(1, self.count.sum()) if self.row_share is None else self.row_share

    def values_at(self, other: Effect) -> FloatArray:
        """Return the effect at the levels of another, NaN where it has none."""
        known = {} if other.is_curve else dict(zip(map(str, self.levels), self.effect, strict=True))
        return np.array([known.get(str(level), np.nan) for level in other.axis])

    def summary(self) -> str:
        """Say in a sentence how the target differs between the levels.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> pb.effect(d.table, "weight", "pregnant").summary()  # doctest: +ELLIPSIS
        'With pregnant = True, weight is about 40 higher than with False ...'
        """
        return sentences.level_sentence(self)

    def between(self, a: Any, b: Any) -> Contrast:
        """Return the difference between two levels: the effect of `b` less that of `a`.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> print(pb.effect(d.table, "weight", "pregnant").between(False, True))
        ... # doctest: +ELLIPSIS
        With pregnant = True, weight is about 40 higher than with False (95 % interval ...
        """
        first, second = self._place(a), self._place(b)
        if not self._comparable(first)[second]:
            raise result_errors.not_comparable(self.feature, a, b)
        found = self._apart(first, second)
        return replace(found, sentence=sentences.between_levels(self, a, b, found))

    def support_at(self, level: Any) -> Support:
        """Return how many rows, from how many strata, compare this level with others.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> print(pb.effect(d.table, "weight", "sex").support_at("F"))  # doctest: +ELLIPSIS
        At sex = F, ... rows in ... strata can be compared with the other columns held still.
        """
        label = self.labels[self._place(level)]
        behind = self.rows_behind().with_level(label)
        levels = [str(known) for known in behind.column.levels]
        return support_at(self, behind, float(levels.index(label)), label)

    def relative_to(self, reference: Any) -> CategoricalEffect:
        """Return the effects relative to a level, or to the mean over the rows.

        Levels that cannot be compared with it stay as they are.

        Parameters
        ----------
        reference : level, "mean" or "left"
            A level, the mean over the rows, or the first level; a level of that name has priority.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> bars = pb.effect(d.table, "temperature", "state").relative_to("CA")
        >>> bars.levels[1], float(bars.effect[1])
        ('CA', 0.0)
        """
        if not self.explained:
            raise result_errors.no_covariance()
        words = {"mean": int(np.argmax(self.weights)), "left": 0}
        named = isinstance(reference, str) and reference in words and reference not in self.levels
        at = words[reference] if named else self._place(reference)
        among = self._comparable(at)
        if named and reference == "mean":
            shares = np.where(among, self.weights, 0.0) / self.weights[among].sum()
            return replace(self._moved(shares, among), reference="")
        alone = np.where(np.arange(len(self.levels)) == at, 1.0, 0.0)
        return replace(self._moved(alone, among), reference=self.labels[at])

    def _place(self, level: Any) -> int:
        if level in self.levels:
            return self.levels.index(level)
        if str(level) not in self.labels:
            raise table_errors.unknown_level(self.feature, level, self.levels)
        return self.labels.index(str(level))

    def _comparable(self, at: int) -> BoolArray:
        """Return the levels (m,) that can be compared with one of them."""
        known = ~np.isnan(self.effect)
        return known & known[at] & (self.pieces == self.pieces[at])

    def _columns(self) -> dict[str, Any]:
        island = {} if self.island is None else {"island": self.island}
        return {"count": self.count, **self._sides(), **island}
