"""A fitted model brought to the class and the unit that our own effect has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from paribus.base.arrays import FloatArray
from paribus.models import errors as model_errors
from paribus.models.predictor import Predictor, make_predictor
from paribus.table.columns import Column, as_table
from paribus.table.problem import split_off
from paribus.table.target import Target, coded_target


def match_target(
    model: Any,
    data: Any,
    target: Any,
    *,
    class_: Any = None,
    names: Sequence[str] | None = None,
) -> tuple[Predictor, FloatArray]:
    """Return a predictor of what `effect` explains, and the target's values (n,).

    The class is settled by the target, not by the model: the two may have another order.
    """
    table = as_table(data, names)
    rest, column = split_off(table, target, "target")
    coded = coded_target(column, class_)
    inside = column.name if len(rest.columns) < len(table.columns) else None
    predictor = make_predictor(model, data, target=inside, class_=coded.class_, names=names)
    alike = replace(predictor, target=coded.name, unit=coded.unit)
    if predictor.at is None and coded.unit:
        alike = _as_share(alike, column, coded)
    elif predictor.unit != coded.unit:
        raise model_errors.classes_for_numbers(column.name)
    return alike, coded.values


def _as_share(predictor: Predictor, column: Column, coded: Target) -> Predictor:
    """Take predictions between the two numbers of a target as the share of one of them."""
    levels = column.as_category().levels
    if len(levels) != 2 or not all(isinstance(level, (bool, int, float)) for level in levels):
        raise model_errors.numbers_for_classes(coded.name)
    other = next(level for level in levels if level != coded.class_)
    factor = 100.0 / (float(coded.class_) - float(other))
    return replace(predictor, factor=factor, offset=-factor * float(other))
