"""The paper's own examples, n = 2000, and the authors' package on the same settings."""

import numpy as np
import pytest

import paribus as pb

from scoring import centred_rmse

SEEDS = range(5)
# Centred RMSE of the authors' package (stratx 0.5, leaf 10, 5 slopes), mean of five seeds.
AUTHORS = {"x1": 0.885, "x2": 11.5, "x3": 0.544, "height": 0.00646, "education": 0.204}


def score(data, feature, seed=0):
    curve = pb.stratpd(data.X, data.y, feature, seed=seed)
    return centred_rmse(curve.x, curve.effect, data.truth[feature], data.X[feature])


@pytest.mark.parametrize("seed", SEEDS)
def test_body_weight(seed):
    data = pb.datasets.body_weight(2000, seed=seed)
    height = pb.stratpd(data.X, data.y, "height")
    education = pb.stratpd(data.X, data.y, "education")
    pregnant = pb.catstratpd(data.X, data.y, "pregnant")
    assert np.polyfit(height.x, height.effect, 1)[0] == pytest.approx(10, abs=0.02)
    assert np.polyfit(education.x, education.effect, 1)[0] == pytest.approx(-1.5, abs=0.15)
    assert pregnant.effect[1] - pregnant.effect[0] == pytest.approx(40, abs=1.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_weather(seed):
    data = pb.datasets.weather(3, seed=seed)
    bars = pb.catstratpd(data.X, data.y, "state")
    error = bars.effect - data.truth["state"](bars.levels)
    assert np.abs(error - error.mean()).max() < 1
    assert score(data, "dayofyear") < 1.2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_that_does_nothing_is_flat(seed):
    data = pb.datasets.interactions(2000, seed=seed)
    useless = pb.stratpd(data.X, data.y, "x3")
    useful = pb.stratpd(data.X, data.y, "x1")
    assert np.ptp(useless.effect) < 0.05 * np.ptp(useful.effect)


@pytest.mark.parametrize(("sigma", "bound"), [(0, 0.08), (0.5, 0.12), (1, 0.2), (2, 0.35)])
@pytest.mark.parametrize("seed", SEEDS)
def test_noisy_quadratic(sigma, bound, seed):
    assert score(pb.datasets.quadratic(2000, sigma=sigma, seed=seed), "x1") < bound


@pytest.mark.parametrize("feature", AUTHORS)
def test_as_accurate_as_the_authors_package(feature):
    make = pb.datasets.interactions if feature.startswith("x") else pb.datasets.body_weight
    ours = np.mean([score(make(2000, seed=seed), feature, seed) for seed in SEEDS])
    assert ours == pytest.approx(AUTHORS[feature], rel=0.15)
