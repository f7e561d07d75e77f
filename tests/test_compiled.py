"""What is compiled gives what its readable twin gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paribus.estimate import groups, hats

seeds = given(st.integers(0, 10_000))
often = settings(max_examples=30, deadline=None)


def both(name, module, given, made):
    """Run a compiled function and its twin on `given`, each on its own copy of `made`."""
    fast, slow = ([array.copy() for array in made] for _ in range(2))
    getattr(module, name)(*given, *fast)
    getattr(module, f"{name}_reference")(*given, *slow)
    for got, expected in zip(fast, slow, strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_the_compiled_ones_are_there():
    pytest.importorskip("paribus.estimate._hats", reason="nothing is compiled here")
    assert groups.add_rows is not groups.add_rows_reference
    assert hats.lay_rows is not hats.lay_rows_reference


@seeds
@often
def test_sums_by_group(seed):
    rng = np.random.default_rng(seed)
    n, d, size = rng.integers(1, 60), rng.integers(1, 5), int(rng.integers(1, 9))
    values, weights = rng.normal(size=(n, d)), rng.random(n)
    group = rng.integers(size, size=n).astype(np.int32)
    both("add_rows", groups, (values, weights, group), [np.zeros((size, d + 1))])
    fast, slow = values.copy(), values.copy()
    means = rng.normal(size=(size, d))
    groups.subtract_rows(fast, group, means, 0.5)
    groups.subtract_rows_reference(slow, group, means, 0.5)
    np.testing.assert_allclose(fast, slow)
    bounds, order = np.zeros(size + 1, np.int64), np.empty(n, np.int64)
    both("order_by_group", groups, (group,), [bounds, order])
    extremes = [np.full(size, np.inf), np.full(size, -np.inf)]
    both("spread", groups, (values[:, 0].copy(), group), extremes)
    groups.order_by_group(group, bounds, order)
    place = rng.integers(6, size=n).astype(np.int32)  # 5 is beyond the last of 4: missing
    both("count_across", groups, (place, weights, order, bounds), [np.ones(4)])


@seeds
@often
def test_hats(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 60)), int(rng.integers(1, 7))
    knots = np.sort(rng.normal(size=k)) + np.arange(k)
    x = rng.choice([np.nan, *knots, *(3 * rng.normal(size=20))], size=n)
    index, share = np.empty(n, np.int32), np.empty(n)
    both("find_hats", hats, (x, knots), [index, share])
    hats.find_hats(x, knots, index, share)
    weights, group = rng.random(n), rng.integers(3, size=n).astype(np.int32)
    both("add_hats", hats, (index, share, weights, group), [np.zeros((3, k + 1))])
    rows = rng.normal(size=(n, int(rng.integers(4))))
    both("collect_hats", hats, (index, share, weights, rows), [np.zeros((k + 1, rows.shape[1]))])
    both("multiply_hats", hats, (index, share, weights), [np.zeros(k + 1), np.zeros(k + 1)])


@seeds
@often
def test_rows_of_covariates(seed):
    rng = np.random.default_rng(seed)
    n, m = 30, int(rng.integers(1, 20))
    values, rows = 2 * rng.normal(size=(n, 3)), rng.integers(n, size=m)
    n_knots = rng.integers(3, 7, size=int(rng.integers(3))).astype(np.int32)
    knots = np.full((len(n_knots), 6), np.inf)
    for row, size in zip(knots, n_knots, strict=True):
        row[:size] = np.sort(rng.normal(size=size))
    curves = rng.integers(3, size=len(n_knots)).astype(np.int32)
    pairs = rng.integers(3, size=(int(rng.integers(3)), 2)).astype(np.int32)
    width = 3 + int(np.sum(n_knots - 2)) + len(pairs)
    out = np.zeros((m, width + 2))  # two columns more are the caller's own
    both("lay_rows", hats, (values, rows, curves, knots, n_knots, pairs), [out])
