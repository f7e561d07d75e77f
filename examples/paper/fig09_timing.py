"""Figure 9: time against rows, a line a column."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import authors_package
import numpy as np
from cost_claims import exponent
from looks import BESIDE, BLUE, GREEN, GREY, HOLDS, IF, NOT, UNKNOWN, Claim, Plate, listed, panels
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence
from tables import RealTable, bulldozer, flights, rent

import paribus as pb
from paribus import models

SIZES = (3_000, 10_000, 30_000)
PAPER = 30_000
WARM = 300
ASKED = ("bathrooms", "latitude")  # of the rent table, by the techniques that ask a model
GRID = 5 * 4  # fits of a small search: five folds, four settings
NOT_TIMED = "the authors' package was not timed: `make rivals` installs it."
Times = dict[str, dict[int, float]]


def draw() -> Plate:
    """Measure and draw."""
    tables = {"rent": rent(), "bulldozer": bulldozer(), "flights": flights()}
    authors = {n: of_authors(t) for n, t in tables.items()} if authors_package.is_there() else {}
    here = {name: measure(table) for name, table in tables.items()}
    figure, axes = panels(1, 4, y="seconds")
    _lines(axes.flat[0], {n: kind_of(t, tables[n], False) for n, t in authors.items()}, 1.2)
    _lines(axes.flat[1], {n: kind_of(t, tables[n], True) for n, t in authors.items()}, 13.0)
    _lines(axes.flat[2], {n: found["paper"] for n, found in here.items()})
    _lines(axes.flat[3], {n: found["paribus"] for n, found in here.items()})
    titles = ("StratPD, authors' package", "CatStratPD, authors' package",
              "both, as paribus has them", "paribus, all columns, per column")  # fmt: skip
    for ax, title in zip(axes.flat, titles, strict=True):
        ax.set(xscale="log", yscale="log", xlim=(2_000, 80_000), ylim=(2e-3, 40))
        ax.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
        ax.set_xticks([], minor=True)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel("rows", fontsize=8)
    asked = of_models(tables["rent"])
    claims = [*of_times(authors, tables), *against_models(authors, asked), columns_of(tables)]
    claims.append(ours(here))
    rows = ", ".join(f"{name} {len(t.y):,} x {t.X.shape[1]}" for name, t in tables.items())
    setting = (
        f"Three tables ({rows}); the authors' package stratx 0.5 up to 30,000 rows, leaves of 10, "
        "after a first call; ours on to all rows. Wall time; on a busy machine it is too long."
    )
    numbers = {"authors": authors, "here": here, "models": asked}
    return Plate(9, "Time", setting, figure, claims, numbers)


def of_authors(table: RealTable) -> Times:
    """Time the authors' package on up to 30,000 rows, in order of size."""
    part = table.sample(PAPER)
    return authors_package.timed(part, sizes_of(part))


def sizes_of(table: RealTable) -> list[int]:
    """Return the numbers of rows to time, all of them last."""
    return [n for n in SIZES if n < len(table.y)] + [len(table.y)]


def kind_of(times: Times, table: RealTable, categories: bool) -> Times:
    """Return the times of the numeric or the categorical columns, without the first call."""
    return {
        column: {n: s for n, s in found.items() if n != authors_package.WARM}
        for column, found in times.items()
        if (column in table.categories) == categories
    }


def of_times(authors: dict[str, Times], tables: dict[str, RealTable]) -> list[Claim]:
    """Judge the times of the authors' package."""
    numbers, levels = (
        {f"{name} {column}": t for name, times in authors.items()
         for column, t in kind_of(times, tables[name], kind).items()}
        for kind in (False, True)
    )  # fmt: skip
    last = {name: t[max(t)] for name, t in numbers.items()}
    slow = {name: s for name, s in last.items() if s > 1.2}
    many = levels.pop("bulldozer ModelID", {})
    usual = max((max(t.values()) for t in levels.values()), default=np.nan)
    middle = float(np.median([max(t.values()) for t in levels.values()] or [np.nan]))
    growth = [exponent(t) for t in numbers.values()]
    said: list[tuple[str, Callable[[], str], Callable[[], Any]]] = [
        (
            "StratPD takes 1.2 s or less at 30,000 rows for any numeric column.",
            lambda: (
                f"the authors' package, {len(last)} columns at 30,000 rows or all: median "
                f"{np.median(list(last.values())):.2f} s; above 1.2 s: "
                f"{listed(slow, '.2f') or 'none'}."
            ),
            lambda: HOLDS if not slow else IF if len(slow) < 0.1 * len(last) else NOT,
        ),
        (
            "StratPD behaves linearly on real data.",
            lambda: (
                "power of the rows that its time goes with: median "
                f"{np.median(growth):.2f}, at most {max(growth):.2f}."
            ),
            lambda: HOLDS if max(growth) < 1.25 else IF if np.median(growth) < 1.25 else NOT,
        ),
        (
            "CatStratPD typically takes less than 2 s.",
            lambda: (
                f"median {middle:.2f} s, at most {usual:.2f} s, of {len(levels)} columns "
                "besides ModelID."
            ),
            lambda: HOLDS if middle < 2 else NOT,
        ),
        (
            "CatStratPD takes 13 s for ModelID at 30,000 rows.",
            lambda: f"{many[max(many)]:.2f} s at {max(many):,} rows, all that are at hand.",
            lambda: UNKNOWN,
        ),
        (
            "that time looks mildly quadratic.",
            lambda: f"it goes with the rows to the power {exponent(many):.2f}.",
            lambda: HOLDS if exponent(many) > 1.3 else NOT,
        ),
        (
            "users experience a warm-up, which is not in the times.",
            lambda: (
                f"the first call takes {first_call(authors):.1f} s, on {authors_package.WARM} rows."
            ),
            lambda: HOLDS if first_call(authors) > 1 else NOT,
        ),
    ]
    return [
        Claim(paper, found(), verdict()) if authors else Claim(paper, NOT_TIMED, UNKNOWN)
        for paper, found, verdict in said
    ]


def first_call(authors: dict[str, Times]) -> float:
    """Return the longest first call."""
    return max(t[authors_package.WARM] for times in authors.values() for t in times.values())


def of_models(table: RealTable) -> dict[str, float]:
    """Time a forest and what asks it, seconds a column, at 30,000 rows."""
    part = table.sample(PAPER)
    X = part.coded()
    forest = RandomForestRegressor(40, min_samples_leaf=3, max_features=0.4, random_state=0)
    fit = timed(lambda: forest.fit(X, part.y))
    calls = {
        "FPD, 50 points": lambda c: partial_dependence(
            forest, X, [c], grid_resolution=50, method="brute"
        ),
        "SHAP, 200 rows": lambda c: models.shap(forest, X, c, max_rows=200),
        "ALE": lambda c: models.ale(forest, X, c, bins=300),
    }
    each = {n: np.mean([timed(lambda c=c, f=f: f(c)) for c in ASKED]) for n, f in calls.items()}
    return {"fit": fit, **{name: float(s) for name, s in each.items()}}


def against_models(authors: dict[str, Times], asked: dict[str, float]) -> list[Claim]:
    """Compare with the techniques that ask a model, on the rent table."""
    fit = asked["fit"]
    each = {name: s for name, s in asked.items() if name != "fit"}
    words = (
        "the elapsed times are competitive with FPD/ICE, SHAP and ALE.",
        "with the cost of tuning a model counted, StratPD outperforms these.",
    )
    if not authors:
        return [Claim(paper, NOT_TIMED, UNKNOWN) for paper in words]
    rent_times = [authors["rent"][c][PAPER] for c in ASKED]
    own, all_own = float(np.mean(rent_times)), sum(t[PAPER] for t in authors["rent"].values())
    slower = [name for name, s in each.items() if own <= s]
    return [
        Claim(
            words[0],
            f"seconds a column ({' and '.join(ASKED)} of the rent table, {PAPER:,} rows): StratPD, "
            f"authors' package {own:.2f}; asking a fitted forest of 40 trees: "
            f"{listed(each, '.2f')}.",
            HOLDS if len(slower) == len(each) else IF if slower else NOT,
        ),
        Claim(
            words[1],
            f"fitting that forest once takes {fit:.1f} s, so {GRID} fits (five folds, four "
            f"settings) about {GRID * 0.8 * fit:.0f} s; StratPD takes {all_own:.0f} s for all "
            f"{len(authors['rent'])} columns.",
            HOLDS if all_own < GRID * 0.8 * fit else NOT,
        ),
    ]


def columns_of(tables: dict[str, RealTable]) -> Claim:
    """Count the columns."""
    p = [t.X.shape[1] for t in tables.values()]
    levels = sum(len(t.categories) for t in tables.values())
    return Claim(
        "the tables have 20, 14 and 17 columns, 40 numeric and 11 categorical.",
        f"20 + 14 + 17 = 40 + 11. Here {', '.join(map(str, p))}, of which {sum(p) - levels} are "
        f"numeric and {levels} categorical.",
        HOLDS if p == [20, 14, 17] else IF,
    )


def ours(here: dict[str, dict[str, Times]]) -> Claim:
    """Tell our own times."""
    each = {n: found["paribus"]["all"] for n, found in here.items()}
    slowest = {
        n: max(max(t.values()) for t in found["paper"].values()) for n, found in here.items()
    }
    return Claim(
        "our own times.",
        "seconds per column on all rows, all columns with intervals: "
        f"{listed({n: t[max(t)] for n, t in each.items()}, '.2f')}; the slowest column of stratpd "
        f"and catstratpd, on one thread: {listed(slowest, '.2f')}.",
        BESIDE,
    )


def measure(table: RealTable) -> dict[str, Times]:
    """Return our seconds by column and number of rows, all columns at once among them."""
    found: dict[str, Times] = {"paper": {}, "paribus": {"all": {}}}
    for n in (WARM, *sizes_of(table)):
        part = table.sample(n)
        coded = part.coded()
        for column in coded:
            call = pb.catstratpd if column in table.categories else pb.stratpd
            seconds = timed(lambda c=column, f=call, X=coded, y=part.y: f(X, y, c, n_jobs=1))
            if n != WARM:
                found["paper"].setdefault(column, {})[n] = seconds
        all_of_them = timed(lambda part=part: pb.effects(part.X, part.y))
        if n != WARM:
            found["paribus"]["all"][n] = all_of_them / coded.shape[1]
    return found


def timed(call: Callable[[], Any]) -> float:
    """Return the wall time of a call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _lines(ax: Any, measured: dict[str, Times], limit: float | None = None) -> None:
    colours = {"rent": GREEN, "bulldozer": "#d55e00", "flights": BLUE}
    for name, found in measured.items():
        for k, times in enumerate(found.values()):
            ax.plot(list(times), list(times.values()), color=colours[name], linewidth=0.9,
                    alpha=0.8, marker="o", ms=2, label=name if k == 0 else None)  # fmt: skip
    ax.axvline(PAPER, color="#cccccc", linewidth=0.8, zorder=0)
    if limit:
        ax.axhline(limit, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
        ax.annotate(f"the paper: {limit:g} s", (2_100, limit), fontsize=7, va="bottom", color=GREY)
    if measured and any(measured.values()):
        ax.legend(frameon=False, fontsize=7, loc="lower right")
    else:
        ax.text(0.5, 0.5, "not timed", transform=ax.transAxes, ha="center", fontsize=8)
