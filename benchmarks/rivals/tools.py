"""What each tool is asked, in its own words; every one returns curves.

A tool is imported when it is used, for not all of them live in the same environment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

GRID = 100  # points of a partial dependence, scikit-learn's default
BINS = 40  # equal-count bins in which SHAP values are averaged
SHAP_ROWS = 500
NATIVE_LEVELS = 255  # what HistGradientBoosting takes as a category
SORTED_LEVELS = 100  # PyALE sorts levels by comparing all pairs: beyond, codes in their order


@dataclass(frozen=True, slots=True)
class Data:
    """A table, a target, and which columns hold codes of categories."""

    X: pd.DataFrame
    y: pd.Series
    categories: tuple[str, ...] = ()

    def head(self, n: int) -> Data:
        """Return the first rows."""
        return replace(self, X=self.X.iloc[:n], y=self.y.iloc[:n])


@dataclass(frozen=True, slots=True)
class Curve:
    """Values at places, and what the tool says beside them."""

    value: Callable[[Any], np.ndarray]
    said: tuple[str, ...] = ()

    def __call__(self, at: Any) -> np.ndarray:
        """Return the values."""
        return self.value(at)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool by name: where it runs, which model it explains, and how it is called."""

    place: str
    explain: Callable[[Data, Sequence[str], Any], list[Curve]]
    model: str | None = None
    too_dear: bool = False  # for errors over many data sets: only its time is measured


# ---- curves -----------------------------------------------------------------------------------
def line(x: Any, effect: Any) -> Curve:
    """Return the curve through the points that there are."""
    x, effect = numbers(x), np.asarray(effect, dtype=float)
    x, effect = x[np.isfinite(x)], effect[np.isfinite(x)]
    if len(x) == 0:
        return Curve(lambda at: np.full(len(at), np.nan))
    return Curve(lambda at: np.interp(numbers(at), x, effect))


def numbers(values: Any) -> np.ndarray:
    """Return values, or dates, as floats."""
    values = np.asarray(values)
    return values.astype("M8[ns]" if values.dtype.kind == "M" else float).astype(float)


def steps(levels: Any, effect: Any) -> Curve:
    """Return the value at each level; a level that the tool leaves out is not known."""
    known = dict(zip(np.asarray(levels).tolist(), np.asarray(effect, float).tolist(), strict=True))
    return Curve(lambda at: np.array([known.get(v, np.nan) for v in np.asarray(at).tolist()]))


# ---- models -----------------------------------------------------------------------------------
def boosting(data: Data, native: bool = True) -> Any:
    """Fit HistGradientBoosting with its defaults; categories are declared where it takes them."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    few = [c for c in data.categories if native and data.X[c].max() < NATIVE_LEVELS]
    options = {"categorical_features": few} if few else {}
    return HistGradientBoostingRegressor(random_state=0, **options).fit(data.X, data.y)


def boosting_on_codes(data: Data) -> Any:
    """Fit HistGradientBoosting on codes as numbers: what shap can read, and PDP can recurse in."""
    return boosting(data, native=False)


def forest(data: Data) -> Any:
    """Fit a random forest of 100 trees with its defaults."""
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(random_state=0, n_jobs=-1).fit(data.X, data.y)


MODELS = {"boosting": boosting, "boosting on codes": boosting_on_codes, "forest": forest}


# ---- tools ------------------------------------------------------------------------------------
def paribus(data: Data, columns: Sequence[str], _: Any) -> list[Curve]:
    """Explain without a model."""
    import paribus as pb

    kinds = dict.fromkeys(data.categories, "categorical")
    effects = pb.effects(data.X, data.y, features=columns, kind=kinds)
    return [paribus_curve(effects[column]) for column in columns]


def paribus_curve(effect: Any) -> Curve:
    """Return the curve of an effect, in the target's own unit; levels of other islands unknown."""
    import paribus as pb

    values = effect.effect / (100.0 if effect.unit else 1.0)
    if isinstance(effect, pb.CategoricalEffect):
        curve = steps(effect.levels, np.where(effect.island == 0, values, np.nan))
    else:
        curve = line(effect.x, np.nan_to_num(values))
    return replace(curve, said=tuple(map(str, effect.notes)))


def stratx(data: Data, columns: Sequence[str], _: Any) -> list[Curve]:
    """Ask the authors' package, with its defaults."""
    return [stratx_curve(data, column) for column in columns]


def stratx_curve(data: Data, column: str) -> Curve:
    """Explain one column; categories must be whole codes."""
    from stratx.partdep import cat_partial_dependence, partial_dependence

    if column in data.categories:
        X = data.X.assign(**{column: data.X[column].astype(int)})
        values = cat_partial_dependence(X, data.y, column)[2]
        return steps(np.arange(len(values)), values)
    found = partial_dependence(data.X, data.y, column)
    return line(found[5], found[6])


def pdp(data: Data, columns: Sequence[str], model: Any, method: str = "auto") -> list[Curve]:
    """Ask scikit-learn for partial dependence over the whole range, with its default method.

    For trees that is recursion. With declared categories recursion takes one column for another,
    so there it is brute force.
    """
    from sklearn.inspection import partial_dependence

    if data.categories and getattr(model, "is_categorical_", None) is not None:
        method = "brute"
    curves = []
    for column in columns:
        category = column in data.categories
        found = partial_dependence(
            model,
            data.X,
            [column],
            categorical_features=[column] if category else None,
            grid_resolution=GRID,
            percentiles=(0, 1),
            method=method,
            kind="average",
        )
        draw = steps if category else values_or_line
        curves.append(draw(found["grid_values"][0], found["average"][0]))
    return curves


def pdp_brute(data: Data, columns: Sequence[str], model: Any) -> list[Curve]:
    """Ask scikit-learn for partial dependence by its definition."""
    return pdp(data, columns, model, "brute")


def values_or_line(x: Any, effect: Any) -> Curve:
    """Return a line where x is a number and steps elsewhere."""
    return (line if np.asarray(x).dtype.kind in "iufM" else steps)(x, effect)


def pyale(data: Data, columns: Sequence[str], model: Any) -> list[Curve]:
    """Ask PyALE, with its defaults (20 bins)."""
    return [pyale_curve(data, column, model) for column in columns]


def pyale_curve(data: Data, column: str, model: Any) -> Curve:
    """Explain one column; levels are ordered by likeness of the other columns."""
    from PyALE import ale

    options: dict[str, Any] = {}
    if column in data.categories:
        options["feature_type"] = "discrete"
        if data.X[column].nunique() <= SORTED_LEVELS:
            options = {
                "feature_type": "categorical",
                "encode_fun": lambda levels: levels.astype(float),
                "predictors": list(data.X),
            }
    found = ale(data.X.copy(), model, [column], plot=False, **options)
    if column in data.categories:
        return steps(found.index.astype(float), found["eff"])
    return values_or_line(found.index, found["eff"])


def effector(data: Data, columns: Sequence[str], model: Any) -> list[Curve]:
    """Ask effector for accumulated local effects of all rows (its default takes 10,000)."""
    import effector as tool

    names = list(data.X)
    kinds = ["nominal" if name in data.categories else "continuous" for name in names]
    schema = {"feature_names": names, **({"feature_types": kinds} if data.categories else {})}
    flags = {name: float for name in names if data.X[name].dtype == bool}
    found = tool.ALE(
        data.X.astype(flags).to_numpy(),
        lambda rows: model.predict(pd.DataFrame(rows, columns=names)),
        nof_instances="all",
        schema=schema,
    )

    def curve(column: str) -> Curve:
        return Curve(lambda at: found.eval(names.index(column), np.asarray(at, dtype=float)))

    return [curve(column) for column in columns]


def shap(data: Data, columns: Sequence[str], model: Any) -> list[Curve]:
    """Average the SHAP values of a sample of rows where x is alike (path-dependent)."""
    from shap import TreeExplainer

    rows = data.X.sample(min(SHAP_ROWS, len(data.X)), random_state=0)
    values = TreeExplainer(model).shap_values(rows)
    place = {column: k for k, column in enumerate(data.X)}
    return [shap_curve(rows[c], values[:, place[c]], c in data.categories) for c in columns]


def shap_curve(x: pd.Series, values: np.ndarray, category: bool) -> Curve:
    """Return the mean SHAP value at each level, or in bins of equal count."""
    table = pd.DataFrame({"x": x.to_numpy(), "value": values})
    if x.dtype.kind == "f":
        table = table[np.isfinite(table["x"])]
    if category or x.nunique() <= BINS:
        means = table.groupby("x", observed=True)["value"].mean()
        return (steps if category else values_or_line)(means.index, means)
    means = table.groupby(pd.qcut(table["x"], BINS, duplicates="drop"), observed=True).mean()
    return line(means["x"], means["value"])


TOOLS: dict[str, Tool] = {
    "paribus": Tool("paribus", paribus),
    "stratx": Tool("stratx", stratx),
    "PDP, boosting": Tool("rivals", pdp, "boosting"),
    "PDP by brute force, boosting": Tool("rivals", pdp_brute, "boosting", too_dear=True),
    "PyALE, boosting": Tool("rivals", pyale, "boosting"),
    "effector, boosting": Tool("rivals", effector, "boosting"),
    "shap, boosting": Tool("rivals", shap, "boosting on codes"),
    "PDP, forest": Tool("rivals", pdp, "forest"),
    "PyALE, forest": Tool("rivals", pyale, "forest"),
    "effector, forest": Tool("rivals", effector, "forest"),
    "shap, forest": Tool("rivals", shap, "forest", too_dear=True),
}
