"""From a request to effects: read the file, prepare the table, explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paribus.base import errors, notes
from paribus.base.notes import Note
from paribus.cli.options import Request
from paribus.cli.waiting import patiently
from paribus.files import Reading, read_file
from paribus.scale.memory import would_fit
from paribus.scale.sources import files_source

if TYPE_CHECKING:
    from paribus.results import EffectSet


def answer(request: Request, features: Sequence[str] | None = None) -> EffectSet:
    """Explain the columns of the file asked about, all of them by default.

    A file that would not fit into memory is read in batches.
    """
    if not would_fit(request.file):
        return _answer_in_batches(request, features)
    reading = patiently(
        f"Reading {request.file}",
        lambda advance: read_file(
            request.file, sheet=request.sheet, numeric=request.numeric, progress=advance
        ),
    )
    target = _target(request, reading)
    table = _prepared(reading.table, request, target)
    told = [n for n in reading.notes if n.facts.get("column", target) in table.columns]
    if request.drop:
        told.append(notes.dropped(request.drop))
    if request.sample is not None and request.sample < table.height:
        told.append(notes.sampled(request.sample, table.height))
        table = table.sample(request.sample, seed=request.seed)
    return with_notes(explain(table, target, request, features), told)


def _answer_in_batches(request: Request, features: Sequence[str] | None) -> EffectSet:
    source = files_source(request.file, request.drop)
    names = [*source.sorts]
    if request.target is None:
        raise errors.no_target(request.file, names)
    if request.target in request.drop:
        raise errors.target_dropped(request.target)
    if request.sample is not None:
        raise errors.no_sample_in_batches()
    return explain(source, request.target, request, features)


def explain(
    table: Any, target: str, request: Request | None = None, features: Sequence[str] | None = None
) -> EffectSet:
    """Explain a table's columns with a bar that shows how far it is."""
    from paribus.api import effects

    options = {} if request is None else _options(request, target)
    label = f"Explaining {target}"
    return patiently(
        label,
        lambda advance: effects(table, target, features=features, progress=advance, **options),
    )


def _target(request: Request, reading: Reading) -> str:
    """Check the target: numbers with a word among them would be taken for classes."""
    columns = reading.table.columns
    if request.target is None:
        raise errors.no_target(request.file, columns)
    if request.target in request.drop:
        raise errors.target_dropped(request.target)
    for note in reading.notes:
        if note.kind == "stray_text" and note.facts["column"] == request.target:
            raise errors.InputError(note.text)
    return request.target


def _prepared(table: Any, request: Request, target: str) -> Any:
    """Leave out what is to be dropped; make classes of a target that is to have them."""
    for name in (*request.drop, target):
        if name not in table.columns:
            raise errors.unknown_column(name, table.columns)
    if target in request.categorical:
        table = table.with_columns(table[target].cast(str))
    # By brackets: to drop, a name such as * would be a pattern.
    return table[[name for name in table.columns if name not in request.drop]]


def _options(request: Request, target: str) -> dict[str, Any]:
    kind = dict.fromkeys(request.numeric, "numeric") | dict.fromkeys(
        request.categorical, "categorical"
    )
    kind.pop(target, None)
    return {
        "kind": kind,
        "together": request.together,
        "weights": request.weights,
        "class_": request.class_,
        "seed": request.seed,
        "n_jobs": request.threads,
        "conf_level": request.level,
        "average": request.average,
    }


def with_notes(effects: EffectSet, told: Sequence[Note]) -> EffectSet:
    """Return effects with more to tell of the whole table."""
    return replace(effects, notes=(*told, *effects.notes))
