"""Everything needed to explain one column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, Rows, mean_and_scale
from paribus.estimate.bands import ANYWHERE, Limits
from paribus.estimate.candidates import Candidates
from paribus.estimate.covariates import Covariates
from paribus.estimate.difference import PART_ROWS
from paribus.estimate.partitions import Partitions
from paribus.estimate.pieces import Other, Pieces
from paribus.estimate.terms import scores_of
from paribus.pipeline import diagnostics
from paribus.pipeline.averaging import Averaging
from paribus.table.columns import Column
from paribus.table.problem import Problem
from paribus.table.target import ALL, PERCENTAGE_POINTS


class Taken(Mapping[str, Column]):
    """Some rows of columns, each taken when it is first asked for.

    Examples
    --------
    >>> columns = {"a": Column("a", "number", np.array([1.0, 2.0, 3.0]))}
    >>> fewer = Taken(Taken(columns, np.array([1, 2])), np.array([1]))
    >>> fewer["a"].values.tolist(), list(fewer)
    ([3.0], ['a'])
    """

    def __init__(self, columns: Mapping[str, Column], rows: Rows) -> None:
        self._all, self._rows = columns, rows
        if isinstance(columns, Taken):
            self._all, self._rows = columns._all, columns._rows[rows]
        self._known: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        """Return some rows of the column with this name."""
        if name not in self._known:
            column = self._all[name]
            self._known[name] = replace(column, values=column.values[self._rows])
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._all)

    def __len__(self) -> int:
        """Return how many columns there are."""
        return len(self._all)


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything needed to explain one column."""

    problem: Problem
    column: Column  # the column to explain
    others: Mapping[str, Column]  # the columns held still
    y: FloatArray  # (n,)
    row: Rows  # (n,): where the rows stand in the caller's table
    strata: Partitions
    # The same with columns that act together cut otherwise; see `ColumnStrata`.
    otherwise: Sequence[Partitions]
    covariates: Covariates
    conf_level: float  # how sure the intervals are to be
    slopes_only: bool  # average slopes as the paper does, without intervals
    n_missing: int  # rows of the whole table without a value of the column
    fewer_knots: float = 1.0  # times the usual number of knots of a curve
    # Of the columns that the effect may differ with.
    pieces: Mapping[str, Pieces] = field(default_factory=dict)
    as_others: Mapping[str, Other] = field(default_factory=dict)  # these, if rows are those of all
    candidates: Candidates | None = None  # their pieces, laid out once for all explained columns
    part_rows: int = PART_ROWS  # rows that tell how an effect differs, of more than these
    # Whether columns act together on the target, cut only as finely as there are rows, that also
    # move the column, each by itself.
    half_confounded: bool = False
    # Columns that act together on the column and on the target, and can be held still only as
    # finely as there are rows.
    confounding: tuple[str, ...] = ()
    # Standard errors that the effect may move with how finely these are cut; see `Cut`.
    settled_within: float = 0.0

    def take(self, rows: Rows) -> Setting:
        """Return some of the rows."""
        return replace(
            self,
            column=replace(self.column, values=self.column.values[rows]),
            others=Taken(self.others, rows),
            y=self.y[rows],
            row=self.row[rows],
            strata=self.strata.take(rows),
            otherwise=[strata.take(rows) for strata in self.otherwise],
            covariates=self.covariates.take(rows),
            as_others={},
            candidates=None,
        )

    def sharing(self, products: FloatArray, candidates: Candidates) -> Setting:
        """Return the same with what other columns that are explained with these rows share."""
        covariates = replace(self.covariates, known_products=products)
        return replace(self, covariates=covariates, candidates=candidates)

    def moderators(self) -> dict[str, Other]:
        """Return the columns that the effect may differ with."""
        if self.as_others:
            return {name: self.as_others[name] for name in self.others if name in self.pieces}
        return {
            name: Other(column.values, self.pieces[name])
            for name, column in self.others.items()
            if name in self.pieces
        }

    def scores(self) -> FloatArray:
        """Return the column as numbers, shape (n, c); see `scores_of`."""
        return scores_of(self.column.values, len(self.column.levels))

    @property
    def scale(self) -> float:
        """The target's standard deviation."""
        return mean_and_scale(self.y, self.strata.weights)[1]

    @property
    def held(self) -> dict[str, FloatArray]:
        """The values of the columns held still."""
        return {name: column.values for name, column in self.others.items()}

    @property
    def categories(self) -> list[str]:
        """The categories among the columns held still."""
        return [name for name, column in self.others.items() if column.kind == "category"]

    def limits(self, above: FloatArray | float = 0.0) -> Limits:
        """Return between which effects can lie at all.

        The average of a share over all rows is a share; one over the rows that can be compared may
        start from any share. `above` the mean of all rows lies that of the rows which effects are
        relative to.
        """
        if self.problem.unit != PERCENTAGE_POINTS:
            return ANYWHERE
        if not self.pieces:
            return -ALL, ALL
        mean = np.average(self.y, weights=self.strata.weights) + above
        return -mean, ALL - mean

    def twins(self) -> tuple[str, ...]:
        """Return the columns that fix this one."""
        return diagnostics.find_twins(self.column.values, self.held, self.categories)

    def averaging(self, used: BoolArray) -> Averaging:
        """Return what it takes to average the effect over all rows; `used` (n,) are compared."""
        return Averaging(
            values=self.column.values,
            y=self.y,
            covariates=self.covariates,
            strata=self.strata,
            others=self.moderators(),
            counted=used.astype(np.float64),
            conf_level=self.conf_level,
            levels={name: column.levels for name, column in self.others.items()},
            shared=self.candidates,
            part_rows=self.part_rows,
        )
