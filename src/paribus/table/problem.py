"""One problem posed by one table: its target, the other columns, and the usable rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from paribus.base import errors
from paribus.base.arrays import BoolArray, FloatArray, Hashes, IntArray, Labels, Rows
from paribus.base.checks import as_names
from paribus.base.notes import Note
from paribus.strata.columns import Own, know
from paribus.strata.rows import row_hash
from paribus.table import errors as table_errors
from paribus.table import notes as table_notes
from paribus.table.columns import Column, Table, as_column, as_table, only_column, same_index
from paribus.table.proposal import Proposal
from paribus.table.target import Target, plain_target

MANY_COPIES = 0.05  # share of rows that are copies of others: above it, copies count once
TELLS_APART = 0.75  # of the different rows a column must tell apart: else they are alike by chance
FEW_CLUSTERS = 30
MOST_COUNTED = 2**53  # beyond it floats leave whole numbers out
LARGEST = 1e150  # squares of anything larger overflow
SMALLEST = 1e-140  # squares of anything smaller are nothing


@dataclass(frozen=True, slots=True)
class Tidying:
    """What a look at a table has arranged before it is explained."""

    # For a column, those that are not held still while it is explained.
    along: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Columns that are explained as one, the one that stands for all first.
    groups: tuple[tuple[str, ...], ...] = ()
    # Columns that are explained only through the one that stands for their group.
    hidden: frozenset[str] = frozenset()
    # What is worth telling of it, a note each.
    told: tuple[Proposal, ...] = ()
    # The length of the round that a number runs in.
    cycles: Mapping[str, int] = field(default_factory=dict)
    # Values of the target that stand for no answer.
    unanswered: tuple[float, ...] = ()

    def group_of(self, name: str) -> tuple[str, ...]:
        """Return the group that a column stands for or belongs to, itself first."""
        for group in self.groups:
            if name in group:
                return (name, *(member for member in group if member != name))
        return (name,)


Tidy: TypeAlias = Callable[[Table, Column], tuple[Table, Tidying, Own | None]]


@dataclass(frozen=True)
class Problem:
    """A checked table and its target, rows in an order of their own.

    The rows stand in an order that depends on their values alone, so no later step can
    depend on the order in which the caller had them.
    """

    table: Table  # every column but target and weights
    target: str  # the target's name, as shown
    unit: str  # the effect's unit where it is not the target's own
    y: FloatArray  # (n_rows,): the target's values, none missing
    weights: FloatArray | None  # (n_rows,): sampling weights, positive, with mean 1
    # How many equal rows each row stands for, positive whole numbers.
    counts: FloatArray | None  # (n_rows,)
    # Rows of one cluster belong together: their errors may be alike.
    cluster: Labels | None  # (n_rows,)
    within: Labels | None  # (n_rows,): rows are compared only with rows of the same unit
    row: Rows  # (n_rows,): where each row stands in the caller's table, counted from 0
    notes: tuple[Note, ...]  # what was left out, and why
    target_column: str  # the name of the target's column
    tidied: Tidying  # what a look at the table has arranged
    # The names of all columns in an order that depends on their values alone.
    own_order: tuple[str, ...]

    @cached_property
    def total_weights(self) -> FloatArray:
        """How much each row weighs in every sum, shape (n_rows,): its weight times its count."""
        out = np.ones(len(self.y)) if self.counts is None else self.counts
        return out if self.weights is None else out * self.weights

    def take(self, rows: Rows) -> Problem:
        """Return some of the rows as a problem of their own, without notes on all of them."""
        weights, counts = self.weights, self.counts
        counts = None if counts is None else counts[rows]
        if weights is not None:
            weights = weights[rows] / np.average(weights[rows], weights=counts)
        return replace(
            self,
            table=self.table.take(rows),
            y=self.y[rows],
            weights=weights,
            counts=counts,
            cluster=None if self.cluster is None else _numbered(self.cluster[rows]),
            within=None if self.within is None else _numbered(self.within[rows]),
            row=self.row[rows],
            notes=(),
        )

    def column(self, name: object) -> Column:
        """Return the column to explain."""
        if str(name) == self.target_column and str(name) not in self.table.names:
            raise table_errors.target_as_feature(str(name))
        return self.table[str(name)]

    @property
    def shown(self) -> list[str]:
        """The columns that are explained by themselves, if all are asked for."""
        return [name for name in self.table.names if name not in self.tidied.hidden]

    def names_of(self, features: Sequence[str]) -> list[str]:
        """Return the names of columns to explain, one or several, each once."""
        return list(dict.fromkeys(self.column(name).name for name in as_names(features)))

    def group(self, together: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that move together, none or two at least."""
        group = self.names_of(together)
        if group and len(wanted) == 1:
            group = list(dict.fromkeys([*wanted, *group]))
        if len(group) == 1:
            raise table_errors.alone_together(group[0])
        return tuple(group)


def make_problem(
    data: Any,
    target: Any,
    *,
    names: Sequence[str] | None = None,
    kind: Mapping[str, str] | None = None,
    tidy: Tidy | None = None,
    copies_once: bool = False,
    code: Callable[[Column], Target] = plain_target,
    n_threads: int = 1,
    **given: Any,
) -> Problem:
    """Check a table, its target and what was said about its rows.

    Weights, counts, cluster, within and exposure may be `given`, like the target, as values or as a
    column's name. With `copies_once`, duplicate rows become one row with a weight.
    """
    whole = as_table(data, names)
    for role, values in (("target", target), *given.items()):
        if not same_index(data, values):
            raise table_errors.another_index(role)
    table, y = split_off(whole, target, "target")
    roles: dict[str, Column] = {}
    for role, values in given.items():
        if values is not None:
            _, roles[role] = split_off(whole, values, role)
            if isinstance(values, (str, int)):
                if isinstance(target, (str, int)) and values == target:
                    raise table_errors.target_has_role(y.name, role)
                table = table.without(roles[role].name)
    if not table.columns:
        raise table_errors.no_columns()
    if table.n_rows == 0:
        raise table_errors.too_few_rows(0)
    for role in ("weights", "counts", "exposure"):
        if role in roles:
            if roles[role].kind != "number":
                raise table_errors.bad_weight(role, roles[role].name, 0)
            check_weights(role, roles[role].name, roles[role].values)
    for column in (*table.columns, y):
        check_finite(column.name, column.values)
    target_column = y.name
    if "exposure" in roles:
        y, roles["weights"] = _rates(y, roles.pop("exposure"), roles.get("weights"))
    tidied, known = Tidying(), None
    if tidy is None:
        _check_not_twice(table, y)
    else:
        table, tidied, known = tidy(table, y)
        y = y.blanked(tidied.unanswered)
    table = _with_kinds(table, kind or {})
    problem = _arrange(table, code(y), roles, target_column, n_threads, copies_once, known)
    return replace(problem, tidied=tidied, notes=(*(p.note for p in tidied.told), *problem.notes))


def split_off(table: Table, given: Any, role: str) -> tuple[Table, Column]:
    """Take a column out of the table by its name, or read it from separate values.

    A target without a name is called y, anything else after its role.
    """
    if isinstance(given, (str, int)):
        column = table[str(given)]
        return table.without(column.name), column
    given = only_column(given)
    ndim = np.ndim(given) if not isinstance(given, list) else 1
    if ndim != 1:
        raise table_errors.not_one_column(role, ndim)
    unnamed = "y" if role == "target" else role
    column = as_column(str(getattr(given, "name", None) or unnamed), given)
    if len(column.values) != table.n_rows:
        raise table_errors.unequal_lengths(
            "The table", table.n_rows, f"the argument {role}", len(column.values)
        )
    return table, column


def check_weights(role: str, name: str, values: FloatArray, start: int = 0) -> None:
    """Refuse invalid weights or counts; the first value belongs to row `start`."""
    wrong = ~(values >= 0) | np.isinf(values)
    if wrong.any():
        raise table_errors.bad_weight(role, name, start + int(wrong.argmax()))
    if role == "counts" and (values % 1 > 0).any():
        raise table_errors.bad_count(name, start + int((values % 1 > 0).argmax()))
    check_finite(name, values, start)
    if role == "counts" and values.sum() > MOST_COUNTED:
        raise table_errors.too_many_counted(name, MOST_COUNTED)


def _rates(target: Column, exposure: Column, weights: Column | None) -> tuple[Column, Column]:
    """Return a count as a rate, and the weight of each row: its exposure."""
    if target.kind != "number":
        raise table_errors.exposure_of_classes(target.name)
    exposed = exposure.values > 0
    with np.errstate(over="ignore"):
        rate = np.divide(target.values, exposure.values, out=0 * target.values, where=exposed)
    heavy = exposure.values * (1.0 if weights is None else weights.values)
    name = f"{target.name} per {exposure.name}"
    check_finite(name, rate)
    check_finite(exposure.name, heavy)
    return replace(target, name=name, values=rate), replace(exposure, values=heavy)


def check_finite(name: str, values: FloatArray, start: int = 0) -> None:
    """Refuse values that are infinite or too large; the first value belongs to row `start`."""
    size: FloatArray = np.abs(values)
    if np.fmax.reduce(size, initial=0.0) <= LARGEST:
        return
    if np.isinf(size).any():
        raise table_errors.infinite_value(name, start + int(np.isinf(size).argmax()))
    raise table_errors.extreme_value(name, start + int((size > LARGEST).argmax()))


def _check_not_twice(table: Table, target: Column) -> None:
    for column in table.columns:
        same_kind = column.kind == target.kind and column.levels == target.levels
        alike = same_kind and _equal(column.values[:100], target.values[:100])
        if alike and _equal(column.values, target.values):
            raise table_errors.target_twice(column.name)


def _equal(first: FloatArray, second: FloatArray) -> bool:
    return np.array_equal(first, second, equal_nan=True)


def _with_kinds(table: Table, kind: Mapping[str, str]) -> Table:
    """Return the table with some columns forced to be numeric or categorical."""
    if not isinstance(kind, Mapping):
        raise table_errors.bad_kind(kind)
    forced = {}
    for name, wanted in kind.items():
        column = table[name]
        if wanted == "categorical":
            forced[name] = column.as_category()
        elif wanted == "numeric":
            forced[name] = column.as_number()
        else:
            raise errors.bad_choice(f"kind of {name!r}", wanted, ["numeric", "categorical"])
    columns = tuple(forced.get(c.name, c) for c in table.columns)
    return Table(columns, table.n_rows, table.backend)


def _arrange(
    table: Table,
    target: Target,
    roles: Mapping[str, Column],
    target_column: str,
    n_threads: int,
    copies_once: bool,
    known: Own | None,
) -> Problem:
    """Leave out rows that cannot be used, and sort the others into a canonical order."""
    kept, found = _usable_rows(target, roles)
    y, row = target.values[kept], np.flatnonzero(kept)
    table = table if kept.all() else table.take(kept)
    _check_target(target.name, y, left_out=bool(np.any(~kept & ~np.isnan(target.values))))
    given = {role: roles[role].values[row] for role in ("weights", "counts") if role in roles}
    order = _own_order(table, y, given.get("counts"), n_threads, known=known)
    copies = None
    if copies_once and not {"counts", "cluster", "within"} & {*roles}:
        copies = _copies(table, y, order, given.get("weights"))
    if copies is not None:
        found = (*found, table_notes.copied_rows(len(y) - len(copies.rows), len(y)))
        order = _own_order(table, y, None, n_threads, rows=copies.rows)
        given["weights"] = copies.times * given.get("weights", np.ones(len(y)))
    weights, counts = (
        given[role][order.rows] if role in given else None for role in ("weights", "counts")
    )
    row, grouping = row[order.rows], roles.get("cluster", roles.get("within"))
    cluster = _units(grouping, row)
    if grouping is not None and cluster is not None and cluster.max() == 0:
        raise table_errors.one_cluster(grouping.name)
    if cluster is not None and cluster.max() + 1 < FEW_CLUSTERS:
        found = (*found, table_notes.few_clusters(int(cluster.max()) + 1))
    return Problem(
        table=table.take(order.rows, n_threads),
        target=target.name,
        unit=target.unit,
        y=y[order.rows],
        weights=None if weights is None else weights / np.average(weights, weights=counts),
        counts=counts,
        cluster=cluster,
        within=_units(roles.get("within"), row),
        row=row,
        notes=found,
        target_column=target_column,
        tidied=Tidying(),
        own_order=tuple(table.columns[k].name for k in order.columns),
    )


def _usable_rows(target: Target, roles: Mapping[str, Column]) -> tuple[BoolArray, tuple[Note, ...]]:
    """Find the rows (n,) with a target, a weight and a unit, and the notes on the rest."""
    missing = np.isnan(target.values)
    idle, unnamed = np.zeros_like(missing), np.zeros_like(missing)
    for role in ("weights", "counts"):
        if role in roles:
            idle |= (roles[role].values == 0) & ~missing
    for role in ("cluster", "within"):
        if role in roles:
            unnamed |= np.isnan(roles[role].values) & ~missing & ~idle
    found = target.notes
    if missing.any():
        found = (*found, table_notes.missing_target(target.name, int(missing.sum())))
    if idle.any():
        found = (*found, table_notes.zero_weight(int(idle.sum())))
    if unnamed.any():
        found = (*found, table_notes.without_unit(int(unnamed.sum())))
    return ~(missing | idle | unnamed), found


def _check_target(name: str, y: FloatArray, *, left_out: bool) -> None:
    """Refuse a target (n,) that does not vary, or varies too little."""
    if len(y) < 2:
        raise table_errors.too_few_rows(len(y), left_out)
    if y.min() == y.max():
        raise table_errors.constant_target(name)
    if np.abs(y).max() < SMALLEST:
        raise table_errors.tiny_target(name)


@dataclass(frozen=True, slots=True)
class _Order:
    """An order of columns and rows that depends on their values alone."""

    columns: IntArray  # (p,)
    rows: Rows  # (m,)
    hashes: Hashes  # (m,): of the rows in this order; equal rows have equal ones


def _own_order(
    table: Table,
    y: FloatArray,
    times: FloatArray | None,
    n_threads: int,
    *,
    rows: Rows | None = None,
    known: Own | None = None,
) -> _Order:
    """Order the columns of a table and all or some of its rows, each of which counts `times` (n,).

    The rows' hashes may be `known` from before.
    """
    columns = [c.two_as_levels() for c in table.columns]
    values, n_levels = [c.values for c in columns], [len(c.levels) for c in columns]
    if rows is not None:
        values, y = [v[rows] for v in values], y[rows]
    if known is not None and times is None and known.is_of(values, n_levels, y):
        own = known
    else:
        own = know(values, n_levels, y, times, n_threads)
    hashes, order = own.rows, np.argsort(own.rows)
    if np.any(hashes[order[1:]] == hashes[order[:-1]]):  # equal, or known by too little
        hashes = row_hash(*(values[k] for k in own.order), y, n_threads=n_threads)
        order = np.lexsort((hashes, own.rows))
    return _Order(own.order, order if rows is None else rows[order], hashes[order])


@dataclass(frozen=True, slots=True)
class _Copies:
    """One row from each set of duplicates."""

    rows: Rows
    times: FloatArray  # (n,): how often each of all rows is there


def _copies(
    table: Table, y: FloatArray, order: _Order, weights: FloatArray | None
) -> _Copies | None:
    """Find duplicate rows; None if there are few, or if they may be equal by chance.

    Rows may be equal by chance where no column tells most rows apart, as in a table of categories,
    and where equal rows have different weights.
    """
    hashes = order.hashes
    first = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
    if not table.columns or len(first) > (1 - MANY_COPIES) * len(hashes):
        return None
    sizes = np.diff(np.append(first, len(hashes)))
    if weights is not None:
        heavy = weights[order.rows]
        if np.any(np.repeat(heavy[first], sizes) != heavy):
            return None
    kept = order.rows[first]
    finest = max(len(np.unique(v[kept])) for v in (*(c.values for c in table.columns), y))
    if finest < TELLS_APART * len(kept):
        return None
    times = np.empty(len(y))
    times[order.rows] = np.repeat(sizes, sizes)
    return _Copies(kept, times)


def _units(column: Column | None, row: Rows) -> Labels | None:
    """Number the units that rows belong to, from 0, shape (len(row),)."""
    return None if column is None else _numbered(column.values[row])


def _numbered(values: FloatArray | Labels) -> Labels:
    """Number distinct values from 0, shape (n,)."""
    return np.unique(values, return_inverse=True)[1].astype(np.int32)
