"""Values to bytes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paribus.strata import fit_coding
from paribus.strata.coding import find_edges
from paribus.strata.exact import exact_target, fixed_point

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


def test_bins_hold_about_as_many_rows():
    values = np.random.default_rng(0).normal(size=(100_000, 1))
    counts = np.bincount(fit_coding(values).encode(values)[:, 0])
    assert counts.size == 255
    assert counts.min() > 300
    assert counts.max() < 500


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


def test_the_unit_and_sign_of_a_target_do_not_matter():
    y = np.array([3.0, 4.0, 8.0, 100.0, 17.0])
    whole = fixed_point(y, 40)
    np.testing.assert_array_equal(fixed_point(25.4 * y, 40), whole)
    np.testing.assert_array_equal(fixed_point(y / 3 + 7, 40), whole)
    np.testing.assert_array_equal(fixed_point(-y, 40), -whole)


def test_rows_without_weight_take_no_part():
    target = exact_target(np.arange(4.0), None, np.array([1.0, 0.0, 2.0, 1e-30]))
    assert target.rows.tolist() == [0, 2, 3]
    assert (target.weights[target.rows] > 0).all()
