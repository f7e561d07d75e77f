"""Error and coverage on data with a known answer, beside the usual ways: `make accuracy`.

Prints tables and writes `benchmarks/results/accuracy.json` (our own scores) and
`accuracy-usual.json` (beside the usual ways). Every score is also kept seed by seed, in
`build/accuracy.jsonl`, from where a run that was stopped goes on with `--go-on`, and in
`build/accuracy-usual.jsonl`, which is always gone on from: the usual ways do not change with
paribus. `--part own` puts our new scores beside those that these had before.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import paribus as pb
from paribus.estimate.bands import intervals

import usual
from judging import error, points
from report import Log, machine, save, show
from scenarios import EFFECTS, NULLS, Sample, Scenario, same_data

RESULTS = Path(__file__).parent / "results"
BUILD = Path(__file__).parents[1] / "build"
SIZES = {500: 1, 2000: 1, 20_000: 2, 100_000: 1}  # rows: the part of the seeds that is run
LEAF_PART = 2  # the same of the sweep over leaf sizes
ENDS = (0.005, 0.995)  # quantiles
FARTHEST = (0.001, 0.999)  # with a few rows beyond
LEAVES = (5, 10, 20, 40)
LEAF_ROWS = (
    "codependent",
    "quadratic, sd 2",
    "interactions, x1",
    "20 noise columns",
    "Friedman 1, x3",
)


def ours(scenario: Scenario, sample: Sample, seed: int, **options) -> dict[str, float]:
    """Judge `paribus.effect`: error, coverage of interval and band, p-value."""
    table, kinds = usual.table_of(sample)
    effect = pb.effect(
        table, sample.y, f"x{scenario.column}", kind=kinds, seed=seed, tidy=False, **options
    )
    at, weight = points(sample, scenario.column)
    if scenario.column in sample.categories:
        place = {float(level): k for k, level in enumerate(effect.levels)}
        known = [v for v in at if v in place and effect.island[place[v]] == 0]
        weight = np.array([w for v, w in zip(at, weight, strict=True) if v in known])
        rows = np.eye(len(effect.levels))[[place[v] for v in known]]
        return judge(scenario, effect, rows, np.array(known), weight / weight.sum())
    ends = np.quantile(sample.X[:, scenario.column], (*ENDS, *FARTHEST))
    every = np.append(at, ends)
    rows = np.array([np.interp(every, effect.x, unit) for unit in np.eye(len(effect.x))]).T
    weight = np.append(weight / weight.sum(), np.zeros(len(ends)))
    return judge(scenario, effect, rows, every, weight)


def judge(scenario, effect, rows, at, weight) -> dict[str, float]:
    """Compare the effect with the truth at places of some weight, and at the ends, of none.

    Of a category every level is an end: it counts as much as any other.
    """
    scale = 100.0 if effect.unit else 1.0
    rows = rows - weight @ rows
    curve = rows @ np.nan_to_num(effect.effect) / scale
    truth = scenario.truth(at)
    truth = truth - weight @ truth
    off = np.abs(curve - truth)
    tiny = 1e-8 * (np.abs(truth).max() + 1)
    if isinstance(effect, pb.CategoricalEffect):
        level = rows.argmax(axis=1)
        half = (effect.upper - effect.effect)[level] / scale
        wide = (effect.band_upper - effect.effect)[level] / scale
    else:
        m = len(effect.effect)
        covariance = rows @ effect.covariance[:m, :m] @ rows.T / scale**2
        spans = intervals(covariance, effect.conf_level)
        half, wide = spans.pointwise, spans.simultaneous
    inside, holds = weight > 0, off <= half + tiny
    ends, farthest = np.split(holds[~inside], [len(ENDS)])
    return {
        "rmse": float(np.sqrt(weight @ off**2)),
        "cover": float(weight @ holds),
        "ends": float(np.mean(holds if inside.all() else ends)),
        "farthest": float(np.mean(holds if inside.all() else farthest)),
        "band": float(np.all((off <= wide + tiny)[inside])),
        "width": float(weight @ half),
        "p": effect.p_value,
        "slope": float(np.polyfit(at[inside], curve[inside], 1)[0]) if sum(inside) > 1 else np.nan,
        "gain": float(curve[inside] @ truth[inside] / max(truth[inside] @ truth[inside], 1e-300)),
    }


def compare(seeds: range, own: Log, log: Log) -> dict[str, dict[str, float]]:
    """Return mean errors of ours and the usual ways, and our coverage, over seeds.

    The usual ways do not change with paribus: what the log holds of them is not measured again.
    """
    for seed in seeds:
        for scenarios in same_data(EFFECTS):
            missing = [s for s in scenarios if (s.name, seed) not in log]
            for name, errors in usual_errors(missing, seed):
                log.add((name, seed), errors)
    found = {}
    for s in EFFECTS:
        rows = [{**scored(own, s, s.n, seed), **log[s.name, seed]} for seed in seeds]
        found[s.name] = mean(rows)
    return found


def renew_ours(own: Log) -> None:
    """Write our new scores beside what the usual ways have scored on the same tables before."""
    path = RESULTS / "accuracy-usual.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for s in EFFECTS:
        rows = [scored(own, s, s.n, seed) for seed in range(content["seeds"])]
        content["against"][s.name] |= mean(rows)
    save(path, content)


def renew_sizes(own: Log, sizes: list[int], n_seeds: int) -> None:
    """Measure error and coverage of some numbers of rows afresh; the rest stays as it is stored."""
    path = RESULTS / "accuracy.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for n in sizes:
        size = tables(n_seeds)[n]
        content["coverage"] |= coverage_of(own, n, size)
        content["tables"][str(n)] = size
        save(path, content | machine())


def usual_errors(scenarios: list[Scenario], seed: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the errors of the usual ways for scenarios that draw the same data."""
    if not scenarios:
        return
    sample = scenarios[0].draw(seed, scenarios[0].n)
    models = {"rf": usual.forest(sample), "hgb": usual.boosting(sample)}
    for scenario in scenarios:
        at, weight = points(sample, scenario.column)
        yield (
            scenario.name,
            {
                name: error(scenario, curve(at), at, weight)
                for name, curve in usual.curves(models, sample, scenario.column)
            },
        )


def main() -> None:
    """Run the tables asked for: our own scores, or the comparison with the usual ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["own", "usual"], help="only one of the two parts")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--nulls", type=int, default=400, help="repetitions under no effect")
    parser.add_argument("--go-on", action="store_true", help="of ours, measure what is missing")
    parser.add_argument("--again", action="store_true", help="measure the usual ways once more")
    parser.add_argument(
        "--sizes", type=int, nargs="+", choices=SIZES, help="of ours, error and coverage of these"
    )
    options = parser.parse_args()
    own, log = Log(BUILD / "accuracy.jsonl"), Log(BUILD / "accuracy-usual.jsonl")
    for each, forgotten in ((own, not options.go_on), (log, options.again)):
        if forgotten:
            each.forget(lambda _: True)
    if options.sizes:
        renew_sizes(own, options.sizes, options.seeds)
        return
    if options.part != "usual":
        found = own_tables(own, options.seeds, options.nulls)
        sizes = {"tables": tables(options.seeds), "nulls_seeds": options.nulls, "ends": list(ENDS)}
        content = {**machine(), **sizes, "farthest": list(FARTHEST), **found}
        save(RESULTS / "accuracy.json", content)
    if options.part == "own":
        renew_ours(own)
    if options.part != "own":
        against = compare(range(options.seeds), own, log)
        show("Error beside the usual ways (n = 2000), and our coverage", against)
        content = {**machine(), "seeds": options.seeds, "against": against}
        save(RESULTS / "accuracy-usual.json", content)


def tables(n_seeds: int) -> dict[int, int]:
    """Return how many tables of each size are measured."""
    return {n: max(n_seeds // part, 1) for n, part in SIZES.items()}


def own_tables(log: Log, n_seeds: int, n_nulls: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return coverage by size, tests under no effect, and the sweep over leaf sizes."""
    coverage: dict[str, dict[str, float]] = {}
    for n, size in tables(n_seeds).items():
        coverage |= coverage_of(log, n, size)
    show("Our error and coverage by size", coverage)
    nulls = {
        f"{s.name}, n = {n}": rejections(log, s, n, n_nulls) for n in (500, 2000) for s in NULLS
    }
    show("Tests under no effect", nulls)
    leaf_seeds = range(max(n_seeds // LEAF_PART, 1))
    leaves = {
        f"{s.name}, leaf {leaf}": average(log, s, 2000, leaf_seeds, min_samples_leaf=leaf)
        for s in EFFECTS
        if s.name in LEAF_ROWS
        for leaf in LEAVES
    }
    show("Leaf size", leaves)
    return {"coverage": coverage, "nulls": nulls, "leaves": leaves}


def coverage_of(log: Log, n: int, n_tables: int) -> dict[str, dict[str, float]]:
    """Return our error and coverage on so many tables of n rows."""
    return {f"{s.name}, n = {n}": average(log, s, n, range(n_tables)) for s in EFFECTS}


def scored(log: Log, scenario: Scenario, n: int, seed: int, **options) -> dict[str, float]:
    """Return our scores on one table, measured if the log has none."""
    key = (scenario.name, n, seed, *options.values())
    if key not in log:
        log.add(key, ours(scenario, scenario.draw(seed, n), seed, **options))
    return log[key]


def average(log: Log, scenario: Scenario, n: int, seeds: range, **options) -> dict[str, float]:
    """Return the mean of our scores over seeds."""
    return mean([scored(log, scenario, n, seed, **options) for seed in seeds])


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each score over rows."""
    return {name: float(np.nanmean([row[name] for row in rows])) for name in rows[0]}


def rejections(log: Log, scenario: Scenario, n: int, repetitions: int) -> dict[str, float]:
    """Return how often "no effect" is rejected where there is none."""
    p = np.array([scored(log, scenario, n, 1000 + k)["p"] for k in range(repetitions)])
    return {f"at {100 * level:g} %": float(np.mean(p < level)) for level in (0.01, 0.05, 0.2, 0.5)}


if __name__ == "__main__":
    main()
