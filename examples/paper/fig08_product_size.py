"""Figure 8: what a bulldozer's size goes with."""

from __future__ import annotations

import numpy as np
from bulldozer_model import PAPERS, curves, machines, pairwise, plate
from looks import BESIDE, HOLDS, IF, NOT, Claim, Plate, listed

import paribus as pb


def draw() -> Plate:
    """Draw the figure."""
    figure, found = curves("ProductSize", together=("ModelID",))
    figure.axes[-1].set_title("paribus, together=['ModelID']", fontsize=9)
    table, X, _ = machines()
    alone = pb.effect(table.X, table.y, "ProductSize")
    sizes = np.arange(6.0)
    values = {
        n: np.interp(sizes, e.x, e.effect, right=np.nan) - float(np.interp(0, e.x, e.effect))
        for n, e in found.items()
    }
    paper = found["StratPD, 10 trials"]
    central = pb.stratpd(X, table.y, "ProductSize", difference="central")
    known = ~np.isnan(values["StratPD, 10 trials"])
    alike = pairwise({n: v[known] for n, v in values.items()})
    for_sizes = {f"size {k}": {n: float(values[n][k]) for n in PAPERS} for k in (3, 4)}
    *others, strat = PAPERS
    lower = all(v[strat] < min(v[n] for n in others) for v in for_sizes.values())
    shares = {s: v[strat] / v["SHAP"] for s, v in for_sizes.items()}
    claims = [
        Claim(
            "all plots have roughly the same shape.",
            "correlation of the four, two by two, over the sizes that all have: "
            f"{listed(alike, '.2f')}.",
            HOLDS if min(alike.values()) > 0.9 else IF,
        ),
        Claim(
            "StratPD lacks a dot for size 5, for a forward difference has none at the right edge; "
            "a central difference is announced.",
            f"its last size is {paper.x[-1]:g}; with difference='central' it is {central.x[-1]:g}.",
            HOLDS if paper.x[-1] < 5 and central.x[-1] == 5 else NOT,
        ),
        Claim(
            "StratPD takes sizes 3 and 4 as worth less than the other techniques do.",
            "dollars above size 0: "
            + "; ".join(f"{s}: {listed(v, ',.0f')}" for s, v in for_sizes.items())
            + ".",
            HOLDS if lower else IF,
        ),
        Claim(
            "though StratPD's might be in line with the average SHAP values.",
            f"StratPD's dollars as a share of mean SHAP's: {listed(shares, '.2f')}.",
            HOLDS if min(shares.values()) > 0.8 else NOT,
        ),
        Claim(
            "our curve.",
            "dollars above size 0, ModelID moved together: "
            + ", ".join(f"size {k} {values['paribus'][k]:,.0f}" for k in (3, 4))
            + ".",
            BESIDE,
        ),
        Claim(
            "ModelID is among the columns held still, numbered.",
            f'with ModelID as the category that it is: "{alone.notes[-1]}" A numbered ModelID only '
            "hides that; our panel moves both together.",
            BESIDE,
        ),
    ]
    numbers = {"dollars_above_size_0": {n: v.tolist() for n, v in values.items()},
               "correlation": alike}  # fmt: skip
    return plate(8, "Bulldozers: ProductSize", figure, claims, numbers)
