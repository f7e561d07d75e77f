"""A fitted model asked for what our own effect tells: of the same class, in the same unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from paribus.base.arrays import FloatArray
from paribus.models import errors as refusals
from paribus.models.predictor import Predictor, ask_model
from paribus.table.columns import Column, as_table
from paribus.table.problem import split_off
from paribus.table.target import Target, coded_target


def ask_alike(
    model: Any,
    data: Any,
    target: Any,
    *,
    class_: Any = None,
    names: Sequence[str] | None = None,
) -> tuple[Predictor, FloatArray]:
    """Ask a model for what `effect` explains; the target's values (n,) come beside it.

    The class is settled by the target, not by the model: the two may have another order.
    """
    table = as_table(data, names)
    rest, column = split_off(table, target, "y")
    coded = coded_target(column, class_)
    inside = column.name if len(rest.columns) < len(table.columns) else None
    asked = ask_model(model, data, target=inside, class_=coded.class_, names=names)
    alike = replace(asked, target=coded.name, unit=coded.unit)
    if asked.at is None and coded.unit:
        alike = _as_share(alike, column, coded)
    elif asked.unit != coded.unit:
        raise refusals.classes_for_numbers(column.name)
    return alike, coded.values


def _as_share(asked: Predictor, column: Column, coded: Target) -> Predictor:
    """Take predictions between the two numbers of a target as the share of one of them."""
    levels = column.as_category().levels
    if len(levels) != 2 or not all(isinstance(level, (bool, int, float)) for level in levels):
        raise refusals.numbers_for_classes(coded.name)
    other = next(level for level in levels if level != coded.class_)
    factor = 100.0 / (float(coded.class_) - float(other))
    return replace(asked, factor=factor, offset=-factor * float(other))
