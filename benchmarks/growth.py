"""How the time of all effects grows with rows and columns, beside one boosting fit: `make growth`.

Writes `benchmarks/results/growth.json` and draws `docs/images/growth.svg`.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from sklearn.ensemble import HistGradientBoostingRegressor

import paribus as pb
from effects_speed import least

from report import machine, save
from scenarios import make_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "growth.json"
PICTURE = ROOT / "docs" / "images" / "growth.svg"
ROWS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
COLUMNS = (10, 20, 50, 100, 200, 400, 1_000)
BLUE, GREY = "#0072b2", "#888888"


def one(n: int, p: int) -> dict[str, float]:
    """Measure one table, the better of two runs."""
    X, y = make_table(n, p)
    names = [f"x{k}" for k in range(p)]
    ours, model = least(
        2,
        time.perf_counter,
        lambda: pb.effects(X, y, names=names),
        lambda: HistGradientBoostingRegressor().fit(X, y),
    )
    print(f"{n:,} x {p:,}: {ours:.2f} s, {ours / model:.2f} times the model", flush=True)
    return {"rows": n, "columns": p, "effects s": ours, "model s": model}


def draw(found: dict[str, Any]) -> None:
    """Draw both ways of growing, on axes of powers of ten."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    titles = {"rows": "20 columns", "columns": "2,000 rows"}
    for ax, (by, title) in zip(axes, titles.items(), strict=True):
        at = [row[by] for row in found[by]]
        for name, colour, label in (
            ("effects s", BLUE, "all effects, with intervals"),
            ("model s", GREY, "one boosting fit"),
        ):
            ax.plot(at, [row[name] for row in found[by]], "o-", color=colour, ms=4, label=label)
        ax.set(xscale="log", yscale="log", xlabel=by, title=title)
        ax.grid(visible=True, which="major", color="#dddddd")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("seconds")
    axes[0].legend(frameon=False)
    plt.rcParams["svg.hashsalt"] = "growth"
    figure.savefig(PICTURE, metadata={"Date": None})
    print(f"drawn into {PICTURE}")


def main() -> None:
    """Measure and draw."""
    one(1_000, 20)  # what is loaded on first use is loaded by now
    found = {
        "rows": [one(n, 20) for n in ROWS],
        "columns": [one(2_000, p) for p in COLUMNS],
    }
    save(RESULTS, {**machine(), **found})
    draw(json.loads(RESULTS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
