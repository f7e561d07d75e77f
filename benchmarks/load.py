"""Fifty uploads and twenty runs at once: how long the page takes to answer each request.

``python benchmarks/load.py`` writes ``benchmarks/results/load.json``: of each kind of request how
many there were, and the median and the slowest answer in seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np

from report import machine, save

sys.path.append(str(Path(__file__).parents[1] / "tests" / "serve"))

from served import Served, people

RESULT = Path(__file__).parent / "results" / "load.json"
UPLOADS, RUNS = 50, 20
ROWS = 20_000  # of each file: about a megabyte


class Timed(Served):
    """A server, and how long each kind of request took."""

    def __init__(self, home: Path) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        super().__init__(home)

    def ask(self, method, path, body=None, **headers):
        """Ask, and write down how long it took."""
        start = time.perf_counter()
        answer = super().ask(method, path, body, **headers)
        kind = f"{method} {'/'.join(part for part in path.split('/')[1:] if len(part) != 16)}"
        self.seconds[kind.partition("?")[0]].append(time.perf_counter() - start)
        return answer


def main() -> None:
    """Load the page, and write how it answered."""
    contents = [people(ROWS, seed=k) for k in range(UPLOADS)]
    with tempfile.TemporaryDirectory() as folder:
        server = Timed(Path(folder) / "cache")
        server.glance(server.upload("first.csv", people(100)))
        server.seconds.clear()
        over = Event()
        with ThreadPoolExecutor(1) as visiting:
            visitor = visiting.submit(look_around, server, over)
            work(server, contents)
            over.set()
            visitor.result()
        server.close()
    found = {
        kind: {"asked": len(s), "median": float(np.median(s)), "slowest": max(s)}
        for kind, s in sorted(server.seconds.items())
    }
    slowest = max(row["slowest"] for row in found.values())
    for kind, row in found.items():
        print(f"{kind:40} {row['asked']:6,} {row['median']:8.3f} {row['slowest']:8.3f}")
    print(f"The slowest answer took {slowest:.2f} s.")
    result = {"uploads": UPLOADS, "runs": RUNS, "bytes": len(contents[0]), "slowest": slowest}
    save(RESULT, {**machine(), **result, "requests": found})


def work(server: Timed, contents: list[bytes]) -> None:
    """Send all files at once, and as soon as they are looked at ask all questions at once."""
    with ThreadPoolExecutor(UPLOADS) as pool:
        files = list(pool.map(lambda k: server.upload(f"{k}.csv", contents[k]), range(UPLOADS)))
        looked_at = list(pool.map(server.glance, files))
        assert all(said["state"] == "done" for said in looked_at)
        runs = list(pool.map(lambda file: server.start(file, target="weight"), files[:RUNS]))
        done = list(pool.map(lambda run: server.wait(f"{run}/progress"), runs))
        assert all(said["state"] == "done" for said in done)
        list(pool.map(lambda run: server.ask("GET", run, Accept="text/html"), runs))


def look_around(server: Timed, over: Event) -> None:
    """Ask for the first page now and then."""
    while not over.wait(0.1):
        assert server.ask("GET", "/", Accept="text/html")[0] == 200


if __name__ == "__main__":
    main()
