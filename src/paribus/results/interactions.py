"""Which columns act together on a target: every pair, ranked, and triples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from paribus.base import errors
from paribus.base.notes import Note
from paribus.base.wording import listed
from paribus.results import show
from paribus.results.stored import Stored
from paribus.results.told import Told
from paribus.results.words import interval_words, p_words, quantity, size, with_unit
from paribus.table.columns import Backend, make_frame

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes

TOLD = 10  # interactions in a summary
NAMES = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Interaction(Told):
    """Two columns, or three, that may act together on the target.

    Attributes
    ----------
    features : tuple of str
        Numbers before categories.
    strength, lower, upper : float
        How far the effect of one typically moves over the other, in the target's units, with its
        interval: four standard deviations, over the rows, of what they do together beyond what
        each does alone. For two columns with two equally common values each it is the difference
        of the differences.
    p_value : float
        Of no interaction, corrected for the search: of those below 0.05 one in twenty may be false.
    found : bool
        Whether the interaction is significant.
    target, unit : str
    conf_level : float
    """

    features: tuple[str, ...]
    strength: float
    lower: float
    upper: float
    p_value: float
    found: bool
    target: str
    unit: str = ""
    conf_level: float = 0.95

    @property
    def name(self) -> str:
        """The columns in short: "carat by clarity"."""
        return " by ".join(self.features)

    def summary(self) -> str:
        """Say in a sentence how one column's effect differs with the others.

        Examples
        --------
        >>> print(Interaction(("size", "place"), 40.0, 30.0, 50.0, 0.001, True, "price"))
        How price goes with 'size' differs with 'place', by about 40 (95 % interval 30 to 50).
        """
        first, *others = self.features
        both = " together" if len(others) > 1 else ""
        if not self.found:
            most = f", by {with_unit(self.upper, self.unit)} at most" if self.upper > 0 else ""
            said = f"It is unclear whether what {first!r} goes with differs with {listed(others)}"
            return f"{said}{most}."
        about = f", by about {with_unit(self.strength, self.unit)}"
        if not self.lower > 0:
            about = "; by how much is not clear"
        return (
            f"How {quantity(self.target, self.unit)} goes with {first!r} differs with "
            f"{listed(others)}{both}{about} "
            f"({interval_words(self.conf_level, self.lower, self.upper)})."
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interactions(Stored, Told, Sequence[Interaction]):
    """Pairs of columns, and triples, ranked by strength.

    Attributes
    ----------
    target, unit : str
    items : tuple of Interaction
        First those found, ranked by the lower end of their interval; then all other pairs, by
        their p-value.
    n_rows, n_columns : int
    notes : tuple of Note
        Caveats.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> len(pb.interactions(d.table, "weight"))
    6
    """

    target: str
    unit: str
    items: tuple[Interaction, ...]
    n_rows: int
    n_columns: int
    notes: tuple[Note, ...] = ()
    backend: Backend | None = None

    @overload
    def __getitem__(self, at: int) -> Interaction: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Interaction, ...]: ...
    def __getitem__(self, at: int | slice) -> Interaction | tuple[Interaction, ...]:
        return self.items[at]

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        found = ", ".join(one.name for one in self.found[:3]) or "none"
        more = ", ..." if len(self.found) > 3 else ""
        return (
            f"<Interactions: {len(self.found)} of {len(self)} on {self.target}, "
            f"{self.n_rows:,} rows: {found}{more}>"
        )

    @property
    def found(self) -> tuple[Interaction, ...]:
        """Those that were found, ranked by the lower end of their interval."""
        return tuple(one for one in self.items if one.found)

    @property
    def question(self) -> str:
        """The question that all of them answer."""
        return f"Which columns act together on {quantity(self.target, self.unit)}?"

    def of(self, *features: str) -> Interaction:
        """Return the interaction of some columns, in any order.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> pb.interactions(d.table, "weight").of("sex", "pregnant").found
        False
        """
        for one in self.items:
            if {*one.features} == {*features}:
                return one
        raise KeyError(str(errors.unknown_column(" by ".join(features), [i.name for i in self])))

    def summary(self) -> str:
        """Say which columns act together, the strongest first."""
        lines = [f"{self.question} {size(self.n_rows, self.n_columns)}", *map(str, self.notes)]
        shown = self.found[:TOLD]
        lines += [f"{k}. {one} {p_words(one.p_value)}." for k, one in enumerate(shown, start=1)]
        left = len(self.found) - len(shown)
        if left > 0:
            lines.append(f"And {left:,} more: see to_frame().")
        if not shown:
            lines.append(f"None of the {len(self):,} looked at is sure.")
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return all of them as a data frame, in the library of the data.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(500, seed=0)
        >>> list(pb.interactions(d.table, "weight").to_frame())[:6]
        ['first', 'second', 'third', 'strength', 'lower', 'upper']
        """
        columns: dict[str, Any] = {
            name: [one.features[k] if k < len(one.features) else "" for one in self.items]
            for k, name in enumerate(NAMES)
        }
        fields = ("strength", "lower", "upper", "p_value", "found")
        columns |= {name: [getattr(one, name) for one in self.items] for name in fields}
        columns["summary"] = [one.summary() for one in self.items]
        return make_frame(columns, self.backend)

    def plot(self, most: int = 10, ax: Axes | None = None) -> Axes:
        """Draw the strongest with matplotlib, each as a bar with its interval.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> ax = pb.interactions(d.table, "weight").plot()
        """
        return show.bars.plot_bars(self, most, ax)

    def chart(self, most: int = 10) -> alt.LayerChart:
        """Draw the strongest with Altair (extra ``report``)."""
        return show.marks.for_notebook(show.bars.bars_chart(self, most))

    def _repr_html_(self) -> str:
        """Show them in a notebook."""
        return show.compact.interactions_html(self)
