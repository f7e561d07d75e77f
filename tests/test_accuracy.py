"""A quick version of `make accuracy`: bounds that a broken method does not pass."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import accuracy

import usual
from scenarios import SCENARIOS

NOISY = (
    "quadratic, sd 1",
    "weather, day",
    "Friedman 1, x1",
    "codependent",
    "Simpson",
    "20 noise columns",
    "lognormal x",
    "category confounder",
    "100 levels",
)


def scores(name, n, seeds, **options):
    scenario = SCENARIOS[name]
    return [accuracy.ours(scenario, scenario.draw(s, n), s, **options) for s in seeds]


@pytest.fixture(scope="module")
def judged():
    return {name: scores(name, 1000, range(6)) for name in NOISY}


def test_intervals_cover_as_often_as_they_say(judged):
    cover = np.mean([[s["cover"] for s in found] for found in judged.values()])
    assert 0.92 < cover < 0.985


def test_bands_hold_whole_curves(judged):
    assert np.mean([[s["band"] for s in found] for found in judged.values()]) > 0.88


@pytest.mark.parametrize(
    "name", ["codependent", "Friedman 1, x3", "interactions, x2", "100 levels", "Simpson"]
)
def test_lower_error_than_the_papers_algorithm(name):
    scenario = SCENARIOS[name]
    ours, paper = [], []
    for seed in range(2):
        sample = scenario.draw(seed, 2000)
        at, weight = accuracy.points(sample, scenario.column)
        ours.append(accuracy.ours(scenario, sample, seed)["rmse"])
        curve = usual.paper(sample, scenario.column)
        paper.append(accuracy.error(scenario, curve(at), at, weight))
    assert np.mean(ours) < 0.6 * np.mean(paper)


@pytest.mark.parametrize("name", ["20 noise columns", "50 noise columns"])
def test_noise_columns_do_not_eat_the_effect(name):
    slopes = [s["slope"] for s in scores(name, 2000, range(6))]
    assert np.mean(slopes) == pytest.approx(3, rel=0.03)


def test_body_weight_is_exact():
    for name, slope, within in (("height", 10, 0.01), ("education", -1.5, 0.02)):
        (found,) = scores(f"body weight, {name}", 2000, [0])
        assert found["slope"] == pytest.approx(slope, abs=within)
    (found,) = scores("body weight, pregnant", 2000, [0])
    assert found["slope"] == pytest.approx(40, abs=0.5)


def test_the_sine_keeps_its_amplitude_and_error_falls_with_rows():
    small, large = (
        np.mean([[s["gain"], s["rmse"]] for s in scores("interactions, x2", n, range(3))], axis=0)
        for n in (1000, 8000)
    )
    assert large[0] > 0.97
    assert small[0] > 0.9
    assert large[1] < 0.6 * small[1]


@pytest.mark.parametrize("name", ["null: codependent", "null: weak confounder", "null: 20 levels"])
def test_no_effect_is_rejected_one_time_in_twenty(name):
    p = [s["p"] for s in scores(name, 500, range(1000, 1150))]
    assert np.mean(np.array(p) < 0.05) < 0.1
    assert 0.3 < np.mean(np.array(p) < 0.5) < 0.65


def test_bands_hold_all_of_very_many_levels():
    found = scores("500 levels", 2000, range(25))
    assert 0.93 < np.mean([s["cover"] for s in found]) < 0.985
    assert np.mean([s["band"] for s in found]) > 0.93
