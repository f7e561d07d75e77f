"""Draw the paper's figures into build/paper with an index page: `make paper`.

Give numbers to draw some of them only, ``text`` or ``costs`` to measure what no figure shows:
``make_all.py 2 5 text``. Figures that need real data are left out, with a word, where there are
none.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import tables
import write_page
from looks import BESIDE, HOLDS, IF, NOT, UNKNOWN, Plate, with_caption

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from report import machine  # noqa: E402

OUT = ROOT / "build" / "paper"
RESULTS = ROOT / "benchmarks" / "results" / "paper.json"
TEXTS = {"text": "text_claims", "costs": "cost_claims"}
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
CLASSES = {HOLDS: "holds", IF: "if", NOT: "not", UNKNOWN: "beside", BESIDE: "beside"}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1b1b; background: #fff }
figure { margin: 2.5rem 0 } img { max-width: 100%; height: auto }
table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0 }
td, th { border-bottom: 1px solid #ddd; padding: 0.35rem 0.7rem; text-align: left;
         vertical-align: top }
th { font-weight: 600 } .holds { color: #00684c } .if { color: #7a5b00; font-weight: 600 }
.not { color: #a33c00; font-weight: 600 } .beside { color: #666 }
"""


def main(wanted: Sequence[int | str]) -> None:
    """Draw the figures and measure the texts asked for, all by default."""
    OUT.mkdir(parents=True, exist_ok=True)
    for part in wanted or [*TEXTS, *FIGURES]:
        begin = time.perf_counter()
        told = measure_text(part) if isinstance(part, str) else draw(part)
        print(f"{told} ({time.perf_counter() - begin:.0f} s)", flush=True)
    stored = json.loads(RESULTS.read_text("utf-8"))
    (OUT / "index.html").write_text(index(stored), encoding="utf-8")
    print(f"The figures: {OUT / 'index.html'}; the numbers: {RESULTS}")
    write_page.main()


def measure_text(part: str) -> str:
    """Measure claims that no figure shows; return a word about it."""
    claims, numbers = import_module(TEXTS[part]).measured()
    store(part, {"title": part, "claims": [vars(c) for c in claims], "numbers": plain(numbers)})
    return f"The {part}: {len(claims)} claims"


def draw(number: int) -> str:
    """Draw a figure; return a word about it."""
    module, needed = FIGURES[number]
    if not tables.is_there(*needed):
        return f"Figure {number} is left out: there is no {', '.join(needed)} in the data"
    plate = import_module(module).draw()
    save(plate)
    store(str(number), facts(plate))
    return f"Figure {number}: {plate.title}"


def store(key: str, found: dict[str, Any]) -> None:
    """Put claims and numbers among those of other figures, with their own date."""
    known = json.loads(RESULTS.read_text("utf-8"))["figures"] if RESULTS.exists() else {}
    where = machine()
    known[key] = {"date": where["date"], **found}
    content = {**where, "figures": dict(sorted(known.items(), key=by_number))}
    RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def by_number(item: tuple[str, Any]) -> int:
    """Sort figures by their number, the texts first."""
    return int(item[0]) if item[0].isdigit() else 0


def save(plate: Plate) -> None:
    """Write the panels for the page, which has the caption as text, and the whole figure."""
    plate.figure.savefig(OUT / f"panels-{plate.number:02d}.png", dpi=150)
    with_caption(plate).savefig(OUT / f"figure-{plate.number:02d}.png", dpi=150)


def facts(plate: Plate) -> dict[str, Any]:
    """Return what is stored of a figure."""
    return {
        "title": plate.title,
        "setting": plate.setting,
        "claims": [vars(c) for c in plate.claims],
        "rows": plate.rows,
        "numbers": plain(plate.numbers),
    }


def plain(numbers: Any) -> Any:
    """Return numbers to five digits, as JSON can hold them; what is not a number is None."""
    text = json.dumps(numbers, default=float)
    return json.loads(text, parse_float=lambda t: float(f"{float(t):.5g}"), parse_constant=str)


def index(stored: dict[str, Any]) -> str:
    """Write the page with all figures and claims."""
    figures = stored["figures"].items()
    parts = [section(number, figure) for number, figure in figures if number not in TEXTS]
    head = (
        f"<p>Drawn on {escape(stored['machine'])}; each figure has its date. A click opens a "
        "figure with its caption; orange is a model, green the paper's own method, blue paribus. "
        f"{write_page.NUMBERING}</p>"
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
        f"<td class={CLASSES[c['verdict']]}>{escape(c['verdict'])}"
        for c in figure["claims"]
    )
    picture = f"panels-{int(number):02d}.png"
    shown = (
        f'<a href="figure-{int(number):02d}.png"><img src="{picture}" '
        f'alt="{escape(figure["title"])}"></a>'
        if (OUT / picture).exists()
        else "<p>Not drawn in this run; the claims are from an earlier one.</p>"
    )
    return (
        f"<figure id=figure-{number}><h2>{number}. {escape(figure['title'])}</h2>{shown}"
        f"<p>{escape(figure['setting'])} Drawn on {figure['date']}.</p>"
        f"{small_table(figure['rows'])}"
        f"<table><tr><th>the paper<th>here<th>{rows}</table></figure>"
    )


def small_table(rows: dict[str, dict[str, str]]) -> str:
    """Write the small table of a figure, where it has one."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}" for name in next(iter(rows.values())))
    body = "".join(
        f"<tr><th>{escape(name)}" + "".join(f"<td>{escape(v)}" for v in row.values())
        for name, row in rows.items()
    )
    return f"<table><tr><th>{head}{body}</table>"


if __name__ == "__main__":
    warnings.simplefilter("ignore", category=PendingDeprecationWarning)
    main([int(a) if a.isdigit() else a for a in sys.argv[1:]])
