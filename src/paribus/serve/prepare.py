"""A question turned into a table and options; and the same in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from paribus.serve import errors as refusals
from paribus.serve.request import Ask, Only

if TYPE_CHECKING:
    import polars as pl


def prepared(table: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Return rows and columns as asked; a target forced to be a category becomes text."""
    if ask.only is not None:
        for chosen in _conditions(ask.only):
            table = table.filter(chosen(table))
        if table.height == 0:
            raise refusals.no_such_rows(ask.only.column)
    if _has_classes(ask):
        table = table.with_columns(table[ask.target].cast(str))
    gone = left_out(ask)
    return table[[name for name in table.columns if name not in gone]]


def options_of(ask: Ask) -> dict[str, Any]:
    """Return what `effects` is called with, beside the table and the target."""
    gone = {*left_out(ask), ask.target}
    kinds = {name: kind for name, kind in ask.kinds.items() if name not in gone}
    options: dict[str, Any] = {"kind": kinds} if kinds else {}
    if ask.class_ is not None:
        options["class_"] = ask.class_
    if ask.level != 0.95:
        options["conf_level"] = ask.level
    return options


def left_out(ask: Ask) -> tuple[str, ...]:
    """Return the columns not used; one that is left with a single value says nothing."""
    only = ask.only
    fixed = (only.column,) if only is not None and len(only.values) == 1 else ()
    return tuple(name for name in dict.fromkeys((*ask.left_out, *fixed)) if name != ask.target)


def python_lines(ask: Ask, opening: str) -> str:
    """Write the Python that gives the same result; `opening` makes the table.

    Examples
    --------
    >>> ask = Ask("price", left_out=("id",), only=Only("town", ("Brooklyn",)))
    >>> print(python_lines(ask, "read_file('houses.csv').table"))
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
    steps += [f"table = table.filter({chosen})" for chosen in _written(ask.only)]
    if _has_classes(ask):
        steps.append(f"table = table.with_columns(table[{ask.target!r}].cast(str))")
    if gone := list(left_out(ask)):
        # To drop, a name such as * or ^a.*$ is a pattern; between brackets it is a name.
        pattern = any(name == "*" or name.startswith("^") for name in gone)
        kept = f"[[name for name in table.columns if name not in {gone!r}]]"
        steps.append(f"table = table{kept}" if pattern else f"table = table.drop({gone!r})")
    options = "".join(f", {name}={value!r}" for name, value in options_of(ask).items())
    steps.append(f"effects = pb.effects(table, target={ask.target!r}{options})")
    steps.append("print(effects.summary())")
    imports = ["import paribus as pb"]
    if "read_file(" in opening:
        imports.append("from paribus.files import read_file")
    if ask.only is not None and ask.only.kind == "date":
        imports = ["from datetime import datetime", "", *imports]
    return "\n".join([*imports, "", *steps, ""])


def _has_classes(ask: Ask) -> bool:
    return ask.kinds.get(ask.target) == "categorical"


def _conditions(only: Only) -> Iterator[Callable[[pl.DataFrame], pl.Series]]:
    """Give functions that tell which rows of a table are meant."""
    if only.kind == "category":
        yield lambda table: table[only.column].cast(str).is_in(only.values)
    if only.low:
        yield lambda table: _axis(table, only) >= _end(only, only.low)
    if only.high:
        yield lambda table: _axis(table, only) <= _end(only, only.high)


def _axis(table: pl.DataFrame, only: Only) -> pl.Series:
    import polars as pl

    column = table[only.column]
    return column.cast(pl.Datetime("us")) if only.kind == "date" else column


def _end(only: Only, end: str) -> Any:
    return datetime.fromisoformat(end) if only.kind == "date" else float(end)


def _written(only: Only | None) -> Iterator[str]:
    """Write the conditions in Python."""
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
