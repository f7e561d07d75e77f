"""Where paribus and regression compute the same number: statsmodels and pyfixest, to a millionth.

Strata are switched off (one leaf, grown on all rows), and what is held still is a category, which
both adjust for alike; or each unit is compared with itself, which is fixed-effects regression.
"""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

import paribus as pb

pf = pytest.importorskip("pyfixest")
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pyfixest

SAME = 1e-6
NO_STRATA = {"min_samples_leaf": 10**9, "honest": False, "average": "overlap", "tidy": False}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 3000
    town = rng.choice(["a", "b", "c"], p=[0.5, 0.3, 0.2], size=n)
    shop = rng.integers(40, size=n)
    shared = rng.normal(size=40)[shop]
    x = (rng.random(n) < 0.3 + 0.2 * (town == "b") + 0.1 * (shared > 0)).astype(float)
    noise = (0.3 + 0.2 * (town == "c")) * rng.normal(size=n)
    y = np.exp(0.3 * x + 0.2 * (town == "b") + 0.3 * shared + noise)
    return pd.DataFrame({"x": x, "town": town, "shop": shop, "y": y, "log_y": np.log(y)})


def logs(found):
    """Return a difference in per cent and its error as the logarithms they come from."""
    return np.log1p(found.value / 100), found.se / (100 + found.value)


@pytest.mark.parametrize("target_scale", [None, "log"])
def test_differences_and_robust_errors(table, target_scale):
    data = table[["x", "town", "y"]]
    found = pb.effect(data, "y", "x", target_scale=target_scale, **NO_STRATA).between(0, 1)
    name = "y" if target_scale is None else "log_y"
    ours = (found.value, found.se) if target_scale is None else logs(found)
    formula = f"{name} ~ x + C(town)"
    usual = smf.ols(formula, table).fit(cov_type="HC1")
    fast = pf.feols(formula, table, vcov="HC1")
    assert ours == pytest.approx((usual.params["x"], usual.bse["x"]), rel=SAME)
    assert ours == pytest.approx((fast.coef()["x"], fast.se()["x"]), rel=SAME)


@pytest.mark.parametrize("target_scale", [None, "log"])
def test_differences_within_units_and_clustered_errors(table, target_scale):
    """Errors of the jackknife over clusters, with Student's t on their number less one."""
    data = table[["x", "shop", "y"]]
    found = pb.effect(data, "y", "x", within="shop", target_scale=target_scale, tidy=False).between(
        0, 1
    )
    name = "y" if target_scale is None else "log_y"
    ours = (found.value, found.se) if target_scale is None else logs(found)
    fast = pf.feols(f"{name} ~ x | shop", table, vcov={"CRV3": "shop"}, ssc=pf.ssc(k_fixef="none"))
    assert ours == pytest.approx((fast.coef()["x"], fast.se()["x"]), rel=SAME)
    usual = smf.ols(f"{name} ~ x + C(shop)", table).fit()
    assert ours[0] == pytest.approx(usual.params["x"], rel=SAME)
    assert found.p_value == pytest.approx(fast.pvalue()["x"], rel=1e-4)
    if target_scale is None:
        ends = fast.confint().loc["x"].to_numpy()
        assert [found.lower, found.upper] == pytest.approx(ends, rel=SAME)
    else:
        ends = 100 * np.expm1(fast.confint().loc["x"].to_numpy())
        assert [found.lower, found.upper] == pytest.approx(ends, rel=SAME)


def test_differences_between_levels(table):
    """The numbers are the same; errors are not, for each level's are drawn to the pooled ones."""
    found = pb.effect(table[["town", "y"]], "y", "town", **NO_STRATA)
    usual = smf.ols("y ~ C(town)", table).fit(cov_type="HC1")
    for level in ("b", "c"):
        ours = found.between("a", level)
        assert ours.value == pytest.approx(usual.params[f"C(town)[T.{level}]"], rel=SAME)
        assert ours.se == pytest.approx(usual.bse[f"C(town)[T.{level}]"], rel=0.02)
