"""How many rows, from how many strata, support a point of an effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.results import show

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.evidence import RowsBehind

TITLE = "How many rows are compared, and where"


@dataclass(frozen=True, slots=True)
class Support:
    """How much data supports a point of an effect.

    Attributes
    ----------
    rows, strata : int
        Rows that can be compared there, and the strata they lie in.
    sentence : str
        The same in words, as `print` shows it.
    """

    rows: int
    strata: int
    sentence: str

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        """Show the sentence in a notebook."""
        return show.compact.said_html([self.sentence])


def support_at(e: Effect, behind: RowsBehind, at: float, shown: str) -> Support:
    """Return how many rows, from how many strata, support a value or the code of a level."""
    rows, strata = (int(count[0]) for count in supports(e, behind, np.array([at])))
    sentence = (
        f"At {e.feature} = {shown}, {rows:,} rows in {strata:,} strata can be compared with the "
        "other columns held still."
    )
    return Support(rows, strata, sentence)


def supports(e: Effect, behind: RowsBehind, at: FloatArray) -> tuple[IntArray, IntArray]:
    """Count the rows and strata that support some values (m,), or codes of levels: (m,) each.

    A value is supported by strata with rows on both sides of it, a level by strata that contain it
    and another one.
    """
    known = ~np.isnan(behind.column.values)
    x, label = behind.column.values[known], behind.strata[known]
    size = np.bincount(label)
    return _along(x, label, size, at) if e.is_curve else _of_levels(x, label, size, at)


def _along(
    x: FloatArray, label: IntArray, size: IntArray, at: FloatArray
) -> tuple[IntArray, IntArray]:
    low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
    np.minimum.at(low, label, x)
    np.maximum.at(high, label, x)
    apart = low < high
    low, high, size = low[apart], high[apart], size[apart]
    begun, over = np.argsort(low), np.argsort(high)
    n_begun = np.searchsorted(low[begun], at, side="right")
    n_over = np.searchsorted(high[over], at, side="left")
    rows_begun, rows_over = (np.append(0, np.cumsum(size[order])) for order in (begun, over))
    return rows_begun[n_begun] - rows_over[n_over], n_begun - n_over


def _of_levels(
    x: FloatArray, label: IntArray, size: IntArray, at: FloatArray
) -> tuple[IntArray, IntArray]:
    stratum, level = np.unique(np.column_stack([label, x.astype(np.int64)]), axis=0).T
    meets = np.bincount(stratum, minlength=len(size))[stratum] > 1
    stratum, level = stratum[meets], level[meets]
    most = int(max(at.max(initial=0), level.max(initial=0))) + 1
    rows = np.bincount(level, size[stratum], minlength=most).astype(np.int64)
    return rows[at.astype(np.int64)], np.bincount(level, minlength=most)[at.astype(np.int64)]
