"""How often the interval of an impact holds the truth: `make impact`.

Data with a known effect, weak and strong, of curves and of levels. Prints a table and writes
`benchmarks/results/impact.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

import paribus as pb
from paribus.results.impact import impact_interval

from report import machine, save, show

RESULTS = Path(__file__).parent / "results" / "impact.json"
Truth: TypeAlias = Callable[[np.ndarray], np.ndarray]

CURVES: dict[str, Truth] = {
    "line": lambda x: x,
    "weak line": lambda x: 0.1 * x,
    "very weak line": lambda x: 0.03 * x,
    "no effect": lambda x: 0 * x,
    "hinge": lambda x: np.maximum(x, 0),
    "step": lambda x: 1.0 * (x > 0),
    "wave": lambda x: np.sin(3 * x),
    "weak wave": lambda x: 0.2 * np.sin(3 * x),
}
LEVELS = {
    "5 levels": (5, 1.0),
    "5 weak levels": (5, 0.1),
    "40 levels": (40, 1.0),
    "40 weak levels": (40, 0.2),
    "40 levels, no effect": (40, 0.0),
}
NAMES = (*CURVES, *LEVELS)


def sample(name: str, seed: int, n: int) -> tuple[dict[str, np.ndarray], float]:
    """Draw a table with a codependent column x, and return it with x's true impact."""
    rng = np.random.default_rng(seed)
    others = rng.normal(size=(n, 4))
    own = rng.normal(size=n)
    if name in CURVES:
        x = 0.6 * others[:, 0] + 0.8 * own
        effect = CURVES[name](x)
    else:
        count, scale = LEVELS[name]
        place = np.round(count * (0.5 + 0.2 * others[:, 0] + 0.2 * own))
        level = np.clip(place, 0, count - 1).astype(int)
        x = np.array([f"level {k:02d}" for k in range(count)])[level]
        effect = scale * np.cos(2.3 * level)
    y = effect + np.sin(others[:, 0]) + others[:, 1] + rng.normal(size=n)
    table = {"x": x, **{f"other {k}": others[:, k] for k in range(4)}, "y": y}
    return table, float(np.mean(np.abs(effect - effect.mean())))


def measure(name: str, n: int, seeds: int) -> dict[str, float]:
    """Return coverage, which side the misses lie on, and mean impact, truth and width."""
    rows = []
    for seed in range(seeds):
        table, truth = sample(name, seed, n)
        effect = pb.effect(table, "y", "x", seed=seed, tidy=False)
        low, high = impact_interval(effect)
        rows.append(
            [low <= truth <= high, truth < low, truth > high, truth, effect.impact, high - low]
        )
    columns = ("coverage", "too high", "too low", "truth", "impact", "width")
    return dict(zip(columns, np.mean(np.array(rows, dtype=float), axis=0).tolist(), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--try-out", action="store_true", help="write no results")
    asked = parser.parse_args()
    found = {}
    for n in asked.rows:
        found[str(n)] = {name: measure(name, n, asked.seeds) for name in NAMES}
        show(
            f"intervals of an impact, nominal 95 %, {n:,} rows, {asked.seeds} seeds", found[str(n)]
        )
    if not asked.try_out:
        save(RESULTS, {**machine(), "seeds": asked.seeds, "rows": found})


if __name__ == "__main__":
    main()
