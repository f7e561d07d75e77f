"""One problem asked of one table: which target, which other columns, which rows can answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base import errors, notes
from paribus.base.arrays import FloatArray
from paribus.base.notes import Note
from paribus.strata.rows import row_hash
from paribus.table.columns import Column, Table, as_column, as_table, same_index
from paribus.table.target import Target, plain_target

LARGEST = 1e150  # squares of anything larger overflow


@dataclass(frozen=True, slots=True)
class Problem:
    """A checked table and its target, rows in an order of their own.

    The rows stand in an order that depends on their values alone, so no later step can
    depend on the order in which the caller had them.

    Attributes
    ----------
    table : Table
        Every column but target and weights.
    target : str
        The target's name, as shown.
    unit : str
        The effect's unit where it is not the target's own.
    y : float array of shape (n_rows,)
        The target's values, none missing.
    weights : float array of shape (n_rows,), or None
        How much each row counts, positive: whole numbers as they are, others with mean 1.
    notes : tuple of Note
        What was left out, and why.
    target_column : str
        The name of the target's column.
    """

    table: Table
    target: str
    unit: str
    y: FloatArray
    weights: FloatArray | None
    notes: tuple[Note, ...]
    target_column: str

    def column(self, name: object) -> Column:
        """Return the column to explain."""
        if str(name) == self.target_column and str(name) not in self.table.names:
            raise errors.target_as_feature(str(name))
        return self.table[str(name)]

    def names_of(self, features: Sequence[str]) -> list[str]:
        """Return the names of columns to explain, one or several, each once."""
        given = [features] if isinstance(features, str) else features
        return list(dict.fromkeys(self.column(name).name for name in given))

    def group(self, together: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that move together, none or two at least."""
        group = self.names_of(together)
        if group and len(wanted) == 1:
            group = list(dict.fromkeys([*wanted, *group]))
        if len(group) == 1:
            raise errors.alone_together(group[0])
        return tuple(group)


def make_problem(
    X: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    weights: Any = None,
    kind: Mapping[str, str] | None = None,
    code: Callable[[Column], Target] = plain_target,
    n_threads: int = 1,
) -> Problem:
    """Check a table, a target and weights, each given as values or as a column's name."""
    table = as_table(X, names)
    for role, values in (("y", y), ("weights", weights)):
        if not same_index(X, values):
            raise errors.another_index(role)
    table, target = split_off(table, y, "y")
    counts = None
    if weights is not None:
        table, counts = split_off(table, weights, "weights")
        _check_weights(counts)
    if not table.columns:
        raise errors.no_columns()
    if table.n_rows == 0:
        raise errors.too_few_rows(0)
    for column in (*table.columns, target):
        check_finite(column)
    _check_not_twice(table, target)
    table = _with_kinds(table, kind or {})
    return _arrange(table, code(target), counts, target.name, n_threads)


def split_off(table: Table, given: Any, role: str) -> tuple[Table, Column]:
    """Take a column out of the table by its name, or read it from values beside the table."""
    if isinstance(given, (str, int)):
        column = table[str(given)]
        return table.without(column.name), column
    ndim = np.ndim(given) if not isinstance(given, list) else 1
    if ndim != 1:
        raise errors.not_one_column(role, ndim)
    column = as_column(str(getattr(given, "name", None) or role), given)
    if len(column.values) != table.n_rows:
        raise errors.unequal_lengths("The table", table.n_rows, role, len(column.values))
    return table, column


def _check_weights(column: Column) -> None:
    wrong = ~(column.values >= 0) | np.isinf(column.values)
    if column.kind != "number" or wrong.any():
        raise errors.bad_weight(column.name, int(wrong.argmax()))


def check_finite(column: Column) -> None:
    """Refuse a column with values that are infinite, or too large to compute with."""
    extreme = np.abs(column.values) > LARGEST
    if not extreme.any():
        return
    infinite = np.isinf(column.values)
    if infinite.any():
        raise errors.infinite_value(column.name, int(infinite.argmax()))
    raise errors.extreme_value(column.name, int(extreme.argmax()))


def _check_not_twice(table: Table, target: Column) -> None:
    for column in table.columns:
        same_kind = column.kind == target.kind and column.levels == target.levels
        alike = same_kind and _equal(column.values[:100], target.values[:100])
        if alike and _equal(column.values, target.values):
            raise errors.target_twice(column.name)


def _equal(first: FloatArray, second: FloatArray) -> bool:
    return np.array_equal(first, second, equal_nan=True)


def _with_kinds(table: Table, kind: Mapping[str, str]) -> Table:
    """Return the table with some columns forced to be numeric or categorical."""
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
    table: Table, target: Target, weights: Column | None, target_column: str, n_threads: int
) -> Problem:
    y, w = target.values, None if weights is None else weights.values
    missing = np.isnan(y)
    idle = np.zeros(len(y), dtype=np.bool_) if w is None else (w == 0) & ~missing
    found = target.notes
    if missing.any():
        found = (*found, notes.missing_target(target.name, int(missing.sum())))
    if idle.any():
        found = (*found, notes.zero_weight(int(idle.sum())))
    left_out = missing | idle
    if w is not None and not np.all(w == np.floor(w)):
        w = w / w[~left_out].mean() if np.any(~left_out) else w
    if left_out.any():
        table, y, w = table.take(~left_out), y[~left_out], None if w is None else w[~left_out]
    if len(y) < 2:
        raise errors.too_few_rows(len(y))
    if y.min() == y.max():
        raise errors.constant_target(target.name)
    hashes = row_hash(*(c.values for c in table.columns), y, n_threads=n_threads)
    order = np.argsort(hashes, kind="stable")
    return Problem(
        table=table.take(order, n_threads),
        target=target.name,
        unit=target.unit,
        y=y[order],
        weights=None if w is None else w[order],
        notes=found,
        target_column=target_column,
    )
