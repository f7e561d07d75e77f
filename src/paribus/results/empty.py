"""The result for a column that cannot be explained: no points, and notes that say why."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from paribus.base.notes import Note
from paribus.results.categorical import CategoricalEffect
from paribus.results.numeric import NumericEffect
from paribus.results.parts import Histogram
from paribus.table.columns import Column, Table


class Source(Protocol):
    """A table, and what is explained in it."""

    @property
    def table(self) -> Table:
        """All columns but the target."""

    @property
    def target(self) -> str:
        """The target's name."""

    @property
    def unit(self) -> str:
        """The effect's unit if it is not the target's own."""


def identity(source: Source, column: Column, method: str) -> dict[str, Any]:
    """Return what every result says about the column and its table."""
    return {
        "feature": column.name,
        "target": source.target,
        "method": method,
        "unit": source.unit,
        "n_rows": source.table.n_rows,
        "backend": source.table.backend,
    }


def empty_effect(
    source: Source, column: Column, method: str, *notes: Note
) -> NumericEffect | CategoricalEffect:
    """Return an effect without a point."""
    nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
    common = {"effect": nothing, "n_used": 0, "notes": notes, **identity(source, column, method)}
    if column.kind == "category":
        return CategoricalEffect(levels=(), count=none, **common)
    axis = column.shown(nothing)
    return NumericEffect(x=axis, support=nothing, distribution=Histogram(axis, none), **common)


def why_constant(is_known: bool) -> str:
    """Say why nothing can be said of a column with fewer than two values."""
    return "it has the same value in every row" if is_known else "it is missing in every row"
