"""Values to bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paribus.strata import fit_coding, reference
from paribus.strata.coding import find_edges
from paribus.strata.exact import exact_target, fixed_point
from paribus.strata.kernel.encode import encode
from paribus.strata.kernel.sort import sort_values

FLOATS = st.floats(allow_nan=True, allow_infinity=False, width=64)


@given(
    values=arrays(np.float64, st.tuples(st.integers(1, 400), st.integers(1, 3)), elements=FLOATS)
)
@settings(max_examples=150, deadline=None)
def test_codes_keep_the_order_and_mark_the_missing(values):
    codes = fit_coding(values).encode(values)
    np.testing.assert_array_equal(codes == 255, np.isnan(values))
    for column, code in zip(values.T, codes.T, strict=True):
        known = ~np.isnan(column)
        order = np.argsort(column[known], kind="stable")
        assert (np.diff(code[known][order].astype(int)) >= 0).all()
        if len(np.unique(column[known])) <= 255:
            assert len(np.unique(code[known])) == len(np.unique(column[known]))


@given(values=arrays(np.float64, (300, 2), elements=FLOATS), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_row_order_does_not_move_the_edges(values, seed):
    shuffled = np.random.default_rng(seed).permutation(values)
    np.testing.assert_array_equal(fit_coding(values).edges, fit_coding(shuffled).edges)


@pytest.mark.parametrize("order", ["C", "F"])
def test_kernel_codes_like_its_twin(order):
    values = np.random.default_rng(0).normal(size=(5000, 3))
    values[::7, 1] = np.nan
    values = np.asarray(values, order=order)
    edges = fit_coding(values).edges
    fast, slow = (np.zeros(values.shape, np.uint8) for _ in range(2))
    encode(values, edges, fast, 0, 5000)
    reference.encode(values, edges, slow, 0, 5000)
    np.testing.assert_array_equal(fast, slow)


def test_bins_hold_about_as_many_rows():
    values = np.random.default_rng(0).normal(size=(100_000, 1))
    counts = np.bincount(fit_coding(values).encode(values)[:, 0])
    assert counts.size == 255
    assert counts.min() > 300
    assert counts.max() < 500


@given(values=arrays(np.float64, st.integers(1, 300), elements=st.floats(width=64)))
def test_kernel_sorts_like_its_twin(values):
    fast, slow = np.empty(values.size), np.empty(values.size)
    n = sort_values(values, fast)
    assert n == reference.sort_values(values, slow)
    np.testing.assert_array_equal(fast[:n], slow[:n])


def test_heavy_values_have_a_bin_of_their_own():
    values = np.sort(np.concatenate([np.zeros(5000), np.linspace(1, 2, 5000)]))
    edges = find_edges(values)
    assert edges[0] == 0.5
    assert edges.size > 120


def test_values_between_two_seen_ones_go_to_the_nearer():
    coding = fit_coding([[0.0], [10.0]])
    assert coding.encode([[4.9], [5.1], [-9.0], [99.0]])[:, 0].tolist() == [0, 1, 0, 1]


def test_neighbouring_floats_stay_apart():
    low = 1.0
    high = np.nextafter(low, 2)
    assert fit_coding([[low], [high]]).encode([[low], [high]])[:, 0].tolist() == [0, 1]


def test_levels_keep_their_own_codes():
    coding = fit_coding([[7.0], [3.0], [np.nan], [7.0]], categorical=[0])
    assert coding.encode([[3.0], [7.0], [5.0], [np.nan]])[:, 0].tolist() == [0, 1, 255, 255]
    assert coding.categorical.tolist() == [True]


def test_of_many_levels_the_rare_share_a_code():
    common = np.repeat(np.arange(254.0), 3)
    values = np.concatenate([common, np.arange(1000.0, 1200.0)])
    codes = fit_coding(values[:, None], categorical=[0]).encode(values[:, None])[:, 0]
    assert len(np.unique(codes[:762])) == 254
    assert set(codes[762:]) == {254}


def test_of_many_levels_like_ones_share_a_code():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 600, 30_000)
    effect = rng.normal(size=600)
    y = effect[level] + 0.01 * rng.normal(size=level.size)
    coding = fit_coding(level[:, None], categorical=[0], y=y)
    codes = coding.level_codes[0].astype(float)
    assert np.corrcoef(np.argsort(np.argsort(effect)), codes)[0, 1] > 0.99
    assert len(np.unique(codes)) > 200
    order = rng.permutation(level.size)
    again = fit_coding(level[order, None], categorical=[0], y=y[order])
    np.testing.assert_array_equal(again.level_codes[0], coding.level_codes[0])


def test_levels_are_grouped_without_the_rows_held_back():
    rng = np.random.default_rng(0)
    level, y = rng.integers(0, 600, 9000), rng.normal(size=9000)
    mask = np.arange(9000) < 6000
    other = np.where(mask, y, 99.0)
    a, b = (
        fit_coding(level[:, None], categorical=[0], y=target, rows=mask) for target in (y, other)
    )
    np.testing.assert_array_equal(a.level_codes[0], b.level_codes[0])


def test_threads_code_alike():
    values = np.random.default_rng(0).normal(size=(200_000, 3))
    one, two = (fit_coding(values, n_jobs=k).encode(values, n_jobs=k) for k in (1, 2))
    np.testing.assert_array_equal(one, two)


@given(
    y=arrays(
        np.float64, st.integers(1, 50), elements=st.floats(allow_nan=False, allow_infinity=False)
    ),
    bits=st.integers(15, 40),
)
def test_fixed_point_fits(y, bits):
    whole = fixed_point(y, bits)
    assert np.abs(whole).max() <= 2**bits
    assert (np.diff(whole[np.argsort(y, kind="stable")]) >= 0).all()


def test_whole_numbers_stay_whole():
    y = np.array([3.0, 4.0, 8.0, 100.0])
    whole = fixed_point(y, 40)
    step = whole[1] - whole[0]
    np.testing.assert_array_equal((whole - whole[0]) / step, y - 3)


def test_rows_without_weight_take_no_part():
    target = exact_target(np.arange(4.0), None, np.array([1.0, 0.0, 2.0, 1e-30]))
    assert target.rows.tolist() == [0, 2, 3]
    assert (target.weights[target.rows] > 0).all()
