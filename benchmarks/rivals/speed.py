"""Time and peak memory of each tool as the rows grow, and of fitting the models that they need."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from report import Log
from rivals.launch import measured
from rivals.tools import TOOLS

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
GROWS_ABOVE = 10.0  # seconds; below, what does not grow with the rows may still weigh
# One tool's forest and one brute force are enough to see how they grow.
TIMED = {
    "one": (
        "paribus",
        "stratx",
        "PDP, boosting",
        "PDP by brute force, boosting",
        "PyALE, boosting",
        "effector, boosting",
        "shap, boosting",
        "PDP, forest",
        "shap, forest",
    ),
    "all": (
        "paribus",
        "stratx",
        "PDP, boosting",
        "PyALE, boosting",
        "effector, boosting",
        "shap, boosting",
    ),
}
# A model on codes: with declared categories scikit-learn's quick partial dependence is wrong.
MODEL = {"boosting": "boosting on codes", "boosting on codes": "boosting on codes"}


def measure_all(log: Log, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return measurements by tool, problem and size; fitting counts as a tool of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for n in sorted(options.sizes):
            for problem, tools in TIMED.items():
                for tool in tools:
                    if tool in options.only:
                        step(log, tool, problem, n, options, Path(folder))
            for model in Path(folder).iterdir():
                model.unlink()
    found: dict[str, dict[str, Any]] = {}
    for (tool, problem, n), row in log.items():
        found.setdefault(tool, {}).setdefault(problem, {})[str(n)] = row
    return found


def step(
    log: Log, tool: str, problem: str, n: int, options: argparse.Namespace, folder: Path
) -> None:
    """Measure one tool at one size, unless that is known or beyond the limit."""
    if (tool, problem, n) in log:
        return
    model = MODEL.get(TOOLS[tool].model or "", TOOLS[tool].model)
    row = foreseen(log, tool, problem, n, options)
    if row is None and model:
        row = fitted(log, model, n, options, folder)
    if row is None:
        job = {"do": "speed", "tool": tool, "n": n, "limit": options.limit, "columns": problem}
        job["model"] = str(folder / model) if model else None
        row = measured(TOOLS[tool].place, job)
    log.add((tool, problem, n), row)
    print(f"{tool}, {problem}, {n:,}: {row}", flush=True)


def fitted(
    log: Log, model: str, n: int, options: argparse.Namespace, folder: Path
) -> dict[str, Any] | None:
    """Fit a model into the folder, measured; say why if there is none."""
    if (folder / model).exists():
        return None
    name = f"fitting: {model.removesuffix(' on codes')}"
    row = foreseen(log, name, "fit", n, options)
    if row is None:
        job = {"do": "fit", "model": model, "n": n, "limit": options.limit}
        row = measured("rivals", {**job, "save": str(folder / model)})
    if (name, "fit", n) not in log:
        log.add((name, "fit", n), row)
        print(f"{name}, {n:,}: {row}", flush=True)
    return {"stopped": "no model"} if "stopped" in row else None


def foreseen(
    log: Log, tool: str, problem: str, n: int, options: argparse.Namespace
) -> dict[str, Any] | None:
    """Say that a tool would pass the limit, judged by its last measurement; growth is at least n.

    A tool that was stopped is not tried on more rows.
    """
    smaller = [m for m in sorted(options.sizes) if m < n and (tool, problem, m) in log]
    if not smaller:
        return None
    last = log[tool, problem, smaller[-1]]
    if "stopped" in last:
        return {"stopped": last["stopped"], "foreseen": True}
    tail = last["seconds"] * n / smaller[-1] if last["seconds"] > GROWS_ABOVE else 0.0
    return {"stopped": "time", "foreseen": True} if tail > options.limit else None
