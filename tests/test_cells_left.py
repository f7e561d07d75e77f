"""What is left inside cells of columns that act together, extrapolated by its law."""

import numpy as np
import pytest

from paribus.estimate.refine import _finer

from as_it_is import explain


def of_two_numbers(seed, f, n, levels=False):
    """Let a function of two numbers move x and the target; x does nothing."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(-2, 2, (2, n))
    x, y = f(*z) + rng.normal(size=n), 2 * f(*z) + rng.normal(size=n)
    x = np.digitize(x, [-1, 0, 1]).astype(str) if levels else x
    return explain({"x": x, "a": z[0], "b": z[1]}, y, "x", seed=seed)


def smooth(a, b):
    return 1.4 * np.cos(3 * np.hypot(a, b))


def jump(a, b):
    return np.sign(b - 0.8 * a**2 + 1)


def test_smooth_confounding_does_not_make_intervals_wide():
    found = [of_two_numbers(seed, smooth, 12_000).between(-1.0, 1.0) for seed in range(4)]
    assert max(one.se for one in found) < 0.05
    assert max(abs(one.value / one.se) for one in found) < 2.5


def test_confounding_that_jumps_along_a_line_is_taken_away():
    found = [of_two_numbers(seed, jump, 2000).between(-1.0, 1.0) for seed in range(12)]
    assert abs(np.mean([one.value for one in found])) < 0.08
    assert max(abs(one.value / one.se) for one in found) < 2.5


def test_the_same_goes_for_levels():
    found = [of_two_numbers(s, smooth, 12_000, levels=True).between("0", "3") for s in range(4)]
    assert np.mean([one.se for one in found]) < 0.09
    assert max(abs(one.value / one.se) for one in found) < 2.5


@pytest.mark.parametrize(("ratio", "sure"), [(0.25, True), (0.5, True), (0.9, False)])
def test_the_law_is_told_by_the_ratio_of_two_changes(ratio, sure):
    shape = np.linspace(-1, 1, 9)
    left = np.outer(0.4 * ratio ** np.arange(3), shape)
    rng = np.random.default_rng(0)
    common, own = 0.02 * rng.normal(size=(400, 9)) / 20, 0.001 * rng.normal(size=(3, 400, 9)) / 20
    share = np.full(9, 1 / 9)
    found = _finer(left, np.full(9, 0.02), 1.0, [common + each for each in own], share)
    doubt = np.sqrt(np.diag(found.covariance)[-1])
    assert (doubt < 0.02) == sure
    assert (abs(found.step[-1] + 0.4) < 0.01) == sure
