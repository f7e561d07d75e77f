"""One question asked of one table: which target, which other columns, which rows can answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus import errors, notes
from paribus._types import FloatArray
from paribus.notes import Note
from paribus.strata.rows import canonical_order
from paribus.table import Column, Table, as_column, as_table


@dataclass(frozen=True, slots=True)
class Question:
    """A checked table and its target, rows in an order of their own.

    The rows stand in an order that depends on their values alone, so no later step can
    depend on the order in which the caller had them.

    Attributes
    ----------
    table : Table
        Every column but the target.
    target : str
        The target's name.
    y : float array of shape (n_rows,)
        The target's values, none missing.
    notes : tuple of Note
        What was left out, and why.
    """

    table: Table
    target: str
    y: FloatArray
    notes: tuple[Note, ...]


def ask(X: Any, y: Any, *, names: Sequence[str] | None = None) -> Question:
    """Check a table and a target, given as values or as the name of a column."""
    table = as_table(X, names)
    if isinstance(y, str):
        target = table[y]
        table = table.without(y)
    else:
        target = _target_column(y)
    if not table.columns:
        raise errors.no_columns()
    if len(target.values) != table.n_rows:
        raise errors.unequal_lengths("X", table.n_rows, "y", len(target.values))
    values = _numeric_target(target)
    for column in (*table.columns, target):
        _check_finite(column)
    return _arrange(table, target.name, values)


def _target_column(y: Any) -> Column:
    ndim = np.ndim(y)
    if ndim != 1:
        raise errors.target_shape(ndim)
    return as_column(str(getattr(y, "name", None) or "y"), y)


def _numeric_target(target: Column) -> FloatArray:
    """Return the target as numbers; booleans are 0 and 1."""
    if target.kind == "number" or target.levels == (False, True):
        return target.values
    kind = "dates" if target.kind == "date" else "text or categories"
    raise errors.target_not_numeric(target.name, kind)


def _check_finite(column: Column) -> None:
    infinite = np.isinf(column.values)
    if infinite.any():
        raise errors.infinite_value(column.name, int(infinite.argmax()))


def _arrange(table: Table, target: str, y: FloatArray) -> Question:
    present = ~np.isnan(y)
    n_missing = int(np.count_nonzero(~present))
    if n_missing:
        table, y = table.take(present), y[present]
    if len(y) < 2:
        raise errors.too_few_rows(len(y))
    if y.min() == y.max():
        raise errors.constant_target(target)
    order = canonical_order(np.column_stack([table.matrix(), y]))
    found = (notes.missing_target(target, n_missing),) if n_missing else ()
    return Question(table.take(order), target, y[order], found)
