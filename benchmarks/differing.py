"""Effects that differ from row to row: part of `make accuracy`.

Error and coverage of the average over the rows at each x, beside the overlap's average, the paper's
algorithm, and ALE and partial dependence of HistGradientBoosting and of a forest. Every table's
scores are kept in `build/differing.jsonl` as soon as they are known: a run that was stopped goes on
from there, `--again` measures our own afresh. Writes `benchmarks/results/differing.json` and
`docs/explanation/differing.md`, after every case.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import paribus as pb

from differing_cases import CASES, FEW_VALUES, LEVEL_CASES, ONE_NUMBER, Case
from report import Log, machine, save

RESULTS = Path(__file__).parent / "results" / "differing.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "differing.md"
LOG = Path(__file__).parents[1] / "build" / "differing.jsonl"
# Rows, and on how many tables of them ours, the paper's algorithm and models are measured. Of the
# most rows, a part tells how effects differ.
TABLES = {2_000: (60, 20, 5), 8_000: (60, 20, 3), 100_000: (20, 5, 1), 400_000: (6, 0, 0)}
FOREST_ROWS = 20_000  # that each of its trees sees at most
WAYS = ("paper", "HGB ALE", "HGB PD", "forest ALE", "forest PD")
LOW, HIGH = 0.90, 0.99  # how often intervals should hold the truth
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


def of_paper(case: Case, n: int, seed: int) -> dict[str, float]:
    """Return the error of the paper's algorithm."""
    table, y, each = case.sample(n, seed)
    target = y * (100 if case.percent else 1)
    if case in LEVEL_CASES:
        bars = pb.catstratpd(table, target, "x", seed=seed)
        order = np.argsort([str(level) for level in bars.levels])
        return {"paper": float(np.nanstd(bars.effect[order] - each.mean(axis=0)))}
    at, curve = points(table["x"]), pb.stratpd(table, target, "x", seed=seed)
    return {"paper": float(np.std(np.interp(at, curve.x, curve.effect) - case.truth(at)))}


def of_models(case: Case, n: int, seed: int) -> dict[str, float]:
    """Return the errors of what is read off fitted models."""
    table, y, each = case.sample(n, seed)
    target = y * (100 if case.percent else 1)
    frame = pd.DataFrame(table)
    words = [name for name in frame.columns if frame[name].dtype.kind not in "fiu"]
    frame = frame.astype(dict.fromkeys(words, "category"))
    forest = RandomForestRegressor(
        min_samples_leaf=5,
        max_features=1 / 3,
        max_samples=min(n, FOREST_ROWS),
        random_state=seed,
    )
    models = {
        "HGB": HistGradientBoostingRegressor(categorical_features="from_dtype", random_state=seed),
        "forest": make_pipeline(
            make_column_transformer((OrdinalEncoder(), words), remainder="passthrough"), forest
        ),
    }
    out = {}
    for name, model in models.items():
        model.fit(frame, target)
        if case in LEVEL_CASES:
            levels = frame["x"].cat.categories
            found = {"PD": _dependence(model, frame, levels, seed)}
            truth = each.mean(axis=0)
        else:
            at = points(table["x"])
            truth = case.truth(at)
            grid = at if len(at) < FEW_VALUES else np.linspace(at[0], at[-1], PD_POINTS)
            found = {
                "ALE": _accumulated(model, frame, at),
                "PD": np.interp(at, grid, _dependence(model, frame, grid, seed)),
            }
        out |= {f"{name} {k}": float(np.std(values - truth)) for k, values in found.items()}
    return out


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


def _dependence(model: Any, frame: pd.DataFrame, at: Any, seed: int) -> np.ndarray:
    some = frame.sample(min(len(frame), PD_ROWS), random_state=seed)
    moved = [some.assign(x=value).astype(frame.dtypes) for value in at]
    return np.array([model.predict(one).mean() for one in moved])


def ours(case: Case, n: int, seed: int) -> dict[str, float]:
    """Judge both averages."""
    judged = of_levels if case in LEVEL_CASES else of_curve
    return {
        f"{average} {what}": value
        for average in ("rows", "overlap")
        for what, value in judged(case, n, seed, average).items()
    }


def measured(case: Case, n: int, log: Log, stored: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of a case, each averaged over its tables; known ones from the log.

    The other ways' scores are those `stored`, if any are: they do not change with paribus.
    """
    row = {way: stored[way] for way in WAYS if way in stored}
    own, paper, models = TABLES[n]
    ways = [(ours, own * case.times)]
    if not row:
        ways += [(of_paper, paper), (of_models, models)]
    for way, most in ways:
        keys = [(way.__name__, case.name, n, seed) for seed in range(most)]
        for key in keys:
            if key not in log:
                log.add(key, way(case, n, key[-1]))
        known = log[keys[0]] if keys else ()
        row |= {what: float(np.mean([log[k][what] for k in keys])) for what in known}
    print(n, case.name, {name: round(value, 3) for name, value in row.items()}, flush=True)
    return row


def page(found: Mapping[str, Any]) -> str:
    """Put the results into a page."""
    each = "; ".join(
        f"of {n:,} rows {own}, {paper} and {models}" for n, (own, paper, models) in TABLES.items()
    )
    parts = [
        "# Effects that differ from row to row\n\n"
        f"Made by `benchmarks/differing.py`, part of `make accuracy`, on {found['date']} "
        f"({found['machine']}, Python {found['python']}). Tables for ours, for the paper's "
        f"algorithm and for models: {each}; {ONE_NUMBER} times as many of a treatment for ours; "
        f"forests see at most {FOREST_ROWS:,} rows a tree. The truth is the average over the rows "
        "at each x (for a category: over "
        "all rows) of what the target changes. Error is the root mean squared difference from it "
        "over the middle 94 % of x, both centred. Beside it, in per cent, how often 95 % intervals "
        "hold the truth at points, and for the differences of six points. *Overlap* is "
        '`average="overlap"`, plain least squares with one common curve. Cases marked * were '
        "kept aside while the method was chosen. They are in `benchmarks/differing_cases.py`.",
        verdict([row for rows in found["rows"].values() for row in rows.values()]),
    ]
    marked = {case.name for case in (*CASES, *LEVEL_CASES) if case.held_out}
    for size, rows in found["rows"].items():
        lines = [
            f"## {int(size):,} rows\n",
            f"| | rows | held, % | overlap | held, % | {' | '.join(WAYS)} |",
            f"| --- {'| --- ' * (4 + len(WAYS))}|",
        ]
        for name, row in rows.items():
            cells = [f"{name}{' *' if name in marked else ''}"]
            for average in ("rows", "overlap"):
                shares = [100 * row[f"{average} {what}"] for what in ("points", "contrasts")]
                cells += [f"{row[f'{average} error']:.3f}", " / ".join(f"{s:.0f}" for s in shares)]
            cells += [f"{row[way]:.3f}" if way in row else "" for way in WAYS]
            lines.append(f"| {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def verdict(rows: Sequence[Mapping[str, float]]) -> str:
    """Count what holds."""
    beside = [row for row in rows if "paper" in row]
    below = sum(row["rows error"] < row["paper"] for row in beside)
    held = [[round(row[f"rows {what}"], 9) for what in ("points", "contrasts")] for row in rows]
    often, surely = sum(min(h) >= LOW for h in held), sum(max(h) > HIGH for h in held)
    return (
        f"Our error is below the paper's on {below} of {len(beside)} rows. Intervals of points, "
        f"and those of differences, hold the truth in {100 * LOW:.0f} % or more on {often} of "
        f"{len(rows)} rows; on {surely} one of them does in more than {100 * HIGH:.0f} %."
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=TABLES, choices=[*TABLES])
    parser.add_argument("--again", action="store_true", help="measure our own scores afresh")
    parser.add_argument("--own", action="store_true", help="only ours; the others' as stored")
    asked = parser.parse_args()
    log = Log(LOG)
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if asked.own else {}
    if asked.again:
        log.forget(lambda key: key[0] == ours.__name__)
    rows = {size: dict(known) for size, known in stored.items()}
    for n in asked.sizes:
        for case in (*CASES, *LEVEL_CASES):
            rows.setdefault(str(n), {})[case.name] = measured(
                case, n, log, stored.get(str(n), {}).get(case.name, {})
            )
            found = {**machine(), "rows": rows}
            save(RESULTS, found)
            PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
