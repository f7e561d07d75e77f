"""The command beside the rivals: its limits, its book-keeping and its page."""

import json
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from report import Log
from rivals import launch, page, speed
from rivals.odd import CASES, outcome
from rivals.tools import TOOLS, Data, line, steps

JOB = {"do": "speed", "tool": "paribus", "n": 1000, "columns": "one", "model": None}


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setitem(launch.PYTHONS, "paribus", Path(sys.executable))


@pytest.mark.usefixtures("here")
def test_a_tool_that_takes_too_long_is_stopped():
    assert launch.measured("paribus", {**JOB, "limit": 0.001}) == {"stopped": "time"}


@pytest.mark.usefixtures("here")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no book on memory here")
def test_a_tool_that_takes_too_much_memory_is_stopped(monkeypatch):
    monkeypatch.setattr(launch, "GIGABYTES", 0.02)
    assert launch.measured("paribus", {**JOB, "limit": 60.0}) == {"stopped": "memory"}


@pytest.mark.usefixtures("here")
def test_a_measurement_has_time_and_memory():
    found = launch.measured("paribus", {**JOB, "limit": 60.0})
    assert 0 < found["seconds"] < 60
    assert 0 < found["before_mb"] <= found["peak_mb"]


def test_what_is_sure_to_pass_the_limit_is_not_tried(tmp_path):
    options = Namespace(sizes=[1000, 3000, 10_000], limit=120.0)
    log = Log(tmp_path / "log.jsonl")
    log.add(("stratx", "one", 1000), {"seconds": 1.0})
    assert speed.foreseen(log, "stratx", "one", 3000, options) is None
    log.add(("stratx", "one", 3000), {"seconds": 41.0})
    beyond = {"stopped": "time", "foreseen": True}
    assert speed.foreseen(log, "stratx", "one", 10_000, options) == beyond
    log.add(("PyALE", "one", 1000), {"stopped": "memory"})
    stopped = {"stopped": "memory", "foreseen": True}
    assert speed.foreseen(log, "PyALE", "one", 3000, options) == stopped


def test_a_tool_without_its_model_is_not_run(tmp_path, monkeypatch):
    asked = []

    def measured(_, job):
        asked.append(job)
        return {"stopped": "time"} if job.get("model") == "forest" else {"seconds": 1.0}

    monkeypatch.setattr(speed, "measured", measured)
    options = Namespace(sizes=[1000, 3000], limit=120.0, only=["paribus", "PDP, forest"])
    found = speed.measure_all(Log(tmp_path / "log.jsonl"), options)
    assert found["PDP, forest"]["one"]["1000"] == {"stopped": "no model"}
    assert found["PDP, forest"]["one"]["3000"] == {"stopped": "no model", "foreseen": True}
    assert found["fitting: forest"]["fit"] == {"1000": {"stopped": "time"}}
    assert [job["do"] for job in asked] == ["speed", "fit", "speed", "speed", "speed"]


def test_a_log_goes_on_where_it_was_left(tmp_path):
    path = tmp_path / "new" / "log.jsonl"
    log = Log(path)
    log.add(("a", 1), {"rmse": 0.5})
    log.add(("b", 1), {"rmse": float("nan")})
    again = Log(path)
    assert again["a", 1] == {"rmse": 0.5}
    assert np.isnan(again["b", 1]["rmse"])
    again.forget(lambda key: key[0] == "a")
    assert ("a", 1) not in Log(path)
    assert ("b", 1) in Log(path)


def test_curves_are_read_where_they_are_known():
    assert line([0.0, np.nan, 2.0], [0.0, 9.0, 4.0])([1.0]) == 2.0
    assert np.isnan(line([], [])([1.0])).all()
    days = np.array(["2020-01-01", "2020-01-03"], dtype="M8[D]")
    assert line(days, [0.0, 2.0])(np.array(["2020-01-02"], dtype="M8[D]")) == 1.0
    known = steps(["low", "high"], [1.0, 2.0])(["high", "other"])
    assert known[0] == 2.0
    assert np.isnan(known[1])


def test_our_curve_of_a_known_effect():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=500), "b": rng.integers(0, 3, 500).astype(float)})
    data = Data(X, 3 * X["a"] + 2 * X["b"], ("b",))
    a, b = TOOLS["paribus"].explain(data, ["a", "b"], None)
    assert np.diff(a([0.0, 1.0])) == pytest.approx(3, abs=0.01)
    assert np.diff(b([0.0, 1.0, 2.0])) == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("case", CASES)
def test_ours_is_never_wrong_without_a_word(case):
    found = page.answer(outcome(TOOLS["paribus"], CASES[case]()))
    said = ("a curve, and says why", "no curve, and says why", "error that names the column")
    assert found in ("right", *said)


def test_the_page_is_what_the_results_say(monkeypatch, tmp_path):
    results = Path(page.__file__).parents[1] / "results" / "rivals.json"
    written = page.PAGE.read_text(encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", tmp_path / "rivals.md")
    for draw in ("draw_errors", "draw_growth"):
        monkeypatch.setattr(page, draw, lambda *_: None)
    page.write(json.loads(results.read_text(encoding="utf-8")))
    assert page.PAGE.read_text(encoding="utf-8") == written
