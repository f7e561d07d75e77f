"""Start a worker in the environment of a tool, and stop it when it takes too much."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PYTHONS = {
    "paribus": ROOT / ".venv" / "bin" / "python",
    "rivals": ROOT / "build" / "rivals-venv" / "bin" / "python",
    "stratx": ROOT / "build" / "stratx-venv" / "bin" / "python",
}
GIGABYTES = 16
LOOK_EVERY = 0.05  # seconds


def installed(place: str) -> bool:
    """Say whether an environment is complete."""
    return place == "paribus" or (PYTHONS[place].parents[1] / ".ready").exists()


def start(place: str, job: dict[str, Any]) -> subprocess.Popen[str]:
    """Start a worker and hand it its job."""
    worker = subprocess.Popen(
        [PYTHONS[place], "-m", "rivals.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "benchmarks")},
    )
    assert worker.stdin
    worker.stdin.write(json.dumps(job))
    worker.stdin.close()
    return worker


def rows(place: str, job: dict[str, Any]) -> Iterator[Any]:
    """Yield what a worker finds, row by row."""
    with start(place, job) as worker:
        assert worker.stdout
        yield from map(json.loads, worker.stdout)
    if worker.returncode:
        raise SystemExit(f"the worker for {place} failed on {job}")


def measured(place: str, job: dict[str, Any]) -> dict[str, Any]:
    """Return the one row of a worker, or why it was stopped: time, memory or a failure."""
    with start(place, job) as worker:
        while worker.poll() is None:
            if resident(worker.pid) > GIGABYTES * 1e9:
                worker.kill()
                return {"stopped": "memory"}
            time.sleep(LOOK_EVERY)
        assert worker.stdout
        lines = worker.stdout.read().splitlines()
    if worker.returncode == -signal.SIGALRM:
        return {"stopped": "time"}
    return json.loads(lines[-1]) if worker.returncode == 0 and lines else {"stopped": "failure"}


def resident(pid: int) -> float:
    """Return the bytes that a process holds in memory, where the kernel tells."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]
    except OSError:
        return 0.0
    return int(pages) * float(os.sysconf("SC_PAGE_SIZE"))
