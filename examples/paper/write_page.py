"""Write docs/explanation/the-paper.md from the stored results: the last step of `make paper`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import stated
from looks import BESIDE, HOLDS, IF, NOT, UNKNOWN, Claim

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "paper.json"
PAGE = ROOT / "docs" / "explanation" / "the-paper.md"
NUMBERING = (
    "Figures are counted without the paper's schematic of strata and bins, its Figure 2, which "
    "shows no data: from 2 on, the paper's number is one higher. Figure 10 is ours, for a case "
    "that the paper only tells of."
)


def main() -> None:
    """Put the page together."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    figures = dict(stored["figures"])
    text, costs = ([Claim(**c) for c in taken(figures, key)] for key in ("text", "costs"))
    sections = {
        "The method and its defaults": stated.method(),
        "The text, measured": text,
        "What it costs": [*stated.cost(), *costs],
        "The techniques it compares with": stated.techniques(),
    }
    parts = [table(title, claims) for title, claims in sections.items() if claims]
    everything = [c for claims in sections.values() for c in claims]
    for number, figure in figures.items():
        claims = [Claim(**c) for c in figure["claims"]]
        everything += claims
        parts.append(of_figure(number, figure, claims))
    counts = Counter(c.verdict for c in everything)
    PAGE.write_text("\n\n".join([head(stored, counts), *parts]) + "\n", encoding="utf-8")
    print(f"The claims: {PAGE}")


def taken(figures: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Take the claims of a text out of the figures, none where it was not measured."""
    return list(figures.pop(key, {"claims": []})["claims"])


def head(stored: dict[str, Any], counts: Counter[str]) -> str:
    """Say what the page is, and how the claims fared."""
    total = counts[HOLDS] + counts[IF] + counts[NOT]
    return (
        "# The paper, claim by claim\n\n"
        'Terence Parr and James D. Wilson, "Partial Dependence through Stratification", checked. '
        f"Of {total} checkable claims {counts[HOLDS]} hold, {counts[IF]} hold with a condition and "
        f"{counts[NOT]} do not; {counts[UNKNOWN]} more cannot be checked here, and "
        f"{counts[BESIDE]} lines are beside the paper. `make paper` draws the figures into "
        "`build/paper` (open `index.html`), writes the numbers to `benchmarks/results/paper.json` "
        f"and then this page ({stored['machine']}, Python {stored['python']}). {NUMBERING}\n\n"
        "Figures 1, 7, 8 and 9 need the real data, which are not ours to publish: they are left "
        "out, with a word, where there are none in `../shared/data` (or `PARIBUS_DATA`). Errors "
        "are root mean squared differences from the truth, both centred."
    )


def of_figure(number: str, figure: dict[str, Any], claims: list[Claim]) -> str:
    """Write the section of a figure."""
    parts = [f"{figure['setting']} Drawn on {figure['date']}."]
    if figure["rows"]:
        names = list(next(iter(figure["rows"].values())))
        lines = [[name, *row.values()] for name, row in figure["rows"].items()]
        parts.append(grid(["", *names], lines))
    return table(f"Figure {number}: {figure['title']}", claims, "\n\n".join(parts))


def table(title: str, claims: list[Claim], setting: str = "") -> str:
    """Write a section with its claims."""
    lines = [[cell(c.paper), cell(c.found), verdict(c)] for c in claims]
    rows = grid(["the paper says", "evidence", ""], lines)
    return "\n\n".join(part for part in (f"## {title}", setting, rows) if part)


def grid(names: list[str], lines: list[list[str]]) -> str:
    """Write a table of Markdown."""
    rows = [names, ["---"] * len(names), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows).replace("|  |", "| |")


def cell(text: str) -> str:
    """Write text for a table."""
    return (text[:1].upper() + text[1:]).replace("|", "\\|")


def verdict(claim: Claim) -> str:
    """Write whether a claim holds, plainly where it does not."""
    return f"**{claim.verdict}**" if claim.verdict in (IF, NOT) else claim.verdict


if __name__ == "__main__":
    main()
