"""Two columns at once: error and coverage of the surface, beside ALE and PD of boosting.

Tables with a known answer in which a third column goes with everything: a product, the sine of a
product, a number beside a category, two categories, and two columns that do nothing together.
Errors are over the rows: of the whole surface beside partial dependence, of the pure interaction
beside second-order accumulated local effects, which exist for two numbers only. Coverage is the
share of points, by rows, whose 95 % interval holds the truth; *found* how often the two are found
to act together at 5 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.interpolate import RegularGridInterpolator
from sklearn.ensemble import HistGradientBoostingRegressor

import paribus as pb
from paribus.models import ale_pair

from report import machine, save, show

RESULTS = Path(__file__).parent / "results" / "pairs.json"
SIZES = np.array([0.5, 1.5, -1.0, 0.0])
CELLS = np.array([[0, 1, 0.5], [1, -1, 0], [0, 0, 2], [-1, 0.5, 0]])
PD_ROWS = 300


@dataclass(frozen=True)
class Case:
    """A table, the pair asked about, and what is true at values or numbers of levels of it."""

    name: str
    data: dict[str, np.ndarray]
    y: np.ndarray
    pair: tuple[str, str]
    truth: Callable[[np.ndarray, np.ndarray], np.ndarray]


def cases(seed: int, n: int) -> Iterator[Case]:
    """Make the tables of one seed."""
    rng = np.random.default_rng(seed)
    z, w, noise = rng.normal(size=n), rng.uniform(-1, 1, n), rng.normal(size=n)
    a = np.clip(0.5 * z + rng.normal(size=n), -2.5, 2.5)
    b = np.clip(0.4 * z - 0.3 * a + rng.normal(size=n), -2.5, 2.5)
    g = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    h = np.minimum(2, (rng.uniform(size=n) * 3 * (0.7 + 0.3 * (z > 0))).astype(int))
    rest = {"z": z, "w": w}
    numbers = {"a": a, "b": b, **rest}
    letters, words = np.array([*"abcd"])[g], np.array([*"pqr"])[h]

    def lines(x: np.ndarray, k: np.ndarray) -> np.ndarray:
        return SIZES[k] * np.sin(1.5 * x) + 0.5 * k

    yield Case("product", numbers, a * b + z + noise, ("a", "b"), lambda x, y: x * y)
    wave = 2 * np.sin(a * b) + z + noise
    yield Case("sine", numbers, wave, ("a", "b"), lambda x, y: 2 * np.sin(x * y))
    beside = {"a": a, "g": letters, **rest}
    yield Case("number and category", beside, lines(a, g) + z + noise, ("a", "g"), lines)
    both = {"g": letters, "h": words, **rest}
    y = CELLS[g, h] + z + noise
    yield Case("two categories", both, y, ("g", "h"), lambda k, m: CELLS[k, m])
    alone = np.sin(a) + b + z * w + noise
    yield Case("nothing", numbers, alone, ("a", "b"), lambda x, y: np.sin(x) + y)


def judged(case: Case) -> dict[str, float]:
    """Return errors and coverage on one table."""
    found = pb.effect(case.data, case.y, case.pair, tidy=False, n_jobs=1)
    grids = [np.arange(len(x)) if isinstance(x, tuple) else x for x in (found.x1, found.x2)]
    true = case.truth(*np.meshgrid(*grids, indexing="ij"))
    weight = np.where(np.isnan(found.effect), 0.0, found.count)
    weight /= weight.sum()
    true = true - np.sum(weight * true)
    pure = true - additive(true, found.count)
    out = {
        "error": _error(found.effect, true, weight),
        "covered": _covered(found.lower, found.upper, true, weight),
        "pure error": _error(found.pure_effect, pure, weight),
        "pure covered": _covered(found.pure_lower, found.pure_upper, pure, weight),
        "found": float(found.p_value < 0.05),
    }
    X, columns = _numbered(case)
    is_level = [isinstance(x, tuple) for x in (found.x1, found.x2)]
    categories = [columns.index(f) for f, level in zip(case.pair, is_level, strict=True) if level]
    model = HistGradientBoostingRegressor(random_state=0, categorical_features=categories or None)
    model.fit(X, case.y)
    at = [columns.index(f) for f in case.pair]
    surface = partial_dependence(model, X, at, grids)
    surface -= np.sum(weight * surface)
    out["PD error"] = _error(surface, true, weight)
    out["PD pure"] = _error(surface - additive(surface, found.count), pure, weight)
    if not categories:
        ale = ale_pair(model, X, *(f"x{k}" for k in at), target="y", names=None)
        shown = RegularGridInterpolator((ale.x1, ale.x2), ale.effect)
        values = shown(np.column_stack([m.ravel() for m in np.meshgrid(*grids, indexing="ij")]))
        values = values.reshape(true.shape)
        out["ALE pure"] = _error(values - additive(values, found.count), pure, weight)
    return out


def additive(surface: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the sum of a function of each column that comes closest, by alternating means."""
    first, second = np.zeros(len(surface)), np.zeros(surface.shape[1])
    rows, columns = (np.maximum(count.sum(axis=k), 1e-300) for k in (1, 0))
    for _ in range(500):
        first = ((surface - second) * count).sum(axis=1) / rows
        second = ((surface - first[:, None]) * count).sum(axis=0) / columns
    return first[:, None] + second


def partial_dependence(
    model: HistGradientBoostingRegressor, X: np.ndarray, at: list[int], grids: list[np.ndarray]
) -> np.ndarray:
    """Return the mean prediction over some rows with both columns set, shape (m1, m2)."""
    rows = X[np.random.default_rng(0).choice(len(X), min(PD_ROWS, len(X)), replace=False)]
    out = np.empty((len(grids[0]), len(grids[1])))
    for i, first in enumerate(grids[0]):
        many = np.tile(rows, (len(grids[1]), 1))
        many[:, at[0]] = first
        many[:, at[1]] = np.repeat(grids[1], len(rows))
        out[i] = model.predict(many).reshape(len(grids[1]), -1).mean(axis=1)
    return out


def false_finds(seeds: int, n: int) -> dict[str, dict[str, float]]:
    """Return how often two columns that do nothing together are found to, at 5 %."""
    found: dict[str, list[bool]] = {}
    for seed in range(seeds):
        for case in nothing(10_000 + seed, n):
            both = pb.effect(case.data, case.y, case.pair, tidy=False, n_jobs=1)
            found.setdefault(case.name, []).append(both.p_value < 0.05)
    return {name: {"found": float(np.mean(each))} for name, each in found.items()}


def nothing(seed: int, n: int) -> Iterator[Case]:
    """Make tables in which two columns do nothing together."""
    none = np.zeros_like
    for case in cases(seed, n):
        one, other = (_numbered(case)[0][:, [*case.data].index(name)] for name in case.pair)
        w, z = case.data["w"], case.data["z"]
        y = np.sin(one) + 0.5 * other + z * w + np.random.default_rng([seed, 1]).normal(size=n)
        if case.name in ("product", "number and category", "two categories"):
            yield Case(case.name, case.data, y, case.pair, lambda x, _: none(x))


def _numbered(case: Case) -> tuple[np.ndarray, list[str]]:
    columns = [
        np.unique(v, return_inverse=True)[1] if v.dtype.kind == "U" else v
        for v in case.data.values()
    ]
    return np.column_stack(columns).astype(float), [*case.data]


def _error(found: np.ndarray, true: np.ndarray, weight: np.ndarray) -> float:
    return float(np.sqrt(np.nansum(weight * (found - true) ** 2)))


def _covered(lower: np.ndarray, upper: np.ndarray, true: np.ndarray, weight: np.ndarray) -> float:
    return float(np.sum(weight * ((lower <= true) & (true <= upper))))


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 4000])
    parser.add_argument("--dry", action="store_true", help="Write nothing.")
    parser.add_argument("--nothing", type=int, default=200, help="Tables without interactions.")
    asked = parser.parse_args()
    rows: dict[str, dict[str, dict[str, float]]] = {}
    none: dict[str, dict[str, dict[str, float]]] = {}
    for n in asked.sizes:
        every: dict[str, list[dict[str, float]]] = {}
        for seed in range(asked.seeds):
            for case in cases(seed, n):
                every.setdefault(case.name, []).append(judged(case))
        rows[str(n)] = {
            name: {k: float(np.mean([run[k] for run in runs])) for k in runs[0]}
            for name, runs in every.items()
        }
        show(f"{n:,} rows", rows[str(n)])
        if asked.nothing:
            none[str(n)] = false_finds(asked.nothing, n)
            show(f"{n:,} rows, nothing together", none[str(n)])
    if not asked.dry:
        save(RESULTS, {**machine(), "seeds": asked.seeds, "rows": rows, "nothing": none})


if __name__ == "__main__":
    main()
