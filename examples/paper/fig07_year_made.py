"""Figure 7: what a bulldozer's year goes with."""

from __future__ import annotations

import numpy as np
from bulldozer_model import PAPERS, curves, machines, pairwise, plate
from looks import BESIDE, HOLDS, IF, NOT, UNKNOWN, Claim, Plate, listed

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
    alike = pairwise(on_axis)
    compared = [rises[n] for n in PAPERS]
    _, X, forest = machines()
    weights = forest.feature_importances_
    rank = 1 + int(np.sum(weights > weights[list(X).index("YearMade")]))
    year = X["YearMade"]
    left = float(np.mean(year < (year.min() + year.max()) / 2))
    score = forest.oob_score_
    trials = found["StratPD, 10 trials"].trials
    ends = [np.interp([LOW, HIGH], found["StratPD, 10 trials"].x, t) for t in trials]
    changes = [float(b - a) for a, b in ends]
    claims = [
        Claim(
            "shape and magnitude of the FPD, SHAP, ALE and StratPD curves are similar.",
            f"correlation of these four, two by two, from {LOW:.0f} to {HIGH:.0f}: "
            f"{min(alike.values()):.2f} to {max(alike.values()):.2f}; dollars between these years: "
            f"{listed({n: rises[n] for n in PAPERS}, ',.0f')}, at most "
            f"{max(compared) / min(compared):.2f} times the least.",
            HOLDS if min(alike.values()) > 0.95 and max(compared) < 2 * min(compared) else IF,
        ),
        Claim(
            "older bulldozers are worth less at auction.",
            "by each of the four.",
            HOLDS if min(compared) > 0 else IF,
        ),
        Claim(
            "YearMade is very predictive of the sale price.",
            f"by the forest's own importances it is number {rank} of {X.shape[1]} columns.",
            HOLDS if rank <= 3 else IF,
        ),
        Claim(
            "few rows lie at the extreme left of YearMade.",
            f"{left:.1%} of the rows lie in the left half of its range.",
            HOLDS if left < 0.1 else NOT,
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
            f"{score:.2f}, on other rows and columns: the paper's are not at hand.",
            UNKNOWN,
        ),
        Claim(
            "our curve.",
            f"{rises['paribus']:,.0f} dollars between these years. {found['paribus'].summary()}",
            BESIDE,
        ),
    ]
    numbers = {"rise_1980_2005": rises, "correlation": alike, "oob_r2": score,
               "trial_changes": changes}  # fmt: skip
    return plate(7, "Bulldozers: YearMade", figure, claims, numbers)
