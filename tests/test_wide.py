"""Tables with more columns than rows, and how much time an answer is worth."""

import time

import numpy as np
import pytest

import paribus as pb


def wide(n=200, p=300, seed=0):
    """Return columns of which one moves both x0 and y, whose slope along x0 is 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 0] += X[:, 1]
    y = X[:, 0] + 2 * X[:, 1] + rng.normal(size=n)
    return X, y, [f"x{k}" for k in range(p)]


def test_more_columns_than_rows_are_no_reason_to_say_nothing():
    X, y, names = wide()
    effects = pb.effects(X, y, names=names, features=names[:3], tidy=False, n_jobs=1)
    assert all(e.explained for e in effects.effects)
    slope = effects["x0"].average_slope()
    assert slope.value == pytest.approx(1.0, abs=0.3)  # 2 without what moves both
    assert slope.lower < 1 < slope.upper


def test_every_one_of_six_hundred_columns_has_its_answer_in_seconds():
    X, y, names = wide(300, 600)
    start = time.process_time()
    effects = pb.effects(X, y, names=names, n_jobs=1)
    assert time.process_time() - start < 60  # on one thread; it was more than 120 on two
    assert all(e.explained for e in effects.effects)
    assert set(effects.ranking[:2]) == {"x0", "x1"}


@pytest.mark.parametrize("effort", ["quick", "thorough"])
def test_more_or_less_effort_gives_about_the_same(effort):
    X, y, names = wide(400, 4)
    given = {"names": names, "tidy": False, "n_jobs": 1}
    usual = pb.effect(X, y, "x0", **given).average_slope()
    other = pb.effect(X, y, "x0", effort=effort, **given).average_slope()
    assert other.value != usual.value
    assert other.value == pytest.approx(usual.value, abs=2 * usual.se)


def test_effort_has_three_names():
    X, y, names = wide(50, 3)
    with pytest.raises(pb.InputError, match="effort"):
        pb.effect(X, y, "x0", names=names, effort="much")
