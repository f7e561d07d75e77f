"""A model's interaction of two columns: what they do together beyond what each does alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import AnyArray, FloatArray, IntArray
from paribus.base.notes import Note
from paribus.results import show
from paribus.results.sentences import TECHNIQUES
from paribus.results.stored import Stored
from paribus.results.words import counts, number, quantity, with_unit
from paribus.table.columns import Backend, make_frame

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class PairEffect(Stored):
    """What two columns do together in a model, beyond what each does alone.

    Attributes
    ----------
    features : tuple of two str
    target, method, unit : str
    x1, x2 : arrays of shape (m1,) and (m2,)
        Values of the two columns, ascending.
    effect : float array of shape (m1, m2)
        Relative to the two main effects and the mean; zero where the two do not interact.
    count : int array of shape (m1 - 1, m2 - 1)
        Rows between the values; where there are none, `effect` is taken from the nearest.
    n_rows, n_used : int
        All rows, and those that have a value of both columns.
    notes : tuple of Note
        Caveats.

    Examples
    --------
    >>> from paribus.models import ale_pair
    >>> class Product:
    ...     def predict(self, X):
    ...         return X[:, 0] * X[:, 1]
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> pair = ale_pair(Product(), X, "x0", "x1", bins=5, target="y")
    >>> pair
    <PairEffect: x0 and x1 on y, 6 by 6 points, 500 of 500 rows used, 0 notes>
    >>> print(pair)  # doctest: +ELLIPSIS
    Beyond what each goes with alone, x0 and x1 together go with y up to about 0.718 higher ...
    """

    features: tuple[str, str]
    target: str
    method: str
    unit: str
    x1: AnyArray
    x2: AnyArray
    effect: FloatArray
    count: IntArray
    n_rows: int
    n_used: int
    notes: tuple[Note, ...] = ()
    backend: Backend | None = None

    def __post_init__(self) -> None:
        for array in (self.x1, self.x2, self.effect, self.count):
            array.setflags(write=False)

    def __repr__(self) -> str:
        first, second = self.features
        points = f"{len(self.x1)} by {len(self.x2)} points"
        return f"<PairEffect: {first} and {second} on {self.target}, {points}, {counts(self)}>"

    def __str__(self) -> str:
        return "\n".join([self.summary(), *(f"- {note}" for note in self.notes)])

    @property
    def middle(self) -> FloatArray:
        """The effect in the middle of each rectangle, shape (m1 - 1, m2 - 1)."""
        return middle_of(self.effect)

    def summary(self) -> str:
        """Say in a sentence what the two do together, where there are rows."""
        first, second = self.features
        known = np.where(self.count > 0, self.middle, np.nan)
        low, high = float(np.nanmin(known)), float(np.nanmax(known))
        said = f"according to the model, by {TECHNIQUES[self.method]}"
        both = f"{first} and {second} together go with"
        if low == high:
            return f"Beyond what each goes with alone, {both} nothing more; {said}."
        higher, lower = (with_unit(size, self.unit) for size in (high, -low))
        return (
            f"Beyond what each goes with alone, {both} {quantity(self.target, self.unit)} up to "
            f"about {higher} higher (near {self._place(np.nanargmax(known))}) and "
            f"{lower} lower (near {self._place(np.nanargmin(known))}); {said}."
        )

    def _place(self, k: np.intp) -> str:
        """Name the middle of a rectangle, known by its number."""
        at = np.unravel_index(k, self.count.shape)
        axes = zip(self.features, (self.x1, self.x2), at, strict=True)
        return ", ".join(f"{name} = {_halfway(x, int(i))}" for name, x, i in axes)

    def to_frame(self) -> Any:
        """Return the surface as a data frame, one row per point."""
        columns = {
            self.features[0]: np.repeat(self.x1, len(self.x2)),
            self.features[1]: np.tile(self.x2, len(self.x1)),
            "effect": self.effect.ravel(),
        }
        return make_frame(columns, self.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the surface with matplotlib, pale where there are no rows."""
        return show.pairs.plot_pair(self, ax)

    def chart(self) -> alt.Chart:
        """Draw the surface with Altair (extra ``report``)."""
        return show.marks.for_notebook(show.pairs.pair_chart(self))


def middle_of(corners: FloatArray) -> FloatArray:
    """Return the mean of the four corners of each rectangle of a surface."""
    return (corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:]) / 4


def _halfway(x: AnyArray, k: int) -> str:
    """Write the middle between two values of an axis: a number, or a date."""
    if x.dtype.kind == "M":
        return str((x[k] + (x[k + 1] - x[k]) // 2).astype("datetime64[D]"))
    return number(float(x[k] + x[k + 1]) / 2)
