"""One effect for each group of rows, and tests of the differences between groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from paribus.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from paribus.base.notes import Note
from paribus.estimate.bands import MANY_DF, intervals
from paribus.estimate.testing import quadratic_p_value
from paribus.results import by_words, show
from paribus.results import errors as result_errors
from paribus.results import notes as result_notes
from paribus.results.base import Effect
from paribus.results.contrast import Contrast, contrast_from
from paribus.results.numeric import NumericEffect
from paribus.results.parts import SURE
from paribus.results.slopes import SLOPE, against_commonest, average_slope_weights
from paribus.results.stored import Stored
from paribus.table.columns import MISSING_LEVEL, make_frame

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Difference:
    """How much the effect in one group differs from that in another.

    Attributes
    ----------
    group, reference : str
    at : str
        What is compared: for a number ``"each extra 1"``, averaged over the values that the groups
        share; for a category one level, ``"North rather than South"``.
    value, se, lower, upper, p_value : float
        The effect in `group` less that in `reference`.
    """

    group: str
    reference: str
    at: str
    value: float
    se: float
    lower: float
    upper: float
    p_value: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class ByGroup(Stored, Mapping[str, Effect]):
    """An effect in each group of rows, and the differences between groups.

    Attributes
    ----------
    column : str
        The column that defines the groups.
    cuts : array
        The cut points, if it is a number; a value equal to a cut point lies below it.
    effects : tuple of Effect
        One for each group, from its rows alone. All are centred over the values that all groups
        share, so that lines can be compared.
    labels : tuple of str
        The groups' names.
    points : tuple
        The values (for dates days since 1970) or levels that all groups share.
    share : float array of shape (m,)
        Share of all rows at each of these.
    reference : str
        The group with the most rows, which the others are compared with.
    differences : tuple of Difference
    p_value : float
        Of "the effect is the same in all groups", for whole curves or all levels at once.
    chosen : bool
        Whether the column was chosen because the effect differs with it. Then the differences are
        not tested again, and `p_value` is that of the search, corrected for it.
    notes : tuple of Note

    Examples
    --------
    >>> import numpy as np, paribus as pb
    >>> rng = np.random.default_rng(0)
    >>> size, place = rng.uniform(0, 10, 2000), rng.choice(["city", "country"], 2000)
    >>> price = np.where(place == "city", 3, 1) * size + rng.normal(size=2000)
    >>> by = pb.effect({"size": size, "place": place}, price, "size", by="place").by
    >>> by.labels, [round(by[group].average_slope().value) for group in by]
    (('city', 'country'), [3, 1])
    >>> (apart,) = by.differences
    >>> apart.group, apart.reference, round(abs(apart.value), 1), apart.p_value < 0.001
    ('country', 'city', 2.0, True)
    """

    column: str
    cuts: AnyArray
    labels: tuple[str, ...]
    effects: tuple[Effect, ...]
    points: tuple[Any, ...]
    share: FloatArray
    reference: str
    differences: tuple[Difference, ...]
    p_value: float
    chosen: bool = False
    notes: tuple[Note, ...] = ()

    def __getitem__(self, label: object) -> Effect:
        if str(label) not in self.labels:
            raise result_errors.unknown_group(self.column, label, self.labels)
        return self.effects[self.labels.index(str(label))]

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        first = self.effects[0]
        return f"<ByGroup: {first.feature} on {first.target}, {len(self)} groups of {self.column}>"

    def __str__(self) -> str:
        said = self.summary()
        return "\n".join([said, *(f"- {note}" for note in self.notes if note.text != said)])

    @property
    def differs(self) -> bool:
        """Whether the effect surely differs between the groups."""
        return self.p_value < SURE

    @property
    def in_numbers(self) -> bool:
        """Whether groups are compared by numbers; not for cyclic columns, which have no slope."""
        return bool(self.points) and not self.effects[0].is_round

    def as_chosen(self, p_value: float) -> ByGroup:
        """Return the groups without tests of differences, for a column that a search has chosen."""
        return replace(self, chosen=True, p_value=p_value, differences=())

    @property
    def title(self) -> str:
        """The heading."""
        return f"Who differs: by {self.column}" if self.chosen else f"By {self.column}"

    def named(self, label: str) -> str:
        """Return a group's name with its column's: ``age above 50``, ``sex = F``."""
        within = len(self.cuts) and label != MISSING_LEVEL
        return f"{self.column} {label}" if within else f"{self.column} = {label}"

    def summary(self) -> str:
        """Say in a sentence how the effect differs between the groups."""
        return by_words.sentence(self)

    def contrasts(self, label: object) -> dict[str, Contrast]:
        """Return the numbers by which a group is compared with others, by name; see `Difference`.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> by = pb.effect(d.table, "weight", "height", by="sex").by
        >>> round(by.contrasts("F")["each extra 1"].value)
        10
        """
        return dict(_contrasts(_shared(self[label], self), self))

    def compared(self) -> Iterator[tuple[str, str, Contrast, Difference | None]]:
        """Yield each group, what is compared, its number, and the difference from the reference.

        Slopes are given in the step that the sentence names.
        """
        step, words = by_words.step_of(self)
        apart = {(d.group, d.at): _times(d, step) for d in self.differences}
        for label in self.labels:
            for at, found in self.contrasts(label).items():
                yield label, words or at, _times(found, step), apart.get((label, at))

    @property
    def conf_level(self) -> float:
        """Confidence level of intervals."""
        return self.effects[0].conf_level

    def between(self, first: object, second: object) -> tuple[Difference, ...]:
        """Compare any two groups: the effect in `second` less that in `first`.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> by = pb.effect(d.table, "weight", "height", by={"education": [11, 14]}).by
        >>> (apart,) = by.between("up to 11", "above 14")
        >>> apart.lower < 0 < apart.upper
        True
        """
        if not self.points:
            raise result_errors.no_shared_values(self.column, self.effects[0].feature)
        return tuple(_differences(self, str(second), str(first)))

    def curve(self, first: object, second: object) -> dict[str, Any]:
        """Return the difference between two groups at all points that the groups share.

        Arrays `effect`, `lower`, `upper` (pointwise) and `band_lower`, `band_upper` (all points at
        once), each for the second group less the first, centred over the same values.
        """
        one, other = (_shared(self[g], self) for g in (first, second))
        gap = other.less(one)
        spans = intervals(gap.covariance, self.conf_level, gap.df)
        return {"effect": gap.effect, **spans.around(gap.effect)}

    def to_frame(self) -> Any:
        """Return all points of all groups as a data frame, one row per group and point.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> by = pb.effect(d.table, "weight", "height", by="sex").by
        >>> list(by.to_frame().columns)[:4]
        ['sex', 'height', 'effect', 'standard_error']
        """
        parts = [e._sides() for e in self.effects]
        kept = [name for name in parts[0] if all(name in part for part in parts)]
        first, axes = self.effects[0], [e.axis for e in self.effects]
        columns: dict[str, Any] = {
            self.column: np.repeat(self.labels, [len(axis) for axis in axes]),
            first.feature: np.concatenate(axes) if first.is_curve else [*chain(*axes)],
        }
        columns |= {name: np.concatenate([part[name] for part in parts]) for name in kept}
        return make_frame(columns, self.effects[0].backend)

    def differences_frame(self) -> Any:
        """Return the differences from the reference as a data frame."""
        names = ("group", "reference", "at", "value", "se", "lower", "upper", "p_value")
        columns = {name: [getattr(d, name) for d in self.differences] for name in names}
        return make_frame(columns, self.effects[0].backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the groups in one picture with matplotlib, a line or a row of dots for each.

        Only the four with the most rows are drawn; see `plot_each` for more.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> ax = pb.effect(d.table, "weight", "height", by="sex").by.plot()
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['F', 'M']
        """
        return show.by_group.plot_groups(self, ax)

    def plot_each(self) -> Figure:
        """Draw a panel for each group on one scale, the other groups in grey behind it."""
        return show.by_group.plot_small(self)

    def chart(self) -> alt.LayerChart:
        """Draw the groups in one picture with Altair (extra ``report``)."""
        return show.marks.for_notebook(show.by_group.groups_chart(self))

    def _repr_html_(self) -> str:
        """Show the groups in a notebook."""
        return show.compact.groups_html(self)


_Sized = TypeVar("_Sized", Contrast, Difference)


def compare_groups(
    main: Effect,
    column: str,
    cuts: AnyArray,
    found: Mapping[str, Effect],
    notes: Sequence[Note] = (),
) -> ByGroup | None:
    """Collect the effects found in groups of a column, and test their differences.

    Groups without a result are left out.
    """
    known = {label: e for label, e in found.items() if e.explained and e.covariance is not None}
    if len(known) < 2:
        return None
    effects = tuple(known.values())
    at = _points_of(main, effects)
    points: tuple[Any, ...] = tuple(main.positions[at].tolist())
    if not main.is_curve:
        points = tuple(main.labels[k] for k in at)
    out = ByGroup(
        column=column,
        cuts=cuts,
        labels=tuple(known),
        effects=effects,
        points=points if len(at) > 1 else (),
        share=main.weights[at] / max(float(main.weights[at].sum()), 1e-300),
        reference=max(known, key=lambda label: known[label].n_rows),
        differences=(),
        p_value=np.nan,
        notes=tuple(notes),
    )
    if not out.points:
        return replace(out, notes=(*notes, result_notes.nothing_shared(main.feature, column)))
    alike = tuple(e._moved(out.share @ _at(e, out.points), _movable(e)) for e in effects)
    out = replace(out, effects=alike)
    others = [label for label in out.labels if label != out.reference]
    return replace(
        out,
        differences=tuple(d for g in others for d in _differences(out, g, out.reference)),
        p_value=_joint_p_value([_shared(e, out) for e in alike], out.share),
    )


def _times(found: _Sized, step: float) -> _Sized:
    """Return a number and its interval for another step than 1."""
    sides = {name: step * getattr(found, name) for name in ("value", "se", "lower", "upper")}
    return replace(found, **sides)


def _points_of(main: Effect, effects: Sequence[Effect]) -> IntArray:
    """Return the points of the overall effect that every group has."""
    if not main.is_curve:
        known = [{e.labels[k] for k in np.flatnonzero(_movable(e))} for e in effects]
        return np.flatnonzero([all(label in some for some in known) for label in main.labels])
    curves = [e for e in effects if isinstance(e, NumericEffect)]
    low = max(float(e.positions[0]) for e in curves)
    high = min(float(e.positions[-1]) for e in curves)
    at = main.positions
    inside = (at >= low) & (at <= high)
    for e in curves:
        inside &= e.pieces_at(at) == e.pieces[int(np.argmax(e.weights))]
    return np.flatnonzero(inside)


def _movable(e: Effect) -> BoolArray:
    """Return which points (m,) of an effect can be compared with its commonest."""
    if e.is_curve:
        return np.ones(len(e.effect), dtype=np.bool_)
    return ~np.isnan(e.effect) & (e.pieces == e.pieces[int(np.argmax(e.weights))])


def _at(e: Effect, points: Sequence[Any]) -> FloatArray:
    """Return the weights that interpolate an effect at shared points, (len(points), m)."""
    units = np.eye(len(e.effect))
    if e.is_curve:
        return np.column_stack([np.interp(points, e.positions, unit) for unit in units])
    return units[[e.labels.index(label) for label in points]]


@dataclass(frozen=True, slots=True)
class _Shared:
    """An effect at the shared points, (m,), with its covariance (m, m)."""

    effect: FloatArray
    covariance: FloatArray
    df: float

    def less(self, other: _Shared) -> _Shared:
        """Return the difference from another group, which has no rows in common."""
        covariance = self.covariance + other.covariance
        return _Shared(self.effect - other.effect, covariance, min(self.df, other.df))


def _shared(e: Effect, by: ByGroup) -> _Shared:
    weights, size = _at(e, by.points), len(e.effect)
    if e.covariance is None:
        raise result_errors.no_covariance()
    covariance = weights @ np.nan_to_num(e.covariance[:size, :size]) @ weights.T
    df = np.inf if e.df is None else float(np.min(e.df))
    return _Shared(weights @ np.nan_to_num(e.effect), covariance, df)


def _differences(by: ByGroup, group: str, reference: str) -> Iterator[Difference]:
    own, other = (_shared(by[label], by) for label in (group, reference))
    for at, found in _contrasts(own.less(other), by):
        yield Difference(
            group, reference, at, found.value, found.se, found.lower, found.upper, found.p_value
        )


def _contrasts(shared: _Shared, by: ByGroup) -> Iterator[tuple[str, Contrast]]:
    """Yield the numbers by which groups are compared, for one or for a difference, by name."""
    if by.effects[0].is_curve:
        names, weights = [SLOPE], average_slope_weights(np.array(by.points), by.share)[None]
    else:
        names, weights = against_commonest(by.points, by.share)
    for at, own in zip(names, weights, strict=True):
        yield at, contrast_from(own, shared.effect, shared.covariance, by.conf_level, shared.df)


def _joint_p_value(groups: Sequence[_Shared], share: FloatArray) -> float:
    """Test that all groups have the same effect.

    The sum over groups and points of squared distances from the groups' mean, in which a group
    counts by how surely it is known.
    """
    sure = np.array([1 / max(float(share @ np.diag(g.covariance)), 1e-300) for g in groups])
    apart = np.eye(len(groups)) - sure / sure.sum()
    distance = apart @ np.array([g.effect for g in groups])
    parts = np.array([g.covariance for g in groups])
    mixed = np.einsum("gk,hk,kij->gihj", apart, apart, parts, optimize=True)
    covariance = mixed.reshape(distance.size, distance.size)
    weights = np.multiply.outer(sure, share).ravel()
    df = min(MANY_DF, *(g.df for g in groups))
    return quadratic_p_value(distance.ravel(), weights, covariance, df)
