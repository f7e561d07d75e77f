"""How sure an impact is: checked on data whose impact is known."""

from dataclasses import replace

import numpy as np
import pytest

import paribus as pb
from paribus.results.impact import impact_interval


def many_levels(seed, scale, count=40, n=800):
    rng = np.random.default_rng(seed)
    level, other = rng.integers(count, size=n), rng.normal(size=n)
    effect = scale * np.cos(2.3 * level)
    table = {"level": [f"level {k}" for k in level], "other": other}
    table["y"] = effect + other + rng.normal(size=n)
    return table, np.mean(np.abs(effect - effect.mean()))


@pytest.mark.parametrize("scale", [0.25, 1.0])
def test_noise_of_many_levels_is_not_taken_for_impact(scale):
    held = 0
    for seed in range(20):
        table, truth = many_levels(seed, scale)
        effect = pb.effect(table, "y", "level", n_jobs=1)
        low, high = impact_interval(effect)
        held += low <= truth <= high
        assert low <= effect.impact <= high
    assert held >= 16  # signs taken as found hold it 8 times of 20 at the smaller scale


def test_curves_and_their_missing_values():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1000))
    gone = rng.random(1000) < 0.2
    y = np.where(gone, -2.0, x) + z + rng.normal(size=1000)
    effect = pb.effect({"x": np.where(gone, np.nan, x), "z": z, "y": y}, "y", "x")
    truth = x[~gone]  # an impact is that of the rows that have a value
    low, high = impact_interval(effect)
    assert low <= np.mean(np.abs(truth - truth.mean())) <= high
    assert high - low < 0.3


def test_it_reaches_zero_where_no_effect_can_be_told_and_is_silent_where_nothing_is_known():
    rng = np.random.default_rng(1)
    noise = pb.effect({"x": rng.normal(size=300), "y": rng.normal(size=300)}, "y", "x")
    assert noise.p_value > 0.05
    assert impact_interval(noise)[0] == 0
    assert impact_interval(replace(noise, lower=None, upper=None)) is None
    assert impact_interval(pb.effect({"x": [1.0] * 50, "y": range(50)}, "y", "x")) is None


def test_very_many_levels_are_taken_as_independent():
    table, _ = many_levels(0, 1.0)
    effect = pb.effect(table, "y", "level", n_jobs=1)
    alone = impact_interval(replace(effect, covariance=None))
    assert alone == pytest.approx(impact_interval(effect), rel=0.1)
