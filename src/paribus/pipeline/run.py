"""Columns explained one after the other: strata, estimate, result."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from paribus.base.arrays import Labels
from paribus.base.notes import Remedy
from paribus.base.progress import Progress, silent
from paribus.base.threads import crew
from paribus.estimate.candidates import rows_looked_at
from paribus.estimate.difference import PART_ROWS
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.absorbing import absorbed, trials
from paribus.pipeline.assemble import unexplained
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.curves import explain_numbers
from paribus.pipeline.levels import explain_levels
from paribus.pipeline.prepare import Analysis, is_id, why_idle
from paribus.pipeline.setting import Setting
from paribus.pipeline.strata import StrataOf, strata_of
from paribus.results import Effect
from paribus.results import notes as result_notes
from paribus.results.evidence import RowsBehind
from paribus.strata.checks import ColumnSet
from paribus.table.problem import Problem, Tidying

TRIED_ON = 10_000  # rows enough to see what a column that is held still takes away
PARTS = {"quick": 10_000, "usual": PART_ROWS, "thorough": 1_000_000}  # rows; see `Averaging`


def explain(
    analysis: Analysis,
    names: Sequence[str],
    along: Mapping[str, Sequence[str]],
    progress: Progress = silent,
    absorbing: bool = False,
) -> Generator[Effect, None, None]:
    """Explain columns one after the other, on several threads.

    Those come first whose effects surely differ, by what was seen of pairs of columns: they take
    longest, and begun last would leave all threads but one without work. All others come in the
    order asked for, in which the page shows what is likely to matter first. Columns `along` with
    one are not held still while it is explained: they may move. With `absorbing` those whose effect
    a held column takes away are explained without it as well.
    """
    places = {c.name: k for k, c in enumerate(analysis.held) if c.name in names}
    if (jointly := analysis.jointly()) is not None:
        acts = jointly.surely_act(len(analysis.held))
        names = sorted(names, key=lambda name: not (name in places and acts[places[name]]))
    left_out = left_out_with([c.name for c in analysis.held], names, along)
    tried = trials(analysis, left_out) if absorbing else {}
    sets = [*left_out.values(), *(trial.left_out for trial in tried.values())]
    explained = [(places[name], own) for name, own in left_out.items()]
    explained += [(places[name], trial.left_out) for name, trial in tried.items()]
    analysis = analysis.with_moved(explained)
    strata = strata_of(analysis, list(dict.fromkeys(sets)))
    if len(strata.labels) == 1:
        analysis = analysis.with_alike(sets)
    with crew(analysis.options.threads) as workers, single_blas_thread:
        jobs, freed = {}, {}
        for name in (name for name in names if name in places):
            k = places[name]  # a trial follows its column, so that no column waits
            jobs[name] = workers.submit(_explain_one, analysis, strata, k, left_out[name])
            if name in tried:
                trial = tried[name]
                freed[name] = workers.submit(
                    _explain_one, analysis, strata, k, trial.left_out, True
                )
        for done, name in enumerate(names, start=1):
            e = jobs[name].result() if name in jobs else _idle(analysis, name)
            if name in freed:
                e = absorbed(e, freed[name].result(), tried[name].column)
            yield with_group(e, along.get(name, ()), analysis.problem.tidied)
            progress(done, len(names))


def with_group(e: Effect, along: Sequence[str], tidied: Tidying) -> Effect:
    """Tell of the columns that moved along with an explained one."""
    group, others = tidied.group_of(e.feature), tuple(n for n in along if n != e.feature)
    e = replace(e, group=group)
    if not others or not e.explained:
        return e
    tied = set(tidied.along.get(e.feature, ())) != set(group) - {e.feature}
    moved = pipeline_notes.moved_together(e.feature, others, tied)
    return replace(e, along=others, tied=tied, notes=(moved, *e.notes))


def left_out_with(
    held: Sequence[str], names: Sequence[str], along: Mapping[str, Sequence[str]]
) -> dict[str, ColumnSet]:
    """Return, for each of some columns, the places of itself and of those that move along."""
    at = {name: k for k, name in enumerate(held)}
    return {
        name: tuple(sorted({k, *(at[n] for n in along.get(name, ()) if n in at)}))
        for name, k in at.items()
        if name in names
    }


def moving_along(
    problem: Problem, features: Sequence[str] | None, together: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return, for each wanted column, those that are not held still while it is explained.

    Beside what the look at the table has arranged, that is the group asked for.
    """
    wanted = problem.shown if features is None else problem.names_of(features)
    group, out = problem.group(together, wanted), {}
    for name in wanted:
        own = problem.tidied.along.get(name, ())
        if name in problem.tidied.hidden:
            own = problem.tidied.group_of(name)[1:]
        asked = [other for other in group if other != name] if name in group else []
        out[name] = tuple(dict.fromkeys([*asked, *own]))
    return out


def rows_behind(analysis: Analysis, k: int, left_out: ColumnSet, strata: Labels) -> RowsBehind:
    """Return the rows that a column is explained by, with strata (n,) of one partition."""
    problem = analysis.problem
    others = {c.name: c for i, c in enumerate(analysis.columns) if i not in left_out}
    found = RowsBehind(
        analysis.columns[k],
        others,
        problem.y,
        problem.y,
        problem.row,
        strata,
        problem.total_weights,
    )
    rows = analysis.design.complete(analysis.matrix, left_out)
    return found if rows is None else found.take(np.flatnonzero(rows))


def _explain_one(
    analysis: Analysis, strata: StrataOf, k: int, left_out: ColumnSet, trial: bool = False
) -> Effect:
    """Explain one column; of a `trial` it is not asked whether and with what it differs."""
    problem, own = analysis.problem, strata.column(k, left_out)
    confounding = [cut for cut in own.cuts if cut.confounds and not cut.is_exact]
    setting = Setting(
        problem=problem,
        column=analysis.columns[k],
        others={c.name: c for i, c in enumerate(analysis.held) if i not in left_out},
        y=problem.y,
        row=problem.row,
        strata=own.strata,
        otherwise=() if trial else own.otherwise,
        covariates=analysis.covariates(k, left_out, own.cuts),
        conf_level=analysis.options.conf_level,
        slopes_only=analysis.options.estimator == "slopes",
        fewer_knots=analysis.options.fewer_knots,
        pieces=analysis.pieces if analysis.options.average == "rows" and not trial else {},
        as_others=analysis.as_others,
        candidates=analysis.candidates,
        part_rows=PARTS[analysis.options.effort],
        n_missing=int(np.count_nonzero(np.isnan(analysis.held[k].values))),
        half_confounded=any(cut.half_confounds and not cut.is_exact for cut in own.cuts),
        confounding=tuple(
            dict.fromkeys(analysis.held[j].name for cut in confounding for j in cut.columns)
        ),
        settled_within=min((cut.settled_within for cut in confounding), default=0.0),
    )
    rows = analysis.design.complete(analysis.matrix, left_out)
    if rows is not None:
        setting = setting.take(np.flatnonzero(rows))
    alike = analysis.alike.get(analysis.design.needed_without(left_out))
    if alike is not None:
        setting = setting.sharing(alike.products, alike.candidates)
    if trial and len(setting.y) > TRIED_ON:
        setting = setting.take(rows_looked_at(len(setting.y), TRIED_ON))
    e = explain_column(setting)
    if not e.explained:
        return e
    behind = partial(rows_behind, analysis, k, left_out, own.strata.labels[0])
    return replace(e, _behind=behind)


def _idle(analysis: Analysis, name: str) -> Effect:
    column = analysis.problem.table[name]
    repeats = is_id(column) and len(column.levels) < len(column.values)
    remedy = Remedy("cluster", (name,)) if repeats else None
    note = result_notes.unexplained(name, why_idle(column), remedy, id=is_id(column))
    return unexplained(analysis.problem, column, note)


def explain_column(setting: Setting) -> Effect:
    """Estimate the effect of a column, on the rows that have a value of it.

    Rows without one are compared with alike rows afterwards: a point of its own.
    """
    missing = np.isnan(setting.column.values)
    present = setting.take(np.flatnonzero(~missing)) if missing.any() else setting
    if setting.column.kind == "category":
        return explain_levels(present, setting, missing)
    return explain_numbers(present, setting, missing)
