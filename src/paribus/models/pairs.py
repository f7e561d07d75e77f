"""What two columns do together beyond what each does alone: second-order accumulated effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.checks import check_whole
from paribus.base.notes import Note
from paribus.models import errors as model_errors
from paribus.models import notes as model_notes
from paribus.models.grid import Grid, make_grid
from paribus.models.predictor import Predictor, make_predictor
from paribus.models.to_effect import is_constant, less_rounding
from paribus.pipeline import notes as pipeline_notes
from paribus.results import PairEffect
from paribus.results.pair import middle_of
from paribus.table.columns import Column


def ale_pair(
    model: Any,
    data: Any,
    first: str,
    second: str,
    *,
    bins: int = 20,
    target: str | None = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
) -> PairEffect:
    """Compute second-order accumulated local effects of two numeric columns.

    In each rectangle of bins, rows are moved to its four corners; the difference of differences
    of the predictions is averaged and added up, and the main effects are subtracted. What is left
    is the interaction alone. For the reference see `ale`.

    Parameters
    ----------
    model, data, target, class_, names
        As in `fpd`.
    first, second : str
        The columns, of numbers or dates.
    bins : int
        Maximum number of bins for each column.

    Returns
    -------
    PairEffect

    Examples
    --------
    >>> import paribus as pb
    >>> class Product:
    ...     def predict(self, X):
    ...         return X[:, 0] * X[:, 1]
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> pair = ale_pair(Product(), X, "x0", "x1", bins=5)
    >>> bool(np.abs(pair.effect - np.outer(pair.x1, pair.x2)).max() < 0.2)
    True
    """
    check_whole("bins", bins, 1)
    predictor = make_predictor(model, data, target=target, class_=class_, names=names)
    columns = [predictor.column(first), predictor.column(second)]
    unfit = any(c.kind == "category" or is_constant(c) for c in columns)
    if unfit or columns[0].name == columns[1].name:
        raise model_errors.not_a_pair(first, second)
    present = np.flatnonzero(~np.any([np.isnan(c.values) for c in columns], axis=0))
    if any(is_constant(c.take(present)) for c in columns):
        raise model_errors.too_few_of_both(first, second, len(present))
    points = [make_grid(c.values[present], present, bins + 1) for c in columns]
    count, change = _differences(predictor, [c.name for c in columns], present, points)
    surface = np.pad(change.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    effect = _without_mains(surface, count)
    x1, x2 = (c.shown(s.x) for c, s in zip(columns, points, strict=True))
    return PairEffect(
        features=(columns[0].name, columns[1].name),
        target=predictor.target,
        method="ale",
        unit=predictor.unit,
        x1=x1,
        x2=x2,
        effect=effect,
        count=count,
        n_rows=predictor.table.n_rows,
        n_used=len(present),
        notes=tuple(_notes(columns, count, predictor.table.n_rows - len(present))),
        backend=predictor.table.backend,
    )


def _notes(columns: Sequence[Column], count: IntArray, n_missing: int) -> Iterator[Note]:
    if n_missing:
        yield pipeline_notes.missing_of_pair(columns[0].name, columns[1].name, n_missing)
    n_empty = int(np.count_nonzero(count == 0))
    if n_empty:
        yield model_notes.empty_rectangles(n_empty, count.size)


def _differences(
    predictor: Predictor, names: Sequence[str], rows: IntArray, points: Sequence[Grid]
) -> tuple[IntArray, FloatArray]:
    """Count the rows (m1 - 1, m2 - 1) of each rectangle and average their second differences."""
    change, size = np.zeros(len(rows)), 0.0
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        sources = [s.source[s.cell + k] for s, k in zip(points, corner, strict=True)]
        said = predictor.predict(rows, dict(zip(names, sources, strict=True)))
        change = change + said if corner[0] == corner[1] else change - said
        size = max(size, float(np.abs(said).max()))
    change = less_rounding(change, size)
    shape = (len(points[0].x) - 1, len(points[1].x) - 1)
    cell = points[0].cell * shape[1] + points[1].cell
    count = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    total = np.bincount(cell, change, shape[0] * shape[1]).reshape(shape)
    mean = total / np.maximum(count, 1)
    return count, _filled(mean, count)


def _filled(mean: FloatArray, count: IntArray) -> FloatArray:
    """Give rectangles without rows the value of the nearest one that has some."""
    if count.all():
        return mean
    share = 1 / np.array(count.shape)
    known, empty = np.argwhere(count > 0), np.argwhere(count == 0)
    nearest = known[KDTree(known * share).query(empty * share)[1]]
    filled = mean.copy()
    filled[tuple(empty.T)] = mean[tuple(nearest.T)]
    return filled


def _without_mains(surface: FloatArray, count: IntArray) -> FloatArray:
    """Subtract the accumulated main effects, and the mean over the rows."""
    first = _main(surface, count)
    second = _main(surface.T, count.T)
    left = surface - first[:, None] - second
    return left - float((count * middle_of(left)).sum() / count.sum())


def _main(surface: FloatArray, count: IntArray) -> FloatArray:
    """Return the main effect of the first axis that a surface holds, shape (m1,)."""
    steps = np.diff(surface, axis=0)
    middle = (steps[:, :-1] + steps[:, 1:]) / 2
    return np.append(0.0, np.cumsum((count * middle).sum(axis=1) / count.sum(axis=1)))
