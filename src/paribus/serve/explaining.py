"""The work itself: explain a file's columns and show each as soon as it is ready."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from paribus import api
from paribus.report.summary import column_part, impact_part, pair_part, summarise
from paribus.report.writing import write_text
from paribus.results.influence import renumbered
from paribus.results.words import number
from paribus.serve import run_store
from paribus.serve.advice import page_advice
from paribus.serve.looking import look_at
from paribus.serve.prepare import chosen_rows, options_of, prepared
from paribus.serve.request import RunSettings
from paribus.serve.source import Source
from paribus.serve.suggest import by_guess

if TYPE_CHECKING:
    from paribus.base.arrays import Rows
    from paribus.results import Effect

UNUSED = ("by", "per")  # options of a run that two columns at once do not have


def warm_up_explain(tell: Callable[..., None]) -> None:
    """Do nothing: by now, the modules that a run needs are loaded, before anybody waits."""
    tell()


def explain(
    tell: Callable[..., None], *, source: Source, settings: RunSettings, folder: Path
) -> dict[str, Any]:
    """Explain all columns, the probably important ones first, and store everything in `folder`."""
    tell(stage="Reading the file")
    whole = source.table(settings.numeric)
    table, rows = prepared(whole, settings), chosen_rows(whole, settings)
    tell(stage="Looking at the columns")
    look = look_at(table, settings)
    plan = look.plan()
    aside = {*plan.left_out, *plan.hidden, *settings.roles.values()}
    explained = table[[name for name in table.columns if name not in aside]]
    order = [*by_guess(explained, settings.target, settings.class_), *plan.flags]
    tell(stage="Grouping rows that are alike", total=len(order))
    so_far = FoundSoFar(folder, settings, rows, tell)
    options = {**options_of(settings), "features": order, "tidy": look}
    effects = api.effects(table, settings.target, found=so_far.add, **options)
    tell(stage="Looking for groups that differ")
    effects = effects.who_differs(0) if settings.by else effects.who_differs()
    tell(stage="Writing it up")
    numbered = tuple(renumbered(effect, rows) for effect in effects.effects)
    effects = replace(effects, effects=numbered, backend="polars")
    run_store.save_effects(effects, folder)
    page = summarise(effects, advice=page_advice)
    page["names"] = [] if settings.scale else [c["name"] for c in page["explained"]]
    run_store.save_profiles(page["profiles"], folder)
    write_text(run_store.render("found.html", **page), folder / run_store.RESULTS)
    return {"n_rows": effects.n_rows, "target": effects.target, "first": effects.ranking[:3]}


@dataclass(slots=True)
class FoundSoFar:
    """The columns found so far, written for the page one by one."""

    folder: Path
    settings: RunSettings
    rows: Rows
    tell: Callable[..., None]
    found: list[Effect] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)

    def add(self, effect: Effect) -> None:
        """Show one more column."""
        self.found.append(effect)
        done = len(self.found)
        part = column_part(done, renumbered(effect, self.rows), 1.0, page_advice)
        self.parts.append(part)
        section = run_store.render("column.html", column=part)
        write_text(section, self.folder / run_store.COLUMN.format(done))
        write_text(self._ranking(), self.folder / run_store.RANKING)
        self.tell(done=done)

    def _ranking(self) -> str:
        """Rank the columns found so far; shares are known only at the end."""
        pairs = [p for p in zip(self.found, self.parts, strict=True) if p[0].explained]
        pairs.sort(key=lambda pair: -_finite(pair[0].impact))
        most = max((_finite(effect.impact) for effect, _ in pairs), default=0.0)
        ranked = [
            {**part, **impact_part(effect, most), "rank": rank, "share": ""}
            for rank, (effect, part) in enumerate(pairs, start=1)
        ]
        sure = number(100 * self.settings.level)
        return run_store.render(
            "ranked.html", explained=ranked, target=self.settings.target, sure=sure
        )


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def pair(
    tell: Callable[..., None], *, source: Source, settings: RunSettings, folder: Path, first: str,
    second: str,
) -> str:  # fmt: skip
    """Explain two columns at once, store them with the run, and return a part of the page."""
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
