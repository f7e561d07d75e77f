"""Random tables with everything that could trip the trees, and the twin to check them with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from paribus.strata import Family
from paribus.strata.exact import exact_target
from paribus.strata.reference import Tree, grow_one

KINDS = ("normal", "few", "constant", "copy", "category", "missing", "category_missing", "heavy")
TARGETS = ("smooth", "binary", "constant", "outlier", "noise", "shifted")


@dataclass(frozen=True, slots=True)
class Case:
    """A table, its target, and how to grow on it."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    options: dict[str, object]

    def __repr__(self) -> str:
        return f"Case(shape={self.X.shape}, options={sorted(self.options)})"


def make_column(kind: str, n: int, rng: np.random.Generator, before: NDArray[np.float64]):
    column = rng.normal(size=n)
    if kind == "few":
        column = np.round(column * 2)
    elif kind == "constant":
        column = np.full(n, 3.0)
    elif kind == "copy" and before.shape[1]:
        column = before[:, -1].copy()
    elif kind.startswith("category"):
        column = rng.integers(0, rng.integers(2, 40), size=n).astype(float)
    elif kind == "heavy":
        column = np.exp(5 * column) * (rng.random(n) < 0.5)
    if kind.endswith("missing"):
        column[rng.random(n) < 0.2] = np.nan
    return column


def make_target(kind: str, X: NDArray[np.float64], rng: np.random.Generator):
    n = X.shape[0]
    y = np.nan_to_num(X).clip(-50, 50) @ rng.normal(size=X.shape[1]) + rng.normal(size=n)
    if kind == "binary":
        return (y > np.median(y)).astype(float)
    if kind == "constant":
        return np.full(n, 0.1)
    if kind == "outlier":
        y[rng.integers(n)] = 1e9
    if kind == "noise":
        return rng.integers(0, 3, size=n) / 3
    return y + (1e7 if kind == "shifted" else 0.0)


def make_case(seed: int, n: int, kinds: list[str], target: str, options: dict[str, object]) -> Case:
    rng = np.random.default_rng(seed)
    X = np.empty((n, 0))
    for kind in kinds:
        X = np.column_stack([X, make_column(kind, n, rng, X)])
    y = make_target(target, X, rng)
    options = dict(options)
    rows = options.pop("rows", None)
    if rows == "mask":
        options["rows"] = rng.random(n) < 0.7
        options["rows"][0] = True
    elif rows == "counts":
        options["rows"] = np.maximum(rng.poisson(1.0, size=n), np.arange(n) == 0)
    if options.pop("weighted", False):
        options["weights"] = rng.exponential(size=n) + 1e-3
    return Case(X, y, options)


@st.composite
def cases(draw: st.DrawFn, max_n: int = 60, max_p: int = 4) -> Case:
    """Draw a table of any kind with any options."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=max_p))
    options: dict[str, object] = {
        "min_samples_leaf": draw(st.sampled_from([1, 2, 3, 5, 10])),
        "max_depth": draw(st.sampled_from([None, None, 1, 3])),
        "max_features": draw(st.sampled_from([None, None, 1, 2])),
        "seed": draw(st.integers(0, 2**64 - 1)),
        "rows": draw(st.sampled_from([None, "mask", "counts"])),
        "weighted": draw(st.booleans()),
    }
    return make_case(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.one_of(st.integers(1, max_n), st.integers(max_n // 2, max_n))),
        kinds,
        draw(st.sampled_from(TARGETS)),
        options,
    )


def all_sets(p: int) -> list[tuple[int, ...]]:
    """Return no column, each column, each pair, and all columns."""
    pairs = [(j, k) for j in range(p) for k in range(j)]
    return [(), *((j,) for j in range(p)), *pairs, tuple(range(p))]


def twin_strata(case: Case, family: Family, left_out: tuple[int, ...]) -> NDArray[np.int32]:
    """Return the strata of a tree that the slow twin grew on its own; -1 for rows left aside."""
    n, p = case.X.shape
    rows, weights = case.options.get("rows"), case.options.get("weights")
    target = exact_target(case.y, None if rows is None else np.asarray(rows, np.int32), weights)
    counts = np.ones(n, np.int64) if target.counts is None else target.counts.astype(np.int64)
    tree = Tree(
        family.codes,
        target.sums,
        counts,
        counts if target.weights is None else target.weights,
        frozenset(left_out),
        case.options.get("min_samples_leaf", 10),
        case.options.get("max_depth") or 2**31 - 1,
        case.options.get("max_features") or p,
    )
    return grow_one(tree, target.rows, case.options.get("seed", 0))
