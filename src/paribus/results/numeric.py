"""The effect of a column of numbers or dates: a curve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from paribus.base.arrays import AnyArray, FloatArray, IntArray
from paribus.estimate.bands import intervals
from paribus.results import errors as result_errors
from paribus.results import sentences
from paribus.results.base import Effect
from paribus.results.contrast import Contrast
from paribus.results.parts import Gap, Histogram, Missing
from paribus.results.scales import in_logs, in_per_cent, is_ratio, limits_of
from paribus.results.shape import bulk, share_of_steps
from paribus.results.slopes import weights_at
from paribus.results.support import Support, support_at
from paribus.results.words import counts, places
from paribus.table.columns import dates_to_days

FOURFOLD = 4  # from the least value to the greatest: steps may multiply
Per: TypeAlias = float | Literal["doubling"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class NumericEffect(Effect):
    """What the target goes with along a column of numbers or dates, the others held still.

    Has all attributes of `Effect`, and:

    Attributes
    ----------
    x : array of shape (m,)
        Values of the column, ascending; dates for a date column. Between them the curve is
        straight.
    support : float array of shape (m,)
        How much data supports each point: for `stratpd` the number of slopes averaged there, for
        `effect` the number of independent comparisons across it.
    slope : float array of shape (m,), or None
        Change of the target per unit of `x` (per day for dates), from `x` on.
    gaps : tuple of Gap
        Stretches that no comparison spans.
    missing : Missing or None
        The point of the rows without a value of the column.
    distribution : Histogram
        How the rows are distributed.
    per : number, "doubling" or None
        The step in which sentences and slopes are given; by default 1, or a day for dates.
    period : float
        The period of a cyclic column, such as 24 for hours; 0 for others.
    """

    x: AnyArray
    support: FloatArray
    slope: FloatArray | None = None
    gaps: tuple[Gap, ...] = ()
    missing: Missing | None = None
    distribution: Histogram
    per: Per | None = None
    period: float = 0.0

    is_curve: ClassVar[bool] = True

    def __repr__(self) -> str:
        ends = places(self.x[[0, -1]], float(np.ptp(self.positions))) if self.explained else ()
        span = " to ".join(ends) or "nothing"
        return f"<NumericEffect: {self.feature} on {self.target}, {span}, {counts(self)}>"

    @property
    def is_dated(self) -> bool:
        """Whether the values are dates."""
        return bool(self.x.dtype.kind == "M")

    @property
    def is_round(self) -> bool:
        """Whether the column runs in a circle, as the hours of a day do."""
        return self.period > 0

    @property
    def axis(self) -> AnyArray:
        """The values of the column, for a table."""
        return self.x

    @property
    def positions(self) -> FloatArray:
        """The values as numbers: `x` itself, or days since 1970 for dates."""
        return dates_to_days(self.x) if self.is_dated else self.x

    @property
    def run(self) -> FloatArray:
        """The axis along which steps are counted: `positions`, or their logarithm to base 2."""
        return np.log2(self.positions) if self.per == "doubling" else self.positions

    def counted_by(self, per: Per | None) -> NumericEffect:
        """Return the same curve with slopes and sentences given in another step.

        Parameters
        ----------
        per : number, "doubling" or None
            A number of units (of days for dates); ``"doubling"`` for a column whose steps multiply,
            such as an income; None for 1.

        Examples
        --------
        >>> import paribus as pb
        >>> carat = pb.effect(pb.datasets.diamonds().table, "price", "carat", target_scale="log")
        >>> print(carat.counted_by("doubling").average_slope())  # doctest: +ELLIPSIS
        On average, each doubling of carat goes with about ... % more price ...
        """
        is_step = isinstance(per, int | float) and 0 < per < np.inf
        if per is not None and per != "doubling" and not is_step:
            raise result_errors.bad_step(self.feature, per)
        if per == "doubling" and self.explained and (self.is_dated or self.positions[0] <= 0):
            raise result_errors.no_doubling(self.feature, self.x[0])
        return replace(self, per=per)

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as text, with enough digits to tell them apart where most rows lie."""
        first, last = bulk(self.weights, 0.05)
        return places(self.x, float(self.positions[last] - self.positions[first]))

    @property
    def pieces(self) -> IntArray:
        """Which stretch between gaps (m,) each point lies in, -1 inside a gap."""
        return self.pieces_at(self.positions)

    @property
    def weights(self) -> FloatArray:
        """Share of the rows at each point, shape (m,); equal shares where that is not known."""
        if self.row_share is not None:
            return self.row_share
        return np.full(len(self.x), 1 / max(1, len(self.x)))

    def position(self, value: Any) -> float:
        """Return a value of the column as a number, as `positions` does.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> pb.effect(d.table, "y", "x1").position(0.5)
        0.5
        """
        return float(dates_to_days(np.datetime64(value)) if self.is_dated else value)

    def at(self, positions: FloatArray) -> FloatArray:
        """Return the curve at positions on its axis, shape (k,), NaN beyond its ends."""
        if not self.explained:
            return np.full(len(positions), np.nan)
        return np.interp(positions, self.positions, self.effect, left=np.nan, right=np.nan)

    def pieces_at(self, positions: FloatArray) -> IntArray:
        """Return which stretch between gaps each position (k,) lies in, -1 inside a gap."""
        ends = [tuple(map(self.position, (gap.start, gap.stop))) for gap in self.gaps]
        piece = np.searchsorted([stop for _, stop in ends], positions, side="right")
        for start, stop in ends:
            piece[(positions > start) & (positions < stop)] = -1
        return piece

    def values_at(self, other: Effect) -> FloatArray:
        """Return the curve at the points of another, NaN where it has none."""
        if not other.is_curve:
            return np.full(len(other.effect), np.nan)
        return self.at(other.positions)

    def summary(self) -> str:
        """Say in a sentence what the column goes with.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> pb.effect(d.table, "weight", "height").summary()  # doctest: +ELLIPSIS
        'Each extra 1 of height goes with about 10 more weight ...'
        """
        return sentences.numeric_sentence(self)

    def between(self, a: Any, b: Any) -> Contrast:
        """Return the difference between two values: the curve at `b` less the curve at `a`.

        Parameters
        ----------
        a, b : number or date

        Returns
        -------
        Contrast
            With `value`, `se`, `lower`, `upper` and `p_value`; prints as a sentence.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> round(pb.effect(d.table, "weight", "height").between(62, 66).value)
        40
        """
        first, second = self._weights_at(a), self._weights_at(b)
        if len(np.unique(self.pieces_at(np.array([self.position(a), self.position(b)])))) > 1:
            raise result_errors.not_comparable(self.feature, a, b)
        found = self.contrast(second - first)
        return replace(found, sentence=sentences.between_values(self, a, b, found))

    def slope_at(self, value: Any) -> Contrast:
        """Return the slope of the curve at a value: per unit (per day for dates), or as `per` says.

        At one of the points `x` it is the mean of the slopes on both sides.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(2000, seed=0)
        >>> round(pb.effect(d.table, "y", "x1").slope_at(0.5).value)
        1
        """
        self._weights_at(value)
        at, axis = self.position(value), self.positions
        steps = np.array([np.searchsorted(axis, at, side) - 1 for side in ("left", "right")])
        steps = np.unique(steps.clip(0, len(axis) - 2))
        kept = [k for k in steps if k in self._comparable_steps()]
        if not kept:
            raise result_errors.not_comparable(self.feature, self.x[steps[0]], self.x[steps[0] + 1])
        found = self.contrast(np.mean([self._step_weights()[k] for k in kept], axis=0))
        return replace(found, sentence=sentences.slope_at(self, value, found))

    def average_slope(self) -> Contrast:
        """Return the slope averaged over the rows: per unit (per day for dates), or as `per` says.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> round(pb.effect(d.table, "weight", "height").average_slope().value)
        10
        """
        if not self.explained:
            raise result_errors.no_covariance()
        if len(self.x) < 2:
            raise result_errors.one_value(self.feature)
        share, kept = share_of_steps(self.weights), self._comparable_steps()
        found = self.contrast(share[kept] / share[kept].sum() @ self._step_weights()[kept])
        return replace(found, sentence=sentences.average_slope(self, found))

    @property
    def trend(self) -> float:
        """The average slope; 0 for a single point."""
        return self.average_slope().value if len(self.x) > 1 else 0.0

    def _comparable_steps(self) -> IntArray:
        """Return the steps between neighbouring points that no gap lies in."""
        piece = self.pieces
        return np.flatnonzero((piece[:-1] == piece[1:]) & (piece[1:] >= 0))

    def _step_weights(self) -> FloatArray:
        """Return the weights that give the slope of each step, shape (m - 1, m)."""
        units = sentences.step_of(self)[0] * np.eye(len(self.x))
        return np.diff(units, axis=0) / np.diff(self.run)[:, None]

    def support_at(self, value: Any) -> Support:
        """Return how many rows, from how many strata, can be compared at a value.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> found = pb.effect(d.table, "weight", "height").support_at(70)
        >>> 0 < found.strata < found.rows < 2000
        True
        """
        self._weights_at(value)
        return support_at(self, self.rows_behind(), self.position(value), str(value))

    def relative_to(self, reference: Any) -> NumericEffect:
        """Return the curve relative to another value, intervals included.

        Parameters
        ----------
        reference : number or date, "mean" or "left"
            Where the curve is zero: at a value, on average over the rows, or at its leftmost
            point.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(500, seed=0)
        >>> curve = pb.effect(d.table, "y", "x1").relative_to("left")
        >>> float(curve.effect[0]), float(curve.upper[0])
        (0.0, 0.0)
        """
        if not self.explained:
            raise result_errors.no_covariance()
        if isinstance(reference, str) and reference == "mean":
            rest = [] if self.missing is None else [1 - float(self.weights.sum())]
            weights, named = np.append(self.weights, rest), ""
        else:
            left = isinstance(reference, str) and reference == "left"
            weights = self._weights_at(self.x[0] if left else reference)
            named = self.labels[0] if left else sentences.written(self, reference)
        moved = self._moved(weights)
        return replace(moved, missing=self._missing_after(moved, weights), reference=named)

    def _weights_at(self, value: Any) -> FloatArray:
        """Return the weights that interpolate the curve at a value, shape (m,)."""
        if not self.explained:
            raise result_errors.no_covariance()
        return weights_at(self.feature, self.x, value)

    @property
    def values_beside(self) -> list[float]:
        """`linear` for the rows without a value, if there are any."""
        if self.missing is None:
            return []
        return [in_logs(self.missing.effect) if is_ratio(self.unit) else self.missing.effect]

    def _missing_after(self, moved: NumericEffect, weights: FloatArray) -> Missing | None:
        if self.missing is None or moved.covariance is None:
            return None
        effect = self.values_beside[0] - self._mean_under(weights)
        df = np.inf if self.df is None else float(self.df.min())
        half = intervals(moved.covariance[-1:, -1:], self.conf_level, df).pointwise[0]
        ends = np.clip([effect, effect - half, effect + half], *limits_of(self.unit))
        value, lower, upper = (in_per_cent(ends) if is_ratio(self.unit) else ends).tolist()
        return Missing(value, lower, upper, self.missing.count)

    def _columns(self) -> dict[str, Any]:
        slope = {} if self.slope is None else {"slope": self.slope}
        return {**self._sides(), **slope, "support": self.support}


def may_double(e: NumericEffect) -> bool:
    """Tell whether a column's values are positive and span at least a factor of four."""
    at = e.positions
    return e.explained and not e.is_dated and bool(at[0] > 0 and at[-1] >= FOURFOLD * at[0])
