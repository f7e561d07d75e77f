"""Effects that differ: found, and averaged over the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, Rows, coarse, mean_and_scale
from paribus.estimate.averaging import Averaged, Over
from paribus.estimate.bands import normal_quantile
from paribus.estimate.basis import Hats
from paribus.estimate.candidates import Candidates, rows_looked_at
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
from paribus.estimate.moderating import ROWS_TELLING, Cut, Parts, cut_up, row_slopes
from paribus.estimate.moderators import (
    MOST_PRODUCTS,
    Moderator,
    find_moderators,
    rows_to_test,
)
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other
from paribus.estimate.units import Units
from paribus.results import Differs, Moderating

MOST_LEVELS = 60  # of an explained category: above it, differences are not looked for
FEW_LEVELS = 6  # up to it, jumps are
CLEAR_MEAN = 0.5  # times the spread: below it an effect goes both ways
CLEAR_ORDER = 0.3  # correlation of an effect with a column that it rises or falls with
LEAST_SHARE = 0.03  # of the rows, in a level that is named
MOST_AVERAGED = 200_000  # rows are enough to average over


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
    part_rows: int = PART_ROWS  # of more rows, so many tell how the effect differs

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

    def part(self, *, by_row: bool = False) -> Rows | None:
        """Return the rows that tell how the effect differs; None for all. See `part_of`."""
        return part_of(self.strata, self.part_rows, by_row=by_row)

    def only(self, found: _Found) -> Averaging:
        """Return the same with no other columns than the moderators found."""
        return replace(self, others=self.moderating(found.moderators))

    def rows(self, basis: Hats) -> _Rows:
        """Return these rows as those averaged over."""
        return _Rows(basis, self.others, self.counted, self.strata.units)

    def evenly(self, basis: Hats) -> _Rows:
        """Return rows enough to average over, drawn evenly."""
        rows = self.rows(basis)
        step = -(-len(self.y) // MOST_AVERAGED)
        return rows if step == 1 else rows.take(np.arange(0, len(self.y), step))

    def moderating(
        self, moderators: Sequence[Moderator], at: Rows | None = None
    ) -> dict[str, Other]:
        """Return the columns among some moderators, in all rows or in some."""
        names = {name for moderator in moderators for name in moderator.columns}
        own = {name: other for name, other in self.others.items() if name in names}
        return own if at is None else {name: other.take(at) for name, other in own.items()}

    def scale(self) -> float:
        """Return the target's standard deviation."""
        return mean_and_scale(self.y, self.strata.weights)[1]

    def differs(self, found: _Found, rows: Averaged[Any], over: _Rows) -> Differs:
        """Return by what, and how much, an effect differs among the rows averaged `over`."""
        weights, spread = over.units.weights, rows.spread
        half = normal_quantile(self.conf_level) * spread.standard_error
        return Differs(
            by=tuple(
                Moderating(m.columns, m.p_value, self._stronger(m.columns, rows, over))
                for m in sorted(found.moderators, key=lambda m: coarse(m.p_value))
            ),
            mean=rows.mean,
            spread=spread.value,
            lower=max(spread.value - half, 0.0),
            upper=spread.value + half,
            share=float(weights @ over.counted / np.sum(weights)),
        )

    def _stronger(self, columns: tuple[str, ...], rows: Averaged[Any], over: _Rows) -> str:
        """Say where the effect goes further the way of its mean; nothing if it goes both ways."""
        if len(columns) > 1 or abs(rows.mean) < CLEAR_MEAN * rows.spread.value:
            return ""
        (name,), further = columns, np.sign(rows.mean) * rows.apart
        return where_higher(
            name,
            over.others[name],
            self.levels.get(name, ()),
            further,
            over.units.weights * over.counted,
        )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows that an effect is averaged over."""

    basis: Hats
    others: Mapping[str, Other]  # the moderators among them
    counted: FloatArray  # (n,): how much each row counts
    units: Units

    def take(self, at: Rows) -> _Rows:
        """Return some of the rows."""
        others = {name: other.take(at) for name, other in self.others.items()}
        return _Rows(self.basis.take(at), others, self.counted[at], self.units.take(at))

    def counting(self) -> _Rows:
        """Return the same with rows counting where their levels can be compared."""
        counted = rows_counted(self.basis, self.others.values(), self.units.weights)
        return replace(self, counted=counted)


@dataclass(frozen=True, slots=True)
class _Found:
    """Moderators that were found, how they are cut up, and functions (K, a) of the column."""

    moderators: Sequence[Moderator]
    cuts: Sequence[Cut]
    functions: FloatArray

    def parts(self, basis: Hats, given: Averaging, over: _Rows) -> tuple[list[Parts], Over]:
        """Cut up the moderators in the rows of a fit, and in those averaged over."""
        own = [cut.parts(given.others) for cut in self.cuts]
        same = over.basis is basis
        averaged = own if same else [cut.parts(over.others) for cut in self.cuts]
        return own, Over(over.basis, over.counted, over.units, averaged)


def average_curve(
    basis: Hats, common: CurveFit, given: Averaging
) -> tuple[CurveFit, Differs | None]:
    """Return the curve averaged over the rows, and how it differs.

    Where nothing is found to differ it is the common curve itself. Of very many rows a part tells
    how it differs.
    """
    at = given.part()
    found = _curve_moderators(basis, common, given)
    if found is None:
        return common, None
    given = given.only(found)
    if at is not None:
        over, share = given.evenly(basis), len(at) / len(given.y)
        return _curve_by_part(basis.take(at), common, given.take(at), found, over, share)
    over = given.rows(basis)
    rows = _fit_curve(basis, given, found, over)
    fit = replace(rows.fit, within=common.within, solve=common.solve)
    return fit, given.differs(found, rows, over)


def average_curve_by_part(
    basis: Hats, common: CurveFit, given: Averaging, share: float
) -> tuple[CurveFit, Differs | None]:
    """Return the curve averaged over the rows of a part, corrected by that of all rows.

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
    if found is None:
        return common, None
    given = given.only(found)
    return _curve_by_part(basis, common, given, found, given.rows(basis), share)


def _curve_by_part(
    basis: Hats,
    common: CurveFit,
    given: Averaging,
    found: _Found,
    over: _Rows,
    share: float,
) -> tuple[CurveFit, Differs]:
    rows = _fit_curve(basis, given, found, over)
    part = fit_curve(basis, given.y, given.covariates, given.strata)
    fit = add_curve_difference(common, rows, part, basis.rarer_point(), share, given.scale())
    return fit, given.differs(found, rows, over)


def _curve_moderators(basis: Hats, common: CurveFit, given: Averaging) -> _Found | None:
    """Find moderators, and how to cut them up."""
    if not given.others or basis.size < 2:
        return None
    weights = given.strata.weights
    functions, fine = curve_functions(basis, given.values, weights, COARSE, FINE)
    used_df = given.covariates.n_active + common.edf
    rows = partial(rows_to_test, common.within, common.residual, functions, used_df, straight=True)
    moderators = find_moderators(rows, given.others, given.shared)
    if not moderators:
        return None
    at = rows_looked_at(len(common.residual), ROWS_TELLING)
    slopes = row_slopes(common.within, common.residual, fine[:, :1], at)
    return _Found(moderators, cut_up(moderators, given.moderating(moderators, at), slopes), fine)


def _fit_curve(basis: Hats, given: Averaging, found: _Found, over: _Rows) -> Averaged[CurveFit]:
    parts, averaged = found.parts(basis, given, over)
    return fit_differing(
        basis, given.y, given.covariates, given.strata, parts, found.functions, averaged
    )


def average_levels(
    basis: Hats, common: LevelFit, given: Averaging
) -> tuple[LevelFit, Differs | None]:
    """Return the levels averaged over the rows that can be compared, and how they differ.

    See `average_curve`.
    """
    at = given.part(by_row=True)
    found = _level_moderators(basis, common, given)
    if found is None:
        return common, None
    given = given.only(found)
    if at is not None:
        over, count = given.evenly(basis).counting(), basis.totals(given.strata.weights)
        share = len(at) / len(given.y)
        return _levels_by_part(basis.take(at), common, given.take(at), found, over, count, share)
    over = given.rows(basis).counting()
    rows = _fit_levels(basis, given, found, over)
    fit = replace(rows.fit, within=common.within, solve=common.solve)
    return fit, given.differs(found, rows, over)


def average_levels_by_part(
    basis: Hats, common: LevelFit, given: Averaging, count: FloatArray, share: float
) -> tuple[LevelFit, Differs | None]:
    """Return the levels averaged over the rows of a part, corrected by those of all, `count` (K,).

    See `average_curve_by_part`.
    """
    if not given.others or common.within is None:
        return common, None
    part = fit_levels(basis.index, basis.size, given.y, given.covariates, given.strata)
    found = _level_moderators(basis, part, given)
    if found is None:
        return common, None
    given = given.only(found)
    over = given.rows(basis).counting()
    return _levels_by_part(basis, common, given, found, over, count, share)


def _levels_by_part(
    basis: Hats,
    common: LevelFit,
    given: Averaging,
    found: _Found,
    over: _Rows,
    count: FloatArray,
    share: float,
) -> tuple[LevelFit, Differs]:
    rows = _fit_levels(basis, given, found, over)
    part = fit_levels(basis.index, basis.size, given.y, given.covariates, given.strata)
    fit = add_level_difference(common, rows, part, basis.index, count, share, given.scale())
    return fit, given.differs(found, rows, over)


def _level_moderators(basis: Hats, common: LevelFit, given: Averaging) -> _Found | None:
    within = common.within
    if not given.others or within is None or not 2 <= basis.size <= MOST_LEVELS:
        return None
    functions = level_functions(basis.totals(given.strata.weights))
    used_df = float(given.covariates.n_active + basis.size - 1)
    rows = partial(rows_to_test, within, common.residual, functions, used_df, straight=False)
    moderators = find_moderators(rows, given.others, given.shared)
    if not moderators:
        return None
    few, at = basis.size <= FEW_LEVELS, rows_looked_at(len(common.residual), ROWS_TELLING)
    slopes = row_slopes(within, common.residual, functions, at) if few else []
    others = given.moderating(moderators, at)
    cuts = cut_up(moderators, others, slopes)
    width = sum(cut.parts(others).width for cut in cuts)
    if (basis.size - 1) * width > MOST_PRODUCTS:
        cuts = cut_up(moderators, others, [], coarse=True)
    return _Found(moderators, cuts, functions)


def _fit_levels(basis: Hats, given: Averaging, found: _Found, over: _Rows) -> Averaged[LevelFit]:
    parts, averaged = found.parts(basis, given, over)
    return fit_differing_levels(basis, given.y, given.covariates, given.strata, parts, averaged)


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
