"""The effect of one column: what numbers and categories have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paribus.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from paribus.base.notes import Note, Remedy, python_advice
from paribus.estimate.bands import (
    Intervals,
    intervals_where,
    normal_quantile,
    student_quantile,
    wide_of_many,
)
from paribus.results import errors as result_errors
from paribus.results import show, words
from paribus.results.contrast import Contrast, contrast_of
from paribus.results.parts import Absorbed, Differs, Influential, Missing, Scatter
from paribus.results.questions import Questions
from paribus.results.scales import contrast_in_unit, in_logs, in_per_cent, is_ratio, limits_of
from paribus.results.stored import Stored
from paribus.table.columns import Backend, make_frame

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

    from paribus.results.by_group import ByGroup
    from paribus.results.evidence import RowsBehind
    from paribus.results.regions import Regions

NO_EFFECT = 0.05  # above this p-value no effect is claimed
NEGLIGIBLE = 1e-6  # an impact of less than this share is rounding
HARDLY = 0.01  # with less than this share of its variance left, a column hardly varies


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Effect(Questions, Stored, ABC):
    """What the target goes with along one column, the others held still; base of both kinds.

    Attributes
    ----------
    feature, target : str
        Column names.
    method : str
        How it was found: ``"least_squares"``, ``"slopes"``, ``"stratpd"``, ``"catstratpd"``; for a
        model ``"fpd"``, ``"ice"``, ``"ale"``, ``"shap"``.
    unit : str
        Unit of the effect if it is not the target's own: ``"percentage points"``, or for ratios
        ``"%"`` or ``"% of the odds"``.
    reference : str
        The value or level that effects are differences from; empty for the mean over the rows.
    effect : float array of shape (m,)
    lower, upper : float array of shape (m,), or None
        Pointwise interval.
    band_lower, band_upper : float array of shape (m,), or None
        Band that contains the whole curve, or all levels, at once.
    conf_level : float
        Confidence level of interval and band, usually 0.95.
    influential : tuple of Influential
        Rows without which some point would move by more than its standard error.
    differs : Differs or None
        How the effect differs from row to row; None where no difference was found.
    by : ByGroup or None
        The effect in each group of rows, if `by` was given.
    covariance : float array of shape (m, m) or (m + 1, m + 1), or None
        Of `effect`; the last row is the point of the missing values, if there is one. For effects
        in per cent it is the covariance of their logarithms, times a hundred: see `linear`. None
        for very many levels: `covariance_of` gives any part of it.
    covariance_root : float array of shape (m, r), or None
        For very many levels, a root of the covariance: ``root @ root.T``.
    df : float array of shape (m,), or None
        Degrees of freedom of the standard errors; None for the normal distribution.
    row_share : float array of shape (m,), or None
        Share of the rows at each point.
    marginal : float array of shape (m,), or None
        Mean of the target at each point with nothing held still, relative to the overall mean.
    trials : float array of shape (n_trials, m), or None
        Bootstrap trials of the paper's algorithms, or a model's curves for single rows.
    scatter : Scatter or None
        Values of single rows, if the method has them.
    n_rows, n_used : int
        Rows with a target value; rows that took part in a comparison.
    n_held : int or None
        How many columns are held still, where known.
    held : tuple of str
        Their names, where known.
    share_left : float
        Share of the column's variance that is left with the others held still; NaN if not known.
    neighbours_alike : float
        Correlation of the errors of rows next to each other in the table, where it makes intervals
        too narrow; 0 where it does not.
    impact, share : float
        Mean absolute effect over the rows that have a value, corrected for what noise adds to it,
        and its share among the columns explained together.
    p_value : float
        Of "no effect at all".
    group : tuple of str
        The columns that are explained as one, this one first; empty where it is alone.
    along : tuple of str
        The columns that moved along while it was explained.
    tied : bool
        Whether they moved because they cannot be held still, not because this was asked for.
    twins : tuple of str
        Columns that this one cannot be separated from.
    absorbed_by : tuple of Absorbed
        Held columns that take most of the effect away, with the impact with and without each.
    notes : tuple of Note
        Caveats.
    """

    feature: str
    target: str
    method: str
    unit: str = ""
    reference: str = ""
    effect: FloatArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    band_lower: FloatArray | None = None
    band_upper: FloatArray | None = None
    conf_level: float = np.nan
    influential: tuple[Influential, ...] = ()
    differs: Differs | None = None
    by: ByGroup | None = None
    covariance: FloatArray | None = None
    covariance_root: FloatArray | None = None
    df: FloatArray | None = None
    row_share: FloatArray | None = None
    marginal: FloatArray | None = None
    trials: FloatArray | None = None
    scatter: Scatter | None = None
    n_rows: int
    n_used: int
    n_held: int | None = None
    held: tuple[str, ...] = ()
    share_left: float = np.nan
    neighbours_alike: float = 0.0
    impact: float = np.nan
    share: float = np.nan
    p_value: float = np.nan
    group: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    tied: bool = False
    twins: tuple[str, ...] = ()
    absorbed_by: tuple[Absorbed, ...] = ()
    notes: tuple[Note, ...] = ()
    backend: Backend | None = None
    _rerun: Callable[..., Any] | None = None
    _behind: Callable[[], RowsBehind] | None = None

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    is_curve: ClassVar[bool]  # whether neighbouring points are joined, as along an axis

    @property
    def n_ignored(self) -> int:
        """Rows that took part in no comparison."""
        return self.n_rows - self.n_used

    @property
    def explained(self) -> bool:
        """Whether there is anything to show."""
        return len(self.effect) > 0

    @property
    def rows_are_known(self) -> bool:
        """Whether the rows it was estimated from are available; not for a stored effect."""
        return self._behind is not None

    @property
    def is_round(self) -> bool:
        """Whether the column runs in a circle, as the hours of a day do."""
        return False

    @property
    def trend(self) -> float:
        """The average slope of a curve; 0 for levels, which have none."""
        return 0.0

    @property
    def is_dated(self) -> bool:
        """Whether the values of the column are dates."""
        return False

    @property
    def unclear(self) -> bool:
        """Whether these rows do not show that there is an effect at all."""
        return self.p_value > NO_EFFECT

    @property
    def hardly_varies(self) -> bool:
        """Whether the other columns, held still, leave the column next to nothing to vary."""
        return self.share_left < HARDLY

    @property
    def unidentified(self) -> bool:
        """Whether the column takes no share because too little of it is left to vary."""
        return self.share == 0 and self.hardly_varies

    @property
    def regions(self) -> Regions | None:
        """Where the effect differs, in words; None where no difference is sure."""
        return None if self.differs is None else self.differs.regions

    @property
    def negligible(self) -> bool:
        """Whether the impact is rounding beside those of the other columns."""
        return 0 < self.share < NEGLIGIBLE

    @property
    def standard_error(self) -> FloatArray | None:
        """Standard error of each point, shape (m,); None where there are no intervals."""
        error = self._linear_error
        if error is None or not is_ratio(self.unit):
            return error
        return error * (1 + self.effect / 100)

    @property
    def linear(self) -> FloatArray:
        """The effect on an additive scale, shape (m,): itself, or 100 times the log of a ratio."""
        return self.as_linear(self.effect)

    def as_linear(self, shown: FloatArray) -> FloatArray:
        """Return effects of this unit on the scale of `linear`.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> d = pb.datasets.body_weight(500, seed=0)
        >>> height = pb.effect(d.table, "weight", "height", target_scale="log")
        >>> height.as_linear(np.array([0.0, 100.0])).round(1).tolist()
        [0.0, 69.3]
        """
        return in_logs(shown) if is_ratio(self.unit) else shown

    @property
    def _linear_error(self) -> FloatArray | None:
        """Standard error of `linear`."""
        if self.lower is None or self.upper is None:
            return None
        if self.covariance is not None:
            return np.sqrt(np.maximum(np.diag(self.covariance)[: len(self.effect)], 0.0))
        df = np.inf if self.df is None else self.df
        low, high = self.as_linear(self.lower), self.as_linear(self.upper)
        half = np.maximum(high - self.linear, self.linear - low)  # one of them may be cut
        return half / student_quantile(self.conf_level, np.asarray(df))

    @property
    @abstractmethod
    def axis(self) -> AnyArray | list[Any]:
        """The values or levels (m,) of the column, for a table."""

    @property
    @abstractmethod
    def positions(self) -> FloatArray:
        """Positions of the points on an axis, shape (m,)."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The m values or levels as text."""

    @property
    @abstractmethod
    def pieces(self) -> IntArray:
        """Which part (m,) each point belongs to; points of a part are comparable. -1 for none."""

    @property
    @abstractmethod
    def weights(self) -> FloatArray:
        """Share of the rows at each point, shape (m,); equal shares where that is not known."""

    @property
    def missing(self) -> Missing | None:
        """The point of the rows without a value, where it is not a level of its own."""
        return None

    @abstractmethod
    def values_at(self, other: Effect) -> FloatArray:
        """Return the effect at the points or levels (m,) of another, NaN where it has none."""

    @abstractmethod
    def between(self, a: Any, b: Any) -> Contrast:
        """Return the difference between two places: the effect at `b` less that at `a`."""

    @abstractmethod
    def relative_to(self, reference: Any) -> Effect:
        """Return the effect relative to a value, a level, or the mean."""

    @abstractmethod
    def summary(self) -> str:
        """Say in a sentence what the column goes with."""

    def remarks(self, advice: Callable[[Remedy], str] | None = None) -> list[str]:
        """Return what is shown below the sentence: regions, notes, and what can be done about them.

        For a column that could not be explained, the sentence is itself a note, and only what can
        be done about it remains.

        Parameters
        ----------
        advice : function of a Remedy, optional
            How to word a remedy; as an argument in Python by default.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> k = np.arange(200)
        >>> data = {"cm": k % 9, "mm": 10 * (k % 9), "y": np.sin(k)}
        >>> pb.effect(data, "y", "cm", tidy=False).remarks()
        ["Leave 'mm' out, or pass together=['mm'] to move it along."]
        """
        advice = python_advice if advice is None else advice
        if self.explained:
            taken = [words.absorbed(self, by, advice) for by in self.absorbed_by]
            where = [] if self.regions is None else [str(self.regions)]
            return [*where, *taken, *(note.with_advice(advice) for note in self.notes)]
        return [advice(note.remedy) for note in self.notes if note.remedy is not None]

    def __str__(self) -> str:
        """Return the sentence, the main numbers and the notes."""
        from paribus.results.text import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        """Show the effect in a notebook."""
        return show.compact.effect_html(self)

    def to_frame(self) -> Any:
        """Return the curve or the levels as a data frame of the library that the data came in.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> list(pb.stratpd(d.table, "y", "x1").to_frame().columns)
        ['x1', 'effect', 'slope', 'support']
        >>> d = pb.datasets.weather(seed=0)
        >>> list(pb.catstratpd(d.table, "temperature", "state").to_frame().columns)
        ['state', 'count', 'effect']
        """
        columns = self._columns()
        return make_frame({words.unlike(self.feature, columns): self.axis, **columns}, self.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the effect with matplotlib: a curve, or a dot for each level, with its uncertainty.

        Showing or saving it is left to the caller.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> ax = pb.effect(d.table, "y", "x1").plot()
        >>> ax.get_xlabel()
        'x1'
        """
        return show.mpl.plot_effect(self, ax)

    def chart(self) -> alt.LayerChart:
        """Draw the effect with Altair (extra ``report``), with values under the pointer.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> chart = pb.effect(d.table, "temperature", "state").chart()
        >>> chart.to_dict()["width"]
        460
        """
        return show.marks.for_notebook(show.vega.chart_of(self))

    def contrast(self, weights: FloatArray) -> Contrast:
        """Return the linear function of the effect with the given weights, shape (m,).

        For effects in per cent it is a function of their logarithms, and the result is in per cent.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> bars = pb.effect(d.table, "temperature", "state")
        >>> apart = bars.contrast(np.array([1.0, -1, 0, 0, 0]))
        >>> apart.value == float(bars.effect[0] - bars.effect[1])
        True
        """
        value = float(weights @ np.nan_to_num(self.linear))
        among = self.covariance_of(np.flatnonzero(weights))
        carried = weights[weights != 0]
        variance = np.nan if among is None else max(float(carried @ among @ carried), 0.0)
        df = np.inf if self.df is None else float(self.df[weights != 0].min(initial=np.inf))
        found = contrast_of(value, float(np.sqrt(variance)), self.conf_level, df)
        return contrast_in_unit(found, self.unit, weights)

    def _apart(self, first: int, second: int) -> Contrast:
        """Return the difference between two points: the second less the first."""
        weights: FloatArray = np.zeros(len(self.effect))
        weights[second] += 1
        weights[first] -= 1
        return self.contrast(weights)

    def covariance_of(self, at: IntArray) -> FloatArray | None:
        """Return the covariance (k, k) of `linear` at some points (k,); None without intervals.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> pb.effect(d.table, "temperature", "state").covariance_of(np.array([0, 2])).shape
        (2, 2)
        """
        if self.covariance is not None:
            return self.covariance[np.ix_(at, at)]
        if self.covariance_root is not None:
            return self.covariance_root[at] @ self.covariance_root[at].T
        error = self._linear_error
        return None if error is None else np.diag(np.nan_to_num(error[at]) ** 2)

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return everything that has a value at each point, by name, for a table."""

    def _sides(self) -> dict[str, Any]:
        """Return the effect and the intervals that it has, by name."""
        names = ("effect", "standard_error", "lower", "upper", "band_lower", "band_upper")
        return {n: getattr(self, n) for n in names if getattr(self, n) is not None}

    def _moved(self, weights: FloatArray, among: BoolArray | None = None) -> Self:
        """Return the effect relative to its mean under `weights`, summing to one.

        `weights` have shape (m,), or (m + 1,) with that of the missing values last; only the
        points `among` (m,) are moved, all by default.
        """
        spread = self.covariance if self.covariance_root is None else self.covariance_root
        if spread is None or not self.explained:
            raise result_errors.no_covariance()
        m, size = len(self.effect), len(spread)
        weights = np.append(weights, np.zeros(size - len(weights)))
        moves = np.ones(size)
        if among is not None:
            moves[:m] = among
        spread = spread - np.outer(moves, weights @ spread)
        if self.covariance_root is None:
            spread = spread - np.outer(spread @ weights, moves)
        limits = limits_of(self.unit)
        effect = np.clip(self.linear - moves[:m] * self._mean_under(weights), *limits)
        moved = {"effect": effect, **self._spans(spread, ~np.isnan(effect)).around(effect, limits)}
        if self.marginal is not None:
            at = weights[:m] != 0
            level = float(weights[:m][at] @ self.as_linear(self.marginal[at]))
            moved["marginal"] = self.as_linear(self.marginal) - moves[:m] * level
        if is_ratio(self.unit):
            moved = {name: in_per_cent(value) for name, value in moved.items()}
        if self.covariance_root is None:
            return replace(self, covariance=spread, **moved)
        return replace(self, covariance_root=spread, **moved)

    def _mean_under(self, weights: FloatArray) -> float:
        """Return the mean of `linear` under weights (m,), or (m + 1,) with the missing values."""
        values = np.append(self.linear, self.values_beside)[: len(weights)]
        return float(weights[weights != 0] @ values[weights != 0])

    def _spans(self, spread: FloatArray, known: BoolArray) -> Intervals:
        """Return half-widths (m,) from a covariance or its root, NaN where nothing is known."""
        m = len(known)
        if self.covariance_root is None:
            df = np.inf if self.df is None else float(self.df.min())
            return intervals_where(known, spread[:m, :m], self.conf_level, df)
        wider = wide_of_many(self.conf_level, int(known.sum()), np.array(spread.shape[1]))
        half = normal_quantile(self.conf_level) * np.linalg.norm(spread[:m], axis=1)
        half = np.where(known, half, np.nan)
        return Intervals(half, wider * half)

    @property
    def values_beside(self) -> list[float]:
        """`linear` for the rows without a value, if there are any."""
        return []
