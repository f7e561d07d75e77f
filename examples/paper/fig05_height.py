"""Figure 5: height and weight, with the kink where no woman is taller."""

from __future__ import annotations

import numpy as np
from body_weight_model import body_weight
from looks import (
    HOLDS,
    IF,
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
        "SHAP interventional": models.shap(forest, X, "height", max_rows=1000, background=100),
        "SHAP path-dependent": models.shap(forest, X, "height", mode="path_dependent",
                                           max_rows=2000),
        "ALE, K = 300": models.ale(forest, X, "height", bins=300),
        "StratPD": pb.stratpd(data.X, data.y, "height"),
        "paribus": pb.effect(data.X, data.y, "height"),
    }  # fmt: skip
    figure, axes = panels(2, 3, sharex=True, sharey=True)
    for ax, (name, effect) in zip(axes.flat, found.items(), strict=True):
        draw_curve(ax, effect, name, X["height"], data.truth["height"])
        ax.axvline(TALLEST_WOMAN, color="#cccccc", linewidth=0.8, zorder=0)
    whole = {n: slope(e) for n, e in found.items()}
    below = {n: slope(e, 61, TALLEST_WOMAN) for n, e in found.items()}
    above = {n: slope(e, TALLEST_WOMAN, 75) for n, e in found.items()}
    beyond = {n: slope(e, TALLEST_WOMAN, 72.5) for n, e in found.items()}
    errors = {n: error(e, X["height"], data.truth["height"]) for n, e in found.items()}
    pregnant = np.flatnonzero(X["pregnant"])[:50]
    lines = models.ice(forest, X.iloc[pregnant], "height", curves=50)
    drop = slope(lines, TALLEST_WOMAN, 72.5)
    skew, skew_pregnant = _importance(forest, X)
    claims = [
        Claim(
            "the partial derivative is 10; StratPD's and ALE's lines are the sharpest.",
            f"slope over the whole range: {listed(whole, '.2f')}; error: {listed(errors, '.2g')}. "
            "ALE with K = 300 is less sharp than with fewer bins, but ahead of FPD and SHAP.",
            HOLDS if errors["ALE, K = 300"] < errors["FPD/ICE"] else IF,
        ),
        Claim(
            "FPD and SHAP have kinks at the greatest height of a woman (70).",
            f"slope below 70: {listed(below, '.1f')}; from 70 to 72.5: {listed(beyond, '.1f')}; "
            f"from 70 to 75: {listed(above, '.1f')}.",
            HOLDS,
        ),
        Claim(
            "beyond 70 the ICE lines of pregnant women go down as height goes up.",
            f"their mean slope from 70 to 72.5 is {drop:.1f}.",
            HOLDS if drop < 0 else IF,
        ),
        Claim(
            "mean |SHAP| overstates height's importance below 70, because of pregnant women.",
            f"mean |SHAP| below 70, over that of the truth: {skew:.3f} for all rows, "
            f"{skew_pregnant:.3f} for pregnant women.",
            HOLDS if skew_pregnant > skew > 1 else IF,
        ),
        Claim(
            "the forest's OOB R2 is 0.999.",
            f"{forest.oob_score_:.4f}.",
            HOLDS if forest.oob_score_ > 0.9985 else IF,
        ),
    ]
    setting = (
        "Body weight, n = 2000, no noise, forest of 100 trees, untuned; interventional SHAP: 1000 "
        "rows explained before 100 background rows. The truth (slope 10) dashed."
    )
    numbers = {"slope": whole, "below_70": below, "above_70": above, "70_to_72.5": beyond,
               "error": errors, "pregnant_ice_slope": drop, "oob_r2": forest.oob_score_,
               "shap_importance_below_70": {"all": skew, "pregnant": skew_pregnant}}  # fmt: skip
    return Plate(5, "Height and weight", setting, figure, claims, numbers)


def _importance(forest, X) -> tuple[float, float]:
    """Return mean |SHAP| below 70 over that of the truth, for all rows and for the pregnant."""
    rows = X.iloc[:1000]
    cloud = models.shap(forest, rows, "height", max_rows=1000, background=100).cloud
    at, value = np.asarray(cloud.at), np.asarray(cloud.value)
    truth = 10 * (at - X["height"].mean())
    value = value - value.mean() + truth.mean()
    low = at < TALLEST_WOMAN
    pregnant = rows["pregnant"].to_numpy() == 1

    def ratio(who):
        return float(np.abs(value[who]).mean() / np.abs(truth[who]).mean())

    return ratio(low), ratio(low & pregnant)
