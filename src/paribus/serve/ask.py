"""What is asked of a file: target, columns, kinds, class, rows; and the same in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from paribus import errors

if TYPE_CHECKING:
    import polars as pl

KINDS = ("numeric", "categorical")


@dataclass(frozen=True, slots=True)
class Only:
    """A choice of rows: those with one of some values, or between two ends.

    Attributes
    ----------
    column : str
    values : tuple of str
        The values of a category.
    low, high : str
        The ends for a number or a date, as ISO text; empty is open.
    kind : str
        ``"category"``, ``"number"`` or ``"date"``.
    """

    column: str
    values: tuple[str, ...] = ()
    low: str = ""
    high: str = ""
    kind: str = "category"

    def words(self) -> str:
        """Say which rows these are."""
        if self.kind == "category":
            return f"only {self.column} = {' or '.join(self.values)}"
        if self.low and self.high:
            return f"only {self.column} from {self.low} to {self.high}"
        return f"only {self.column} {'from' if self.low else 'up to'} {self.low or self.high}"


@dataclass(frozen=True, slots=True)
class Ask:
    """All that decides on a result, beside the file."""

    target: str
    left_out: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    class_: str | None = None
    level: float = 0.95
    only: Only | None = None

    def whole(self) -> Ask:
        """Ask the same of all rows."""
        return replace(self, only=None)

    def words(self) -> str:
        """Say what is special about it, for a list of runs."""
        said = [] if self.only is None else [self.only.words()]
        if self.left_out:
            shown = ", ".join(self.left_out[:3]) + (", …" if len(self.left_out) > 3 else "")
            said.append(f"without {shown}")
        said += [f"{name} as {KIND_WORDS[kind]}" for name, kind in list(self.kinds.items())[:2]]
        if self.level != 0.95:
            said.append(f"{100 * self.level:g} % sure")
        return "; ".join(said) or "all rows and columns"


KIND_WORDS = {"numeric": "a number", "categorical": "a category"}


def read_ask(posted: Any, columns: Mapping[str, Mapping[str, Any]]) -> Ask:
    """Check what the page sent against the columns of the file.

    Examples
    --------
    >>> columns = {"price": {"kind": "number"}, "town": {"kind": "category"}}
    >>> read_ask({"target": "price", "kinds": {"town": "categorical"}}, columns).target
    'price'
    >>> read_ask({"target": "prise"}, columns)
    Traceback (most recent call last):
    ...
    paribus.errors.InputError: There is no column 'prise'. Did you mean 'price'?
    """
    if not isinstance(posted, Mapping):
        raise errors.unclear_request("it holds no settings")
    target = _text(posted, "target")
    left_out = _texts(posted.get("left_out", ()))
    kinds = posted.get("kinds", {})
    if not isinstance(kinds, Mapping):
        raise errors.unclear_request("its kinds")
    for name in (target, *left_out, *kinds):
        if name not in columns:
            raise errors.unknown_column(name, list(columns))
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise errors.bad_choice(f"kind of {name!r}", kind, KINDS)
    if target in left_out:
        raise errors.target_left_out(target)
    level = posted.get("level", 0.95)
    if not isinstance(level, float) or not 0 < level < 1:
        raise errors.bad_level(level)
    kept = {name: kind for name, kind in kinds.items() if name not in left_out}
    class_ = posted.get("class") or None
    return Ask(target, left_out, kept, class_ and str(class_), level, _only(posted, columns))


def rows_of(table: pl.DataFrame, only: Only | None) -> pl.DataFrame:
    """Return the rows chosen."""
    if only is None:
        return table
    import polars as pl

    column = pl.col(only.column)
    if only.kind == "category":
        chosen = column.cast(pl.String).is_in(only.values)
    else:
        low, high = (_end(table, only, end) for end in (only.low, only.high))
        chosen = pl.lit(value=True)
        chosen = chosen if low is None else chosen & (column >= low)
        chosen = chosen if high is None else chosen & (column <= high)
    kept = table.filter(chosen)
    if kept.height == 0:
        raise errors.no_such_rows(only.column)
    return kept


def prepared(table: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Return rows and columns as asked; a target forced to be a category becomes text."""
    import polars as pl

    table = rows_of(table, ask.only)
    if ask.kinds.get(ask.target) == "categorical":
        table = table.with_columns(pl.col(ask.target).cast(pl.String))
    return table.drop([name for name in left_out(ask) if name in table.columns])


def options_of(ask: Ask) -> dict[str, Any]:
    """Return what `effects` is called with, beside the table and the target."""
    gone = {*left_out(ask), ask.target}
    options: dict[str, Any] = {}
    kinds = {name: kind for name, kind in ask.kinds.items() if name not in gone}
    if kinds:
        options["kind"] = kinds
    if ask.class_ is not None:
        options["class_"] = ask.class_
    if ask.level != 0.95:
        options["level"] = ask.level
    return options


def left_out(ask: Ask) -> tuple[str, ...]:
    """Return the columns not used: one that the choice of rows leaves a single value says nothing."""
    single = ask.only is not None and len(ask.only.values) == 1
    fixed = (ask.only.column,) if ask.only is not None and single else ()
    return tuple(name for name in dict.fromkeys((*ask.left_out, *fixed)) if name != ask.target)


def python_lines(ask: Ask, opening: str) -> str:
    """Write the Python that gives the same result; `opening` makes the table."""
    polars = ask.only is not None or ask.kinds.get(ask.target) == "categorical"
    lines = ["import polars as pl", ""] if polars else []
    lines += ["import paribus as pb"]
    lines += ["from paribus.files import read_file"] if "read_file(" in opening else []
    lines += ["", f"table = {opening}"]
    lines += [f"table = table.filter({part})" for part in _filters(ask.only)]
    if ask.kinds.get(ask.target) == "categorical":
        lines.append(f"table = table.with_columns(pl.col({ask.target!r}).cast(pl.String))")
    if left_out(ask):
        lines.append(f"table = table.drop({list(left_out(ask))!r})")
    options = "".join(f", {name}={value!r}" for name, value in options_of(ask).items())
    lines += [f"effects = pb.effects(table, target={ask.target!r}{options})"]
    lines += ["print(effects.summary())"]
    return "\n".join(lines) + "\n"


def _filters(only: Only | None) -> list[str]:
    if only is None:
        return []
    column = f"pl.col({only.column!r})"
    if only.kind == "category":
        return [f"{column}.cast(pl.String).is_in({list(only.values)!r})"]
    written = {"number": "{}", "date": "pl.lit({!r}).str.to_datetime()"}[only.kind]
    ends = ((">=", only.low), ("<=", only.high))
    return [f"{column} {sign} {written.format(_plain(only, end))}" for sign, end in ends if end]


def _plain(only: Only, end: str) -> Any:
    return float(end) if only.kind == "number" else end


def _end(table: pl.DataFrame, only: Only, end: str) -> Any:
    import polars as pl

    if not end:
        return None
    return float(end) if only.kind == "number" else pl.lit(end).str.to_datetime()


def _only(posted: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]]) -> Only | None:
    given = posted.get("only")
    if not given:
        return None
    if not isinstance(given, Mapping):
        raise errors.unclear_request("its choice of rows")
    name = _text(given, "column")
    if name not in columns:
        raise errors.unknown_column(name, list(columns))
    kind = columns[name]["kind"]
    if kind not in ("number", "date"):
        values = _texts(given.get("values", ()))
        return Only(name, values) if values else None
    low, high = str(given.get("low") or ""), str(given.get("high") or "")
    for end in (low, high):
        _check_end(name, kind, end)
    return Only(name, (), low, high, kind) if low or high else None


def _check_end(name: str, kind: str, end: str) -> None:
    from datetime import datetime
    from math import isfinite

    try:
        fine = not end or (
            isfinite(float(end)) if kind == "number" else datetime.fromisoformat(end)
        )
    except ValueError:
        fine = False
    if not fine:
        raise errors.bad_end(name, kind, end)


def _text(posted: Mapping[str, Any], name: str) -> str:
    value = posted.get(name)
    if not isinstance(value, str) or not value:
        raise errors.unclear_request(f"it names no {name}")
    return value


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise errors.unclear_request("a list is none")
    return tuple(str(value) for value in values)
