"""What comes back: frozen objects with named arrays that can be drawn, tabled and stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus import errors
from paribus._types import AnyArray, FloatArray, IntArray
from paribus.notes import Note
from paribus.table import Backend, make_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How the rows spread over a numeric column.

    Attributes
    ----------
    edges : array of shape (n_bins + 1,)
        Numbers, or dates for a date column.
    counts : int array of shape (n_bins,)
    """

    edges: AnyArray
    counts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class NumericEffect:
    """What a numeric column does to the target, the others held still.

    Attributes
    ----------
    feature, target : str
        Column names.
    x : array of shape (m,)
        Values of the column, ascending; dates for a date column.
    effect : float array of shape (m,)
        Change of the target since the first `x`.
    slope : float array of shape (m,)
        Change of the target per unit of `x` (per day for dates).
    support : float array of shape (m,)
        How many slopes were averaged at each `x`; over several trials, their mean.
    trials : float array of shape (n_trials, m)
        The curve of each bootstrap trial, NaN where it had too little support.
    distribution : Histogram
        Where the rows lie.
    n_rows : int
        Rows with a target value.
    n_ignored : int
        Rows that said nothing: `x` missing, or not varying among alike rows.
    notes : tuple of Note
        What the reader must know.
    """

    feature: str
    target: str
    x: AnyArray
    effect: FloatArray
    slope: FloatArray
    support: FloatArray
    trials: FloatArray
    distribution: Histogram
    n_rows: int
    n_ignored: int
    notes: tuple[Note, ...] = ()
    backend: Backend | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        span = f"{self.x[0]} to {self.x[-1]}" if len(self.x) else "nothing"
        return (
            f"<{type(self).__name__}: {self.feature} on {self.target}, "
            f"{len(self.x):,} points over {span}, {_counts(self)}>"
        )

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
        columns = {"effect": self.effect, "slope": self.slope, "support": self.support}
        return make_frame({self.feature: self.x, **columns}, self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return _to_dict(self, "numeric")

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> NumericEffect:
        """Read back what `to_dict` gave.

        Examples
        --------
        >>> import json
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> curve = pb.stratpd(d.table, "y", "x1")
        >>> again = NumericEffect.from_dict(json.loads(json.dumps(curve.to_dict())))
        >>> bool((again.effect == curve.effect).all())
        True
        """
        parts = _parts(stored, "numeric")
        is_date = parts.pop("x_is_date")
        spread = parts.pop("distribution")
        edges, counts = _axis(spread["edges"], is_date), np.array(spread["counts"], dtype=np.int64)
        return cls(
            effect=_floats(parts.pop("effect")),
            slope=_floats(parts.pop("slope")),
            support=_floats(parts.pop("support")),
            x=_axis(parts.pop("x"), is_date),
            trials=_matrix(parts.pop("trials")),
            distribution=Histogram(edges, counts),
            notes=_notes(parts.pop("notes")),
            **parts,
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve as dots, its trials as thin lines and the rows' distribution below.

        Nothing is shown or saved: that is left to the caller.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> ax = pb.stratpd(d.table, "y", "x1").plot()
        >>> ax.get_xlabel()
        'x1'
        """
        from paribus.plotting.mpl import plot_numeric

        return plot_numeric(self, ax)


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalEffect:
    """What the levels of a category do to the target, the other columns held still.

    Attributes
    ----------
    feature, target : str
        Column names.
    levels : tuple
        The levels of the column.
    effect : float array of shape (n_levels,)
        The target at each level, relative to the mean over the rows; NaN for a level that
        could not be compared with the others.
    count : int array of shape (n_levels,)
        Rows at each level.
    trials : float array of shape (n_trials, n_levels)
        The effect in each bootstrap trial.
    n_rows : int
        Rows with a target value.
    n_ignored : int
        Rows that said nothing: level missing, alone among alike rows, or not comparable.
    notes : tuple of Note
        What the reader must know.
    """

    feature: str
    target: str
    levels: tuple[Any, ...]
    effect: FloatArray
    count: IntArray
    trials: FloatArray
    n_rows: int
    n_ignored: int
    notes: tuple[Note, ...] = ()
    backend: Backend | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}: {self.feature} on {self.target}, "
            f"{len(self.levels):,} levels, {_counts(self)}>"
        )

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
        columns = {"effect": self.effect, "count": self.count}
        return make_frame({self.feature: list(self.levels), **columns}, self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return _to_dict(self, "categorical")

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> CategoricalEffect:
        """Read back what `to_dict` gave.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.weather(seed=0)
        >>> bars = pb.catstratpd(d.table, "temperature", "state")
        >>> CategoricalEffect.from_dict(bars.to_dict()).levels
        ('AZ', 'CA', 'CO', 'NV', 'WA')
        """
        parts = _parts(stored, "categorical")
        return cls(
            levels=tuple(parts.pop("levels")),
            effect=_floats(parts.pop("effect")),
            count=np.array(parts.pop("count"), dtype=np.int64),
            trials=_matrix(parts.pop("trials")),
            notes=_notes(parts.pop("notes")),
            **parts,
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a bar a level, with the trials as dots.

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


def _counts(result: NumericEffect | CategoricalEffect) -> str:
    return f"{result.n_rows:,} rows, {result.n_ignored:,} ignored, {len(result.notes)} notes"


def _to_dict(result: NumericEffect | CategoricalEffect, kind: str) -> dict[str, Any]:
    parts = {name: _plain(getattr(result, name)) for name in result.__dataclass_fields__}
    if isinstance(result, NumericEffect):
        parts["x_is_date"] = result.x.dtype.kind == "M"
    return {"format": FORMAT, "kind": kind, **parts}


def _parts(stored: Mapping[str, Any], kind: str) -> dict[str, Any]:
    parts = dict(stored)
    version, got = parts.pop("format", None), parts.pop("kind", None)
    if version != FORMAT or got != kind:
        raise errors.unknown_version(f"{kind} effect", (version, got), FORMAT)
    return parts


def _plain(value: Any) -> Any:
    """Turn arrays, dates, notes and numbers into what JSON knows; NaN becomes None."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "M":
            return np.datetime_as_string(value).tolist()
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (Note, Histogram)):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return None if np.isnan(value) else value
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _floats(values: Any) -> FloatArray:
    return np.array(values, dtype=np.float64)


def _matrix(rows: list[list[Any]]) -> FloatArray:
    return _floats(rows).reshape(len(rows), len(rows[0]) if rows else 0)


def _axis(values: list[Any], is_date: bool) -> AnyArray:
    return np.array(values, dtype="datetime64[s]") if is_date else _floats(values)


def _notes(stored: list[dict[str, Any]]) -> tuple[Note, ...]:
    return tuple(Note(**note) for note in stored)
