"""Time of all effects against fitting one boosting model on the same table: part of `make bench`.

Both run in the same process, in turns; the least of a few runs counts. Prints a table, compares
the ratios with those stored in `benchmarks/results/effects_speed.json`, and fails if one has grown
by more than a quarter; `--store` stores the new ones instead, with memory at a million rows, and
writes them into `docs/explanation/speed.md`. `--cpu` keeps everything to one thread and compares
the processor's time, which other work on the machine stretches less.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

import paribus as pb

from report import machine, save, show, write_between
from scenarios import make_table

RESULTS = Path(__file__).parent / "results" / "effects_speed.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "speed.md"
BULLDOZERS = os.environ.get("PARIBUS_BULLDOZERS")  # a table with the target in SalePrice
# Rows and columns: how often it is run, and the ratio aimed at.
SIZES = {
    (2_000, 20): (5, 2.5),
    (20_000, 20): (5, 1.5),
    (100_000, 20): (4, 1.0),
    (1_000_000, 20): (2, 0.8),
    (5_000, 100): (2, 3.0),
    (20_000, 100): (2, 2.5),
    (3_000, 400): (1, 4.0),
    (2_000, 2_000): (1, 10.0),
}
GROWN = 1.25  # times the stored ratio: more is too much


def least(runs: int, clock: Callable[[], float], *jobs: Callable[[], object]) -> list[float]:
    """Run jobs in turns and return the shortest time of each."""
    times = np.full((runs, len(jobs)), np.inf)
    for run in range(runs):
        for k, job in enumerate(jobs):
            start = clock()
            job()
            times[run, k] = clock() - start
    return times.min(axis=0).tolist()


def many_levels(n: int = 100_000, n_levels: int = 5_000) -> float:
    """Return the time of one category with thousands of levels."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, 3))
    level = (n_levels * rng.random(n) ** 1.5).astype(int)
    table = {"level": level.astype(str), "z0": z[:, 0], "z1": z[:, 1], "z2": z[:, 2]}
    y = level / n_levels + z[:, 0] + rng.normal(size=n)
    return least(2, time.perf_counter, lambda: pb.effect(table, y, "level"))[0]


def real(table: pd.DataFrame, target: str, n_jobs: int | None) -> list[Callable[[], object]]:
    """Return our job and the model's on a real table with categories."""
    y = table[target].to_numpy(float)
    X = table.drop(columns=target)
    codes = X.apply(lambda c: c if c.dtype.kind in "if" else pd.factorize(c)[0]).to_numpy(float)
    return [
        lambda: pb.effects(table, target, n_jobs=n_jobs),
        lambda: HistGradientBoostingRegressor().fit(codes, y),
    ]


def peak(who: str) -> float:
    """Return the most memory, in GB, that effects or a model take at 1,000,000 x 20."""
    command = [sys.executable, __file__, "--memory", who]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def take_memory(who: str) -> None:
    """Run one of them, and print the most memory beyond that of the table."""
    small, target = make_table(500, 20)
    names = [f"x{k}" for k in range(20)]
    X, y = make_table(1_000_000, 20)
    jobs = {
        "effects": lambda X, y: pb.effects(X, y, names=names),
        "model": lambda X, y: HistGradientBoostingRegressor().fit(X, y),
    }
    jobs[who](small, target)
    before = most_held()
    jobs[who](X, y)
    print((most_held() - before) / 2**20)


def most_held() -> int:
    """Return the most memory, in kB, that this process has held; Linux knows."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def write_page(found: Mapping[str, Any]) -> None:
    """Write the times into the documentation."""
    lines = [
        f"By `make bench BENCH=--store` on {found['date']} ({found['machine']}):",
        "",
        "| table | seconds | times one fit | aim |",
        "| --- | --- | --- | --- |",
    ]
    for name, row in found["sizes"].items():
        aim = f"{row['aim']:g}" if row["aim"] else ""
        lines.append(f"| {name} | {row['effects s']:.2f} | {row['ratio']:.1f} | {aim} |")
    memory = found["memory_gb"]
    lines += [
        "",
        f"A category of 5,000 levels in 100,000 rows: {found['five_thousand_levels_s']:.2f} s. "
        f"Memory beyond that of the table at 1,000,000 x 20: {memory['effects']:.2f} GB, for the "
        f"model {memory['model']:.2f} GB.",
    ]
    write_between(PAGE, "\n".join(lines))


def measure(clock: Callable[[], float], n_jobs: int | None, most: int) -> dict[str, dict[str, Any]]:
    """Measure every table with no more than so many values."""
    rows: dict[str, dict[str, Any]] = {}

    def add(name: str, runs: int, aim: float, *jobs: Callable[[], object]) -> None:
        ours, model = least(runs, clock, *jobs)
        rows[name] = {"effects s": ours, "model s": model, "ratio": ours / model, "aim": aim}
        print(f"{name}: {ours:.2f} s, {ours / model:.2f} times the model", flush=True)

    small, target = make_table(500, 20)
    pb.effects(small, target, names=[f"x{k}" for k in range(20)])  # what is loaded on first use
    for (n, p), (runs, aim) in SIZES.items():
        if n * p <= most:
            X, y = make_table(n, p)
            names = [f"x{k}" for k in range(p)]
            add(
                f"{n:,} x {p:,}",
                runs,
                aim,
                lambda X=X, y=y, names=names: pb.effects(X, y, names=names, n_jobs=n_jobs),
                lambda X=X, y=y: HistGradientBoostingRegressor().fit(X, y),
            )
    diamonds = pd.DataFrame(pb.datasets.diamonds().table)
    add("diamonds, 53,940 x 9", 2, 0.0, *real(diamonds, "price", n_jobs))
    if BULLDOZERS:
        table = pd.read_csv(BULLDOZERS, low_memory=False)
        add("bulldozers", 2, 2.5, *real(table, "SalePrice", n_jobs))
    return rows


def grown(rows: Mapping[str, Mapping[str, float]], stored: Mapping[str, Any]) -> list[str]:
    """Name the tables whose ratio is too much larger than the stored one."""
    before = stored.get("sizes", {})
    return [
        f"{name}: {row['ratio']:.2f}, was {before[name]['ratio']:.2f}"
        for name, row in rows.items()
        if name in before and row["ratio"] > GROWN * before[name]["ratio"]
    ]


def main() -> None:
    """Run all sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", action="store_true", help="store the ratios, compare nothing")
    parser.add_argument("--cpu", action="store_true", help="one thread, the processor's time")
    parser.add_argument("--most", type=int, default=20_000_000, help="values of a table")
    parser.add_argument("--memory", choices=["effects", "model"], help="only the most memory")
    given = parser.parse_args()
    if given.memory:
        take_memory(given.memory)
        return
    if given.cpu:
        with threadpool_limits(1):
            rows = measure(time.process_time, 1, given.most)
    else:
        rows = measure(time.perf_counter, None, given.most)
    show("All effects with intervals against one HistGradientBoosting fit", rows)
    if given.store:
        levels = many_levels()
        print(f"\n5,000 levels at 100,000 rows: {levels:.2f} s")
        memory = {who: peak(who) for who in ("effects", "model")}
        found = {"sizes": rows, "five_thousand_levels_s": levels, "memory_gb": memory}
        save(RESULTS, {**machine(), **found})
        write_page({**machine(), **found})
        return
    slower = grown(rows, json.loads(RESULTS.read_text(encoding="utf-8")))
    if slower:
        sys.exit("Slower than what is stored: " + "; ".join(slower))


if __name__ == "__main__":
    main()
