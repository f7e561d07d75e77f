"""Figure 5: height and weight, with the kink where no woman is taller."""

from __future__ import annotations

import numpy as np
import pandas as pd
from body_weight_model import TREES, best_forest, body_weight, raw_shap
from looks import HOLDS, IF, NOT, Claim, Plate, draw_curve, error, listed, panels, slope, written

import paribus as pb
from paribus import models

TALLEST_WOMAN = 70.0
RANGES = {
    "all": (-np.inf, np.inf),
    "61 to 70": (61, TALLEST_WOMAN),
    "70 to 72.5": (TALLEST_WOMAN, 72.5),
    "70 to 75": (TALLEST_WOMAN, 75),
}
EXPLAINED = {"SHAP interventional": 300, "SHAP path-dependent": 2000}
MODELS = ("FPD/ICE", *EXPLAINED)


def draw() -> Plate:
    """Draw the figure."""
    data, X = body_weight()
    forest = best_forest()
    truth = data.truth["height"]
    interventional, by_path = EXPLAINED.values()
    found = {
        "FPD/ICE": models.ice(forest, X, "height", centred=False, curves=60),
        "SHAP interventional": models.shap(forest, X, "height", max_rows=interventional),
        "SHAP path-dependent": models.shap(forest, X, "height", mode="path_dependent",
                                           max_rows=by_path),
        "ALE, K = 300": models.ale(forest, X, "height", bins=300),
        "StratPD": pb.stratpd(data.X, data.y, "height"),
        "paribus": pb.effect(data.X, data.y, "height"),
    }  # fmt: skip
    figure, axes = panels(2, 3, y="change in weight, pounds", sharex=True, sharey=True)
    for ax, (name, effect) in zip(axes.flat, found.items(), strict=True):
        draw_curve(ax, effect, name, X["height"], truth)
        ax.axvline(TALLEST_WOMAN, color="#cccccc", linewidth=0.8, zorder=0)
    found["ALE, K = 40"] = models.ale(forest, X, "height", bins=40)
    slopes = {n: {r: slope(e, *ends) for r, ends in RANGES.items()} for n, e in found.items()}
    errors = {n: error(e, X["height"], truth) for n, e in found.items()}
    straight = {n: straightness(e) for n, e in found.items()}
    kinked = [n for n, s in slopes.items() if s["70 to 72.5"] < s["61 to 70"] - 1]
    pregnant = X[X["pregnant"] == 1]
    steps = [forest.predict(pregnant.assign(height=h)).mean() for h in (70, 71, 72.5)]
    drop = float((steps[2] - steps[1]) / 1.5)
    skew = {
        "SHAP interventional": importance(*raw_shap("interventional", interventional)),
        "SHAP path-dependent": importance(*raw_shap("tree_path_dependent", by_path)),
    }
    over = [parts["all"] > 1.02 for parts in skew.values()]
    past = {n: s["70 to 72.5"] for n, s in slopes.items()}
    claims = [
        Claim(
            "the partial derivative is 10; StratPD's and ALE's lines are the sharpest.",
            f"slopes in the table; error, of a line that runs over 150: {listed(errors, '.2g')}. "
            "StratPD's is sharp. ALE's is straight, but too shallow: sums of many small steps of "
            "a forest fall short, fewer bins do better.",
            HOLDS if errors["ALE, K = 300"] < min(errors[n] for n in MODELS) else IF,
        ),
        Claim(
            "FPD and SHAP suggest a linear relationship too, with a little less precision.",
            "share of a curve's variance along the axis that a straight line gives: "
            f"{listed(straight, '.4f')}.",
            HOLDS if min(straight.values()) > 0.97 else IF,
        ),
        Claim(
            "FPD and SHAP have kinks at the greatest height of a woman (70).",
            f"the slope falls by more than 1 past 70 for {', '.join(kinked) or 'none'}.",
            HOLDS if set(kinked) == set(MODELS) else IF if kinked else NOT,
        ),
        Claim(
            "the kinks cannot be laid on a poor choice of model alone, for ALE is straight.",
            f"the same forest, of OOB R2 {forest.oob_score_:.4f}: past 70 ALE's slope is "
            f"{past['ALE, K = 300']:.1f}, FPD's {past['FPD/ICE']:.1f}.",
            HOLDS if "ALE, K = 300" not in kinked else NOT,
        ),
        Claim(
            "beyond 70 the ICE lines of pregnant women go down as height goes up.",
            f"their mean slope is {steps[1] - steps[0]:.1f} from 70 to 71 and {drop:.1f} from 71 "
            "to 72.5.",
            HOLDS if drop < 0 else NOT,
        ),
        Claim(
            "mean |SHAP| overstates height's importance below 70, because of pregnant women.",
            "mean |SHAP|, relative to the base value, of rows below 70 as a share of 10 |height - "
            "mean of the background|: "
            + "; ".join(f"{name}: {listed(parts, '.2f')}" for name, parts in skew.items())
            + ".",
            HOLDS if all(over) else IF if any(over) else NOT,
        ),
        Claim(
            "half are women, half of these pregnant.",
            f"{X['sex'].mean():.1%} women, {X.loc[X['sex'] == 1, 'pregnant'].mean():.1%} of them "
            f"pregnant, of the men {X.loc[X['sex'] == 0, 'pregnant'].mean():.0%}.",
            HOLDS,
        ),
        Claim(
            "the forest's OOB R2 is 0.999.",
            f"{forest.oob_score_:.4f}.",
            HOLDS if forest.oob_score_ > 0.9985 else IF,
        ),
    ]
    setting = (
        f"Body weight, n = 2000, no noise; of three forests of {TREES} trees the one with the best "
        f"OOB R2 ({forest.max_features} of 4 columns a split); interventional SHAP: "
        f"{interventional} rows explained before 100 background rows. The truth (slope 10) dashed."
    )
    numbers = {"slope": slopes, "error": errors, "straight": straight, "pregnant_ice_slope": drop,
               "oob_r2": forest.oob_score_, "shap_importance_below_70": skew}  # fmt: skip
    rows = {n: {f"slope, {r}": f"{v:.2f}" for r, v in s.items()} for n, s in slopes.items()}
    for name, row in rows.items():
        row["error"] = written(errors[name], ".2g")
    return Plate(5, "Height and weight", setting, figure, claims, numbers, rows)


def straightness(effect: pb.NumericEffect) -> float:
    """Return the share of a curve's variance along the axis that a straight line gives."""
    at = np.linspace(effect.x[0], effect.x[-1], 200)
    return float(np.corrcoef(at, np.interp(at, effect.x, effect.effect))[0, 1] ** 2)


def importance(rows: pd.DataFrame, value: np.ndarray, mean: float) -> dict[str, float]:
    """Return mean |SHAP| of rows below 70 as a share of what the truth gives them."""
    truth = np.abs(10 * (rows["height"] - mean))
    low, pregnant = rows["height"] < TALLEST_WOMAN, rows["pregnant"] == 1
    groups = {"all": low, "pregnant": low & pregnant, "others": low & ~pregnant}
    return {name: float(np.abs(value[here]).mean() / truth[here].mean())
            for name, here in groups.items()}  # fmt: skip
