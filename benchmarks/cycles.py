"""Numbers that run in a round: error and coverage around the seam, beside a curve with two ends.

Hours of the day and days of the year with a known effect, correlated with another column. Around
the seam means within 12 % of a round of it. The same tables are explained with the look at the
table undone, by a curve that does not know that 0 follows 23.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import paribus as pb

from report import machine, save, show

RESULTS = Path(__file__).parent / "results" / "cycles.json"
SEAM = 0.12
Truth = Callable[[np.ndarray], np.ndarray]


def waves(period: float) -> Truth:
    """Return two waves a round."""
    turn = 2 * np.pi / period
    return lambda t: 2 * np.sin(turn * t + 0.8) + np.cos(2 * turn * t + 0.3)


def hill(t: np.ndarray) -> np.ndarray:
    """Return a hill around midnight."""
    return 1.5 * np.exp(-(np.minimum(t, 24 - t) ** 2) / 18)


CASES: dict[str, tuple[str, int, int, Truth]] = {
    "waves of the day": ("hour", 0, 24, waves(24)),
    "waves of the year": ("dayofyear", 1, 365, waves(365)),
    "a hill at midnight": ("hour", 0, 24, hill),
}


def judged(seed: int, n: int, name: str, first: int, period: int, truth: Truth) -> dict[str, Any]:
    """Return error and coverage of both curves on one table."""
    rng = np.random.default_rng(seed)
    x, z = rng.integers(first, first + period, n), rng.normal(size=n)
    w = 6 * x / period + rng.normal(size=n)
    y = truth(x) + z + 0.3 * w + rng.normal(size=n)
    data = {name: x, "z": z, "w": w}
    out = {}
    for how, keep in (("round", []), ("ends", [name])):
        e = pb.effect(data, y, name, keep=keep, n_jobs=1)
        once = e.x < first + period
        true = truth(e.x[once])
        true = true - np.average(true, weights=e.weights[once])
        away = np.minimum(e.x[once] - first, first + period - e.x[once]) / period
        near = e.weights[once] * (away < SEAM)
        inside = (e.lower[once] <= true) & (true <= e.upper[once])
        error = (e.effect[once] - true) ** 2
        out[f"{how}: error at the seam"] = np.sqrt(np.average(error, weights=near))
        out[f"{how}: covered there"] = np.average(inside, weights=near)
        out[f"{how}: error"] = np.sqrt(np.average(error, weights=e.weights[once]))
        out[f"{how}: covered"] = np.average(inside, weights=e.weights[once])
    return out


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="*", default=[500, 2000])
    parser.add_argument("--dry", action="store_true", help="Write nothing.")
    asked = parser.parse_args()
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for n in asked.sizes:
        rows[str(n)] = {}
        for case, given in CASES.items():
            runs = [judged(seed, n, *given) for seed in range(asked.seeds)]
            rows[str(n)][case] = {k: float(np.mean([run[k] for run in runs])) for k in runs[0]}
        show(f"{n:,} rows", rows[str(n)])
    if not asked.dry:
        save(RESULTS, {**machine(), "seeds": asked.seeds, "rows": rows})


if __name__ == "__main__":
    main()
