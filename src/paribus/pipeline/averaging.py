"""Effects that differ: found, averaged over the rows, and put into words' reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray
from paribus.estimate.averaging import Spread
from paribus.estimate.bands import normal_quantile
from paribus.estimate.basis import Hats
from paribus.estimate.curve import CurveFit
from paribus.estimate.design import Covariates
from paribus.estimate.differing import fit_differing
from paribus.estimate.differing_levels import (
    MOST_PRODUCTS,
    fit_differing_levels,
    share_compared,
)
from paribus.estimate.interactions import curve_functions, level_functions
from paribus.estimate.levels import LevelFit
from paribus.estimate.moderating import cut_up, row_slopes
from paribus.estimate.moderators import Moderator, find_moderators, rows_to_test
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other
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


def average_curve(
    basis: Hats, common: CurveFit, given: Averaging
) -> tuple[CurveFit, Differs | None]:
    """Return the curve averaged over the rows, and how it differs.

    Where nothing is found to differ it is the common curve itself.
    """
    if not given.others or basis.size < 2:
        return common, None
    weights = given.strata.weights
    functions = curve_functions(basis, given.values, weights)
    used_df = given.covariates.n_active + common.edf
    tested = rows_to_test(common.within, common.residual, functions, used_df, straight=True)
    moderators = find_moderators(tested, given.others)
    if not moderators:
        return common, None
    slopes = row_slopes(common.within, common.residual, functions[:, :1])
    parts = cut_up(moderators, given.others, slopes)
    found = fit_differing(
        basis, given.y, given.covariates, given.strata, parts, functions, given.used
    )
    # What is left of the column to vary is told by the common fit.
    fit = replace(found.fit, within=common.within, solve=common.solve)
    return fit, _differs(moderators, found.slope, found.spread, given)


def average_levels(
    basis: Hats, common: LevelFit, given: Averaging
) -> tuple[LevelFit, Differs | None]:
    """Return the levels averaged over the rows that can be compared, and how they differ.

    Where nothing is found to differ they are the common ones themselves.
    """
    if not given.others or common.within is None or not 2 <= basis.size <= MOST_LEVELS:
        return common, None
    functions = level_functions(basis.totals(given.strata.weights))
    used_df = float(given.covariates.n_active + basis.size - 1)
    tested = rows_to_test(common.within, common.residual, functions, used_df, straight=False)
    moderators = find_moderators(tested, given.others)
    if not moderators:
        return common, None
    slopes = []
    if basis.size <= FEW_LEVELS:
        slopes = row_slopes(common.within, common.residual, functions)
    parts = cut_up(moderators, given.others, slopes)
    if (basis.size - 1) * sum(p.line.shape[1] + p.pieces.shape[1] for p in parts) > MOST_PRODUCTS:
        parts = cut_up(moderators, given.others, [], coarse=True)
    compared = share_compared(basis, given.strata)
    found = fit_differing_levels(basis, given.y, given.covariates, given.strata, parts, compared)
    fit = replace(found.fit, within=common.within, solve=common.solve)
    return fit, _differs(moderators, found.contrast, found.spread, given)


def _differs(
    moderators: Sequence[Moderator], mean: float, spread: Spread, given: Averaging
) -> Differs:
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
