"""Figure 10: a column and its copy."""

from __future__ import annotations

import numpy as np
from looks import BESIDE, HOLDS, IF, NOT, Claim, Plate, draw_curve, listed, panels, slope

import paribus as pb

N, SLOPE = 2000, 3.0


def twins(seed: int, noise: float = 0.0) -> dict[str, np.ndarray]:
    """Make a table in which `copy` is `x`, but for noise."""
    rng = np.random.default_rng(seed)
    x, z, w = rng.uniform(0, 10, (3, N))
    y = SLOPE * x + 2 * z + rng.normal(size=N)
    return {"x": x, "copy": x + noise * rng.normal(size=N), "z": z, "w": w, "y": y}


def draw() -> Plate:
    """Draw the figure."""
    data = twins(0)
    remedy = {"n_trees": 30, "bootstrap": True}
    tree = pb.stratpd(data, "y", "x")
    found = {
        "StratPD, single tree": tree,
        "forest, all columns": pb.stratpd(data, "y", "x", **remedy),
        "forest, 1 column a split": pb.stratpd(data, "y", "x", max_features=1, **remedy),
        "paribus": pb.effect(data, "y", "x", tidy=False),
        "paribus, together=['copy']": pb.effect(data, "y", "x", together=["copy"]),
    }
    figure, axes = panels(1, 5, y="change in y", sharey=True)
    for ax, (name, effect) in zip(axes.flat, found.items(), strict=True):
        draw_curve(ax, effect, name, data["x"], lambda x: SLOPE * np.asarray(x))
    slopes = {n: slope(e) if e.explained else float("nan") for n, e in found.items()}
    note = next(str(n) for n in found["paribus"].notes if n.kind in ("twins", "unexplained"))
    near = pb.stratpd(twins(0, noise=0.1), "y", "x")
    near_slope = slope(near) if near.explained else float("nan")
    group = slopes["paribus, together=['copy']"]
    few = slopes["forest, 1 column a split"]
    claims = [
        Claim(
            "with two identical columns both exhibit flat curves.",
            f"with the single tree the slope is {slopes['StratPD, single tree']:.2g} (the truth: "
            f"{SLOPE:g} for both together); with a copy blurred by 0.1 it is {near_slope:.2g}.",
            IF if tree.explained and abs(slopes["StratPD, single tree"]) > 0.3 else HOLDS,
        ),
        Claim(
            "the leaves of a random forest that restricts the columns a split prevent this.",
            f"slopes: {listed(slopes, '.2f')}. It takes the restriction to one candidate column a "
            f"split, and then still loses {100 * (1 - few / SLOPE):.0f} % of the slope.",
            IF if few > 0.5 * SLOPE else NOT,
        ),
        Claim(
            "say so, and move both together.",
            f'the note reads: "{note}" With together= the slope is {group:.3f}.',
            BESIDE,
        ),
    ]
    setting = f"y = 3 x + 2 z + noise (sd 1), copy = x, w does nothing, n = {N:,}; truth dashed."
    numbers = {"slope": slopes, "near_twin_slope": near_slope, "rows_used": tree.n_used}
    return Plate(10, "Twins", setting, figure, claims, numbers)
