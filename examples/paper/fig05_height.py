"""Figure 5: height and weight, with the kink where no woman is taller."""

from __future__ import annotations

import numpy as np
import pandas as pd
from body_weight_model import body_weight
from looks import (
    HOLDS,
    IF,
    NOT,
    Claim,
    Plate,
    draw_curve,
    error,
    listed,
    panels,
    slope,
)

import paribus as pb
from paribus import models

TALLEST_WOMAN = 70.0


def draw() -> Plate:
    """Draw the figure."""
    data, X, forest = body_weight()
    found = {
        "FPD/ICE": models.ice(forest, X, "height", centred=False, curves=60),
        "SHAP interventional": models.shap(forest, X, "height", max_rows=500, background=100),
        "SHAP path-dependent": models.shap(forest, X, "height", mode="path_dependent",
                                           max_rows=2000),
        "ALE, K = 300": models.ale(forest, X, "height", bins=300),
        "StratPD": pb.stratpd(data.X, data.y, "height"),
        "paribus": pb.effect(data.X, data.y, "height"),
    }  # fmt: skip
    figure, axes = panels(2, 3, y="change in weight, pounds", sharex=True, sharey=True)
    for ax, (name, effect) in zip(axes.flat, found.items(), strict=True):
        draw_curve(ax, effect, name, X["height"], data.truth["height"])
        ax.axvline(TALLEST_WOMAN, color="#cccccc", linewidth=0.8, zorder=0)
    whole = {n: slope(e) for n, e in found.items()}
    below = {n: slope(e, 61, TALLEST_WOMAN) for n, e in found.items()}
    above = {n: slope(e, TALLEST_WOMAN, 75) for n, e in found.items()}
    beyond = {n: slope(e, TALLEST_WOMAN, 72.5) for n, e in found.items()}
    coarse = models.ale(forest, X, "height", bins=40)
    errors = {n: error(e, X["height"], data.truth["height"]) for n, e in found.items()}
    pregnant = X[X["pregnant"] == 1]
    steps = [forest.predict(pregnant.assign(height=h)).mean() for h in (70, 71, 72.5)]
    drop = float((steps[2] - steps[1]) / 1.5)
    errors["ALE, K = 40"] = error(coarse, X["height"], data.truth["height"])
    kinds = ("SHAP interventional", "SHAP path-dependent")
    skew = {name: importance(found[name], X["height"]) for name in kinds}
    worst = max(skew.values())
    claims = [
        Claim(
            "the partial derivative is 10; StratPD's and ALE's lines are the sharpest.",
            f"slope over the whole range: {listed(whole, '.2f')}; error: {listed(errors, '.2g')}. "
            "ALE is straight, but with K = 300 too shallow: sums of many small steps of a forest "
            "fall short, fewer bins do better.",
            IF,
        ),
        Claim(
            "FPD and SHAP have kinks at the greatest height of a woman (70).",
            f"slope below 70: {listed(below, '.1f')}; from 70 to 72.5: {listed(beyond, '.1f')}; "
            f"from 70 to 75: {listed(above, '.1f')}.",
            HOLDS,
        ),
        Claim(
            "beyond 70 the ICE lines of pregnant women go down as height goes up.",
            f"their mean slope is {steps[1] - steps[0]:.1f} from 70 to 71 and {drop:.1f} from 71 "
            "to 72.5.",
            HOLDS if drop < 0 else IF,
        ),
        Claim(
            "mean |SHAP| overstates height's importance below 70, because of pregnant women.",
            f"mean |SHAP| below 70 as a share of the truth's: {listed(skew, '.3f')}.",
            HOLDS if worst > 1.02 else NOT,
        ),
        Claim(
            "the forest's OOB R2 is 0.999.",
            f"{forest.oob_score_:.4f}.",
            HOLDS if forest.oob_score_ > 0.9985 else IF,
        ),
    ]
    setting = (
        "Body weight, n = 2000, no noise, forest of 50 trees, untuned; interventional SHAP: 500 "
        "rows explained before 100 background rows. The truth (slope 10) dashed."
    )
    numbers = {"slope": whole, "below_70": below, "above_70": above, "70_to_72.5": beyond,
               "error": errors, "pregnant_ice_slope": drop, "oob_r2": forest.oob_score_,
               "shap_importance_below_70": skew}  # fmt: skip
    return Plate(5, "Height and weight", setting, figure, claims, numbers)


def importance(effect: pb.NumericEffect, height: pd.Series) -> float:
    """Return mean |SHAP| of rows below 70 as a share of what the truth gives them."""
    at, value = np.asarray(effect.cloud.at), np.asarray(effect.cloud.value)
    low = at < TALLEST_WOMAN
    truth = 10 * (at - height.mean())
    return float(np.abs(value[low]).mean() / np.abs(truth[low]).mean())
