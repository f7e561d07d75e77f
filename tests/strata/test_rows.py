"""Rows known by their values."""

import numpy as np

from paribus.strata.honest import fold_of
from paribus.strata.rows import row_hash


def test_equal_rows_have_equal_hashes_however_they_are_written():
    rows = np.array([[0.0, np.nan], [-0.0, -np.nan], [0.0, 1.0]])
    a, b, c = row_hash(rows)
    assert a == b != c


def test_the_order_of_columns_matters_and_that_of_rows_does_not():
    rows = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_array_equal(row_hash(rows[::-1]), row_hash(rows)[::-1])
    assert not np.array_equal(row_hash(rows[:, ::-1]), row_hash(rows))


def test_folds_are_even_and_change_with_seed_and_repeat():
    hashes = row_hash(np.arange(20_000.0)[:, None])
    folds = [fold_of(hashes, 3, seed, repeat) for seed, repeat in ((0, 0), (1, 0), (0, 1))]
    for fold in folds:
        np.testing.assert_allclose(np.bincount(fold), 20_000 / 3, rtol=0.05)
    for other in folds[1:]:
        assert 0.3 < np.mean(folds[0] == other) < 0.37
