"""Mutated files and odd tables, as many as fit into the time: answered, or refused by a sentence.

``python benchmarks/fuzz.py --minutes 10 --seed 0``. Everything tried follows from a seed; the seeds
of what went wrong are kept in the JSON, and ``--only SEED`` tries one again.
"""

from __future__ import annotations

import argparse
import json
import platform
import signal
import tempfile
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

import paribus as pb
from paribus.base.errors import InputError
from paribus.files.read import read_file

RESULT = Path(__file__).parent / "results" / "fuzz.json"
PATIENCE = 60  # seconds, after which it hangs
SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
PIECES = [
    b'"',
    b",",
    b";",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"1e999",
    b"NaN",
    b"=1+1",
    b"\xef\xbb\xbf",
]
ODD = [0.0, -0.0, 1e-300, 1e140, -1e140, np.nan, 1.0, 2**53, -1e-12, 7.0]
OPTIONS = [{}, {"tidy": False}, {"honest": False}, {"n_jobs": 1}, {"average": "overlap"}]


def table_of(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return a table of odd columns."""
    n = int(rng.choice([0, 1, 2, 5, 30, 200]))
    makers = [
        lambda: rng.normal(size=n),
        lambda: rng.choice(ODD, size=n),
        lambda: rng.integers(0, 3, size=n),
        lambda: rng.choice(["a", "b", "", "NA", "ü🙂", "1,5"], size=n),
        lambda: np.full(n, np.nan),
        lambda: rng.normal(size=n) + 1e14,
        lambda: rng.normal(size=n).astype(np.float32),
        lambda: rng.random(n) < 0.5,
    ]
    names = rng.choice(
        ["x", "y", "", "a b", "=x", "é", "1"], size=int(rng.integers(1, 6)), replace=False
    )
    table = {str(name): makers[rng.integers(len(makers))]() for name in names}
    return {**table, "target": makers[rng.integers(len(makers))]()}


def file_of(rng: np.random.Generator, folder: Path) -> Path:
    """Write a table as a file of some kind, and change some of its bytes."""
    suffix = str(rng.choice(SUFFIXES))
    path, frame = folder / f"fuzzed{suffix}", pl.DataFrame(table_of(rng))
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".xlsx":
        frame.write_excel(path)
    elif suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if suffix == ".tsv" else str(rng.choice([",", ";"])))
    content = bytearray(path.read_bytes())
    for _ in range(int(rng.choice([0, 1, 3, 20]))):
        at = int(rng.integers(len(content) + 1))
        piece = PIECES[rng.integers(len(PIECES))]
        content[at : at + int(rng.integers(4))] = piece if rng.random() < 0.7 else rng.bytes(3)
    path.write_bytes(
        content[: int(rng.integers(1, len(content) + 2))] if rng.random() < 0.2 else content
    )
    return path


def try_file(rng: np.random.Generator, folder: Path) -> None:
    """Read a mutated file."""
    read_file(file_of(rng, folder))


def try_table(rng: np.random.Generator, _folder: Path) -> None:
    """Explain an odd table, and see that the order of its columns leaves no trace."""
    table, options = table_of(rng), OPTIONS[rng.integers(len(OPTIONS))]
    found = pb.effects(table, "target", **options)
    if options.get("tidy", True):
        return
    again = pb.effects(dict(reversed(table.items())), "target", **options)
    for name, effect in found.items():
        if again[name].explained != effect.explained:
            raise AssertionError(f"the order of columns changes {name!r}")


ROOMS = {"files": try_file, "tables": try_table}


def try_one(seed: int, folder: Path) -> tuple[str, str, str]:
    """Return the room tried, what came of it, and why it was wrong."""
    rng = np.random.default_rng(seed)
    room = list(ROOMS)[seed % len(ROOMS)]
    signal.alarm(PATIENCE)
    try:
        ROOMS[room](rng, folder)
    except InputError:
        return room, "refused", ""
    except BaseException as problem:  # a panic of polars is no Exception
        if isinstance(problem, KeyboardInterrupt):
            raise
        return room, "wrong", f"{type(problem).__name__}: {problem}"[:300]
    finally:
        signal.alarm(0)
    return room, "answered", ""


def hang(*_: object) -> None:
    """Say that something takes too long."""
    raise TimeoutError(f"no answer in {PATIENCE} s")


def fuzz(minutes: float, seed: int) -> dict[str, object]:
    """Try for so many minutes, from a seed on; return the counts and what went wrong."""
    counts = {room: dict.fromkeys(("tried", "refused", "answered", "wrong"), 0) for room in ROOMS}
    wrong: list[dict[str, object]] = []
    start = time.monotonic()
    signal.signal(signal.SIGALRM, hang)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while time.monotonic() - start < 60 * minutes:
            room, outcome, why = try_one(seed, Path(folder))
            counts[room]["tried"] += 1
            counts[room][outcome] += 1
            if why:
                wrong.append({"seed": seed, "room": room, "why": why})
            seed += 1
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": platform.platform(),
        "minutes": round((time.monotonic() - start) / 60, 2),
        "next_seed": seed,
        "counts": counts,
        "wrong": wrong,
    }


def main() -> None:
    """Fuzz, print the counts and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args()
    if given.only is not None:
        with tempfile.TemporaryDirectory() as folder:
            ROOMS[list(ROOMS)[given.only % len(ROOMS)]](
                np.random.default_rng(given.only), Path(folder)
            )
        return
    done = fuzz(given.minutes, given.seed)
    given.out.write_text(json.dumps(done, indent=2) + "\n")
    print(json.dumps(done, indent=2))


if __name__ == "__main__":
    main()
