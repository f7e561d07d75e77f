"""Draw the pictures of the documentation that are made from results: `python docs/draw.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE.parent / "benchmarks" / "results"
BLUE, GREY, INK = "#0072b2", "#9aa0a6", "#1a1a1a"
WAYS = {
    "rmse": ("paribus", BLUE), "paper": ("the paper", "#d55e00"),
    "pdp hgb": ("PDP of boosting", GREY), "ale hgb": ("ALE of boosting", "#5f6368"),
}  # fmt: skip


def draw_accuracy() -> None:
    """Draw the error on every data set, beside that of the usual ways."""
    against = json.loads((RESULTS / "accuracy-usual.json").read_text(encoding="utf-8"))["against"]
    rows = {name: row for name, row in against.items() if row["rmse"] > 1e-6}
    figure, ax = _figure(7.2, 0.22 * len(rows) + 1)
    for way, (label, colour) in WAYS.items():
        points = [(row[way], k) for k, row in enumerate(rows.values()) if row.get(way)]
        ax.scatter(*zip(*points, strict=True), s=22, color=colour, label=label, zorder=3)
    ax.set_xscale("log")
    ax.set_yticks(range(len(rows)), list(rows), fontsize=8)
    ax.invert_yaxis()
    ax.set_xlabel("error (root mean squared), 2,000 rows; further left is better")
    ax.legend(frameon=False, fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1))
    ax.grid(axis="x", alpha=0.3)
    figure.savefig(HERE / "images" / "accuracy-error.svg")


def draw_strata() -> None:
    """Draw how rows are compared: strata of the other column, and the slope inside each."""
    rng = np.random.default_rng(3)
    size = rng.uniform(20, 120, 160)
    rooms = np.clip(np.round(size / 25 + rng.normal(0, 0.8, 160)), 1, 6)
    rent = 8 * size + 60 * rooms + rng.normal(0, 45, 160)
    edges = np.array([20, 45, 70, 95, 120])
    figure, (left, right) = _figure(9, 3.4, 2)
    colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"]
    for k, colour in enumerate(colours):
        inside = (size >= edges[k]) & (size < edges[k + 1])
        left.axvspan(edges[k], edges[k + 1], color=colour, alpha=0.12)
        left.scatter(size[inside], rent[inside], s=10, color=colour)
        right.scatter(rooms[inside], rent[inside], s=10, color=colour, alpha=0.6)
        slope, start = np.polyfit(rooms[inside], rent[inside], 1)
        ends = np.array([rooms[inside].min(), rooms[inside].max()])
        right.plot(ends, start + slope * ends, color=colour, linewidth=2.5)
    left.set(xlabel="size, a column that is held still", ylabel="rent")
    left.set_title("Rows alike in size form strata", fontsize=10)
    slope, start = np.polyfit(rooms, rent, 1)
    ends = np.array([1, 6])
    right.plot(ends, start + slope * ends, color=INK, linestyle="--", label="nothing held still")
    right.set(xlabel="rooms, the explained column")
    right.set_title("Rooms are compared inside each", fontsize=10)
    right.legend(frameon=False, fontsize=8)
    figure.savefig(HERE / "images" / "strata.svg")


def _figure(width: float, height: float, panels: int = 1) -> Any:
    from matplotlib import pyplot as plt

    plt.rcParams["svg.hashsalt"] = "paribus"  # the same picture from the same numbers
    figure, axes = plt.subplots(1, panels, figsize=(width, height), layout="constrained")
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


if __name__ == "__main__":
    draw_accuracy()
    draw_strata()
