"""Who counts: weights, counts, clusters, units compared with themselves, copies of rows."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import paribus as pb
from paribus.estimate.covariance import row_scores
from paribus.estimate.covariates import Covariates
from paribus.estimate.curve import curve_basis, fit_curve
from paribus.estimate.levels import fit_levels
from paribus.estimate.partitions import partitions_of
from paribus.results.influence import influence_sentence


def panel(n_units=60, n_times=8, seed=0):
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(n_units), n_times)
    shared = rng.normal(size=n_units)[unit]
    z = rng.normal(size=(len(unit), 2))
    treated = (rng.random(len(unit)) < 1 / (1 + np.exp(-shared))).astype(float)
    y = (
        2 * treated
        + 3 * shared
        + z[:, 0]
        + rng.normal(size=n_units)[unit]
        + rng.normal(size=len(unit))
    )
    return unit, treated, z, y


def one_step(fit):
    """Return the difference between two points, and its standard error."""
    apart = np.array([-1.0, 1.0])
    return apart @ fit.effect, np.sqrt(apart @ fit.covariance @ apart)


def jackknife_error(y, design, unit, at):
    """Return the standard error of a coefficient, from fits that leave out each unit in turn."""
    every = [
        sm.OLS(y[unit != u], design[unit != u]).fit().params[at] for u in range(unit.max() + 1)
    ]
    whole = sm.OLS(y, design).fit().params[at]
    size = len(every)
    return np.sqrt((size - 1) / size * np.sum((np.array(every) - whole) ** 2))


def test_clustered_errors_without_strata_are_those_of_the_jackknife():
    unit, treated, z, y = panel(n_units=25)
    nothing = np.zeros(len(y), np.int32)
    strata = partitions_of([nothing], [1], np.ones(len(y)), cluster=unit.astype(np.int32))
    fit = fit_curve(
        curve_basis(treated, np.ones(len(y))), y, Covariates(z, np.ones(2, bool)), strata
    )
    design = sm.add_constant(np.column_stack([treated, z]))
    model = sm.OLS(y, design).fit(cov_type="cluster", cov_kwds={"groups": unit})
    value, error = one_step(fit)
    assert value == pytest.approx(model.params[1], rel=1e-6)
    assert error == pytest.approx(jackknife_error(y, design, unit, 1), rel=0.03)
    assert error > 1.02 * model.bse[1]  # few clusters pull the fit towards themselves
    assert fit.df == 24


def test_clustered_errors_in_strata_are_those_of_the_jackknife():
    """Ten rows of a stratum lie in eight clusters, which pull its mean towards themselves."""
    rng = np.random.default_rng(3)
    unit, label = np.repeat(np.arange(8), 50), rng.integers(0, 40, 400)
    x = ((unit % 2 == 0) ^ (rng.uniform(size=400) < 0.2)).astype(int)
    y = rng.normal(size=8)[unit] + rng.normal(size=400)
    strata = partitions_of(
        [label.astype(np.int32)], [40], np.ones(400), cluster=unit.astype(np.int32)
    )
    covariates = Covariates(np.empty((400, 0)), np.empty(0, bool))
    basis = curve_basis(x.astype(float), np.ones(400))
    _, error = one_step(fit_curve(basis, y, covariates, strata))
    design = np.column_stack([x, label[:, None] == np.arange(40)]).astype(float)
    jackknife = jackknife_error(y, design, unit, 0) * np.sqrt(8 / 7)
    assert error == pytest.approx(jackknife, rel=0.03)  # 0.78 of it with means as they are


def test_clustered_scores_as_they_are_give_the_errors_of_statsmodels():
    unit, treated, z, y = panel()
    label = unit.astype(np.int32)
    nothing = np.zeros(len(y), np.int32)
    strata = partitions_of([nothing], [1], np.ones(len(y)), cluster=label)
    basis = curve_basis(treated, np.ones(len(y)))
    fit = fit_curve(basis, y, Covariates(z, np.ones(2, bool)), strata)
    design = sm.add_constant(np.column_stack([treated, z]))
    model = sm.OLS(y, design).fit(cov_type="cluster", cov_kwds={"groups": unit})
    scores = row_scores(fit.within, basis.rarer_point(), np.ones(len(y)))
    meat = scores.by_cluster(y.std() * fit.residual, fit.within.df - 1)
    solve = np.array([-1.0, 1.0]) @ fit.solve
    assert np.sqrt(solve @ meat @ solve) == pytest.approx(model.bse[1], rel=1e-6)


def test_rows_that_weigh_much_pull_the_fit_towards_themselves():
    """One row in twenty weighs twenty times as much: errors are those of HC2."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 6))
    x = (z[:, 0] + rng.normal(size=200) > 0).astype(float)
    weights = np.where(np.arange(200) % 20 == 0, 20.0, 1.0)
    y = x + z[:, 0] + rng.normal(size=200)
    nothing = np.zeros(200, np.int32)
    strata = partitions_of([nothing, nothing], [1, 1], weights / weights.mean())
    fit = fit_curve(curve_basis(x, weights), y, Covariates(z, np.ones(6, bool)), strata)
    model = sm.WLS(y, sm.add_constant(np.column_stack([x, z])), weights=weights).fit()
    value, error = one_step(fit)
    assert value == pytest.approx(model.params[1], rel=1e-6)
    assert error == pytest.approx(model.HC2_se[1], rel=0.02)  # 0.93 of it if all took alike


def test_rows_that_carry_a_level_tell_its_error():
    """Few rows can be compared, with larger errors than the rest of their level."""
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rare = np.arange(400) < 40
        view = rare ^ (np.arange(400) % 40 < 4)  # the same in nine of ten rows
        y = 2.0 * rare + view + np.where(rare == view, 1, 6) * rng.normal(size=400)
        strata = partitions_of([np.zeros(400, np.int32)], [1], np.ones(400))
        held = Covariates(view[:, None].astype(float), np.ones(1, bool))
        _, error = one_step(fit_levels(rare.astype(int), 2, y, held, strata))
        design = sm.add_constant(np.column_stack([rare, view]).astype(float))
        found.append(error / jackknife_error(y, design, np.arange(400), 1))
    assert 0.9 < np.mean(found) < 1.15  # 0.46 when all rows of a level counted alike


def test_each_unit_compared_with_itself_is_fixed_effects_regression():
    unit, treated, z, y = panel()
    label = unit.astype(np.int32)
    strata = partitions_of([label], [60], np.ones(len(y)), cluster=label)
    codes = treated.astype(int)
    fit = fit_levels(codes, 2, y, Covariates(z, np.ones(2, bool)), strata)

    def demeaned(v):
        return v - (np.bincount(unit, v) / np.bincount(unit))[unit]

    design = np.column_stack([demeaned(v) for v in (treated, *z.T)])
    model = sm.OLS(demeaned(y), design).fit()
    value, error = one_step(fit)
    assert value == pytest.approx(model.params[0], rel=1e-6)
    # Student's quantile is in the error of a level, so that normal intervals are right.
    from scipy.stats import norm, t

    wider = t.ppf(0.975, 59) / norm.ppf(0.975)
    jackknife = jackknife_error(demeaned(y), design, unit, 0)
    assert error / wider == pytest.approx(jackknife, rel=0.02)


def test_a_curve_does_not_pass_through_few_clusters():
    """A number that is the same in all rows of a cluster: 20 clusters know 20 values, no more."""
    rejected, held, width = 0, 0, []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        unit = np.repeat(np.arange(20), 10)
        x = rng.normal(size=20)[unit]
        y = 2 * rng.normal(size=20)[unit] + rng.normal(size=200)
        effect = pb.effect({"x": x, "z": rng.normal(size=200)}, y, "x", cluster=unit)
        apart = effect.between(*(float(v) for v in np.quantile(x, [0.1, 0.9], method="nearest")))
        held += apart.lower <= 0 <= apart.upper
        rejected += effect.p_value < 0.05
        width.append(apart.value)
    assert held >= 27  # 25 when interactions with z did not know of clusters
    assert rejected <= 3
    assert np.std(width) < 2  # it was near 3, the clusters' own spread


@pytest.mark.parametrize("n_clusters", [10, 20])
def test_levels_of_few_clusters_are_tested_as_seldom_as_they_should(n_clusters):
    rejected = 0
    for seed in range(40):
        rng = np.random.default_rng([n_clusters, seed])
        unit = np.repeat(np.arange(n_clusters), 10)
        offer = rng.permutation(np.arange(n_clusters) % 3)[unit]
        y = rng.normal(size=n_clusters)[unit] + rng.normal(size=len(unit))
        strata = partitions_of(
            [np.zeros(len(y), np.int32)], [1], np.ones(len(y)), cluster=unit.astype(np.int32)
        )
        none = Covariates(np.empty((len(y), 0)), np.ones(0, bool))
        rejected += fit_levels(offer, 3, y, none, strata).p_value < 0.05
    assert rejected <= 5  # 18 % of 100 before


def test_robust_errors_of_sampling_weights_without_strata():
    _, treated, z, y = panel()
    weights = np.random.default_rng(1).uniform(0.2, 5, size=len(y))
    weights /= weights.mean()
    strata = partitions_of([np.zeros(len(y), np.int32)], [1], weights)
    basis = curve_basis(treated, weights)
    fit = fit_curve(basis, y, Covariates(z, np.ones(2, bool)), strata)
    design = sm.add_constant(np.column_stack([treated, z]))
    model = sm.WLS(y, design, weights=weights).fit(cov_type="HC1")
    value, error = one_step(fit)
    assert value == pytest.approx(model.params[1], rel=1e-6)
    assert error == pytest.approx(model.bse[1], rel=0.01)


@pytest.mark.parametrize("weights", [np.full(800, 20.0), np.arange(800) % 7 + 1.0])
def test_the_scale_of_weights_does_not_matter(weights):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 800))
    y = a + b + rng.normal(size=800)
    found = [pb.effect({"a": a, "b": b}, y, "a", weights=w) for w in (weights, 1e9 * weights)]
    np.testing.assert_allclose(found[0].effect, found[1].effect, rtol=1e-9)
    np.testing.assert_allclose(found[0].upper, found[1].upper, rtol=1e-9)


def test_sums_of_weights_and_counts_of_any_size():
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    y = a + rng.normal(size=300)
    big = rng.integers(1, 5, size=300) * 10**8
    for role in ("weights", "counts"):
        assert pb.effect({"a": a, "b": rng.normal(size=300)}, y, "a", **{role: big}).explained


def test_counts_must_be_whole():
    data = {"a": [1.0, 2.0, 3.0], "w": [1.0, 2.5, 1.0]}
    with pytest.raises(pb.InputError, match="counts 'w' must be whole numbers; row 1"):
        pb.effect(data, [1.0, 2.0, 4.0], "a", counts="w")


@pytest.mark.parametrize("huge", [2.0**60, 1e120, 1e300])
def test_no_more_rows_are_counted_than_can_be(huge):
    data = {"a": np.arange(30.0), "w": np.full(30, huge)}
    with pytest.raises(pb.InputError, match=r"more than can be counted|beyond 1e150"):
        pb.effects(data, np.arange(30.0) ** 2, counts="w")
    if huge > 1e150:
        with pytest.raises(pb.InputError, match="'w' has a number beyond 1e150"):
            pb.effects(data, np.arange(30.0) ** 2, weights="w")


def test_a_cluster_column_is_not_held_still_and_its_errors_are_shared():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(100), 10)
    x = rng.normal(size=100)[unit]
    y = rng.normal(size=100)[unit] + rng.normal(size=1000)
    data = {"x": x, "z": rng.normal(size=1000), "unit": unit}
    clustered = pb.effects(data, y, cluster="unit")
    assert "unit" not in clustered.ranking
    plain = pb.effect({"x": x, "z": data["z"]}, y, "x")
    assert plain.p_value < 0.05 < clustered["x"].p_value  # there is no effect
    assert "neighbours_alike" in [note.kind for note in plain.notes]
    assert "neighbours_alike" not in [note.kind for note in clustered["x"].notes]


def test_few_clusters_are_said():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    found = pb.effects({"x": x, "z": z}, x + rng.normal(size=400), cluster=np.arange(400) % 8)
    assert "few_clusters" in [note.kind for note in found.notes]
    assert np.all(found["x"].df == 7)


def test_within_tells_between_and_within_and_the_silent():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(80), 10)
    level = rng.normal(size=80)[unit]
    x = level + np.where(unit < 20, 0.0, rng.normal(size=800))
    y = x - 4 * level + rng.normal(size=800) / 2
    data = {"x": x, "z": rng.normal(size=800), "who": np.char.add("p", unit.astype(str))}
    effect = pb.effect(data, y, "x", within="who")
    slope = np.polyfit(effect.x, effect.effect, 1)[0]
    assert slope == pytest.approx(1, abs=0.1)
    (note,) = (note for note in effect.notes if note.kind == "within_units")
    assert note.facts["silent"] == 20
    between, inside = note.facts["slopes"]
    assert between < -2
    assert inside == pytest.approx(1, abs=0.1)


def test_copies_of_rows_count_once_for_how_sure_we_are():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    y = x + z + rng.normal(size=400)
    once = pb.effect({"x": x, "z": z}, y, "x")
    again = np.repeat(np.arange(400), 5)
    often = pb.effect({"x": x[again], "z": z[again]}, y[again], "x")
    np.testing.assert_allclose(often.effect, once.effect)
    np.testing.assert_allclose(often.upper, once.upper)
    assert "copied_rows" in [note.kind for note in often.notes]


def test_rows_alike_by_chance_are_no_copies():
    rng = np.random.default_rng(0)
    data = {"a": rng.integers(3, size=900).astype(str), "b": rng.integers(4, size=900).astype(str)}
    found = pb.effects(data, rng.random(900) < 0.4)
    assert found.n_rows == 900
    assert "copied_rows" not in [note.kind for note in found.notes]


def test_independent_rows_are_not_said_to_be_alike():
    kinds = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, z = rng.normal(size=(2, 1000))
        found = pb.effects({"x": x, "z": z}, x + z + rng.standard_t(3, size=1000), seed=seed)
        kinds += [note.kind for e in found.effects for note in e.notes]
    assert "neighbours_alike" not in kinds


def test_what_was_said_about_the_rows_is_kept_and_told():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    data = {"x": x, "z": z, "shop": np.arange(400) % 40, "people": rng.uniform(1, 9, 400)}
    y = x + rng.normal(size=400)
    found = pb.effects(data, y, cluster="shop", weights="people")
    assert "400 rows in 40 clusters, 2 columns." in found.summary()
    assert "Intervals allow for errors shared by rows of the same shop." in found.summary()
    assert "Each row counts as much as 'people' says." in found.summary()
    again = pb.EffectSet.from_dict(found.to_dict())
    assert again.roles == found.roles
    alone = pb.effects({"x": x, "z": z}, y, within=np.arange(400) % 40)
    assert "400 rows in 40 units, 2 columns.\nEach unit is compared with itself" in alone.summary()
    assert pb.effects({"x": x, "z": z}, y).roles.sentences() == []


def test_rows_that_hardly_move_a_result_are_in_the_table_but_not_in_the_sentence():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1500))
    y = np.where(rng.random(1500) < 0.1, rng.lognormal(1, 1, 1500), 0.0)  # heavy tails, no effect
    e = pb.effect({"x": x, "z": z}, y, "x")
    assert e.influential
    assert e.unclear
    assert influence_sentence(e) == ""
    y[np.argmax(x)] = 10_000  # a typo
    assert "of the table" in influence_sentence(pb.effect({"x": x, "z": z}, y, "x"))
    clear = pb.effect({"x": x, "z": z}, 3 * x + np.where(y > 100, 0, y), "x")
    assert clear.influential
    assert influence_sentence(clear) == ""


def test_influential_rows_of_all_columns_in_one_frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    level = rng.choice(["a", "b"], 300)
    y = x + rng.normal(size=300)
    y[7] = 50
    found = pb.effects(pd.DataFrame({"x": x, "level": level}), y)
    frame = found.influential()
    assert isinstance(frame, pd.DataFrame)
    assert set(frame[frame["row"] == 7]["feature"]) == {"x", "level"}
    assert len(frame) == sum(len(e.influential) for e in found.effects)
    calm = pb.effects({"x": x, "level": level}, x + (level == "a")).influential()
    assert len(calm["row"]) == 0


def test_a_table_sorted_by_its_target_is_not_said_to_have_rows_alike():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1000))
    y = x + z + rng.normal(size=1000)
    order = np.argsort(y)
    effect = pb.effect({"x": x[order], "z": z[order]}, y[order], "x")
    assert "neighbours_alike" not in [note.kind for note in effect.notes]


def test_very_many_levels_allow_for_errors_that_clusters_share():
    """Each level lies in few of 150 clusters.

    Over ten seeds the spread of differences is 1.01 of their errors, and 1.20 of errors that know
    nothing of clusters; intervals hold 94 and 90 of 100.
    """
    n_levels, apart = 400, []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        shop = rng.integers(150, size=8000)
        code = (rng.integers(n_levels // 10, size=8000) + 7 * shop) % n_levels
        truth, z = rng.normal(size=n_levels), rng.normal(size=8000)
        y = truth[code] + z + rng.normal(size=150)[shop] + rng.normal(size=8000)
        data = {"c": np.char.add("l", code.astype(str)), "z": z, "shop": shop}
        found = pb.effect(data, y, "c", cluster="shop", tidy=False, effort="quick")
        for a, b in rng.choice(n_levels, (150, 2)):
            if a != b and {f"l{a}", f"l{b}"} <= {*found.levels}:
                one = found.between(f"l{a}", f"l{b}")
                apart.append((one.value - truth[b] + truth[a]) / one.se)
    assert 0.9 < np.std(apart) < 1.1


def test_a_level_of_one_cluster_is_not_exact():
    """Its rows' errors add up to nothing within the cluster; they are errors all the same."""
    rng = np.random.default_rng(0)
    state = rng.integers(20, size=2000)
    city = 3 * state + rng.integers(3, size=2000)
    data = {"city": np.char.add("c", city.astype(str)), "z": rng.normal(size=2000), "state": state}
    found = pb.effect(data, rng.normal(size=2000), "city", cluster="state", tidy=False)
    assert found.standard_error.min() > 0.7 / np.sqrt(2000 / 60)
    (told,) = (note for note in found.notes if note.kind == "levels_of_one_cluster")
    assert "Of 'city' 60 levels lie in a single cluster each" in told.text


def test_the_few_errors_of_a_two_valued_target_are_no_extreme_rows():
    rng = np.random.default_rng(3)
    x, z = rng.integers(7, size=900), rng.normal(size=900)
    chance = 1 / (1 + np.exp(-3 * (x - 3) - z))  # nearly all rows are as expected
    e = pb.effect({"x": x, "z": z, "y": rng.random(900) < chance}, "y", "x")
    assert len(e.influential) == 0
