"""The number of an effect that is doubted, and the columns it is measured against."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paribus.results import errors as result_errors
from paribus.results.contrast import Contrast
from paribus.results.doubt import Robustness, robustness_of, strengths_of
from paribus.results.scales import in_logs, is_ratio
from paribus.results.tables import Row, rows_of_column

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray
    from paribus.results.base import Effect
    from paribus.results.evidence import RowsBehind

MOST_ROWS = 20_000  # measure how strong the columns are that are there


def robustness(e: Effect, contrast: Contrast | None = None) -> Robustness:
    """Return how robust an effect is; see `Effect.robustness`."""
    rows = [row for row in rows_of_column(e) if row.found is not None and row.found.se > 0]
    if not rows:
        raise result_errors.no_covariance()
    surest = max(rows, key=lambda row: abs(_linear(e, row.found).value) / _linear(e, row.found).se)
    found = _linear(e, contrast or surest.found)
    strengths = {}
    if e.rows_are_known:
        behind = e.rows_behind().with_level(surest.level)
        known = np.flatnonzero(~np.isnan(behind.column.values))
        every = max(1, len(known) // MOST_ROWS)
        behind = behind.take(known[::every])
        strengths = strengths_of(behind, _as_number(surest, behind))
    df = max(e.n_used - 1 - (e.n_held or 0), 3)
    return robustness_of(e.feature, e.target, found, float(df), strengths)


def _linear(e: Effect, found: Contrast | None) -> Contrast:
    """Return a number on the scale on which effects add up."""
    if found is None:
        raise result_errors.no_covariance()
    if not is_ratio(e.unit):
        return found
    se = found.se / (1 + found.value / 100)
    return replace(found, value=float(in_logs(found.value)), se=se)


def _as_number(row: Row, behind: RowsBehind) -> FloatArray:
    """Return the explained column as a number: itself, or whether it is the level doubted."""
    values = behind.column.values
    if behind.column.kind != "category":
        return values
    levels = [str(level) for level in behind.column.levels]
    return (values == levels.index(row.level)).astype(np.float64)
