"""Differences between groups: do they cover the truth, and is none found where there is none?

Tables with a known answer: groups whose slopes differ, whose curves differ in shape, whose levels
differ, thirds of a number that multiplies the column, and groups that do not differ at all. Groups
differ in how the explained column is spread, and another column goes with both. A line says which
share of the intervals of differences holds the truth, how large the error is, and in which share of
the tables the joint test finds a difference at 5 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import paribus as pb

from report import machine, save, show

RESULTS = Path(__file__).parent / "results" / "by_group.json"
SLOPES = {"a": 1.0, "b": 2.0, "c": 0.5}
WAVES = {"a": 1.0, "b": 2.0, "c": 0.0}


@dataclass(frozen=True)
class Case:
    """A table with groups `g` of which the effect of `x` is known.

    Attributes
    ----------
    data : dict of str to array
    y : array
    size : dict of str to float
        What the effect is multiplied by in each group.
    shape : function of x
        The effect, up to that.
    """

    data: dict[str, np.ndarray]
    y: np.ndarray
    size: dict[str, float]
    shape: Callable[[np.ndarray], np.ndarray]


def _straight(x: np.ndarray) -> np.ndarray:
    return x


def _wave(x: np.ndarray) -> np.ndarray:
    return np.sin(1.5 * x)


def _others(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a number that goes with everything, three groups, and the explained column."""
    z = rng.normal(size=n)
    rest = np.where(rng.uniform(size=n) < 0.5, "b", "c")
    group = np.where(rng.uniform(size=n) < 1 / (1 + np.exp(-z)), "a", rest)
    return z, group, rng.normal(size=n) + 0.6 * z + 0.3 * (group == "a")


def _times(size: dict[str, float], group: np.ndarray) -> np.ndarray:
    return np.array([size[g] for g in group])


def slopes(rng: np.random.Generator, n: int) -> Case:
    z, group, x = _others(rng, n)
    y = _times(SLOPES, group) * x + z + (group == "a") + rng.normal(size=n)
    return Case({"x": x, "z": z, "g": group}, y, SLOPES, _straight)


def curves(rng: np.random.Generator, n: int) -> Case:
    z, group, x = _others(rng, n)
    y = _times(WAVES, group) * _wave(x) + z**2 + rng.normal(size=n)
    return Case({"x": x, "z": z, "g": group}, y, WAVES, _wave)


def levels(rng: np.random.Generator, n: int) -> Case:
    z, group, x = _others(rng, n)
    level = np.where(x > 0.3, "high", "low")
    y = _times(SLOPES, group) * (level == "high") + z + rng.normal(size=n)
    return Case({"x": level, "z": z, "g": group}, y, SLOPES, _straight)


def thirds(rng: np.random.Generator, n: int) -> Case:
    z, w = rng.uniform(-1, 1, n), rng.normal(size=n)
    x = rng.normal(size=n) + 0.5 * w
    y = x * z + w + rng.normal(size=n)
    return Case({"x": x, "g": z, "w": w}, y, {"a": -2 / 3, "b": 0.0, "c": 2 / 3}, _straight)


def nothing(rng: np.random.Generator, n: int) -> Case:
    z, group, x = _others(rng, n)
    y = np.sin(x) + z + z * (group == "a") + rng.standard_t(4, n)
    return Case({"x": x, "z": z, "g": group}, y, dict.fromkeys("abc", 0.0), _straight)


CASES = (slopes, curves, levels, thirds, nothing)


def judged(case: Case) -> dict[str, list[float]]:
    """Return what became of one table: hits and errors of differences, hits of points."""
    by = pb.effect(case.data, case.y, "x", by="g", tidy=False, n_jobs=1).by
    size = dict(zip(by.labels, case.size.values(), strict=True))
    slope = _mean_slope(by, case)
    out: dict[str, list[float]] = {"hits": [], "errors": [], "points": []}
    for apart in by.differences:
        truth = slope * (size[apart.group] - size[apart.reference])
        truth *= -1 if apart.at.startswith("low") else 1
        out["hits"].append(apart.lower <= truth <= apart.upper)
        out["errors"].append(apart.value - truth)
        if by.effects[0].is_curve:
            shape = case.shape(np.array(by.points))
            gap = by.curve(apart.reference, apart.group)
            true = (size[apart.group] - size[apart.reference]) * (shape - by.share @ shape)
            inside = (gap["lower"] <= true) & (true <= gap["upper"])
            out["points"].append(float(by.share @ inside))
    out["found"] = [by.p_value < 0.05]
    return out


def _mean_slope(by: pb.ByGroup, case: Case) -> float:
    """Return the mean slope of the shape over the points that groups share."""
    if not by.effects[0].is_curve:
        return 1.0
    at, step = np.array(by.points), (by.share[:-1] + by.share[1:]) / 2
    step[0] += by.share[0] / 2
    step[-1] += by.share[-1] / 2
    return float(step / step.sum() @ (np.diff(case.shape(at)) / np.diff(at)))


def measured(make: Callable[..., Case], n: int, seeds: int) -> dict[str, float]:
    """Return coverage, error and how often a difference was found."""
    runs = [judged(make(np.random.default_rng(seed), n)) for seed in range(seeds)]
    every = {name: np.concatenate([run[name] for run in runs]) for name in runs[0]}
    out = {
        "coverage": float(every["hits"].mean()),
        "error": float(np.sqrt(np.mean(every["errors"] ** 2))),
        "found": float(every["found"].mean()),
    }
    return out | ({"points": float(every["points"].mean())} if len(every["points"]) else {})


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 4000])
    parser.add_argument("--dry", action="store_true", help="Write nothing.")
    asked = parser.parse_args()
    rows = {}
    for n in asked.sizes:
        rows[str(n)] = {make.__name__: measured(make, n, asked.seeds) for make in CASES}
        show(f"{n:,} rows", rows[str(n)])
    if not asked.dry:
        save(RESULTS, {**machine(), "seeds": asked.seeds, "rows": rows})


if __name__ == "__main__":
    main()
