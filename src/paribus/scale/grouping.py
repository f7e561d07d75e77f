"""Effects by group of a table that is read in batches: each group is read separately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from paribus.pipeline import errors as pipeline_errors
from paribus.pipeline.grouping import (
    FEWER_KNOTS,
    FEWEST_ROWS,
    OTHERS,
    Grouping,
    compared,
    grouping_of,
)
from paribus.results import Effect
from paribus.scale.plan import Asked
from paribus.scale.run import Answer, explain_source
from paribus.scale.sources import Source
from paribus.scale.survey import Only
from paribus.table.columns import MISSING_LEVEL


def with_groups_read(
    answer: Answer,
    source: Source,
    asked: Asked,
    sample_rows: int | None,
    by: str,
    cuts: Sequence[float] | None,
) -> Answer:
    """Return an answer with effects by group added; the table is read once more for each group.

    The groups are those of the rows at hand, all or a sample.
    """
    column = answer.problem.column(by)
    if [e.feature for e in answer.effects] == [column.name]:
        raise pipeline_errors.by_itself(column.name)
    seen = len(column.values) / answer.n_rows
    grouping = grouping_of(column, answer.problem.total_weights, cuts, FEWEST_ROWS * seen)
    found: dict[str, dict[str, Effect]] = {
        e.feature: {} for e in answer.effects if e.explained and e.feature != column.name
    }
    options = replace(asked.options, fewer_knots=FEWER_KNOTS)
    for label, only in groups_only(grouping).items():
        one = replace(asked, options=options, roles=replace(asked.roles, only=only))
        for e in explain_source(source, one, sample_rows).effects:
            if e.feature in found:
                found[e.feature][label] = e
    return replace(answer, effects=compared(answer.effects, found, answer.problem, grouping))


def groups_only(grouping: Grouping) -> dict[str, Only]:
    """Return a filter for the rows of each group.

    Examples
    --------
    >>> code = np.zeros(1, dtype=np.int32)
    >>> thirds = Grouping("age", ("up to 30", "above 30"), np.array([30.0]), (), (0, 1), code)
    >>> [(one.low, one.high) for one in groups_only(thirds).values()]
    [(-inf, 30.0), (30.0, inf)]
    """
    name = grouping.column
    ends = [-np.inf, *grouping.cuts, np.inf]
    out = {}
    for k, label in zip(grouping.place, grouping.labels, strict=True):
        if label == MISSING_LEVEL:
            out[label] = Only(name, missing=True)
        elif not grouping.levels:
            out[label] = Only(name, low=float(ends[k]), high=float(ends[k + 1]))
        elif label == OTHERS:
            out[label] = Only(name, frozenset(grouping.levels), beside=True)
        else:
            out[label] = Only(name, frozenset([grouping.levels[k]]))
    return out
