"""Effects on the scale, in the step and relative to the level that the caller asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paribus.results import errors as result_errors
from paribus.results import notes as result_notes
from paribus.results.base import Effect
from paribus.results.effect_set import EffectSet
from paribus.results.numeric import NumericEffect, Per, may_double
from paribus.results.scales import TargetScale, on_scale
from paribus.table.problem import Problem


@dataclass(frozen=True, slots=True)
class Presentation:
    """The scale, the steps and the reference levels in which effects are shown."""

    problem: Problem
    scale: TargetScale | None
    per: Per | Mapping[str, Per] | None
    relative_to: Any

    def shown(self, e: Effect) -> Effect:
        """Return an effect as it was asked for."""
        if self.scale is not None:
            problem = self.problem
            mean = float(np.average(problem.y, weights=problem.total_weights))
            e = on_scale(e, self.scale, mean)
        return self._counted(self._compared(e))

    def _compared(self, e: Effect) -> Effect:
        """Return an effect relative to the level asked for."""
        if not e.explained or self.relative_to is None:
            return e
        if isinstance(self.relative_to, Mapping):
            named = e.feature in self.relative_to
            return e.relative_to(self.relative_to[e.feature]) if named else e
        has_it = not e.is_curve and str(self.relative_to) in e.labels
        return e.relative_to(self.relative_to) if has_it else e

    def _counted(self, e: Effect) -> Effect:
        """Return an effect whose slopes are given in the step asked for."""
        if not isinstance(e, NumericEffect) or self.per is None:
            return e
        if isinstance(self.per, Mapping):
            return e.counted_by(self.per.get(e.feature))
        return e.counted_by(self.per) if self.per != "doubling" or may_double(e) else e


def presented(found: EffectSet, how: Presentation) -> EffectSet:
    """Return effects as they were asked for, with a note on their scale."""
    for given in (how.per, how.relative_to):
        for name in given if isinstance(given, Mapping) else ():
            how.problem.column(name)
    remarks = () if how.scale is None else (result_notes.on_a_scale(found.target, how.scale),)
    shown = tuple(how.shown(e) for e in found.effects)
    level = how.relative_to
    if not isinstance(level, Mapping | None) and not any(e.reference for e in shown):
        raise result_errors.unknown_reference(level)
    return replace(found, effects=shown, notes=(*found.notes, *remarks))
