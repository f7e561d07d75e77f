"""Columns that act together, cut where they jump."""

import numpy as np
import pytest

import paribus as pb
from paribus.strata.cuts import cut_set
from paribus.strata.own_edges import MOST_EDGES, edges_by_level
from paribus.strata.together import look_together, residuals_of


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def acting(rng, f):
    """Return two targets that a step function moves."""
    return np.column_stack([f + rng.normal(size=len(f)), 2 * f + rng.normal(size=len(f))])


def test_edges_of_two_numbers_lie_at_the_very_rows_where_they_jump(rng):
    z = rng.uniform(size=(2000, 2))
    f = np.where((z[:, 0] > 0.35) ^ (z[:, 1] > 0.62), 2.0, 0.0)
    together = look_together(z, [])
    (cut,) = cut_set(together, residuals_of(together, acting(rng, f), ()), (0, 1))
    for k, at in ((0, 0.35), (1, 0.62)):
        nearest = cut.edges[k][np.argmin(np.abs(cut.edges[k] - at))]
        assert np.mean((z[:, k] < nearest) != (z[:, k] < at)) <= 0.001  # a piece is 0.008 wide


def test_each_level_has_edges_of_its_own(rng):
    level, number = rng.integers(0, 8, 2000).astype(float), rng.normal(size=2000)
    limits = np.linspace(-1, 1, 8)
    f = 2.0 * (number > limits[level.astype(int)])
    table = np.column_stack([level, number])
    together = look_together(table, [0])
    (cut,) = cut_set(together, residuals_of(together, acting(rng, f), ()), (0, 1))
    found = np.array([cut.by_level[float(k)][0] for k in range(8)])
    assert [len(edges) for edges in cut.by_level.values()] == [1] * 8
    assert np.abs(found - limits).max() < 0.1
    assert np.unique(cut.cells(table)).size == 16
    assert np.unique(cut.otherwise(table).cells(table)).size == 32  # each part in halves


def test_limits_that_differ_by_level_are_held_still(rng):
    """Limits of 20 regions move x and y; x does nothing."""
    region, z = rng.integers(0, 20, 2000), rng.normal(size=2000)
    f = 2.0 * (z > rng.normal(size=20)[region])
    table = {"x": f + rng.normal(size=2000), "region": np.char.mod("r%d", region), "z": z}
    found = pb.effect(table, 2 * f + rng.normal(size=2000), "x", tidy=False)
    apart = found.between(-1.0, 3.0)
    assert abs(apart.value) < 2.5 * apart.se
    assert "may_be_confounded" not in [note.kind for note in found.notes]


def test_a_steep_level_has_few_edges_and_is_no_recursion():
    number = np.sort(np.random.default_rng(3).uniform(size=20_000))
    targets = np.exp(40 * number)[:, None]
    edges = edges_by_level(np.zeros(20_000), number, targets)[0.0]
    assert len(edges) == MOST_EDGES
    assert np.ptp(np.diff(edges)) < 0.02  # alike steep everywhere, so alike far apart
