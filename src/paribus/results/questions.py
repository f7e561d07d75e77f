"""Questions that an effect can answer as long as the rows behind it are available."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from paribus.base.errors import InputError
from paribus.results import errors as result_errors
from paribus.results.parts import SURE, Differs
from paribus.results.scales import is_ratio

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.by_group import ByGroup
    from paribus.results.contrast import Contrast
    from paribus.results.evidence import Examples, RowsBehind
    from paribus.results.joint import JointEffect
    from paribus.results.robustness import Robustness
    from paribus.results.slopes import SlopeBy

LEAF_SIZES = (5, 10, 20, 40)


class Questions:
    """Methods that go back to the rows: stability, groups, pairs, examples, robustness."""

    __slots__ = ()
    feature: str
    unit: str
    differs: Differs | None
    _rerun: Callable[..., Any] | None
    _behind: Callable[[], RowsBehind] | None

    def stability(self) -> dict[int, Effect]:
        """Estimate again with leaf sizes 5, 10, 20 and 40: a sound effect hardly changes.

        Returns
        -------
        dict of int to Effect
            By leaf size; `paribus.plotting.mpl.plot_stability` draws them together.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(500, seed=0)
        >>> sorted(pb.effect(d.table, "y", "x1").stability())
        [5, 10, 20, 40]
        """
        if self._rerun is None:
            raise result_errors.no_data_to_rerun()
        return {size: self._rerun(min_samples_leaf=size) for size in LEAF_SIZES}

    def groups_that_differ(self) -> ByGroup | None:
        """Return the effect by groups of the column that it most clearly differs with, if any.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(500, seed=0)
        >>> pb.effect(d.table, "y", "x1").groups_that_differ() is None
        True
        """
        if not self.differs or self._rerun is None:
            return None
        for one in self.differs.by:
            if len(one.columns) == 1 and one.p_value < SURE:
                try:
                    by = self._rerun(by=one.columns[0]).by
                except InputError:  # its rows fall into one group
                    continue
                return None if by is None else by.as_chosen(one.p_value)
        return None

    def beside(self, column: str) -> JointEffect:
        """Return the effect of this column and another at once.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(1000, seed=0)
        >>> pb.effect(d.table, "weight", "height").beside("sex").features
        ('height', 'sex')
        """
        if self._rerun is None or is_ratio(self.unit):
            raise result_errors.no_rows_for_a_pair(self.feature, column)
        both: JointEffect = self._rerun(beside=column)
        return both

    def slope_by(self, column: str) -> SlopeBy:
        """Return how the effect of this column changes along another, which is a number.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(1000, seed=0)
        >>> pb.effect(d.table, "weight", "height").slope_by("education").compared
        ('each extra 1',)
        """
        return self.beside(column).slope_of(self.feature)

    def examples(self, n_pairs: int = 3) -> Examples:
        """Return rows that differ only in this column: the closest pairs that agree, and others.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.body_weight(2000, seed=0)
        >>> found = pb.effect(d.table, "weight", "pregnant").examples()
        >>> found.pairs[0].values, found.pairs[0].difference > 0
        ((False, True), True)
        """
        from paribus.results.evidence import examples_of

        return examples_of(cast("Effect", self), self.rows_behind(), n_pairs)

    def robustness(self, contrast: Contrast | None = None) -> Robustness:
        """Return how strong a column that is not in the table would have to be to undo this.

        It is about a `contrast`, such as that of `between`; by default the average slope, or for
        levels the clearest difference from the commonest.

        Examples
        --------
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(500, sigma=0.5, seed=0)
        >>> 0 < pb.effect(d.table, "y", "x1").robustness().value < 1
        True
        """
        from paribus.results.robustness import robustness

        return robustness(cast("Effect", self), contrast)

    def rows_behind(self) -> RowsBehind:
        """Return the rows that the effect was estimated from, with their strata."""
        if self._behind is None:
            raise result_errors.no_data_to_rerun()
        return self._behind()
