"""What curves and levels share when a result is assembled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from paribus.base.arrays import BoolArray, FloatArray
from paribus.base.notes import Note, Remedy
from paribus.base.wording import quoted
from paribus.estimate.bands import Intervals, student_quantile
from paribus.estimate.covariance import Moves
from paribus.estimate.missing import MissingPoint, missing_point
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.setting import Setting
from paribus.results import Effect, Influential, NumericEffect
from paribus.results import notes as result_notes
from paribus.results.empty import empty_effect
from paribus.table.columns import Column
from paribus.table.problem import Problem

MOST_TWINS = 5  # that are named


@dataclass(frozen=True, slots=True)
class SeenRows:
    """What the rows say beside an effect."""

    # Rows, those that took part in a comparison, and those without a value.
    n_rows: int
    n_used: int
    n_missing: int
    # Mean target at each point or level with nothing held still, less the overall mean.
    marginal: FloatArray  # (K,)
    missing: MissingPoint | None


def common_parts(setting: Setting, method: str) -> dict[str, Any]:
    """Return what a result says of its problem, whatever was estimated."""
    return {
        "feature": setting.column.name,
        "target": setting.problem.target,
        "method": method,
        "unit": setting.problem.unit,
        "n_held": len(setting.others),
        "held": tuple(setting.others),
        "backend": setting.problem.table.backend,
    }


def point_of_missing(
    setting: Setting, missing: BoolArray, effect: FloatArray
) -> MissingPoint | None:
    """Compare rows without a value with the others, less the `effect` (m,) of their value."""
    if not missing.any():
        return None
    left = setting.y.copy()
    left[~missing] -= effect
    return missing_point(missing, left, setting.covariates, setting.strata)


def with_missing(covariance: FloatArray, point: MissingPoint | None) -> FloatArray:
    """Return the covariance of points and, last, that of the missing values."""
    if point is None:
        return covariance
    return block_diag(covariance, np.array([[point.standard_error**2]]))


def root_with_missing(root: FloatArray, point: MissingPoint | None) -> FloatArray:
    """Return the root (K, r) of a covariance with that of the missing values last."""
    return root if point is None else block_diag(root, np.array([[point.standard_error]]))


def closed(e: Effect, period: float) -> Effect:
    """Return the curve of a round with its first point once more at the end: 24 after 23."""
    if not period or not isinstance(e, NumericEffect) or not e.explained:
        return e
    again = np.append(np.arange(len(e.x)), 0)
    parts: dict[str, Any] = {
        name: getattr(e, name)[again]
        for name in ("effect", "lower", "upper", "band_lower", "band_upper", "df", "marginal")
        if getattr(e, name) is not None
    }
    if e.covariance is not None:
        beside = np.arange(len(e.x), len(e.covariance))  # of the missing values
        both = np.append(again, beside)
        parts["covariance"] = e.covariance[np.ix_(both, both)]
    x = np.append(e.x, e.x[0] + period)
    slope = np.diff(parts["effect"]) / np.diff(x)
    notes = (*e.notes, pipeline_notes.round_curve(e.feature, period))
    return replace(
        e, x=x, slope=np.append(slope, slope[0]), row_share=np.append(e.weights, 0.0),
        support=e.support[again], period=period, notes=notes, **parts,
    )  # fmt: skip


def influential(setting: Setting, moves: Moves, effect: FloatArray) -> tuple[Influential, ...]:
    """Name the rows that move the result by more than its standard error."""
    out = []
    for row, change, size in zip(moves.rows, moves.change, moves.size, strict=True):
        at = int(np.nanargmax(np.abs(change)))
        out.append(
            Influential(
                row=int(setting.row[row]),
                target=float(setting.y[row]),
                value=setting.column.value(setting.column.values[row]),
                point=at,
                effect=float(effect[at]),
                without=float(effect[at] + change[at]),
                standard_errors=float(size),
            )
        )
    return tuple(out)


def unexplained(problem: Problem, column: Column, note: Note) -> Effect:
    """Return an effect without a point, with a note that says why."""
    return empty_effect(problem, column, "least_squares", note)


def fixed_by_others(setting: Setting, twins: tuple[str, ...] = ()) -> Effect:
    """Return the empty effect of a column that does not vary among alike rows."""
    twins = twins or setting.twins()
    reason = "with the other columns held still, nothing of it is left to vary"
    twins = twins if len(twins) <= MOST_TWINS else ()  # all others together are no advice
    if twins:
        reason += f"; {quoted(twins)} {'fixes' if len(twins) == 1 else 'fix'} it"
    remedy = Remedy("together", twins) if twins else None
    note = result_notes.unexplained(setting.column.name, reason, remedy)
    return replace(unexplained(setting.problem, setting.column, note), twins=twins)


def missing_spans(setting: Setting, point: MissingPoint) -> tuple[FloatArray, Intervals]:
    """Return the effect (1,) of the missing values, and how far its interval reaches."""
    half = student_quantile(setting.conf_level, np.array([point.df])) * point.standard_error
    return np.clip(np.array([point.value]), *setting.limits()), Intervals(half, half)
