"""Columns that confound together, in memory and in batches: error and coverage side by side.

The explained column x has a slope of 1, and moves with something that two or three other columns
say only together; so does the target. Judged is the change from -1 to 1, whose truth is 2. Prints a
table and writes `benchmarks/results/in_batches.json`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import paribus as pb

from report import machine, save, show

RESULTS = Path(__file__).parent / "results" / "in_batches.json"
N_ROWS, PARTS, TRUTH = 40_000, 4, 2.0
Columns = Mapping[str, np.ndarray]
CELLS = np.random.default_rng(5)
BY_HOUR, BY_THREE, BY_LEVEL = (CELLS.normal(size=s) for s in ((24, 7), (5, 5, 5), (50,)))


def names(prefix: str, codes: np.ndarray) -> np.ndarray:
    """Return codes as text."""
    return np.char.add(prefix, np.char.zfill(codes.astype(str), 2))


def hour_weekday(rng: np.random.Generator) -> tuple[np.ndarray, Columns]:
    """Each cell of a week has a mean of its own."""
    hour, day = rng.integers(24, size=N_ROWS), rng.integers(7, size=N_ROWS)
    return BY_HOUR[hour, day], {"hour": hour, "day": names("d", day)}


def three_categories(rng: np.random.Generator) -> tuple[np.ndarray, Columns]:
    """So has each cell of three categories."""
    a, b, c = rng.integers(5, size=(3, N_ROWS))
    return BY_THREE[a, b, c], {"a": names("a", a), "b": names("b", b), "c": names("c", c)}


def levels_number(rng: np.random.Generator) -> tuple[np.ndarray, Columns]:
    """A number's slope is another for each of fifty levels."""
    level, z = rng.integers(50, size=N_ROWS), rng.uniform(-1, 1, N_ROWS)
    return 2 * BY_LEVEL[level] * z, {"level": names("l", level), "z": z}


def board(rng: np.random.Generator) -> tuple[np.ndarray, Columns]:
    """A checkerboard of four by four fields."""
    east, north = rng.uniform(-1, 1, size=(2, N_ROWS))
    return np.sign(np.sin(2 * np.pi * east) * np.sin(2 * np.pi * north)), {"e": east, "n": north}


def additive(rng: np.random.Generator) -> tuple[np.ndarray, Columns]:
    """Two columns that only add up."""
    z, day = rng.uniform(-1, 1, N_ROWS), rng.integers(7, size=N_ROWS)
    return z + day / 3, {"z": z, "day": day}


DESIGNS: dict[str, Callable[[np.random.Generator], tuple[np.ndarray, Columns]]] = {
    "hour x weekday": hour_weekday,
    "5 x 5 x 5 levels": three_categories,
    "50 levels x number": levels_number,
    "checkerboard": board,
    "additive": additive,
}


def table_of(name: str, seed: int) -> pa.Table:
    """Return a table of a design."""
    rng = np.random.default_rng(seed)
    shared, columns = DESIGNS[name](rng)
    x = shared + rng.normal(size=N_ROWS)
    y = x + 2 * shared + rng.normal(size=N_ROWS)
    return pa.table({"x": x, **columns, "noise": rng.normal(size=N_ROWS), "y": y})


def explained(table: pa.Table, folder: Path) -> dict[str, Any]:
    """Return the effect of x in batches of a tenth, and in memory."""
    for k in range(PARTS):
        part = table.slice(k * N_ROWS // PARTS, N_ROWS // PARTS)
        pq.write_table(part, folder / f"{k}.parquet")
    files = str(folder / "*.parquet")
    return {
        "batches": pb.effect(files, "y", "x", sample_rows=N_ROWS // 10, tidy=False),
        "memory": pb.effect(table, "y", "x", tidy=False),
    }


def score(name: str, seeds: int) -> dict[str, float]:
    """Return root mean squared errors, and how often intervals hold the truth."""
    errors: dict[str, list[float]] = {"batches": [], "memory": []}
    held: dict[str, list[bool]] = {"batches": [], "memory": []}
    told = []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder:
            found = explained(table_of(name, seed), Path(folder))
        told.append(any(note.kind == "too_fine_in_batches" for note in found["batches"].notes))
        for way, effect in found.items():
            rise = effect.between(-1, 1)
            errors[way].append(rise.value - TRUTH)
            held[way].append(rise.lower <= TRUTH <= rise.upper)
    out = {"a note in batches": float(np.mean(told))}
    for way in errors:
        out[f"error, {way}"] = float(np.sqrt(np.mean(np.square(errors[way]))))
        out[f"held, {way}"] = float(np.mean(held[way]))
    return out


def main() -> None:
    """Score all designs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    rows = {}
    for name in DESIGNS:
        rows[name] = score(name, seeds)
        print(name, rows[name], flush=True)
    show("Columns that confound together, 40,000 rows", rows)
    save(RESULTS, {**machine(), "seeds": seeds, "rows": rows})


if __name__ == "__main__":
    main()
