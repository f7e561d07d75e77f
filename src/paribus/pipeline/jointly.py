"""Which held columns act together on an explained column or on the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray, coarse
from paribus.strata.cuts import Cut, cut_set
from paribus.strata.together import (
    CERTAIN,
    MOST_CELLS,
    MOST_SETS,
    Residuals,
    Together,
    choose_sets,
    look_together,
    p_values,
    residuals_of,
    residuals_of_each,
)
from paribus.strata.triples import Triple, acting_triples, acts

MOST_SCORES = 3  # of an explained category that are looked at
MOVES = 0.05  # share of the variance of an explained column: columns that tell more move it


@dataclass(frozen=True, slots=True)
class Moved:
    """What an explained column was found to be moved by."""

    x: FloatArray  # (s, c): the column as numbers
    left: Residuals  # what an additive fit leaves of it
    p_value: FloatArray  # (T,): of sets of columns that may act together on it; see `p_values`


@dataclass(frozen=True, slots=True)
class Jointly:
    """A table whose target was looked at; explained columns follow, one at a time."""

    together: Together
    target: Residuals  # what an additive fit leaves of the target
    tests: FloatArray  # (T,): p-values of sets that may act together on the target; see `p_values`
    # Three numbers that act on the target only together, most certain first.
    triples: Sequence[Triple] = ()
    # How sets that act on the target alone are cut, filled in as they are met.
    known: dict[tuple[int, ...], list[Cut]] = field(default_factory=dict)

    def look_at(
        self, columns: Sequence[FloatArray], left_out: Sequence[Sequence[int]]
    ) -> list[Moved]:
        """Look at which sets act on explained columns (n, c), each with some columns left out.

        Several at once take far less time than one after the other.
        """
        seen = []
        for x in columns:
            own = x[self.together.rows, :MOST_SCORES]
            seen.append(np.where(np.isnan(own), np.nanmean(own, axis=0), own))
        left = residuals_of_each(self.together, seen, left_out)
        found = p_values(self.together, left)
        return [Moved(*each) for each in zip(seen, left, found, strict=True)]

    def cuts(self, moved: Moved, left_out: Sequence[int], *, acting: bool = False) -> list[Cut]:
        """Find the sets of columns not left out that act together on a column or the target.

        Only those `acting` on the column are cut, if asked for; what each by itself moves it is
        named as one cell.
        """
        x, left, p_value = moved.x, moved.left, moved.p_value
        tests = self.together.tests
        allowed = tests.allowed(left_out)
        least = np.where(allowed, np.minimum(p_value, self.tests), 1.0)
        likely = np.flatnonzero(least < CERTAIN)
        strongest = likely[np.argsort(coarse(least[likely]), kind="stable")[:MOST_SETS]]
        keys = {tests.key(at): int(at) for at in strongest}
        n_tests = int(np.count_nonzero(allowed)) * (1 + x.shape[1])
        found = {key: float(least[at]) for key, at in keys.items()}
        out, spread = self._triple(left, left_out), np.maximum(x.var(axis=0), 1e-300)
        for columns in choose_sets(self.together, found, n_tests):
            certain = CERTAIN / n_tests
            # Sets that were joined of several are none of those tested.
            at = keys.get(columns)
            if at is None or p_value[at] < certain:
                cuts = cut_set(self.together, left.beside(self.target), columns)
                both = at is None or bool(self.tests[at] < certain)
                out += [replace(cut, confounds=both) for cut in cuts]
            else:
                half = len(columns) > 1 and self._most_told(left, columns, spread) > MOVES
                if not acting:
                    out += [replace(cut, half_confounds=half) for cut in self._for_target(columns)]
                elif half:
                    out.append(Cut(columns, [np.empty(0)] * len(columns), half_confounds=True))
        return self._affordable(out)

    def _triple(self, left: Residuals, left_out: Sequence[int]) -> list[Cut]:
        """Cut the first three numbers that act together on the target, if on `left` as well."""
        others = (t for t in self.triples if not {*t} & {*left_out})
        for columns in others:
            if acts(self.together, left, columns, CERTAIN / len(self.triples)):
                cuts = cut_set(self.together, left.beside(self.target), columns)
                return [replace(cut, confounds=True) for cut in cuts]
        return []

    def _affordable(self, cuts: list[Cut]) -> list[Cut]:
        """Return the first of the cuts, as many as leave rows enough to compare."""
        n_cells, out = 0, []
        for cut in cuts:
            n_cells += int(cut.cells(self.together.matrix).max()) + 1
            if n_cells <= MOST_CELLS * len(self.together.matrix):
                out.append(cut)
        return out

    def _most_told(self, left: Residuals, columns: Sequence[int], spread: FloatArray) -> float:
        """Return the largest share of variances (c,) that columns tell, each by itself."""
        return float((self.together.told_by(columns, left.slopes) / spread).max())

    def surely_act(self, n_columns: int) -> BoolArray:
        """Tell which columns surely act on the target with another, shape (n_columns,)."""
        columns = self.together.tests.columns  # (T, 2)
        pairs = (columns[:, 0] != columns[:, 1]) & (self.tests < CERTAIN / max(1, len(self.tests)))
        return np.isin(np.arange(n_columns), columns[pairs])

    def _for_target(self, columns: tuple[int, ...]) -> list[Cut]:
        """Return the cut of a set that is of no concern to the explained column.

        How finely it is cut matters little, so it need not be compared with a coarser one.
        """
        if columns not in self.known:
            cuts = cut_set(self.together, self.target, columns)
            self.known[columns] = [replace(cut, is_even=False) for cut in cuts]
        return self.known[columns]


def look_jointly(matrix: FloatArray, categorical: Sequence[int], y: FloatArray) -> Jointly | None:
    """Look at a table (n, p) and its target (n,); None where it is too small or too wide."""
    together = look_together(matrix, categorical)
    if together is None:
        return None
    left = residuals_of(together, y[together.rows, None], ())
    triples = acting_triples(together, left, CERTAIN)
    return Jointly(together, left, p_values(together, [left])[0], triples)
