"""Two profiles to compare on a page: values to choose from, differences, where rows lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Rows
from paribus.estimate.bands import student_quantile
from paribus.results.scales import OF_THE_ODDS, PER_CENT, is_ratio
from paribus.results.words import number, quantity
from paribus.table.columns import Column

if TYPE_CHECKING:
    from paribus.results import Effect, EffectSet

MOST_COLUMNS, MOST_STOPS, MOST_ROWS = 12, 25, 1000
NEAR = 10  # per cent of the rows that lie between two values which are alike
UNKNOWN = -99  # a row without a value, or at a level that cannot be chosen: like no other
SEED = 0


def profiles_part(effects: EffectSet) -> dict[str, Any] | None:
    """Return what a page needs to compare two profiles; None if the rows are not available.

    For each column up to `MOST_STOPS` values or levels can be chosen. `effect` is theirs on an
    additive scale, `half[i][k]` half the interval of the difference between two, k below i, None
    if they cannot be compared. `place` is the position of each stop, `rows` that of some rows of
    the table; a row is at a stop if the two are at most `within` apart.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> part = profiles_part(pb.effects(d.table, target="weight"))
    >>> [column["name"] for column in part["columns"]]
    ['height', 'pregnant', 'education', 'sex']
    """
    judged = [
        e for e in effects.effects if e.explained and e.lower is not None and e.rows_are_known
    ]
    stops = [(e, at) for e in judged[:MOST_COLUMNS] if len(at := _stops(e)) > 1]
    if not stops:
        return None
    known = [(e.rows_behind().row, e.rows_behind().column) for e, _ in stops]
    everywhere = np.unique(np.concatenate([row for row, _ in known]))
    few = len(everywhere) <= MOST_ROWS
    rng = np.random.default_rng(SEED)
    rows = everywhere if few else rng.choice(everywhere, MOST_ROWS, replace=False)
    columns = [
        {**_choices(e, at), **_places(e, at, column, _found(own, rows))}
        for (e, at), (own, column) in zip(stops, known, strict=True)
    ]
    columns[0]["second"] = columns[0]["other"]
    unit = effects.unit
    return {
        "columns": columns,
        "object": quantity(effects.target, unit) + (" are" if unit == OF_THE_ODDS else " is"),
        "unit": f" {PER_CENT}" if is_ratio(unit) else f" {unit}".rstrip(),
        "ratio": is_ratio(unit),
        "sure": number(100 * judged[0].conf_level),
        "rows": len(rows),
        "all": few,
    }


def _stops(e: Effect) -> IntArray:
    """Return the points that can be chosen: spread over the rows, or the commonest levels."""
    known = np.flatnonzero(np.isfinite(e.effect) & (e.pieces >= 0))
    if len(known) <= MOST_STOPS:
        return known
    if not e.is_curve:
        return np.sort(known[np.argsort(-e.weights[known], kind="stable")[:MOST_STOPS]])
    below = np.cumsum(e.weights[known])
    even = np.linspace(0, below[-1], MOST_STOPS)
    return known[np.unique([0, *np.searchsorted(below, even[1:-1]), len(known) - 1])]


def _choices(e: Effect, at: IntArray) -> dict[str, Any]:
    """Return the stops of a column, their effects, and the initial choice of both profiles."""
    half, weights = _halves(e, at), e.weights[at]
    below = np.cumsum(weights) / weights.sum()
    first = int(np.searchsorted(below, 0.5)) if e.is_curve else int(np.argmax(weights))
    able = np.isfinite(half[first])
    able[first] = False
    others = np.flatnonzero(able)
    far = np.abs(below - 0.75) if e.is_curve else -weights
    return {
        "name": e.feature,
        "labels": [e.labels[k] for k in at],
        "effect": [_short(value) for value in e.linear[at]],
        "half": [[_short(x) for x in line[:k]] for k, line in enumerate(half)],
        "first": first,
        "second": first,
        "other": int(others[np.argmin(far[others])]) if len(others) else first,
        "differs": [] if not e.differs else [*e.differs.columns[:2]],
    }


def _halves(e: Effect, at: IntArray) -> FloatArray:
    """Return half the intervals (s, s) of all differences between stops, as `between` has them."""
    common = e.covariance_of(at)
    if common is None:
        return np.full((len(at), len(at)), np.nan)
    own = np.diag(common)
    error = np.sqrt(np.maximum(own[:, None] + own - 2 * common, 0.0))
    df = np.full(len(at), np.inf) if e.df is None else e.df[at]
    half = student_quantile(e.conf_level, np.minimum.outer(df, df)) * error
    apart: BoolArray = e.pieces[at][:, None] != e.pieces[at]
    return np.where(apart, np.nan, half)


def _places(e: Effect, at: IntArray, column: Column, rows: IntArray) -> dict[str, Any]:
    """Return the positions of stops and rows: the percentage of rows below, or the level."""
    values = np.append(column.values, np.nan)[rows]
    if not e.is_curve:
        stop = {e.labels[k]: place for place, k in enumerate(at)}
        code = np.array([*(stop.get(str(v), UNKNOWN) for v in column.levels), UNKNOWN])
        known = np.where(np.isnan(values), len(column.levels), values).astype(np.int64)
        return {"place": [*range(len(at))], "rows": code[known].tolist(), "within": 0}
    order = np.sort(column.known)
    place, lies = _ranks(order, e.positions[at]), _ranks(order, np.nan_to_num(values))
    return {
        "place": place.tolist(),
        "rows": np.where(np.isnan(values), UNKNOWN, lies).tolist(),
        "within": NEAR,
    }


def _ranks(order: FloatArray, values: FloatArray) -> IntArray:
    both = np.searchsorted(order, values, "left") + np.searchsorted(order, values, "right")
    ranks: IntArray = np.rint(50 * both / max(1, len(order))).astype(np.int64)
    return ranks


def _found(own: Rows, rows: Rows) -> IntArray:
    """Return the positions of rows of the table among a column's own rows; -1 for none."""
    order = np.argsort(own, kind="stable")
    place = order[np.searchsorted(own, rows, sorter=order).clip(max=len(own) - 1)]
    return np.where(own[place] == rows, place, -1)


def _short(value: float) -> float | None:
    return float(f"{value:.6g}") if np.isfinite(value) else None
