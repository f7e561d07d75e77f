"""Two columns at once: error and coverage of the surface, beside ALE and PD of boosting.

Tables with a known answer in which a third column goes with everything: a product, the sine of a
product, a number beside a category, two categories, and two columns that do nothing together.
Errors are over the rows: of the whole surface beside partial dependence, of the pure interaction
beside second-order accumulated local effects, which exist for two numbers only. Coverage is the
share of points, by rows, whose 95 % interval holds the truth; *found* how often the two are found
to act together at 5 %, also on ten kinds of tables of 1,000 rows in which they do not.
"""

from __future__ import annotations

import argparse
import json
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
Pair = tuple[str, str]


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
        for name, data, y, pair in nothing(seed, n):
            both = pb.effect(data, y, pair, tidy=False, n_jobs=1)
            found.setdefault(name, []).append(both.p_value < 0.05)
    return {name: {"found": float(np.mean(each))} for name, each in found.items()}


def nothing(seed: int, n: int) -> Iterator[tuple[str, dict[str, np.ndarray], np.ndarray, Pair]]:
    """Make tables in which two columns do nothing together: a name, a table, y, and the two."""
    rng = np.random.default_rng([seed, 77])
    z, w, e = rng.normal(size=n), rng.uniform(-1, 1, n), rng.normal(size=n)
    a = np.clip(0.5 * z + rng.normal(size=n), -2.5, 2.5)
    b = np.clip(0.4 * z - 0.3 * a + rng.normal(size=n), -2.5, 2.5)
    c = rng.normal(size=n)
    d = 0.8 * c + 0.6 * rng.normal(size=n)
    rest, numbers = {"z": z, "w": w}, ("a", "b")
    near, twins = {"a": a, "b": b, **rest}, {"a": c, "b": d}
    u, v = rng.uniform(-1, 1, (2, n))
    uneven = rng.standard_t(4, n) * np.exp(0.5 * a)
    code = np.digitize(z + rng.normal(size=n), [-0.8, 0, 1.2])
    skewed = np.exp(rng.normal(size=n) + 0.4 * z)
    side = np.minimum(2, (rng.uniform(size=n) * 3 * (0.7 + 0.3 * (z > 0))).astype(int))
    won = rng.uniform(size=n) < np.clip(0.5 + 0.08 * a + 0.08 * b, 0, 1)
    i, j = rng.integers(1, 8, (2, n))
    level, mixed = np.array([0, 1, -1, 2])[code], {"g": np.array([*"abcd"])[code], **rest}
    h, few = np.array([*"pqr"])[side], {"a": i.astype(float), "b": j.astype(float), **rest}
    yield "others act together", near, np.sin(a) + 0.5 * b + z * w + e, numbers
    yield "correlated, curved", {**twins, **rest}, np.sin(2 * c) + d**2 + z + e, numbers
    steep = 2 * np.sin(5 * u) + 4 * np.abs(v) + z + 0.5 * e
    yield "steep curves", {"a": u, "b": v, **rest}, steep, numbers
    yield "uneven errors", near, a + b + z + uneven, numbers
    yield "number and category", {"a": a, **mixed}, np.sin(2 * a) + level + z + e, ("a", "g")
    wide = 2 * np.log1p(skewed) + level + z + e
    yield "skewed number, category", {"a": skewed, **mixed}, wide, ("a", "g")
    yield "two categories", {"h": h, **mixed}, (h == "p") + level + z + e, ("h", "g")
    yield "yes or no", near, won.astype(float), numbers
    yield "few values", few, np.sqrt(i) + 0.3 * j + z + e, numbers
    yield "no other columns", twins, np.sin(2 * c) + d + e, numbers


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
    parser.add_argument(
        "--nothing", type=int, default=400, help="Tables without interactions; 0 for none."
    )
    asked = parser.parse_args()
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows: dict[str, dict[str, dict[str, float]]] = {} if asked.seeds else stored["rows"]
    none: dict[str, dict[str, dict[str, float]]] = {} if asked.nothing else stored["nothing"]
    for n in asked.sizes if asked.seeds else ():
        every: dict[str, list[dict[str, float]]] = {}
        for seed in range(asked.seeds):
            for case in cases(seed, n):
                every.setdefault(case.name, []).append(judged(case))
        rows[str(n)] = {
            name: {k: float(np.mean([run[k] for run in runs])) for k in runs[0]}
            for name, runs in every.items()
        }
        show(f"{n:,} rows", rows[str(n)])
    for n in (1000,) if asked.nothing else ():
        none[str(n)] = false_finds(asked.nothing, n)
        show(f"{n:,} rows, nothing together", none[str(n)])
    if not asked.dry:
        n_rows = " ".join(map(str, asked.sizes))
        command = f"python benchmarks/pairs.py --seeds {asked.seeds} --sizes {n_rows}"
        tables = {"seeds": asked.seeds, "tables without": asked.nothing}
        save(RESULTS, {**machine(), "command": command, **tables, "rows": rows, "nothing": none})


if __name__ == "__main__":
    main()
