"""Two columns of a run at once, chosen on the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

from paribus import api
from paribus.report.summary import pair_part
from paribus.serve import run_store
from paribus.serve.looking import look_at
from paribus.serve.prepare import options_of, prepared
from paribus.serve.request import RunSettings
from paribus.serve.source import Source

UNUSED = ("by", "per")  # what a run may ask for and two columns at once have not


def pair(
    tell: Callable[..., None], *, source: Source, settings: RunSettings, folder: Path, first: str,
    second: str,
) -> str:  # fmt: skip
    """Explain two columns at once, keep it with the run, and return a part of the page."""
    tell(stage=f"Looking at {first} and {second} at once")
    effects = run_store.load_effects(folder)
    table = prepared(source.table(settings.numeric), settings)
    options = {k: v for k, v in options_of(settings).items() if k not in UNUSED}
    tidy = look_at(table, settings)
    both = api.effect(table, settings.target, (first, second), **{**options, "tidy": tidy})
    known = {note.text for note in effects.notes}
    both = replace(both, notes=tuple(n for n in both.notes if n.text not in known))
    kept = [other for other in effects.pairs if other.features != both.features]
    run_store.save_effects(replace(effects, pairs=(*kept, both)), folder)
    for taken in folder.glob("taken.*"):
        taken.unlink()
    shown = pair_part(f"p{token_hex(4)}", both)
    return run_store.render("pair.html", pair=shown)
