"""Tables as they come: what a tool makes of each, in a word that the page can show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rivals.tools import MODELS, Data, Tool

N = 600
NEAR = 0.15  # a curve within this share of the truth is right


@dataclass(frozen=True, slots=True)
class Case:
    """A table, the column asked, where the curve is read and what it should be there.

    `truth` is None where the rows cannot tell: then a tool should say so.
    """

    data: Data
    at: Any
    truth: np.ndarray | None
    asked: str = "a"


def plain(n: int = N) -> tuple[pd.DataFrame, pd.Series]:
    """Return y = 3 a + 2 b and a little noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, 3 * X["a"] + 2 * X["b"] + 0.3 * rng.normal(size=n)


def holes(column: str, value: float) -> Case:
    """Put a value that is no number into every tenth row of a column."""
    X, y = plain()
    X.loc[::10, column] = value
    return numeric(X, y)


def numeric(X: pd.DataFrame, y: pd.Series, slope: float | None = 3.0) -> Case:
    """Ask for column a."""
    finite = X["a"][np.isfinite(X["a"].astype(float))].astype(float)
    at = np.unique(np.quantile(finite, np.linspace(0.1, 0.9, 17), method="lower"))
    return Case(Data(X, y), at, None if slope is None else slope * at)


def missing_target() -> Case:
    X, y = plain()
    y[::10] = np.nan
    return numeric(X, y)


def constant() -> Case:
    X, y = plain()
    X["a"] = 1.0
    return Case(Data(X, y), np.array([1.0]), None)


def twins() -> Case:
    X, y = plain()
    X["c"] = X["a"]
    return numeric(X, y, None)


def three_rows() -> Case:
    X, y = plain(3)
    return numeric(X, y, None)


def labels(kind: Callable[[np.ndarray], Any], column: str) -> Case:
    """Give a column three levels that are worth 0, 2 and 4."""
    X, y = plain()
    code = np.random.default_rng(1).integers(0, 3, len(X))
    levels = np.array(["low", "middle", "high"])
    y = y + 2 * code - (3 * X["a"] if column == "a" else 0)
    X[column] = kind(levels[code])
    if column == "a":
        return Case(Data(X, y), levels, np.array([0.0, 2.0, 4.0]))
    return numeric(X, y)


def whole_numbers() -> Case:
    X, y = plain()
    a = np.random.default_rng(1).integers(0, 12, len(X))
    y = y - 3 * X["a"] + 2 * a
    X["a"] = a
    return Case(Data(X, y), np.arange(12), 2.0 * np.arange(12))


def yes_or_no(column: str) -> Case:
    X, y = plain()
    flag = np.random.default_rng(1).random(len(X)) < 0.5
    y = y + 2 * flag - (3 * X["a"] if column == "a" else 0)
    X[column] = flag
    if column == "a":
        return Case(Data(X, y), np.array([False, True]), np.array([0.0, 2.0]))
    return numeric(X, y)


def dates() -> Case:
    X, y = plain()
    day = np.random.default_rng(1).integers(0, 1000, len(X))
    y = y - 3 * X["a"] + 0.01 * day
    X["a"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(day, unit="D")
    at = pd.date_range("2020-03-01", periods=10, freq="60D")
    return Case(Data(X, y), at.to_numpy(), 0.6 * np.arange(10))


CASES: dict[str, Callable[[], Case]] = {
    "missing values in the column asked": lambda: holes("a", np.nan),
    "missing values in another column": lambda: holes("b", np.nan),
    "missing values in the target": missing_target,
    "infinities in the column asked": lambda: holes("a", np.inf),
    "infinities in another column": lambda: holes("b", np.inf),
    "text asked": lambda: labels(lambda v: v.astype(object), "a"),
    "text in another column": lambda: labels(lambda v: v.astype(object), "c"),
    "a pandas category asked": lambda: labels(pd.Categorical, "a"),
    "a pandas category in another column": lambda: labels(pd.Categorical, "c"),
    "true and false asked": lambda: yes_or_no("a"),
    "true and false in another column": lambda: yes_or_no("c"),
    "whole numbers asked, 12 values": whole_numbers,
    "dates asked": dates,
    "one value in the whole column asked": constant,
    "another column equal to the one asked": twins,
    "three rows": three_rows,
}


def outcomes(tool: Tool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a tool makes of each case."""
    for name, build in CASES.items():
        yield name, outcome(tool, build())


def outcome(tool: Tool, case: Case) -> dict[str, Any]:
    """Return how much of the truth the curve shows, or the error; and what the tool says of it."""
    try:
        model = MODELS[tool.model](case.data) if tool.model else None
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200], "from": "fit"}
    try:
        (curve,) = tool.explain(case.data, [case.asked], model)
        values = np.asarray(curve(case.at), dtype=float)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:200], "from": "tool"}
    if not np.isfinite(values).all():
        return {"nothing": True, "said": curve.said}
    if case.truth is None:
        return {"rise": float(np.ptp(values)), "said": curve.said}
    off, truth = values - values.mean(), case.truth - case.truth.mean()
    return {"share": float(off @ truth / (truth @ truth)), "said": curve.said}
