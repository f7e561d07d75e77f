"""CatStratPD's arithmetic against the paper's pseudocode."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paribus.estimate.merging import leaf_means, merge_leaves

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
    merged = merge_leaves(leaf_means(level, y / 7, leaf), 8, np.random.default_rng(seed))
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
    merged = merge_leaves(leaf_means(level, y, leaf), 5, np.random.default_rng(0))
    assert merged.n_passes == 2
    assert merged.n_unmerged == 0
    np.testing.assert_allclose(merged.effect - merged.effect[0], [0, 1, 2, 3, 4])


def test_islands_are_counted_not_dropped():
    merged = merge_leaves(
        leaf_means(np.array([0, 1, 2, 3, 3]), np.arange(5.0), np.array([0, 0, 1, 1, 2])),
        4,
        np.random.default_rng(0),
    )
    assert np.isnan(merged.effect).tolist() == [False, False, True, True]
    assert (merged.n_unmerged, merged.n_silent) == (3, 3)
