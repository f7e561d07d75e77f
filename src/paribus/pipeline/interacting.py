"""Which columns act together on the target: a search of all pairs, and triples."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from paribus.base.arrays import Rows, mean_and_scale
from paribus.base.progress import Progress
from paribus.estimate.acting.rows import ActingRows, lay_out
from paribus.estimate.acting.search import Acting, adjusted, find_acting
from paribus.estimate.partitions import partitions_of
from paribus.estimate.pieces import Other, fit_pieces
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.options import Options
from paribus.pipeline.prepare import held_columns
from paribus.results import Interaction, Interactions
from paribus.table.columns import Column
from paribus.table.problem import Problem

MANY_ROWS, FEWEST_ROWS = 20_000, 1_000  # that are looked at
SHARE, MOST_ROWS = 0.2, 50_000  # of very many rows: a fifth, but no more
WORK = 1e7  # rows times pairs
SEARCHES = 2  # pairs and triples: each has its share of the false finds
STRENGTH = 4.0  # standard deviations of what columns do together: a difference of differences
SURE = 0.05  # p-value below which an interaction is found


def search(
    problem: Problem,
    features: Sequence[str] | None,
    options: Options,
    progress: Progress,
    n_rows: int,
) -> Interactions:
    """Search all pairs of columns, or those with one of some `features`, and triples.

    Of very many rows, `n_rows` in all, a part is looked at.
    """
    shown = [c for c in held_columns(problem) if c.name not in problem.tidied.hidden]
    wanted = None if features is None else problem.names_of(features)
    at = _rows_looked_at(len(problem.y), n_rows, len(shown))
    remarks = problem.notes
    if len(at) < n_rows:
        remarks = (*remarks, pipeline_notes.sampled(len(at), n_rows))
    items: list[Interaction] = []
    if len(shown) > 1:
        rows, scale = _laid_out(problem, shown, at, options.conf_level)
        places = [k for k, c in enumerate(shown) if wanted is None or c.name in wanted]
        with single_blas_thread:
            pairs, triples = find_acting(rows, places, options.threads, progress)
        items = _ranked(problem, shown, pairs, triples, options.conf_level, scale)
    return Interactions(
        target=problem.target,
        unit=problem.unit,
        items=tuple(items),
        n_rows=n_rows,
        n_columns=len(problem.table.columns),
        notes=remarks,
        backend=problem.table.backend,
    )


def _rows_looked_at(n_held: int, n_rows: int, n_columns: int) -> Rows:
    """Return which of the rows held, of `n_rows` in all, are looked at."""
    many = int(np.clip(SHARE * n_rows, MANY_ROWS, MOST_ROWS))
    most = max(min(many, int(WORK / max(comb(n_columns, 2), 1))), FEWEST_ROWS)
    return np.unique(np.linspace(0, n_held - 1, min(n_held, most)).astype(np.int64))


def _laid_out(
    problem: Problem, columns: Sequence[Column], at: Rows, conf_level: float
) -> tuple[ActingRows, float]:
    """Return rows for the search, and the target's standard deviation."""
    weights = problem.total_weights[at]
    y = problem.y[at]
    mean, scale = mean_and_scale(y, weights)
    within = np.zeros(len(at), dtype=np.int32)
    if problem.within is not None:
        within = np.unique(problem.within[at], return_inverse=True)[1].astype(np.int32)
    counts = None if problem.counts is None else problem.counts[at]
    cluster = None if problem.cluster is None else problem.cluster[at]
    strata = partitions_of([within], [int(within.max()) + 1], weights, counts, cluster)
    others = {
        c.name: Other(c.values[at], fit_pieces(c.values[at], len(c.levels), weights))
        for c in columns
    }
    return lay_out(others, (y - mean) / scale, strata, conf_level), scale


def _ranked(
    problem: Problem,
    columns: Sequence[Column],
    pairs: Sequence[Acting],
    triples: Sequence[Acting],
    conf_level: float,
    scale: float,
) -> list[Interaction]:
    """Free all p-values of the search, and put what was found first.

    Of the triples only those found are told.
    """
    freed = [
        *SEARCHES * adjusted([one.p_value for one in pairs]),
        *SEARCHES * adjusted([one.p_value for one in triples], comb(len(columns), 3)),
    ]
    items: list[tuple[bool, float, float, int, Interaction]] = []
    for one, p_value in zip([*pairs, *triples], freed, strict=True):
        found = bool(p_value < SURE)
        if len(one.columns) > 2 and not found:
            continue
        unit, strength = STRENGTH * scale, one.strength
        own = sorted(
            (columns[k] for k in one.columns),
            key=lambda c: (c.kind == "category", problem.table.names.index(c.name)),
        )
        interaction = Interaction(
            features=tuple(c.name for c in own),
            strength=unit * strength.value,
            lower=unit * strength.lower,
            upper=unit * strength.upper,
            p_value=min(float(p_value), 1.0),
            found=found,
            target=problem.target,
            unit=problem.unit,
            conf_level=conf_level,
        )
        surely = -strength.lower if found else 0.0
        items.append((not found, surely, one.p_value, len(items), interaction))
    return [interaction for *_, interaction in sorted(items)]
