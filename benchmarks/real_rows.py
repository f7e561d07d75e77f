"""Rows as they are: our contrasts beside those of careful analysts; a part of `make accuracy`.

Prints a table and writes `benchmarks/results/real_rows.json`. Every result is also kept in
`build/real_rows.jsonl`: a run that was stopped, or that did only some designs (`--only`, `--sizes`)
or fewer seeds, is added to. `--again` measures ours once more; the rivals' do not change.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import paribus as pb
import real_cells  # noqa: F401  (registers its designs)

import real_clusters  # noqa: F401  (likewise)
import real_held_out  # noqa: F401  (likewise)
from real_designs import DESIGNS, Design, Draw
from real_rivals import RIVALS, is_missing
from report import Log, machine, save, show

RESULTS = Path(__file__).parent / "results" / "real_rows.json"
LOG = Path(__file__).parents[1] / "build" / "real_rows.jsonl"
QUANTILES = ((0.1, 0.9), (0.25, 0.75), (0.4, 0.6), (0.05, 0.5), (0.5, 0.95))
MOST_PAIRS = 10
LARGE, PART = 4000, 2  # beyond so many rows, one seed in so many is run
MORE = 5  # times as many seeds for ours: coverage wants more tables than errors do
ENDS = (0.005, 0.995)  # quantiles of x, compared with its median
TOLD = {  # notes that say what was done, not that the answer may be wrong
    "missing_feature", "missing_target", "incomplete_rows", "filled_in", "within_units",
    "without_unit", "silent_rows", "zero_weight", "copied_rows", "missing_not_told",
    "missing_not_comparable", "class_target",
}  # fmt: skip
OURS = "ours"
CHANCE = 1.1  # an error that many times a rival's, on the same tables, is chance
LOW, HIGH = 0.90, 0.99  # how often intervals should hold the truth
SURE = 2.0  # standard errors beyond these bounds, over tables: no luck of few tables


class Estimate(NamedTuple):
    """A contrast with its standard error and half the length of its interval."""

    value: float
    se: float
    half: float


def pairs_of(drawn: Draw) -> list[tuple[Any, Any]]:
    """Return between which values or levels contrasts are taken, the main one first."""
    if not callable(drawn.truth):
        levels = list(drawn.truth)
        main = [(levels[0], levels[-1])] if levels else []
        return main + [p for p in combinations(levels, 2) if p not in main][: MOST_PAIRS - 1]
    x = drawn.table["x"][~is_missing(drawn.table["x"])]
    found = [tuple(float(v) for v in np.quantile(x, q, method="nearest")) for q in QUANTILES]
    apart = [(a, b) for a, b in found if a < b]
    return apart or [(float(x.min()), float(x.max()))]


def ends_of(drawn: Draw) -> list[tuple[float, float]]:
    """Return the contrasts of the ends of a curve with its middle; none of levels."""
    if not callable(drawn.truth):
        return []
    x = np.asarray(drawn.table["x"], dtype=float)
    middle, *ends = np.nanquantile(x, (0.5, *ENDS), method="nearest")
    return [(float(middle), float(end)) for end in ends if end != middle]


def true_contrast(drawn: Draw, pair: tuple[Any, Any]) -> float:
    if callable(drawn.truth):
        return float(np.diff(drawn.truth(np.array(pair, dtype=float)))[0])
    return drawn.truth[pair[1]] - drawn.truth[pair[0]]


def judged(drawn: Draw, estimates: Sequence[Estimate | None]) -> dict[str, Any]:
    """Return the main contrast's error and standard error, and the share of intervals that hold.

    Contrasts that are refused, as between two sides of a gap, count as no answer.
    """
    pairs = zip(estimates, pairs_of(drawn), strict=True)
    known = [(one, true_contrast(drawn, pair)) for one, pair in pairs if one is not None]
    found: dict[str, Any] = {"answered": len(known) / len(estimates)}
    if estimates[0] is not None:
        found |= {"error": estimates[0].value - known[0][1], "se": estimates[0].se}
        found["covers"] = float(np.mean([abs(one.value - t) <= one.half for one, t in known]))
    return found


def ours(design: Design, n: int, seed: int) -> dict[str, Any]:
    """Judge paribus on one table."""
    drawn = table_of(design, n, seed)
    features = None if design.expects == "last" else ["x"]
    every = pb.effects(
        drawn.table, drawn.y, features=features, seed=seed, tidy=False, **drawn.options
    )
    effect = every["x"]
    notes = sorted({note.kind for note in (*every.notes, *effect.notes)})
    found = {"notes": notes, "p": effect.p_value, "explained": effect.explained}
    if design.expects == "last":
        return {**found, "as expected": every.ranking.index("x") >= len(drawn.table) - 1}
    if design.expects == "refusal" or not effect.explained:
        return {**found, "as expected": (design.expects == "refusal") and not effect.explained}
    if design.expects == "influential":
        found["as expected"] = len(effect.influential) > 0
    ends = [
        abs(one.value - true_contrast(drawn, pair)) <= one.half
        for pair in ends_of(drawn)
        if (one := contrast(effect, *pair)) is not None
    ]
    if ends:
        found["ends"] = float(np.mean(ends))
    return {**found, **judged(drawn, [contrast(effect, a, b) for a, b in pairs_of(drawn)])}


def contrast(effect: pb.Effect, a: Any, b: Any) -> Estimate | None:
    """Return a difference in the target's own unit, or nothing where it is refused."""
    scale = 100.0 if effect.unit else 1.0
    try:
        found = effect.between(a, b)
    except pb.InputError:
        return None
    return Estimate(found.value / scale, found.se / scale, (found.upper - found.value) / scale)


def rival(name: str, design: Design, n: int, seed: int) -> dict[str, Any]:
    """Judge another way on the same table."""
    drawn = table_of(design, n, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models fitted to odd data
        found = RIVALS[name](drawn, pairs_of(drawn))
    return judged(drawn, [Estimate(value, se, 1.96 * se) for value, se in found])


def table_of(design: Design, n: int, seed: int) -> Draw:
    """Draw a table; every design has random numbers of its own."""
    return design.make(np.random.default_rng([seed, *design.name.encode()]), n)


def measure(
    designs: Sequence[Design], sizes: Sequence[int], seeds: int, who: str, log: Log
) -> None:
    """Fill the log with what is not there yet."""
    for design in designs:
        compared = design.expects in ("contrast", "influential")
        for n in (n for n in design.sizes if not sizes or n in sizes):
            for seed in range(tables(seeds, n, who)):
                key = (design.name, n, seed, who)
                if key in log or not (who == OURS or compared):
                    continue
                found = ours(design, n, seed) if who == OURS else rival(who, design, n, seed)
                log.add(key, found)


def tables(seeds: int, n: int, who: str) -> int:
    """Return how many tables are drawn."""
    return max((seeds * MORE if who == OURS else seeds) // (1 if n < LARGE else PART), 1)


def summary(
    log: Log, stored: Mapping[str, dict[str, Any]] = MappingProxyType({})
) -> dict[str, dict[str, Any]]:
    """Return what the log says of each design and size.

    Rivals that it says nothing of have the scores that are `stored`.
    """
    found: dict[tuple[str, int], dict[str, dict[int, dict[str, Any]]]] = {}
    for (name, n, seed, who), row in log.items():
        if name in DESIGNS:
            found.setdefault((name, n), {}).setdefault(who, {})[seed] = row
    order = list(DESIGNS)
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1]))
    titles = {key: f"{key[0]}, n = {key[1]}" for key in keys}
    return {
        title: line(DESIGNS[key[0]], key[1], found[key], stored.get(title, {}))
        for key, title in titles.items()
    }


def line(
    design: Design,
    n: int,
    found: dict[str, dict[int, dict[str, Any]]],
    stored: dict[str, Any],
) -> dict[str, Any]:
    """Sum up one design at one size; see `summary`."""
    mine = list(found.get(OURS, {}).values())
    out: dict[str, Any] = {"design": design.name, "n": n, "seeds": len(mine)}
    out |= {"held_out": design.held_out, "null": design.null, "curable": design.curable}
    if mine:
        expected = [row["as expected"] for row in mine if "as expected" in row]
        out["as expected"] = float(np.mean(expected)) if expected else None
        out["rejected"] = float(np.mean([row["p"] < 0.05 for row in mine])) if design.null else None
        out["answered"] = float(np.mean([row.get("answered", 1.0) for row in mine]))
        out["warned"] = float(np.mean([bool(set(row["notes"]) - TOLD) for row in mine]))
        out["notes"] = dict(Counter(kind for row in mine for kind in row["notes"]).most_common())
    answers = {who: {s: r for s, r in rows.items() if "error" in r} for who, rows in found.items()}
    for who, rows in answers.items():
        if rows:
            both = [s for s in rows if s in answers.get(OURS, {})]
            beside = [rmse([answers[w][s] for s in both]) for w in (OURS, who)] if both else [1, 1]
            out[who] = scores(list(rows.values())) | {"ours to it": beside[0] / beside[1]}
    for who in (who for who in RIVALS if who in stored and who not in out and OURS in out):
        first = [r for s, r in answers[OURS].items() if s < stored[who]["seeds"]]
        out[who] = stored[who] | {"ours to it": rmse(first) / stored[who]["rmse"]}
    if OURS in out:
        rivals = [who for who in RIVALS if who in out]
        out["error not larger"] = all(out[who]["ours to it"] <= CHANCE for who in rivals)
        covers = round(out[OURS]["covers"], 9)  # 0.99 is not more than 0.99
        doubt = float(np.std([row["covers"] for row in answers[OURS].values()]))
        doubt *= SURE / np.sqrt(out[OURS]["seeds"])
        out["held as it says"] = LOW <= covers <= HIGH
        out["surely not"] = not LOW - doubt <= covers <= HIGH + doubt
        ends = [row["ends"] for row in answers[OURS].values() if "ends" in row]
        out["ends"] = float(np.mean(ends)) if ends else None
    return out


def scores(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the mean error and the like over tables."""
    return {
        "bias": float(np.mean([row["error"] for row in rows])),
        "rmse": rmse(rows),
        "se": float(np.mean([row["se"] for row in rows])),
        "covers": float(np.mean([row["covers"] for row in rows])),
        "seeds": len(rows),
    }


def rmse(rows: Sequence[dict[str, Any]]) -> float:
    return float(np.sqrt(np.mean([row["error"] ** 2 for row in rows])))


def main() -> None:
    """Measure what is asked for, and write what is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument(
        "--only", nargs="*", default=[], help="designs whose name contains one; others as stored"
    )
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[], help="only these numbers of rows"
    )
    parser.add_argument("--who", nargs="*", default=[OURS, *RIVALS], choices=[OURS, *RIVALS])
    parser.add_argument("--again", action="store_true", help="measure ours again")
    parser.add_argument("--own", action="store_true", help="only ours; the rivals' as stored")
    options = parser.parse_args()
    log = Log(LOG)
    part = options.own or bool(options.only)
    stored = json.loads(RESULTS.read_text(encoding="utf-8")) if part else {}
    known = stored.get("designs", {})
    about = {k: stored[k] for k in machine() if k in stored} if options.only else machine()
    if stored:
        about["rivals of"] = stored.get("rivals of", stored["date"])
    chosen = [
        d for d in DESIGNS.values() if not options.only or any(p in d.name for p in options.only)
    ]
    if options.again:
        names = {d.name for d in chosen}
        log.forget(lambda key: key[0] in names and key[-1] == OURS)
    for who in [OURS] if options.own else options.who:
        measure(chosen, options.sizes, options.seeds, who, log)
        measured = summary(log, known)
        titles = [*known, *(title for title in measured if title not in known)]
        designs = {title: measured.get(title) or known[title] for title in titles}
        if options.only:
            about["again"] = [*stored.get("again", ()), once_more(chosen, options.seeds)]
        save(RESULTS, {**about, "seeds": stored.get("seeds", options.seeds), "designs": designs})
    show("Rows as they are", {name: flat(row) for name, row in designs.items()})


def once_more(chosen: Sequence[Design], seeds: int) -> dict[str, Any]:
    """Say what was measured of some designs only, and when."""
    names = [design.name for design in chosen]
    return {"date": machine()["date"], "tables": seeds * MORE, "designs": names}


def flat(row: dict[str, Any]) -> dict[str, float]:
    """Return the numbers to be printed."""
    out = {f"{k[:6]} {what}": v[what] for k, v in row.items() if isinstance(v, dict) and "rmse" in v
           for what in ("rmse", "covers")}  # fmt: skip
    more = {
        "rejected": row.get("rejected"),
        "warned": row.get("warned"),
        "ok": row.get("as expected"),
    }
    return out | {k: v for k, v in more.items() if v is not None}


if __name__ == "__main__":
    main()
