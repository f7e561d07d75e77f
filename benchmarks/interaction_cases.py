"""Tables for the search for interactions: which columns act together in each is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy import abs as size
from numpy import arctan, cos, exp, log, sin, sqrt, tanh

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Formula:
    """A function of ten columns x1 to x10, and the sets of columns that act together in it."""

    value: Callable[[Sequence[np.ndarray]], np.ndarray]
    sets: tuple[str, ...]

    @property
    def pairs(self) -> Pairs:
        """All pairs inside the sets, counted from 0."""
        places = [[int(letter, 16) - 1 for letter in one] for one in self.sets]
        return frozenset(pair for one in places for pair in combinations(sorted(one), 2))


def _first(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, _, g, h, i, j = x
    ratio = i / j * sqrt(g / h)
    return np.pi ** (a * b) * sqrt(2 * c) - np.arcsin(d) + log(c + e) - ratio - b * g


def _second(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, _, g, h, i, j = x
    ratio = i / (1 + size(j)) * sqrt(size(g) / (1 + size(h)))
    start = np.pi ** (a * b) * sqrt(2 * size(c)) - np.arcsin(d / 2)
    return start + log(size(c + e) + 1) + ratio - b * g


def _third(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, _, g, h, i, j = x
    start = exp(size(a - b)) + size(b * c) - size(c) ** (2 * size(d))
    return start + log(d**2 + e**2 + g**2 + h**2) + i + 1 / (1 + j**2)


def _fifth(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, f, g, h, i, j = x
    return 1 / (1 + a**2 + b**2 + c**2) + sqrt(exp(d + e)) + size(f + g) + h * i * j


def _sixth(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, f, _, h, i, j = x
    start = exp(size(a * b) + 1) - exp(size(c + d) + 1)
    return start + cos(e + f - h) + sqrt(h**2 + i**2 + j**2)


def _seventh(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, f, g, h, i, _ = x
    start = (arctan(a) + arctan(b)) ** 2 + np.maximum(c * d + f, 0)
    rest = (size(g) / (1 + size(i))) ** 5 + np.sum(x[1:], axis=0)
    return start - 1 / (1 + (d * e * f * g * h) ** 2) + rest


def _eighth(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, f, g, h, i, j = x
    powers = 2 ** (c + e + f) + 2 ** (c + d + e + g)
    return a * b + powers + sin(g * sin(h + i)) + np.arccos(0.9 * j)


def _ninth(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, f, g, h, i, j = x
    start = tanh(a * b + c * d) * sqrt(size(e)) + exp(e + f)
    return start + log((f * g * h) ** 2 + 1) + i * j + 1 / (1 + size(j))


def _tenth(x: Sequence[np.ndarray]) -> np.ndarray:
    _, a, b, c, d, e, _, g, _, i, _ = x
    return np.sinh(a + b) + np.arccos(tanh(c + e + g)) + cos(d + e) + 1 / cos(g * i)


# Tsang, Cheng and Liu (ICLR 2018), table 1; sets of columns in hexadecimal digits.
FORMULAS: Mapping[str, Formula] = {
    "F1": Formula(_first, ("123", "35", "789A", "27")),
    "F2": Formula(_second, ("123", "35", "789A", "27")),
    "F3": Formula(_third, ("12", "23", "34", "4578")),
    "F4": Formula(lambda x: _third(x) + (x[1] * x[4]) ** 2, ("12", "23", "34", "14", "4578")),
    "F5": Formula(_fifth, ("123", "45", "67", "89A")),
    "F6": Formula(_sixth, ("12", "34", "568", "89A")),
    "F7": Formula(_seventh, ("12", "346", "45678", "79")),
    "F8": Formula(_eighth, ("12", "356", "3457", "789")),
    "F9": Formula(_ninth, ("12345", "56", "678", "9A")),
    "F10": Formula(_tenth, ("12", "357", "45", "79")),
}


def formula_table(name: str, n: int, noise: float, seed: int) -> pd.DataFrame:
    """Make a table of one of the ten formulas, with noise in the target's standard deviations."""
    rng = np.random.default_rng([seed, *name.encode()])
    x = rng.uniform(-1, 1, (n, 10))
    if name == "F1":
        x = rng.uniform(0, 1, (n, 10))
        x[:, [3, 4, 7, 9]] = rng.uniform(0.6, 1, (n, 4))
    y = FORMULAS[name].value([np.empty(0), *x.T])
    table = pd.DataFrame(x, columns=[f"x{k}" for k in range(1, 11)])
    return table.assign(y=y + noise * y.std() * rng.standard_normal(n))


def additive_table(n: int, seed: int, uneven: bool) -> pd.DataFrame:
    """Make a table of twenty columns that only add up: correlated, five of them categories.

    With `uneven`, errors have heavy tails and spread with one of the columns.
    """
    rng = np.random.default_rng([seed, 20])
    z = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, 20))
    z[:, 10:15] = 0.9 * z[:, :5] + 0.44 * rng.standard_normal((n, 5))
    table = pd.DataFrame(z, columns=[f"c{k}" for k in range(20)])
    y = sin(2 * z[:, 0]) + z[:, 1] ** 2 / 2 + size(z[:, 2]) + tanh(3 * z[:, 10]) + z[:, 5]
    for k, levels in ((4, 2), (9, 3), (14, 6), (18, 2), (19, 12)):
        cuts = np.quantile(z[:, k], np.linspace(0, 1, levels + 1)[1:-1])
        codes = np.searchsorted(cuts, z[:, k] + 0.7 * rng.standard_normal(n))
        table[f"c{k}"] = np.array([f"level {c}" for c in range(levels)])[codes]
        y += rng.normal(0, 0.6, levels)[codes]
    table["c3"] = exp(z[:, 3])
    table["c12"] = np.round(2 * z[:, 12])
    y += log(1 + table["c3"]) + 0.5 * (table["c12"] > 1)
    error = rng.standard_normal(n)
    if uneven:
        error = rng.standard_t(4, n) * exp(0.4 * z[:, 1])
    return table.assign(y=y + error)


def friedman_table(n: int, seed: int) -> pd.DataFrame:
    """Make a table of Friedman's first function: of ten columns, x1 and x2 act together."""
    rng = np.random.default_rng([seed, 1])
    x = rng.uniform(0, 1, (n, 10))
    y = 10 * sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
    y += 10 * x[:, 3] + 5 * x[:, 4] + rng.standard_normal(n)
    table = pd.DataFrame(x, columns=[f"x{k}" for k in range(1, 11)])
    return table.assign(y=y)


# Strengths of the next table: four standard deviations of what two columns do together.
STRENGTHS: Mapping[tuple[str, str], float] = {
    ("a", "b"): 4 / 3,  # the product of two columns over (-1, 1)
    ("c", "kind"): 2 / sqrt(3),  # a slope that two equal groups do not share
    ("kind", "side"): 1.0,  # a difference of differences
    ("d", "e"): 0.3 * 4 / 3,
}


def strength_table(n: int, seed: int) -> pd.DataFrame:
    """Make a table with interactions of known strength, one of them weak."""
    rng = np.random.default_rng([seed, 4])
    table = pd.DataFrame(rng.uniform(-1, 1, (n, 7)), columns=list("abcdefg"))
    table["kind"] = rng.choice(["flat", "house"], n)
    table["side"] = rng.choice(["north", "south"], n)
    flat, north = table["kind"] == "flat", table["side"] == "north"
    y = table.a * table.b + table.c * flat + 1.0 * (flat & north) + 0.3 * table.d * table.e
    return table.assign(y=y + sin(3 * table.f) + 0.7 * rng.standard_normal(n))
