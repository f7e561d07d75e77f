"""The preview of a file: what its columns are, what is missing, how they are distributed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from paribus.base import errors
from paribus.files import Reading
from paribus.files.frames import sample_parquet
from paribus.pipeline.prepare import is_id, why_idle
from paribus.results.words import number, whole
from paribus.serve import errors as page_errors
from paribus.serve.advice import page_advice
from paribus.serve.source import Source
from paribus.serve.suggest import suggested_target
from paribus.table.columns import Column, as_column
from paribus.table.target import MOST_CLASSES

if TYPE_CHECKING:
    from paribus.base.arrays import FloatArray, IntArray

SAMPLE, SLICES = 20_000, 10  # rows looked at, and the places they are taken from
MOST_COLUMNS = 5_000  # that a form can show
FIRST_ROWS, LONGEST_CELL = 6, 80
MOST_VALUES = 200  # of a category, to choose rows by

# The tiny picture of a column.
WIDE, HIGH = 120, 28
BARS = 24
FAR = 0.005  # share of the rows at either end that is put into the last bar


@dataclass(frozen=True, slots=True)
class ColumnPreview:
    """What the preview shows of one column."""

    name: str
    # ``"number"``, ``"date"``, ``"category"``, ``"id"``, ``"constant"`` or ``"unusable"``.
    kind: str
    says: str  # its range, or its commonest values, in words
    missing: float  # share of the rows without a value
    distinct: int  # different values among the rows looked at
    bars: str  # its distribution as a tiny SVG, made of numbers alone
    # The values of a category, or of a number with few, to choose rows or a class by.
    values: list[str]
    ends: list[str]  # first and last value of a number or a date
    numbers: bool  # whether text could be read as numbers, a few words apart


def warm_up_preview(tell: Callable[..., None]) -> None:
    """Do nothing: by now, the modules that a preview needs are loaded, before anybody waits."""
    tell()


def preview(tell: Callable[..., None], *, source: Source) -> dict[str, Any]:
    """Look at a file and return what the page shows of it, as plain values."""
    tell(stage="Reading the file")
    if source.is_parquet:
        n_rows, table = sample_parquet(source.path, source.name, SAMPLE, SLICES)
        reading = Reading(table)
    else:
        reading = source.read()
        n_rows, table = reading.table.height, reading.table
    if table.width > MOST_COLUMNS:
        raise page_errors.too_many_columns(source.name, table.width, MOST_COLUMNS)
    if not source.is_parquet:
        table.write_parquet(source.copy)
    remedies = [n.remedy for n in reading.notes if n.remedy is not None]
    stray = {name for r in remedies if r.action == "numeric" for name in r.columns}
    looked_at = table if table.height <= SAMPLE else table.sample(SAMPLE, seed=0)
    columns = [_preview_column(looked_at[name], name in stray) for name in table.columns]
    return {
        "n_rows": n_rows,
        "looked_at": looked_at.height,
        "columns": [asdict(column) for column in columns],
        "target": suggested_target([(c.name, c.kind, c.distinct) for c in columns]),
        "notes": [note.with_advice(page_advice) for note in reading.notes],
        "rows": [[_cell(value) for value in row] for row in table.head(FIRST_ROWS).rows()],
        "sheets": list(reading.sheets),
        "sheet": reading.sheet,
    }


def _preview_column(series: pl.Series, stray: bool) -> ColumnPreview:
    try:
        column = as_column(series.name, series)
    except errors.InputError as problem:
        return ColumnPreview(series.name, "unusable", str(problem), 0.0, 0, "", [], [], False)
    distinct = len(column.levels) or len(np.unique(column.known))
    kind: str = column.kind
    if why_idle(column) and not is_id(column):
        kind = "constant"
    elif is_id(column):
        kind = "id"
    is_category = column.kind == "category"
    by_count = np.argsort(-column.counts, kind="stable").tolist() if is_category else []
    return ColumnPreview(
        name=series.name,
        kind=kind,
        says=_says(column, kind, by_count),
        missing=float(np.isnan(column.values).mean()),
        distinct=distinct,
        bars=bars_of(column),
        values=_values(column, by_count, distinct),
        ends=_ends(column),
        numbers=stray,
    )


def _values(column: Column, by_count: list[int], distinct: int) -> list[str]:
    """Return the values to choose from: those of a category, or numbers that could be one."""
    if column.kind == "category":
        return [str(_shown(column, k)) for k in by_count[:MOST_VALUES]]
    few = column.kind == "number" and distinct <= MOST_CLASSES
    return [str(level) for level in column.as_category().levels] if few else []


def _shown(column: Column, level: int) -> Any:
    """Write a level as it is read from the file, where booleans are true and false."""
    value = column.levels[level]
    return str(value).lower() if isinstance(value, bool) else value


def _says(column: Column, kind: str, by_count: list[int]) -> str:
    if kind == "constant":
        return "the same in every row" if len(column.known) else "empty"
    if kind == "id":
        return f"{len(column.levels):,} different texts: looks like an id"
    if column.kind == "category":
        shown = ", ".join(_cell(_shown(column, k)) for k in by_count[:3])
        more = len(column.levels) - 3
        return f"{shown} and {more:,} more" if more > 0 else shown
    return " to ".join(_ends(column))


def _ends(column: Column) -> list[str]:
    known = column.known
    if column.kind == "category" or not len(known):
        return []
    ends = np.array([known.min(), known.max()])
    if column.kind == "date":
        return [str(end)[:10] for end in column.shown(ends)]
    if np.all(known == np.round(known)):
        return [whole(int(end)) for end in ends]
    return list(map(number, ends.tolist()))


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + "…"


def bars_of(column: Column) -> str:
    """Draw the distribution: numbers along their axis, levels from common to rare.

    Examples
    --------
    >>> from paribus.table.columns import as_column
    >>> bars_of(as_column("sex", ["F", "M", "F"])).count("z")
    2
    """
    known = column.known
    if not len(known):
        return ""
    is_category = column.kind == "category"
    counts = np.sort(column.counts)[: -BARS - 1 : -1] if is_category else _histogram(known)
    step = WIDE / max(len(counts), 6)
    tallest = max(int(counts.max()), 1)
    bars = "".join(
        f"M{k * step:.4g} {HIGH}v-{high:.3g}h{step - 1:.3g}v{high:.3g}z"
        for k, count in enumerate(counts)
        if (high := max(1.0, HIGH * count / tallest) if count else 0.0)
    )
    return (
        f'<svg class="bars-of" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
        f'aria-hidden="true" fill="currentColor"><path d="{bars}"/></svg>'
    )


def _histogram(known: FloatArray) -> IntArray:
    low, high = np.quantile(known, [FAR, 1 - FAR])
    if low == high:
        low, high = known.min(), known.max()
    if low == high:
        return np.array([len(known)])
    # Far from zero, values may be too close together for so many bars.
    place = (np.clip(known, low, high) - low) / (high - low)
    return np.histogram(place, bins=BARS, range=(0, 1))[0]
