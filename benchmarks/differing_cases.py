"""Tables in which the effect of x differs from row to row, with the average over rows known.

Each case draws a table, its target and the slope of every row; for a category, what every level
does to every row. The truth is the mean slope of the rows near each x, integrated, of a million
rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

MANY = 1_000_000
FEW_VALUES = 12  # an x with fewer values is judged at each of them
Draw = tuple[dict[str, Any], np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Case:
    """How rows are drawn: `make` returns table, target and slopes (n,) or level effects (n, K)."""

    name: str
    make: Callable[[np.random.Generator, int], Draw]
    held_out: bool = False
    percent: bool = False
    times: int = 1  # as many tables as other cases have

    def sample(self, n: int, seed: int) -> Draw:
        """Draw a table, its target and the rows' slopes."""
        return self.make(np.random.default_rng(500 + seed), n)

    def truth(self, at: np.ndarray) -> np.ndarray:
        """Return the average over the rows at x, relative to its start."""
        points, curve = _truth(self)
        return np.interp(at, points, curve) * (100 if self.percent else 1)


@cache
def _truth(case: Case) -> tuple[np.ndarray, np.ndarray]:
    table, _, slope = case.make(np.random.default_rng(99), MANY)
    x = table["x"]
    values = np.unique(x)
    if len(values) < FEW_VALUES:
        near = [slope[(x == a) | (x == b)].mean() for a, b in pairwise(values)]
        return values, np.append(0.0, np.cumsum(near * np.diff(values)))
    edges = np.unique(np.quantile(x, np.linspace(0.002, 0.998, 500)))
    place = np.searchsorted(edges, x)
    count = np.bincount(place, minlength=len(edges) + 1)[1:-1]
    mean = np.bincount(place, slope, len(edges) + 1)[1:-1] / np.maximum(count, 1)
    return edges, np.append(0.0, np.cumsum(mean * np.diff(edges)))


def _table(x: np.ndarray, rng: np.random.Generator, n_noise: int, **columns: Any) -> dict[str, Any]:
    noise = {f"n{k}": rng.normal(size=len(x)) for k in range(n_noise)}
    return {"x": x, **columns, **noise}


def spread_follows(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = (0.2 + z) * r.normal(size=n)
    return _table(x, r, 1, z=z), 4 * z * x + 0.5 * r.normal(size=n), 4 * z


def x_follows(r: np.random.Generator, n: int) -> Draw:
    z = r.normal(size=n)
    x = 0.7 * z + 0.7 * r.normal(size=n)
    return _table(x, r, 1, z=z), 2 * x * z + 0.5 * r.normal(size=n), 2 * z


def two_groups(r: np.random.Generator, n: int) -> Draw:
    g = r.integers(0, 2, n)
    x = r.normal(size=n) * np.where(g, 2, 0.5)
    slope = np.where(g, 2.0, -2.0)
    table = _table(x, r, 1, g=np.where(g, "a", "b"))
    return table, slope * x + table["n0"] + 0.5 * r.normal(size=n), slope


def product(r: np.random.Generator, n: int) -> Draw:
    x, z = r.normal(size=(2, n))
    return _table(x, r, 1, z=z), 2 * x * z + 0.5 * r.normal(size=n), 2 * z


def threshold(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = (0.3 + 1.2 * (z > 0.6)) * r.normal(size=n) + z
    slope = np.where(z > 0.6, 3.0, 0.5)
    return _table(x, r, 6, z=z), slope * x + 0.5 * r.normal(size=n), slope


def three_of_twenty(r: np.random.Generator, n: int) -> Draw:
    a, b = r.normal(size=(2, n))
    g = r.integers(0, 3, n)
    x = np.exp(0.5 * a) * np.choose(g, [0.6, 1.0, 1.5]) * r.normal(size=n) + 0.5 * b
    slope = a - b + np.choose(g, [-1.0, 0.0, 2.0])
    table = _table(x, r, 15, a=a, b=b, g=np.array(list("uvw"))[g])
    return table, slope * x + b + r.normal(size=n), slope


def nothing_differs(r: np.random.Generator, n: int) -> Draw:
    z = r.normal(size=n)
    x = 0.8 * z + 0.6 * r.normal(size=n)
    return _table(x, r, 8, z=z), 2 * np.sin(2 * x) + z**2 + r.normal(size=n), 4 * np.cos(2 * x)


def bend(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = (0.4 + z) * r.normal(size=n)
    return _table(x, r, 3, z=z), 2 * z * x**2 + z + 0.5 * r.normal(size=n), 4 * z * x


def two_valued_target(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(-1, 1, n)
    x = (0.5 + 0.4 * z) * np.clip(r.normal(size=n), -2, 2)
    chance = 0.5 + 0.25 * x * z + 0.1 * z
    return _table(x, r, 4, z=z), (r.random(n) < chance).astype(float), 0.25 * z


def twenty_levels(r: np.random.Generator, n: int) -> Draw:
    fixed = np.random.default_rng(7)
    slopes, spreads = 2 * fixed.normal(size=20), np.exp(0.4 * fixed.normal(size=20))
    g = r.integers(0, 20, n)
    slope = slopes[g]
    x = spreads[g] * (1 + 0.3 * np.sign(slope)) * r.normal(size=n)
    table = _table(x, r, 3, g=np.array([f"level {k}" for k in range(20)])[g])
    return table, slope * x + slope + r.normal(size=n), slope


def uneven_errors(r: np.random.Generator, n: int) -> Draw:
    z = r.normal(size=n)
    x = np.exp(0.4 * z) * r.normal(size=n) + 0.5 * z
    errors = (0.3 + 0.7 * np.abs(x * z)) * r.normal(size=n)
    return _table(x, r, 4, z=z), (1 + z) * x + z**2 + errors, 1 + z


def sine_moderator(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = (0.3 + np.abs(np.sin(5 * z))) * r.normal(size=n)
    slope = 3 * np.sin(5 * z)
    return _table(x, r, 4, z=z), slope * x + 2 * z + r.normal(size=n), slope


def five_values(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = np.clip(np.round(1.5 + z + (0.3 + 1.2 * z) * r.normal(size=n)), 0, 4)
    return _table(x, r, 4, z=z), 2 * z * x + z + 0.7 * r.normal(size=n), 2 * z


def square_follows(r: np.random.Generator, n: int) -> Draw:
    z = r.normal(size=n)
    x = 1.5 * z + (0.5 + 0.5 * np.abs(z)) * r.normal(size=n)
    return _table(x, r, 4, z=z), z**2 * x + 0.3 * z**3 + r.normal(size=n), z**2


def rare_tail(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    high = z > 0.95
    x = np.where(high, 2.5, 0.8) * r.normal(size=n)
    slope = 1.0 + 5 * high
    return _table(x, r, 5, z=z), slope * x + z + r.normal(size=n), slope


def three_regimes(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    k = (z > 0.3).astype(int) + (z > 0.75)
    slope = np.choose(k, [0.0, 2.0, -1.0])
    x = np.choose(k, [0.5, 1.5, 0.7]) * r.normal(size=n) + z
    return _table(x, r, 12, z=z), slope * x + k + 0.7 * r.normal(size=n), slope


def correlated_moderators(r: np.random.Generator, n: int) -> Draw:
    a = r.normal(size=n)
    b = 0.8 * a + 0.6 * r.normal(size=n)
    x = 0.5 * a + np.exp(0.4 * b) * r.normal(size=n)
    slope = 1.5 * a - b
    return _table(x, r, 4, a=a, b=b), slope * x + a * b + r.normal(size=n), slope


def eight_moderators(r: np.random.Generator, n: int) -> Draw:
    z = r.normal(size=(8, n))
    x = np.exp(0.25 * z.sum(axis=0) / np.sqrt(2)) * r.normal(size=n)
    slope = 0.5 * z.sum(axis=0)
    table = _table(x, r, 6, **{f"z{k}": column for k, column in enumerate(z)})
    return table, slope * x + z[0] + r.normal(size=n), slope


def two_together(r: np.random.Generator, n: int) -> Draw:
    a, b = r.normal(size=(2, n))
    alike = a * b > 0
    x = np.where(alike, 1.5, 0.6) * r.normal(size=n)
    slope = np.where(alike, 2.0, -1.0)
    return _table(x, r, 4, a=a, b=b), slope * x + a + r.normal(size=n), slope


def skewed(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = np.exp((0.4 + 0.8 * z) * r.normal(size=n))
    y = 3 * (0.3 + z) * np.log1p(x) + z + 0.5 * r.normal(size=n)
    return _table(x, r, 4, z=z), y, 3 * (0.3 + z) / (1 + x)


def sine_by_group(r: np.random.Generator, n: int) -> Draw:
    g = r.integers(0, 3, n)
    x = np.choose(g, [-0.5, 0.0, 0.8]) + r.normal(size=n)
    height = np.choose(g, [0.0, 1.0, 3.0])
    table = _table(x, r, 4, g=np.array(list("uvw"))[g])
    return table, height * np.sin(2 * x) + g + r.normal(size=n), 2 * height * np.cos(2 * x)


# ---- kept aside: never run while the method was chosen ------------------------------------------


def falling_slope(r: np.random.Generator, n: int) -> Draw:
    z = np.exp(0.8 * r.normal(size=n))
    x = z / (1 + z) + (0.3 + 0.5 / (1 + z)) * r.normal(size=n)
    slope = 3 * np.exp(-z)
    return _table(x, r, 4, z=z), slope * x + np.log(z) + 0.7 * r.normal(size=n), slope


def two_thresholds(r: np.random.Generator, n: int) -> Draw:
    a, b = r.normal(size=(2, n))
    slope = 2.0 * (a > 0.4) - 1.5 * (b > -0.3)
    x = 0.6 * a + np.where(b > -0.3, 1.2, 0.6) * r.normal(size=n)
    return _table(x, r, 5, a=a, b=b), slope * x + b + 0.8 * r.normal(size=n), slope


def heavy_tails(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(-1, 1, n)
    x = (0.8 - 0.5 * z) * r.normal(size=n) + z
    return _table(x, r, 6, z=z), (1 + 2 * z) * x + z + r.standard_t(3, size=n), 1 + 2 * z


def counts(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    x = np.minimum(r.poisson(1 + 5 * z), 10).astype(float)
    return _table(x, r, 4, z=z), (1 - z) * x + 3 * z + r.normal(size=n), 1 - z


def shape_by_group(r: np.random.Generator, n: int) -> Draw:
    g = r.choice(3, n, p=[0.5, 0.3, 0.2])
    x = np.choose(g, [0.7, 1.0, 1.4]) * r.normal(size=n)
    slope = np.choose(g, [np.exp(-x), 1.5 + 0 * x, -2 * x])
    rises = np.choose(g, [1 - np.exp(-x), 1.5 * x, -(x**2)])
    table = _table(x, r, 4, g=np.array(list("uvw"))[g])
    return table, rises + g + r.normal(size=n), slope


def moderator_with_holes(r: np.random.Generator, n: int) -> Draw:
    z, q = r.normal(size=(2, n))
    x = np.exp(0.4 * z) * r.normal(size=n) + 0.5 * q
    table = _table(x, r, 3, z=np.where(r.random(n) < 0.1, np.nan, z), q=q)
    return table, (1 + z) * x + q + r.normal(size=n), 1 + z


def chance_beyond_a_threshold(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(0, 1, n)
    slope = np.where(z > 0.5, 0.2, -0.05)
    x = np.where(z > 0.5, 0.6, 1.0) * np.clip(r.normal(size=n), -2, 2)
    chance = 0.4 + slope * x + 0.1 * z
    return _table(x, r, 5, z=z), (r.random(n) < chance).astype(float), slope


CASES = (
    Case("slope z, spread of x follows z", spread_follows),
    Case("x times z, x follows z", x_follows),
    Case("two groups, opposite slopes", two_groups),
    Case("x times z, independent", product),
    Case("slope jumps at a threshold", threshold),
    Case("three moderators of twenty columns", three_of_twenty),
    Case("nothing differs", nothing_differs),
    Case("z times x squared", bend),
    Case("two-valued target", two_valued_target, percent=True),
    Case("a moderator of twenty levels", twenty_levels),
    Case("uneven errors", uneven_errors),
    Case("slope is a sine of z", sine_moderator),
    Case("x of five values", five_values),
    Case("slope z squared, x follows z", square_follows),
    Case("another slope in the last 5 %", rare_tail),
    Case("three regimes", three_regimes),
    Case("correlated moderators", correlated_moderators),
    Case("eight moderators", eight_moderators),
    Case("two columns together", two_together),
    Case("skewed x", skewed),
    Case("sine of x by group", sine_by_group),
    Case("slope falls with a skewed z", falling_slope, held_out=True),
    Case("two thresholds", two_thresholds, held_out=True),
    Case("heavy tails", heavy_tails, held_out=True),
    Case("counts", counts, held_out=True),
    Case("another shape in each group", shape_by_group, held_out=True),
    Case("moderator with holes", moderator_with_holes, held_out=True),
    Case("chance, beyond a threshold", chance_beyond_a_threshold, held_out=True, percent=True),
)
BY_NAME = {case.name: case for case in CASES}


def treatment(
    chance: Callable[[np.ndarray], np.ndarray], works: Callable[[np.ndarray], np.ndarray]
) -> Callable[[np.random.Generator, int], Draw]:
    """Return a table with a treatment of two levels that `works` as z, given by `chance`."""

    def make(r: np.random.Generator, n: int) -> Draw:
        z = r.uniform(-1.5, 1.5, n)
        given = r.random(n) < chance(z)
        table = _table(np.where(given, "yes", "no"), r, 3, z=z)
        each = np.column_stack([np.zeros(n), works(z)])
        return table, np.where(given, works(z), 0.0) + 2 * z + r.normal(size=n), each

    return make


def three_levels(r: np.random.Generator, n: int) -> Draw:
    z = r.uniform(-1.5, 1.5, n)
    odds = np.exp(np.column_stack([0 * z, 0.8 * z, -0.6 * z]))
    drawn = (r.random(n)[:, None] > np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)).sum(
        axis=1
    )
    level = np.minimum(drawn, 2)
    each = np.column_stack([0 * z, 1 + 1.5 * z, z**2 - 1])
    y = each[np.arange(n), level] + 2 * z + r.normal(size=n)
    return _table(np.array(["no", "one", "two"])[level], r, 3, z=z), y, each


def many_levels(size: int) -> Callable[[np.random.Generator, int], Draw]:
    """Return a table with a category of `size` levels, each with a slope along z of its own."""

    def make(r: np.random.Generator, n: int) -> Draw:
        fixed = np.random.default_rng(size)
        height, slope = fixed.normal(size=(2, size))
        z = r.uniform(-1.5, 1.5, n)
        odds = np.exp(0.5 * np.outer(z, np.sign(slope)))
        level = (r.random((n, 1)) > np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)).sum(
            axis=1
        )
        level = np.minimum(level, size - 1)
        each = height + np.outer(z, slope)
        y = each[np.arange(n), level] + z + r.normal(size=n)
        return _table(np.array([f"k{k:02d}" for k in range(size)])[level], r, 3, z=z), y, each

    return make


ONE_NUMBER = 4  # times as many tables of a treatment, for each tells of one difference only
LEVEL_CASES = (
    Case(
        "treatment rarer where it works best",
        treatment(lambda z: 0.35 - 0.12 * z, lambda z: 2 * (1 + z)),
        times=ONE_NUMBER,
    ),
    Case(
        "treatment that works beyond a threshold",
        treatment(lambda z: 0.35 - 0.12 * z, lambda z: np.where(z > 0.5, 4.0, 1.0)),
        times=ONE_NUMBER,
    ),
    Case("three levels", three_levels),
    Case(
        "treatment that works alike",
        treatment(lambda z: 0.35 - 0.12 * z, lambda z: 2 + 0 * z),
        times=ONE_NUMBER,
    ),
    Case(
        "rare treatment, rarer where it works best",
        treatment(lambda z: 0.05 - 0.025 * z, lambda z: 2 * (1 + z)),
        times=ONE_NUMBER,
    ),
    Case(
        "treatment hardly given on one side",
        treatment(lambda z: 1 / (1 + np.exp(1.5 * z + 0.5)), lambda z: 2 + 2 * np.abs(z)),
        times=ONE_NUMBER,
    ),
    Case("five levels", many_levels(5), held_out=True),
    Case("fifty levels", many_levels(50), held_out=True),
)
