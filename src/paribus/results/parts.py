"""Small parts of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import AnyArray, FloatArray, IntArray
from paribus.results.regions import Regions
from paribus.table.columns import Column

HISTOGRAM_BINS = 40
MOST_STEPS = 10_000  # with more steps than this, a grid counts as continuous
SURE = 0.05  # p-value below which an effect is said to differ


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The distribution of the rows over a numeric column.

    Attributes
    ----------
    edges : array of shape (n_bins + 1,)
        Numbers, or dates for a date column.
    counts : int array of shape (n_bins,)
    """

    edges: AnyArray
    counts: IntArray


def bin_edges(x: FloatArray) -> FloatArray:
    """Return the edges of at most 40 bins of equal width over ascending values.

    Values on a grid, such as whole numbers, lie in the middle of their bins, and all bins hold the
    same number of grid steps, so that equally common values have equal bars.

    Examples
    --------
    >>> bin_edges(np.array([0.0, 1, 2, 5])).tolist()
    [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    """
    low, high = float(x[0]), float(x[-1])
    step = float(np.diff(x).min(initial=high - low)) or 1.0
    n_steps = round((high - low) / step) + 1
    away = np.abs((x - low) / step - np.round((x - low) / step))
    if n_steps > MOST_STEPS or away.max() > 1e-6:
        return np.linspace(low, high, HISTOGRAM_BINS + 1)
    fewest = -(-n_steps // HISTOGRAM_BINS)
    width = next((k for k in range(fewest, 2 * fewest + 1) if n_steps % k == 0), fewest)
    n_bins = -(-n_steps // width)
    steps = width * np.arange(n_bins + 1, dtype=np.float64) - 0.5
    return low + step * steps


def histogram(column: Column, x: FloatArray) -> Histogram:
    """Count the rows of a numeric column along the points `x` of its curve."""
    edges = bin_edges(x)
    n_bins = len(edges) - 1
    # All bins are equally wide; far from zero they may be finer than numbers are.
    place = (column.known - edges[0]) * (n_bins / (edges[-1] - edges[0]))
    counts = np.bincount(np.clip(place.astype(np.int64), 0, n_bins - 1), minlength=n_bins)
    return Histogram(column.shown(edges), counts.astype(np.int64))


@dataclass(frozen=True, slots=True)
class Influential:
    """A row without which the result would change.

    Attributes
    ----------
    row : int
        Its number in the caller's table, counted from 0.
    value : number, date or level
        Its value of the explained column.
    target : float
        Its target.
    point : int
        The point or level that moves most without it.
    effect, without : float
        The effect there, with and without the row.
    standard_errors : float
        How far it moves, in standard errors.
    """

    row: int
    value: Any
    target: float
    point: int
    effect: float
    without: float
    standard_errors: float


@dataclass(frozen=True, slots=True)
class Absorbed:
    """A held column that takes most of an effect away, or reverses it.

    Attributes
    ----------
    column : str
    impact, without : float
        The impact with the column held still, and when it may move along.
    turns : bool
        Whether the effect goes the other way when the column may move along.
    """

    column: str
    impact: float
    without: float
    turns: bool = False


@dataclass(frozen=True, slots=True)
class Moderating:
    """A column, or two together, that an effect differs with.

    Attributes
    ----------
    columns : tuple of str
    p_value : float
        Of no difference, corrected for the search over all columns.
    where : str
        Where the effect is stronger, such as ``region = North`` or ``age is high``; empty where
        that cannot be said briefly.
    """

    columns: tuple[str, ...]
    p_value: float
    where: str = ""


@dataclass(frozen=True, slots=True)
class Differs:
    """How an effect differs from row to row; true if it clearly does.

    Attributes
    ----------
    by : tuple of Moderating
        What it differs with; those that may be chance have a p-value above 0.05.
    mean : float
        For a number the mean slope over the rows, for a category the mean distance of its levels
        from the commonest.
    spread, lower, upper : float
        Standard deviation, over the rows, of the slopes or distances, with its interval.
    share : float
        Share of the rows that can be compared and are averaged over.
    regions : Regions, or None
        Where the effect differs, in words; None where no difference is confirmed by rows that were
        not used to find it.
    """

    by: tuple[Moderating, ...]
    mean: float
    spread: float
    lower: float
    upper: float
    share: float
    regions: Regions | None = None

    def __bool__(self) -> bool:
        return bool(self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the effect clearly differs with."""
        sure = [name for one in self.by if one.p_value < SURE for name in one.columns]
        return tuple(dict.fromkeys(sure))


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of the axis that no comparison spans: the curve is broken there.

    Attributes
    ----------
    start, stop
        The values on either side; dates for a date column.
    reason : str
        ``"no rows"``, or ``"held still"`` if there are rows but none can be compared across with
        the other columns held still.
    blocked_by : str or None
        The other column that best separates the two sides.
    """

    start: Any
    stop: Any
    reason: str
    blocked_by: str | None = None

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Gap:
        """Read back a stored gap; text at its ends is a date."""
        ends = {name: _end(stored[name]) for name in ("start", "stop")}
        return cls(**{**stored, **ends})


def _end(value: Any) -> Any:
    text = isinstance(value, str)
    return np.datetime64(value.replace(" ", "T"), "us").item() if text else value


@dataclass(frozen=True, slots=True)
class Missing:
    """The point of the rows in which the explained column is missing.

    Attributes
    ----------
    effect, lower, upper : float
        On the scale of the curve, with its pointwise interval.
    count : int
        Rows.
    """

    effect: float
    lower: float
    upper: float
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """Values of single rows, drawn behind the curve or the levels: SHAP values.

    Attributes
    ----------
    at : array of shape (k,)
        Where: numbers or dates for a curve, positions among the levels for a category.
    value : float array of shape (k,)
    """

    at: AnyArray
    value: AnyArray
