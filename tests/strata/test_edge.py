"""Bad input is refused in one clear sentence and never reaches the kernel."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paribus.strata import fit_coding, grow, grow_coded
from paribus.strata.cuts import CellSums, segmentations

X = np.arange(40.0).reshape(20, 2)
y = np.arange(20.0)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.arange(5.0), "two dimensions"),
        (np.array([["a", "b"]]), "must hold numbers"),
        (np.array([[np.inf, 1.0]]), "must not be infinite, but column 0"),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(ValueError, match=message):
        grow(table, np.zeros(len(table)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": y[:-1]}, "one value for each of the 20 rows"),
        ({"y": np.full(20, np.nan)}, "y must be finite"),
        ({"y": ["a"] * 20}, "y must hold numbers"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number of at least 1, got 0"),
        ({"min_samples_leaf": 2.5}, "min_samples_leaf"),
        ({"min_samples_leaf": 2**62}, "min_samples_leaf must be at most 2147483647"),
        ({"min_samples_leaf": 10**20}, "min_samples_leaf must be at most 2147483647"),
        ({"seed": 2**64}, "seed must be a whole number from 0"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_features": True}, "max_features"),
        ({"leave_out": [2]}, "between 0 and 1, got 2"),
        ({"leave_out": [-1]}, "between 0 and 1"),
        ({"leave_out": [(0, 5)]}, "between 0 and 1"),
        ({"leave_out": ["a"]}, "whole numbers, got 'a'"),
        ({"leave_out": 0}, "a list of columns"),
        ({"weights": -np.ones(20)}, "weights must be finite and not negative"),
        ({"weights": np.zeros(20)}, "at least one row to grow on"),
        ({"rows": np.zeros(20, int)}, "at least one row to grow on"),
        ({"rows": -np.ones(20, int)}, "rows must not be negative"),
        ({"rows": [1, 2, 3]}, "np.bincount"),
        ({"rows": np.ones(20)}, "a mask or whole counts"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_options(options, message):
    target = options.pop("y", y)
    with pytest.raises(ValueError, match=message):
        grow(X, target, **options)


def test_no_rows():
    with pytest.raises(ValueError, match="at least one row"):
        grow(np.empty((0, 2)), np.empty(0))


def test_a_set_that_was_not_grown():
    family = grow(X, y, leave_out=[0])
    with pytest.raises(ValueError, match=r"no tree leaves out \[1\]: add it to leave_out"):
        family.strata(1)


def test_strata_need_the_rows():
    family = pickle.loads(pickle.dumps(grow(X, y)))  # noqa: S301
    with pytest.raises(ValueError, match="use apply"):
        family.strata(0)


def test_other_columns():
    family = grow(X, y)
    with pytest.raises(ValueError, match="must have 2 columns"):
        family.apply(X[:, :1], 0)
    with pytest.raises(ValueError, match="codes must be uint8"):
        family.apply_coded(X)
    with pytest.raises(ValueError, match="rows must be between 0 and 19"):
        family.apply_coded(family.codes, rows=[20])
    with pytest.raises(ValueError, match=r"np\.flatnonzero"):
        family.apply_coded(family.codes, rows=np.ones(20, bool))
    with pytest.raises(ValueError, match="codes must be uint8"):
        grow_coded(X, fit_coding(X), y)


def test_nothing_to_split_on():
    assert grow(np.empty((20, 0)), y, leave_out=[()]).strata(()).tolist() == [0] * 20
    assert grow(X, y, leave_out=[(0, 1)], min_samples_leaf=1).n_strata((0, 1)) == 1
    assert grow(X, y, leave_out=[]).strata_all().shape == (20, 0)
    assert grow(X[:1], y[:1]).strata(0).tolist() == [0]


@given(
    raw=st.binary(min_size=8, max_size=4000),
    p=st.integers(1, 9),
    target=st.binary(min_size=8, max_size=800),
    min_leaf=st.integers(1, 12),
    counted=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_random_bytes_as_a_table(raw, p, target, min_leaf, counted):
    """Any bytes are either refused or grown on; under the debug build every access is checked."""
    values = np.frombuffer(raw[: len(raw) // 8 * 8], dtype=np.float64)
    table = values[: values.size // p * p].reshape(-1, p)
    goal = np.resize(np.frombuffer(target[: len(target) // 8 * 8], dtype=np.float64), len(table))
    counts = np.resize(np.frombuffer(target, dtype=np.uint8), len(table)) if counted else None
    try:
        family = grow(
            table,
            goal,
            min_samples_leaf=min_leaf,
            leave_out=[*range(p), (), (0, p - 1)],
            rows=counts,
        )
    except ValueError as error:
        assert str(error)  # noqa: PT017
        return
    strata = family.strata_all()
    assert (strata >= 0).all()
    assert (strata < family.nodes.n_strata).all()
    np.testing.assert_array_equal(family.apply_all(table), strata)


def test_one_piece_can_be_cut_nowhere():
    one = np.ones((1, 2))
    sums = CellSums(10 * one, one[None], 5 * one[None])
    for cuts in segmentations(sums, most=3):
        assert cuts.dtype == np.int64
        assert sums.left_out_error(cuts) == sums.left_out_error(np.empty(0, np.int64))
