"""Tables bigger than memory: time, memory, growth with rows and agreement (`make scale`).

Makes Parquet files of 20 columns under `build/scale`, runs each measurement in a process of its
own, so that its peak memory is its own, and removes the files. `--quick` stops at five million
rows, and writes nothing. Prints tables, and writes `benchmarks/results/scale.json` and the measured
part of `docs/explanation/scale.md`.
"""

from __future__ import annotations

import argparse
import json
import pickle
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import paribus as pb
from paribus.pipeline.options import Options
from paribus.scale.run import asked_of, explain_source
from paribus.scale.sources import files_source
from paribus.scale.survey import Surveying

from report import machine, save, show, write_between

FOLDER = Path(__file__).parents[1] / "build" / "scale"
RESULTS = Path(__file__).parent / "results" / "scale.json"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "scale.md"
FILE_ROWS = 1_000_000
SIZES = (5_000_000, 50_000_000)
QUICK = (2_000_000, 5_000_000)
N_NUMBERS = 14
MINUTES, GIGABYTES = 10.0, 6.0  # what 50M rows may take


def make_part(k: int, n: int = FILE_ROWS) -> pa.Table:
    """Return a part of the table: 14 numbers that depend on each other, 6 other columns, a target.

    The effects are known: see `truth`.
    """
    rng = np.random.default_rng(k)
    common = rng.normal(size=(n, 3))
    x = rng.normal(size=(n, N_NUMBERS))
    for j in range(N_NUMBERS):
        x[:, j] = 0.7 * x[:, j] + 0.5 * common[:, j % 3]
    x[:, 12] = np.exp(x[:, 12])
    few = rng.integers(0, 10, size=(n, 2))
    flag = rng.random(n) < 1 / (1 + np.exp(-x[:, 0]))
    group = np.minimum(rng.geometric(0.15, size=n), 20) - 1
    region = (rng.integers(0, 50, size=n) + 2 * few[:, 0]) % 50
    day = rng.integers(0, 3650, size=n)
    y = sum(truth(f"x{j}", x[:, j]) for j in range(N_NUMBERS))
    y += truth("few0", few[:, 0]) + truth("flag", flag) + truth("group", group)
    y += x[:, 4] * x[:, 7] + 2 * rng.normal(size=n)
    columns = {f"x{j}": x[:, j] for j in range(N_NUMBERS)}
    columns |= {"few0": few[:, 0].astype(np.int32), "few1": few[:, 1].astype(np.int32)}
    columns |= {"flag": flag, "day": (np.datetime64("2015-01-01") + day).astype("datetime64[us]")}
    texts = pa.array([f"group {k:02d}" for k in range(20)])
    columns["group"] = pa.DictionaryArray.from_arrays(pa.array(group, pa.int8()), texts)
    texts = pa.array([f"region {k:02d}" for k in range(50)])
    columns["region"] = pa.DictionaryArray.from_arrays(pa.array(region, pa.int8()), texts)
    return pa.table(columns | {"y": y})


def truth(name: str, x: np.ndarray) -> np.ndarray:
    """Return what a column adds to the target."""
    effects = {
        "x0": lambda: 2 * np.sin(2 * x),
        "x1": lambda: x**2,
        "x2": lambda: 1.5 * x,
        "x3": lambda: np.abs(x),
        "x4": lambda: 0.5 * x,
        "x12": lambda: np.log1p(x),
        "few0": lambda: 0.3 * x,
        "flag": lambda: 0.8 * x,
        "group": lambda: 0.1 * (x % 7),
    }
    return effects.get(name, lambda: np.zeros(len(x)))() + 0.0


def make_files(n_rows: int) -> list[str]:
    """Write as many files as it takes, those that are there already not again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = [FOLDER / f"part{k:03d}.parquet" for k in range(n_rows // FILE_ROWS)]
    for k, path in enumerate(paths):
        if not path.exists():
            pq.write_table(make_part(k), path.with_suffix(".tmp"), compression="lz4")
            path.with_suffix(".tmp").rename(path)
    return [str(path) for path in paths]


def measure(n_rows: int) -> dict[str, float]:
    """Explain so many rows in another process; return its seconds and its peak memory."""
    run = subprocess.run(
        [sys.executable, __file__, "--one", str(n_rows)], check=True, capture_output=True, text=True
    )
    return json.loads(run.stdout.splitlines()[-1])


def one(n_rows: int) -> None:
    """Explain so many rows here, and print what it took."""
    paths = make_files(n_rows)
    start = time.perf_counter()
    found = pb.effects(paths, target="y")
    seconds = time.perf_counter() - start
    assert found.n_rows == n_rows
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "peak_gb": peak, "us_per_row": 1e6 * seconds / n_rows}))


def agreement(n_rows: int = FILE_ROWS) -> dict[str, dict[str, float]]:
    """Compare a million rows in batches with the same in memory, in standard errors of the latter.

    Other strata give a slightly other answer: how much so is told by memory with another seed.
    """
    paths = make_files(n_rows)
    table = pq.read_table(paths)
    held = pb.effects(table, target="y")
    return {
        "same table, held after all": apart(pb.effects(paths, target="y"), held),
        "in batches": apart(pb.effects(paths, target="y", sample_rows=n_rows // 10), held),
        "in memory, another seed": apart(pb.effects(table, target="y", seed=1), held),
    }


def apart(found: pb.EffectSet, held: pb.EffectSet) -> dict[str, float]:
    """Return how far curves lie apart in standard errors, and how often each holds the truth."""
    differences, covered, known = [], [], []
    for name in (f"x{j}" for j in range(N_NUMBERS)):
        one, two = found[name], held[name]
        gap = np.interp(two.x, one.x, one.effect) - two.effect
        gap -= np.average(gap, weights=two.row_share)
        error = (two.upper - two.effect) / 1.96
        differences.append(np.sqrt(np.average((gap / error) ** 2, weights=two.row_share)))
        if name not in ("x4", "x7"):  # they work together: no curve is the truth
            covered.append(coverage(one))
            known.append(coverage(two))
    rms = float(np.sqrt(np.mean(np.square(differences))))
    return {
        "rms": rms, "most": float(np.max(differences)), "covered": float(np.mean(covered)),
        "in memory": float(np.mean(known)),
    }  # fmt: skip


def coverage(effect: pb.NumericEffect) -> float:
    """Return the share of the rows at whose values the interval holds the truth."""
    known = truth(effect.feature, effect.x)
    known -= np.average(known, weights=effect.row_share)
    inside = (effect.lower <= known) & (known <= effect.upper)
    return float(np.average(inside, weights=effect.row_share))


def two_workers(n_rows: int) -> dict[str, float]:
    """Explain with Dask on two processes; return what is moved and what a worker needs."""
    import dask.dataframe as dd
    import distributed

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        frame = dd.read_parquet(make_files(n_rows), split_row_groups=False)
        start = time.perf_counter()
        found = pb.effects(frame, target="y", sample_rows=n_rows // 10)
        seconds = time.perf_counter() - start
        peaks = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
    alone = pb.effects(make_files(n_rows), target="y", sample_rows=n_rows // 10)
    gaps = [np.abs(found[e.feature].effect - e.effect).max() for e in alone.effects if e.explained]
    return {"seconds": seconds, "peak_gb": max(peaks.values()), "largest gap": float(max(gaps))}


def moved(n_rows: int) -> dict[str, float]:
    """Return the megabytes that a worker gets and sends back, on average over the parts."""
    sent: dict[str, list[int]] = {"survey": [], "recipe": [], "sums": []}
    source = files_source(make_files(n_rows))

    class Weighed:
        """A source that weighs what would cross the network."""

        sorts, backend, n_rows, n_alone = source.sorts, source.backend, source.n_rows, 1

        def run(self, work: Any, n_jobs: int, tell: Any) -> Any:
            done = source.run(work, n_jobs, tell)
            first = isinstance(work, Surveying)
            sent["survey" if first else "sums"].append(len(pickle.dumps(done)))
            if not first:
                sent["recipe"].append(len(pickle.dumps(work)))
            return done

    weighed = Weighed()
    explain_source(weighed, asked_of(weighed, "y", Options(n_jobs=2), {}), n_rows // 10)
    return {name: float(np.mean(sizes)) / 2**20 for name, sizes in sent.items()}


def write_page(found: dict[str, Any]) -> None:
    """Write what was measured into the page that explains it."""
    lines = [
        f"Measured by `make scale` on {found['date']} ({found['machine']}): 20 columns, "
        f"{found['disk_gb']:.1f} GB of Parquet. To be reached at 50 million rows: "
        f"{MINUTES:g} minutes and {GIGABYTES:g} GB.\n",
        "| rows | minutes | microseconds a row | peak memory |",
        "| --- | --- | --- | --- |",
    ]
    for rows, one in found["growth"].items():
        cells = f"{one['seconds'] / 60:.1f} | {one['us_per_row']:.1f} | {one['peak_gb']:.1f} GB"
        lines.append(f"| {rows} | {cells} |")
    lines += [
        "\nA million rows, beside the answer in memory: how far curves lie apart, in its standard "
        "errors, and at what share of the rows intervals of 95 % hold the truth.\n",
        "| | apart, root mean square | the most of a column | truth covered |",
        "| --- | --- | --- | --- |",
    ]
    for name, one in found["agreement"].items():
        lines.append(f"| {name} | {one['rms']:.2g} | {one['most']:.2g} | {one['covered']:.0%} |")
    workers, sizes = found["dask_two_workers"], found["moved_mb"]
    lines.append(
        f"\nTwo Dask workers on two million rows: {workers['seconds']:.0f} s, "
        f"{workers['peak_gb']:.1f} GB each at most, {workers['largest gap']:.1g} from the answer "
        f"of the files; recipe {sizes['recipe']:.1f} MB, sums {sizes['sums']:.0f} MB."
    )
    write_between(PAGE, "\n".join(lines))
    print(f"written to {PAGE}")


def main() -> None:
    """Measure everything."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="one to five million rows")
    options.add_argument("--keep", action="store_true", help="leave the files where they are")
    options.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.one:
        one(asked.one)
        return
    sizes = QUICK if asked.quick else SIZES
    try:
        make_files(max(sizes))
        disk = sum(path.stat().st_size for path in FOLDER.glob("*.parquet")) / 2**30
        growth = {f"{n:,}": measure(n) for n in sizes}
        show(f"Rows x 20 columns ({disk:.1f} GB of Parquet)", growth)
        agree = agreement()
        show("A million rows: apart from memory in standard errors; truth covered", agree)
        sizes_moved = moved(2 * FILE_ROWS)
        show("Moved, megabytes", {"2,000,000": sizes_moved})
        workers = two_workers(2 * FILE_ROWS)
        show("Dask, two workers", {"2,000,000": workers})
    finally:
        if not asked.keep:
            shutil.rmtree(FOLDER, ignore_errors=True)
    last = growth[f"{max(sizes):,}"]
    print(f"\n{max(sizes):,} rows: {last['seconds'] / 60:.1f} min, {last['peak_gb']:.1f} GB "
          f"(limits at 50M: {MINUTES:g} min, {GIGABYTES:g} GB)")  # fmt: skip
    if not asked.quick:
        content = {**machine(), "disk_gb": disk, "growth": growth, "agreement": agree}
        content |= {"moved_mb": sizes_moved, "dask_two_workers": workers}
        save(RESULTS, content)
        write_page(content)


if __name__ == "__main__":
    main()
