"""What the user asks of a file: target, columns, kinds, class, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from typing import Any

from paribus.base import errors
from paribus.serve import errors as page_errors
from paribus.table import errors as table_errors

KINDS = ("numeric", "categorical")
KIND_WORDS = {"numeric": "a number", "categorical": "a category"}
ROLE_WORDS = {
    "weights": "weighted by {}", "counts": "rows counted by {}",
    "cluster": "rows of the same {} belong together", "within": "each {} compared with itself",
    "exposure": "per {}",
}  # fmt: skip
SCALE_WORDS = {
    "log": "in per cent, by the logarithm", "ratio": "in per cent of the mean",
    "odds": "in per cent of the odds",
}  # fmt: skip
MOST_NAMED = 5  # columns or rows left out that are named, in a list of runs
MOST_ROWS = 10_000  # left out by number


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A choice of rows: those with one of some values, or between two ends."""

    column: str
    values: tuple[str, ...] = ()  # the values of a category
    # The ends for a number or a date, as ISO text; empty is open.
    low: str = ""
    high: str = ""
    kind: str = "category"  # ``"category"``, ``"number"`` or ``"date"``

    def words(self) -> str:
        """Say which rows these are."""
        if self.kind == "category":
            return f"only {self.column} = {' or '.join(self.values)}"
        if self.low and self.high:
            return f"only {self.column} from {self.low} to {self.high}"
        return f"only {self.column} {'from' if self.low else 'up to'} {self.low or self.high}"


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Everything that determines a result besides the file."""

    target: str
    left_out: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    class_: str | None = None
    level: float = 0.95
    only: RowFilter | None = None
    together: tuple[str, ...] = ()
    # The columns that are weights, counts, cluster, within or exposure, as in `paribus.effects`.
    roles: Mapping[str, str] = field(default_factory=dict)
    without_rows: tuple[int, ...] = ()  # rows of the file left out by number, counted from 0
    # Proposals that are not to be carried out, as in `paribus.effects`.
    keep: tuple[str, ...] = ()
    scale: str = ""  # the scale of the target, as in `paribus.effects`; empty for its own
    doubling: bool = False  # whether slopes are given per doubling
    by: str = ""  # the column whose groups are explained one by one; empty for none
    # The level that a category's levels are compared with, by column.
    relative_to: Mapping[str, str] = field(default_factory=dict)

    @property
    def goal(self) -> str:
        """What is explained, in words: the target, or one of its classes."""
        return f"{self.target} is {self.class_}" if self.class_ else self.target

    @property
    def numeric(self) -> list[str]:
        """The columns to read as numbers."""
        return [name for name, kind in self.kinds.items() if kind == "numeric"]

    def whole(self) -> RunSettings:
        """Return the same settings for all rows."""
        return replace(self, only=None, without_rows=())

    def untouched(self) -> RunSettings:
        """Return the same settings with no proposals undone and no rows left out."""
        return replace(self, keep=(), together=(), without_rows=())

    def without(self, rows: Sequence[int]) -> RunSettings:
        """Return the same settings without some further rows."""
        return replace(self, without_rows=tuple(sorted({*self.without_rows, *rows})))

    def row_words(self) -> str:
        """Say which rows are used; empty for all of them."""
        said = [] if self.only is None else [self.only.words()]
        n = len(self.without_rows)
        if n > MOST_NAMED:
            said.append(f"without {n} rows")
        elif n:
            shown = ", ".join(f"{row + 1:,}" for row in self.without_rows)
            said.append(f"without row{'s' * (n > 1)} {shown}")
        return "; ".join(said)

    def words(self) -> str:
        """Describe the settings in a few words, for a list of runs."""
        kept = dict.fromkeys(undo.rpartition(":")[0] or undo for undo in self.keep)
        said = [
            self.row_words(),
            *(ROLE_WORDS[role].format(name) for role, name in self.roles.items()),
            f"by {self.by}" if self.by else "",
            f"without {_few(self.left_out)}" if self.left_out else "",
            f"{_few(list(kept))} as in the file" if kept else "",
            *(f"{name} as {KIND_WORDS[kind]}" for name, kind in list(self.kinds.items())[:2]),
            f"{', '.join(self.together)} together" if self.together else "",
            SCALE_WORDS[self.scale] if self.scale else "",
            "per doubling" if self.doubling else "",
            *(f"{name} compared with {level}" for name, level in self.relative_to.items()),
            f"{100 * self.level:g} % sure" if self.level != 0.95 else "",
        ]
        return "; ".join(filter(None, said)) or "all rows and columns"


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def read_settings(
    posted: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]]
) -> RunSettings:
    """Check what the page sent against the columns of the file.

    Examples
    --------
    >>> columns = {"price": {"kind": "number"}, "town": {"kind": "category"}}
    >>> read_settings({"target": "price", "kinds": {"town": "categorical"}}, columns).target
    'price'
    >>> read_settings({"target": "prise"}, columns)
    Traceback (most recent call last):
    ...
    paribus.base.errors.InputError: There is no column 'prise'. Did you mean 'price'?
    """
    target = _text(posted, "target")
    left_out = _texts(posted.get("left_out", ()))
    kinds = _mapping(posted, "kinds", "its kinds")
    _check_known((target, *left_out, *kinds), columns)
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise errors.bad_choice(f"kind of {name!r}", kind, KINDS)
    if target in left_out:
        raise page_errors.target_left_out(target)
    level = posted.get("level", 0.95)
    if not isinstance(level, float) or not 0 < level < 1:
        raise errors.bad_conf_level(level)
    scale = posted.get("scale") or ""
    if scale not in ("", *SCALE_WORDS):
        raise errors.bad_choice("scale", scale, list(SCALE_WORDS))
    kept = {name: kind for name, kind in kinds.items() if name not in left_out}
    class_ = posted.get("class") or None
    roles = _roles(posted, target, columns)
    together = _texts(posted.get("together", ()))
    _check_group(together, (target, *left_out), roles, columns)
    return RunSettings(
        target, tuple(name for name in left_out if name not in roles.values()), kept,
        class_ and str(class_), level, _only(posted, columns), together, roles, read_rows(posted),
        _texts(posted.get("keep", ())),
        scale, bool(posted.get("doubling")), _by(posted, (target, *left_out), columns),
        _references(posted, (target, *left_out), columns),
    )  # fmt: skip


def _by(posted: Mapping[str, Any], unusable: Sequence[str], columns: Any) -> str:
    """Return the column whose groups are compared, if one is named."""
    name = str(posted.get("by") or "")
    _check_known([name] if name else [], columns)
    return "" if name in unusable else name


def _references(posted: Mapping[str, Any], unusable: Sequence[str], columns: Any) -> dict[str, str]:
    """Return the levels to compare with, by column."""
    given = _mapping(posted, "relative_to", "what to compare levels with")
    _check_known(given, columns)
    return {name: str(level) for name, level in given.items() if name not in unusable}


def read_rows(posted: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the numbers of the rows to leave out."""
    rows = posted.get("without_rows", ())
    listed = isinstance(rows, Sequence) and not isinstance(rows, str) and len(rows) <= MOST_ROWS
    if not listed or not all(type(row) is int and row >= 0 for row in rows):
        raise page_errors.unclear_request("its rows")
    return tuple(rows)


def _roles(
    posted: Mapping[str, Any], target: str, columns: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return the columns that say something about the rows."""
    given = _mapping(posted, "roles", "what it says about the rows")
    if not set(given) <= set(ROLE_WORDS):
        raise page_errors.unclear_request("what it says about the rows")
    roles = {role: str(given[role]) for role in ROLE_WORDS if given.get(role)}
    _check_known(roles.values(), columns)
    for role, name in roles.items():
        if name == target:
            raise table_errors.target_has_role(name, role)
    for name in roles.values():
        if list(roles.values()).count(name) > 1:
            raise page_errors.two_roles(name)
    return roles


def _check_group(
    together: Sequence[str], unusable: Sequence[str], roles: Mapping[str, str], columns: Any
) -> None:
    """Refuse columns that cannot move together."""
    _check_known(together, columns)
    for name in together:
        if name in unusable or name in roles.values():
            raise page_errors.cannot_move(name)
    if len(together) == 1:
        raise page_errors.moves_alone(together[0])


def _only(posted: Mapping[str, Any], columns: Mapping[str, Mapping[str, Any]]) -> RowFilter | None:
    given = _mapping(posted, "only", "its choice of rows")
    if not given:
        return None
    name = _text(given, "column")
    _check_known([name], columns)
    kind = columns[name]["kind"]
    if kind not in ("number", "date"):
        values = _texts(given.get("values", ()))
        return RowFilter(name, values) if values else None
    low, high = str(given.get("low") or ""), str(given.get("high") or "")
    for end in (low, high):
        _check_end(name, kind, end)
    return RowFilter(name, (), low, high, kind) if low or high else None


def _check_end(name: str, kind: str, end: str) -> None:
    try:
        fine = not end or (
            isfinite(float(end)) if kind == "number" else datetime.fromisoformat(end)
        )
    except ValueError:
        fine = False
    if not fine:
        raise page_errors.bad_end(name, kind, end)


def _check_known(names: Iterable[str], columns: Mapping[str, Any]) -> None:
    for name in names:
        if name not in columns:
            raise errors.unknown_column(name, list(columns))


def _mapping(posted: Mapping[str, Any], name: str, what: str) -> Mapping[str, Any]:
    given = posted.get(name) or {}
    if not isinstance(given, Mapping):
        raise page_errors.unclear_request(what)
    return given


def _text(posted: Mapping[str, Any], name: str) -> str:
    value = posted.get(name)
    if not isinstance(value, str) or not value:
        raise page_errors.unclear_request(f"it names no {name}")
    return value


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise page_errors.unclear_request("it holds something else where a list belongs")
    return tuple(str(value) for value in values)
