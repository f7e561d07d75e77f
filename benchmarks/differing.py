"""Effects that differ from row to row: part of `make accuracy`.

Error and coverage of the average over the rows at each x, beside the overlap's average, the paper's
algorithm, and ALE and partial dependence of HistGradientBoosting. Writes
`benchmarks/results/differing.json` and `docs/explanation/differing.md`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

import paribus as pb

from differing_cases import CASES, FEW_VALUES, LEVEL_CASES, Case
from report import machine, save

RESULTS = Path(__file__).parent / "results" / "differing.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "differing.md"
SIZES = (2_000, 8_000)
LARGE, LARGE_CASES = 100_000, 3
RIVAL_SEEDS = 3  # tables on which the other ways are run
ALE_STRETCHES, PD_ROWS, PD_POINTS = 40, 300, 25


def points(x: np.ndarray) -> np.ndarray:
    """Return where a curve is judged: over the middle 94 % of x, or at each of its few values."""
    values = np.unique(x)
    if len(values) < FEW_VALUES:
        return values.astype(float)
    return np.linspace(*np.quantile(x, [0.03, 0.97]), 100)


def judge(
    rows: np.ndarray, effect: np.ndarray, covariance: np.ndarray, truth: np.ndarray
) -> dict[str, float]:
    """Return error, coverage of points and of the contrasts of six points.

    `rows` (m, k) turn the effect (k,) into values at the m points judged.
    """
    rows = rows - rows.mean(axis=0)
    off = rows @ effect - (truth - truth.mean())
    spread = rows @ covariance @ rows.T
    half = 1.96 * np.sqrt(np.maximum(np.diag(spread), 0.0))
    some = np.unique(np.linspace(0, len(off) - 1, 6).astype(int))
    held = [
        abs(off[a] - off[b]) <= 1.96 * np.sqrt(spread[a, a] + spread[b, b] - 2 * spread[a, b])
        for a, b in combinations(some, 2)
    ]
    return {
        "error": float(np.sqrt(np.mean(off**2))),
        "points": float(np.mean(np.abs(off) <= half)),
        "contrasts": float(np.mean(held)),
    }


def of_curve(case: Case, n: int, seed: int, average: str) -> dict[str, float]:
    """Judge our own curve."""
    table, y, _ = case.sample(n, seed)
    e = pb.effect(table, y, "x", average=average, seed=seed, tidy=False)
    at = points(table["x"])
    rows = np.array([np.interp(at, e.x, unit) for unit in np.eye(len(e.x))]).T
    k = len(e.x)
    return judge(rows, e.effect, e.covariance[:k, :k], case.truth(at))


def of_levels(case: Case, n: int, seed: int, average: str) -> dict[str, float]:
    """Judge our own levels."""
    table, y, each = case.sample(n, seed)
    e = pb.effect(table, y, "x", average=average, seed=seed, tidy=False)
    order = np.argsort([str(level) for level in e.levels])
    return judge(np.eye(len(order))[order], e.effect, e.covariance, each.mean(axis=0))


def rivals(case: Case, n: int, seed: int) -> dict[str, float]:
    """Return the errors of the usual ways."""
    table, y, _ = case.sample(n, seed)
    at = points(table["x"])
    truth, target = case.truth(at), y * (100 if case.percent else 1)
    frame = pd.DataFrame(table)
    for name in frame.columns:
        if frame[name].dtype.kind not in "fiu":
            frame[name] = frame[name].astype("category")
    model = HistGradientBoostingRegressor(categorical_features="from_dtype", random_state=seed)
    model.fit(frame, target)
    curve = pb.stratpd(table, target, "x", seed=seed)
    found = {
        "paper": np.interp(at, curve.x, curve.effect),
        "ale": _accumulated(model, frame, at),
        "pd": _dependence(model, frame, at, seed),
    }
    return {name: float(np.std(values - truth)) for name, values in found.items()}


def _accumulated(model: Any, frame: pd.DataFrame, at: np.ndarray) -> np.ndarray:
    x = frame["x"].to_numpy()
    edges = at
    if len(at) >= FEW_VALUES:
        edges = np.unique(np.quantile(x, np.linspace(0, 1, ALE_STRETCHES + 1)))
    k = np.clip(np.searchsorted(edges, x) - 1, 0, len(edges) - 2)
    step = model.predict(frame.assign(x=edges[k + 1])) - model.predict(frame.assign(x=edges[k]))
    count = np.bincount(k, minlength=len(edges) - 1)
    mean = np.bincount(k, step, len(edges) - 1) / np.maximum(count, 1)
    return np.interp(at, edges, np.append(0.0, np.cumsum(mean)))


def _dependence(model: Any, frame: pd.DataFrame, at: np.ndarray, seed: int) -> np.ndarray:
    some = frame.sample(min(len(frame), PD_ROWS), random_state=seed)
    grid = at if len(at) < FEW_VALUES else np.linspace(at[0], at[-1], PD_POINTS)
    return np.interp(at, grid, [model.predict(some.assign(x=float(v))).mean() for v in grid])


def measured(n: int, seeds: int, cases: tuple[Case, ...]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the scores of each case, averaged over seeds."""
    for case in cases:
        own = of_levels if case in LEVEL_CASES else of_curve
        row: dict[str, float] = {}
        for average in ("rows", "overlap"):
            found = [own(case, n, seed, average) for seed in range(seeds)]
            for what in found[0]:
                row[f"{average} {what}"] = float(np.mean([one[what] for one in found]))
        if case not in LEVEL_CASES and n < LARGE:
            others = [rivals(case, n, seed) for seed in range(min(seeds, RIVAL_SEEDS))]
            row |= {name: float(np.mean([one[name] for one in others])) for name in others[0]}
        print(n, case.name, {name: round(value, 3) for name, value in row.items()}, flush=True)
        yield case.name, row


def page(found: Mapping[str, Any]) -> str:
    """Put the results into a page."""
    large = f", 2 of {LARGE:,} rows" if str(LARGE) in found["rows"] else ""
    parts = [
        "# Effects that differ from row to row\n\n"
        f"Made by `benchmarks/differing.py`, part of `make accuracy`, on {found['date']} "
        f"({found['machine']}, Python {found['python']}); {found['seeds']} tables each, "
        f"{RIVAL_SEEDS} for the other ways{large}. The truth is the average over the rows at each "
        "x (for a category: over "
        "all rows) of what the target changes. Error is the root mean squared difference from it "
        "over the middle 94 % of x, both centred. Beside it, in per cent, how often 95 % intervals "
        "hold the truth at points, and for the differences of six points. *Overlap* is "
        '`average="overlap"`, plain least squares with one common curve. Cases marked * were '
        "kept aside while the method was chosen. They are in `benchmarks/differing_cases.py`."
    ]
    marked = {case.name for case in CASES if case.held_out}
    for size, rows in found["rows"].items():
        lines = [
            f"## {int(size):,} rows\n",
            "| | rows | held, % | overlap | held, % | the paper | ALE | PD |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for name, row in rows.items():
            cells = [f"{name}{' *' if name in marked else ''}"]
            for average in ("rows", "overlap"):
                shares = [100 * row[f"{average} {what}"] for what in ("points", "contrasts")]
                cells += [f"{row[f'{average} error']:.3f}", " / ".join(f"{s:.0f}" for s in shares)]
            cells += [f"{row[k]:.3f}" if k in row else "" for k in ("paper", "ale", "pd")]
            lines.append(f"| {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="*", default=[*SIZES, LARGE])
    asked = parser.parse_args()
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for n in asked.sizes:
        large = n >= LARGE
        cases = CASES[:LARGE_CASES] if large else (*CASES, *LEVEL_CASES)
        rows[str(n)] = dict(measured(n, min(asked.seeds, 2) if large else asked.seeds, cases))
    found = {**machine(), "seeds": asked.seeds, "rows": rows}
    save(RESULTS, found)
    PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
