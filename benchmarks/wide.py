"""Error and coverage with many columns, beside least squares and cross-fitted lasso: `make wide`.

A table of p columns, correlated as neighbours in a chain, of which some act on the target and
some of these on the explained column: straight, bent, or many a little. What is judged is the
change of the target between the 10 % and the 90 % quantile of the explained column. Prints a table
and writes `benchmarks/results/wide.json`; what was scored is kept seed by seed in
`build/wide.jsonl`, and a run that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV, LinearRegression

import paribus as pb

from report import Log, machine, save, show

RESULTS = Path(__file__).parent / "results" / "wide.json"
LOG = Path(__file__).parents[1] / "build" / "wide.jsonl"
SIZES = ((300, 40), (300, 400), (300, 1000), (2000, 40), (2000, 100), (2000, 400), (2000, 1000))
LARGE = ((20_000, 100), (20_000, 400), (20_000, 1000))
NORMAL = 1.959964


def columns(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Return p columns, each correlated with the one before it."""
    noise = rng.normal(size=(n, p))
    out = noise.copy()
    for k in range(1, p):
        out[:, k] = 0.5 * out[:, k - 1] + np.sqrt(0.75) * noise[:, k]
    return out


def sparse(rng: np.random.Generator, n: int, p: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Five columns move both x and y; x has a slope of 1."""
    Z = columns(rng, n, p - 1)
    moves = Z[:, [0, 5, 10, 15, 20]]
    x = moves @ np.array([0.6, 0.5, 0.4, 0.3, 0.2]) + rng.normal(size=n)
    y = x + moves @ np.array([1.0, -1.0, 0.8, 0.6, -0.4]) + Z[:, 25] + rng.normal(size=n)
    return np.column_stack([x, Z]), y, 1.0


def none(rng: np.random.Generator, n: int, p: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The same, but x does nothing."""
    X, y, slope = sparse(rng, n, p)
    return X, y - slope * X[:, 0], 0.0


def bent(rng: np.random.Generator, n: int, p: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Two columns move x and y along bends."""
    Z = columns(rng, n, p - 1)
    curve = np.maximum(Z[:, 0], 0) + 0.5 * Z[:, 7] ** 2
    x = curve + 0.4 * Z[:, 12] + rng.normal(size=n)
    y = x + 1.5 * curve + Z[:, 20] + rng.normal(size=n)
    return np.column_stack([x, Z]), y, 1.0


def dense(rng: np.random.Generator, n: int, p: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Thirty columns each move x and y a little, the same way."""
    Z = columns(rng, n, p - 1)
    moves = Z[:, :30].sum(axis=1) / np.sqrt(30)
    x = 0.7 * moves + rng.normal(size=n)
    y = x + 0.7 * moves + rng.normal(size=n)
    return np.column_stack([x, Z]), y, 1.0


DESIGNS: dict[str, Callable] = {"sparse": sparse, "no effect": none, "bent": bent, "dense": dense}


def ours(X: np.ndarray, y: np.ndarray, at: np.ndarray, seed: int) -> tuple[float, float]:
    """Return the change between two values and its standard error."""
    names = [f"x{k}" for k in range(X.shape[1])]
    effect = pb.effect(X, y, "x0", names=names, seed=seed, tidy=False)
    if not effect.explained:
        return np.nan, np.nan
    rows = np.array([np.interp(at, effect.x, unit) for unit in np.eye(len(effect.x))]).T
    move = rows[1] - rows[0]
    size = len(move)
    variance = move @ effect.covariance[:size, :size] @ move
    return float(move @ effect.effect), float(np.sqrt(variance))


def least_squares(X: np.ndarray, y: np.ndarray, at: np.ndarray, _seed: int) -> tuple[float, float]:
    """All columns, straight; nothing where there are more of them than rows."""
    n, p = X.shape
    if n < p + 10:
        return np.nan, np.nan
    rows = np.column_stack([X, np.ones(n)])
    inverse = np.linalg.inv(rows.T @ rows)
    slopes = inverse @ (rows.T @ y)
    noise = np.sum((y - rows @ slopes) ** 2) / (n - p - 1)
    run = at[1] - at[0]
    return float(run * slopes[0]), float(run * np.sqrt(noise * inverse[0, 0]))


def lasso(X: np.ndarray, y: np.ndarray, at: np.ndarray, seed: int) -> tuple[float, float]:
    """Partial x and y out by cross-fitted lasso (double machine learning), five folds."""
    n = len(y)
    fold = np.random.default_rng(seed).permutation(n) % 5
    x, Z = X[:, 0], X[:, 1:]
    left = np.empty((n, 2))
    for k in range(5):
        for place, target in enumerate((x, y)):
            model = LassoCV(alphas=30, cv=3, max_iter=2000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(Z[fold != k], target[fold != k])
            left[fold == k, place] = (target - model.predict(Z))[fold == k]
    fit = LinearRegression(fit_intercept=False).fit(left[:, :1], left[:, 1])
    error = left[:, 1] - fit.predict(left[:, :1])
    spread = np.sum(left[:, 0] ** 2)
    run = at[1] - at[0]
    se = np.sqrt(np.sum((left[:, 0] * error) ** 2)) / spread
    return float(run * fit.coef_[0]), float(run * se)


WAYS: dict[str, Callable] = {
    "paribus": ours, "least squares": least_squares, "cross-fitted lasso": lasso
}  # fmt: skip


def score(design: str, n: int, p: int, way: str, seed: int) -> dict[str, float]:
    """Run one way on one table."""
    X, y, slope = DESIGNS[design](np.random.default_rng([seed, n, p]), n, p)
    at = np.quantile(X[:, 0], (0.1, 0.9))
    start = time.process_time()
    value, se = WAYS[way](X, y, at, seed)
    off = value - slope * (at[1] - at[0])
    return {
        "off": off / (at[1] - at[0]),
        "covered": float(abs(off) <= NORMAL * se),
        "width": 2 * NORMAL * se / (at[1] - at[0]),
        "cpu_s": time.process_time() - start,
    }


def main() -> None:
    """Run all designs, sizes and ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--large-seeds", type=int, default=3)
    parser.add_argument("--again", action="store_true", help="score paribus anew")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--most-rows", type=int, default=20_000)
    given = parser.parse_args()
    log, rows = Log(LOG), {}
    if given.again:
        log.forget(lambda key: key[3] == "paribus")
    for n, p in (size for size in (*SIZES, *LARGE) if size[0] <= given.most_rows):
        seeds = range(given.large_seeds if (n, p) in LARGE else given.seeds)
        for design in DESIGNS:
            for way in given.ways:
                keys = [(design, n, p, way, seed) for seed in seeds]
                for key in keys:
                    if key not in log:
                        log.add(key, score(*key))
                rows[f"{n:,} x {p:,}, {design}, {way}"] = summary([log[key] for key in keys])
    show("The slope between the 10 % and 90 % quantiles", rows)
    found = {"seeds": given.seeds, "large_seeds": given.large_seeds, "rows": rows}
    save(RESULTS, {**machine(), **found})


def summary(found: list[dict[str, float]]) -> dict[str, float]:
    """Return root mean squared error, bias, coverage, width and time over seeds."""
    off = np.array([each["off"] for each in found])
    known = ~np.isnan(off)
    if not known.any():
        return {}
    return {
        "rmse": float(np.sqrt(np.mean(off[known] ** 2))),
        "bias": float(off[known].mean()),
        "covered": float(np.mean([e["covered"] for e, k in zip(found, known, strict=True) if k])),
        "width": float(np.mean([e["width"] for e, k in zip(found, known, strict=True) if k])),
        "cpu s": float(np.mean([e["cpu_s"] for e in found])),
    }


if __name__ == "__main__":
    main()
