"""How fast and how good the strata are, against scikit-learn, in one process.

Run with ``make bench``; ``--quick`` leaves out everything above 300,000 rows. Times on one thread
are processor times, the least of several rounds in which the rivals take turns; times on two
threads are wall-clock. Ratios count, seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from paribus.strata import Family, fit_coding, grow, grow_coded

from report import machine, save
from scenarios import make_table

RESULTS = Path(__file__).parent / "results" / "engine.json"
LEAF = 10


@dataclass(frozen=True, slots=True)
class Measure:
    """One number and what it should be."""

    what: str
    value: float
    target: str
    reached: bool | None
    note: str = ""


def at_least(what: str, value: float, target: float, note: str = "") -> Measure:
    """Return a measure that should not fall below its target."""
    return Measure(what, round(float(value), 3), f">= {target:g}", bool(value >= target), note)


def at_most(what: str, value: float, target: float, note: str = "") -> Measure:
    """Return a measure that should not exceed its target."""
    return Measure(what, round(float(value), 3), f"<= {target:g}", bool(value <= target), note)


def race(
    rounds: int, *runners: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> list[float]:
    """Return each runner's least time over rounds in which they take turns."""
    best = [np.inf] * len(runners)
    for _ in range(rounds):
        for k, runner in enumerate(runners):
            start = clock()
            runner()
            best[k] = min(best[k], clock() - start)
    return best


def sklearn_tree() -> DecisionTreeRegressor:
    """Return the rival."""
    return DecisionTreeRegressor(min_samples_leaf=LEAF, random_state=0)


def measure_trees(sizes: list[int]) -> Iterator[Measure]:
    """One tree, the family, and all strata, against exact trees."""
    for n in sizes:
        X, y = make_table(n)
        coding = fit_coding(X)
        codes = coding.encode(X)
        rounds = 7 if n <= 100_000 else 3
        one, family, whole, exact = race(
            rounds if n <= 300_000 else 1,
            lambda: grow_coded(codes, coding, y, leave_out=[()]),  # noqa: B023
            lambda: grow_coded(codes, coding, y),  # noqa: B023
            lambda: grow(X, y).strata_all(),  # noqa: B023
            lambda: sklearn_tree().fit(X, y),  # noqa: B023
        )
        note = f"one {one:.3f} s, family {family:.3f} s, with coding and strata {whole:.3f} s, "
        note += f"scikit-learn {exact:.2f} s"
        if n in (30_000, 100_000, 300_000):
            goal = 12 if n == 30_000 else 18
            yield at_least(
                f"one tree, times faster than scikit-learn's, {n} rows", exact / one, goal, note
            )
        if n in (100_000, 1_000_000):
            yield at_most(f"family of 20 in trees, {n} rows", family / one, 8, note)
        if n == 1_000_000:
            yield at_most(
                "all 20 strata in scikit-learn trees (one), 1M rows", whole / exact, 1, note
            )


def measure_twenty_fits(n: int = 100_000) -> Iterator[Measure]:
    """All strata against one exact tree a column."""
    X, y = make_table(n)

    def fit_all() -> None:
        for j in range(X.shape[1]):
            sklearn_tree().fit(np.delete(X, j, axis=1), y)

    ours = race(5, lambda: grow(X, y).strata_all())[0]
    theirs = race(1, fit_all)[0]
    note = f"coding, trees and strata {ours:.3f} s, 20 fits {theirs:.1f} s"
    yield at_least("all 20 strata, times faster than 20 fits, 100000 rows", theirs / ours, 50, note)


def within_variance(y: np.ndarray, strata: np.ndarray) -> float:
    """Return the variance of y inside strata, free of bias from their number."""
    _, strata, size = np.unique(strata, return_inverse=True, return_counts=True)
    mean = np.bincount(strata, y) / size
    return float(((y - mean[strata]) ** 2).sum() / (y.size - size.size))


def measure_quality(sizes: list[int]) -> Iterator[Measure]:
    """Within-stratum variance on rows the trees did not see."""
    for n in sizes:
        for p in (1, 3, 20):
            ours, exact = [], []
            for seed in range(max(2, min(20, 100_000 // n))):
                X, y = make_table(2 * n, seed=seed)
                X = X if p == X.shape[1] else X[:, 1 : p + 1]  # column 0 has few values: too easy
                family = grow(X[:n], y[:n], leave_out=[()])
                ours.append(within_variance(y[n:], family.apply(X[n:], ())))
                tree = sklearn_tree().fit(X[:n], y[:n])
                exact.append(within_variance(y[n:], tree.apply(X[n:])))
            ratio = np.mean(ours) / np.mean(exact)
            note = f"{np.mean(ours):.4f} against {np.mean(exact):.4f}, {len(ours)} tables"
            yield at_most(
                f"unseen within-stratum variance over exact, {n} rows, {p} columns",
                ratio,
                1.01,
                note,
            )


def measure_threads() -> Iterator[Measure]:
    """Two threads against one, and against boosting, at a million rows."""
    X, y = make_table(1_000_000)
    one, two, boosting = race(
        3,
        lambda: grow(X, y).strata_all(),
        lambda: grow(X, y, n_jobs=2).strata_all(),
        lambda: HistGradientBoostingRegressor().fit(X, y),
        clock=time.perf_counter,
    )
    note = f"one thread {one:.2f} s, two {two:.2f} s, boosting {boosting:.2f} s"
    yield at_least("two threads, times faster than one, 1M rows", one / two, 1.6, note)
    yield at_most(
        "two threads, all 20 strata over boosting's fit, 1M rows", two / boosting, 1.5, note
    )


def run_alone(n: int, n_jobs: int) -> dict[str, float]:
    """Grow in a fresh process; return its times and its peak memory."""
    done = subprocess.run(
        [sys.executable, __file__, "--alone", str(n), str(n_jobs)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def alone(n: int, n_jobs: int) -> None:
    """Be that process."""
    X, y = make_table(n)
    start, cpu = time.perf_counter(), time.process_time()
    before = memory_bytes("VmRSS")
    family: Family = grow(X, y, n_jobs=n_jobs)
    family.strata_all()
    spent = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
    peak = memory_bytes("VmHWM")
    print(json.dumps({**spent, "peak": peak, "before": before, "table": X.nbytes}))


def memory_bytes(field: str) -> int:
    """Return the memory in use now (``VmRSS``) or at its peak (``VmHWM``); Linux tells both.

    Elsewhere the peak stands for both. On Linux the peak that the resource module tells would be
    that of the process this one was started from.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure_size(largest: int) -> Iterator[Measure]:
    """Memory, and how time grows with the rows."""
    sizes = [n for n in (10_000, 100_000, 1_000_000, 10_000_000) if n <= largest]
    runs = {n: run_alone(n, 1) for n in sizes}
    if 1_000_000 in runs:
        run = run_alone(1_000_000, 2)
        extra = (run["peak"] - run["before"] + run["table"]) / run["table"]
        note = f"peak {run['peak'] / 1e6:.0f} MB, table {run['table'] / 1e6:.0f} MB"
        yield at_most("peak memory, table included, in tables, 1M rows", extra, 3, note)
    if 10_000_000 in runs:
        run = runs[10_000_000]
        yield at_most(
            "10M rows, peak GB", run["peak"] / 1e9, 12, f"{run['seconds']:.0f} s, one thread"
        )
    work = [np.log(n * np.log(n)) for n in sizes]
    slope = float(np.polyfit(work, [np.log(runs[n]["cpu"]) for n in sizes], 1)[0])
    note = ", ".join(f"{n}: {run['cpu']:.2f} s" for n, run in runs.items())
    yield at_most("exponent of n log n", slope, 1.0, note)


def measure_all(quick: bool) -> Iterator[Measure]:
    """Yield every measure."""
    yield from measure_trees([30_000, 100_000, 300_000] + [1_000_000] * (not quick))
    yield from measure_twenty_fits()
    yield from measure_quality([4000, 60_000] + [200_000] * (not quick))
    if not quick:
        yield from measure_threads()
    yield from measure_size(100_000 if quick else 10_000_000)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the large tables")
    parser.add_argument("--alone", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(*options.alone)
        return
    measures = []
    for measure in measure_all(options.quick):
        measures.append(measure)
        mark = "yes" if measure.reached else "NO "
        print(
            f"{mark}  {measure.value:9.3f}  {measure.target:>7}  {measure.what}  ({measure.note})",
            flush=True,
        )
    if not options.quick:
        save(RESULTS, {**machine(), "measures": [asdict(measure) for measure in measures]})


if __name__ == "__main__":
    main()
