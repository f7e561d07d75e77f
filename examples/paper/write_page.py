"""Write docs/explanation/the-paper.md from the stored results: the last step of `make paper`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from looks import BESIDE, HOLDS, IF, NOT, Claim

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "paper.json"
PAGE = ROOT / "docs" / "explanation" / "the-paper.md"

METHOD = [
    Claim(
        "Definition 1: the partial dependence is the integral of the partial derivative from the "
        "least x_j on, 0 there.",
        "`stratpd` starts at 0 and integrates. The definition is complete only where the "
        "derivative does not depend on the other columns; with interactions it needs a mean over "
        "them, which the paper takes silently.",
        IF,
    ),
    Claim(
        "The definition does not require a fitted model.",
        "No prediction is used; but the strata come from a regression tree, fitted to y.",
        IF,
    ),
    Claim(
        "The approach is insensitive to codependent columns.",
        "Only as far as leaves are narrow. Error where x and a confounder pull in opposite ways "
        "(`Simpson` in [accuracy](accuracy.md)): the paper 0.22, ours 0.07, PDP of a forest 1.75. "
        "Far better than FPD, not insensitive.",
        IF,
    ),
    Claim(
        "Algorithm 1: slopes between neighbouring distinct values of a leaf, averaged over all "
        "leaves that span a value, added up.",
        "`tests/literal.py` follows the pseudocode line by line; `stratpd` gives the same numbers "
        "to 1e-9 (`tests/test_paper.py`), and the error of the authors' own package within 15 % "
        "(`tests/test_paper_numbers.py`).",
        HOLDS,
    ),
    Claim(
        "Algorithm 1 returns pd_x = differences of ux.",
        "A slip: `pd_x` is assigned the steps between values, not the values; curve points need "
        "`ux`. `delta` is then one longer than the steps it is multiplied with.",
        NOT,
    ),
    Claim(
        "Algorithm 2: differences from a random reference, merged at a random common category, "
        "weighted by counts, mean(z, NaN) = z.",
        "The literal twin in `tests/literal.py` and `catstratpd` agree to 1e-9. A leaf's own "
        "reference cancels when it is shifted.",
        HOLDS,
    ),
    Claim(
        "Leaves with a single x_j, and leaves that share no category, are ignored.",
        "Counted and told: notes `silent_rows` and `unmerged_levels`.",
        HOLDS,
    ),
    Claim(
        "There is no curve value at the rightmost x_j, for differences go forward.",
        "`difference='forward'` loses it, `'central'` keeps it "
        "([decision 3](../decisions/0003-the-last-level.md)).",
        HOLDS,
    ),
    Claim(
        "Defaults of 10 observations a leaf and 5 slopes work well in most cases.",
        "For one noiseless or little codependent effect at a time, yes. The wave of figure 2 is "
        "flattened to a third, and with 20 columns of noise a sixth of a slope is lost (below); "
        "[accuracy](accuracy.md) has 36 cases.",
        IF,
    ),
    Claim(
        "Smoothing through the discontinuities has not proven necessary in practice.",
        "Without noise, no; at noise sd 2 a penalised fit in the same kind of strata halves the "
        "error (figure 3).",
        IF,
    ),
    Claim(
        "Label-encoded categories among the other columns are held still as well.",
        "With few levels, yes. With 200 levels in no order that move x and y, the error is 0.39 "
        "(ours 0.05; `200-level confounder` in [accuracy](accuracy.md)).",
        IF,
    ),
    Claim(
        "The prototype is limited to regression, one column, and cannot show interactions.",
        "Of `stratpd` and `catstratpd` as well. `effects` explains classes in percentage points.",
        HOLDS,
    ),
]
COST = [
    Claim(
        "StratPD costs O(n^2) in the worst case, for slopes are averaged over |unique x_j| x n.",
        "It need not: a mean over covering intervals is a running sum. `stratpd` is O(n log n) in "
        "time and O(n) in memory; 300,000 different values take less time than the tree "
        "(`tests/test_size.py`), where the authors' package asks for a matrix of n^2 numbers.",
        NOT,
    ),
    Claim(
        "CatStratPD costs O(n^2) in the worst case, |T| x |unique x_j| a pass.",
        "Only with vectors that hold all categories; a leaf holds few. Merging costs what the "
        "leaves hold, times the passes.",
        IF,
    ),
    Claim(
        "The number of leaves is roughly n / min_samples_leaf.",
        "At most that; a regression tree stops at between the least and twice the least rows.",
        HOLDS,
    ),
    Claim(
        "ALE is O(n), and more efficient than StratPD.",
        "ALE asks the model about 2 n rows (`paribus.models.ale`). The model has to be fitted "
        "first: with that counted, the comparison depends on the model.",
        IF,
    ),
]
MODELS = [
    Claim(
        "FPD is the mean over the rows of the prediction with x_j set; the mean of ICE curves.",
        "`models.fpd` and `models.ice` agree with scikit-learn's `partial_dependence` to 1e-9 "
        "(`tests/models`).",
        HOLDS,
    ),
    Claim(
        "ALE adds up mean local differences of predictions over K bins; for two columns, "
        "second-order differences over K^2 rectangles.",
        "`models.ale` and `models.ale_pair` agree with an independent package, PyALE, to 1e-9 on "
        "shared bins, and are exact on additive models (`tests/models`). The bins are quantiles, "
        "not equal parts of the range as the paper's words suggest.",
        HOLDS,
    ),
    Claim(
        "The inner difference of a SHAP value with unconditional expectations is a difference of "
        "two FPDs.",
        "By definition of both.",
        HOLDS,
    ),
    Claim(
        "Model-based techniques treat booleans and label-encoded categories as numbers.",
        "Of models fitted to codes, as in the paper; not of those that know categories. ALE here "
        "orders levels by likeness whatever their codes.",
        IF,
    ),
    Claim(
        "Existing techniques assume that adjacent levels are similar.",
        "ALE does, after ordering them; FPD and SHAP move to any level.",
        IF,
    ),
]


def main() -> None:
    """Put the page together."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    figures = dict(stored["figures"])
    text = [Claim(**c) for c in figures.pop("text", {"claims": []})["claims"]]
    sections = {
        "The method and its defaults": METHOD,
        "The text, measured": text,
        "What it costs": COST,
        "The techniques it compares with": MODELS,
    }
    parts = [table(title, claims) for title, claims in sections.items() if claims]
    everything = [c for claims in sections.values() for c in claims]
    for number, figure in figures.items():
        claims = [Claim(**c) for c in figure["claims"]]
        everything += [c for c in claims if not ours(c)]
        parts.append(table(f"Figure {number}: {figure['title']}", claims, figure["setting"]))
    counts = Counter(c.verdict for c in everything)
    PAGE.write_text("\n\n".join([head(stored, counts), *parts]) + "\n", encoding="utf-8")
    print(f"The claims: {PAGE}")


def head(stored: dict[str, Any], counts: Counter[str]) -> str:
    """Say what the page is, and how the claims fared."""
    total = sum(counts.values())
    return (
        "# The paper, claim by claim\n\n"
        'Terence Parr and James D. Wilson, "Partial Dependence through Stratification", checked. '
        f"Of {total} checkable claims {counts[HOLDS]} hold, {counts[IF]} hold with a condition and "
        f"{counts[NOT]} do not. `make paper` draws the figures into `build/paper` "
        "(open `index.html`), writes the numbers to `benchmarks/results/paper.json` and then this "
        f"page; last on {stored['date']} ({stored['machine']}, Python {stored['python']}). Figures "
        "1, 7, 8 and 9 need the real data, which are not ours to publish: they are left out, with "
        "a word, where there are none in `../shared/data` (or `PARIBUS_DATA`). Errors are root "
        "mean squared differences from the truth, both centred."
    )


def ours(claim: Claim) -> bool:
    """Tell whether a line is about paribus rather than the paper."""
    return claim.paper.startswith(BESIDE)


def table(title: str, claims: list[Claim], setting: str = "") -> str:
    """Write a section with its claims."""
    lines = [
        f"| {cell(c.paper.removeprefix(BESIDE).strip())} | {cell(c.found)} | {verdict(c)} |"
        for c in claims
    ]
    rows = "\n".join(["| the paper says | evidence | |", "| --- | --- | --- |", *lines])
    return "\n\n".join(part for part in (f"## {title}", setting, rows) if part)


def cell(text: str) -> str:
    """Write text for a table."""
    return (text[:1].upper() + text[1:]).replace("|", "\\|")


def verdict(claim: Claim) -> str:
    """Write whether a claim holds, plainly where it does not."""
    if ours(claim):
        return "beside the paper"
    return claim.verdict if claim.verdict == HOLDS else f"**{claim.verdict}**"


if __name__ == "__main__":
    main()
