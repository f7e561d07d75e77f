"""Which held columns act together on an explained column or on the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paribus.base.arrays import FloatArray
from paribus.strata.cuts import Cut, cut_set
from paribus.strata.together import (
    CERTAIN,
    MOST_CELLS,
    Residuals,
    Together,
    choose_sets,
    look_together,
    p_values,
    residuals_of,
)

MOST_SCORES = 3  # of an explained category that are looked at


@dataclass(frozen=True, slots=True)
class Jointly:
    """A table whose target was looked at; explained columns follow, one at a time.

    Attributes
    ----------
    together : Together
    target : Residuals
        What an additive fit leaves of the target.
    tests : mapping of tuple of int to float
        P-values of sets of columns that may act together on the target.
    known : dict of tuple of int to list of Cut
        How sets that act on the target alone are cut, filled in as they are met.
    """

    together: Together
    target: Residuals
    tests: Mapping[tuple[int, ...], float]
    known: dict[tuple[int, ...], list[Cut]] = field(default_factory=dict)

    def cuts(self, x: FloatArray, left_out: Sequence[int]) -> list[Cut]:
        """Find the sets of columns not left out that act together on `x` (n, c) or the target."""
        x = x[self.together.rows, :MOST_SCORES]
        x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
        left = residuals_of(self.together, x, left_out)
        by_column = p_values(self.together, left, left_out)
        n_tests = len(by_column) * (1 + x.shape[1])
        found = {key: min(p, self.tests.get(key, 1.0)) for key, p in by_column.items()}
        out: list[Cut] = []
        for columns in choose_sets(self.together, found, n_tests):
            certain = CERTAIN / n_tests
            if by_column.get(columns, 0.0) < certain:
                cuts = cut_set(self.together, left.beside(self.target), columns)
                both = self.tests.get(columns, 0.0) < certain
                out += [replace(cut, acts=True, confounds=both) for cut in cuts]
            else:
                out += self._for_target(columns)
        return self._affordable(out)

    def _affordable(self, cuts: list[Cut]) -> list[Cut]:
        """Return the first of the cuts, as many as leave rows enough to compare."""
        n_cells, out = 0, []
        for cut in cuts:
            n_cells += int(cut.cells(self.together.matrix).max()) + 1
            if n_cells <= MOST_CELLS * len(self.together.matrix):
                out.append(cut)
        return out

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
    return Jointly(together, left, p_values(together, left, ()))
