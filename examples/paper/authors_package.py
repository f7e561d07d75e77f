"""The authors' package stratx, timed where `make rivals` has installed it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from tables import ROOT, RealTable

PYTHON = ROOT / "build" / "stratx-venv" / "bin" / "python"
WORKER = Path(__file__).parent / "time_stratx.py"
WARM, LIMIT = 300, 240  # rows of the first call; seconds for a table

Times = dict[str, dict[int, float]]


def is_there() -> bool:
    """Tell whether the environment is complete."""
    return (PYTHON.parents[1] / ".ready").exists()


def timed(table: RealTable, sizes: list[int]) -> Times:
    """Return seconds by column and rows; columns that come after the limit are left out."""
    X = table.coded()
    order = np.random.default_rng(0).permutation(len(X))
    with tempfile.TemporaryDirectory() as folder:
        held, found = Path(folder) / "table.npz", Path(folder) / "found.jsonl"
        np.savez(held, X=X.to_numpy()[order], y=table.y.to_numpy()[order])
        job = {"file": str(held), "names": list(X), "categories": table.categories, "sizes": sizes}
        _run(json.dumps(job), found)
        rows = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
    times: Times = {}
    for row in rows:
        times.setdefault(row["column"], {})[row["rows"]] = row["seconds"]
    return {column: t for column, t in times.items() if sizes[-1] in t}


def _run(job: str, found: Path) -> None:
    with found.open("w", encoding="utf-8") as out:
        try:
            subprocess.run(  # noqa: S603
                [PYTHON, WORKER], input=job, stdout=out, text=True, timeout=LIMIT, check=True
            )
        except subprocess.TimeoutExpired:
            print(f"The authors' package was stopped after {LIMIT} seconds on a table.")
