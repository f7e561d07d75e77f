"""The effect of one column, numeric or categorical."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paribus.base import errors
from paribus.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from paribus.estimate.bands import intervals
from paribus.results.base import Effect
from paribus.results.parts import Gap, Histogram, Missing
from paribus.results.words import level_sentence, numeric_sentence
from paribus.table.columns import make_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class NumericEffect(Effect):
    """What a column of numbers or dates goes with, the others held still.

    Has all attributes of `Effect`, and:

    Attributes
    ----------
    x : array of shape (m,)
        Values of the column, ascending; dates for a date column. Between them the curve is
        straight.
    support : float array of shape (m,)
        How much stands behind each point: for `stratpd` the number of slopes averaged there, for
        `effect` the number of independent comparisons across it.
    slope : float array of shape (m,), or None
        Change of the target per unit of `x` (per day for dates), from `x` on.
    gaps : tuple of Gap
        Stretches that no comparison spans.
    missing : Missing or None
        The point of the rows without a value of the column.
    distribution : Histogram
        Where the rows lie.
    """

    x: AnyArray
    support: FloatArray
    slope: FloatArray | None = None
    gaps: tuple[Gap, ...] = ()
    missing: Missing | None = None
    distribution: Histogram

    def __repr__(self) -> str:
        span = f"{self.x[0]} to {self.x[-1]}" if self.explained else "nothing"
        return f"<NumericEffect: {self.feature} on {self.target}, {span}, {_counts(self)}>"

    @property
    def positions(self) -> FloatArray:
        """The values as numbers: `x` itself, or days since 1970 for dates."""
        if self.x.dtype.kind == "M":
            return self.x.astype("datetime64[us]").astype(np.int64) / 86_400e6
        return self.x

    def position(self, value: Any) -> float:
        """Return a value of the column as a number, as `positions` does.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> pb.effect(d.table, "y", "x1").position(0.5)
        0.5
        """
        if self.x.dtype.kind == "M":
            return float(np.datetime64(value, "us").astype(np.int64) / 86_400e6)
        return float(value)

    def summary(self) -> str:
        """Say in a sentence what the column goes with.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> pb.effect(d.table, "weight", "height").summary()  # doctest: +ELLIPSIS
        'Each extra 1 of height goes with about 10 more weight ...'
        """
        return numeric_sentence(self)

    @property
    def missing_effect(self) -> float | None:
        """What rows without a value of the column go with, on the scale of the curve."""
        return None if self.missing is None else self.missing.effect

    def _missing_value(self) -> list[float]:
        return [] if self.missing is None else [self.missing.effect]

    def anchored(
        self, where: Literal["left", "mean", "zero_at"], value: Any = None
    ) -> NumericEffect:
        """Return the curve relative to another point, intervals included.

        Parameters
        ----------
        where : {"left", "mean", "zero_at"}
            Zero at the leftmost point, on average over the rows, or at `value`.
        value : number or date, optional
            Where the curve is to be zero.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(500, seed=0)
        >>> curve = pb.effect(d.table, "y", "x1").anchored("left")
        >>> float(curve.effect[0]), float(curve.upper[0])
        (0.0, 0.0)
        """
        if not self.explained:
            raise errors.no_covariance()
        if where == "mean" and self.mass is not None:
            rest = [] if self.missing is None else [1 - float(self.mass.sum())]
            moved = self._moved(np.append(self.mass, rest))
        elif where == "left":
            moved = self._moved(np.eye(len(self.effect))[0])
        elif where == "zero_at":
            moved = self._moved(self._weights_at(value))
        else:
            raise errors.bad_choice("where", where, ["left", "mean", "zero_at"])
        return replace(moved, missing=self._missing_after(moved))

    def _weights_at(self, value: Any) -> FloatArray:
        """Return the weights that interpolate the curve at a value, shape (m,)."""
        axis = self.positions
        try:
            at = self.position(value)
        except (TypeError, ValueError):
            at = np.nan
        if not axis[0] <= at <= axis[-1]:
            raise errors.off_the_curve(self.feature, value, self.x[0], self.x[-1])
        return np.array([np.interp(at, axis, unit) for unit in np.eye(len(axis))])

    def _missing_after(self, moved: NumericEffect) -> Missing | None:
        if self.missing is None or moved.covariance is None:
            return None
        effect = self.missing.effect + float(moved.effect[0] - self.effect[0])
        half = intervals(moved.covariance[-1:, -1:], self.conf_level, self.df).pointwise[0]
        return Missing(effect, effect - half, effect + half, self.missing.count)

    def to_frame(self) -> Any:
        """Return the curve as a data frame of the library that the data came in.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> frame = pb.stratpd(d.table, "y", "x1").to_frame()
        >>> list(frame.columns)
        ['x1', 'effect', 'slope', 'support']
        """
        slope = {} if self.slope is None else {"slope": self.slope}
        columns = {**self._columns(), **slope, "support": self.support}
        return make_frame({_unlike(self.feature, columns): self.x, **columns}, self.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve with what is known of its uncertainty, and the rows' distribution below.

        Nothing is shown or saved: that is left to the caller.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> ax = pb.effect(d.table, "y", "x1").plot()
        >>> ax.get_xlabel()
        'x1'
        """
        from paribus.plotting.mpl import plot_numeric

        return plot_numeric(self, ax)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class CategoricalEffect(Effect):
    """What the levels of a category go with, the other columns held still.

    Has all attributes of `Effect` (NaN for a level that could not be compared), and:

    Attributes
    ----------
    levels : tuple
        The levels of the column; ``"(missing)"`` where the value is missing.
    count : int array of shape (m,)
        Rows at each level.
    island : int array of shape (m,), or None
        Levels of one island can be compared with each other, those of different islands cannot;
        0 is the island with the most rows. Each island is centred by itself.
    """

    levels: tuple[Any, ...]
    count: IntArray
    island: IntArray | None = None

    def __repr__(self) -> str:
        n_levels = f"{len(self.levels):,} levels"
        return f"<CategoricalEffect: {self.feature} on {self.target}, {n_levels}, {_counts(self)}>"

    def summary(self) -> str:
        """Say in a sentence what the levels go with.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> pb.effect(d.table, "weight", "pregnant").summary()  # doctest: +ELLIPSIS
        'pregnant = True goes with about 40 more weight than False ...'
        """
        return level_sentence(self)

    def anchored(
        self, where: Literal["left", "mean", "zero_at"], value: Any = None
    ) -> CategoricalEffect:
        """Return the effects relative to the first level, the mean over the rows, or a level.

        Levels that cannot be compared with it stay as they are.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> bars = pb.effect(d.table, "temperature", "state").anchored("zero_at", "CA")
        >>> bars.levels[1], float(bars.effect[1])
        ('CA', 0.0)
        """
        if not self.explained or where not in ("left", "mean", "zero_at"):
            raise errors.bad_choice("where", where, ["left", "mean", "zero_at"])
        if where == "mean":
            value = self.levels[int(np.argmax(self.count))]
        elif where == "left":
            value = self.levels[0]
        if value not in self.levels:
            raise errors.unknown_level(self.feature, value, self.levels)
        at = self.levels.index(value)
        among = self._comparable(at)
        if where == "mean":
            shares = np.where(among, self.count, 0) / self.count[among].sum()
            return self._moved(shares, among)
        return self._moved(np.eye(len(self.levels))[at], among)

    def _comparable(self, at: int) -> BoolArray:
        """Return the levels (m,) that can be compared with one of them."""
        known = ~np.isnan(self.effect)
        return known if self.island is None else known & (self.island == self.island[at])

    def to_frame(self) -> Any:
        """Return the levels as a data frame of the library that the data came in.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> frame = pb.catstratpd(d.table, "temperature", "state").to_frame()
        >>> list(frame.columns)
        ['state', 'effect', 'count']
        """
        island = {} if self.island is None else {"island": self.island}
        columns = {**self._columns(), "count": self.count, **island}
        name = _unlike(self.feature, columns)
        return make_frame({name: list(self.levels), **columns}, self.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a dot with its interval a level, or a bar with its trials.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> ax = pb.catstratpd(d.table, "temperature", "state").plot()
        >>> ax.get_ylabel()
        'temperature, difference from the mean'
        """
        from paribus.plotting.mpl import plot_categorical

        return plot_categorical(self, ax)


def _counts(effect: Effect) -> str:
    return f"{effect.n_used:,} of {effect.n_rows:,} rows used, {len(effect.notes)} notes"


def _unlike(name: str, taken: Mapping[str, Any]) -> str:
    """Return the feature's name, told apart from the columns beside it."""
    return f"{name} (value)" if name in taken else name
