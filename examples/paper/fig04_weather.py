"""Figure 4: temperature by state."""

from __future__ import annotations

import numpy as np
import pandas as pd
from looks import GREY, HOLDS, IF, INK, NOT, Claim, Plate, draw_levels, listed, panels
from sklearn.ensemble import RandomForestRegressor

import paribus as pb
from paribus import models
from paribus.datasets import STATES


def draw() -> Plate:
    """Draw the figure."""
    data = pb.datasets.weather(3, seed=0)
    X = pd.DataFrame(dict(data.X))
    states = sorted(STATES)
    coded = X.assign(state=X["state"].map(states.index))
    forest = RandomForestRegressor(100, min_samples_leaf=5, oob_score=True, random_state=0)
    forest.fit(coded, data.y)
    asked = {"kind": "categorical"}
    found = {
        "FPD/ICE, forest": named(
            models.ice(forest, coded, "state", centred=False, **asked), states
        ),
        "ALE, forest": named(models.ale(forest, coded, "state", **asked), states),
        "CatStratPD": pb.catstratpd(data.X, data.y, "state"),
        "paribus": pb.effect(data.X, data.y, "state"),
    }
    figure, axes = panels(1, 5, y="temperature")
    axes[0, 1].set_ylabel("change in temperature", fontsize=8)
    _marginal(axes[0, 0], X, data.y, states)
    errors = {}
    for ax, (name, effect) in zip(axes[0, 1:], found.items(), strict=True):
        draw_levels(ax, effect, name, STATES)
        apart = effect.effect - np.array([STATES[level] for level in effect.levels])
        errors[name] = float(np.abs(apart - np.average(apart, weights=effect.count)).max())
    worst = max(errors[name] for name in errors if name != "paribus")
    days = X.groupby("state")["dayofyear"].mean().to_dict()
    smear = float(np.ptp(found["FPD/ICE, forest"].trials, axis=0).mean())
    claims = [
        Claim(
            "all plots identify the baseline temperature of each state correctly.",
            f"largest error of a state, in degrees (noise sd 4): {listed(errors, '.2f')}; bases "
            "are 40 to 90.",
            HOLDS if worst < 1.5 else IF,
        ),
        Claim(
            "state is independent of the day.",
            "so the plain means are right as well: a state is drawn at random for each day. Mean "
            f"day of the year by state: {listed(days, '.0f')}.",
            HOLDS if max(days.values()) - min(days.values()) < 40 else NOT,
        ),
        Claim(
            "the vertical smear of the FPD plot shows the whole sine waves from the side.",
            f"the ICE lines of a state are {smear:.1f} degrees apart, the wave runs over 20.",
            HOLDS if abs(smear - 20) < 4 else IF,
        ),
    ]
    setting = (
        "Temperature = base of the state + 10 sin(2 pi/365 day + pi) + noise (sd 4), three years, "
        f"n = {len(data.y):,}; forest OOB R2 {forest.oob_score_:.3f}; the truth dashed, bars "
        "relative to the mean."
    )
    return Plate(4, "State and temperature", setting, figure, claims, {"largest_error": errors})


def named(effect: pb.CategoricalEffect, levels: list[str]) -> pb.CategoricalEffect:
    """Give coded levels their names back."""
    from dataclasses import replace

    return replace(effect, levels=tuple(levels[int(k)] for k in effect.levels))


def _marginal(ax, X: pd.DataFrame, y, states: list[str]) -> None:
    ax.set_title("marginal, mean of three years", fontsize=9)
    for k, state in enumerate(states):
        here = X["state"] == state
        mean = pd.Series(y[here]).groupby((X["dayofyear"][here] // 20).to_numpy()).mean()
        ax.plot(mean.index * 20 + 10, mean, color=(INK, GREY)[k % 2], linewidth=1)
        ax.annotate(state, (366, float(mean.iloc[-1])), fontsize=7, annotation_clip=False)
    ax.set_xlabel("day of the year", fontsize=8)
