"""What the paper says of costs, measured on made-up data; figure 9 times the real tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from looks import HOLDS, IF, NOT, Claim, listed
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.inspection import partial_dependence
from sklearn.tree import DecisionTreeRegressor

from paribus.estimate.cells import cells_of

LEAF = 10


def measured() -> tuple[list[Claim], dict[str, Any]]:
    """Return the claims with our findings, and the numbers behind them."""
    checks = (quadratic_fpd, growing, deltas, leaves)
    results = {check.__name__: check() for check in checks}
    return [claim for claim, _ in results.values()], {n: found for n, (_, found) in results.items()}


class Counting(RegressorMixin, BaseEstimator):
    """A model that counts the rows it is asked about."""

    def fit(self, X: Any, y: Any) -> Counting:  # noqa: ARG002
        """Begin to count."""
        self.asked_ = 0
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Count, and answer with the first column."""
        self.asked_ += len(X)
        return np.asarray(X)[:, 0]


def quadratic_fpd() -> tuple[Claim, Any]:
    """Count what FPD asks a model when every value is different."""
    found = {}
    for n in (100, 200, 400):
        X = np.random.default_rng(0).normal(size=(n, 2))
        model = Counting().fit(X, X[:, 0])
        partial_dependence(model, X, [0], grid_resolution=n, percentiles=(0, 1), method="brute")
        found[f"{n} rows"] = model.asked_
    squared = all(asked == int(name.split()[0]) ** 2 for name, asked in found.items())
    return Claim(
        "FPD is quadratic in n in the worst case as well.",
        f"Rows that scikit-learn's FPD asks a model about, a point at every value: "
        f"{listed(found, ',d')}. With a fixed number of points, as programs have, it is linear.",
        HOLDS if squared else NOT,
    ), found  # fmt: skip


def growing() -> tuple[Claim, Any]:
    """Time a tree against rows and columns, and look for a deep one."""
    rows = {n: seconds(lambda n=n: fitted(n, 10)) for n in (5_000, 20_000, 80_000)}
    columns = {p: seconds(lambda p=p: fitted(20_000, p)) for p in (5, 10, 20, 40)}
    steps = np.arange(10_000) // LEAF
    deep = DecisionTreeRegressor(min_samples_leaf=LEAF).fit(steps[:, None], 1.4**steps)
    found = {
        "rows": exponent(rows),
        "columns": exponent(columns),
        "n log n": exponent({n: n * np.log(n) for n in rows}),
        "depth of a skewed tree": deep.get_depth(),
    }
    return Claim(
        "Stratification costs O(p n log n).",
        f"Time to grow the tree goes with the rows to the power {found['rows']:.2f} (n log n "
        f"would be {found['n log n']:.2f}) and with the columns to the power "
        f"{found['columns']:.2f}. Of trees that are about balanced: where y grows by 1.4 a step, "
        f"1,000 leaves are {deep.get_depth()} levels deep, not 10, and cost grows with the depth.",
        IF if found["rows"] < 1.4 and found["columns"] < 1.3 else NOT,
    ), found  # fmt: skip


def fitted(n: int, p: int) -> DecisionTreeRegressor:
    """Grow a tree on made-up rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n)
    return DecisionTreeRegressor(min_samples_leaf=LEAF, random_state=0).fit(X, y)


def deltas() -> tuple[Claim, Any]:
    """Time the means of leaves, by one sort and as the authors' package collects leaves."""
    sorting: dict[int, float] = {}
    comparing: dict[int, float] = {}
    for n in (20_000, 40_000, 80_000):
        rng = np.random.default_rng(0)
        leaf, value, y = rng.permutation(n) // LEAF, rng.integers(100, size=n), rng.normal(size=n)
        sorting[n] = seconds(lambda a=(value, y, leaf): cells_of(*a))
        comparing[n] = seconds(lambda a=leaf: [np.where(a == k)[0] for k in np.unique(a)])
    found = {"one sort": exponent(sorting), "a comparison a leaf": exponent(comparing)}
    return Claim(
        "Computing y deltas in the leaves has linear cost.",
        f"With one sort by leaf it goes with n to the power {found['one sort']:.2f}. The authors' "
        "package finds the rows of each leaf by comparing all rows with it (`leaf_samples` in "
        f"stratx 0.5): to the power {found['a comparison a leaf']:.2f}.",
        IF if found["one sort"] < 1.3 else NOT,
    ), found  # fmt: skip


def leaves() -> tuple[Claim, Any]:
    """Count the leaves of trees."""
    found = {f"n = {n:,}": fitted(n, 10).get_n_leaves() * LEAF / n for n in (2_000, 20_000)}
    return Claim(
        "The number of leaves is roughly n / min_samples_leaf.",
        f"Leaves as a share of that: {listed(found, '.2f')}. A leaf has between the least and "
        "about twice the least rows.",
        HOLDS if min(found.values()) > 0.5 else IF,
    ), found  # fmt: skip


def seconds(call: Callable[[], Any]) -> float:
    """Return the shortest of three times of a call."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def exponent(times: dict[int, float]) -> float:
    """Return the power of the size that times go with."""
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])
