"""A fitted model and the table it is asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from paribus import errors, notes
from paribus._arrays import FloatArray, IntArray
from paribus.models import refusals
from paribus.notes import Note
from paribus.table import Column, Table, as_table, less_column, moved_rows, native_table
from paribus.target import PERCENTAGE_POINTS

Kind: TypeAlias = Literal["numeric", "categorical"]
Moved: TypeAlias = Mapping[str, IntArray]
NOTHING: Moved = MappingProxyType({})
AT_ONCE = 200_000  # rows that a model is asked about in one call


@dataclass(frozen=True, slots=True)
class Asked:
    """A model, and the table it is asked about.

    Nothing is made up but the combination: a column is moved by giving a row the value that
    another row has, so dates, text and whole numbers stay what they are.

    Attributes
    ----------
    table : Table
        What the model is asked about, less the target.
    target : str
        What it predicts, as shown.
    unit : str
        ``"percentage points"`` for the share of a class, nothing otherwise.
    model : Any
        The model itself.
    ask : function
        How predictions are got from it.
    native : table
        What it takes: the caller's own table, or a matrix of numbers.
    coded : bool
        Whether that is a matrix in which categories are numbered.
    """

    table: Table
    target: str
    unit: str
    model: Any
    ask: Callable[[Any], Any]
    native: Any
    coded: bool = False

    def rows(self, rows: IntArray, moved: Moved = NOTHING) -> Any:
        """Return rows as the model takes them, some columns with the values of other rows."""
        return moved_rows(self.native, self.table.names, rows, moved)

    def predict(self, rows: IntArray, moved: Moved = NOTHING) -> FloatArray:
        """Ask the model, in parts that memory holds; all arrays of shape (m,)."""
        parts = [slice(start, start + AT_ONCE) for start in range(0, len(rows), AT_ONCE)]
        said = [self._said(rows[p], {k: v[p] for k, v in moved.items()}) for p in parts]
        return np.concatenate(said)

    def _said(self, rows: IntArray, moved: Moved) -> FloatArray:
        said = np.asarray(self.ask(self.rows(rows, moved)))
        if said.shape not in ((len(rows),), (len(rows), 1)) or said.dtype.kind not in "buif":
            raise refusals.strange_prediction(said.shape, str(said.dtype), len(rows))
        return said.astype(np.float64).ravel()

    def column(self, name: object, kind: Kind | None = None) -> Column:
        """Return a column, taken as numeric or categorical where that is asked for."""
        column = self.table[str(name)]
        if kind not in (None, "numeric", "categorical"):
            raise errors.bad_choice("kind", kind, ["numeric", "categorical"])
        if kind == "categorical":
            return column.as_category()
        return column.as_number() if kind == "numeric" else column

    def present(self, column: Column) -> tuple[IntArray, tuple[Note, ...]]:
        """Return the rows that have a value of a column, and a note on those without."""
        missing = np.isnan(column.values)
        n_missing = int(np.count_nonzero(missing))
        told = (notes.missing_feature(column.name, n_missing),) if n_missing else ()
        return np.flatnonzero(~missing), told


def ask_model(
    model: Any,
    data: Any,
    *,
    target: str | None = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
) -> Asked:
    """Put a fitted model and the table it takes together.

    A target that is a column of the table is left out of it before the model is asked.
    """
    table, native = as_table(data, names), native_table(data)
    if target in table.names and not isinstance(data, np.ndarray):
        table, native = table.without(str(target)), less_column(native, str(target))
    if not table.columns:
        raise errors.no_columns()
    shown, unit, ask = _spoken(model, target or "prediction", class_)
    return Asked(table, shown, unit, model, ask, native)


def ask_matrix(model: Any, table: Table, target: str, unit: str) -> Asked:
    """Put a model that takes the table as a matrix of numbers together with it.

    It is asked on one thread: for batches this small several gain little, and on a busy machine
    they wait for each other.
    """
    from threadpoolctl import threadpool_limits

    shares = hasattr(model, "predict_proba")

    def ask(X: FloatArray) -> FloatArray:
        with threadpool_limits(1, user_api="openmp"):
            return 100 * model.predict_proba(X)[:, -1] if shares else model.predict(X)

    return Asked(table, target, unit, model, ask, table.matrix(), coded=True)


def _spoken(model: Any, target: str, class_: Any) -> tuple[str, str, Callable[[Any], Any]]:
    """Return what a model speaks of, in which unit, and how it is asked."""
    if hasattr(model, "predict_proba"):
        classes = np.asarray(model.classes_).tolist()
        k = _choose(target, classes, class_)
        share = f"{target} is {classes[k]}"
        return share, PERCENTAGE_POINTS, lambda X: 100 * model.predict_proba(X)[:, k]
    if not hasattr(model, "predict"):
        raise refusals.not_a_model(model)
    return target, "", model.predict


def _choose(target: str, classes: list[Any], class_: Any) -> int:
    """Find the class asked for; of two the second, unless told otherwise."""
    if class_ is None:
        if len(classes) > 2:
            raise errors.class_needed(target, classes)
        return len(classes) - 1
    for k, known in enumerate(classes):
        if known == class_ or str(known) == str(class_):
            return k
    raise errors.unknown_level(target, class_, classes)
