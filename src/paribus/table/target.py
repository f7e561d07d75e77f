"""The target as numbers: as it is, or the share of a class in percentage points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.base.notes import Note
from paribus.table import errors as table_errors
from paribus.table import notes as table_notes
from paribus.table.columns import Column

PERCENTAGE_POINTS = "percentage points"
MOST_CLASSES = 50
ALL = 100.0  # percentage points: no two shares differ by more


@dataclass(frozen=True, slots=True)
class Target:
    """A target ready for comparing."""

    name: str  # as shown: the column's name, or ``"income is >50K"`` for a class
    values: FloatArray  # (n,): NaN where missing
    unit: str = ""  # ``"percentage points"`` for a class, nothing otherwise
    notes: tuple[Note, ...] = ()
    class_: Any = None  # the class itself, as the column has it


def plain_target(column: Column) -> Target:
    """Take numbers as they are and booleans as 0 and 1, as the paper does."""
    if column.kind == "number" or column.levels == (False, True):
        return Target(column.name, column.values)
    kind = "dates" if column.kind == "date" else "text or categories"
    raise table_errors.target_not_numeric(column.name, kind)


def coded_target(column: Column, class_: Any = None, scale: str | None = None) -> Target:
    """Return numbers as they are, and classes as the share of one of them.

    On the scale ``"log"`` numbers become their logarithms, times a hundred.

    Examples
    --------
    >>> target = coded_target(Column("won", "category", np.array([0.0, 1, 1]), ("no", "yes")))
    >>> target.name, target.values.tolist(), target.unit
    ('won is yes', [0.0, 100.0, 100.0], 'percentage points')
    """
    if column.kind == "date":
        raise table_errors.target_is_a_date(column.name)
    if class_ is None and column.kind == "number" and not _two_values(column.values):
        values = _logs(column) if scale == "log" else column.values
        return Target(column.name, values)
    if scale == "log":
        raise table_errors.wrong_scale(column.name, scale)
    classes = column.as_category()
    chosen = class_at(column.name, classes_of(classes), class_)
    if chosen is None:
        raise table_errors.unknown_level(column.name, class_, classes.levels)
    if len(classes.levels) < 2:
        raise table_errors.constant_target(column.name)
    present = ~np.isnan(classes.values)
    share = np.where(present, 100.0 * (classes.values == chosen), np.nan)
    shown = classes.levels[chosen]
    shown = int(shown) if isinstance(shown, float) and shown.is_integer() else shown
    note = table_notes.class_target(column.name, shown, len(classes.levels))
    return Target(
        f"{column.name} is {shown}", share, PERCENTAGE_POINTS, (note,), classes.levels[chosen]
    )


def _logs(column: Column) -> FloatArray:
    wrong = int(np.sum(column.values <= 0))
    if wrong:
        raise table_errors.not_positive(column.name, wrong)
    return 100 * np.log(column.values)


def classes_of(column: Column) -> tuple[Any, ...]:
    """Return the classes of a target, each of which can be explained against the rest."""
    if column.kind == "date":
        raise table_errors.target_is_a_date(column.name)
    levels = column.as_category().levels
    if len(levels) > MOST_CLASSES:
        numbers = all(isinstance(level, (int, float)) for level in levels)
        raise table_errors.too_many_classes(column.name, len(levels), numbers)
    return levels


def class_at(name: str, classes: Sequence[Any], class_: Any = None) -> int | None:
    """Find the class asked for among those of a target; the second of two by default.

    Examples
    --------
    >>> class_at("won", ["no", "yes"]), class_at("won", [0, 1], "0"), class_at("won", [0, 1], "no")
    (1, 0, None)
    """
    if class_ is None:
        if len(classes) > 2:
            raise table_errors.class_needed(name, classes)
        return len(classes) - 1
    alike = (k for k, known in enumerate(classes) if known == class_ or str(known) == str(class_))
    return next(alike, None)


def _two_values(values: FloatArray) -> bool:
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return False
    low, high = present.min(), present.max()
    return bool(low < high and np.all((present == low) | (present == high)))
