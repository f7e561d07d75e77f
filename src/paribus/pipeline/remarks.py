"""Caveats about an effect, found in the rows and turned into notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray, dot
from paribus.base.notes import Note
from paribus.estimate.curve import CurveFit
from paribus.estimate.levels import LevelFit
from paribus.pipeline import diagnostics
from paribus.pipeline import notes as pipeline_notes
from paribus.results import Gap
from paribus.results import notes as result_notes
from paribus.results.base import NO_EFFECT

if TYPE_CHECKING:
    from paribus.pipeline.assemble import SeenRows
    from paribus.pipeline.setting import Setting

LOW_SHARE = 0.5  # of the rows used: below it, a note
FEW_ROWS = 100
EXACT = 1e-9  # share of the target's variance that is left: below it, it is made from the columns
IMBALANCE = 0.25  # share of the column's variance that others still give inside the strata
IN_ORDER = 0.98  # correlation of neighbouring targets of a table that is sorted by it
ALIKE, ALIKE_ERRORS = 0.1, 6.0  # correlation of neighbouring rows: so large, and so many errors


def missing_notes(feature: str, seen: SeenRows) -> Iterator[Note]:
    """Tell of rows without a value that cannot be compared with others."""
    if seen.n_missing and seen.missing is None:
        yield pipeline_notes.missing_not_comparable(feature, seen.n_missing)


def twin_notes(feature: str, twins: tuple[str, ...], left: float) -> Iterator[Note]:
    """Tell which columns fix this one, or that all together nearly do."""
    if twins:
        yield pipeline_notes.twins(feature, twins)
    elif left < diagnostics.TWIN_LEFT:
        yield pipeline_notes.nearly_fixed(feature, left)


def gap_notes(feature: str, gaps: tuple[Gap, ...]) -> Iterator[Note]:
    """Tell where a curve is broken."""
    for gap in gaps:
        yield result_notes.gap(feature, gap.start, gap.stop, gap.reason, gap.blocked_by)


def island_notes(
    feature: str, levels: tuple[Any, ...], fit: LevelFit, count: FloatArray
) -> Iterator[Note]:
    """Tell which levels cannot be compared with each other."""
    islands = (np.flatnonzero(fit.island == k) for k in range(int(fit.island.max()) + 1))
    groups: list[IntArray] = [group for group in islands if count[group].any()]
    if len(groups) < 2:
        return
    named = [[levels[k] for k in group] for group in groups]
    yield pipeline_notes.islands(feature, named, [int(count[group].sum()) for group in groups])


def common_notes(
    setting: Setting,
    n_used: int,
    n_rows: int,
    fit: CurveFit | LevelFit,
    alike: float,
) -> Iterator[Note]:
    """Tell what holds for both kinds of column."""
    name, y = setting.column.name, setting.y
    is_category = setting.column.kind == "category"
    step = max(1, len(y) // diagnostics.SAMPLE)
    known = diagnostics.share_known(y[::step], setting.column.values[::step], is_category)
    if known >= diagnostics.LEAK_KNOWN:
        yield pipeline_notes.leak(name, setting.problem.target, known)
    if n_used < LOW_SHARE * n_rows:
        yield pipeline_notes.low_share(name, n_used, n_rows)
    if n_used < FEW_ROWS:
        yield pipeline_notes.few_rows(name, n_used)
    if not setting.others:
        yield result_notes.nothing_held(name)
    if not is_category and not setting.covariates.n_active:
        yield from _balance_notes(setting)
    doubtful = fit.unsettled > setting.settled_within and fit.p_value < NO_EFFECT
    if setting.confounding and doubtful:  # where no effect is claimed, none of it may be theirs
        yield pipeline_notes.may_be_confounded(name, setting.confounding)
    if setting.problem.within is not None:
        yield _within_note(setting)
    if alike:
        yield result_notes.neighbours_alike({name: alike})
    if np.mean(fit.residual**2) < EXACT:
        yield pipeline_notes.exact(setting.problem.target)
    elif diagnostics.is_heavy_tailed(fit.residual):
        yield pipeline_notes.heavy_tails(setting.problem.target)


def neighbours_alike(setting: Setting, residual: FloatArray) -> float:
    """Return how errors of neighbours go together where that widens the interval, or else 0.

    It does only where neighbours share the column too, and where no groups of rows were named.
    """
    row = setting.row
    if setting.strata.units.cluster is not None or len(residual) != len(row):
        return 0.0
    left = diagnostics.neighbour_correlation(residual, row)
    least = max(ALIKE, ALIKE_ERRORS / np.sqrt(len(row)))
    if left <= least or diagnostics.neighbour_correlation(setting.y, row) > IN_ORDER:
        return 0.0
    inside = setting.strata.demean(setting.scores())
    shared = any(diagnostics.neighbour_correlation(x, row) > least for x in inside.T)
    return left if shared else 0.0


def _within_note(setting: Setting) -> Note:
    """Tell how much of the column varies within units, and its slope between and within them."""
    strata, scores = setting.strata, setting.scores()
    inside = strata.demean(scores)
    total = scores - np.average(scores, axis=0, weights=strata.weights)
    spread = float(strata.weights @ (total**2).sum(axis=1))
    share = float(strata.weights @ (inside**2).sum(axis=1)) / max(spread, 1e-300)
    varies = diagnostics.used_rows(setting.column.values, strata)
    n_units = len(strata.totals[0])
    n_silent = n_units - len(np.unique(strata.labels[0][varies]))
    slopes = None
    if scores.shape[1] == 1 and setting.column.kind == "number":
        means = strata.means(np.column_stack([scores[:, 0], setting.y]))
        rows = np.column_stack([scores[:, 0], setting.y])
        slopes = _slope(means, strata.totals[0]), _slope(strata.demean(rows), strata.weights)
    return pipeline_notes.within_units(setting.column.name, share, n_silent, n_units, slopes)


def _slope(rows: FloatArray, weights: FloatArray) -> float:
    """Return the slope of the second column of `rows` (n, 2) on the first."""
    x, y = (rows - np.average(rows, axis=0, weights=weights)).T
    return float((weights * x) @ y) / max(float((weights * x) @ x), 1e-300)


def _balance_notes(setting: Setting) -> Iterator[Note]:
    """Tell how much the other columns still move with this one inside the strata."""
    numeric = [c for c in setting.others.values() if c.kind != "category"]
    if not numeric:
        return
    columns = [c.values for c in (setting.column, *numeric)]
    inside = diagnostics.sample_inside(columns, setting.strata)
    products = dot(inside.T, inside)
    spread = np.diag(products)
    known = products[0, 1:] ** 2 / np.maximum(spread[0] * spread[1:], 1e-300)
    most = int(np.argmax(known))
    if known[most] > IMBALANCE:
        yield pipeline_notes.imbalance(setting.column.name, numeric[most].name, float(known[most]))
