"""A guess at what the user wants to know: the target, and which columns matter most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.errors import InputError
from paribus.pipeline.diagnostics import closest_columns
from paribus.table.columns import as_column
from paribus.table.target import coded_target
from paribus.tidy.names import WEIGHT, says

if TYPE_CHECKING:
    import polars as pl

LOOKED_AT = 5_000
# Words that tables use for what is to be explained, the surest first.
WORDS = (
    "target", "outcome", "label", "response", "price", "rent", "salary", "income", "wage",
    "revenue", "sales", "profit", "cost", "costs", "amount", "survived", "churn", "churned",
    "default", "score", "rating", "weight", "duration", "consumption", "demand", "value", "y",
)  # fmt: skip
# Words of places, dates and names: numbers that hardly anybody wants explained.
NEVER = frozenset((
    "lat", "latitude", "lon", "long", "lng", "longitude", "id", "zip", "zipcode", "postcode",
    "code", "year", "month", "day", "hour", "date", "index", "phone", "number", "no", "key",
))  # fmt: skip


def suggested_target(columns: Sequence[tuple[str, str, int]]) -> str | None:
    """Suggest a target among columns of (name, kind, number of different values).

    It is chosen by its name, or else is the last column of numbers that are not places, dates or
    ids, or else the last possible one.

    Examples
    --------
    >>> suggested_target([("id", "id", 9), ("SalePrice", "number", 9), ("rooms", "number", 4)])
    'SalePrice'
    >>> suggested_target([("a", "number", 9), ("b", "number", 9), ("c", "category", 40)])
    'b'
    >>> suggested_target([("Beds", "number", 20), ("Neighbourhood long", "number", 90)])
    'Beds'
    >>> suggested_target([("trust", "number", 11), ("pspwght", "number", 900)])
    'trust'
    """
    able = [(n, kind, d) for n, kind, d in columns if kind in ("number", "category") and d > 1]
    for word in WORDS:
        for name, kind, distinct in able:
            if word in _words(name) and (kind == "number" or distinct <= 10):
                return name
    many = [name for name, kind, distinct in able if kind == "number" and distinct > 10]
    likely = [name for name in many if not NEVER & _words(name) and not says(name, WEIGHT)]
    few = [name for name, _, distinct in able if distinct <= 10]
    return next(iter((likely or few or many)[::-1]), None)


def _words(name: str) -> set[str]:
    """Return the words in a column's name: SalePrice and sale_price both have price."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def by_guess(table: pl.DataFrame, target: str, class_: str | None) -> list[str]:
    """Return the other columns, those that explain most of the target by themselves first.

    A sample is good enough: this only decides what to show first.
    """
    part = table if table.height <= LOOKED_AT else table.sample(LOOKED_AT, seed=0)
    names = [name for name in table.columns if name != target]
    known: dict[str, Any] = {}
    categorical = []
    try:
        y = coded_target(as_column(target, part[target]), class_).values
        for name in names:
            column = as_column(name, part[name])
            known[name] = column.values
            if column.kind == "category":
                categorical.append(name)
    except InputError:
        return names  # whoever explains them says what is wrong
    seen = ~np.isnan(y)
    ranked = closest_columns(y[seen], {n: v[seen] for n, v in known.items()}, categorical)
    return [name for name, _ in ranked]
