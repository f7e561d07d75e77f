"""One job in the environment of a tool: a JSON object in, JSON lines out.

`{"do": "accuracy", "seed": 0, "tools": ["stratx"]}` and the like: `do` names one of the functions
`accuracy`, `fit`, `speed`, `odd` and `versions`, the rest are its arguments.
"""

from __future__ import annotations

import json
import logging
import pickle
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from judging import error, points
from rivals.odd import outcomes
from rivals.tools import MODELS, TOOLS, Data
from scenarios import EFFECTS, Sample, make_table, same_data

WARM_UP_ROWS = 300
REPEAT_BELOW = 2.0  # seconds
N_NUMBERS, LEVELS = 18, (5, 500)
ASKED = "x1"


# ---- accuracy ---------------------------------------------------------------------------------
def accuracy(seed: int, tools: list[str]) -> Iterator[list[Any]]:
    """Yield `[tool, scenario, seed], {"rmse": error}`; NaN where a tool gives no curve."""
    for scenarios in same_data(EFFECTS):
        sample = scenarios[0].draw(seed, scenarios[0].n)
        data, models = data_of(sample), {}
        for name in tools:
            tool = TOOLS[name]
            if tool.model and tool.model not in models:
                models[tool.model] = MODELS[tool.model](data)
            asked = [f"x{scenario.column}" for scenario in scenarios]
            np.random.seed(seed)  # noqa: NPY002  stratx draws from the global generator
            curves = tool.explain(data, asked, models.get(tool.model))
            for scenario, curve in zip(scenarios, curves, strict=True):
                at, weight = points(sample, scenario.column)
                score = error(scenario, curve(at), at, weight)
                yield [[name, scenario.name, seed], {"rmse": score}]


def data_of(sample: Sample) -> Data:
    """Return a sample as a table with named columns."""
    names = [f"x{k}" for k in range(sample.X.shape[1])]
    categories = tuple(names[k] for k in sample.categories)
    return Data(pd.DataFrame(sample.X, columns=names), pd.Series(sample.y), categories)


# ---- time and memory --------------------------------------------------------------------------
def timing_table(n: int) -> Data:
    """Return 18 numbers and two categories, one of few levels and one of many."""
    X, y = make_table(n, N_NUMBERS)
    rng = np.random.default_rng(1)
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(N_NUMBERS)])
    for levels in LEVELS:
        place = 1 / (1 + np.exp(-X[:, 1] - rng.normal(size=n)))
        table[f"c{levels}"] = np.floor(place * levels)
        y = y + rng.normal(size=levels)[table[f"c{levels}"].astype(int)]
    return Data(table, pd.Series(y), tuple(f"c{levels}" for levels in LEVELS))


def fit(model: str, n: int, limit: float, save: str) -> Iterator[dict[str, float]]:
    """Fit a model, measured, and keep it for the tools that explain it."""
    data = timing_table(n)
    MODELS[model](data.head(WARM_UP_ROWS))
    found: list[Any] = []
    measured = measure(lambda: found.append(MODELS[model](data)), limit)
    with Path(save).open("wb") as file:
        pickle.dump(found[0], file)
    yield measured


def speed(
    tool: str, n: int, limit: float, columns: str, model: str | None
) -> Iterator[dict[str, float]]:
    """Explain one column or all of them, measured."""
    data = timing_table(n)
    asked = [ASKED] if columns == "one" else list(data.X)
    fitted = pickle.loads(Path(model).read_bytes()) if model else None  # noqa: S301  our own
    judged = {
        c: np.unique(np.quantile(data.X[c], np.linspace(0, 1, 99), method="lower")) for c in asked
    }

    def explain(some: Data) -> None:
        for column, curve in zip(asked, TOOLS[tool].explain(some, asked, fitted), strict=True):
            if some is data:
                curve(judged[column])

    explain(data.head(WARM_UP_ROWS))
    yield measure(lambda: explain(data), limit)


def measure(job: Callable[[], object], limit: float) -> dict[str, float]:
    """Return the least wall time, its processor time and the peak memory of the process.

    A job that is not done in `limit` seconds ends the process.
    """
    before = memory("VmRSS")
    signal.setitimer(signal.ITIMER_REAL, limit)
    times: list[tuple[float, float]] = []
    while len(times) < 3 and sum(wall for wall, _ in times) < REPEAT_BELOW:
        wall, cpu = time.perf_counter(), time.process_time()
        job()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    signal.setitimer(signal.ITIMER_REAL, 0)
    wall, cpu = min(times)
    return {"seconds": wall, "cpu": cpu, "before_mb": before, "peak_mb": memory("VmHWM")}


def memory(what: str) -> float:
    """Return megabytes from the kernel's book on this process, where it keeps one."""
    book = Path("/proc/self/status")
    if not book.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    lines = [line for line in book.read_text(encoding="utf-8").splitlines() if what in line]
    return int(lines[0].split()[1]) / 1000


# ---- odd input --------------------------------------------------------------------------------
def odd(tools: list[str]) -> Iterator[list[Any]]:
    """Yield `[tool, case], outcome`."""
    for name in tools:
        for case, outcome in outcomes(TOOLS[name]):
            yield [[name, case], outcome]


def versions(packages: list[str]) -> Iterator[dict[str, str]]:
    """Yield which versions are installed here."""
    yield {name: version(name) for name in packages}


def main() -> None:
    """Do the job on standard input."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    job = json.load(sys.stdin)
    jobs = {"accuracy": accuracy, "fit": fit, "speed": speed, "odd": odd, "versions": versions}
    try:
        for row in jobs[job.pop("do")](**job):
            print(json.dumps(row), flush=True)
    except MemoryError:
        print(json.dumps({"stopped": "memory"}), flush=True)


if __name__ == "__main__":
    main()
