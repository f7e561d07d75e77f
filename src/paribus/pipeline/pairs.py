"""Two columns at once: strata of all others, and a surface inside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from paribus.base.arrays import FloatArray, Rows
from paribus.base.notes import Note
from paribus.estimate.bands import ANYWHERE, intervals
from paribus.estimate.difference import PART_ROWS, part_of
from paribus.estimate.surface import SurfaceFit, around_of, fit_surface, grid_of, side_of
from paribus.pipeline import errors as pipeline_errors
from paribus.pipeline import notes as pipeline_notes
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.prepare import Analysis
from paribus.pipeline.run import moving_along
from paribus.pipeline.strata import strata_of
from paribus.results.joint import JointEffect
from paribus.results.scales import limits_of
from paribus.table.columns import Column

MOST_LEVELS = 30
POINTS, FEWEST_POINTS = 20, 8  # of a number
ROWS_A_POINT = 10
LEAST_ROWS = 3  # at a point, on average: of one row nothing can be told from noise
LINE_POINTS = 40  # of a number beside a category
FEWEST_LEFT = 3  # rows that strata leave to compare: fewer fit any surface
NEAR = 0.25  # of a single row at a point, about a row in its cell: else it is blank


def explain_pair(
    analysis: Analysis, first: str, second: str, along: Mapping[str, Sequence[str]] | None = None
) -> JointEffect:
    """Explain two columns at once; `along` are columns that move with each, as the look found."""
    names = [c.name for c in analysis.held]
    if first == second or not {first, second} <= {*names}:
        raise pipeline_errors.not_two_columns((first, second))
    k = tuple(names.index(name) for name in (first, second))
    for column in (analysis.columns[j] for j in k):
        if len(column.levels) > MOST_LEVELS:
            raise pipeline_errors.too_many_levels(column.name, len(column.levels), MOST_LEVELS)
    known = moving_along(analysis.problem, [first, second], ()) | dict(along or {})
    moving = {n for name in (first, second) for n in known[name]}
    left_out = tuple(sorted({*k, *(names.index(n) for n in moving if n in names)}))
    with single_blas_thread:
        own = strata_of(analysis, [left_out]).column(k, left_out)
        covariates = analysis.covariates(k, left_out, own.cuts)
        rows = _rows_of(analysis, left_out, k)
        strata, covariates = own.strata.take(rows), covariates.take(rows)
        part = part_of(strata, PART_ROWS)
        if part is not None:
            rows, strata, covariates = rows[part], strata.take(part), covariates.take(part)
        columns = (analysis.columns[k[0]].take(rows), analysis.columns[k[1]].take(rows))
        if strata.units.n_left < FEWEST_LEFT:
            raise pipeline_errors.nothing_of_a_pair(first, second)
        grids = _grids(columns, strata.weights)
        sides = [side_of(c.values, len(c.levels), strata.weights) for c in columns]
        around = [
            around_of(c.values, grid, len(c.levels)) for c, grid in zip(columns, grids, strict=True)
        ]
        y = analysis.problem.y[rows]
        fit = fit_surface(
            (sides[0], sides[1]), grids, (around[0], around[1]), y, covariates, strata
        )
    return _joint(analysis, columns, grids, fit, len(rows))


def _rows_of(analysis: Analysis, left_out: Sequence[int], k: Sequence[int]) -> Rows:
    """Return the rows that have a value of both columns, and what the others need."""
    complete = analysis.design.complete(analysis.matrix, left_out)
    present = ~np.any([np.isnan(analysis.held[j].values) for j in k], axis=0)
    return np.flatnonzero(present if complete is None else present & complete)


def _grids(columns: tuple[Column, Column], weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    beside = any(c.kind == "category" for c in columns)
    room = int(np.sqrt(len(weights) / ROWS_A_POINT))
    most = LINE_POINTS if beside else min(max(room, FEWEST_POINTS), POINTS)
    most = min(most, max(3, len(weights) // LEAST_ROWS))
    first, second = (grid_of(c.values, len(c.levels), weights, most) for c in columns)
    return first, second


def _joint(
    analysis: Analysis,
    columns: tuple[Column, Column],
    grids: tuple[FloatArray, FloatArray],
    fit: SurfaceFit,
    n_used: int,
) -> JointEffect:
    problem, level = analysis.problem, analysis.options.conf_level
    shape = fit.count.shape
    blank = fit.near < NEAR
    parts = {}
    limits = limits_of(problem.unit)
    effect = np.clip(fit.effect, *limits)
    pure = fit.pure + effect - fit.effect  # the three parts add up to what is possible
    fits = {"": (effect, fit.covariance), "pure_": (pure, fit.pure_covariance)}
    for name, (effect, covariance) in fits.items():
        spans = intervals(covariance, level, fit.df)
        ends = {"effect": effect, **spans.around(effect, ANYWHERE if name else limits)}
        for side in ("effect", "lower", "upper"):
            parts[name + side] = np.where(blank, np.nan, ends[side].reshape(shape))
    unknown = tuple(columns[side].name for side in fit.unknown)
    cycles = {c.name: problem.tidied.cycles.get(c.name, 0) for c in columns}
    shown = [
        tuple(c.levels) if c.kind == "category" else c.shown(grid)
        for c, grid in zip(columns, grids, strict=True)
    ]
    return JointEffect(
        features=(columns[0].name, columns[1].name),
        target=problem.target,
        unit=problem.unit,
        x1=shown[0],
        x2=shown[1],
        **parts,
        first=fit.first,
        second=fit.second,
        count=fit.count,
        covariance=fit.covariance,
        pure_covariance=fit.pure_covariance,
        df=fit.df,
        p_value=fit.p_value,
        conf_level=level,
        n_rows=problem.table.n_rows,
        n_used=n_used,
        unknown=unknown,
        round=tuple(name for name, period in cycles.items() if period),
        notes=tuple(_notes(analysis, columns, fit)),
        backend=problem.table.backend,
    )


def _notes(analysis: Analysis, columns: tuple[Column, Column], fit: SurfaceFit) -> Iterator[Note]:
    yield from analysis.problem.notes
    whole = [analysis.problem.table[c.name].values for c in columns]
    n_missing = int(np.count_nonzero(np.any([np.isnan(v) for v in whole], axis=0)))
    if n_missing:
        yield pipeline_notes.missing_of_pair(columns[0].name, columns[1].name, n_missing)
    for side in fit.unknown:
        yield pipeline_notes.side_unknown(columns[side].name, columns[1 - side].name)
    for column in columns:
        if period := analysis.problem.tidied.cycles.get(column.name):
            yield pipeline_notes.round_side(column.name, period)
    n_empty = int(np.count_nonzero(fit.near < NEAR))
    if n_empty:
        yield pipeline_notes.blank_cells(n_empty, fit.count.size)
