"""Data sets with a known answer: what one column does to `y` with the other columns held still.

Every scenario draws a fresh sample from `(seed, n)` and knows the true effect of the column it
explains, up to a constant. Categories are integer codes in the float matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import norm

Truth = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Sample:
    """One draw: `X` (n, p) floats, `y` (n,), `categories` the indices of category columns."""

    X: np.ndarray
    y: np.ndarray
    categories: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A generator, the column explained and its true effect (vectorised, up to a constant).

    `noise_free` says that `y` is a function of the columns; `null` that the column does nothing.
    """

    name: str
    draw: Callable[[int, int], Sample]
    column: int
    truth: Truth
    n: int = 2000
    noise_free: bool = False
    null: bool = False


def zero(x: np.ndarray) -> np.ndarray:
    return np.zeros(len(x))


# ---- the paper's generators -------------------------------------------------------------------
def body_weight(seed: int, n: int) -> Sample:
    """Columns: sex (1 = female), pregnant, height, education; no noise."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    pregnant = np.where(sex == 1, rng.integers(0, 2, n), 0)
    height = np.where(sex == 1, 65 + rng.uniform(-4.5, 5, n), 68 + rng.uniform(-7, 8, n))
    education = np.where(sex == 1, 12, 10) + rng.uniform(0, 8, n)
    y = 120 + 10 * (height - height.min()) + 40 * pregnant - 1.5 * education
    return Sample(np.column_stack([sex, pregnant, height, education]).astype(float), y, (0, 1))


def interactions(seed: int, n: int) -> Sample:
    X = np.random.default_rng(seed).uniform(0, 10, (n, 3))
    return Sample(X, X[:, 0] ** 2 + X[:, 0] * X[:, 1] + 5 * X[:, 0] * np.sin(3 * X[:, 1]) + 10)


def interactions_x1(x: np.ndarray) -> np.ndarray:
    mean_sine = (1 - np.cos(30)) / 30  # of sin(3 u), u uniform on (0, 10)
    return x**2 + 5 * x + 5 * x * mean_sine


def quadratic(seed: int, n: int, *, sd: float) -> Sample:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return Sample(X, X[:, 0] ** 2 + X[:, 1] + 10 + sd * rng.normal(size=n))


STATE_BASE = np.array([90.0, 70.0, 40.0, 80.0, 60.0])


def weather(seed: int, n: int) -> Sample:
    """Columns: state (5 levels), day of year."""
    rng = np.random.default_rng(seed)
    state, day = rng.integers(0, 5, n), rng.integers(1, 366, n)
    y = STATE_BASE[state] + 10 * np.sin(2 * np.pi / 365 * day + np.pi) + rng.normal(0, 4, n)
    return Sample(np.column_stack([state, day]).astype(float), y, (0,))


# ---- others -----------------------------------------------------------------------------------
def friedman1(seed: int, n: int) -> Sample:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 10))
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
    )
    return Sample(X, y + rng.normal(size=n))


def friedman1_sine(x: np.ndarray) -> np.ndarray:
    """Mean over u uniform on (0, 1) of 10 sin(pi x u)."""
    angle = np.pi * np.maximum(x, 1e-9)
    return 10 * (1 - np.cos(angle)) / angle


FRIEDMAN_TRUTHS: tuple[Truth, ...] = (
    friedman1_sine,
    friedman1_sine,
    lambda x: 20 * (x - 0.5) ** 2,
    lambda x: 10 * x,
    lambda x: 5 * x,
    *([zero] * 5),
)


def wave(x: np.ndarray) -> np.ndarray:
    return 2 * np.sin(1.5 * x) + x


def codependent(
    seed: int, n: int, *, others: int = 10, effect: Truth = wave, tails: float | None = None
) -> Sample:
    """Column 0 explained; columns 1 and 2 depend on it and act on `y` nonlinearly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1 + others))
    X[:, 1] = 0.7 * X[:, 0] + 0.7 * X[:, 1]
    X[:, 2] = 0.5 * X[:, 0] ** 2 + X[:, 2]
    noise = rng.normal(size=n) if tails is None else rng.standard_t(tails, n)
    return Sample(X, effect(X[:, 0]) + X[:, 1] ** 2 + np.sin(2 * X[:, 2]) + noise)


def simpson(seed: int, n: int) -> Sample:
    """Column 0 falls with slope -1 in each group; across groups `y` rises."""
    rng = np.random.default_rng(seed)
    group, other = rng.integers(0, 5, n), rng.normal(size=n)
    x = 2 * group + rng.normal(size=n)
    return Sample(
        np.column_stack([x, group, other]), -x + 4 * group + other + rng.normal(size=n), ()
    )


def weak_confounder(seed: int, n: int, *, effect: Truth = np.sin) -> Sample:
    """Column 1 moves column 0 strongly and `y` weakly."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 6))
    x = 2 * z[:, 0] + 0.6 * rng.normal(size=n)
    y = (
        effect(x)
        + np.tanh(2 * z[:, 0])
        + 2 * z[:, 1]
        + 2 * np.sin(3 * z[:, 2])
        + rng.normal(size=n)
    )
    return Sample(np.column_stack([x, z]), y)


def noise_columns(seed: int, n: int, *, others: int, slope: float = 3.0) -> Sample:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1 + others))
    X[:, 1] = 0.7 * X[:, 0] + 0.7 * X[:, 1]
    return Sample(X, slope * X[:, 0] + 2 * X[:, 1] + 2 * rng.normal(size=n))


def lognormal(seed: int, n: int) -> Sample:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 4))
    x = np.exp(rng.normal(size=n) + 0.5 * z[:, 0])
    return Sample(
        np.column_stack([x, z]), 2 * np.log1p(x) + z[:, 0] ** 2 + z[:, 1] + rng.normal(size=n)
    )


def skewed_confounder(seed: int, n: int) -> Sample:
    """Column 1 is lognormal, moves column 0 and acts on `y` linearly, tail and all."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 4))
    x = 0.8 * z[:, 0] + 0.6 * rng.normal(size=n)
    z[:, 0] = np.exp(z[:, 0])
    return Sample(
        np.column_stack([x, z]), np.sin(2 * x) + 2 * z[:, 0] + z[:, 1] + rng.normal(size=n)
    )


def step_effect(x: np.ndarray) -> np.ndarray:
    return 2.0 * (x > 0.3)


def step(seed: int, n: int) -> Sample:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 1] = 0.7 * X[:, 0] + 0.7 * X[:, 1]
    return Sample(X, step_effect(X[:, 0]) + X[:, 1] ** 2 + X[:, 2] + rng.normal(size=n))


def _level_values(levels: int) -> np.ndarray:
    return np.sort(np.random.default_rng(99).normal(0, 3, levels))


def many_levels(seed: int, n: int, *, levels: int, effect: float = 1.0) -> Sample:
    """Column 0 a category whose level depends on column 1; sizes of the levels are skewed."""
    rng = np.random.default_rng(seed)
    latitude, day = rng.normal(size=n), rng.uniform(0, 365, n)
    place = norm.cdf(0.8 * latitude + 0.6 * rng.normal(size=n)) ** 1.5
    level = np.minimum((place * levels).astype(int), levels - 1)
    name = np.random.default_rng(97).permutation(levels)  # codes say nothing of the order
    y = effect * _level_values(levels)[level] - 4 * latitude + 5 * np.sin(2 * np.pi / 365 * day)
    return Sample(np.column_stack([name[level], latitude, day]), y + 2 * rng.normal(size=n), (0,))


def level_truth(levels: int) -> Truth:
    values = np.empty(levels)
    values[np.random.default_rng(97).permutation(levels)] = _level_values(levels)
    return lambda code: values[code.astype(int)]


def category_confounder(seed: int, n: int, *, levels: int = 30) -> Sample:
    """Column 0 numeric, slope 1; column 1 a category in no order that moves both x and y."""
    rng = np.random.default_rng(seed)
    fixed = np.random.default_rng(98)
    on_x, on_y = fixed.normal(size=levels), fixed.normal(size=levels)
    on_y = 3 * (0.7 * on_x + 0.7 * on_y)
    level, z = rng.integers(0, levels, n), rng.normal(size=(n, 2))
    x = on_x[level] + rng.normal(size=n)
    return Sample(
        np.column_stack([x, level, z]), x + on_y[level] + z[:, 0] ** 2 + rng.normal(size=n), (1,)
    )


def probability(x: np.ndarray) -> np.ndarray:
    return 0.25 * np.sin(0.5 * np.pi * x)


def binary_target(seed: int, n: int) -> Sample:
    """Chance of y = 1 is additive in columns 0 and 1, both uniform on (-1, 1) and dependent."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 5))
    z[:, 1] = 0.7 * z[:, 0] + np.sqrt(0.51) * z[:, 1]
    X = 2 * norm.cdf(z) - 1
    chance = 0.5 + probability(X[:, 0]) + 0.2 * X[:, 1]
    return Sample(X, (rng.uniform(size=n) < chance).astype(float))


# ---- a table to measure time on --------------------------------------------------------------
def make_table(n: int, p: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return columns of which a third depend on another and a quarter are whole, and a target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    for k in range(1, p, 3):
        X[:, k] = 0.9 * X[:, k - 1] + 0.45 * X[:, k]
    for k in range(0, p, 4):
        X[:, k] = np.round(X[:, k] * 5)
    y = X[:, 0] * 0.3 + np.sin(X[:, 1] * 2) * 2 + X[:, 2] * X[:, 3]
    y += np.maximum(X[:, 4], 0) * 0.2 + X[:, 5] ** 2 * 0.3 + 0.5 * X[:, 6] + 0.3 * X[:, 7]
    y += -0.2 * X[:, 8] * X[:, 9] + rng.normal(size=n) * 0.5
    return X, y


EFFECTS: tuple[Scenario, ...] = (
    Scenario("body weight, height", body_weight, 2, lambda x: 10 * x, noise_free=True),
    Scenario("body weight, education", body_weight, 3, lambda x: -1.5 * x, noise_free=True),
    Scenario("body weight, pregnant", body_weight, 1, lambda x: 40 * x, noise_free=True),
    Scenario("interactions, x1", interactions, 0, interactions_x1, noise_free=True),
    Scenario(
        "interactions, x2", interactions, 1, lambda x: 5 * x + 25 * np.sin(3 * x), noise_free=True
    ),
    Scenario("interactions, x3", interactions, 2, zero, noise_free=True, null=True),
    *(
        Scenario(
            f"quadratic, sd {sd:g}", partial(quadratic, sd=sd), 0, np.square, noise_free=sd == 0
        )
        for sd in (0, 0.5, 1, 2)
    ),
    Scenario("weather, state", weather, 0, lambda x: STATE_BASE[x.astype(int)]),
    Scenario("weather, day", weather, 1, lambda x: 10 * np.sin(2 * np.pi / 365 * x + np.pi)),
    *(
        Scenario(f"Friedman 1, x{j + 1}", friedman1, j, f, null=f is zero)
        for j, f in enumerate(FRIEDMAN_TRUTHS)
    ),
    Scenario("codependent", codependent, 0, wave),
    Scenario("Simpson", simpson, 0, lambda x: -x),
    Scenario("weak confounder", weak_confounder, 0, np.sin),
    Scenario("20 noise columns", partial(noise_columns, others=20), 0, lambda x: 3 * x),
    Scenario("50 noise columns", partial(noise_columns, others=50), 0, lambda x: 3 * x),
    Scenario("lognormal x", lognormal, 0, lambda x: 2 * np.log1p(x)),
    Scenario("skewed confounder", skewed_confounder, 0, lambda x: np.sin(2 * x)),
    Scenario("heavy tails", partial(codependent, others=5, tails=3.0), 0, wave),
    Scenario("step", step, 0, step_effect),
    Scenario("100 levels", partial(many_levels, levels=100), 0, level_truth(100)),
    Scenario("500 levels", partial(many_levels, levels=500), 0, level_truth(500)),
    Scenario("category confounder", category_confounder, 0, lambda x: x),
    Scenario("200-level confounder", partial(category_confounder, levels=200), 0, lambda x: x),
    Scenario("binary target", binary_target, 0, probability),
)

NULLS: tuple[Scenario, ...] = (
    Scenario("null: independent", friedman1, 6, zero, null=True),
    Scenario("null: no noise", interactions, 2, zero, null=True, noise_free=True),
    Scenario("null: codependent", partial(codependent, others=6, effect=zero), 0, zero, null=True),
    Scenario(
        "null: heavy tails",
        partial(codependent, others=6, effect=zero, tails=3.0),
        0,
        zero,
        null=True,
    ),
    Scenario("null: weak confounder", partial(weak_confounder, effect=zero), 0, zero, null=True),
    Scenario("null: 20 columns", partial(noise_columns, others=20, slope=0.0), 0, zero, null=True),
    Scenario("null: 20 levels", partial(many_levels, levels=20, effect=0.0), 0, zero, null=True),
    Scenario("null: 200 levels", partial(many_levels, levels=200, effect=0.0), 0, zero, null=True),
)

SCENARIOS = {scenario.name: scenario for scenario in (*EFFECTS, *NULLS)}


def same_data(scenarios: Iterable[Scenario]) -> list[list[Scenario]]:
    """Return the scenarios in groups that draw the same data, so that a model serves them all."""
    groups: dict[tuple[object, int], list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault((scenario.draw, scenario.n), []).append(scenario)
    return list(groups.values())
