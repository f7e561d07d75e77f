"""The effect of one column: what both kinds have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from paribus.base import errors
from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.base.notes import Note
from paribus.estimate.bands import intervals
from paribus.results import stored as store
from paribus.results.parts import Cloud, Differs, Gap, Histogram, Influential, Missing
from paribus.table.columns import Backend

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

LEAF_SIZES = (5, 10, 20, 40)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Effect(ABC):
    """What one column goes with, the others held still: what both kinds have in common.

    Attributes
    ----------
    feature, target : str
        Column names.
    method : str
        How it was found: ``"least_squares"``, ``"slopes"``, ``"stratpd"``, ``"catstratpd"``; of a
        model ``"fpd"``, ``"ice"``, ``"ale"``, ``"shap"``.
    unit : str
        Unit of the effect where it is not the target's own: ``"percentage points"``.
    effect : float array of shape (m,)
    lower, upper : float array of shape (m,), or None
        Pointwise interval.
    band_lower, band_upper : float array of shape (m,), or None
        Band that holds the whole curve, or all levels, at once.
    conf_level : float
        How sure interval and band are, 0.95 as a rule.
    df : float
        Degrees of freedom of the standard errors: few where rows come in few clusters.
    share_left : float
        Share of the column's variance that is left when the others are held still.
    influential : tuple of Influential
        Rows without which some point would move by more than its standard error.
    differs : Differs or None
        How the effect differs from row to row; None where no difference was found.
    covariance : float array of shape (m, m) or (m + 1, m + 1), or None
        Of `effect`; the last row is the point of the missing values, where there is one.
    mass : float array of shape (m,), or None
        Share of the rows at each point.
    marginal : float array of shape (m,), or None
        Mean of the target at each point with nothing held still, relative to the overall mean.
    trials : float array of shape (n_trials, m), or None
        Bootstrap trials of the paper's algorithms, or a model's curves of single rows.
    cloud : Cloud or None
        Values of single rows, where a method has them.
    n_rows, n_used : int
        Rows with a target value; rows that took part in a comparison.
    impact, share : float
        Mean absolute effect over the rows, and its share among the columns explained together.
    p_value : float
        Of "no effect at all".
    twins : tuple of str
        Columns that this one cannot be told apart from.
    notes : tuple of Note
        What the reader must know.
    """

    feature: str
    target: str
    method: str
    unit: str = ""
    effect: FloatArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    band_lower: FloatArray | None = None
    band_upper: FloatArray | None = None
    conf_level: float = np.nan
    df: float = np.inf
    share_left: float = 1.0
    influential: tuple[Influential, ...] = ()
    differs: Differs | None = None
    covariance: FloatArray | None = None
    mass: FloatArray | None = None
    marginal: FloatArray | None = None
    trials: FloatArray | None = None
    cloud: Cloud | None = None
    n_rows: int
    n_used: int
    impact: float = np.nan
    share: float = np.nan
    p_value: float = np.nan
    twins: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    backend: Backend | None = None
    _rerun: Callable[..., Effect] | None = None

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def n_ignored(self) -> int:
        """Rows that said nothing."""
        return self.n_rows - self.n_used

    @property
    def explained(self) -> bool:
        """Whether there is anything to show."""
        return len(self.effect) > 0

    @abstractmethod
    def summary(self) -> str:
        """Say in a sentence what the column goes with."""

    @abstractmethod
    def to_frame(self) -> Any:
        """Return the effect as a data frame of the library that the data came in."""

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the effect with matplotlib; nothing is shown or saved."""

    def chart(self) -> alt.LayerChart:
        """Draw the effect with Altair (extra ``report``): values show under the pointer.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> chart = pb.effect(d.table, "temperature", "state").chart()
        >>> chart.to_dict()["width"]
        460
        """
        from paribus.plotting.vega import chart_of

        return chart_of(replace(self, covariance=None).to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return store.versioned(type(self).__name__, self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Examples
        --------
        >>> import json
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> curve = pb.stratpd(d.table, "y", "x1")
        >>> again = pb.NumericEffect.from_dict(json.loads(json.dumps(curve.to_dict())))
        >>> bool((again.effect == curve.effect).all())
        True
        """
        parts = store.opened(stored, cls.__name__)
        try:
            read = {k: _READERS.get(k, _as_is)(v) for k, v in parts.items() if v is not None}
            return cls(**_with_dates(read))
        except (TypeError, ValueError, KeyError):
            raise errors.unreadable(cls.__name__) from None

    def stability(self) -> dict[int, Effect]:
        """Estimate again with leaf sizes 5, 10, 20 and 40: a sound effect hardly changes.

        Returns
        -------
        dict of int to Effect
            By leaf size; `paribus.plotting.mpl.plot_stability` draws them together.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(500, seed=0)
        >>> sorted(pb.effect(d.table, "y", "x1").stability())
        [5, 10, 20, 40]
        """
        if self._rerun is None:
            raise errors.no_data_to_rerun()
        return {size: self._rerun(min_samples_leaf=size) for size in LEAF_SIZES}

    def _columns(self) -> dict[str, Any]:
        """Return effect and intervals, as far as there are, by name."""
        names = ("effect", "lower", "upper", "band_lower", "band_upper")
        return {n: getattr(self, n) for n in names if getattr(self, n) is not None}

    def __reduce__(self) -> tuple[Any, ...]:
        # What reruns the estimate holds the whole table, and stays behind.
        kept = {n: getattr(self, n) for n in self.__dataclass_fields__ if n != "_rerun"}
        return _rebuilt, (type(self), kept)

    def _moved(self, weights: FloatArray, among: BoolArray | None = None) -> Self:
        """Return the effect relative to its mean under `weights`, summing to one.

        `weights` are of shape (m,), or (m + 1,) with that of the missing values last; only the
        points `among` (m,) are moved, all by default.
        """
        if self.covariance is None or not self.explained:
            raise errors.no_covariance()
        m, size = len(self.effect), len(self.covariance)
        weights = np.append(weights, np.zeros(size - len(weights)))
        values = np.append(self.effect, self._missing_value() if size > m else [])
        shift = float(weights[weights != 0] @ values[weights != 0])
        moves = np.ones(size)
        if among is not None:
            moves[:m] = among
        move = np.eye(size) - np.outer(moves, weights)
        covariance = move @ self.covariance @ move.T
        effect = self.effect - moves[:m] * shift
        known = ~np.isnan(effect)
        half, wide = np.full((2, m), np.nan)
        spans = intervals(covariance[:m, :m][np.ix_(known, known)], self.conf_level, self.df)
        half[known], wide[known] = spans.pointwise, spans.simultaneous
        return replace(
            self,
            effect=effect,
            covariance=covariance,
            lower=effect - half,
            upper=effect + half,
            band_lower=effect - wide,
            band_upper=effect + wide,
        )

    def _missing_value(self) -> list[float]:
        return []


def _rebuilt(kind: type[Effect], parts: dict[str, Any]) -> Effect:
    return kind(**parts)


def _with_dates(parts: dict[str, Any]) -> dict[str, Any]:
    """Turn the ends of gaps back into dates where the axis has dates."""
    if "x" in parts and parts["x"].dtype.kind == "M":
        parts["gaps"] = tuple(
            replace(g, start=_date(g.start), stop=_date(g.stop)) for g in parts.get("gaps", ())
        )
    return parts


def _date(text: str) -> Any:
    return np.datetime64(text.replace(" ", "T"), "us").item()


def _as_is(value: Any) -> Any:
    return value


def _ints(values: Any) -> IntArray:
    return np.array(values, dtype=np.int64)


def _matrix(rows: list[list[Any]]) -> FloatArray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 0)


# How each stored part is read back; what is not listed stays as it is.
_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("x", "effect", "lower", "upper", "band_lower", "band_upper", "mass", "marginal"),
        store.as_array,
    ),
    **dict.fromkeys(("support", "slope"), store.as_array),
    **dict.fromkeys(("trials", "covariance"), _matrix),
    **dict.fromkeys(("count", "island"), _ints),
    **dict.fromkeys(("levels", "twins"), tuple),
    "cloud": Cloud.from_dict,
    "differs": Differs.from_dict,
    "distribution": Histogram.from_dict,
    "influential": lambda rows: tuple(Influential(**row) for row in rows),
    "missing": lambda parts: Missing(**parts),
    "gaps": lambda gaps: tuple(Gap(**gap) for gap in gaps),
    "notes": lambda notes: tuple(Note(**note) for note in notes),
}
