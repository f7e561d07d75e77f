"""Least squares inside strata, against fixed-effects regression and done another way."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

import paribus as pb
from paribus.estimate.basis import (
    atoms_of,
    hat_basis,
    level_basis,
    place_knots,
    weighted_quantiles,
)
from paribus.estimate.covariates import ByLevel, Covariates
from paribus.estimate.curve import curve_basis, fit_curve
from paribus.estimate.levels import DENSE_LEVELS, fit_levels
from paribus.estimate.many_levels import conjugate_gradients, find_islands
from paribus.estimate.partitions import partitions_of
from paribus.estimate.terms import Curves
from paribus.estimate.within import by_sums, row_by_row, slopes_on


def problem(n=300, n_strata=25, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.integers(n_strata, size=n).astype(np.int32)
    z = rng.normal(size=(n, 2))
    x = rng.integers(50, size=n) / 10 + 0.01 * label
    y = np.sin(x) + label + z[:, 0] + rng.normal(size=n)
    return label, z, x, y


def one_partition(label, weights=None):
    weights = np.ones(len(label)) if weights is None else weights
    return partitions_of([label], [int(label.max()) + 1], weights)


def dummies(codes):
    return (codes[:, None] == np.unique(codes)).astype(float)


def test_levels_are_those_of_a_fixed_effects_regression():
    label, z, _, y = problem()
    codes = np.random.default_rng(1).integers(5, size=len(y))
    fit = fit_levels(codes, 5, y, Covariates(z, np.ones(2, bool)), one_partition(label))
    design = np.column_stack([dummies(codes)[:, 1:], dummies(label), z])
    model = sm.OLS(y, design).fit()
    expected = np.append(0.0, model.params[:4])
    got = fit.effect - fit.effect[0]
    np.testing.assert_allclose(got, expected, atol=1e-8)
    apart = np.eye(5)[1] - np.eye(5)[0]
    assert np.sqrt(apart @ fit.covariance @ apart) == pytest.approx(model.bse[0], rel=0.15)


def test_straight_lines_are_those_of_a_fixed_effects_regression():
    label, z, _, _ = problem()
    rng = np.random.default_rng(2)
    x = label / 10 + rng.integers(3, size=len(label))
    two = (x > 1).astype(float)  # with two values a curve is one number, and no penalty acts
    y = 3 * two + label + z[:, 0] + rng.normal(size=len(label))
    basis = curve_basis(two, np.ones(len(two)))
    fit = fit_curve(basis, y, Covariates(z, np.ones(2, bool)), one_partition(label))
    model = sm.OLS(y, np.column_stack([two, dummies(label), z])).fit(cov_type="HC1")
    assert fit.effect[1] - fit.effect[0] == pytest.approx(model.params[0], abs=1e-6)
    apart = np.array([-1.0, 1.0])
    assert np.sqrt(apart @ fit.covariance @ apart) == pytest.approx(model.bse[0], rel=0.1)


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=25, deadline=None)
def test_sums_and_rows_give_the_same(seed, weighted):
    label, z, x, y = problem(120, 12, seed)
    rng = np.random.default_rng(seed)
    x[rng.random(len(x)) < 0.1] = np.nan
    weights = rng.integers(1, 4, size=len(y)).astype(float) if weighted else np.ones(len(y))
    basis = hat_basis(x, np.linspace(0, 7, 6))
    knots = np.array([[-3.0, -0.5, 0.0, 0.7, 3.0], [-2.0, 0.0, 2.0, np.inf, np.inf]])
    curves = Curves(np.array([1, 0], np.int32), knots, np.array([5, 3], np.int32))
    active = np.array([True, False, True, True, True, True, True, True])
    pairs = np.array([[1, 0]], np.int32)
    level = ByLevel(rng.normal(size=(9, 1)), rng.integers(9, size=len(y)))
    covariates = Covariates(z, active, curves, pairs, (level,))
    strata = one_partition(label, weights)
    sums, rows = (f(basis, covariates, y, strata) for f in (by_sums, row_by_row))
    effect = rng.normal(size=basis.size)
    np.testing.assert_allclose(sums.gram, rows.gram, atol=1e-6)
    np.testing.assert_allclose(sums.score, rows.score, atol=1e-6)
    np.testing.assert_allclose(sums.residual(effect), rows.residual(effect), atol=1e-6)
    at = np.arange(len(y))
    np.testing.assert_allclose(sums.influence(at), rows.influence(at), atol=1e-6)
    assert sums.df == pytest.approx(rows.df)


def test_counts_are_repeated_rows():
    label, z, x, y = problem()
    weights = np.random.default_rng(3).integers(1, 4, size=len(y))
    again = np.repeat(np.arange(len(y)), weights)
    other = np.random.default_rng(4).integers(20, size=len(y)).astype(np.int32)

    def fit(rows, w):
        strata = partitions_of([label[rows], other[rows]], [25, 20], w, counts=w)
        basis = curve_basis(x[rows], w)
        return fit_curve(basis, y[rows], Covariates(z[rows], np.ones(2, bool)), strata)

    weighted = fit(np.arange(len(y)), weights.astype(float))
    repeated = fit(again, np.ones(len(again)))
    np.testing.assert_allclose(weighted.knots, repeated.knots)
    np.testing.assert_allclose(weighted.effect, repeated.effect, atol=1e-8)
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, atol=1e-8)
    assert weighted.p_value == pytest.approx(repeated.p_value)


def test_very_many_levels_are_solved_alike(monkeypatch):
    rng = np.random.default_rng(0)
    n, n_levels = 3000, 60
    label, codes = rng.integers(300, size=n).astype(np.int32), rng.integers(n_levels, size=n)
    z = rng.normal(size=(n, 2))
    y = codes / 10 + label / 30 + z[:, 1] + rng.normal(size=n)
    covariates, strata = Covariates(z, np.ones(2, bool)), one_partition(label)
    dense = fit_levels(codes, n_levels, y, covariates, strata)
    monkeypatch.setattr("paribus.estimate.levels.DENSE_LEVELS", 10)
    sparse = fit_levels(codes, n_levels, y, covariates, strata)
    assert n_levels < DENSE_LEVELS
    np.testing.assert_allclose(sparse.effect, dense.effect, atol=1e-4)
    np.testing.assert_allclose(sparse.standard_error, dense.standard_error, rtol=0.5)
    ratio = np.mean(sparse.standard_error / dense.standard_error)
    assert ratio == pytest.approx(1, abs=0.05)
    assert sparse.covariance is None


@pytest.mark.parametrize("n_columns", [1, 7, 60])
def test_many_right_sides_are_solved_together(n_columns):
    """Singular, badly conditioned, with equal columns: NumPy's least squares is the twin."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 300, size=(900, 2))
    graph = dummies(np.append(ends[:, 0], np.arange(300)))[:900]
    graph = graph - dummies(np.append(ends[:, 1], np.arange(300)))[:900]
    system = graph.T @ (10 ** rng.uniform(-3, 3, size=(900, 1)) * graph)
    right = system @ rng.normal(size=(300, n_columns))
    right[:, -1] = right[:, 0]
    found = conjugate_gradients(system.__matmul__, right, np.diag(system))
    expected = np.linalg.lstsq(system, right, rcond=1e-12)[0]
    size = np.sqrt(np.diag(system))[:, None]
    left = (system @ found - right) / np.maximum(size, 1e-6)
    assert np.abs(left).max() < 1e-4 * np.abs(right / np.maximum(size, 1e-6)).max()
    apart = (found - found[:1]) - (expected - expected[:1])
    told = size[:, 0] > 0
    assert np.median(np.abs(apart[told])) < 1e-4 * np.abs(expected).max()


def test_islands_are_numbered_by_rows_and_centred_apart():
    label = np.array([0, 0, 1, 1, 1, 1, 2], dtype=np.int32)
    codes = np.array([0, 1, 2, 3, 2, 3, 4])
    y = np.array([1.0, 3.0, 10.0, 14.0, 10.0, 14.0, 50.0])
    strata = one_partition(label)
    island = find_islands(level_basis(codes, 5), strata)
    assert len(np.unique(island)) == 3
    nothing = Covariates(np.empty((7, 0)), np.empty(0, bool))
    fit = fit_levels(codes, 5, y, nothing, strata)
    assert fit.island.tolist() == [1, 1, 0, 0, 2]
    np.testing.assert_allclose(fit.effect, [-1, 1, -2, 2, np.nan], atol=1e-9)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=30))
def test_weighted_quantiles_are_those_of_repeated_values(pairs):
    x, weights = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    q = np.linspace(0, 1, 7)
    expected = np.quantile(np.repeat(x, weights.astype(int)), q)
    np.testing.assert_allclose(weighted_quantiles(x, weights, q), expected, atol=1e-9)


def test_few_values_get_a_knot_each_and_many_about_eight_fourth_roots():
    assert place_knots(np.arange(100) % 7.0, np.ones(100)).tolist() == list(range(7))
    many = place_knots(np.random.default_rng(0).normal(size=2000), np.ones(2000))
    even = round(8 * 2000**0.25)
    assert even <= len(many) <= even + 8
    x = np.random.default_rng(0).lognormal(size=50_000)
    knots = place_knots(x, np.ones(50_000))
    beyond = [np.count_nonzero(x > knots[-2]), np.count_nonzero(x < knots[1])]
    assert 4 <= min(beyond) <= max(beyond) <= 12


def test_a_value_that_many_rows_have_is_a_knot_with_a_neighbour_on_either_side():
    x = np.random.default_rng(0).lognormal(size=1000)
    x[:300] = 1.5
    knots = place_knots(x, np.ones(1000))
    (at,) = np.flatnonzero(knots == 1.5)
    assert knots[at - 1] == x[x < 1.5].max()
    assert knots[at + 1] == x[x > 1.5].min()
    count = hat_basis(x, knots).totals(np.ones(1000))
    assert atoms_of(count / 1000).tolist() == [at]
    bends = hat_basis(x, knots).bends(np.array([at]))
    jump = np.zeros(len(knots))
    jump[at] = 1.0
    assert np.allclose(bends @ (3 * knots + jump), 0)  # a line with a jump costs nothing
    assert np.abs(hat_basis(x, knots).bends() @ jump).max() > 1


def test_a_jump_at_a_common_value_is_found_as_sharply_as_by_least_squares():
    """The error was 0.15, and half of the intervals missed."""
    errors, held = [], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        a = rng.normal(size=1000)
        x = np.where(
            rng.uniform(size=1000) < 0.6, 0.0, np.exp(0.5 * a + 0.8 * rng.normal(size=1000))
        )
        y = 1.0 * (x > 0) + 0.5 * x + a + rng.normal(size=1000)
        low = float(np.quantile(x[x > 0], 0.1, method="nearest"))
        jump = pb.effect({"x": x, "a": a}, y, "x", tidy=False).between(0.0, low)
        errors.append(jump.value - 1 - 0.5 * low)
        held += jump.lower <= 1 + 0.5 * low <= jump.upper
    assert np.sqrt(np.mean(np.square(errors))) < 0.15
    assert held >= 7


def test_the_end_of_a_curve_holds_the_truth():
    """With a straight line beyond the last hundredth of the rows, a third of them did not."""
    held = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=1500)
        x = 0.5 * z + 0.8 * rng.normal(size=1500)
        y = np.exp(x) + z + rng.normal(size=1500)
        effect = pb.effect({"x": x, "z": z}, y, "x", tidy=False)
        middle, end = (float(v) for v in np.quantile(x, [0.5, 0.995], method="nearest"))
        found = effect.between(middle, end)
        held.append(found.lower <= np.exp(end) - np.exp(middle) <= found.upper)
    assert np.mean(held) > 0.87


def test_products_are_covariates_far_out_as_well():
    z = np.array([[5.0, -4.0], [9.0, 1.0], [-7.0, 8.0]])
    pairs = np.array([[0, 1]], dtype=np.int32)
    made = Covariates(z, np.ones(3, bool), pairs=pairs).rows(np.arange(3))
    assert made[:, 2].tolist() == [-20.0, 6.0, -36.0]


def test_covariates_that_rounding_makes_worse_than_equal_are_solved():
    gram = 100 * np.array([[1, 1 + 1e-8, 0], [1 + 1e-8, 1, 0], [0, 0, 1]])
    products = gram @ np.array([[1.0], [1.0], [3.0]])
    slopes = slopes_on(gram, products, np.ones(3, dtype=bool), 100.0)
    assert gram @ slopes == pytest.approx(products, rel=1e-6)
    assert slopes[:, 0] == pytest.approx([1, 1, 3], rel=1e-6)
