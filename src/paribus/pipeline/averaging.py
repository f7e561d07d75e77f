"""Effects that differ: found, averaged over the rows, and put into words' reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, Rows
from paribus.estimate.averaging import Spread
from paribus.estimate.bands import normal_quantile
from paribus.estimate.basis import Hats
from paribus.estimate.curve import CurveFit, fit_curve
from paribus.estimate.design import Covariates
from paribus.estimate.difference import (
    MANY_ROWS,
    PART_ROWS,
    add_curve_difference,
    add_level_difference,
    part_of,
)
from paribus.estimate.differing import DifferingCurve, fit_differing
from paribus.estimate.differing_levels import (
    MOST_PRODUCTS,
    DifferingLevels,
    fit_differing_levels,
    share_compared,
)
from paribus.estimate.interactions import curve_functions, level_functions
from paribus.estimate.levels import LevelFit, fit_levels
from paribus.estimate.moderating import Parts, cut_up, row_slopes, rows_of
from paribus.estimate.moderators import Moderator, find_moderators, rows_to_test
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other
from paribus.estimate.within import Within
from paribus.results import Differs, Moderating

MOST_LEVELS = 60  # of an explained category: above it, differences are not looked for
FEW_LEVELS = 6  # up to it, jumps are


@dataclass(frozen=True, slots=True)
class Averaging:
    """The rows that an effect is averaged over.

    Attributes
    ----------
    values : float array of shape (n,)
        Of the explained column.
    y : float array of shape (n,)
    covariates : Covariates
    strata : Partitions
    others : mapping of str to Other
        The columns that the effect may differ with.
    used : bool array of shape (n,)
        Rows that take part in a comparison.
    conf_level : float
    """

    values: FloatArray
    y: FloatArray
    covariates: Covariates
    strata: Partitions
    others: Mapping[str, Other]
    used: BoolArray
    conf_level: float

    def take(self, rows: Rows) -> Averaging:
        """Return some of the rows."""
        return replace(
            self,
            values=self.values[rows],
            y=self.y[rows],
            covariates=self.covariates.take(rows),
            strata=self.strata.take(rows),
            others={name: other.take(rows) for name, other in self.others.items()},
            used=self.used[rows],
        )

    def part(self) -> Rows | None:
        """Return rows enough to tell the difference between two averages; None for all."""
        return part_of(self.strata, PART_ROWS) if len(self.y) > MANY_ROWS else None

    def scale(self) -> float:
        """Return the target's standard deviation."""
        weights = self.strata.weights
        mean = np.average(self.y, weights=weights)
        return float(np.sqrt(np.average((self.y - mean) ** 2, weights=weights))) or 1.0


def average_curve(
    basis: Hats, common: CurveFit, given: Averaging
) -> tuple[CurveFit, Differs | None]:
    """Return the curve averaged over the rows, and how it differs.

    Where nothing is found to differ it is the common curve itself.
    """
    if not given.others or basis.size < 2:
        return common, None
    functions = curve_functions(basis, given.values, given.strata.weights)
    used_df = given.covariates.n_active + common.edf
    tested = rows_to_test(common.within, common.residual, functions, used_df, straight=True)
    moderators = find_moderators(tested, given.others)
    if not moderators:
        return common, None
    slopes = row_slopes(common.within, common.residual, functions[:, :1])
    parts = cut_up(moderators, given.others, slopes)
    rows = given.part()
    if rows is None:
        found = _fit_curve(basis, given, parts, functions)
        fit = replace(found.fit, within=common.within, solve=common.solve)
    else:
        some, own = given.take(rows), basis.take(rows)
        found = _fit_curve(own, some, rows_of(parts, rows), functions)
        part = fit_curve(own, some.y, some.covariates, some.strata)
        share = len(rows) / len(given.y)
        fit = add_curve_difference(common, found, part, share, some.scale())
    return fit, differs_of(moderators, found.slope, found.spread, given)


def _fit_curve(
    basis: Hats, given: Averaging, parts: Sequence[Parts], functions: FloatArray
) -> DifferingCurve:
    return fit_differing(
        basis, given.y, given.covariates, given.strata, parts, functions, given.used
    )


def average_levels(
    basis: Hats, common: LevelFit, given: Averaging
) -> tuple[LevelFit, Differs | None]:
    """Return the levels averaged over the rows that can be compared, and how they differ.

    Where nothing is found to differ they are the common ones themselves.
    """
    if not given.others or common.within is None or not 2 <= basis.size <= MOST_LEVELS:
        return common, None
    count = basis.totals(given.strata.weights)
    functions = level_functions(count)
    used_df = float(given.covariates.n_active + basis.size - 1)
    tested = rows_to_test(common.within, common.residual, functions, used_df, straight=False)
    moderators = find_moderators(tested, given.others)
    if not moderators:
        return common, None
    parts = cut_for_levels(moderators, given.others, common.within, common.residual, functions)
    rows = given.part()
    if rows is None:
        found = _fit_levels(basis, given, parts)
        fit = replace(found.fit, within=common.within, solve=common.solve)
    else:
        some, own = given.take(rows), basis.take(rows)
        found = _fit_levels(own, some, rows_of(parts, rows))
        part = fit_levels(own.index, own.size, some.y, some.covariates, some.strata)
        share = len(rows) / len(given.y)
        fit = add_level_difference(common, found, part, count, share, some.scale())
    return fit, differs_of(moderators, found.contrast, found.spread, given)


def _fit_levels(basis: Hats, given: Averaging, parts: Sequence[Parts]) -> DifferingLevels:
    compared = share_compared(basis, given.strata)
    return fit_differing_levels(basis, given.y, given.covariates, given.strata, parts, compared)


def cut_for_levels(
    moderators: Sequence[Moderator],
    others: Mapping[str, Other],
    within: Within,
    residual: FloatArray,
    functions: FloatArray,
) -> list[Parts]:
    """Cut moderators up as finely as the number of levels allows."""
    n_levels = len(functions)
    slopes = row_slopes(within, residual, functions) if n_levels <= FEW_LEVELS else []
    parts = cut_up(moderators, others, slopes)
    width = sum(part.line.shape[1] + part.pieces.shape[1] for part in parts)
    if (n_levels - 1) * width > MOST_PRODUCTS:
        return cut_up(moderators, others, [], coarse=True)
    return parts


def differs_of(
    moderators: Sequence[Moderator], mean: float, spread: Spread, given: Averaging
) -> Differs:
    """Return what is told of an effect that differs."""
    weights = given.strata.weights
    half = normal_quantile(given.conf_level) * spread.standard_error
    by = sorted(moderators, key=lambda m: m.p_value)
    return Differs(
        by=tuple(Moderating(m.columns, m.p_value) for m in by),
        mean=mean,
        spread=spread.value,
        lower=max(spread.value - half, 0.0),
        upper=spread.value + half,
        share=float(weights @ given.used / np.sum(weights)),
    )
