"""The referee: does a model's curve stay inside the band found without a model?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paribus.api import Kind, effect
from paribus.base.arrays import FloatArray
from paribus.models import errors as model_errors
from paribus.models.accumulated import ale_of
from paribus.models.match_target import match_target
from paribus.models.predictor import Predictor
from paribus.models.to_effect import lined_up
from paribus.plotting.marks import for_notebook
from paribus.plotting.side_by_side import chart_over, plot_over
from paribus.results import CategoricalEffect, Effect, NumericEffect
from paribus.results.stored import versioned
from paribus.results.told import Told
from paribus.results.words import number, with_unit
from paribus.table.columns import days_to_dates

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

PLACES = 2000  # at which a curve is judged
ROUNDING = 1e-6  # of the effect: less is no departure
MOST_STRETCHES = 3  # in a sentence


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a model's curve leaves the band: from `start` to `stop`, `by` at most."""

    start: Any
    stop: Any
    side: str
    by: float


@dataclass(frozen=True, slots=True, eq=False)
class Verdict(Told):
    """A model's curve over our band.

    Attributes
    ----------
    ours : NumericEffect or CategoricalEffect
        The effect found without a model, with its band.
    model : NumericEffect or CategoricalEffect
        The model's accumulated local effects, shifted to the level of ours.
    name : str
        The model's name.
    share : float
        Share of the rows at whose x, or level, the model is outside the band.
    share_of_axis : float
        The same by length of the axis between the 1 % and 99 % quantile; for a category, the
        share of its levels.
    stretches : tuple of Stretch
        Where it is outside, the widest departure first.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(1000, sigma=0.5, seed=0)
    >>> class Line:
    ...     def predict(self, X):
    ...         return X["x1"] + X["x2"]
    >>> verdict = referee(Line(), dict(d.X), d.y, "x1", name="the line")
    >>> verdict.summary()  # doctest: +ELLIPSIS
    'By ALE, the line leaves the 95 % band of x1 at ... % of the rows: from ...'
    """

    ours: Effect
    model: Effect
    name: str
    share: float
    share_of_axis: float
    stretches: tuple[Stretch, ...]

    def __repr__(self) -> str:
        return f"<Verdict on {self.name}: {self.ours.feature}, {100 * self.share:.0f} % outside>"

    def summary(self) -> str:
        """Say in words where the model leaves the band."""
        sure, feature = number(100 * self.ours.conf_level), self.ours.feature
        band = f"the {sure} % band of {feature}"
        if not self.stretches:
            return f"By ALE, {self.name} stays inside {band} everywhere."
        where = "; ".join(_in_words(self.ours, s) for s in self.stretches[:MOST_STRETCHES])
        left = len(self.stretches) - MOST_STRETCHES
        more = f"; and in {left} more place{'' if left == 1 else 's'}" if left > 0 else ""
        share = f"{number(100 * self.share)} % of the rows"
        return f"By ALE, {self.name} leaves {band} at {share}: {where}{more}."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return versioned("Verdict", self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the model's curve over our band with matplotlib."""
        return plot_over(self.ours, self.model, self._label(), self.stretches, ax)

    def chart(self) -> alt.LayerChart:
        """Draw the model's curve over our band with Altair (extra ``report``)."""
        return for_notebook(chart_over(self.ours, self.model, self._label()))

    def _label(self) -> str:
        return f"{self.name}: ALE, {100 * self.share:.0f} % of the rows outside"


def referee(
    model: Any,
    data: Any,
    target: Any,
    feature: str,
    *,
    bins: int = 40,
    kind: Kind | None = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
    name: str = "the model",
    seed: int = 0,
) -> Verdict:
    """Lay a fitted model's accumulated local effects over the band found without a model.

    Parameters
    ----------
    model : object
        A fitted model with ``predict`` or ``predict_proba``.
    data, target, feature, class_, names, seed
        As in `effect`; less the target, `data` is what the model takes.
    bins : int
        Bins of the model's curve, at most.
    kind : {"numeric", "categorical"}, optional
        How to take the column.
    name : str
        What to call the model.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = X[:, 0] ** 2 + X[:, 1]
    >>> verdict = referee(LinearRegression().fit(X, y), X, y, "x0")
    >>> bool(verdict.share > 0.5)  # a line is no parabola
    True
    """
    kinds = {} if kind is None else {feature: kind}
    ours = effect(
        data, target, feature, kind=kinds, class_=class_, names=names, seed=seed, tidy=False
    )
    predictor, _ = match_target(model, data, target, class_=class_, names=names)
    column = predictor.column(feature, kind)
    return judge(ours, ale_of(predictor, column, bins=bins), predictor, name)


def can_judge(ours: Effect, model: Effect) -> bool:
    """Tell whether there is a band to judge by, of the same kind of effect."""
    return ours.explained and ours.band_lower is not None and ours.is_curve == model.is_curve


def judge(ours: Effect, model: Effect, predictor: Predictor, name: str) -> Verdict:
    """Compare a model's effect with our band."""
    if not can_judge(ours, model):
        silent = model if ours.explained else ours
        raise model_errors.no_band(ours.feature, " ".join(map(str, silent.notes[-1:])))
    if ours.is_curve:
        curves = cast(NumericEffect, ours), cast(NumericEffect, model)
        return _judge_curve(*curves, predictor, name)
    return _judge_levels(ours, model, name)


def _judge_curve(
    ours: NumericEffect, model: NumericEffect, predictor: Predictor, name: str
) -> Verdict:
    values = predictor.table[ours.feature].as_number().values
    rows = np.quantile(values[~np.isnan(values)], np.linspace(0, 1, PLACES), method="nearest")
    first, last = np.quantile(rows, [0.01, 0.99]).tolist()
    axis = np.linspace(first, last, PLACES)
    height = _heights(ours, model, rows)
    by_rows, by_axis = (_excess(ours, model, height, at) for at in (rows, axis))
    moved = model.at(model.positions) + height[ours.pieces_at(model.positions)]
    return Verdict(
        ours, replace(model, effect=moved), name, _share(by_rows), _share(by_axis),
        _stretches(ours, rows, by_rows),
    )  # fmt: skip


def _judge_levels(ours: Effect, model: Effect, name: str) -> Verdict:
    theirs = lined_up(ours.effect, model.values_at(ours), ours.weights, ours.pieces)
    excess = _outside(ours, theirs, ours.band_lower, ours.band_upper)
    ours, model = cast(CategoricalEffect, ours), cast(CategoricalEffect, model)
    levels, count = ours.levels, ours.count
    away = np.flatnonzero(np.nan_to_num(excess))
    stretches = [_stretch(levels[k], levels[k], excess[k : k + 1]) for k in away]
    moved = replace(
        model, effect=theirs, levels=levels, count=count, trials=None, scatter=None, row_share=None
    )
    return Verdict(
        ours, moved, name, _share(excess, count), _share(excess), _widest_first(stretches)
    )


def _heights(ours: NumericEffect, model: NumericEffect, rows: FloatArray) -> FloatArray:
    """Return what lifts the model's curve to ours, piece by piece; the last, for gaps, is NaN."""
    difference, piece = ours.at(rows) - model.at(rows), ours.pieces_at(rows)
    known = ~np.isnan(difference)
    parts = [difference[known & (piece == k)] for k in range(len(ours.gaps) + 1)]
    return np.array([part.mean() if len(part) else np.nan for part in parts] + [np.nan])


def _excess(
    ours: NumericEffect, model: NumericEffect, height: FloatArray, at: FloatArray
) -> FloatArray:
    """Return how far the model is above (+) or below (-) the band at places (k,), 0 inside."""
    theirs = model.at(at) + height[ours.pieces_at(at)]
    band = (cast(FloatArray, side) for side in (ours.band_lower, ours.band_upper))
    low, high = (np.interp(at, ours.positions, side) for side in band)
    return _outside(ours, theirs, low, high)


def _outside(
    ours: Effect, theirs: FloatArray, low: FloatArray | None, high: FloatArray | None
) -> FloatArray:
    # Where data have no noise the band has no width: rounding must not count as leaving it.
    slack = ROUNDING * float(np.nanmax(np.abs(ours.effect)))
    above, below = theirs - cast(FloatArray, high), theirs - cast(FloatArray, low)
    inside = np.where(np.isnan(above + below), np.nan, 0.0)
    return np.where(above > slack, above, np.where(below < -slack, below, inside))


def _share(excess: FloatArray, weight: Any = None) -> float:
    known = ~np.isnan(excess)
    if not known.any():
        return float("nan")
    weights = None if weight is None else weight[known]
    return float(np.average(excess[known] != 0, weights=weights))


def _stretches(ours: NumericEffect, at: FloatArray, excess: FloatArray) -> tuple[Stretch, ...]:
    """Put neighbouring places (k,) outside the band, on one side of it, together."""
    side = np.sign(np.nan_to_num(excess))
    starts = np.flatnonzero(np.diff(side, prepend=0.0))
    points = np.append(starts, len(side))[1:]
    found = [
        _stretch(_shown(ours, at[i]), _shown(ours, at[j - 1]), excess[i:j])
        for i, j in zip(starts, points, strict=True)
        if side[i]
    ]
    return _widest_first(found)


def _stretch(start: Any, stop: Any, excess: FloatArray) -> Stretch:
    side = "above" if excess[0] > 0 else "below"
    return Stretch(start, stop, side, float(np.abs(excess).max()))


def _widest_first(found: list[Stretch]) -> tuple[Stretch, ...]:
    return tuple(sorted(found, key=lambda s: -s.by))


def _shown(ours: NumericEffect, at: float) -> Any:
    return days_to_dates(np.array([at])).item() if ours.is_dated else float(at)


def _in_words(ours: Effect, s: Stretch) -> str:
    by = f"up to {with_unit(s.by, ours.unit)} {s.side} it"
    if s.start == s.stop:
        return f"{ours.feature} = {_written(s.start)}, {by}"
    return f"from {_written(s.start)} to {_written(s.stop)}, {by}"


def _written(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
