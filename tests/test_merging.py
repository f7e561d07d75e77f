"""CatStratPD's arithmetic against the paper's pseudocode."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paribus.estimate.cells import cells_of
from paribus.estimate.merging import aligned_trials, mean_of_known, merge_leaves

from literal import catstratpd_literal

small_tables = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 7), min_size=n, max_size=n),
        st.lists(st.integers(-1000, 1000), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
    )
)


@given(small_tables, st.integers(0, 3))
@example(([0], [1], [0]), 0)  # one row
@example(([0, 1, 2, 3], [1, 2, 3, 4], [0, 0, 1, 1]), 0)  # two islands
@example(([0, 1, 2, 3, 1, 2], [1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 2, 2]), 0)  # joined by the last leaf
@settings(max_examples=300, deadline=None)
def test_levels_are_the_pseudocodes(table, seed):
    level, y, leaf = (np.array(column) for column in table)
    merged = merge_leaves(cells_of(level, y / 7, leaf), 8, np.random.default_rng(seed))
    expected = catstratpd_literal(
        level.tolist(), (y / 7).tolist(), leaf.tolist(), np.random.default_rng(seed)
    )
    known = np.flatnonzero(~np.isnan(merged.effect)).tolist()
    assert known == sorted(expected)
    got = merged.effect[known] - merged.effect[known[0]]
    want = [expected[k] - expected[known[0]] for k in known]
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_leaves_that_meet_only_later_take_a_second_pass():
    level = np.array([0, 1, 2, 4, 3, 2, 1, 3])
    leaf = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    y = np.array([0.0, 1.0, 2.0, 14.0, 13.0, 2.0, 1.0, 3.0])
    merged = merge_leaves(cells_of(level, y, leaf), 5, np.random.default_rng(0))
    assert merged.n_passes == 2
    assert not merged.unmerged.any()
    np.testing.assert_allclose(merged.effect - merged.effect[0], [0, 1, 2, 3, 4])


def test_islands_are_counted_not_dropped():
    level, leaf = np.array([0, 1, 2, 3, 3]), np.array([0, 0, 1, 1, 2])
    merged = merge_leaves(cells_of(level, np.arange(5.0), leaf), 4, np.random.default_rng(0))
    assert np.isnan(merged.effect).tolist() == [True, True, False, False]
    assert merged.unmerged.tolist() == [True, True, False, False, False]
    assert merged.silent.tolist() == [False, False, False, False, True]


def test_the_largest_island_is_the_one_explained():
    level = np.array([0, 1, 2, 3, 3, 4, 3, 4, 3, 4])
    leaf = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    level[3] = 2
    merged = merge_leaves(cells_of(level, np.arange(10.0), leaf), 5, np.random.default_rng(0))
    assert np.isnan(merged.effect).tolist() == [True, True, True, False, False]


def test_trials_are_aligned_on_what_they_share():
    nan = np.nan
    trials = [
        np.array([0.0, 1, 2, nan]),
        np.array([10, 11, nan, nan]),
        np.array([nan, nan, nan, 5]),
    ]
    aligned = aligned_trials(trials, np.array([5, 5, 5, 5]))
    np.testing.assert_allclose(aligned[1], [0, 1, nan, nan])
    assert np.isnan(aligned[2]).all()
    np.testing.assert_allclose(mean_of_known(aligned), [0, 1, 2, nan])
