"""How the effect of one column changes along another: its slope by the moderator's value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from paribus.estimate.bands import intervals
from paribus.estimate.testing import quadratic_p_value
from paribus.results import errors as result_errors
from paribus.results import show
from paribus.results.contrast import Contrast, contrast_from
from paribus.results.parts import SURE
from paribus.results.scales import possible
from paribus.results.sentences import natural_step
from paribus.results.shape import share_of_steps
from paribus.results.told import Told
from paribus.results.words import p_words, places, quantity, with_unit
from paribus.table.columns import Backend, dates_to_days, make_frame

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

    from paribus.results.joint import JointEffect

SLOPE = "each extra 1"
ENDS = 0.025  # share of the rows at either end of the moderator that is not shown
SHARED = 0.5  # minimum share of the rows that lie where slopes are averaged
ROUNDING = 1e-6  # of the largest slope: the least standard error, even without noise


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class SlopeBy(Told):
    """How the effect of a column changes along another: one line, or one for each level.

    Attributes
    ----------
    feature, moderator : str
    target, unit : str
    at : array of shape (m,)
        Values of the moderator.
    compared : tuple of k str
        What each line is about: for a number ``"each extra 1"``, its slope averaged over the values
        that occur at every value of the moderator; for a category ``"North rather than South"``, a
        line for each level but the commonest.
    value, lower, upper : float arrays of shape (k, m)
        With the pointwise interval; NaN where there are no rows.
    covariance : float array of shape (k, m, m)
    share : float array of shape (m,)
        Share of the rows at each value of the moderator.
    p_value : float
        Of "it is the same everywhere".
    df, conf_level : float
    step : float
        The step of the column in which sentences and pictures give slopes.
    step_words : str

    Examples
    --------
    >>> import numpy as np, paribus as pb
    >>> rng = np.random.default_rng(0)
    >>> a, b, z = rng.uniform(-1, 1, (3, 2000))
    >>> data = {"a": a, "b": b, "z": z}
    >>> e = pb.effect(data, 3 * a * b + z + 0.1 * rng.normal(size=2000), "a")
    >>> slopes = e.slope_by("b")
    >>> slopes
    <SlopeBy: a along b, on y, 14 points>
    >>> bool(np.abs(slopes.value[0] - 3 * slopes.at).max() < 0.1)
    True
    """

    feature: str
    moderator: str
    target: str
    unit: str
    at: AnyArray
    compared: tuple[str, ...]
    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    covariance: FloatArray
    share: FloatArray
    p_value: float
    df: float
    conf_level: float
    step: float = 1.0
    step_words: str = ""
    backend: Backend | None = None

    def __repr__(self) -> str:
        where = f"{self.feature} along {self.moderator}, on {self.target}"
        return f"<SlopeBy: {where}, {len(self.at)} points>"

    @property
    def labels(self) -> tuple[str, ...]:
        """The values of the moderator as text."""
        return places(self.at, float(np.ptp(as_days(self.at))))

    @property
    def lines(self) -> tuple[str, ...]:
        """What each line is about, in the steps used in pictures."""
        return (f"each {self.step_words}",) if self.step_words else self.compared

    def between(self, first: Any, second: Any, line: int = 0) -> Contrast:
        """Return by how much it is larger at the second value of the moderator than at the first.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> slopes = pb.effect(d.table, "weight", "height").slope_by("education")
        >>> slopes.between(11, 14).may_be_zero
        True
        """
        low, high = (weights_at(self.moderator, self.at, value) for value in (first, second))
        return contrast_from(
            high - low, self.value[line], self.covariance[line], self.conf_level, self.df
        )

    def summary(self) -> str:
        """Say in a sentence where along the moderator it is least and most."""
        if not self.p_value < SURE:
            return (
                f"What {self.feature} goes with does not clearly change along {self.moderator} "
                f"({p_words(self.p_value)}), other columns held still."
            )
        line = int(np.argmax(np.sum(~np.isnan(self.value), axis=1)))
        least, most = int(np.nanargmin(self.value[line])), int(np.nanargmax(self.value[line]))
        said = [f"{self._said(line, k)} where {self.moderator} = {self.labels[k]}"
                for k in sorted((least, most))]  # fmt: skip
        start = f"Each {self.step_words} of {self.feature} goes with"
        if not self.step_words:
            named = f"{self.feature} = {self.compared[line]}"
            start = f"With {named}, {quantity(self.target, self.unit)} is"
        return (
            f"{start} {said[0]} and {said[1]}, the two extremes "
            f"along {self.moderator} ({p_words(self.p_value)}), other columns held still."
        )

    def _said(self, line: int, at: int) -> str:
        value = float(self.step * self.value[line, at])
        sides = ("more", "less") if self.step_words else ("higher", "lower")
        target = f" {self.target}" if self.step_words and not self.unit else ""
        return f"{with_unit(abs(value), self.unit)} {sides[int(value < 0)]}{target}"

    def to_frame(self) -> Any:
        """Return all points as a data frame, one row per point and line.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(1000, seed=0)
        >>> slopes = pb.effect(d.table, "weight", "height").slope_by("education")
        >>> list(slopes.to_frame().columns)
        ['education', 'compared', 'value', 'lower', 'upper']
        """
        columns: dict[str, Any] = {
            self.moderator: np.tile(self.at, len(self.compared)),
            "compared": np.repeat(self.compared, len(self.at)),
            **{name: getattr(self, name).ravel() for name in ("value", "lower", "upper")},
        }
        return make_frame(columns, self.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the slope against the moderator with matplotlib, with its interval.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(1000, seed=0)
        >>> ax = pb.effect(d.table, "weight", "height").slope_by("education").plot()
        >>> ax.get_xlabel(), " ".join(ax.get_ylabel().split())
        ('education', 'change in weight for each extra 1 of height')
        """
        return show.lines.plot_lines(show.joint.slope_lines(self), ax)

    def chart(self) -> alt.LayerChart:
        """Draw the same with Altair (extra ``report``)."""
        return show.marks.for_notebook(show.lines.lines_chart(show.joint.slope_lines(self)))


def as_days(x: AnyArray) -> FloatArray:
    """Return numbers as they are, and dates as days since 1970."""
    return dates_to_days(x) if x.dtype.kind == "M" else x.astype(np.float64)


def weights_at(name: str, x: AnyArray, value: Any) -> FloatArray:
    """Return the weights (m,) of points of a column, numbers or dates, that interpolate a value.

    Examples
    --------
    >>> weights_at("age", np.array([10.0, 20.0, 30.0]), 12).round(1).tolist()
    [0.8, 0.2, 0.0]
    """
    try:
        at = float(as_days(np.array([value], dtype=x.dtype))[0])
    except (TypeError, ValueError):
        at = np.nan
    axis = as_days(x)
    if not axis[0] <= at <= axis[-1]:
        raise result_errors.off_the_curve(name, value, x[0], x[-1])
    return np.array([np.interp(at, axis, unit) for unit in np.eye(len(axis))])


def average_slope_weights(points: FloatArray, share: FloatArray) -> FloatArray:
    """Return the weights (m,) of points that give the slope averaged over the rows.

    See also `share_of_steps`.

    Examples
    --------
    >>> average_slope_weights(np.array([0.0, 1.0, 3.0]), np.array([1, 2, 1]) / 4).tolist()
    [-0.5, 0.25, 0.25]
    """
    step = share_of_steps(share)
    slopes = np.diff(np.eye(len(points)), axis=0) / np.diff(points)[:, None]
    out: FloatArray = step / step.sum() @ slopes
    return out


def against_commonest(levels: Sequence[Any], rows: FloatArray) -> tuple[list[str], FloatArray]:
    """Return the comparisons of all other levels with the commonest: names and weights (k, m).

    Examples
    --------
    >>> against_commonest(["a", "b"], np.array([3.0, 2.0]))
    (['b rather than a'], array([[-1.,  1.]]))
    """
    first, *rest = np.argsort(-rows, kind="stable")
    units = np.eye(len(levels))
    names = [f"{levels[k]} rather than {levels[first]}" for k in sorted(rest)]
    return names, units[sorted(rest)] - units[first]


def slopes_of(both: JointEffect, side: int) -> SlopeBy:
    """Return how the effect of one column of two, 0 or 1, changes along the other, a number."""
    feature, moderator = both.features[side], both.features[1 - side]
    if not both.is_number[1 - side]:
        raise result_errors.moderator_is_no_number(moderator)
    if feature in both.unknown:
        raise result_errors.own_effect_unknown(feature)
    if feature in both.round:
        raise result_errors.runs_in_a_circle(feature)
    turn = np.transpose if side else np.asarray
    effect, count = turn(both.effect), turn(both.count)
    x = both.x2 if side else both.x1
    kept = _inner(count.sum(axis=0))
    if isinstance(x, np.ndarray):
        kept, shared = _shared(effect, count, kept)
        if np.count_nonzero(shared) < 2:
            raise result_errors.no_slopes(moderator, feature)
        weights = np.zeros((1, len(x)))
        share = count[shared].sum(axis=1)
        weights[0, shared] = average_slope_weights(as_days(x)[shared], share / share.sum())
        compared = [SLOPE]
        step, words = natural_step(float(np.ptp(as_days(x)[shared])), dated=x.dtype.kind == "M")
    else:
        compared, weights = against_commonest(x, count.sum(axis=1))
        step, words = 1.0, ""
    return _along(both, side, kept, weights, compared, (step, words))


def _along(
    both: JointEffect,
    side: int,
    kept: IntArray,
    weights: FloatArray,
    compared: list[str],
    step: tuple[float, str],
) -> SlopeBy:
    """Apply weights (k, n) at each of some values of the moderator, `kept` (m,)."""
    turn = np.transpose if side else np.asarray
    at: Any = (both.x1 if side else both.x2)[kept]
    effect, share = turn(both.effect)[:, kept], turn(both.count)[:, kept].sum(axis=0)
    place = turn(np.arange(both.effect.size).reshape(both.effect.shape))[:, kept]
    value = weights @ np.nan_to_num(effect)
    blank = (weights != 0).astype(float) @ np.isnan(effect) > 0
    covariance, half = np.empty((len(weights), len(at), len(at))), np.empty(value.shape)
    for k, own in enumerate(weights):
        used = np.flatnonzero(own)
        rows = np.zeros((len(at), both.effect.size))
        rows[np.arange(len(at)), place[used]] = own[used, None]
        covariance[k] = rows @ both.covariance @ rows.T
        least = ROUNDING * np.nanmax(np.abs(value[k]), initial=0.0)
        covariance[k] += least**2 * np.eye(len(at))
        half[k] = intervals(covariance[k], both.conf_level, both.df).pointwise
    value = np.where(blank, np.nan, value)
    ends = np.stack([value, value - half, value + half])
    for k, own in enumerate(weights):
        ends[:, k] = possible(ends[:, k], both.unit, own)
    share = share / share.sum()
    return SlopeBy(
        feature=both.features[side],
        moderator=both.features[1 - side],
        target=both.target,
        unit=both.unit,
        at=at,
        compared=tuple(compared),
        value=ends[0],
        lower=ends[1],
        upper=ends[2],
        covariance=covariance,
        share=share,
        p_value=_same_p_value(value, share, covariance, both.df),
        df=both.df,
        conf_level=both.conf_level,
        step=step[0],
        step_words=step[1],
        backend=both.backend,
    )


def _same_p_value(value: FloatArray, share: FloatArray, covariance: FloatArray, df: float) -> float:
    """Test that every line (m,) is flat, by the sum of squared distances from its mean."""
    found = []
    for line, own in zip(value, covariance, strict=True):
        weight = np.where(np.isnan(line), 0.0, share)
        centre = np.eye(len(line)) - weight / max(float(weight.sum()), 1e-300)
        gap, spread = centre @ np.nan_to_num(line), centre @ own @ centre.T
        found.append(quadratic_p_value(gap, weight, spread, df))
    return min(1.0, len(found) * min(found))


def _inner(rows: FloatArray) -> IntArray:
    """Return the values of the moderator without the last rows at each end."""
    below = np.cumsum(rows) / rows.sum()
    return np.flatnonzero((below >= ENDS) & (below - rows / rows.sum() <= 1 - ENDS))


def _shared(effect: FloatArray, count: FloatArray, kept: IntArray) -> tuple[IntArray, BoolArray]:
    """Return the values of the moderator, and which points (n,) of the column all of them have.

    Where the two columns are correlated, few points are shared: then values are dropped from the
    end of the moderator that leaves more of them.
    """
    known, share = ~np.isnan(effect), count.sum(axis=1) / count.sum()
    while True:
        shared = np.all(known[:, kept], axis=1)
        if float(share[shared].sum()) >= SHARED or len(kept) <= 2:
            return kept, shared
        left = [
            float(share[np.all(known[:, some], axis=1)].sum()) for some in (kept[1:], kept[:-1])
        ]
        kept = kept[1:] if left[0] > left[1] else kept[:-1]
