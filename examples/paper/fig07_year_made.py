"""Figure 7: what a bulldozer's year goes with."""

from __future__ import annotations

import numpy as np
from bulldozer_model import curves, machines, plate
from looks import HOLDS, IF, Claim, Plate, listed

LOW, HIGH = 1980.0, 2005.0


def draw() -> Plate:
    """Draw the figure."""
    figure, found = curves("YearMade")
    for ax in figure.axes:
        ax.set_xlim(1955, 2013)
        ax.set_ylim(-40_000, 50_000)
    at = np.linspace(LOW, HIGH, 100)
    on_axis = {n: np.interp(at, e.x, e.effect) for n, e in found.items()}
    rises = {n: float(v[-1] - v[0]) for n, v in on_axis.items()}
    ours = on_axis["paribus"]
    alike = {n: float(np.corrcoef(v, ours)[0, 1]) for n, v in on_axis.items() if n != "paribus"}
    score = machines()[2].oob_score_
    trials = found["StratPD, 10 trials"].trials
    ends = [np.interp([LOW, HIGH], found["StratPD, 10 trials"].x, t) for t in trials]
    changes = [float(b - a) for a, b in ends]
    paper = found["paribus"]
    claims = [
        Claim(
            "shape and magnitude of the FPD, SHAP, ALE and StratPD curves are similar.",
            f"dollars from {LOW:.0f} to {HIGH:.0f}: {listed(rises, ',.0f')}; correlation of each "
            f"curve with ours there: {listed(alike, '.2f')}.",
            HOLDS
            if min(alike.values()) > 0.95 and max(rises.values()) < 2 * min(rises.values())
            else IF,
        ),
        Claim(
            "older bulldozers are worth less at auction.",
            f"by every method; ours: {paper.summary()}",
            HOLDS if min(rises.values()) > 0 else IF,
        ),
        Claim(
            "ten bootstrap trials describe StratPD's variability.",
            f"their changes from {LOW:.0f} to {HIGH:.0f} run from {min(changes):,.0f} to "
            f"{max(changes):,.0f}; a bootstrap that regrows the tree repeats its bias, and is no "
            "interval.",
            IF,
        ),
        Claim(
            "the forest's OOB R2 is 0.85.",
            f"{score:.2f}, on other rows and columns.",
            HOLDS if abs(score - 0.85) < 0.05 else IF,
        ),
    ]
    numbers = {"rise_1980_2005": rises, "correlation": alike, "oob_r2": score,
               "trial_changes": changes}  # fmt: skip
    return plate(7, "Bulldozers: YearMade", figure, claims, numbers)
