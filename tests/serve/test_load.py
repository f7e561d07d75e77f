"""Many at once: nothing lost, memory bounded, later jobs queue and say so."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from served import Served, people

UPLOADS, RUNS = 50, 20
SIZE = 4_000_000  # bytes of each file, so that fifty in memory would show
MOST_GROWTH = 100_000_000


def wide_people(k):
    """Return a CSV of its own for each upload, made large by a column of text."""
    head, *lines = people(200, seed=k).decode().splitlines()
    filler = "x" * (SIZE // len(lines))
    rows = "".join(f"{line},{filler}{k}\n" for line in lines)
    return f"{head},filler\n{rows}".encode()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_fifty_uploads_and_twenty_runs_at_once(tmp_path, record_property):
    server = Served(tmp_path / "cache")
    server.glance(server.upload("first.csv", people(100)))
    before = server.memory()
    slowest = []

    def send(k):
        file = server.upload(f"people {k}.csv", wide_people(k))
        assert server.glance(file)["state"] == "done"
        return file

    with ThreadPoolExecutor(UPLOADS) as pool:
        files = list(pool.map(send, range(UPLOADS)))
    assert len(set(files)) == UPLOADS

    def explain(k):
        return server.start(files[k], target="weight", left_out=["filler"])

    with ThreadPoolExecutor(RUNS) as pool:
        runs = list(pool.map(explain, range(RUNS)))
    waiting = [server.json("GET", f"{run}/progress")[1]["before"] for run in runs]
    assert max(waiting) > 5  # they say how many come before them
    for run in runs:
        start = time.perf_counter()
        assert server.ask("GET", "/")[0] == 200
        slowest.append(time.perf_counter() - start)
        said = server.wait(f"{run}/progress")
        assert said["state"] == "done"
        assert said["html"].count('<section class="column"') == 4
    assert server.memory() - before < MOST_GROWTH
    record_property("slowest_answer_seconds", max(slowest))
    assert statistics.median(slowest) < 1  # the page answers while it computes
    server.close()
    assert list((tmp_path / "cache").iterdir()) == []
