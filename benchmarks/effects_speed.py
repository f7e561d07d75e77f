"""Time of all effects against fitting one boosting model on the same table: part of `make bench`.

Every rival runs in the same process, in turns; the least of a few runs counts. Prints a table and
writes `benchmarks/results/effects_speed.json`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

import paribus as pb

from report import machine, save, show
from scenarios import make_table

RESULTS = Path(__file__).parent / "results" / "effects_speed.json"
SIZES = {2_000: 5, 20_000: 5, 100_000: 4, 1_000_000: 2}
N_COLUMNS = 20
LIMIT = 2.0  # times the model's fit


def least(runs: int, *jobs: Callable[[], object]) -> list[float]:
    """Run jobs in turns and return the shortest wall time of each."""
    times = np.full((runs, len(jobs)), np.inf)
    for run in range(runs):
        for k, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            times[run, k] = time.perf_counter() - start
    return times.min(axis=0).tolist()


def many_levels(n: int = 100_000, n_levels: int = 5_000) -> float:
    """Return the time of one category with thousands of levels."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    level = (n_levels * rng.random(n) ** 1.5).astype(int)
    table = {"level": level.astype(str), "z0": z[:, 0], "z1": z[:, 1], "z2": z[:, 2]}
    y = level / n_levels + z[:, 0] + rng.normal(size=n)
    pb.effect(table, y, "z0")  # what is loaded on first use is loaded by now
    return least(2, lambda: pb.effect(table, y, "level"))[0]


def main() -> None:
    """Run all sizes."""
    rows = {}
    for n, runs in SIZES.items():
        X, y = make_table(n, N_COLUMNS)
        names = [f"x{k}" for k in range(N_COLUMNS)]
        ours, model = least(
            runs,
            lambda X=X, y=y, names=names: pb.effects(X, y, names=names),
            lambda X=X, y=y: HistGradientBoostingRegressor().fit(X, y),
        )
        rows[f"{n:,} x {N_COLUMNS}"] = {
            "effects s": ours,
            "model s": model,
            "ratio": ours / model,
            "limit": LIMIT,
        }
    show("All effects with intervals against one HistGradientBoosting fit, all threads", rows)
    levels = many_levels()
    print(f"\n5,000 levels at 100,000 rows: {levels:.2f} s")
    save(RESULTS, {**machine(), "sizes": rows, "five_thousand_levels_s": levels})


if __name__ == "__main__":
    main()
