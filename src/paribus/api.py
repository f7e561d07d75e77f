"""What the target goes with, one column at a time and the others held still: public functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args, overload

from paribus.base import errors
from paribus.base.checks import as_names, check_whole
from paribus.base.progress import Progress, silent
from paribus.base.progress import asked as asked_progress
from paribus.pipeline import errors as pipeline_errors
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.grouping import asked_by, grouping_of, with_groups
from paribus.pipeline.interacting import search
from paribus.pipeline.options import Average, Effort, Estimator, Options
from paribus.pipeline.pairs import explain_pair
from paribus.pipeline.prepare import Analysis, prepare
from paribus.pipeline.ranking import ranked
from paribus.pipeline.run import explain, moving_along
from paribus.results import Effect, EffectSet, JointEffect
from paribus.results.numeric import Per
from paribus.results.presentation import Presentation, presented
from paribus.results.roles import roles_of
from paribus.results.scales import TargetScale
from paribus.scale.grouping import with_groups_read
from paribus.scale.opening import held, is_streamed, open_source
from paribus.scale.run import Answer, asked_of, explain_source, sampled_problem
from paribus.table import errors as table_errors
from paribus.table.columns import as_column, as_table
from paribus.table.problem import Problem, Tidy, make_problem
from paribus.table.target import classes_of, coded_target
from paribus.tidy.find import tidy_up
from paribus.tidy.result import Check

FEWEST_SAMPLED = 100  # rows on which trees may be grown, of a table that is read in batches
PAIR_ROWS = 120_000  # of a table read in batches of which two columns are explained at once
Kind: TypeAlias = Literal["numeric", "categorical"]


@single_blas_thread
def effects(
    data: Any,
    target: Any,
    *,
    features: Sequence[str] | None = None,
    together: Sequence[str] = (),
    by: str | Mapping[str, Sequence[float]] | None = None,
    kind: Mapping[str, Kind] | None = None,
    weights: Any = None,
    counts: Any = None,
    cluster: Any = None,
    within: Any = None,
    exposure: Any = None,
    class_: Any = None,
    target_scale: TargetScale | None = None,
    per: Per | Mapping[str, Per] | None = None,
    relative_to: Any = None,
    names: Sequence[str] | None = None,
    min_samples_leaf: int = 10,
    conf_level: float = 0.95,
    repeats: int | None = None,
    folds: int = 2,
    adjust: bool = True,
    honest: bool = True,
    estimator: Estimator = "least_squares",
    average: Average = "rows",
    effort: Effort = "usual",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    found: Callable[[Effect], None] | None = None,
    sample_rows: int | None = None,
    tidy: bool | Check = True,
    keep: Sequence[str] = (),
) -> EffectSet:
    """Explain every column of a table.

    Rows are grouped into strata in which all columns but one are nearly constant; inside them
    that column's effect is estimated by least squares, adjusted for what still varies of the
    others. A row's stratum comes from a tree that has not seen the row, so that the grouping does
    not absorb part of the effect.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, a dict of columns, or a 2-D NumPy array. Or the name of a
        file: CSV, Excel, Parquet, JSON lines, Stata, SPSS or SAS. Or a table that need not fit into
        memory, and is read in batches: a large CSV or Parquet file, a pattern such as
        ``"data/*.parquet"``, a list of names, a DuckDB relation, an ibis table, anything with
        ``__arrow_c_stream__``, a Dask or a Spark data frame.
    target : str, array or Series
        The name of the target's column, or the target as a separate array. Numbers are explained as
        they are; for two values the share of the second is explained, in percentage points.
    features : sequence of str, optional
        The columns to explain; all by default. The others are still held still.
    together : sequence of str
        Columns that move together, such as twins that cannot be told apart: while one of them is
        explained, the others of the group are not held still. A single feature belongs to it.
    by : str or mapping of str to sequence of float, optional
        A column whose groups are explained one by one and compared: its levels, or the thirds of a
        number; ``{"age": [30, 50]}`` gives other cut points. Each effect then has `Effect.by`.
    kind : mapping of str to {"numeric", "categorical"}, optional
        How to treat columns that would be treated differently by default.
    weights : str, array or Series, optional
        Sampling weights: how many of the population each row stands for. Their scale does not
        matter.
    counts : str, array or Series, optional
        How many equal rows each row stands for, in a table of counts.
    cluster : str, array or Series, optional
        Which rows belong together, such as those of a shop or a day: their errors may be alike,
        and intervals allow for it. A column named here is not held still.
    within : str, array or Series, optional
        Compare rows only with rows of the same unit, such as each person with itself. Whatever
        does not change within a unit is then held still. Intervals allow for errors that a unit's
        rows share, unless `cluster` says otherwise.
    exposure : str, array or Series, optional
        What to divide a count by, such as years or inhabitants: rates are explained, and rows are
        weighted by their exposure.
    class_ : optional
        The class to explain, for a target with classes.
    target_scale : {"log", "ratio", "odds"}, optional
        Effects in per cent, with back-transformed intervals. "log": the logarithm of the target is
        compared. "ratio": averages in the target's own unit, relative to its mean, for targets
        that may be zero. "odds", for a target with classes: shares averaged over the rows, turned
        into odds. Without it effects are in the target's unit, or in percentage points.
    per : number, "doubling" or mapping of str to these, optional
        The step in which sentences and slopes of numbers are given, for all columns or for some.
        "doubling" is for columns whose steps multiply; given for all, it applies to positive
        columns whose largest value is at least four times the smallest.
    relative_to : level, or mapping of str to level, optional
        What the levels of a category are compared with in sentences, charts and tables, by column;
        a single level applies to every category that has it. By default effects are differences
        from the mean over the rows, and tables compare with the commonest level.
    names : sequence of str, optional
        Column names, for a NumPy array.
    min_samples_leaf : int
        Minimum rows in a stratum; larger in tables of more than 16,000 rows, whose trees are grown
        on a part of them. The choice hardly matters: see `Effect.stability`.
    conf_level : float
        Confidence level of intervals and bands.
    repeats : int, optional
        How often the strata are grown anew and averaged; by default 4 times up to 5,000 rows, and
        less often the larger the table is.
    folds : int
        Into how many parts the rows are divided; each is grouped by trees grown on the others.
    adjust : bool
        Adjust for what still varies of the other columns inside a stratum.
    honest : bool
        Grow trees on other rows than those they group. Without it effects come out too small.
    estimator : {"least_squares", "slopes"}
        Least squares, or the paper's mean of slopes, without intervals.
    average : {"rows", "overlap"}
        How to average an effect that differs from row to row. "rows": at each value of the column,
        over the rows there; for a category, over the rows that can be compared. "overlap": rows
        weigh more, the more the column varies among similar rows, as in plain regression. Where
        the effect does not differ both are the same. See `Effect.differs`.
    effort : {"quick", "usual", "thorough"}
        How much time an answer is worth. "quick": strata are grown once, columns that act together
        are not searched for, and above 10,000 rows 5,000 of them are used to see how an effect
        differs. "thorough": strata are grown three times as often as usual, and up to two million
        rows are used for that. It makes no difference for a table read in batches.
    seed : int
        Same seed, same answer.
    n_jobs : int, optional
        Threads; one for each processor by default. The answer does not depend on it.
    progress : bool or function of (done, total), optional
        Called after each column, or, for a table read in batches, after each batch, with rows. True
        shows a bar, False none; by default there is one in notebooks.
    found : function of an Effect, optional
        Called with each column's effect as soon as it is ready, in the order of `features`, except
        that columns which clearly act on the target together come first. Shares are known only at
        the end. Not called for a table read in batches.
    sample_rows : int, optional
        For a table read in batches: the most rows that strata are found on; a table with no more
        rows is held in memory after all. A million by default.
    tidy : bool or Check
        Look at the table first and do what `check` proposes: leave out ids and what was made from
        the target, explain columns that say the same thing as one, treat codes as categories. The
        notes say what was done. A `Check` is a look taken earlier; False takes the table as it is.
        For a table read in batches a sample is looked at, and no column is recoded.
    keep : sequence of str
        Columns for which nothing that `check` proposes is done; ``"zipcode:category"`` undoes one
        proposal. Columns named in `features` are never left out.

    Returns
    -------
    EffectSet
        Effects by column, the largest impact first; columns of which nothing can be said with
        the others held still come last and have no share.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> pb.effects(d.table, target="weight").ranking
    ['height', 'pregnant', 'education', 'sex']
    """
    options = Options(
        min_samples_leaf=min_samples_leaf, conf_level=conf_level, repeats=repeats, folds=folds,
        adjust=adjust, honest=honest, estimator=estimator, average=average, effort=effort,
        seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    grouped = None if by is None else asked_by(by)
    telling = asked_progress(progress)
    if by is not None and target_scale is not None:
        raise pipeline_errors.groups_on_a_scale()
    roles = {
        "weights": weights, "counts": counts, "cluster": cluster, "within": within,
        "exposure": exposure,
    }  # fmt: skip
    if target_scale not in (None, *get_args(TargetScale)):
        raise errors.bad_choice("target_scale", target_scale, [*get_args(TargetScale)])
    if sample_rows is not None:
        check_whole("sample_rows", sample_rows, FEWEST_SAMPLED)
    features = None if features is None else as_names(features)
    named = [*(features or ()), *as_names(together), *(() if grouped is None else grouped[:1])]
    look = tidying(tidy, keep, kind, named, options.threads, scaled=target_scale is not None)
    data, remarks = held(data, target) if sample_rows is None else (data, ())
    if is_streamed(data):
        if target_scale == "log" or exposure is not None:
            option = "target_scale='log'" if exposure is None else "exposure"
            raise pipeline_errors.not_in_batches(option)
        roles.pop("exposure")
        answer = _from_batches(
            data, target, options, roles, names, features=features, together=together, kind=kind,
            class_=class_, sample_rows=sample_rows, progress=telling, by=grouped, tidy=look,
        )  # fmt: skip
        in_order = _ranked(answer.problem, answer.effects, answer.n_rows, roles, average)
        return presented(in_order, Presentation(answer.problem, target_scale, per, relative_to))
    code = partial(coded_target, class_=class_, scale=target_scale)
    problem = make_problem(
        data, target, names=names, kind=kind, code=code, n_threads=options.threads, **roles,
        copies_once=True, tidy=look,
    )  # fmt: skip
    problem = replace(problem, notes=(*remarks, *problem.notes))
    along = moving_along(problem, features, together)
    analysis = prepare(problem, options)
    asked = Presentation(problem, target_scale, per, relative_to)
    every = []
    explaining = explain(analysis, [*along], along, telling, absorbing=True)
    with closing(explaining):  # broken off here, its threads stop too
        for e in explaining:
            e = replace(e, _rerun=_rerun(analysis, e.feature, along, asked))
            every.append(e)
            if found is not None:
                found(asked.shown(e))
    if grouped is not None:
        every = _with_groups(every, problem, options, along, *grouped)
    in_order = _ranked(analysis.problem, every, problem.table.n_rows, roles, average)
    look_for = partial(search, problem, features, options, silent, len(problem.y))
    return presented(replace(in_order, _search=None if target_scale else look_for), asked)


@overload
def effect(data: Any, target: Any, feature: str, **options: Any) -> Effect: ...


@overload
def effect(data: Any, target: Any, feature: tuple[str, str], **options: Any) -> JointEffect: ...


def effect(
    data: Any, target: Any, feature: str | tuple[str, str], **options: Any
) -> Effect | JointEffect:
    """Explain one column of a table, or two at once.

    Parameters
    ----------
    data, target
        As in `effects`.
    feature : str or tuple of two str
        The column to explain. Two are explained at once: as a surface for two numbers, a line for
        each level for a number and a category, points for two categories.
    **options
        As in `effects`. Columns named in `together` are not held still but move along, such as
        twins that cannot be told apart from `feature`: the effect is that of the whole group.

    Returns
    -------
    NumericEffect or CategoricalEffect, or JointEffect of two columns

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> pregnant = pb.effect(d.table, "weight", "pregnant")
    >>> round(float(pregnant.effect[1] - pregnant.effect[0]))
    40
    """
    if not isinstance(feature, str):
        return _joint(data, target, feature, **options)
    found = effects(data, target, features=[feature], **options)
    (e,) = found.effects
    return replace(e, share=float("nan"), notes=found.notes + e.notes)


def _joint(
    data: Any,
    target: Any,
    features: Sequence[str],
    *,
    sample_rows: int | None = None,
    together: Sequence[str] = (),
    **given: Any,
) -> JointEffect:
    """Explain two columns at once, on a sample of the rows if the table is read in batches."""
    if not isinstance(features, Sequence) or len(features) != 2:
        raise pipeline_errors.not_two_columns(features)
    if sample_rows is not None:
        check_whole("sample_rows", sample_rows, FEWEST_SAMPLED)
    wanted = first, second = [str(name) for name in features]
    public = [f.name for f in fields(Options) if f.name != "fewer_knots"]
    options = Options(**{name: given.pop(name) for name in public if name in given})
    roles = {role: given.pop(role, None) for role in ("weights", "counts", "cluster", "within")}
    for name in given:
        if name not in ("kind", "class_", "names", "tidy", "keep"):
            raise pipeline_errors.not_of_a_pair(name)
    problem, n_rows = read_problem(
        data, target, options, roles, named=wanted, most=sample_rows or PAIR_ROWS,
        in_batches=sample_rows is not None, **given,
    )  # fmt: skip
    if len(problem.y) < n_rows:
        remark = pipeline_notes.pair_on_sample(len(problem.y), n_rows)
        problem = replace(problem, notes=(remark, *problem.notes))
    along = moving_along(problem, wanted, together)
    return explain_pair(prepare(problem, options), first, second, along)


def effects_by_class(data: Any, target: Any, **options: Any) -> dict[Any, EffectSet]:
    """Explain every class of a target against the rest.

    Parameters
    ----------
    data, target
        As in `effects`.
    **options
        As in `effects`, all but `class_`.

    Returns
    -------
    dict of class to EffectSet

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.weather(seed=0)
    >>> data = {"day": d.X["dayofyear"], "warm": d.y > 70, "state": d.X["state"]}
    >>> sorted(pb.effects_by_class(data, "state"))
    ['AZ', 'CA', 'CO', 'NV', 'WA']
    """
    data, remarks = held(data, target)
    if is_streamed(data):
        open_source(data)
        raise pipeline_errors.classes_in_batches()
    by_name = isinstance(target, str)
    column = as_table(data, options.get("names"))[target] if by_name else as_column("y", target)
    found = {c: effects(data, target, class_=c, **options) for c in classes_of(column)}
    return {c: replace(every, notes=(*remarks, *every.notes)) for c, every in found.items()}


def read_problem(
    data: Any,
    target: Any,
    options: Options,
    roles: Mapping[str, Any],
    *,
    kind: Mapping[str, Kind] | None = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
    tidy: bool | Check = True,
    keep: Sequence[str] = (),
    named: Sequence[str] = (),
    most: int,
    in_batches: bool = False,
) -> tuple[Problem, int]:
    """Return a table's problem, on at most `most` rows if read in batches, and its row count."""
    look = tidying(tidy, keep, kind, named, options.threads)
    data, remarks = (data, ()) if in_batches else held(data, target)
    if is_streamed(data):
        _check_named(target, roles, names)
        source = open_source(data)
        asked = asked_of(source, target, options, roles, kind, class_=class_, tidy=look)
        return sampled_problem(source, asked, most)
    problem = make_problem(
        data, target, names=names, kind=kind, code=partial(coded_target, class_=class_),
        n_threads=options.threads, copies_once=True, tidy=look, **roles,
    )  # fmt: skip
    return replace(problem, notes=(*remarks, *problem.notes)), len(problem.y)


def tidying(
    tidy: bool | Check,
    keep: Sequence[str],
    kind: Mapping[str, Kind] | None,
    named: Sequence[str],
    n_threads: int,
    *,
    scaled: bool = False,
) -> Tidy | None:
    """Return a function that tidies a table, or None to take it as it is. See `tidy_up`."""
    if not isinstance(tidy, bool | Check):
        raise errors.bad_tidy(tidy)
    if tidy is False:
        return None
    look = None if tidy is True else tidy
    return partial(
        tidy_up,
        look=look,
        keep=as_names(keep),
        kinds=[*(kind or ())],
        named=named,
        scaled=scaled,
        n_threads=n_threads,
    )


def _with_groups(
    every: Sequence[Effect],
    problem: Problem,
    options: Options,
    along: Mapping[str, tuple[str, ...]],
    by: str,
    cuts: Sequence[float] | None,
) -> list[Effect]:
    """Return the effects with those in the groups of a column added."""
    column = problem.column(by)
    if [e.feature for e in every] == [column.name]:
        raise pipeline_errors.by_itself(column.name)
    grouping = grouping_of(column, problem.total_weights, cuts)
    return with_groups(every, problem, options, along, grouping)


def _ranked(
    problem: Problem, every: Sequence[Effect], n_rows: int, roles: Mapping[str, Any], average: str
) -> EffectSet:
    """Rank effects, and attach what was said about the rows."""
    said = roles_of(roles, problem, n_rows)
    return replace(ranked(problem, every, n_rows), roles=said, average=average)


def _from_batches(
    data: Any,
    target: Any,
    options: Options,
    roles: Mapping[str, Any],
    names: Any,
    by: tuple[str, Sequence[float] | None] | None,
    sample_rows: int | None,
    progress: Progress,
    **wanted: Any,
) -> Answer:
    """Explain a table that is read in batches, and its groups, each read again."""
    _check_named(target, roles, names)
    usual = Options()
    for option in ("repeats", "folds", "honest", "estimator"):
        if getattr(options, option) != getattr(usual, option):
            raise pipeline_errors.not_in_batches(option)
    source = open_source(data)
    asked = asked_of(source, target, options, roles, **wanted)
    answer = explain_source(source, asked, sample_rows, progress)
    return answer if by is None else with_groups_read(answer, source, asked, sample_rows, *by)


def _check_named(target: Any, roles: Mapping[str, Any], names: Any) -> None:
    """Refuse arrays given next to a table that is read in batches."""
    if hasattr(target, "columns"):
        raise pipeline_errors.table_first()
    for role, given in (("target", target), *roles.items()):
        if not isinstance(given, str | None):
            raise pipeline_errors.by_name_only(role)
    if names is not None:
        raise table_errors.names_without_array()


def _rerun(
    analysis: Analysis, name: str, along: Mapping[str, tuple[str, ...]], asked: Presentation
) -> Callable[..., Effect | JointEffect]:
    """Return a function that estimates a column again: otherwise, by group, beside another."""

    def again(
        by: str | None = None, beside: str | None = None, **changes: Any
    ) -> Effect | JointEffect:
        other = replace(analysis, options=replace(analysis.options, **changes))
        if beside is not None:
            return explain_pair(other, name, analysis.problem.column(beside).name, along)
        (found,) = explain(other, [name], along)
        if by is not None and asked.scale is None:
            (found,) = _with_groups([found], analysis.problem, other.options, along, by, None)
        return asked.shown(found)

    return again
