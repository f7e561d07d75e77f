"""The strata of explained columns: leaves of trees, and cells of columns that act together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from paribus.base.arrays import Labels
from paribus.estimate.partitions import Partitions, partitions_of
from paribus.pipeline.prepare import Analysis
from paribus.strata.checks import ColumnSet
from paribus.strata.cuts import Cut
from paribus.strata.honest import cross_fit
from paribus.strata.together import cross

SMALL = 5_000  # rows up to which strata are grown as often as this and averaged
REPEATS = {"quick": 1, "usual": 4, "thorough": 12}
USUAL_COLUMNS = 30  # with more of them, the same goes for fewer rows
REPEATED = 50_000  # rows up to which the same goes for tables in which most rows repeat others


@dataclass(frozen=True, slots=True)
class ColumnStrata:
    """The strata of one explained column."""

    strata: Partitions
    cuts: list[Cut]  # how columns that act together are cut
    # The same with these cut otherwise, from which effects are extrapolated: half as finely, or
    # twice and four times as finely.
    otherwise: Sequence[Partitions] = ()


@dataclass(slots=True)
class StrataOf:
    """Strata of any of the columns of an analysis; what columns share is grown once."""

    analysis: Analysis
    sets: list[ColumnSet]  # the columns left out of each tree
    # For each partition grown on the target, the strata of every set.
    labels: list[list[Labels]]  # (n,) each
    _larger: dict[int, dict[int, Labels]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def column(self, k: int | Sequence[int], left_out: ColumnSet) -> ColumnStrata:
        """Return the strata of a column, or of several at once, with others left out as well."""
        analysis, at = self.analysis, self.sets.index(left_out)
        labels = [every[at] for every in self.labels]
        if analysis.problem.within is not None:
            return ColumnStrata(self._partitions(labels), [])
        # With so many rows the trees see what acts on the target alone.
        cuts = analysis.cuts(k, left_out, acting=len(labels) == 1)
        held, cells = cuts, list[Labels]()
        if len(labels) > 1:
            cells = analysis.cells(cuts)
            self._grow_on_column(k, left_out, labels)
        else:
            held, cells = self._joined(cuts)
            labels = [self._larger_leaves(cells, at)] if held else labels
        strata = self._in_cells(labels, cells)
        changed = [cut for cut in held if cut.concerns]
        if not changed:
            return ColumnStrata(strata, cuts)
        # Those that are cut evenly are extrapolated from, so that others must stay as they are.
        even = any(cut.is_even for cut in changed)
        otherwise = []
        for _ in range(1 if even else 2):
            held = [
                cut.otherwise(analysis.matrix) if cut.concerns and cut.is_even is even else cut
                for cut in held
            ]
            otherwise.append(self._in_cells(labels, analysis.cells(held)))
        return ColumnStrata(strata, cuts, otherwise)

    def _joined(self, cuts: Sequence[Cut]) -> tuple[list[Cut], list[Labels]]:
        """Return the first of the cuts, as many as leave rows enough in joint cells, and theirs."""
        cuts = [cut for cut in cuts if not cut.half_confounds]
        most = len(self.analysis.matrix) / (2 * self.analysis.growing().min_samples_leaf)
        held: list[Cut] = []
        out: list[Labels] = []
        joint: list[Labels] = []
        for cut, own in zip(cuts, self.analysis.cells(cuts), strict=True):
            both = cross([*joint, own]) if joint else own
            if not joint or both.max() + 1 <= most:
                held, out, joint = [*held, cut], [*out, own], [both.astype(np.int32)]
        return held, out

    def _in_cells(self, labels: list[Labels], cells: Sequence[Labels]) -> Partitions:
        """Return partitions that hold cells still too.

        One partition is crossed with them; beside several their means are taken out first.
        """
        if cells and len(labels) == 1:
            return self._partitions([cross([*cells, *labels]).astype(np.int32)])
        return self._partitions(labels, cells)

    def _partitions(self, labels: list[Labels], cells: Sequence[Labels] = ()) -> Partitions:
        problem = self.analysis.problem
        return partitions_of(
            labels,
            [int(label.max()) + 1 for label in labels],
            problem.total_weights,
            problem.counts,
            problem.cluster,
            cells,
        )

    def _grow_on_column(
        self, k: int | Sequence[int], left_out: ColumnSet, labels: list[Labels]
    ) -> None:
        """Grow half of several partitions on the column itself.

        A tree on the target never splits on a column that moves the explained one strongly and the
        target weakly; a tree on the explained column does. A category is several numbers, which
        take turns.
        """
        scores, growing = self.analysis.scores(k), self.analysis.growing()
        for repeat in range(1, len(labels), 2):
            x = scores[:, (repeat // 2) % scores.shape[1]]
            x = np.where(np.isnan(x), np.nanmean(x), x)
            labels[repeat] = cross_fit(self.analysis.coded, x, [left_out], growing, repeat)[0]

    def _larger_leaves(self, cells: Sequence[Labels], at: int) -> Labels:
        """Return strata of which each of the joint cells has a part with rows enough."""
        n_cells = 2 ** int(np.ceil(np.log2(cross(cells).max() + 1)))
        # Powers of two: few sizes are grown.
        return self._leaves(self.analysis.growing().min_samples_leaf * n_cells, at)

    def _leaves(self, min_samples_leaf: int, at: int) -> Labels:
        """Return the strata of a set, of trees with leaves of a certain size.

        Many sizes are needed once only: the other sets are grown, together, when a second one is.
        """
        with self._lock:
            known = self._larger.setdefault(min_samples_leaf, {})
            if at not in known:
                new = [k for k in range(len(self.sets)) if k not in known] if known else [at]
                sets = [self.sets[k] for k in new]
                known.update(zip(new, _grown(self.analysis, sets, min_samples_leaf), strict=True))
            return known[at]


def strata_of(analysis: Analysis, sets: Sequence[ColumnSet]) -> StrataOf:
    """Grow the trees that leave out each of some sets of columns."""
    distinct = list(dict.fromkeys(sets))
    if analysis.problem.within is not None:
        return StrataOf(analysis, distinct, [[analysis.problem.within] * len(distinct)])
    leaf = analysis.growing().min_samples_leaf
    labels = [_grown(analysis, distinct, leaf, repeat) for repeat in range(n_repeats(analysis))]
    return StrataOf(analysis, distinct, labels)


def _grown(
    analysis: Analysis, sets: list[ColumnSet], min_samples_leaf: int, repeat: int = 0
) -> list[Labels]:
    growing = analysis.growing(analysis.options.threads, min_samples_leaf)
    return cross_fit(analysis.coded, analysis.problem.y, sets, growing, repeat)


def n_repeats(analysis: Analysis) -> int:
    """Return how many partitions there are for a column; ever fewer the larger the table is."""
    asked, n = analysis.options.repeats, len(analysis.problem.y)
    if asked is not None:
        return asked
    if n <= REPEATED and len(np.unique(analysis.coded.hashes)) < n / 2:
        return REPEATS[analysis.options.effort]
    most = REPEATS[analysis.options.effort]
    size = n * max(len(analysis.held) / USUAL_COLUMNS, 1)
    return int(np.clip(round(most * SMALL / size), 1, most))
