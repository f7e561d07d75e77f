"""A fitted model and the table it predicts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from paribus.api import Kind
from paribus.base import errors
from paribus.base.arrays import FloatArray, IntArray
from paribus.base.notes import Note
from paribus.models import errors as model_errors
from paribus.results import notes as result_notes
from paribus.table import errors as table_errors
from paribus.table.columns import Column, Table, as_table, less_column, moved_rows, native_table
from paribus.table.problem import check_finite
from paribus.table.target import PERCENTAGE_POINTS, class_at

Moved: TypeAlias = Mapping[str, IntArray]
NOTHING: Moved = MappingProxyType({})
AT_ONCE = 200_000  # rows that a model predicts in one call


@dataclass(frozen=True, slots=True)
class Predictor:
    """A model, and the table it predicts from.

    Only combinations of values are made up, never values: a column is moved by giving a row the
    value that another row has, so dates, text and whole numbers keep their type.
    """

    table: Table  # what it predicts from, without the target
    target: str  # what it predicts, as shown
    unit: str  # ``"percentage points"`` for the share of a class, nothing otherwise
    model: Any  # the model itself
    # Its ``predict``, or its ``predict_proba`` for the shares of its classes.
    call: Callable[[Any], Any]
    native: Any  # what it takes: the caller's own table, or a matrix of numbers
    coded: bool = False  # whether that is a matrix in which categories are numbered
    # The class explained, by its position among the model's; None where it predicts numbers.
    at: int | None = None
    # Predictions are multiplied by the factor, then the offset is added.
    factor: float = 1.0
    offset: float = 0.0

    def rows(self, rows: IntArray, moved: Moved = NOTHING) -> Any:
        """Return rows as the model takes them, some columns with the values of other rows."""
        return moved_rows(self.native, self.table.names, rows, moved)

    def predict(self, rows: IntArray, moved: Moved = NOTHING) -> FloatArray:
        """Predict rows, in parts that fit into memory; all arrays have shape (m,)."""
        parts = [slice(start, start + AT_ONCE) for start in range(0, len(rows), AT_ONCE)]
        said = [self._said(rows[p], {k: v[p] for k, v in moved.items()}) for p in parts]
        answers = np.concatenate(said)
        strange = int(np.count_nonzero(~np.isfinite(answers)))
        if strange:
            raise model_errors.not_finite(strange, len(answers), list(moved))
        return self.offset + self.factor * answers

    def _said(self, rows: IntArray, moved: Moved) -> FloatArray:
        try:
            said = np.asarray(self.call(self.rows(rows, moved)))
            said = said if self.at is None else said[:, self.at]
        except Exception as error:
            raise model_errors.cannot_predict(error) from error
        if said.shape not in ((len(rows),), (len(rows), 1)) or said.dtype.kind not in "buif":
            raise model_errors.strange_prediction(said.shape, str(said.dtype), len(rows))
        return said.astype(np.float64).ravel()

    def column(self, name: object, kind: Kind | None = None) -> Column:
        """Return a column, as numeric or categorical if `kind` says so."""
        column = self.table[str(name)]
        check_finite(column.name, column.values)
        if kind not in (None, "numeric", "categorical"):
            raise errors.bad_choice("kind", kind, ["numeric", "categorical"])
        if kind == "categorical":
            return column.as_category()
        return column.as_number() if kind == "numeric" else column

    def present(self, column: Column) -> tuple[IntArray, tuple[Note, ...]]:
        """Return the rows that have a value of a column, and a note on those without."""
        missing = np.isnan(column.values)
        n_missing = int(np.count_nonzero(missing))
        remarks = (result_notes.missing_feature(column.name, n_missing),) if n_missing else ()
        return np.flatnonzero(~missing), remarks


def make_predictor(
    model: Any,
    data: Any,
    *,
    target: str | None = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
) -> Predictor:
    """Combine a fitted model with the table it takes.

    A target that is a column of the table is left out of it.
    """
    table, native = as_table(data, names), native_table(data)
    if target in table.names:
        native = less_column(native, table.names.index(target))
        table = table.without(target)
    if not table.columns:
        raise table_errors.no_columns()
    if table.n_rows == 0:
        raise model_errors.no_rows()
    if isinstance(model, type):
        raise model_errors.not_an_instance(model.__name__)
    name = target or "prediction"
    if not hasattr(model, "predict_proba"):
        if not hasattr(model, "predict"):
            raise model_errors.not_a_model(type(model).__name__)
        return Predictor(table, name, "", model, model.predict, native)
    if not hasattr(model, "classes_"):
        raise model_errors.no_classes(type(model).__name__)
    classes = np.asarray(model.classes_).tolist()
    at = class_at(name, classes, class_)
    if at is None:
        raise model_errors.unknown_class(name, class_, classes)
    shown = f"{name} is {classes[at]}"
    return Predictor(
        table, shown, PERCENTAGE_POINTS, model, model.predict_proba, native, at=at, factor=100.0
    )


def matrix_predictor(model: Any, table: Table, target: str, unit: str) -> Predictor:
    """Combine a table with a model that takes it as a matrix of numbers.

    It predicts on one thread: for batches this small several gain little, and on a busy machine
    they wait for each other. A classifier tells the rows of one class (True) from the others.
    """
    from threadpoolctl import threadpool_limits

    shares = hasattr(model, "predict_proba")
    answer = model.predict_proba if shares else model.predict

    def call(X: FloatArray) -> FloatArray:
        with threadpool_limits(1, user_api="openmp"):
            return answer(X)

    found = Predictor(table, target, unit, model, call, table.matrix(), coded=True)
    if not shares:
        return found
    return replace(found, at=len(model.classes_) - 1, factor=100.0 * bool(model.classes_[-1]))
