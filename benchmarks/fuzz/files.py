"""Files of odd tables, with some of their bytes changed; and those tables themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import paribus as pb
from paribus.files.read import read_file

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


def mutated(content: bytes, rng: np.random.Generator, n_changes: int) -> bytes:
    """Change some bytes, and now and then cut off the end."""
    changed = bytearray(content)
    for _ in range(n_changes):
        at = int(rng.integers(len(changed) + 1))
        piece = PIECES[rng.integers(len(PIECES))]
        changed[at : at + int(rng.integers(4))] = piece if rng.random() < 0.7 else rng.bytes(3)
    return bytes(
        changed[: int(rng.integers(1, len(changed) + 2))] if rng.random() < 0.2 else changed
    )


def write(frame: pl.DataFrame, path: Path, separator: str) -> None:
    """Write a table as its name's ending says."""
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".xlsx":
        frame.write_excel(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else separator)


def file_of(rng: np.random.Generator, folder: Path) -> Path:
    """Write a table as a file of some kind, and change some of its bytes."""
    path = folder / f"fuzzed{rng.choice(SUFFIXES)}"
    write(pl.DataFrame(table_of(rng)), path, str(rng.choice([",", ";"])))
    path.write_bytes(mutated(path.read_bytes(), rng, int(rng.choice([0, 1, 3, 20]))))
    return path


def try_file(rng: np.random.Generator, folder: Path) -> None:
    """Read a mutated file."""
    read_file(file_of(rng, folder))


def try_written(rng: np.random.Generator, folder: Path) -> None:
    """Write a table of plain values, and see that each of them comes back."""
    n, path = int(rng.integers(2, 60)), folder / f"written{rng.choice(SUFFIXES)}"
    table = {
        "whole": rng.integers(-(10 ** rng.integers(1, 15)), 10**6, size=n),
        "number": rng.normal(size=n) * 10.0 ** rng.integers(-12, 12),
        "code": [f"{k:05d}" for k in rng.integers(0, 10**5, size=n)],
        "place": rng.choice(
            ["München", "NA", "-", "8e10203", "Marco 1 99", "x;y", 'a "b"'], size=n
        ),
        "flag": rng.choice(["yes", "no"], size=n),
        "some": [None if rng.random() < 0.2 else float(v) for v in rng.integers(9, size=n)],
    }
    chosen = rng.permutation(list(table))[: int(rng.integers(2, len(table) + 1))]
    frame = pl.DataFrame({str(name): table[name] for name in chosen})
    write(frame, path, str(rng.choice([",", ";", "|"])))
    back = read_file(path)
    if not back.notes:
        compare(frame, back.table)


def compare(frame: pl.DataFrame, back: pl.DataFrame) -> None:
    """See that a table came back cell by cell."""
    if frame.columns != back.columns or frame.height != back.height:
        raise AssertionError(f"{frame.shape} {frame.columns} became {back.shape} {back.columns}")
    for name in frame.columns:
        for cell, got in zip(frame[name], back[name], strict=True):
            if not (cell == got or str(cell) == str(got) or np.isclose(cell, got, rtol=1e-12)):
                raise AssertionError(f"{cell!r} of {name!r} became {got!r}, and nothing is said")


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
