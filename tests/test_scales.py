"""Effects in per cent, rates and steps that multiply, against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

import paribus as pb
from paribus.base.errors import InputError
from paribus.results.impact import impact_interval


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(60), 8)
    x = (rng.random(480) < 0.4).astype(float)
    shared = rng.normal(size=60)[unit]
    y = np.exp(0.3 * x + shared + 0.2 * rng.normal(size=480))
    years = rng.uniform(0.5, 2, size=480)
    return {
        "x": x, "unit": unit, "y": y, "years": years,
        "claims": rng.poisson(years * np.exp(0.4 * x)),
        "won": np.where(rng.random(480) < np.where(x > 0, 0.5, 0.3), "yes", "no"),
    }  # fmt: skip


def some(table, *names):
    return {name: table[name] for name in names}


def demeaned(values, unit):
    return values - (np.bincount(unit, values) / np.bincount(unit))[unit]


def test_per_cent_with_clustered_errors_are_those_of_statsmodels(table):
    """Each unit compared with itself: the back-transformed numbers of fixed-effects regression."""
    data = some(table, "x", "unit", "y")
    found = pb.effect(data, "y", "x", within="unit", target_scale="log", tidy=False)
    ours = found.between(0, 1)
    log_y, x = (demeaned(v, table["unit"]) for v in (np.log(table["y"]), table["x"]))
    fit = sm.OLS(log_y, x[:, None]).fit(
        cov_type="cluster", cov_kwds={"groups": table["unit"]}, use_t=True
    )
    assert found.unit == "%"
    assert ours.value == pytest.approx(100 * np.expm1(fit.params[0]), rel=1e-6)
    log_error = ours.se / (100 + ours.value)
    assert log_error == pytest.approx(fit.bse[0], rel=0.05)  # ours leave out cluster by cluster
    half = stats.t.ppf(0.975, ours.df) * log_error
    ends = 100 * np.expm1(fit.params[0] + np.array([-half, half]))
    assert [ours.lower, ours.upper] == pytest.approx(ends, rel=1e-6)
    assert "is about 38.8 % higher than at 0" in str(ours)


def test_effects_relative_to_a_point_are_ratios_to_it(table):
    found = pb.effect(some(table, "x", "y"), "y", "x", target_scale="log")
    moved = found.relative_to(0.0)
    apart = found.between(0, 1)
    assert moved.effect == pytest.approx([0, apart.value])
    assert [moved.lower[1], moved.upper[1]] == pytest.approx([apart.lower, apart.upper])
    assert moved.standard_error[1] == pytest.approx(apart.se)
    low, high = impact_interval(found)
    assert low <= found.impact <= high
    again = type(found).from_dict(found.to_dict())
    assert again.between(0, 1).value == apart.value


def test_odds_without_other_columns_are_those_of_logistic_regression(table):
    ours = pb.effect(some(table, "x", "won"), "won", "x", target_scale="odds", tidy=False).between(
        0, 1
    )
    fit = sm.Logit(table["won"] == "yes", sm.add_constant(table["x"])).fit(disp=0)
    assert ours.value == pytest.approx(100 * np.expm1(fit.params[1]), rel=1e-6)
    log_error = ours.se / (1 + ours.value / 100) / 100
    assert log_error == pytest.approx(fit.bse[1], rel=0.02)
    assert str(ours).startswith("At x = 1, the odds that won is yes are about")


def test_ratios_of_rates_without_other_columns_are_those_of_poisson_regression(table):
    data = some(table, "x", "claims", "years")
    options = {"exposure": "years", "tidy": False}
    ours = pb.effect(data, "claims", "x", target_scale="ratio", **options).between(0, 1)
    plain = pb.effect(data, "claims", "x", **options).between(0, 1)
    fit = sm.GLM(
        table["claims"], sm.add_constant(table["x"]), sm.families.Poisson(),
        exposure=table["years"],
    ).fit(cov_type="HC1")  # fmt: skip
    assert ours.value == pytest.approx(100 * np.expm1(fit.params[1]), rel=1e-6)
    assert ours.se / (100 + ours.value) == pytest.approx(fit.bse[1], rel=0.03)
    rates = np.exp(fit.params[0] + np.array([0, fit.params[1]]))
    assert plain.value == pytest.approx(rates[1] - rates[0], rel=1e-6)
    assert "claims per years" in str(plain)
    said = pb.effects(data, "claims", **options)
    assert "Rates per years are compared: each row counts as much as 'years' says." in str(said)
    assert list(said) == ["x"]


def test_rows_of_no_exposure_are_left_out(table):
    data = some(table, "x", "claims", "years")
    data["years"] = np.where(np.arange(480) < 5, 0.0, data["years"])
    found = pb.effect(data, "claims", "x", exposure="years", tidy=False)
    assert found.n_rows == 475


def test_a_step_that_doubles_is_the_slope_of_logarithms():
    rng = np.random.default_rng(1)
    income = np.exp(rng.normal(size=3000))
    spent = income**0.5 * np.exp(0.1 * rng.normal(size=3000))
    data = {"income": income, "year": rng.integers(1990, 2020, size=3000), "spent": spent}
    found = pb.effects(data, "spent", target_scale="log", per="doubling")
    slope = found["income"].average_slope()
    assert slope.value == pytest.approx(100 * (2**0.5 - 1), abs=2)
    assert slope.lower < 100 * (2**0.5 - 1) < slope.upper
    assert found["income"].summary().startswith("Each doubling of income goes with about 4")
    assert found["year"].per is None
    by_ten = pb.effect(data, "spent", "year", per={"year": 10})
    once = by_ten.counted_by(None).average_slope()
    assert by_ten.average_slope().value == pytest.approx(10 * once.value)
    assert "each extra 10 of year" in str(by_ten.average_slope())


@pytest.mark.parametrize(
    ("options", "target", "sentence"),
    [
        ({"target_scale": "log"}, "claims", "values of 'claims' are zero or negative"),
        ({"target_scale": "log"}, "won", "'won' is a class and has no logarithm"),
        ({"target_scale": "odds"}, "y", "'y' is a number, and only classes have odds"),
        ({"target_scale": "logit"}, "y", "target_scale must be 'log', 'ratio' or 'odds'"),
        ({"exposure": "years"}, "won", "'won' has no numbers to divide by the exposure"),
        ({"per": {"x": "doubling"}}, "y", "only numbers above zero can double"),
        ({"per": {"x": 0}}, "y", "per of 'x' must be a number above 0 or 'doubling', got 0"),
        ({"per": {"z": 2}}, "y", "There is no column 'z'"),
    ],
)
def test_what_cannot_be_asked(table, options, target, sentence):
    data = some(table, "x", "years", target)
    with pytest.raises(InputError, match=sentence.replace(".", r"\.")):
        pb.effect(data, target, "x", tidy=False, **options)


def test_a_share_that_noise_takes_below_nothing_keeps_an_interval():
    rng = np.random.default_rng(2)
    z = rng.normal(size=800)
    level = rng.choice(["a", "b", "c"], size=800)
    won = np.where((level != "a") & (rng.random(800) < 0.3 + 0.2 * (z > 0)), "yes", "no")
    found = pb.effect({"level": level, "z": z, "won": won}, "won", "level", target_scale="odds")
    assert np.isfinite(found.effect).all()
    assert found.effect[0] < -90
    assert found.upper[0] > found.effect[0]


def test_logarithms_and_exposures_are_not_read_in_batches(tmp_path):
    for options in ({"target_scale": "log"}, {"exposure": "e"}):
        with pytest.raises(InputError, match="read in batches"):
            pb.effects(str(tmp_path / "*.parquet"), target="y", **options)
