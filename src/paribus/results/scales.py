"""Effects in per cent: of the target, of its mean, or of the odds.

Ratios multiply, so they are estimated, added and compared as logarithms, times a hundred: small
effects are then nearly the same on both scales. An effect shows per cent; its `covariance` is that
of the logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.estimate.bands import ANYWHERE, Limits
from paribus.table import errors as table_errors
from paribus.table.target import ALL, PERCENTAGE_POINTS

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.contrast import Contrast
    from paribus.results.evidence import RowsBehind

TargetScale: TypeAlias = Literal["log", "ratio", "odds"]
PER_CENT = "%"
OF_THE_ODDS = "% of the odds"
UNITS: dict[str, str] = {"log": PER_CENT, "ratio": PER_CENT, "odds": OF_THE_ODDS}
ENDS = (("lower", "upper"), ("band_lower", "band_upper"))
Number = TypeVar("Number", float, FloatArray)


def is_ratio(unit: str) -> bool:
    """Tell whether effects in a unit are ratios, shown in per cent."""
    return unit in (PER_CENT, OF_THE_ODDS)


def in_per_cent(logs: Number) -> Number:
    """Turn logarithms of ratios, times a hundred, into per cent.

    Examples
    --------
    >>> round(float(in_per_cent(100 * np.log(1.12))), 9)
    12.0
    """
    with np.errstate(over="ignore"):
        shown: Number = 100 * np.expm1(logs / 100)
    return shown


def in_logs(per_cent: Number) -> Number:
    """Turn per cent back into logarithms of ratios, times a hundred.

    Examples
    --------
    >>> round(float(in_logs(12.0)), 2)
    11.33
    """
    with np.errstate(divide="ignore"):
        logs: Number = 100 * np.log1p(per_cent / 100)
    return logs


def limits_of(unit: str) -> Limits:
    """Return the limits of effects in a unit: shares differ by at most 100 percentage points."""
    return (-ALL, ALL) if unit == PERCENTAGE_POINTS else ANYWHERE


def contrast_in_unit(found: Contrast, unit: str, weights: FloatArray) -> Contrast:
    """Return a linear function of effects, with weights (m,), in their unit.

    For shares it is cut at what is possible. For logarithms it is in per cent, with its error by
    the delta method.
    """
    ends = np.array([found.value, found.lower, found.upper])
    if is_ratio(unit):
        value, lower, upper = in_per_cent(ends).tolist()
        se = found.se * (1 + value / 100)
        return replace(found, value=value, lower=lower, upper=upper, se=se)
    value, lower, upper = possible(ends, unit, weights).tolist()
    return replace(found, value=value, lower=lower, upper=upper)


def possible(values: FloatArray, unit: str, weights: FloatArray) -> FloatArray:
    """Cut a linear function of effects, with weights (m,), at what is possible in a unit.

    Examples
    --------
    >>> difference = np.array([-1.0, 1.0])
    >>> possible(np.array([-110.0, 90.0]), "percentage points", difference).tolist()
    [-100.0, 90.0]
    """
    if unit != PERCENTAGE_POINTS:
        return values
    most = ALL * max(weights[weights > 0].sum(), -weights[weights < 0].sum())
    return np.clip(values, -most, most)


def on_scale(e: Effect, scale: TargetScale, mean: float) -> Effect:
    """Return an effect in per cent.

    On the scale ``"log"`` it was estimated as logarithms. Otherwise it is an average in the
    target's own unit, or in percentage points, and the level at each point, `mean` plus effect, is
    compared with the mean afterwards: there is no model of odds or ratios behind it. Errors and
    bands follow by the delta method.
    """
    fits = e.unit == PERCENTAGE_POINTS if scale == "odds" else scale == "log" or mean > 0
    if not fits:
        raise table_errors.wrong_scale(e.target, scale)
    if not e.explained:
        return replace(e, unit=UNITS[scale])
    link = _Link(scale, mean, e.n_used)
    parts: dict[str, Any] = {"effect": link.shown(e.effect)}
    for below, above in ENDS:
        low, high = getattr(e, below), getattr(e, above)
        if high is not None:  # what is possible may have cut one of them
            half = np.maximum(high - e.effect, e.effect - low)
            parts[below] = link.shown(e.effect, e.effect - half)
            parts[above] = link.shown(e.effect, e.effect + half)
    if e.marginal is not None:
        parts["marginal"] = link.shown(e.marginal)
    steep = link.slope(e.effect)
    if e.is_curve and getattr(e, "slope", None) is not None:
        parts["slope"] = e.slope * steep  # type: ignore[attr-defined]
    if e.missing is not None:
        point = np.array(e.missing.effect)
        ends = (None, e.missing.lower, e.missing.upper)
        effect, lower, upper = (float(link.shown(point, end)) for end in ends)
        parts["missing"] = replace(e.missing, effect=effect, lower=lower, upper=upper)
        steep = np.append(steep, link.slope(point))
    if e.covariance is not None:
        parts["covariance"] = e.covariance * np.outer(steep, steep)
    if e.covariance_root is not None:
        parts["covariance_root"] = e.covariance_root * steep[:, None]
    parts["influential"] = tuple(
        replace(
            row,
            target=float(np.exp(row.target / 100)) if scale == "log" else row.target,
            effect=float(link.shown(np.array(row.effect))),
            without=float(link.shown(np.array(row.without))),
        )
        for row in e.influential
    )
    if scale == "log" and e.rows_are_known:
        parts["_behind"] = partial(_with_amounts, e.rows_behind)
    if e.differs is not None:
        parts["differs"] = replace(e.differs, regions=None)
    steepness = float(link.slope(np.array(0.0)))
    impact = float(in_per_cent(e.impact * steepness))
    parts["absorbed_by"] = tuple(
        replace(a, impact=impact, without=float(in_per_cent(a.without * steepness)))
        for a in e.absorbed_by
    )
    return replace(e, unit=UNITS[scale], impact=impact, **parts)


def _with_amounts(behind: Callable[[], RowsBehind]) -> RowsBehind:
    """Return rows of a target compared as logarithms, with the targets as the user knows them."""
    rows = behind()
    return replace(rows, target=np.exp(rows.y / 100))


@dataclass(frozen=True, slots=True)
class _Link:
    """The way from an effect on the target to the logarithm of a ratio."""

    scale: TargetScale
    mean: float
    n_used: int

    def shown(self, effect: FloatArray, end: Any = None) -> FloatArray:
        """Return effects in per cent, or an end of their intervals."""
        logs = self.logs(effect)
        return in_per_cent(logs if end is None else logs + self.slope(effect) * (end - effect))

    def logs(self, effect: FloatArray) -> FloatArray:
        """Return effects as logarithms, times a hundred."""
        if self.scale == "log":
            return effect
        return self._log(self._at(effect)) - self._log(np.array(self.mean))

    def slope(self, effect: FloatArray) -> FloatArray:
        """Return how fast the logarithms change with the effects."""
        if self.scale == "log":
            return np.ones_like(effect)
        at = self._at(effect)
        return 100 / at if self.scale == "ratio" else 10_000 / (at * (100 - at))

    def _at(self, effect: FloatArray) -> FloatArray:
        # Where noise takes a share below nothing, or above all, half a row is taken to be there.
        rest, half = 100 - self.mean, 1 / (2 * self.n_used)
        most = 100 - rest * half if self.scale == "odds" else np.inf
        return np.clip(self.mean + effect, self.mean * half, most)

    def _log(self, at: FloatArray) -> FloatArray:
        return 100 * np.log(at if self.scale == "ratio" else at / (100 - at))
