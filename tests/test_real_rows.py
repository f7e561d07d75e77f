"""The benchmark on rows as they are: two designs, one table each, and what is told of them."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from write_accuracy import PAGE

import real_rows
from real_designs import DESIGNS, Draw
from report import Log
from write_real_rows import real_rows as page


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    log = Log(tmp_path_factory.mktemp("real") / "log.jsonl")
    designs = [DESIGNS["yes in 3 of 100 rows"], DESIGNS["one threshold"]]
    for who in (real_rows.OURS, *real_rows.RIVALS):
        real_rows.measure(designs, [300], 1, who, log)
    return log


def test_ours_and_rivals_are_judged_on_the_same_tables(log):
    rows = real_rows.summary(log)
    assert list(rows) == ["one threshold, n = 300", "yes in 3 of 100 rows, n = 300"]
    for row in rows.values():
        assert row["seeds"] == real_rows.MORE
        assert row["ours"]["ours to it"] == 1
        first = log[row["design"], 300, 0, "ours"]
        for who in real_rows.RIVALS:
            assert row[who]["rmse"] == pytest.approx(abs(row[who]["bias"]))
            assert row[who]["ours to it"] == pytest.approx(abs(first["error"]) / row[who]["rmse"])
            assert row[who]["se"] > 0
    one_threshold = rows["one threshold, n = 300"]
    assert one_threshold["ours"]["rmse"] < one_threshold["least squares"]["rmse"]


def test_the_page_has_a_line_a_design(log):
    content = {"date": "d", "machine": "m", "seeds": 1, "designs": real_rows.summary(log)}
    text = page(content)
    assert sum(line.startswith("| one threshold | 300 |") for line in text.splitlines()) == 1
    assert "0 of 0 designs" in text


def test_the_page_is_what_the_results_say():
    stored = json.loads(real_rows.RESULTS.read_text(encoding="utf-8"))
    assert page(stored) in PAGE.read_text(encoding="utf-8")


def test_half_of_the_designs_are_held_out():
    held_out = [design for design in DESIGNS.values() if design.held_out]
    assert 2 * len(held_out) >= len(DESIGNS) > 70


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_draws_as_many_rows_as_it_is_asked_for(name):
    drawn = DESIGNS[name].make(np.random.default_rng(0), 400)
    assert {len(v) for v in (drawn.y, *drawn.table.values(), *drawn.options.values())} == {400}
    assert np.isfinite(drawn.y).all()


def test_rivals_find_a_plain_slope():
    rng = np.random.default_rng(0)
    z, x = rng.normal(size=(2, 500))
    drawn = Draw({"x": x, "z": z}, 3 * x + z, lambda x: 3 * x)
    for rival in real_rows.RIVALS.values():
        ((value, _),) = rival(drawn, [(0.0, 1.0)])
        assert value == pytest.approx(3, abs=0.15)
