"""StratPD's arithmetic against the paper's pseudocode."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paribus.estimate.slopes import (
    Curve,
    average_slopes,
    grid_of,
    integrate,
    leaf_slopes,
    mean_curve,
    sum_of_covering,
)

from literal import stratpd_literal

small_tables = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(-6, 6), min_size=n, max_size=n),
        st.lists(st.integers(-1000, 1000), min_size=n, max_size=n),
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
    )
)


@pytest.mark.parametrize("central", [False, True])
@given(small_tables, st.integers(1, 4), st.sampled_from([1.0, 0.1, 1e-12, 1e12]))
@example(([0], [1], [0]), 1, 1.0)  # one row
@example(([3, 3, 3], [1, 2, 3], [0, 0, 0]), 1, 1.0)  # x constant
@example(([1, 2, 3], [1, 2, 3], [0, 1, 2]), 1, 1.0)  # leaves of one row
@example(([1, 2, 2, 5], [1, 2, 4, 8], [0, 0, 0, 0]), 1, 1.0)  # one leaf, a repeated x
@settings(max_examples=300, deadline=None)
def test_curve_is_the_pseudocodes(central, table, min_slopes, unit):
    x, y, leaf = (np.array(column) for column in table)
    x, y = x * unit, y / 7
    grid = grid_of(x)
    curve = average_slopes([leaf_slopes(grid, y, leaf)], len(grid.x), central=central)
    kept = curve.count >= min_slopes
    effect = integrate(grid.x[kept], curve.slope[kept], central=central)
    expected = stratpd_literal(x.tolist(), y.tolist(), leaf.tolist(), min_slopes, central=central)
    np.testing.assert_array_equal(grid.x[kept], expected[0])
    np.testing.assert_allclose(effect, expected[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(curve.slope[kept], expected[2], rtol=1e-9, atol=1e-9 / unit)
    np.testing.assert_array_equal(curve.count[kept], expected[3])


def test_rows_alone_in_their_x_are_silent():
    grid = grid_of(np.array([1.0, 1.0, 1.0, 2.0, 3.0]))
    slopes = leaf_slopes(grid, np.arange(5.0), np.array([0, 0, 1, 1, 2]))
    assert slopes.silent.tolist() == [True, True, False, False, True]


@given(
    st.lists(
        st.tuples(st.integers(0, 99), st.integers(1, 99), st.floats(-1e3, 1e3)),
        min_size=1,
        max_size=60,
    ),
    st.floats(1e12, 1e20),
)
def test_one_enormous_slope_spoils_nothing_it_does_not_cover(intervals, enormous):
    size = 100
    start = np.array([a for a, _, _ in intervals] + [40])
    stop = np.minimum(start + np.array([length for _, length, _ in intervals] + [3]), size)
    value = np.array([v for _, _, v in intervals] + [enormous])
    got = sum_of_covering(start, stop, value, size)
    for at in range(size):
        covering = value[(start <= at) & (at < stop)]
        scale = np.abs(covering).sum()
        assert abs(got[at] - covering.sum()) <= 1e-9 * scale


def test_near_ties_are_rounding_and_nothing_else():
    x = np.array([0.1 + 0.2, 0.3, 0.4])
    for unit in (1e-12, 1.0, 1e12):
        assert len(grid_of(x * unit).x) == 2
    assert len(grid_of(np.array([1e-12, 2e-12, 3e-12])).x) == 3
    assert len(grid_of(1e12 + np.arange(3.0)).x) == 3
    assert len(grid_of(np.append(np.arange(1, 100) * 1e-9, 1e6)).x) == 100


def test_the_mean_of_trials_keeps_what_half_of_them_support():
    x = np.array([0.0, 1.0, 2.0])
    curves = [
        Curve(np.array([1.0, 3.0, 7.0]), np.array([9, 9, 0])),
        Curve(np.array([5.0, 5.0, 7.0]), np.array([0, 6, 1])),
        Curve(np.array([2.0, 4.0, 7.0]), np.array([9, 9, 0])),
    ]
    mean = mean_curve(x, curves, 5)
    np.testing.assert_allclose(mean.x, [0, 1])
    np.testing.assert_allclose(mean.slope, [1.5, 4])
    np.testing.assert_allclose(mean.effect, [0, 1.5])
    np.testing.assert_allclose(mean.support, [6, 8])
    np.testing.assert_allclose(mean.trials, [[0, 1], [np.nan, 1.5], [0, 2]])
    central = mean_curve(x, curves, 5, central=True)
    np.testing.assert_allclose(central.effect, [0, 2.75])
    np.testing.assert_allclose(central.trials[0], [0, 2])
