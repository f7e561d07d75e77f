"""From a request to effects: read the file, prepare the table, explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from paribus.base import errors
from paribus.base.arrays import Rows
from paribus.base.notes import Note, Remedy
from paribus.cli import errors as cli_errors
from paribus.cli.advice import option_advice
from paribus.cli.options import Request
from paribus.cli.waiting import patiently
from paribus.files import read_file
from paribus.files.limits import would_fit
from paribus.pipeline import errors as pipeline_errors
from paribus.pipeline import notes as pipeline_notes
from paribus.results import errors as result_errors
from paribus.results.influence import renumbered
from paribus.scale.sources import files_source
from paribus.table import errors as table_errors

if TYPE_CHECKING:
    from paribus.results import EffectSet, Interactions, JointEffect
    from paribus.tidy.result import Check

Found = TypeVar("Found", "EffectSet", "Interactions", "JointEffect")
ROW = "\0row"  # a name that no column of a file has
AS_GIVEN = (
    "together", "class_", "target_scale", "seed", "n_jobs", "conf_level", "average", "effort",
    "keep",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Opened:
    """The file of a request."""

    data: Any  # its table, or the batches in which it is read
    target: str
    notes: tuple[Note, ...] = ()
    rows: Rows | None = None  # (n,): for rows drawn at random, their numbers in the file


def answer(request: Request, features: Sequence[str] | None = None) -> EffectSet:
    """Explain the columns of the file, all of them by default.

    A file that would not fit into memory is read in batches.
    """
    opened = _open(request, features or ())
    found = explain(opened.data, opened.target, request, features)
    if opened.rows is not None:
        numbered = tuple(renumbered(e, opened.rows) for e in found.effects)
        found = replace(found, effects=numbered)
    return with_notes(found, opened.notes)


def interplay(request: Request, features: Sequence[str] | None = None) -> Interactions:
    """Find the columns of the file that act together."""
    from paribus.finder import interactions

    opened = _open(request, features or ())
    data, target = opened.data, opened.target
    shared = ("kind", *request.roles, "class_", "seed", "n_jobs", "conf_level", "tidy", "keep")
    options = {name: _options(request, target)[name] for name in shared}
    found = patiently(
        f"Searching {target}",
        lambda advance: interactions(data, target, features=features, progress=advance, **options),
    )
    return with_notes(found, opened.notes)


def at_once(request: Request, features: Sequence[str], beside: str) -> JointEffect:
    """Explain two columns of the file at once."""
    from paribus.api import effect

    if len(features) != 1:
        raise cli_errors.one_beside(len(features))
    pair = (features[0], beside)
    for option in ("by", "target_scale", "exposure", "relative_to"):
        if getattr(request, option):
            raise pipeline_errors.not_of_a_pair(f"--{option.replace('_', '-')}")
    opened = _open(request, pair)
    data, target = opened.data, opened.target
    unused = ("by", "per", "relative_to", "target_scale", "average")
    options = {k: v for k, v in _options(request, target).items() if k not in unused}
    found = patiently(f"Explaining {target}", lambda _: effect(data, target, pair, **options))
    return with_notes(found, opened.notes)


def look(request: Request) -> Check:
    """Look at the file before it is explained."""
    from paribus.tidy.find import check

    opened = _table(request)
    found = check(opened.data, opened.target, **request.roles, keep=request.keep)
    return replace(found, notes=opened.notes)


def _open(request: Request, features: Sequence[str]) -> Opened:
    """Read a file, or open it to be read in batches."""
    _check_drops(request, features)
    if would_fit(request.file):
        return _table(request, features)
    source = files_source(request.file, request.drop, numeric=request.numeric)
    target = _target(request, list(source.sorts), source.notes)
    _check_roles(request, target, features, list(source.sorts))
    if request.sample is not None:
        raise cli_errors.no_sample_in_batches()
    return Opened(source, target)


def _table(request: Request, features: Sequence[str] = ()) -> Opened:
    """Read a file into a table."""
    reading = patiently(
        f"Reading {request.file}",
        lambda advance: read_file(
            request.file, sheet=request.sheet, numeric=request.numeric, progress=advance
        ),
    )
    target = _target(request, reading.table.columns, reading.notes)
    reading.check_target(target)
    _check_roles(request, target, features, reading.table.columns)
    table = _prepared(reading.table, request, target)
    remarks = [n for n in reading.notes if n.facts.get("column", target) in table.columns]
    if request.drop:
        remarks.append(pipeline_notes.dropped(request.drop))
    if request.sample is None or request.sample >= table.height:
        return Opened(table, target, tuple(remarks))
    remarks.append(pipeline_notes.sampled(request.sample, table.height))
    table = table.with_row_index(ROW).sample(request.sample, seed=request.seed)
    return Opened(table.drop(ROW), target, tuple(remarks), table[ROW].to_numpy())


def _check_drops(request: Request, features: Sequence[str]) -> None:
    """Refuse a column that is both used and left out."""
    named = {
        "--target": (request.target,),
        "--feature": features,
        "--together": request.together,
        **{f"--{role}": (name,) for role, name in request.roles.items()},
    }
    for option, names in named.items():
        for name in names:
            if name in request.drop:
                raise cli_errors.also_dropped(str(name), option)


def _check_roles(
    request: Request, target: str, features: Sequence[str], columns: Sequence[str]
) -> None:
    """Refuse columns about the rows that do not exist, or have another role as well."""
    for role, name in request.roles.items():
        if name not in columns:
            raise cli_errors.of_option(f"--{role}", errors.unknown_column(name, columns))
        if name == target:
            raise table_errors.target_has_role(name, f"--{role}")
        if name in (*features, *request.together):
            raise cli_errors.feature_has_role(name, f"--{role}")


def explain(
    table: Any, target: str, request: Request | None = None, features: Sequence[str] | None = None
) -> EffectSet:
    """Explain a table's columns with a progress bar."""
    from paribus.api import effects

    options = {} if request is None else _options(request, target)
    return patiently(
        f"Explaining {target}",
        lambda advance: effects(table, target, features=features, progress=advance, **options),
    )


def _target(request: Request, columns: Sequence[str], remarks: Sequence[Note]) -> str:
    """Check the target: numbers with words among them would be treated as classes."""
    if request.target is None:
        raise cli_errors.no_target(request.file, columns)
    for note in remarks:
        if note.remedy == Remedy("numeric", (request.target,)):
            raise errors.InputError(note.with_advice(option_advice))
    return request.target


def _prepared(table: Any, request: Request, target: str) -> Any:
    """Leave out columns to be dropped; turn a target declared categorical into text."""
    for name in (*request.drop, target):
        if name not in table.columns:
            raise errors.unknown_column(name, table.columns)
    if target in request.categorical:
        table = table.with_columns(table[target].cast(str))
    # With brackets: `drop` would take a name such as * for a pattern.
    return table[[name for name in table.columns if name not in request.drop]]


def _options(request: Request, target: str) -> dict[str, Any]:
    sorts = {"numeric": request.numeric, "categorical": request.categorical}
    beside = (target, *request.roles.values())
    kind = {n: sort for sort, names in sorts.items() for n in names if n not in beside}
    return {
        **{name: getattr(request, name) for name in AS_GIVEN},
        **request.roles,
        "kind": kind,
        "per": _steps(request.per),
        "relative_to": _references(request.relative_to),
        "by": _by(request.by),
        "tidy": not request.as_is,
    }


def _by(given: str | None) -> Any:
    """Read the name of a column, or a name with cut points such as age:30,50."""
    if given is None:
        return None
    name, _, cuts = given.rpartition(":")
    try:
        return {name: [float(cut) for cut in cuts.split(",")]} if name else given
    except ValueError:
        return given


def _steps(given: Sequence[str]) -> Any:
    """Read the steps of slopes: one for all columns, or one for each of some."""
    named = {}
    for text in given:
        name, _, step = text.rpartition(":")
        try:
            value = "doubling" if step == "doubling" else float(step)
        except ValueError:
            raise result_errors.bad_step(name or "all columns", step) from None
        if not name:
            return value
        named[name] = value
    return named or None


def _references(given: Sequence[str]) -> Any:
    """Read reference levels: one for each of some columns, or one for all that have it."""
    named = {}
    for text in given:
        name, _, level = text.partition(":")
        if not level:
            return text
        named[name] = level
    return named or None


def with_notes(found: Found, remarks: Sequence[Note]) -> Found:
    """Return a result with further notes on the whole table."""
    return replace(found, notes=(*remarks, *found.notes))
