"""Write docs/explanation/accuracy.md from the stored results: the last step of `make accuracy`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from write_real_rows import real_rows

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "accuracy.md"
USUAL = ("paper", "pdp rf", "ale rf", "pdp hgb", "ale hgb")
LOW, HIGH, LEAST_AT_ENDS = 0.92, 0.98, 0.88


def main() -> None:
    """Put the page together."""
    own = json.loads((RESULTS / "accuracy.json").read_text(encoding="utf-8"))
    usual = json.loads((RESULTS / "accuracy-usual.json").read_text(encoding="utf-8"))
    parts = [
        head(own, usual),
        against(usual["against"]),
        coverage(own["coverage"], own["ends"], own["farthest"]),
        nulls(own["nulls"], own["nulls_seeds"]),
        leaves(own["leaves"]),
        real_rows(json.loads((RESULTS / "real_rows.json").read_text(encoding="utf-8"))),
    ]
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written to {PAGE}")


def head(own: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """Say what was measured, when and how."""
    return (
        "# How right, and how sure\n\n"
        "Error and coverage on data with a known answer, made by `make accuracy` on "
        f"{own['date']} ({own['machine']}, Python {own['python']}); {own['seeds']} seeds for our "
        "own scores (half as many at 20,000 rows, a quarter at 100,000), "
        f"{usual['seeds']} beside the usual ways, measured on {usual['date']}. Error is the root "
        "mean squared difference from the truth between the 1 % and 99 % quantiles, curve and "
        "truth both centred. The data sets are in `benchmarks/scenarios.py`."
    )


def against(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Compare errors with the usual ways."""
    names = ("ours", *USUAL)
    lines, lowest, below_paper = [], 0, 0
    for name, row in rows.items():
        values = {"ours": row["rmse"], **{n: row[n] for n in USUAL if n in row}}
        best = min(values.values())
        lowest += values["ours"] <= best
        below_paper += values["ours"] < values["paper"]
        cells = [bold(values[n], values[n] <= best) if n in values else "" for n in names]
        lines.append([name, *cells])
    titles = ["", "ours", "the paper", "PDP forest", "ALE forest", "PDP boosting", "ALE boosting"]
    return (
        "## Error beside the usual ways, 2,000 rows\n\n"
        f"Ours is the lowest on {lowest} of {len(rows)} rows, and below the paper's algorithm on "
        f"{below_paper}. Models have their defaults: a forest of 100 trees, "
        "HistGradientBoosting.\n\n"
        "![Errors on each data set, ours mostly furthest to the left]"
        "(../images/accuracy-error.svg)\n\n" + table(titles, lines)
    )


def coverage(
    rows: Mapping[str, Mapping[str, float]], ends: Sequence[float], farthest: Sequence[float]
) -> str:
    """Show coverage by size, one line a data set; that of the `ends` at some quantiles."""
    few = [name for name, row in rows.items() if row["ends"] < LEAST_AT_ENDS]
    farther = [name for name, row in rows.items() if row["farthest"] < LEAST_AT_ENDS]
    names = list(dict.fromkeys(key.rsplit(", n = ", 1)[0] for key in rows))
    sizes = list(dict.fromkeys(key.rsplit(", n = ", 1)[1] for key in rows))
    lines, inside = [], 0
    for name in names:
        cells: list[str] = []
        for size in sizes:
            row = rows[f"{name}, n = {size}"]
            inside += LOW <= row["cover"] <= HIGH
            shares = [f"{100 * row[what]:.0f}" for what in ("cover", "ends", "band")]
            cells += [number(row["rmse"]), " / ".join(shares)]
        lines.append([name, *cells])
    titles = ["", *(f"{what}, {int(size):,}" for size in sizes for what in ("error", "held, %"))]
    return (
        "## Do intervals cover?\n\n"
        "Three shares by size. The first: how often the 95 % pointwise interval holds the truth, "
        f"averaged over x. The second: the same at the ends, the {quantiles(ends)} quantiles, "
        "which error and the other two leave out; for a category, averaged over levels, however "
        "few rows they have. The third: how often the simultaneous band holds the whole curve. "
        f"Of the first, {inside} of {len(rows)} lie between {100 * LOW:.0f} and {100 * HIGH:.0f} "
        f"%; of the second, {counted(few)} below {100 * LEAST_AT_ENDS:.0f} %. Farther out, at the "
        f"{quantiles(farthest)} quantiles, with a few rows beyond, it is {counted(farther)}.\n\n"
        + table(titles, lines)
    )


def quantiles(ends: Sequence[float]) -> str:
    """Name quantiles in per cent."""
    return f"{' and '.join(f'{100 * end:g}' for end in ends)} %"


def counted(names: Sequence[str]) -> str:
    """Say how many there are, and which."""
    return f"{len(names)} ({'; '.join(names)})" if names else "none"


def nulls(rows: Mapping[str, Mapping[str, float]], n_tables: int) -> str:
    """Show how often no effect is rejected."""
    levels = list(next(iter(rows.values())))
    lines = [[name, *(f"{100 * row[level]:.1f}" for level in levels)] for name, row in rows.items()]
    return f"## Tests where there is no effect, per cent rejected of {n_tables} tables\n\n" + table(
        ["", *levels], lines
    )


def leaves(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Show how little the leaf size matters."""
    names = list(dict.fromkeys(key.rsplit(", leaf ", 1)[0] for key in rows))
    sizes = list(dict.fromkeys(key.rsplit(", leaf ", 1)[1] for key in rows))
    lines = [[n, *(number(rows[f"{n}, leaf {s}"]["rmse"]) for s in sizes)] for n in names]
    titles = ["", *(f"leaf {size}" for size in sizes)]
    return "## The leaf size hardly matters: error at 2,000 rows\n\n" + table(titles, lines)


def table(titles: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Write a Markdown table."""
    titles = list(titles)
    head = f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}\n"
    return head + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Write a number to three digits."""
    return "0" if abs(value) < 1e-6 else f"{value:.3g}"


def bold(value: float, best: bool) -> str:
    """Mark the best of a line."""
    return f"**{number(value)}**" if best else number(value)


if __name__ == "__main__":
    main()
