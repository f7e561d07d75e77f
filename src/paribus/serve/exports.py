"""Files to download: the report, the workbook, the numbers; and the code that draws."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.base.formulas import as_text
from paribus.plotting.picture import MARGINAL
from paribus.plotting.rows import point_rows
from paribus.report import page
from paribus.report.writing import replacing, write_text
from paribus.serve.run_store import load_effects, load_profiles

if TYPE_CHECKING:
    from paribus.results import EffectSet

HEADS = {
    "effect": "effect", "lower": "lower", "upper": "upper", "band_lower": "band lower",
    "band_upper": "band upper", "marginal": MARGINAL, "share": "share of rows",
    "count": "rows",
}  # fmt: skip


def export(tell: Callable[..., None], *, folder: Path, kind: str, to: Path) -> None:
    """Write a run's effects into a file: ``"html"``, ``"xlsx"`` or ``"csv"``."""
    tell(stage="Writing the file")
    effects = load_effects(folder)
    if kind == "html":
        page.write_page(effects, to, profiles=load_profiles(folder))
    elif kind == "xlsx":
        effects.to_excel(to)
    else:
        with replacing(to) as beside:
            _write_csv(effects, beside)


def runtime(tell: Callable[..., None], *, to: Path) -> None:
    """Write the code that draws charts into a file."""
    tell(stage="Preparing the charts")
    write_text(page.runtime(), to)


def _write_csv(effects: EffectSet, path: Path) -> None:
    """Write all curves and levels below each other, one row per point, for spreadsheets."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["column", "at", *HEADS.values()])
        writer.writerows(_lines(effects))


def _lines(effects: EffectSet) -> Iterator[list[Any]]:
    for effect in effects.effects:
        if not effect.explained:
            continue
        for row in point_rows(effect):
            at = row.get("level", row.get("date", row.get("x")))
            yield [as_text(effect.feature), as_text(at), *(row.get(key) for key in HEADS)]
