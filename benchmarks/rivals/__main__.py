"""Measure what is asked for, and write the page: see `make rivals`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from report import Log, machine, save
from rivals import speed
from rivals.launch import ROOT, installed, rows
from rivals.odd import CASES
from rivals.page import write
from rivals.tools import TOOLS
from scenarios import EFFECTS

RESULTS = ROOT / "benchmarks" / "results" / "rivals.json"
LOGS = ROOT / "build" / "rivals"
SHOWN = {
    "paribus": ["paribus", "numpy"],
    "stratx": ["stratx", "scikit-learn", "numpy", "numba"],
    "rivals": ["scikit-learn", "PyALE", "effector", "shap", "numpy"],
}
Found = dict[str, dict[str, Any]]


def main() -> None:
    """Run the parts asked for; what is in the logs is not measured again."""
    options = asked()
    known = stored()
    for part in options.part:
        log = Log(LOGS / f"{part}.jsonl")
        if options.again:
            log.forget(lambda key: key[0] in options.only)
        found = PARTS[part](log, options)
        tools = {**known.get(part, {}).get("tools", {}), **found}
        known[part] = {**machine(), "tools": tools}
        known["versions"] = versions()
        save(RESULTS, known)
    write(stored())  # what is stored is rounded


def stored() -> dict[str, Any]:
    """Return what has been measured so far."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def asked() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m rivals", description=__doc__)
    parser.add_argument(
        "--part",
        nargs="*",
        choices=PARTS,
        default=list(PARTS),
        help="none of them: only write the page again",
    )
    parser.add_argument(
        "--only",
        nargs="*",
        choices=TOOLS,
        default=list(TOOLS),
        metavar="TOOL",
        help="the others keep the numbers that they have",
    )
    parser.add_argument("--again", action="store_true", help="forget what the logs hold")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="*", default=speed.SIZES)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one measurement")
    options = parser.parse_args()
    left_out = [name for name in options.only if not installed(TOOLS[name].place)]
    if left_out:
        print(f"not installed here and left out: {'; '.join(left_out)}")
    options.only = [name for name in options.only if name not in left_out]
    return options


def accuracy(log: Log, options: argparse.Namespace) -> Found:
    """Return each tool's errors on data with a known answer: mean and spread over seeds."""
    tools = [name for name in options.only if not TOOLS[name].too_dear]
    for seed in range(options.seeds):
        for place in dict.fromkeys(TOOLS[name].place for name in tools):
            missing = [
                name
                for name in tools
                if TOOLS[name].place == place
                and any((name, s.name, seed) not in log for s in EFFECTS)
            ]
            if missing:
                for key, row in rows(place, {"do": "accuracy", "seed": seed, "tools": missing}):
                    log.add(tuple(key), row)
                print(f"accuracy, seed {seed}: {', '.join(missing)}", flush=True)
    return {name: errors(log, name, options.seeds) for name in tools}


def errors(log: Log, tool: str, seeds: int) -> dict[str, Any]:
    """Return the mean error of a tool by scenario, and its standard error."""
    found = {}
    for scenario in EFFECTS:
        each = np.array([log[tool, scenario.name, seed]["rmse"] for seed in range(seeds)])
        known = each[np.isfinite(each)]
        if len(known):
            spread = float(known.std(ddof=1) / len(known) ** 0.5) if len(known) > 1 else 0.0
            found[scenario.name] = [float(known.mean()), spread]
    return {"seeds": seeds, "rmse": found}


def odd(log: Log, options: argparse.Namespace) -> Found:
    """Return what each tool makes of tables as they come."""
    tools = [name for name in options.only if "forest" not in name and "brute" not in name]
    for place in dict.fromkeys(TOOLS[name].place for name in tools):
        missing = [
            name
            for name in tools
            if TOOLS[name].place == place and any((name, case) not in log for case in CASES)
        ]
        if missing:
            for key, row in rows(place, {"do": "odd", "tools": missing}):
                log.add(tuple(key), row)
    return {name: {case: log[name, case] for case in CASES} for name in tools}


def versions() -> dict[str, dict[str, str]]:
    """Return the versions that each environment holds."""
    found = {}
    for place, packages in SHOWN.items():
        if not installed(place):
            continue
        (found[place],) = rows(place, {"do": "versions", "packages": packages})
    return found


PARTS: dict[str, Callable[[Log, argparse.Namespace], Found]] = {
    "accuracy": accuracy,
    "odd": odd,
    "speed": speed.measure_all,
}

if __name__ == "__main__":
    main()
