"""Settings turned into a table and options, and into the equivalent Python code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import BoolArray, Rows
from paribus.serve import errors as page_errors
from paribus.serve.request import RowFilter, RunSettings

if TYPE_CHECKING:
    import polars as pl


def prepared(table: pl.DataFrame, settings: RunSettings) -> pl.DataFrame:
    """Return the rows and columns asked for; a target declared a category becomes text."""
    if settings.row_words():
        table = table.filter(_chosen(table, settings).tolist())
        if table.height == 0:
            raise page_errors.no_such_rows(settings.row_words())
    if _has_classes(settings):
        table = table.with_columns(table[settings.target].cast(str))
    gone = left_out(settings)
    return table[[name for name in table.columns if name not in gone]]


def chosen_rows(table: pl.DataFrame, settings: RunSettings) -> Rows:
    """Return the numbers of the rows asked for, counted from 0."""
    return np.flatnonzero(_chosen(table, settings))


def _chosen(table: pl.DataFrame, settings: RunSettings) -> BoolArray:
    kept = np.ones(table.height, dtype=bool)
    kept[[row for row in settings.without_rows if row < table.height]] = False
    for chosen in _conditions(settings.only):
        # Under a fixed name: one such as ^a.*$ would be a pattern.
        kept &= chosen(table).alias("chosen").fill_null(False).to_numpy()
    return kept


def options_of(settings: RunSettings) -> dict[str, Any]:
    """Return the arguments of `effects` besides the table and the target."""
    gone = {*left_out(settings), settings.target, *settings.roles.values()}
    group = [name for name in settings.together if name not in gone]
    options = {
        "kind": {name: kind for name, kind in settings.kinds.items() if name not in gone},
        "together": group if len(group) > 1 else None,
        **settings.roles,
        "by": settings.by if settings.by not in gone and not settings.scale else None,
        "class_": settings.class_,
        "target_scale": settings.scale,
        "per": "doubling" if settings.doubling else None,
        "relative_to": {n: level for n, level in settings.relative_to.items() if n not in gone},
        "conf_level": settings.level if settings.level != 0.95 else None,
        "keep": [undo for undo in settings.keep if undo.rpartition(":")[0] not in gone],
    }
    return {name: value for name, value in options.items() if value}


def left_out(settings: RunSettings) -> tuple[str, ...]:
    """Return the columns not used, including one that is left with a single value.

    Columns about the rows are kept, because `effects` needs them.
    """
    only = settings.only
    fixed = (only.column,) if only is not None and len(only.values) == 1 else ()
    return tuple(
        name
        for name in dict.fromkeys((*settings.left_out, *fixed))
        if name not in (settings.target, *settings.roles.values())
    )


def python_lines(settings: RunSettings, opening: str) -> str:
    """Write Python code that gives the same result; `opening` makes the table.

    Examples
    --------
    >>> settings = RunSettings("price", left_out=("id",), only=RowFilter("town", ("Brooklyn",)))
    >>> print(python_lines(settings, "read_file('houses.csv').table"))
    import paribus as pb
    from paribus.files import read_file
    <BLANKLINE>
    table = read_file('houses.csv').table
    table = table.filter(table['town'].cast(str).is_in(['Brooklyn']))
    table = table.drop(['id', 'town'])
    effects = pb.effects(table, target='price')
    print(effects.summary())
    <BLANKLINE>
    """
    steps = [f"table = {opening}"]
    if settings.without_rows:
        gone = f"{{{', '.join(map(str, settings.without_rows))}}}"
        steps.append(f"table = table.filter([k not in {gone} for k in range(table.height)])")
    steps += [f"table = table.filter({chosen})" for chosen in _written(settings.only)]
    if _has_classes(settings):
        steps.append(f"table = table.with_columns(table[{settings.target!r}].cast(str))")
    if unused := list(left_out(settings)):
        # `drop` takes names such as * or ^a.*$ for patterns; brackets do not.
        pattern = any(name == "*" or name.startswith("^") for name in unused)
        kept = f"[[name for name in table.columns if name not in {unused!r}]]"
        steps.append(f"table = table{kept}" if pattern else f"table = table.drop({unused!r})")
    options = "".join(f", {name}={value!r}" for name, value in options_of(settings).items())
    steps.append(f"effects = pb.effects(table, target={settings.target!r}{options})")
    steps.append("print(effects.summary())")
    imports = ["import paribus as pb"]
    if "read_file(" in opening:
        imports.append("from paribus.files import read_file")
    if settings.only is not None and settings.only.kind == "date":
        imports = ["from datetime import datetime", "", *imports]
    return "\n".join([*imports, "", *steps, ""])


def _has_classes(settings: RunSettings) -> bool:
    return settings.kinds.get(settings.target) == "categorical"


def _conditions(only: RowFilter | None) -> Iterator[Callable[[pl.DataFrame], pl.Series]]:
    """Yield functions that tell which rows of a table are meant."""
    if only is None:
        return
    if only.kind == "category":
        yield lambda table: table[only.column].cast(str).is_in(only.values)
    if only.low:
        yield lambda table: _axis(table, only) >= _end(only, only.low)
    if only.high:
        yield lambda table: _axis(table, only) <= _end(only, only.high)


def _axis(table: pl.DataFrame, only: RowFilter) -> pl.Series:
    import polars as pl

    column = table[only.column]
    return column.cast(pl.Datetime("us")) if only.kind == "date" else column


def _end(only: RowFilter, end: str) -> Any:
    return datetime.fromisoformat(end) if only.kind == "date" else float(end)


def _written(only: RowFilter | None) -> Iterator[str]:
    """Yield the conditions in Python."""
    if only is None:
        return
    column = f"table[{only.column!r}]"
    if only.kind == "category":
        yield f"{column}.cast(str).is_in({list(only.values)!r})"
    column = f"{column}.cast(datetime)" if only.kind == "date" else column
    for sign, end in ((">=", only.low), ("<=", only.high)):
        if end:
            value = f"datetime.fromisoformat({end!r})" if only.kind == "date" else float(end)
            yield f"{column} {sign} {value}"
