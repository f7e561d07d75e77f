"""Of many rows a part shows how the errors spread: also of those at rare points and levels."""

import numpy as np
import pytest

from paribus.estimate import levels
from paribus.estimate.basis import hat_basis, level_basis, place_knots
from paribus.estimate.covariance import ROWS_A_POINT, draw_rows, drawing_chance
from paribus.estimate.covariates import Covariates
from paribus.estimate.curve import curve_basis, fit_curve
from paribus.estimate.levels import fit_levels
from paribus.estimate.partitions import partitions_of

N = 60_000
RARE = (3, 4, 5, 8, 12, 20, 50, 150, 400)  # rows of the rare levels


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    label = rng.integers(6000, size=N).astype(np.int32)
    strata = partitions_of([label], [int(label.max()) + 1], np.ones(N))
    z = rng.normal(size=(N, 2))
    y = label / 3000 + z[:, 0]
    return y, Covariates(z, np.ones(2, bool)), strata


@pytest.fixture
def every_row(monkeypatch):
    return lambda: monkeypatch.setattr("paribus.estimate.covariance.MANY_ROWS", N)


def test_a_curve_is_as_unsure_as_all_rows_say_up_to_its_ends(rows, every_row):
    rng = np.random.default_rng(1)
    y, covariates, strata = rows
    x = rng.lognormal(size=N)
    y = y + np.sqrt(x) + (0.5 + x / 2) * rng.normal(size=N)
    basis = curve_basis(x, np.ones(N))
    part = fit_curve(basis, y, covariates, strata)
    every_row()
    whole = fit_curve(basis, y, covariates, strata)
    # How rough the curve may be is read off the errors too.
    np.testing.assert_allclose(part.effect, whole.effect, atol=2e-3)
    ratio = np.sqrt(np.diag(part.covariance) / np.diag(whole.covariance))
    assert 0.8 < ratio.min() < ratio.max() < 1.25
    assert np.mean(ratio) == pytest.approx(1, abs=0.05)


def codes_with_rare_levels():
    codes = np.random.default_rng(2).integers(20, size=N)
    at = np.random.default_rng(3).permutation(N)
    for k, (first, size) in enumerate(zip(np.cumsum([0, *RARE]), RARE, strict=False)):
        codes[at[first : first + size]] = 20 + k
    return codes, 20 + len(RARE)


@pytest.mark.parametrize("solve", ["dense", "sparse"])
def test_a_level_of_few_rows_is_unsure(rows, solve, monkeypatch):
    """Noise of sd 1 in m rows: the standard error is about one over the root of m."""
    y, covariates, strata = rows
    codes, n_levels = codes_with_rare_levels()
    if solve == "sparse":
        monkeypatch.setattr(levels, "DENSE_LEVELS", 5)
        monkeypatch.setattr("paribus.estimate.many_levels.N_DRAWS", 1000)
    y = y + np.random.default_rng(4).normal(size=N)
    fit = fit_levels(codes, n_levels, y, covariates, strata)
    ratio = fit.standard_error[20:] * np.sqrt(RARE)
    assert 0.8 < ratio.min() < ratio.max() < 1.6  # Student's intervals are wider, for few rows
    assert ratio[-1] == pytest.approx(1, abs=0.15)


def test_a_level_with_more_noise_is_less_sure(rows, every_row):
    y, covariates, strata = rows
    codes, n_levels = codes_with_rare_levels()
    loud = codes >= n_levels - 3
    y = y + np.where(loud, 4.0, 1.0) * np.random.default_rng(5).normal(size=N)
    part = fit_levels(codes, n_levels, y, covariates, strata)
    every_row()
    whole = fit_levels(codes, n_levels, y, covariates, strata)
    ratio = part.standard_error / whole.standard_error
    assert 0.8 < ratio.min() < ratio.max() < 1.25


@pytest.mark.parametrize("kind", ["number", "levels"])
def test_rows_looked_at_stand_for_all(kind):
    x = np.random.default_rng(6).lognormal(size=N)
    codes, n_levels = codes_with_rare_levels()
    knots = place_knots(x, np.ones(N))
    basis = hat_basis(x, knots) if kind == "number" else level_basis(codes, n_levels)
    chance = drawing_chance(basis.rarer_point(), np.ones(N))
    seen = np.zeros(N, bool)
    seen[draw_rows(basis.rarer_point(), chance)] = True
    assert np.sum(1 / chance[seen]) == pytest.approx(N, rel=0.01)
    all_rows, looked_at = (np.bincount(basis.index[m], minlength=basis.size) for m in (x > 0, seen))
    assert np.all(looked_at[:-1] >= np.minimum(all_rows[:-1], ROWS_A_POINT // 3))
    assert 4_500 < np.count_nonzero(seen) < 15_000


def test_a_few_extreme_rows_are_always_among_those_looked_at(rows, every_row):
    """Typos of a thousand times the size carry the variance: none may be passed over."""
    rng = np.random.default_rng(7)
    y, covariates, strata = rows
    x = rng.integers(2, size=N).astype(float)
    y = y + rng.normal(size=N)
    y[rng.choice(N, 4, replace=False)] += 1000.0
    basis = curve_basis(x, np.ones(N))
    part = fit_curve(basis, y, covariates, strata)
    every_row()
    whole = fit_curve(basis, y, covariates, strata)
    ratio = np.sqrt(np.diag(part.covariance) / np.diag(whole.covariance))
    np.testing.assert_allclose(ratio, 1, atol=0.02)
    assert set(part.moves.rows) == set(whole.moves.rows)
    assert len(part.moves.rows) == 4


def test_none_of_the_rows_may_be_taken():
    """Of a real table no row was left where two columns act together."""
    label = np.arange(6, dtype=np.int32) // 3
    strata = partitions_of([label], [2], np.ones(6), cells=[label])
    assert len(strata.take(np.flatnonzero(label > 9)).weights) == 0
