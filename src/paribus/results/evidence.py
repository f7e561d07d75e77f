"""The rows behind an effect: pairs of rows that are alike except for one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, Labels, Rows
from paribus.results import errors as result_errors
from paribus.results import show
from paribus.results.scales import OF_THE_ODDS, in_per_cent, is_ratio
from paribus.results.words import lined_up, quantity, share_words, whole, with_unit
from paribus.table.columns import Column, make_frame

if TYPE_CHECKING:
    from paribus.results.base import Effect

MOST_STRATA, MOST_ROWS = 150, 30  # looked through for pairs, at random
APART = 0.5  # standard deviations of a number that the rows of a pair must be apart
MANY_EQUAL = 0.05  # from this share of pairs with equal targets on, the sentence mentions them
SEED = 0
TITLE = "Rows alike but for this column"


@dataclass(frozen=True, slots=True)
class RowsBehind:
    """The rows that an effect was estimated from."""

    column: Column  # the explained one
    others: Mapping[str, Column]  # those held still
    y: FloatArray  # (n,): the target on the scale on which it is compared
    target: FloatArray  # (n,): as the user knows it; for a class 100 in its rows, otherwise 0
    row: Rows  # (n,): row numbers in the caller's table, counted from 0
    strata: Labels  # (n,): rows of one stratum are alike in the other columns
    weights: FloatArray  # (n,)

    def with_level(self, label: str) -> RowsBehind:
        """Return the rows that a level is compared among; missing values may be such a level."""
        if self.column.kind != "category" or label in map(str, self.column.levels):
            return self
        return replace(self, column=self.column.with_missing_level())

    def take(self, rows: Rows) -> RowsBehind:
        """Return some of the rows."""
        return RowsBehind(
            replace(self.column, values=self.column.values[rows]),
            {name: replace(c, values=c.values[rows]) for name, c in self.others.items()},
            self.y[rows], self.target[rows], self.row[rows], self.strata[rows], self.weights[rows],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """Two rows alike in the other columns."""

    rows: tuple[int, int]  # their numbers in the table, counted from 0
    values: tuple[Any, Any]  # of the explained column
    targets: tuple[float, float]
    others: Mapping[str, tuple[str, str]]  # the values of the other columns, as text
    # The second row's target less the first's; in per cent if the effect is.
    difference: float
    estimate: float  # the difference according to the effect
    # Dissimilarity in the other columns: standard deviations plus the number of different levels.
    distance: float

    @property
    def agrees(self) -> bool:
        """Whether the difference has the sign of the estimate."""
        return bool(self.difference * self.estimate > 0)


@dataclass(frozen=True, slots=True, repr=False)
class Examples:
    """Pairs of rows that are alike except for one column, the closest first."""

    effect: Effect
    pairs: tuple[Pair, ...]  # some that agree with the effect and some that do not
    share: float  # share of all close pairs looked at that agree
    equal: float = 0.0  # share of them with equal targets

    def __repr__(self) -> str:
        return f"<Examples: {self.effect.feature}, {len(self.pairs)} pairs>"

    def __str__(self) -> str:
        return "\n\n".join([self.summary(), *map(self._text, self.pairs)])

    def _repr_html_(self) -> str:
        """Show the pairs in a notebook."""
        return show.compact.examples_html(self)

    def summary(self) -> str:
        """Say how many close pairs agree with the effect."""
        feature, same = self.effect.feature, share_words(self.equal)
        if not self.pairs:
            return f"No two rows are alike in the other columns and differ in {feature}."
        many = self.equal >= MANY_EQUAL
        equal = f", and {same} have the same value of the target" if many else ""
        return (
            f"Of the closest pairs of rows that differ in {feature}, "
            f"{share_words(self.share)} agree in direction with the estimate{equal}; single rows "
            "differ in much that is not in the table."
        )

    def lines(self, pair: Pair) -> list[tuple[str, str, str]]:
        """Return a pair side by side: name, first row, second row."""
        e = self.effect
        first, second = (_written(e, value) for value in pair.values)
        before, after = (_target(e, value) for value in pair.targets)
        rows = [(e.feature, first, second), (e.target, before, after)]
        return rows + [(name, a, b) for name, (a, b) in pair.others.items()]

    def says(self, pair: Pair) -> str:
        """Say how much the targets differ, and what the effect estimates."""
        unit = self.effect.unit
        found, estimated = (with_unit(x, unit) for x in (pair.difference, pair.estimate))
        return f"Difference {found}; the estimate is {estimated}."

    def _text(self, pair: Pair) -> str:
        head = ("", *(f"row {row + 1:,}" for row in pair.rows))
        return "\n".join([*lined_up([head, *self.lines(pair)]), self.says(pair)])

    def to_frame(self) -> Any:
        """Return one row per pair, as a data frame in the library of the data."""
        columns: dict[str, Any] = {
            f"{name}_{side + 1}": [getattr(p, f"{name}s")[side] for p in self.pairs]
            for name in ("row", "value", "target")
            for side in (0, 1)
        }
        for name in ("value_1", "value_2"):
            columns[name] = list(map(str, columns[name]))
        for name in ("difference", "estimate", "agrees", "distance"):
            columns[name] = [getattr(p, name) for p in self.pairs]
        return make_frame(columns, self.effect.backend)


def examples_of(e: Effect, behind: RowsBehind, n_pairs: int) -> Examples:
    """Find the closest pairs that are alike in the other columns, agreeing ones and others."""
    if not e.explained:
        raise result_errors.no_covariance()
    first, second = _candidates(behind)
    distance = _distances(behind.others, first, second)
    closest = np.argsort(distance, kind="stable")[: max(200, 10 * n_pairs)]
    effect = _at_rows(e, behind.column)
    pairs: dict[bool, list[Pair]] = {True: [], False: []}
    agreed, equal, used = [], [], set[int]()
    for k in closest:
        pair = _pair(e, behind, effect, (int(first[k]), int(second[k])), float(distance[k]))
        if np.isnan(pair.estimate):
            continue
        agreed.append(pair.agrees)
        equal.append(pair.difference == 0)
        kept = pairs[pair.agrees]
        if len(kept) < n_pairs and not used & {*pair.rows}:
            kept.append(pair)
            used |= {*pair.rows}
    both = sorted(pairs[True] + pairs[False], key=lambda pair: pair.distance)
    if not agreed:
        return Examples(e, (), np.nan)
    return Examples(e, tuple(both), float(np.mean(agreed)), float(np.mean(equal)))


def _candidates(behind: RowsBehind) -> tuple[IntArray, IntArray]:
    """Return pairs of rows of one stratum that differ in the column, the lower value first."""
    x, rng = behind.column.values, np.random.default_rng(SEED)
    known = np.flatnonzero(~np.isnan(x))
    order = known[np.argsort(behind.strata[known], kind="stable")]
    starts = np.flatnonzero(np.append(True, np.diff(behind.strata[order]) != 0))
    groups = np.split(order, starts[1:])
    if len(groups) > MOST_STRATA:
        groups = [groups[k] for k in rng.choice(len(groups), MOST_STRATA, replace=False)]
    apart = APART * float(np.std(x[known])) if behind.column.kind != "category" else 0.5
    found: list[IntArray] = []
    for group in groups:
        rows = rng.choice(group, MOST_ROWS, replace=False) if len(group) > MOST_ROWS else group
        rows = rows[np.argsort(x[rows], kind="stable")]
        a, b = np.triu_indices(len(rows), 1)
        kept = x[rows[b]] - x[rows[a]] >= apart
        found.append(np.stack([rows[a[kept]], rows[b[kept]]]))
    both = np.concatenate(found, axis=1)
    return both[0], both[1]


def _distances(others: Mapping[str, Column], first: IntArray, second: IntArray) -> FloatArray:
    """Return how unlike the rows of each pair are, shape (k,)."""
    total = np.zeros(len(first))
    for column in others.values():
        a, b = column.values[first], column.values[second]
        absent = np.isnan(a) | np.isnan(b)
        if column.kind == "category":
            apart = (a != b).astype(np.float64)
        else:
            apart = np.abs(a - b) / max(float(np.nanstd(column.values)), 1e-300)
        total += np.where(absent, np.isnan(a) != np.isnan(b), apart)
    return total


def _at_rows(e: Effect, column: Column) -> FloatArray:
    """Return the effect of every row's value on its linear scale, shape (n,)."""
    if e.is_curve:
        return np.interp(column.values, e.positions, e.linear)
    place = {str(level): value for level, value in zip(e.axis, e.linear, strict=True)}
    known = np.array([*(place.get(str(level), np.nan) for level in column.levels), np.nan])
    return known[column.codes]


def _pair(
    e: Effect, behind: RowsBehind, effect: FloatArray, rows: tuple[int, int], distance: float
) -> Pair:
    a, b = rows
    targets = float(behind.target[a]), float(behind.target[b])
    difference, estimate = targets[1] - targets[0], float(effect[b] - effect[a])
    if is_ratio(e.unit):
        estimate = float(in_per_cent(estimate))
        if e.unit != OF_THE_ODDS and min(targets) > 0:
            difference = 100 * (targets[1] / targets[0] - 1)
    first, second = (behind.column.value(behind.column.values[row]) for row in rows)
    return Pair(
        rows=(int(behind.row[a]), int(behind.row[b])),
        values=(first, second),
        targets=targets,
        others={name: (_cell(c, a), _cell(c, b)) for name, c in behind.others.items()},
        difference=difference,
        estimate=estimate,
        distance=distance,
    )


def _cell(column: Column, row: int) -> str:
    if np.isnan(column.values[row]):
        return "missing"
    value = column.value(column.values[row])
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    value = float(f"{value:.9g}")
    return whole(int(value)) if value.is_integer() else f"{value:,.6g}"


def _written(e: Effect, value: Any) -> str:
    return _number(value) if e.is_curve and isinstance(value, float) else str(value)


def _target(e: Effect, value: float) -> str:
    if quantity(e.target, e.unit) != e.target:
        return "yes" if value > 0 else "no"
    return _number(value)
