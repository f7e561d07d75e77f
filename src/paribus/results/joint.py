"""The effect of two columns at once: a surface, lines by level, or points."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base import errors
from paribus.base.arrays import AnyArray, FloatArray, IntArray
from paribus.base.notes import Note
from paribus.results import errors as result_errors
from paribus.results import show
from paribus.results.contrast import Contrast, contrast_from
from paribus.results.parts import SURE
from paribus.results.scales import contrast_in_unit
from paribus.results.slopes import SlopeBy, as_days, slopes_of, weights_at
from paribus.results.stored import Stored, as_array, opened, read_back, versioned
from paribus.results.words import counts, p_words, places, quantity, with_unit
from paribus.table import errors as table_errors
from paribus.table.columns import Backend, make_frame

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class JointEffect(Stored):
    """What the target goes with along two columns at once, the other columns held still.

    Attributes
    ----------
    features : tuple of two str
    target, unit : str
    x1, x2 : arrays of shape (m1,) and (m2,), or tuples of levels
        The values of a number, or the levels of a category.
    effect, lower, upper : float arrays of shape (m1, m2)
        Relative to the mean over the rows, with pointwise interval; NaN where there are no rows.
    pure_effect, pure_lower, pure_upper : float arrays of shape (m1, m2)
        What is left when the two main effects are removed; see `pure`.
    first, second : float arrays of shape (m1,) and (m2,)
        The main effects. ``first[i] + second[j] + pure_effect[i, j]`` is ``effect[i, j]``.
    count : float array of shape (m1, m2)
        Rows around each point; rows between points are divided among them.
    covariance, pure_covariance : float arrays of shape (m1 m2, m1 m2)
        Of `effect` and `pure_effect`, row by row.
    df : float
    p_value : float
        Of "the two do nothing together beyond what each goes with alone".
    conf_level : float
    n_rows, n_used : int
    unknown, round : tuples of str
        Those of the two whose own effect cannot be known, and those that are cyclic and so have no
        slope.
    notes : tuple of Note

    Examples
    --------
    >>> import numpy as np, paribus as pb
    >>> rng = np.random.default_rng(0)
    >>> a, b, z = rng.uniform(-1, 1, (3, 2000))
    >>> both = pb.effect({"a": a, "b": b, "z": z}, 3 * a * b + z + 0.1 * rng.normal(size=2000),
    ...                  ("a", "b"))
    >>> both
    <JointEffect: a and b on y, 14 by 14 points, 2,000 of 2,000 rows used, 0 notes>
    >>> true = 3 * np.outer(both.x1, both.x2)
    >>> bool(np.nanmax(np.abs(both.effect - true)) < 0.3), both.p_value < 0.001
    (True, True)
    >>> total = both.first[:, None] + both.second + both.pure_effect
    >>> bool(np.nanmax(np.abs(total - both.effect)) < 1e-9)
    True
    """

    features: tuple[str, str]
    target: str
    unit: str
    x1: AnyArray | tuple[Any, ...]
    x2: AnyArray | tuple[Any, ...]
    effect: FloatArray
    lower: FloatArray
    upper: FloatArray
    pure_effect: FloatArray
    pure_lower: FloatArray
    pure_upper: FloatArray
    first: FloatArray
    second: FloatArray
    count: FloatArray
    covariance: FloatArray
    pure_covariance: FloatArray
    df: float
    p_value: float
    conf_level: float
    n_rows: int
    n_used: int
    unknown: tuple[str, ...] = ()
    round: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    backend: Backend | None = None

    def __repr__(self) -> str:
        points = f"{len(self.x1)} by {len(self.x2)} points"
        names = " and ".join(self.features)
        return f"<JointEffect: {names} on {self.target}, {points}, {counts(self)}>"

    def __str__(self) -> str:
        return "\n".join([self.summary(), *(f"- {note}" for note in self.notes)])

    @property
    def pure(self) -> JointEffect:
        """The same without the two main effects: the pure interaction."""
        return replace(
            self,
            effect=self.pure_effect,
            lower=self.pure_lower,
            upper=self.pure_upper,
            first=np.zeros_like(self.first),
            second=np.zeros_like(self.second),
            covariance=self.pure_covariance,
        )

    @property
    def is_number(self) -> tuple[bool, bool]:
        """Whether each of the two columns is a number or a date."""
        return isinstance(self.x1, np.ndarray), isinstance(self.x2, np.ndarray)

    @property
    def strength(self) -> float:
        """Standard deviation, over the rows, of the pure interaction."""
        pure = np.nan_to_num(self.pure_effect)
        return float(np.sqrt(np.average(pure**2, weights=self.count)))

    def labels(self, side: int) -> tuple[str, ...]:
        """Return the values or levels of one of the columns, 0 or 1, as text."""
        x = self.x2 if side else self.x1
        if not isinstance(x, np.ndarray):
            return tuple(map(str, x))
        return places(x, float(np.ptp(as_days(x))))

    def between(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> Contrast:
        """Return the difference between two points: the surface at `b` less that at `a`.

        Parameters
        ----------
        a, b : tuples with a value of each column
            Between the points of a number the surface is interpolated.

        Examples
        --------
        >>> import numpy as np, paribus as pb
        >>> rng = np.random.default_rng(0)
        >>> a, z = rng.uniform(-1, 1, (2, 2000))
        >>> kind = rng.choice(["flat", "house"], 2000)
        >>> y = a * (kind == "house") + z + 0.1 * rng.normal(size=2000)
        >>> both = pb.effect({"a": a, "kind": kind, "z": z}, y, ("a", "kind"))
        >>> round(both.between((0, "house"), (0.5, "house")).value, 1)
        0.5
        """
        weights = self._weights(b) - self._weights(a)
        effect = self.effect.ravel()
        found = contrast_from(weights, effect, self.covariance, self.conf_level, self.df)
        return contrast_in_unit(found, self.unit, weights)

    def _weights(self, place: tuple[Any, Any]) -> FloatArray:
        one, other = (self._along(side, value) for side, value in enumerate(place))
        both = np.outer(one, other)
        if np.isnan(self.effect[both > 0]).any():
            raise result_errors.not_comparable(" and ".join(self.features), *place)
        return both.ravel()

    def _along(self, side: int, value: Any) -> FloatArray:
        x, name = (self.x2, self.features[1]) if side else (self.x1, self.features[0])
        if not isinstance(x, np.ndarray):
            if value not in x:
                raise table_errors.unknown_level(name, value, x)
            return np.eye(len(x))[x.index(value)]
        return weights_at(name, x, value)

    def slope_of(self, feature: str) -> SlopeBy:
        """Return how the effect of one column changes along the other, which is a number.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> both = pb.effect(d.table, "weight", ("education", "sex"))
        >>> both.slope_of("sex").compared
        ('M rather than F',)
        """
        if feature not in self.features:
            raise errors.unknown_column(feature, self.features)
        return slopes_of(self, self.features.index(feature))

    def slopes(self) -> list[SlopeBy]:
        """Return `slope_of` the first column, or else of the second, or nothing."""
        for feature in self.features:
            with suppress(errors.InputError):
                return [self.slope_of(feature)]
        return []

    def summary(self) -> str:
        """Say in a sentence whether and where the two act together."""
        one, other = self.features
        object_ = quantity(self.target, self.unit)
        if not self.p_value < SURE:
            return (
                f"No clear effect of {one} and {other} together on {object_}, beyond what each "
                f"goes with alone ({p_words(self.p_value)}), other columns held still."
            )
        known = np.nan_to_num(self.pure_effect)
        sure = np.abs(known) - np.nan_to_num(self.pure_upper - self.pure_effect)
        often = self.count >= np.quantile(self.count[self.count > 0], 0.25)
        at = np.unravel_index(int(np.argmax(np.where(often, sure, -np.inf))), known.shape)
        side = "higher" if known[at] > 0 else "lower"
        where = f"{one} = {self.labels(0)[at[0]]} and {other} = {self.labels(1)[at[1]]}"
        most, usual = (with_unit(abs(x), self.unit) for x in (float(known[at]), self.strength))
        return (
            f"What {one} goes with differs with {other} ({p_words(self.p_value)}): at {where}, "
            f"{object_} is about {most} {side} than the two effects add up to, and on average over "
            f"the rows {usual} away from that, other columns held still."
        )

    def to_frame(self) -> Any:
        """Return all points as a data frame, one row per point.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(1000, seed=0)
        >>> list(pb.effect(d.table, "weight", ("height", "sex")).to_frame().columns)
        ['height', 'sex', 'effect', 'lower', 'upper', 'pure', 'count']
        """
        first, second = np.divmod(np.arange(self.effect.size), len(self.x2))
        columns = {
            self.features[0]: _taken(self.x1, first),
            self.features[1]: _taken(self.x2, second),
            **{name: getattr(self, name).ravel() for name in ("effect", "lower", "upper")},
            "pure": self.pure_effect.ravel(),
            "count": self.count.ravel(),
        }
        return make_frame(columns, self.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw with matplotlib: lines by level or at a few values, dots for two categories."""
        return show.lines.plot_lines(show.joint.lines_of(self), ax)

    def plot_map(self, ax: Axes | None = None) -> Axes:
        """Draw the surface of two numbers as a coloured map, blank where there are no rows."""
        return show.joint.plot_map(self, ax)

    def chart(self) -> alt.LayerChart:
        """Draw the same as `plot` with Altair (extra ``report``)."""
        return show.marks.for_notebook(show.lines.lines_chart(show.joint.lines_of(self)))

    def chart_map(self) -> alt.LayerChart:
        """Draw the same as `plot_map` with Altair (extra ``report``), for two numbers."""
        if not all(self.is_number):
            raise result_errors.no_map(self.features)
        return show.marks.for_notebook(show.joint.map_chart(self))

    def _repr_html_(self) -> str:
        """Show the sentences in a notebook."""
        lines = [self.summary(), *map(str, self.slopes()), *map(str, self.notes)]
        return show.compact.said_html(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        is_level = [not number for number in self.is_number]
        return {**versioned("JointEffect", self), "is_level": is_level}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> JointEffect:
        """Read back what `to_dict` gave."""
        with opened(stored, "JointEffect") as parts:
            is_level = parts.pop("is_level")
            read = read_back(cls, parts)
            for name, levels in zip(("x1", "x2"), is_level, strict=True):
                some = levels and read[name]
                read[name] = tuple(read[name]) if some else as_array(read[name])
            return cls(**read)


def _taken(x: AnyArray | tuple[Any, ...], at: IntArray) -> Any:
    return x[at] if isinstance(x, np.ndarray) else [x[k] for k in at]
