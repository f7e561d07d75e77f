"""What models say about the same columns, drawn next to our effects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from paribus.models.baselines import fit_baselines
from paribus.models.compare import TECHNIQUES
from paribus.plotting.overlay import Series, overlay_chart
from paribus.report.summary import chart_part
from paribus.report.writing import write_text
from paribus.results.scales import TargetScale, on_scale
from paribus.serve.prepare import options_of, prepared
from paribus.serve.request import RunSettings
from paribus.serve.run_store import load_effects, render
from paribus.serve.source import Source
from paribus.table.problem import make_problem
from paribus.table.target import coded_target

METHODS = {"partial dependence": "fpd", "ALE": "ale"}


def compare(
    tell: Callable[..., None], *, source: Source, settings: RunSettings, folder: Path
) -> Path:
    """Fit a forest and boosting, and write what they say about each column as part of the page."""
    tell(stage="Fitting a forest and boosting")
    effects = load_effects(folder)
    table = prepared(source.table(settings.numeric), settings)
    scale = cast("TargetScale | None", settings.scale or None)
    code = partial(coded_target, class_=settings.class_, scale=scale)
    given: dict[str, Any] = {"kind": options_of(settings).get("kind"), **settings.roles}
    made = make_problem(table, settings.target, code=code, **given)
    models = fit_baselines(made, seed=0)
    mean = float(np.average(made.y, weights=made.total_weights))
    explained = [effect for effect in effects.effects if effect.explained]
    tell(total=len(explained))
    columns = []
    for done, ours in enumerate(explained, start=1):
        series = [Series("paribus", ours, "with no model")]
        for model in models:
            column = model.predictor.column(ours.feature, None)
            for way, technique in METHODS.items():
                found = TECHNIQUES[technique][1](model.predictor, column)
                found = found if scale is None else on_scale(found, scale, mean)
                if found.explained and found.is_curve == ours.is_curve:
                    series.append(Series(model.name, found, way))
        columns.append(_column(done, ours.feature, series))
        tell(done=done)
    scores = [f"{model.name} {100 * model.r2:.1f} %" for model in models]
    to = folder / "compared.html"
    write_text(render("compared.html", columns=columns, scores=scores), to)
    return to


def _column(k: int, feature: str, series: list[Series]) -> dict[str, Any]:
    drawn = ", ".join(f"{one.who} ({one.way})" for one in series)
    return chart_part(f"m{k}", feature, f"{feature}: {drawn}", overlay_chart(series).to_dict())
