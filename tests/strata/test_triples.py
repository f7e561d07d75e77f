"""Three numbers that act only together."""

import numpy as np
import pytest

import paribus as pb
from paribus.strata.cuts import Cut
from paribus.strata.together import look_together, residuals_of
from paribus.strata.triples import acting_triples, acts


def table(seed, n=1500, p=6):
    """Return a table whose columns 1, 3 and 4 act on x and y by their product alone."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, p))
    f = z[:, 1] * z[:, 3] * z[:, 4]
    return z, f + rng.normal(size=n), 2 * f + rng.normal(size=n)


def test_the_triple_is_found_and_no_other():
    z, x, y = table(0)
    together = look_together(z, [])
    target = residuals_of(together, y[together.rows, None], ())
    assert acting_triples(together, target, 0.01) == [(1, 3, 4)]
    left = residuals_of(together, x[together.rows, None], ())
    assert acts(together, left, (1, 3, 4), 0.01)
    assert not acts(together, left, (0, 2, 5), 0.01)


def test_nothing_is_found_in_noise_however_uneven():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(1500, 6))
        together = look_together(z, [])
        y = z[:, 0] + np.exp(z[:, 1]) * rng.normal(size=1500)
        target = residuals_of(together, y[together.rows, None], ())
        assert acting_triples(together, target, 0.01) == []


@pytest.mark.parametrize("seed", range(3))
def test_an_effect_is_freed_of_three_numbers_that_act_together(seed):
    """It came out as 1, as by boosting, without a word."""
    z, x, y = table(seed, p=5)
    data = {"x": x, **{f"z{k}": column for k, column in enumerate(z.T)}}
    effect = pb.effect(data, y, "x", tidy=False)
    step = effect.between(*(float(v) for v in np.quantile(x, [0.1, 0.9])))
    assert abs(step.value) < 0.4
    assert step.lower < 0.1


def test_how_far_an_effect_may_move_depends_on_how_columns_are_cut():
    edges = np.linspace(-1, 1, 5)
    wave, pair = Cut((0,), [edges], is_even=True), Cut((0, 1), [edges, edges], is_even=True)
    assert wave.settled_within > pair.settled_within
    steps = Cut((0, 1), [edges, edges], is_even=False)  # edges of their own, as of a board
    assert steps.settled_within < pair.settled_within
    assert Cut((0, 1), [edges, None], is_even=False).settled_within == pair.settled_within
