"""Draw the paper's figures into build/paper with an index page: `make paper`.

Give numbers to draw some of them only: ``make_all.py 2 5``. Figures that need real data are left
out, with a word, where there is none.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import tables
from looks import Plate, with_caption

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from report import machine  # noqa: E402

OUT = ROOT / "build" / "paper"
RESULTS = ROOT / "benchmarks" / "results" / "paper.json"
FIGURES = {
    1: ("fig01_bathrooms", ("nyc_rent",)),
    2: ("fig02_interactions", ()),
    3: ("fig03_noise", ()),
    4: ("fig04_weather", ()),
    5: ("fig05_height", ()),
    6: ("fig06_pregnant", ()),
    7: ("fig07_year_made", ("bulldozer",)),
    8: ("fig08_product_size", ("bulldozer",)),
    9: ("fig09_timing", ("nyc_rent", "bulldozer", "flights_2015")),
    10: ("fig10_twins", ()),
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1b1b; background: #fff }
figure { margin: 2.5rem 0 } img { max-width: 100%; height: auto }
table { border-collapse: collapse; font-size: 0.9rem } td, th { border-bottom: 1px solid #ddd;
       padding: 0.35rem 0.7rem; text-align: left; vertical-align: top }
th { font-weight: 600 } .holds { color: #00684c } .not { color: #a33c00; font-weight: 600 }
"""


def main(wanted: list[int]) -> None:
    """Draw the figures asked for, all by default."""
    OUT.mkdir(parents=True, exist_ok=True)
    stored = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {"figures": {}}
    for number in wanted or FIGURES:
        module, needed = FIGURES[number]
        if not tables.is_there(*needed):
            print(f"Figure {number} is left out: there is no {', '.join(needed)} in the data.")
            continue
        begin = time.perf_counter()
        plate = import_module(module).draw()
        save(plate)
        stored["figures"][str(number)] = facts(plate)
        print(f"Figure {number}: {plate.title} ({time.perf_counter() - begin:.0f} s)", flush=True)
    stored = {**machine(), "figures": dict(sorted(stored["figures"].items(), key=by_number))}
    RESULTS.write_text(json.dumps(stored, indent=1, default=float) + "\n", encoding="utf-8")
    (OUT / "index.html").write_text(index(stored), encoding="utf-8")
    print(f"The figures: {OUT / 'index.html'}; the numbers: {RESULTS}")
    import_module("write_page").main()


def by_number(item: tuple[str, Any]) -> int:
    """Sort figures by their number."""
    return int(item[0])


def save(plate: Plate) -> None:
    """Write the figure with its caption as a picture."""
    with_caption(plate).savefig(OUT / f"figure-{plate.number:02d}.png", dpi=150)


def facts(plate: Plate) -> dict[str, Any]:
    """Return what is stored of a figure."""
    claims = [{"paper": c.paper, "found": c.found, "verdict": c.verdict} for c in plate.claims]
    numbers = json.loads(json.dumps(plate.numbers, default=float), parse_float=rounded)
    return {"title": plate.title, "setting": plate.setting, "claims": claims, "numbers": numbers}


def rounded(text: str) -> float:
    """Read a number to five digits."""
    return float(f"{float(text):.5g}")


def index(stored: dict[str, Any]) -> str:
    """Write the page with all figures and claims."""
    parts = [section(number, figure) for number, figure in stored["figures"].items()]
    head = (
        f"<p>Drawn on {stored['date']} ({escape(stored['machine'])}). A figure's claims are in its "
        "caption; green is paribus's rival from the paper, orange a model, blue paribus.</p>"
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>The paper, redrawn</title>"
        '<meta name=viewport content="width=device-width">'
        f"<style>{STYLE}</style><h1>&ldquo;Partial Dependence through Stratification&rdquo;, "
        f"redrawn</h1>{head}{''.join(parts)}</html>\n"
    )


def section(number: str, figure: dict[str, Any]) -> str:
    """Write one figure with its claims."""
    rows = "".join(
        f"<tr><td>{escape(c['paper'])}<td>{escape(c['found'])}"
        f"<td class={'holds' if c['verdict'] == 'holds' else 'not'}>{escape(c['verdict'])}"
        for c in figure["claims"]
    )
    picture = f"figure-{int(number):02d}.png"
    shown = (
        f'<img src="{picture}" alt="{escape(figure["title"])}">'
        if (OUT / picture).exists()
        else "<p>Not drawn in this run; the claims are from an earlier one.</p>"
    )
    return (
        f"<figure id=figure-{number}><h2>{number}. {escape(figure['title'])}</h2>{shown}"
        f"<p>{escape(figure['setting'])}</p><table><tr><th>the paper<th>here<th>{rows}</table>"
        "</figure>"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore", category=PendingDeprecationWarning)
    main([int(argument) for argument in sys.argv[1:]])
