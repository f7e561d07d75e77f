"""Differences between levels of categories with very many: `make levels`.

Levels whose rows share strata, or lie in few clusters that share their errors, with a known effect.
Prints how often the interval of a difference holds the truth, how the differences spread in units
of their errors, and the seconds of processor time; writes `benchmarks/results/many_levels.json`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import paribus as pb

from report import machine, save, show

RESULTS = Path(__file__).parent / "results" / "many_levels.json"
DESIGNS = {
    "1,000 levels": (1000, 20_000, ""),
    "5,000 levels": (5000, 100_000, ""),
    "400 levels, crossed clusters": (400, 8000, "crossed"),
    "400 levels, few clusters each": (400, 8000, "clumped"),
    "250 levels, few clusters each": (250, 8000, "clumped"),
}
N_CLUSTERS, N_PAIRS = 150, 300


def sample(name: str, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Draw a table, and return it with the levels' true effects."""
    n_levels, n, clusters = DESIGNS[name]
    rng = np.random.default_rng(seed)
    shop = rng.integers(N_CLUSTERS, size=n)
    even = rng.integers(n_levels, size=n)
    skewed = (n_levels * rng.random(n) ** 3).astype(int)
    code = np.where(rng.random(n) < 0.5, even, skewed)
    if clusters:
        few = (rng.integers(n_levels // 10, size=n) + 7 * shop) % n_levels
        code = few if clusters == "clumped" else even
    truth, z = rng.normal(size=n_levels), rng.integers(8, size=n) * 1.0
    noise = (1 + z / 8) * rng.normal(size=n)
    y = truth[code] + np.sin(z) + noise
    if clusters:
        y += rng.normal(size=N_CLUSTERS)[shop]
    table = {"level": np.char.add("l", code.astype(str)), "z": z, "y": y}
    return (table | {"shop": shop} if clusters else table), truth


def measure(name: str, seeds: int) -> dict[str, float]:
    held, spread, seconds = [], [], 0.0
    for seed in range(seeds):
        table, truth = sample(name, seed)
        roles = {"cluster": "shop"} if "shop" in table else {}
        begin = time.process_time()
        found = pb.effect(table, "y", "level", tidy=False, **roles)
        seconds += time.process_time() - begin
        known = [k for k, e in enumerate(found.effect) if not np.isnan(e)]
        rng = np.random.default_rng(seed)
        for a, b in rng.choice(known, (N_PAIRS, 2)):
            first, second = found.levels[a], found.levels[b]
            if first == second or found.pieces[a] != found.pieces[b]:
                continue
            one = found.between(first, second)
            apart = truth[int(second[1:])] - truth[int(first[1:])]
            held.append(one.lower <= apart <= one.upper)
            spread.append((one.value - apart) / one.se)
    return {
        "coverage": float(np.mean(held)), "spread": float(np.std(spread)),
        "seconds": seconds / seeds, "pairs": float(len(held)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    rows = {name: measure(name, given.seeds) for name in DESIGNS}
    show("Differences between levels, 95 % intervals", rows)
    save(RESULTS, {**machine(), "command": "make levels", "seeds": given.seeds, "designs": rows})


if __name__ == "__main__":
    main()
