"""Effects that differ: found, and averaged over the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, Rows, mean_and_scale
from paribus.estimate.averaging import Averaged
from paribus.estimate.bands import normal_quantile
from paribus.estimate.basis import Hats
from paribus.estimate.candidates import Candidates
from paribus.estimate.covariates import Covariates
from paribus.estimate.curve import CurveFit, fit_curve
from paribus.estimate.difference import (
    PART_ROWS,
    add_curve_difference,
    add_level_difference,
    part_of,
)
from paribus.estimate.differing import fit_differing
from paribus.estimate.differing_levels import fit_differing_levels, rows_counted
from paribus.estimate.groups import sums_of
from paribus.estimate.interactions import COARSE, FINE, curve_functions, level_functions
from paribus.estimate.levels import LevelFit, fit_levels
from paribus.estimate.moderating import Parts, cut_up, row_slopes
from paribus.estimate.moderators import (
    MOST_PRODUCTS,
    Moderator,
    find_moderators,
    rows_to_test,
)
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other
from paribus.results import Differs, Moderating

MOST_LEVELS = 60  # of an explained category: above it, differences are not looked for
FEW_LEVELS = 6  # up to it, jumps are
CLEAR_MEAN = 0.5  # times the spread: below it an effect goes both ways
CLEAR_ORDER = 0.3  # correlation of an effect with a column that it rises or falls with
LEAST_SHARE = 0.03  # of the rows, in a level that is named


@dataclass(frozen=True, slots=True)
class Averaging:
    """The rows that an effect is averaged over."""

    values: FloatArray  # (n,): of the explained column
    y: FloatArray  # (n,)
    covariates: Covariates
    strata: Partitions
    others: Mapping[str, Other]  # the columns that the effect may differ with
    counted: FloatArray  # (n,): how much each row counts: 0 where it cannot be compared
    conf_level: float
    # The levels of the categories among the others.
    levels: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    shared: Candidates | None = None  # their pieces, laid out once for all explained columns
    # Of more than twice as many rows, so many tell the difference between the averages.
    part_rows: int = PART_ROWS

    def take(self, rows: Rows) -> Averaging:
        """Return some of the rows."""
        return replace(
            self,
            values=self.values[rows],
            y=self.y[rows],
            covariates=self.covariates.take(rows),
            strata=self.strata.take(rows),
            others={name: other.take(rows) for name, other in self.others.items()},
            counted=self.counted[rows],
            shared=None,
        )

    def part(self) -> Rows | None:
        """Return the rows that tell the difference between the averages; None for all."""
        return part_of(self.strata, self.part_rows)

    def moderating(self, found: Sequence[Moderator], at: Rows | None = None) -> dict[str, Other]:
        """Return the columns among the moderators found, in all rows or in some."""
        names = {name for moderator in found for name in moderator.columns}
        own = {name: other for name, other in self.others.items() if name in names}
        return own if at is None else {name: other.take(at) for name, other in own.items()}

    def scale(self) -> float:
        """Return the target's standard deviation."""
        return mean_and_scale(self.y, self.strata.weights)[1]

    def differs(self, found: _Found, rows: Averaged[Any]) -> Differs:
        """Return by what, and how much, an effect differs."""
        weights, spread = self.strata.weights, rows.spread
        half = normal_quantile(self.conf_level) * spread.standard_error
        return Differs(
            by=tuple(
                Moderating(m.columns, m.p_value, self._stronger(m.columns, rows))
                for m in sorted(found.moderators, key=lambda m: m.p_value)
            ),
            mean=rows.mean,
            spread=spread.value,
            lower=max(spread.value - half, 0.0),
            upper=spread.value + half,
            share=float(weights @ self.counted / np.sum(weights)),
        )

    def _stronger(self, columns: tuple[str, ...], rows: Averaged[Any]) -> str:
        """Say where the effect goes further the way of its mean; nothing if it goes both ways."""
        if len(columns) > 1 or abs(rows.mean) < CLEAR_MEAN * rows.spread.value:
            return ""
        (name,), further = columns, np.sign(rows.mean) * rows.apart
        return where_higher(
            name,
            self.others[name],
            self.levels.get(name, ()),
            further,
            self.strata.weights * self.counted,
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """Moderators that were found, cut up, and functions (K, a) of the explained column."""

    moderators: Sequence[Moderator]
    parts: Sequence[Parts]
    functions: FloatArray


def average_curve(
    basis: Hats, common: CurveFit, given: Averaging
) -> tuple[CurveFit, Differs | None]:
    """Return the curve averaged over the rows, and how it differs.

    Where nothing is found to differ it is the common curve itself. Of very many rows a part tells
    the difference between the two averages.
    """
    at = given.part()
    found = _curve_moderators(basis, common, given, at)
    if found is None:
        return common, None
    if at is None:
        rows = _fit_curve(basis, given, found)
        fit = replace(rows.fit, within=common.within, solve=common.solve)
        return fit, given.differs(found, rows)
    share = len(at) / len(given.y)
    return _curve_by_part(basis.take(at), common, given.take(at), found, share)


def average_curve_by_part(
    basis: Hats, common: CurveFit, given: Averaging, share: float
) -> tuple[CurveFit, Differs | None]:
    """Return the curve of all rows, averaged as a part tells, and how it differs.

    Parameters
    ----------
    basis : Hats
        Of the part.
    common : CurveFit
        Of all rows.
    given : Averaging
        The part.
    share : float
        Of all rows that the part is.
    """
    if not given.others:
        return common, None
    part = fit_curve(basis, given.y, given.covariates, given.strata)
    found = _curve_moderators(basis, part, given)
    return (common, None) if found is None else _curve_by_part(basis, common, given, found, share)


def _curve_by_part(
    basis: Hats, common: CurveFit, given: Averaging, found: _Found, share: float
) -> tuple[CurveFit, Differs]:
    rows = _fit_curve(basis, given, found)
    part = fit_curve(basis, given.y, given.covariates, given.strata)
    fit = add_curve_difference(common, rows, part, basis.rarer_point(), share, given.scale())
    return fit, given.differs(found, rows)


def _curve_moderators(
    basis: Hats, common: CurveFit, given: Averaging, at: Rows | None = None
) -> _Found | None:
    """Find moderators, and cut them up in all rows or in some."""
    if not given.others or basis.size < 2:
        return None
    weights = given.strata.weights
    functions, fine = curve_functions(basis, given.values, weights, COARSE, FINE)
    used_df = given.covariates.n_active + common.edf
    rows = partial(rows_to_test, common.within, common.residual, functions, used_df, straight=True)
    moderators = find_moderators(rows, given.others, given.shared)
    if not moderators:
        return None
    slopes = row_slopes(common.within, common.residual, fine[:, :1], at)
    return _Found(moderators, cut_up(moderators, given.moderating(moderators, at), slopes), fine)


def _fit_curve(basis: Hats, given: Averaging, found: _Found) -> Averaged[CurveFit]:
    return fit_differing(
        basis, given.y, given.covariates, given.strata, found.parts, found.functions, given.counted
    )


def average_levels(
    basis: Hats, common: LevelFit, given: Averaging
) -> tuple[LevelFit, Differs | None]:
    """Return the levels averaged over the rows that can be compared, and how they differ.

    See `average_curve`.
    """
    at = given.part()
    found = _level_moderators(basis, common, given, at)
    if found is None:
        return common, None
    if at is None:
        given = _counting(basis, given, found)
        rows = _fit_levels(basis, given, found)
        fit = replace(rows.fit, within=common.within, solve=common.solve)
        return fit, given.differs(found, rows)
    share, count = len(at) / len(given.y), basis.totals(given.strata.weights)
    return _levels_by_part(basis.take(at), common, given.take(at), found, count, share)


def average_levels_by_part(
    basis: Hats, common: LevelFit, given: Averaging, count: FloatArray, share: float
) -> tuple[LevelFit, Differs | None]:
    """Return the levels of all rows, `count` (K,), averaged as a part tells.

    See `average_curve_by_part`.
    """
    if not given.others or common.within is None:
        return common, None
    part = fit_levels(basis.index, basis.size, given.y, given.covariates, given.strata)
    found = _level_moderators(basis, part, given)
    if found is None:
        return common, None
    return _levels_by_part(basis, common, given, found, count, share)


def _levels_by_part(
    basis: Hats,
    common: LevelFit,
    given: Averaging,
    found: _Found,
    count: FloatArray,
    share: float,
) -> tuple[LevelFit, Differs]:
    given = _counting(basis, given, found)
    rows = _fit_levels(basis, given, found)
    part = fit_levels(basis.index, basis.size, given.y, given.covariates, given.strata)
    fit = add_level_difference(common, rows, part, basis.index, count, share, given.scale())
    return fit, given.differs(found, rows)


def _level_moderators(
    basis: Hats, common: LevelFit, given: Averaging, at: Rows | None = None
) -> _Found | None:
    within = common.within
    if not given.others or within is None or not 2 <= basis.size <= MOST_LEVELS:
        return None
    functions = level_functions(basis.totals(given.strata.weights))
    used_df = float(given.covariates.n_active + basis.size - 1)
    rows = partial(rows_to_test, within, common.residual, functions, used_df, straight=False)
    moderators = find_moderators(rows, given.others, given.shared)
    if not moderators:
        return None
    few = basis.size <= FEW_LEVELS
    slopes = row_slopes(within, common.residual, functions, at) if few else []
    others = given.moderating(moderators, at)
    parts = cut_up(moderators, others, slopes)
    width = sum(part.width for part in parts)
    if (basis.size - 1) * width > MOST_PRODUCTS:
        parts = cut_up(moderators, others, [], coarse=True)
    return _Found(moderators, parts, functions)


def _counting(basis: Hats, given: Averaging, found: _Found) -> Averaging:
    """Return the same with rows counting where their levels can be compared."""
    moderators = given.moderating(found.moderators).values()
    return replace(given, counted=rows_counted(basis, moderators, given.strata.weights))


def _fit_levels(basis: Hats, given: Averaging, found: _Found) -> Averaged[LevelFit]:
    return fit_differing_levels(
        basis, given.y, given.covariates, given.strata, found.parts, given.counted
    )


def where_higher(
    name: str, other: Other, levels: Sequence[Any], values: FloatArray, weights: FloatArray
) -> str:
    """Say where some values (n,) are higher along a column; nothing where no word fits.

    Examples
    --------
    >>> from paribus.estimate.pieces import fit_pieces
    >>> age = np.arange(50.0)
    >>> where_higher("age", Other(age, fit_pieces(age, 0, age + 1)), (), -age, np.ones(50))
    'age is low'
    """
    if other.is_number:
        line = other.pieces.standard(other.values)
        apart = values - np.average(values, weights=weights)
        size = float(np.sqrt(np.average(apart**2, weights=weights)))
        order = np.sum(weights @ (apart[:, None] * line)) / weights.sum() / max(size, 1e-300)
        side = "high" if order > 0 else "low"
        return f"{name} is {side}" if abs(order) >= CLEAR_ORDER else ""
    codes = np.where(np.isnan(other.values), len(levels), other.values).astype(np.int64)
    count = sums_of(codes, weights, len(levels) + 1)[:-1]
    total = sums_of(codes, weights * values, len(levels) + 1)[:-1]
    known = count >= LEAST_SHARE * weights.sum()
    if np.count_nonzero(known) < 2:
        return ""
    mean = np.where(known, total / np.maximum(count, 1e-300), -np.inf)
    return f"{name} = {levels[int(np.argmax(mean))]}"
