"""Two runs compared: what changes when a column is left out, or for some rows?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.plotting.overlay import Series, overlay_chart
from paribus.report.summary import chart_part
from paribus.report.writing import write_text
from paribus.results.words import number
from paribus.serve.run_store import load_effects, render

if TYPE_CHECKING:
    from paribus.results import Effect, EffectSet


def lay_over(
    tell: Callable[..., None], *, folders: Sequence[Path], names: Sequence[str], to: Path
) -> None:
    """Write the page part that shows the effects of two runs together."""
    tell(stage="Laying both over each other")
    sets = [load_effects(folder) for folder in folders]
    features = list(dict.fromkeys(name for effects in sets for name in effects))
    rows = [_row(feature, sets) for feature in features]
    columns = [
        _column(k, feature, sets, names)
        for k, feature in enumerate(features, start=1)
        if any(_effect(effects, feature) for effects in sets)
    ]
    write_text(render("laid.html", rows=rows, columns=columns, names=names), to)


def _row(feature: str, sets: Sequence[EffectSet]) -> dict[str, Any]:
    """Return a line of the table of impacts."""
    found = [_effect(effects, feature) for effects in sets]
    impacts = [number(effect.impact) if effect else "not there" for effect in found]
    ranks = [effects.ranking.index(feature) + 1 if feature in effects else None for effects in sets]
    return {"name": feature, "impacts": impacts, "ranks": ranks}


def _column(
    k: int, feature: str, sets: Sequence[EffectSet], names: Sequence[str]
) -> dict[str, Any]:
    found = {n: e for n, s in zip(names, sets, strict=True) if (e := _effect(s, feature))}
    series = [Series(name, effect) for name, effect in found.items()]
    if len({one.effect.is_curve for one in series}) > 1:  # a number here, a category there
        series = series[:1]
    sentences = [{"run": name, "text": effect.summary()} for name, effect in found.items()]
    said = " ".join(f"{s['run']}: {s['text']}" for s in sentences)
    chart = chart_part(f"c{k}", feature, said, overlay_chart(series).to_dict())
    return {**chart, "sentences": sentences, "alone": len(series) < len(names)}


def _effect(effects: EffectSet, feature: str) -> Effect | None:
    effect = effects.get(feature)
    return effect if effect is not None and effect.explained else None
