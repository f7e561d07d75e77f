"""What models say of the same columns, by the usual methods, drawn beside ours.

Only offered where `paribus.models` is there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from paribus.plotting.overlay import Series, overlay_spec
from paribus.report.summary import ROOM, compact
from paribus.serve.prepare import options_of, prepared
from paribus.serve.request import Ask
from paribus.serve.run_store import kept, render, write_whole
from paribus.serve.source import Source
from paribus.table import problem
from paribus.table.target import coded_target

TECHNIQUES = {"partial dependence": "fpd", "ALE": "ale"}


def compare(tell: Callable[..., None], *, source: Source, ask: Ask, folder: Path) -> Path:
    """Fit a forest and boosting once, ask both about every column, and write the page part."""
    techniques = import_module("paribus.models.compare").ASKING
    fit = import_module("paribus.models.baselines").fit_witnesses
    tell(stage="Fitting a forest and boosting")
    effects = kept(folder)
    numeric = [name for name, kind in ask.kinds.items() if kind == "numeric"]
    table = prepared(source.table(numeric), ask)
    code = partial(coded_target, class_=ask.class_)
    asked = problem.make_problem(table, ask.target, kind=options_of(ask).get("kind"), code=code)
    witnesses = fit(asked, seed=0)
    explained = [effect for effect in effects.effects if effect.explained]
    tell(total=len(explained))
    columns = []
    for done, ours in enumerate(explained, start=1):
        series = [Series("paribus", ours, "with no model")]
        for witness in witnesses:
            column = witness.asked.column(ours.feature, None)
            for way, technique in TECHNIQUES.items():
                found = techniques[technique][1](witness.asked, column)
                if found.explained and found.is_curve == ours.is_curve:
                    series.append(Series(witness.name, found, way))
        columns.append(_column(done, ours.feature, series))
        tell(done=done)
    scores = [f"{witness.name} {100 * witness.r2:.1f} %" for witness in witnesses]
    to = folder / "compared.html"
    write_whole(to, render("compared.html", columns=columns, scores=scores))
    return to


def _column(k: int, feature: str, series: list[Series]) -> dict[str, Any]:
    spec = overlay_spec(series)
    drawn = ", ".join(f"{one.who} ({one.way})" for one in series)
    return {
        "id": f"m{k}",
        "name": feature,
        "sentence": f"{feature}: {drawn}",
        "search": False,
        "height": spec["height"] + ROOM,
        "data": {"name": feature, "spec": compact(spec)},
    }
