"""Figure 9: time against rows, a line a column."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from looks import BESIDE, BLUE, GREEN, GREY, HOLDS, IF, Claim, Plate, panels
from tables import RealTable, bulldozer, flights, rent

import paribus as pb

SIZES = (1_000, 3_000, 10_000, 30_000)
PAPER = 30_000
WARM = 300


def draw() -> Plate:
    """Measure and draw."""
    tables = {"rent": rent(), "bulldozer": bulldozer(), "flights": flights()}
    measured = {name: measure(table) for name, table in tables.items()}
    figure, axes = panels(1, 4, y="seconds")
    for ax, kind in zip(axes.flat, ("numeric", "categorical"), strict=False):
        _lines(ax, measured, kind)
        ax.set_title({"numeric": "StratPD, numeric", "categorical": "CatStratPD"}[kind], fontsize=9)
    _lines(axes.flat[2], measured, "ours")
    axes.flat[2].set_title("paribus, all columns, per column", fontsize=9)
    _exponents(axes.flat[3], measured)
    for ax in axes.flat[:3]:
        ax.set(xscale="log", yscale="log", ylim=(2e-3, 40))
        ax.set_xlabel("rows", fontsize=8)
    at_paper = {
        kind: {
            f"{name} {column}": times[str(PAPER)]
            for name, found in measured.items()
            for column, times in found[kind].items()
            if str(PAPER) in times
        }
        for kind in ("numeric", "categorical")
    }
    slowest = max(at_paper["numeric"].values())
    usual = float(np.median(list(at_paper["categorical"].values())))
    # The bulldozer table at hand has fewer than 30,000 rows: ModelID is timed on all of them.
    models = measured["bulldozer"]["categorical"]["ModelID"]
    last = max(models, key=int)
    growth = growth_of(measured)
    ours = {name: max(found["ours"]["all"].values()) for name, found in measured.items()}
    n_numeric = sum(len(found["numeric"]) for found in measured.values())
    n_levels = sum(len(found["categorical"]) for found in measured.values())
    claims = [
        Claim(
            "StratPD takes 1.2 s or less at 30,000 rows for any numeric column.",
            f"at most {slowest:.2f} s, of {len(at_paper['numeric'])} columns with as many rows "
            "(exact tree, one thread).",
            HOLDS if slowest <= 1.2 else IF,
        ),
        Claim(
            "CatStratPD typically takes less than 2 s, and 13 s for ModelID.",
            f"median {usual:.2f} s at 30,000 rows; ModelID {models[last]:.2f} s at {int(last):,} "
            "rows (all at hand).",
            HOLDS if usual < 2 else IF,
        ),
        Claim(
            "the cost is quadratic in the worst case, though linear on real data.",
            "with the slopes averaged by running sums it is n log n always; measured exponents of "
            f"time in rows, from 3,000 on: median {np.median(growth):.2f}, at most "
            f"{max(growth):.2f}.",
            IF,
        ),
        Claim(
            "all columns with intervals.",
            "seconds per column on all rows: "
            + ", ".join(f"{name} {seconds:.2f}" for name, seconds in ours.items())
            + ".",
            BESIDE,
        ),
    ]
    rows = ", ".join(f"{name} {len(t.y):,} x {t.X.shape[1]}" for name, t in tables.items())
    setting = (
        f"{n_numeric} numeric and {n_levels} categorical columns (the paper: 40 and 11) of three "
        f"tables ({rows}); up to 30,000 rows and on to all. Wall time after a warm-up; times on a "
        "busy machine are too long."
    )
    return Plate(9, "Time", setting, figure, claims, {"seconds": measured})


def measure(table: RealTable) -> dict[str, Any]:
    """Return seconds by kind, column and number of rows."""
    found: dict[str, Any] = {"numeric": {}, "categorical": {}, "ours": {"all": {}}}
    sizes = [n for n in SIZES if n < len(table.y)] + [len(table.y)]
    for n in (WARM, *sizes):
        part = table.sample(n)
        coded = part.coded()
        for column in coded:
            kind = "categorical" if column in table.categories else "numeric"
            call = pb.catstratpd if kind == "categorical" else pb.stratpd
            seconds = timed(lambda c=column, f=call, X=coded, y=part.y: f(X, y, c, n_jobs=1))
            if n != WARM:
                found[kind].setdefault(column, {})[str(n)] = seconds
        all_of_them = timed(lambda part=part: pb.effects(part.X, part.y))
        if n != WARM:
            found["ours"]["all"][str(n)] = all_of_them / coded.shape[1]
    return found


def timed(call: Any) -> float:
    """Return the wall time of a call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def growth_of(measured: dict[str, Any]) -> list[float]:
    """Return the exponent of time in rows, from 3,000 rows on, of every column."""
    out = []
    for found in measured.values():
        for times in (*found["numeric"].values(), *found["categorical"].values()):
            n = np.array([int(k) for k in times if int(k) >= 3_000])
            seconds = np.array([times[str(k)] for k in n])
            out.append(float(np.polyfit(np.log(n), np.log(seconds), 1)[0]))
    return out


def _lines(ax: Any, measured: dict[str, Any], kind: str) -> None:
    colours = {"rent": GREEN, "bulldozer": "#d55e00", "flights": BLUE}
    for name, found in measured.items():
        for k, times in enumerate(found[kind].values()):
            n = [int(k) for k in times]
            label = name if k == 0 else None
            ax.plot(n, list(times.values()), color=colours[name], linewidth=0.9, alpha=0.8,
                    marker="o", ms=2, label=label)  # fmt: skip
    ax.axvline(PAPER, color="#cccccc", linewidth=0.8, zorder=0)
    limit = {"numeric": 1.2, "categorical": 13.0}.get(kind)
    if limit:
        ax.axhline(limit, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        ax.annotate(f"the paper: {limit:g} s", (1000, limit), fontsize=7, va="bottom", color=GREY)
    ax.legend(frameon=False, fontsize=7)


def _exponents(ax: Any, measured: dict[str, Any]) -> None:
    ax.hist(growth_of(measured), bins=15, color=GREY)
    ax.set_title("exponent of time in rows", fontsize=9)
    ax.set_ylabel("columns", fontsize=8)
