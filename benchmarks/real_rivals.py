"""What a careful analyst would do instead: least squares with splines, or partialling out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import statsmodels.api as sm
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import SplineTransformer

from real_designs import Draw

FEW_VALUES = 8  # numbers of fewer values, and tables of few rows, get no curves
ROWS_PER_SPLINE = 75
ALONE = 1 - 1e-8  # leverage of a row that a dummy of its own fits, as that of a rare level
FOLDS = 5
MOST_LEVELS = 255  # that boosting takes as categories
FEWEST_BINS = 63  # of a number, as fine as a few thousand rows allow and three times as fast
Estimate = tuple[float, float]  # a contrast and its standard error


def least_squares(drawn: Draw, pairs: Sequence[tuple[Any, Any]]) -> list[Estimate]:
    """Return contrasts by least squares on splines and dummies, complete rows, HC3 or clusters."""
    rows = complete_rows(drawn, list(drawn.table))
    table, y, options = pick(drawn, rows)
    curves = len(y) >= ROWS_PER_SPLINE * len(table)
    of_x, code = coded_x(table["x"])
    held = [v for name, v in table.items() if name != "x"]
    if "within" in options:
        held.append(as_text(options["within"]))
    others = [pieces(v, curves) for v in held]
    design = np.column_stack([np.ones(len(y)), of_x, *others])
    used = leverage(design[:, independent(design)]) < ALONE
    kept = independent(design[used])
    weights = options.get("weights", np.ones(len(y)))
    together = options.get("cluster", options.get("within"))
    errors: dict[str, Any] = {"cov_type": "HC3"}
    if together is not None:
        unit = np.unique(together[used], return_inverse=True)[1]
        errors = {"cov_type": "cluster", "cov_kwds": {"groups": unit}}
    fit = sm.WLS(y[used], design[used][:, kept], weights=weights[used]).fit(**errors)
    covariance = fit.cov_params()
    out = []
    for a, b in pairs:
        c = np.zeros(design.shape[1])
        c[1 : 1 + of_x.shape[1]] = np.diff(code([a, b]), axis=0)[0]
        c = c[kept]
        out.append((float(c @ fit.params), float(np.sqrt(max(c @ covariance @ c, 0.0)))))
    return out


def partialling_out(drawn: Draw, pairs: Sequence[tuple[Any, Any]]) -> list[Estimate]:
    """Return contrasts by residuals on residuals of cross-fitted boosting, robust errors."""
    table, y, options = pick(drawn, complete_rows(drawn, ["x"]))
    of_x, code = coded_x(table["x"], linear=True)
    together = options.get("cluster", options.get("within"))
    held, categories = as_codes([v for name, v in table.items() if name != "x"])
    if "within" in options:
        of_x, y, held = (less_means(v, options["within"]) for v in (of_x, y, held))
    weights = options.get("weights", np.ones(len(y)))
    targets = np.column_stack([y, of_x])
    left = np.empty_like(targets)
    split = KFold(FOLDS, shuffle=True, random_state=0) if together is None else GroupKFold(FOLDS)
    for train, test in split.split(held, groups=together):
        for k in range(targets.shape[1]):
            model = HistGradientBoostingRegressor(
                max_iter=100, categorical_features=categories, early_stopping=False,
                min_samples_leaf=min(20, max(5, len(train) // 20)),
                max_bins=max([FEWEST_BINS, *(len(np.unique(held[:, j])) for j in categories)]),
            )  # fmt: skip
            model.fit(held[train], targets[train, k], sample_weight=weights[train])
            left[test, k] = targets[test, k] - model.predict(held[test])
    r, rx = left[:, 0], left[:, 1:]
    bread = np.linalg.pinv(rx.T @ (weights[:, None] * rx))
    slopes = bread @ rx.T @ (weights * r)
    scores = rx * (weights * (r - rx @ slopes))[:, None]
    if together is not None:
        unit = np.unique(together, return_inverse=True)[1]
        scores = np.array([np.bincount(unit, s) for s in scores.T]).T
    covariance = bread @ scores.T @ scores @ bread
    out = []
    for a, b in pairs:
        c = np.diff(code([a, b]), axis=0)[0]
        out.append((float(c @ slopes), float(np.sqrt(c @ covariance @ c))))
    return out


RIVALS = {"least squares": least_squares, "partialling out": partialling_out}


# ---- columns to numbers -------------------------------------------------------------------------
def is_text(values: np.ndarray) -> bool:
    return values.dtype.kind in "OU"


def is_missing(values: np.ndarray) -> np.ndarray:
    if is_text(values):
        return np.array([v is None for v in values])
    return np.isnat(values) if values.dtype.kind == "M" else np.isnan(values.astype(float))


def as_numbers(values: np.ndarray) -> np.ndarray:
    return (
        values.astype("datetime64[D]").astype(float) if values.dtype.kind == "M" else values * 1.0
    )


def as_text(values: np.ndarray) -> np.ndarray:
    return np.asarray(values).astype(str).astype(object)


def complete_rows(drawn: Draw, names: Sequence[str]) -> np.ndarray:
    return np.flatnonzero(~np.any([is_missing(drawn.table[name]) for name in names], axis=0))


def pick(drawn: Draw, rows: np.ndarray) -> tuple[dict, np.ndarray, dict]:
    """Return table, target and options of some rows."""
    table = {name: v[rows] for name, v in drawn.table.items()}
    return table, drawn.y[rows] * 1.0, {k: np.asarray(v)[rows] for k, v in drawn.options.items()}


def coded_x(x: np.ndarray, *, linear: bool = False) -> tuple[np.ndarray, Any]:
    """Return the columns that stand for x, and a function that codes other values likewise."""
    if is_text(x):
        levels = sorted(set(x))[1:]
        code = lambda v: np.array([[float(one == level) for level in levels] for one in v])  # noqa: E731
    elif linear or len(np.unique(x)) < FEW_VALUES:
        code = lambda v: np.array(v, dtype=float)[:, None]  # noqa: E731
        if not linear and len(np.unique(x)) > 2:
            values = np.unique(x)[1:]
            code = lambda v: (np.array(v)[:, None] == values) * 1.0  # noqa: E731
    else:
        spline = splines(x)
        code = lambda v: spline.transform(np.array(v, dtype=float)[:, None])[:, :-1]  # noqa: E731
    return code(x), code


def splines(x: np.ndarray) -> SplineTransformer:
    """Fit cubic splines with knots at quantiles."""
    knots = np.unique(np.quantile(x, np.linspace(0, 1, 5)))
    return SplineTransformer(knots=knots[:, None], extrapolation="linear").fit(x[:, None])


def pieces(values: np.ndarray, curves: bool) -> np.ndarray:
    """Return the columns that stand for a confounder."""
    if is_text(values):
        levels = np.unique(values.astype(str))
        return (values.astype(str)[:, None] == levels[1:]) * 1.0
    values = as_numbers(values)
    if not curves or len(np.unique(values)) < FEW_VALUES:
        return values[:, None]
    return splines(values).transform(values[:, None])[:, :-1]


def independent(design: np.ndarray) -> np.ndarray:
    """Say which columns are no combination of those before them."""
    diagonal = np.abs(np.diag(np.linalg.qr(design, mode="r")))
    return diagonal > 1e-9 * np.linalg.norm(design, axis=0)


def leverage(design: np.ndarray) -> np.ndarray:
    return np.sum(np.linalg.qr(design)[0] ** 2, axis=1)


def as_codes(held: Sequence[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Return confounders as boosting takes them, and which of them are categories."""
    out, categories = [], []
    for k, values in enumerate(held):
        if is_text(values):
            levels, code = np.unique([str(v) for v in values], return_inverse=True)
            code = np.where(is_missing(values), np.nan, code)
            if len(levels) < MOST_LEVELS:
                categories.append(k)
            out.append(code)
        else:
            out.append(as_numbers(values))
    return np.column_stack(out), categories


def less_means(values: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Take away each unit's mean."""
    code = np.unique(unit, return_inverse=True)[1]
    two = values.reshape(len(values), -1)
    means = np.array([np.bincount(code, v) for v in two.T]) / np.bincount(code)
    return (two - means.T[code]).reshape(values.shape)
