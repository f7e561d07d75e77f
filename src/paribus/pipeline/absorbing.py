"""Which held columns take most of an effect away: guessed by linear fits, then tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from paribus.base.arrays import FloatArray, IntArray, coarse, dot
from paribus.pipeline.prepare import Analysis
from paribus.results import Effect
from paribus.results.parts import Absorbed
from paribus.strata.checks import ColumnSet
from paribus.table.columns import Column

SAMPLE = 5_000  # rows that straight lines are fitted to
MOST_COLUMNS = 200  # up to which lines are fitted at all
ONE_IN = 12  # columns for each of which one trial is made
TAKEN = 0.5  # of an effect: less is left of it
LEAST = 0.1  # of the target's spread that the freed effect has, at least
STEADY = 1e-3  # added to the columns' variances


@dataclass(frozen=True, slots=True)
class Trial:
    """A column to explain once more while another, which takes its effect away, may move."""

    column: str  # the other column
    left_out: ColumnSet  # all that is not held still then


def trials(analysis: Analysis, left_out: Mapping[str, ColumnSet]) -> dict[str, Trial]:
    """Choose the few columns whose effect others take away most, and these others.

    By straight lines on a sample: the slope of a column is compared with its slope when another
    column is not among those held still.
    """
    if not 0 < len(analysis.held) <= MOST_COLUMNS:
        return {}
    scores, y = _standardised(analysis)
    products, with_y = dot(scores.T, scores) / len(y), dot(scores.T, y) / len(y)
    inverse = linalg.inv(products + STEADY * np.eye(len(products)))
    at = {c.name: k for k, c in enumerate(analysis.held)}
    along = analysis.problem.tidied.along
    freed = {
        k: frozenset({k, *(at[n] for n in along.get(c.name, ()) if n in at)})
        for k, c in enumerate(analysis.held)
        if c.name not in analysis.problem.tidied.hidden
    }
    found = []
    for name, own in left_out.items():
        best = _strongest(inverse, with_y, at[name], own, freed)
        if best is not None:
            found.append((best[0], name, best[1]))
    found.sort(key=lambda trial: (-coarse(trial[0]), trial[1]))
    most = -(-len(analysis.held) // ONE_IN)
    return {
        name: Trial(analysis.held[k].name, tuple(sorted({*left_out[name], *freed[k]})))
        for _, name, k in found[:most]
    }


def absorbed(e: Effect, freed: Effect, column: str) -> Effect:
    """Say of an effect that a held column takes most of it away, or turns it, if that is so."""
    if not freed.explained or freed.unclear or not e.explained:
        return e
    turns = not e.unclear and e.trend * freed.trend < 0
    takes = freed.impact > 0 and e.impact <= TAKEN * freed.impact
    if not turns and not takes:
        return e
    return replace(e, absorbed_by=(Absorbed(column, e.impact, freed.impact, turns),))


def _standardised(analysis: Analysis) -> tuple[FloatArray, FloatArray]:
    """Return the held columns (m, p) and the target (m,) as numbers of mean 0 and spread 1."""
    y = analysis.problem.y
    rows = np.arange(0, len(y), max(1, len(y) // SAMPLE))  # they are in no order
    target = _scaled(y[rows])
    return np.column_stack([_score(c, rows, target) for c in analysis.held]), target


def _score(column: Column, rows: IntArray, y: FloatArray) -> FloatArray:
    """Return a number as it is, a category by the target's mean at its levels."""
    x = column.values[rows]
    if column.kind != "category":
        return _scaled(x)
    codes = np.where(np.isnan(x), len(column.levels), x).astype(np.int64)
    count = np.bincount(codes)
    return _scaled((np.bincount(codes, y) / np.maximum(count, 1))[codes])


def _scaled(x: FloatArray) -> FloatArray:
    mean, spread = np.nanmean(x), np.nanstd(x)
    return np.nan_to_num((x - mean) / (spread or 1.0))


def _strongest(
    inverse: FloatArray,
    with_y: FloatArray,
    k: int,
    own: ColumnSet,
    freed: Mapping[int, frozenset[int]],
) -> tuple[float, int] | None:
    """Return the column that takes most of one's slope away, and how much; None if none does.

    `inverse` (p, p) is that of the columns' products, `with_y` (p,) are those with the target. The
    inverse without some columns is that of all less what these have in it.
    """
    held = np.array([j == k or j not in own for j in range(len(inverse))])
    idle = np.ix_(~held, ~held)
    inverse = inverse - inverse[:, ~held] @ np.linalg.solve(inverse[idle], inverse[~held])
    slopes = inverse @ with_y
    more = inverse[k] * slopes / np.where(held, np.diag(inverse), 1.0)
    for j, others in freed.items():
        gone = [i for i in others if held[i] and i != k]
        if len(gone) > 1:
            more[j] = inverse[k, gone] @ np.linalg.solve(inverse[np.ix_(gone, gone)], slopes[gone])
    free, slope = slopes[k] - more, abs(slopes[k])
    turned = free * slopes[k] < 0
    strong = (np.abs(free) >= LEAST) & (turned | (slope <= TAKEN * np.abs(free)))
    taken = np.where(turned, np.abs(more), np.abs(free) - slope)
    allowed = held & strong & np.isin(np.arange(len(held)), [j for j in freed if j != k])
    if not allowed.any():
        return None
    best = max(np.flatnonzero(allowed).tolist(), key=lambda j: coarse(taken[j]))
    return float(taken[best]), best
