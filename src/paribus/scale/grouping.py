"""Effects by group of a table that is read in batches: each group is read by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from paribus.pipeline import errors as pipeline_errors
from paribus.pipeline.grouping import FEWEST_ROWS, OTHERS, Grouping, compared, grouping_of
from paribus.results import Effect
from paribus.scale.run import Answer
from paribus.scale.survey import Only
from paribus.table.columns import MISSING_LEVEL


def with_groups_read(
    answer: Answer,
    explain_only: Callable[[Only], Answer],
    by: str,
    cuts: Sequence[float] | None = None,
) -> list[Effect]:
    """Return the effects of an answer with their like in every group.

    The groups are those of the rows at hand, all or a sample; `explain_only` reads the table
    again and explains the rows of one of them.
    """
    column = answer.problem.column(by)
    if [e.feature for e in answer.effects] == [column.name]:
        raise pipeline_errors.by_itself(column.name)
    seen = len(column.values) / answer.n_rows
    grouping = grouping_of(column, answer.problem.total_weights, cuts, FEWEST_ROWS * seen)
    found: dict[str, dict[str, Effect]] = {
        e.feature: {} for e in answer.effects if e.explained and e.feature != column.name
    }
    for label, only in groups_only(grouping).items():
        for e in explain_only(only).effects:
            if e.feature in found:
                found[e.feature][label] = e
    return compared(answer.effects, found, answer.problem, grouping)


def groups_only(grouping: Grouping) -> dict[str, Only]:
    """Return how the rows of each group are known.

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
