"""Numbers read off an effect: differences and slopes, against least squares done by statsmodels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import paribus as pb
from paribus.results import CategoricalEffect, Contrast, Gap, Histogram, NumericEffect
from paribus.results.contrast import contrast_of


def curve(**more):
    """Return a curve through known points with a known covariance."""
    x, effect = np.array([0.0, 1, 2, 4]), np.array([0.0, 1, 4, 0])
    covariance = np.diag([0.04, 0.09, 0.16, 0.25])
    half = 1.96 * np.sqrt(np.diag(covariance))
    parts = {
        "feature": "x", "target": "y", "method": "least_squares", "x": x, "effect": effect,
        "lower": effect - half, "upper": effect + half, "conf_level": 0.95,
        "covariance": covariance, "row_share": np.array([0.1, 0.4, 0.4, 0.1]),
        "support": np.ones(4),
        "distribution": Histogram(np.array([0.0, 4]), np.array([9])), "n_rows": 9, "n_used": 9,
    }  # fmt: skip
    return NumericEffect(**(parts | more))


def levels(**more):
    effect = np.array([1.0, -1, 2, np.nan])
    covariance = np.diag([0.01, 0.04, 0.09, 0.0])
    parts = {
        "feature": "c", "target": "y", "method": "least_squares", "levels": ("a", "b", "c", "d"),
        "effect": effect, "lower": effect - 1, "upper": effect + 1, "conf_level": 0.95,
        "covariance": covariance, "count": np.array([5, 9, 3, 1]), "n_rows": 18, "n_used": 18,
        "island": np.array([0, 0, 1, 0]),
    }  # fmt: skip
    return CategoricalEffect(**(parts | more))


def test_a_difference_between_values_has_the_error_of_both():
    found = curve().between(1, 3)
    assert isinstance(found, Contrast)
    assert found.value == pytest.approx(2 - 1)
    assert found.se == pytest.approx(np.sqrt(0.09 + (0.16 + 0.25) / 4))
    assert found.upper - found.value == pytest.approx(stats.norm.ppf(0.975) * found.se)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(found.value / found.se))
    assert str(found).startswith("At x = 3, y is about 1 higher than at 1 (95 % interval ")
    assert curve().between(3, 1).value == -found.value


def test_slopes():
    assert curve().slope_at(0.5).value == pytest.approx(1)
    assert curve().slope_at(1).value == pytest.approx((1 + 3) / 2)  # the mean of both sides
    assert curve().slope_at(4).value == pytest.approx(-2)
    # Rows at a point lie half to its left and half to its right.
    mean = curve().average_slope()
    assert mean.value == pytest.approx(0.3 * 1 + 0.4 * 3 + 0.3 * -2)
    assert str(mean).startswith("On average, each extra 1 of x goes with about 0.9 more y (95 %")


def test_nothing_is_compared_across_a_gap():
    broken = curve(gaps=(Gap(1.0, 2.0, "no rows"),))
    with pytest.raises(pb.InputError, match="x = 1 and x = 2 cannot be compared"):
        broken.between(1, 2)
    with pytest.raises(pb.InputError, match="cannot be compared"):
        broken.slope_at(1.5)
    assert broken.slope_at(1).value == pytest.approx(1)
    assert broken.average_slope().value == pytest.approx((0.3 * 1 + 0.3 * -2) / 0.6)
    with pytest.raises(pb.InputError, match="9 is not on it"):
        broken.between(0, 9)


def test_levels_of_one_island_are_compared():
    found = levels().between("b", "a")
    assert (found.value, found.se) == (2, pytest.approx(np.sqrt(0.05)))
    assert str(found).startswith("With c = a, y is about 2 higher than with b (95 % interval")
    for unlike in ("c", "d"):
        with pytest.raises(pb.InputError, match="cannot be compared"):
            levels().between("a", unlike)
    with pytest.raises(pb.InputError, match="'c' is never 'z'"):
        levels().between("a", "z")
    bare = levels(covariance=None)
    np.testing.assert_allclose(bare.standard_error[:3], 1 / stats.norm.ppf(0.975))
    assert bare.between("b", "a").se == pytest.approx(np.sqrt(2) / stats.norm.ppf(0.975))


def test_students_t_where_there_are_degrees_of_freedom():
    few = curve(df=np.array([9.0, 5, 7, 9])).between(1, 2)
    assert few.df == 5
    assert few.upper - few.value == pytest.approx(stats.t.ppf(0.975, 5) * few.se)
    assert few.p_value == pytest.approx(2 * stats.t.sf(few.value / few.se, 5))


def test_dates_and_results_without_intervals():
    dated = curve(x=np.array(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-05"], "M8[us]"))
    found = dated.between("2020-01-01", np.datetime64("2020-01-03"))
    assert found.value == 4
    assert "At x = 2020-01-03, y is about 4 higher than at 2020-01-01" in str(found)
    assert "each extra day" in str(dated.slope_at("2020-01-01T12:00"))
    bare = replace(curve(), lower=None, upper=None, covariance=None)
    assert bare.between(0, 1).value == 1
    assert np.isnan(bare.between(0, 1).p_value)
    assert bare.standard_error is None


def test_no_error_at_all_is_sure():
    assert contrast_of(1.0, 0.0, 0.95).p_value == 0
    assert contrast_of(0.0, 0.0, 0.95).p_value == 1
    assert contrast_of(-1.0, 0.0, 0.95).upper == -1


def test_a_line_agrees_with_ordinary_least_squares():
    """Where nothing but the column is there, the slope and its error are those of statsmodels."""
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(0)
    x = rng.uniform(size=4000)
    y = 3 * x + rng.normal(size=4000)
    ours = pb.effect({"x": x, "y": y}, "y", "x").average_slope()
    theirs = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC1")
    assert ours.value == pytest.approx(theirs.params[1], abs=theirs.bse[1])
    assert ours.lower < theirs.params[1] < ours.upper


def test_any_two_of_thousands_of_levels_can_be_compared():
    """Levels that share their strata, so that their errors go together; the truth is known."""
    rng = np.random.default_rng(0)
    n, size = 60_000, 3000
    code, held = rng.integers(size, size=n), rng.integers(8, size=n)
    truth = rng.normal(size=size)
    y = truth[code] + np.sin(held) + rng.normal(size=n)
    data = {"shop": np.char.add("s", code.astype(str)), "held": held * 1.0, "y": y}
    shops = pb.effect(data, "y", "shop", tidy=False)
    assert shops.covariance is None
    drawn = rng.choice(size, (400, 2), replace=False)
    found = [shops.between(f"s{a}", f"s{b}") for a, b in drawn]
    far = [(f.value - truth[b] + truth[a]) / f.se for f, (a, b) in zip(found, drawn, strict=True)]
    assert 0.85 < np.std(far) < 1.1
    # The same pair has the same error in every answer, and in what was stored.
    a, b = (f"s{k}" for k in drawn[0])
    moved = shops.relative_to(a)
    again = CategoricalEffect.from_dict(shops.to_dict())
    at = moved.levels.index(b)
    for value, se in (
        (moved.effect[at], moved.standard_error[at]),
        (again.between(a, b).value, again.between(a, b).se),
        (moved.relative_to("mean").between(a, b).value, moved.relative_to("mean").between(a, b).se),
    ):
        assert (value, se) == (pytest.approx(found[0].value), pytest.approx(found[0].se))
    assert moved.standard_error[moved.levels.index(a)] == 0
    # Against the commonest level of all the reference's own error counts but once.
    rows = [row for row in pb.results.tables.rows_of_column(shops) if row.level == b]
    assert rows[0].found.se == pytest.approx(shops.between(rows[0].reference, b).se)


def test_errors_of_very_many_levels_go_together_as_those_of_few_do(monkeypatch):
    rng = np.random.default_rng(1)
    n, size = 6000, 40
    code, held = rng.integers(size, size=n), rng.integers(4, size=n)
    data = {
        "c": np.char.add("l", code.astype(str)),
        "z": held * 1.0,
        "y": code + rng.normal(size=n),
    }
    few = pb.effect(data, "y", "c", tidy=False, average="overlap")
    monkeypatch.setattr("paribus.estimate.levels.DENSE_LEVELS", 5)
    monkeypatch.setattr("paribus.estimate.many_levels.N_DRAWS", 2000)
    many = pb.effect(data, "y", "c", tidy=False, average="overlap")
    at = np.arange(size)
    scale = np.sqrt(np.diag(few.covariance))
    gap = (many.covariance_of(at) - few.covariance) / np.outer(scale, scale)
    assert np.abs(gap).max() < 0.2


def test_what_print_shows():
    text = str(levels())
    assert text.startswith(levels().summary())
    assert "Across" in text or "With" in text
    assert "c  share of rows  effect" in text
    assert "18 of 18 rows" in text
    assert "<table>" in levels()._repr_html_()


def test_the_mean_is_that_of_the_weighted_rows_with_a_level():
    rng = np.random.default_rng(0)
    n = 900
    weights, level = rng.uniform(0.2, 5, n), rng.choice(list("pqr"), n).astype(object)
    y = (level == "p") + 0.3 * weights + rng.normal(size=n)
    level[rng.random(n) < 0.1] = None
    found = pb.effect({"level": level, "z": rng.normal(size=n)}, y, "level", weights=weights)
    assert found.levels[-1] == "(missing)"
    again = found.relative_to("q").relative_to("mean")
    np.testing.assert_allclose(again.effect, found.effect, atol=1e-12)
    np.testing.assert_allclose(again.upper, found.upper, rtol=0.02)
