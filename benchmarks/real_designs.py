"""Rows as people have them: holes, weights, typos, persons, interactions among what is held still.

A design draws a table from `(rng, n)` and knows what column "x" does to `y`. Those in this file
were known when the estimator was made; those in `real_held_out.py` were written down before any
result on them was seen, and are kept aside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Rng = np.random.Generator
Truth = Callable[[np.ndarray], np.ndarray] | Mapping[str, float]
Curable = Literal["yes", "no", "nobody can"]


@dataclass(frozen=True, slots=True)
class Draw:
    """One table: columns by name, the target, what "x" does to it, options of `paribus.effect`.

    The truth is a function of x up to a constant, or the effect of each level. Contrasts are taken
    between quantiles of x, or between the levels named by the truth, the first and the last first.
    """

    table: dict[str, np.ndarray]
    y: np.ndarray
    truth: Truth
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Design:
    """A generator with what is expected of the answer.

    `curable` says whether the columns given suffice: "no" asks for a note instead, "nobody can"
    for nothing, as no table could tell. `expects` is "contrast", "refusal" (there is nothing to
    compare), "last" ("x" ranks below every column with an effect) or "influential" (rows are
    named).
    """

    name: str
    make: Callable[[Rng, int], Draw]
    sizes: tuple[int, ...]
    null: bool
    curable: Curable
    expects: str
    held_out: bool


DESIGNS: dict[str, Design] = {}


def design(
    name: str,
    *sizes: int,
    null: bool = False,
    curable: Curable = "yes",
    expects: str = "contrast",
    held_out: bool = False,
) -> Callable[[Callable[[Rng, int], Draw]], Callable[[Rng, int], Draw]]:
    """Put a generator into `DESIGNS`."""

    def register(make: Callable[[Rng, int], Draw]) -> Callable[[Rng, int], Draw]:
        known = Design(name, make, sizes or (2000,), null, curable, expects, held_out)
        DESIGNS[name] = known
        return make

    return register


# ---- building blocks ----------------------------------------------------------------------------
def line(x: np.ndarray) -> np.ndarray:
    return 1.0 * x


def zero(x: np.ndarray) -> np.ndarray:
    return 0.0 * x


def columns(values: np.ndarray, names: str = "abcdefgh") -> dict[str, np.ndarray]:
    """Name the columns of a matrix, by letters as far as they go."""
    every = list(names) + [f"c{k}" for k in range(len(names), values.shape[1])]
    return {name: values[:, k] for k, name in enumerate(every[: values.shape[1]])}


def noise_columns(rng: Rng, n: int, count: int = 3) -> dict[str, np.ndarray]:
    return {f"w{k}": rng.normal(size=n) for k in range(count)}


def text(prefix: str, codes: np.ndarray) -> np.ndarray:
    return np.char.add(prefix, np.asarray(codes).astype(int).astype(str)).astype(object)


def holes(rng: Rng, values: np.ndarray, share: float | np.ndarray) -> np.ndarray:
    """Take values away at random: None of text, NaN of numbers."""
    out = values.copy()
    out[rng.uniform(size=len(out)) < share] = None if out.dtype == object else np.nan
    return out


def logistic(t: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-t))


def four_normals(rng: Rng, n: int, r: float) -> tuple[np.ndarray, np.ndarray]:
    """Return x, correlated by r with the first of four columns, and these columns."""
    z = rng.normal(size=(n, 4))
    return r * z[:, 0] + np.sqrt(1 - r * r) * rng.normal(size=n), z


def strong(rng: Rng, f: np.ndarray, held: dict[str, np.ndarray], noise: float = 1.0) -> Draw:
    """A confounder `f`, made of columns that are held still, moves x and y; x does nothing."""
    n = len(f)
    x, y = f + noise * rng.normal(size=n), 2 * f + rng.normal(size=n)
    return Draw({"x": x, **held, **noise_columns(rng, n)}, y, zero)


def weak(rng: Rng, f: np.ndarray, held: dict[str, np.ndarray]) -> Draw:
    """A confounder moves x strongly and y weakly, beside columns that matter more; x does not."""
    n = len(f)
    x, w = 2 * f + 0.7 * rng.normal(size=n), noise_columns(rng, n)
    return Draw({"x": x, **held, **w}, 0.7 * f + loud(w) + rng.normal(size=n), zero)


def loud(w: Mapping[str, np.ndarray]) -> np.ndarray:
    return 2 * w["w0"] + 2 * np.sin(2 * w["w1"]) + w["w2"] ** 2


def autocorrelated(rng: Rng, n: int, rho: float = 0.9) -> np.ndarray:
    steps = rng.normal(size=n + 200) * np.sqrt(1 - rho**2)
    out = np.zeros(n + 200)
    for t in range(1, n + 200):
        out[t] = rho * out[t - 1] + steps[t]
    return out[200:]


# ---- missing values -----------------------------------------------------------------------------
@design("x missing, 30 %", 2000, 20_000)
def x_missing(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.6)
    y = x + z[:, 0] + rng.normal(size=n)
    return Draw({"x": holes(rng, x, 0.3), **columns(z)}, y, line)


@design("x missing where it is large")
def x_missing_by_x(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.6)
    y = x + z[:, 0] + rng.normal(size=n)
    return Draw({"x": holes(rng, x, logistic(2 * x)), **columns(z)}, y, line)


@design("text missing, 30 %", 2000, 20_000)
def text_missing(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 4))
    k = np.digitize(z[:, 0] + 0.7 * rng.normal(size=n), [-0.7, 0.7])
    y = 2.0 * k + z[:, 0] + rng.normal(size=n)
    x = holes(rng, np.array(["low", "mid", "high"], dtype=object)[k], 0.3)
    return Draw({"x": x, **columns(z)}, y, {"low": 0.0, "mid": 2.0, "high": 4.0})


def confounder_missing(rng: Rng, n: int, share: float, *, by_x: bool = False) -> Draw:
    x, z = four_normals(rng, n, 0.8)
    y = 2 * z[:, 0] + rng.normal(size=n)
    z[:, 0] = holes(rng, z[:, 0], 2 * share * logistic(2 * x) if by_x else share)
    return Draw({"x": x, **columns(z)}, y, zero)


@design("confounder missing, 5 %", null=True)
def confounder_missing_5(rng: Rng, n: int) -> Draw:
    return confounder_missing(rng, n, 0.05)


@design("confounder missing, 30 %", null=True)
def confounder_missing_30(rng: Rng, n: int) -> Draw:
    return confounder_missing(rng, n, 0.3)


@design("confounder missing by x, 30 %", null=True)
def confounder_missing_by_x(rng: Rng, n: int) -> Draw:
    return confounder_missing(rng, n, 0.3, by_x=True)


# ---- yes and no ---------------------------------------------------------------------------------
def yes_no(rng: Rng, n: int) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    a, w = rng.uniform(-3, 3, n), noise_columns(rng, n)
    f = np.tanh(2 * a)
    x = (rng.uniform(size=n) < logistic(3 * f)).astype(int)
    return x, {"a": a, **w}, 0.7 * f + loud(w) + rng.normal(size=n)


@design("yes and no as text", null=True)
def as_text(rng: Rng, n: int) -> Draw:
    x, held, y = yes_no(rng, n)
    named = np.array(["no", "yes"], dtype=object)[x]
    return Draw({"x": named, **held}, y, {"no": 0.0, "yes": 0.0})


@design("yes and no as 0 and 1", null=True)
def as_number(rng: Rng, n: int) -> Draw:
    x, held, y = yes_no(rng, n)
    return Draw({"x": x, **held}, y, zero)


# ---- confounding that is not additive, or fine --------------------------------------------------
@design("sin(4a), weak on y", 4990, 5010, null=True)
def slow_wave(rng: Rng, n: int) -> Draw:
    a = rng.uniform(-3, 3, n)
    return weak(rng, np.sin(4 * a), {"a": a})


@design("sin(8z)", null=True)
def wave(rng: Rng, n: int) -> Draw:
    z = rng.uniform(-3, 3, n)
    return strong(rng, np.sin(8 * z), {"z": z}, 0.7)


@design("5 x 5 x 5 levels", null=True)
def cube(rng: Rng, n: int) -> Draw:
    i, j, k = rng.integers(0, 5, (3, n))
    f = np.random.default_rng(8).normal(size=(5, 5, 5))[i, j, k]
    return strong(rng, f, {"i": text("i", i), "j": text("j", j), "k": text("k", k)})


@design("hour x weekday", 2000, 20_000, null=True)
def hour_weekday(rng: Rng, n: int) -> Draw:
    hour, day = rng.integers(0, 24, n), rng.integers(0, 7, n)
    f = np.random.default_rng(3).normal(size=(7, 24))[day, hour]
    return strong(rng, f, {"hour": hour, "day": text("d", day)})


@design("office hours, weak on y", null=True)
def office(rng: Rng, n: int) -> Draw:
    hour, weekend = rng.integers(0, 24, n), rng.integers(0, 2, n)
    f = np.where(weekend == 1, -1, 1) * np.where((hour >= 8) & (hour < 18), 1.0, -1.0)
    return weak(rng, f, {"hour": hour, "weekend": np.array(["no", "yes"], dtype=object)[weekend]})


@design("50 levels x number", 2000, 20_000, null=True)
def levels_times_number(rng: Rng, n: int) -> Draw:
    g, z = rng.integers(0, 50, n), rng.normal(size=n)
    f = np.random.default_rng(4).normal(size=50)[g] * z
    return strong(rng, f, {"g": text("g", g), "z": z})


@design("checkerboard", 2000, 20_000, null=True)
def checkerboard(rng: Rng, n: int) -> Draw:
    lat, lon = rng.uniform(size=(2, n))
    return strong(rng, (-1.0) ** (np.floor(4 * lat) + np.floor(4 * lon)), {"lat": lat, "lon": lon})


@design("sign of a product", 2000, 20_000, null=True)
def sign_product(rng: Rng, n: int) -> Draw:
    a, c = rng.uniform(-1, 1, (2, n))
    return strong(rng, np.sign(a * c), {"a": a, "c": c})


@design("product", null=True)
def product(rng: Rng, n: int) -> Draw:
    a, c = rng.normal(size=(2, n))
    return strong(rng, a * c, {"a": a, "c": c})


# ---- weights and copies -------------------------------------------------------------------------
def survey(rng: Rng, n: int, *, whole: bool) -> Draw:
    z = rng.normal(size=(n, 3))
    x = 0.6 * z[:, 0] + 0.8 * rng.normal(size=n)
    w = 20 * np.exp(0.6 * rng.normal(size=n) - 0.18)
    w = np.maximum(np.round(w), 1) if whole else w
    return Draw({"x": x, **columns(z)}, z[:, 0] + rng.normal(size=n), zero, {"weights": w})


@design("whole survey weights, mean 20", null=True)
def whole_weights(rng: Rng, n: int) -> Draw:
    return survey(rng, n, whole=True)


@design("broken survey weights, mean 20", null=True)
def broken_weights(rng: Rng, n: int) -> Draw:
    return survey(rng, n, whole=False)


@design("weights that depend on y", 2000, 10_000)
def weights_by_y(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(4 * n, 3))
    x = 0.6 * z[:, 0] + 0.8 * rng.normal(size=4 * n)
    y = x + z[:, 0] + rng.normal(size=4 * n)
    chance = 0.5 * logistic(1.2 * y) + 0.01
    kept = np.flatnonzero(rng.uniform(size=4 * n) < chance)[:n]
    return Draw({"x": x[kept], **columns(z[kept])}, y[kept], line, {"weights": 1 / chance[kept]})


@design("every row five times", null=True)
def five_times(rng: Rng, n: int) -> Draw:
    m = n // 5
    z = rng.normal(size=(m, 3))
    x, y = z[:, 0] + rng.normal(size=m), z[:, 0] + rng.normal(size=m)
    return Draw({k: np.tile(v, 5) for k, v in {"x": x, **columns(z)}.items()}, np.tile(y, 5), zero)


# ---- rows that belong together ------------------------------------------------------------------
def of_persons(rng: Rng, n: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return a table in which x never changes within a person, its target and the persons."""
    person = np.repeat(np.arange(n // 10), 10)
    a, x = rng.normal(size=(2, n // 10))
    z = rng.normal(size=(n, 2))
    y = 2 * a[person] + z[:, 0] + rng.normal(size=n)
    return {"x": x[person], **columns(z)}, y, person


@design("x of a person, nothing said", null=True, curable="no")
def person_level(rng: Rng, n: int) -> Draw:
    table, y, _ = of_persons(rng, n)
    return Draw(table, y, zero)


@design("x of a person, cluster", 300, 2000, null=True)
def person_cluster(rng: Rng, n: int) -> Draw:
    table, y, person = of_persons(rng, n)
    return Draw(table, y, zero, {"cluster": person})


@design("offer of a shop, cluster", 300, 1000, null=True)
def shop_cluster(rng: Rng, n: int) -> Draw:
    shop = np.arange(n) // 25
    n_shops = int(shop[-1]) + 1
    offer = rng.permutation(np.arange(n_shops) % 3)[shop]
    z = rng.normal(size=(n, 2))
    y = rng.normal(size=n_shops)[shop] + z[:, 0] + rng.normal(size=n)
    effects = {"k0": 0.0, "k1": 0.0, "k2": 0.0}
    return Draw({"x": text("k", offer), **columns(z)}, y, effects, {"cluster": shop})


@design("autocorrelated rows", 1000, null=True, curable="no")
def time_series(rng: Rng, n: int) -> Draw:
    x, z, u = (autocorrelated(rng, n) for _ in range(3))
    return Draw({"x": x, "z": z, "w": rng.normal(size=n)}, z + u, zero)


def panel(rng: Rng, n: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return a table in which each person has a level of x and of y, its target, the persons."""
    person = np.repeat(rng.permutation(n // 10), 10)
    a = rng.normal(size=n // 10)[person]
    z, x = rng.normal(size=(n, 2)), a + rng.normal(size=n)
    return {"x": x, **columns(z)}, x + 2 * a + z[:, 0] + rng.normal(size=n), person


@design("panel, within persons")
def panel_within(rng: Rng, n: int) -> Draw:
    table, y, person = panel(rng, n)
    return Draw(table, y, line, {"within": person})


@design("panel, id as text")
def panel_text(rng: Rng, n: int) -> Draw:
    table, y, person = panel(rng, n)
    return Draw({**table, "id": text("p", person)}, y, line)


@design("panel, id as a number")
def panel_number(rng: Rng, n: int) -> Draw:
    table, y, person = panel(rng, n)
    return Draw({**table, "id": person + 1000}, y, line)


# ---- typos, nested categories, ranks ------------------------------------------------------------
@design("typos of 1,000 times", 20_000, expects="influential")
def typos(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.6)
    y = 10 + x + z[:, 0] + rng.normal(size=n)
    y[rng.choice(n, 4, replace=False)] *= 1000
    return Draw({"x": x, **columns(z)}, y, line)


@design("nested categories", expects="refusal")
def nested(rng: Rng, n: int) -> Draw:
    country = rng.integers(0, 40, n)
    continent, z = country % 5, rng.normal(size=n)
    y = np.random.default_rng(5).normal(size=40)[country] + z + rng.normal(size=n)
    return Draw({"x": text("k", continent), "country": text("c", country), "z": z}, y, {})


@design("200 levels of nothing", 1000, expects="last", null=True)
def levels_of_nothing(rng: Rng, n: int) -> Draw:
    slopes = np.array([1.0, 0.7, 0.5, 0.35, 0.25, 0.18])
    z = np.sqrt(0.4) * rng.normal(size=(n, 1)) + np.sqrt(0.6) * rng.normal(size=(n, 6))
    x = text("s", rng.integers(0, 200, n))
    return Draw({"x": x, **columns(z)}, z @ slopes + rng.normal(size=n), {})


# ---- what was right before ----------------------------------------------------------------------
@design("additive", 300, 2000, 20_000, null=True)
def additive(rng: Rng, n: int) -> Draw:
    a, c = rng.normal(size=(2, n))
    return strong(rng, a + np.tanh(c), {"a": a, "c": c})


@design("small table", 100)
def small(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.7)
    y = x + z[:, 0] + 0.5 * z[:, 1] ** 2 + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, y, line)


@design("correlation of 0.99", 500)
def collinear(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.99)
    return Draw({"x": x, **columns(z)}, x + np.exp(z[:, 0]) + rng.normal(size=n), line)


@design("40 columns", 500)
def forty_columns(rng: Rng, n: int) -> Draw:
    common = rng.normal(size=(n, 5))
    z = common @ np.random.default_rng(5).normal(size=(5, 39)) * 0.5 + rng.normal(size=(n, 39))
    slopes = 0.3 * np.random.default_rng(6).normal(size=39)
    x = common[:, 0] + rng.normal(size=n)
    return Draw({"x": x, **columns(z)}, x + z @ slopes + rng.normal(size=n), line)


@design("noise that grows with x")
def heteroscedastic(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.6)
    return Draw({"x": x, **columns(z)}, x + z[:, 0] + np.exp(x) * rng.normal(size=n), line)


@design("three levels in order, curved confounder")
def ordinal(rng: Rng, n: int) -> Draw:
    z = rng.normal(size=(n, 4))
    k = np.digitize(z[:, 0] + rng.normal(size=n), [-1, 1])
    y = np.array([0, 1, 3])[k] + z[:, 0] + z[:, 0] ** 2 + rng.normal(size=n)
    x = np.array(["low", "mid", "high"], dtype=object)[k]
    return Draw({"x": x, **columns(z)}, y, {"low": 0.0, "mid": 1.0, "high": 3.0})


@design("rare outcome", null=True)
def rare_outcome(rng: Rng, n: int) -> Draw:
    x, z = four_normals(rng, n, 0.6)
    chance = np.minimum(0.02 * np.exp(0.8 * z[:, 0] - 0.32), 1)
    return Draw({"x": x, **columns(z)}, (rng.uniform(size=n) < chance).astype(int), zero)


@design("slope that differs by z", 2000, 8000, null=True)
def differing_slope(rng: Rng, n: int) -> Draw:
    x, z = rng.normal(size=(2, n))
    y = 2 * x * z + 0.5 * rng.normal(size=n)
    return Draw({"x": x, "z": z, "q": rng.normal(size=n)}, y, zero)
