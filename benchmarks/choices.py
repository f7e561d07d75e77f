"""What each choice in the estimator is worth: `make choices`.

One choice at a time is undone, and error and coverage are measured again on data with a known
answer. Prints a table for each number and writes `benchmarks/results/choices.json`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from accuracy import mean, ours
from paribus.estimate import basis, covariance, curve, design, terms

from report import machine, save, show
from scenarios import SCENARIOS, Scenario

RESULTS = Path(__file__).parent / "results" / "choices.json"
NUMBERS = ("rmse", "cover", "ends", "width")
ROWS = (
    ("codependent", 2000),
    ("weak confounder", 2000),
    ("weak confounder", 20_000),
    ("20 noise columns", 2000),
    ("Friedman 1, x3", 2000),
    ("interactions, x2", 2000),
    ("quadratic, sd 2", 2000),
    ("binary target", 2000),
    ("body weight, education", 2000),
    ("category confounder", 500),
    ("200-level confounder", 2000),
    ("200-level confounder", 100_000),
    ("lognormal x", 100_000),
)


def peak_only(spectrum: Any, total: float, df: float, noise: float | None = None) -> Any:
    """Take the likeliest penalty instead of averaging over all."""
    found = averaged(spectrum, total, df, noise)
    weight = np.zeros_like(found.weight)
    weight[np.argmax(found.weight)] = 1.0
    return replace(found, weight=weight)


averaged = curve.weigh_penalties
# Name -> options of `effect`, and constants of the estimator to set for the time being.
CHOICES: dict[str, tuple[dict[str, Any], list[tuple[Any, str, Any]]]] = {
    "as it is": ({}, []),
    "strata not honest": ({"honest": False}, []),
    "no adjustment": ({"adjust": False}, []),
    "one partition": ({"repeats": 1}, []),
    "two partitions": ({"repeats": 2}, []),
    "eight partitions": ({"repeats": 8}, []),
    "no squares": ({}, [(design, "MANY_ROWS", 0)]),
    "no curves of confounders": ({}, [(terms, "CURVE_DEPENDENCE", 2.0)]),
    "no curves, no products": ({}, [(terms, "MAX_CURVES", 0)]),
    "one dummy a category": ({}, [(design, "MAX_DUMMIES", 1)]),
    "20 knots": ({}, [(basis, "MOST_KNOTS", 20), (basis, "FEW_VALUES", 19)]),
    "40 knots": ({}, [(basis, "MOST_KNOTS", 40)]),
    "the penalty's peak": ({}, [(curve, "weigh_penalties", peak_only)]),
    "no smoothing bias in intervals": ({}, [(curve, "SMOOTHING_SHARE", 0.0)]),
    "squares with many rows": ({}, [(design, "MANY_ROWS", 10**9)]),
    "errors of rare points like others": ({}, [(covariance, "ROWS_A_POINT", 1e-9)]),
    "errors of all rows": ({}, [(covariance, "MANY_ROWS", 10**9)]),
    "all smoothing bias in intervals": ({}, [(curve, "SMOOTHING_SHARE", 1.0)]),
}


@contextmanager
def set_to(constants: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Set constants of modules for the time being."""
    before = [(module, name, getattr(module, name)) for module, name, _ in constants]
    for module, name, value in constants:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


def fewer(seeds: int, n: int) -> int:
    """Return how many seeds a size can do with."""
    return seeds if n <= 2000 else max(seeds // 3, 2)


def average(scenario: Scenario, n: int, seeds: int, options: dict[str, Any]) -> dict[str, float]:
    """Return the mean of our scores over seeds."""
    return mean([ours(scenario, scenario.draw(s, n), s, **options) for s in range(seeds)])


def main() -> None:
    """Undo one choice after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    tables: dict[str, dict[str, dict[str, float]]] = {k: {} for k in NUMBERS}
    for choice, (options, constants) in CHOICES.items():
        with set_to(constants):
            found = {
                f"{name}, {n}": average(SCENARIOS[name], n, fewer(seeds, n), options)
                for name, n in ROWS
            }
        for number, table in tables.items():
            table[choice] = {row: scores[number] for row, scores in found.items()}
    for number, table in tables.items():
        show(number, table)
    save(RESULTS, {**machine(), "seeds": seeds, **tables})


if __name__ == "__main__":
    main()
