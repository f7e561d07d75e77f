"""Stored parts of an effect read back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.notes import Note
from paribus.results import stored as store
from paribus.results.parts import Absorbed, Differs, Gap, Histogram, Influential, Missing, Scatter

if TYPE_CHECKING:
    from paribus.results.by_group import ByGroup


def with_dates(parts: dict[str, Any]) -> dict[str, Any]:
    """Turn the ends of gaps back into dates where the axis has dates."""
    if "x" in parts and parts["x"].dtype.kind == "M":
        parts["gaps"] = tuple(
            replace(g, start=_date(g.start), stop=_date(g.stop)) for g in parts.get("gaps", ())
        )
    return parts


def _date(text: str) -> Any:
    return np.datetime64(text.replace(" ", "T"), "us").item()


def as_is(value: Any) -> Any:
    """Return a part that needs no reading."""
    return value


def _ints(values: Any) -> IntArray:
    return np.array(values, dtype=np.int64)


def _matrix(rows: list[list[Any]]) -> FloatArray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else 0)


def _groups(stored: Any) -> ByGroup:
    from paribus.results.by_group import ByGroup

    return ByGroup.from_dict(stored)


# How each stored part is read back; what is not listed stays as it is.
READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("x", "effect", "lower", "upper", "band_lower", "band_upper", "row_share", "marginal"),
        store.as_array,
    ),
    **dict.fromkeys(("support", "slope", "df"), store.as_array),
    **dict.fromkeys(("trials", "covariance", "covariance_root"), _matrix),
    **dict.fromkeys(("count", "island"), _ints),
    **dict.fromkeys(("levels", "twins", "group", "along", "held"), tuple),
    "scatter": Scatter.from_dict,
    "differs": Differs.from_dict,
    "by": _groups,
    "distribution": Histogram.from_dict,
    "influential": lambda rows: tuple(Influential(**row) for row in rows),
    "missing": lambda parts: Missing(**parts),
    "gaps": lambda gaps: tuple(Gap(**gap) for gap in gaps),
    "absorbed_by": lambda found: tuple(Absorbed(**one) for one in found),
    "notes": lambda notes: tuple(map(Note.from_dict, notes)),
}
