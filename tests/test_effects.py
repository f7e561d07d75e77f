"""effect and effects: what they promise whatever the data, and what they say."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import paribus as pb
from paribus.results.impact import impact_interval


def mixed(n=600, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.normal(size=n)
    a = b + rng.normal(size=n)
    c = rng.choice(["u", "v", "w"], size=n)
    k = rng.integers(4, size=n)
    y = 2 * a + 3 * b + 5.0 * (c == "v") + k + rng.normal(size=n)
    return {"a": a, "b": b, "c": c, "k": k, "y": y}


@pytest.fixture(scope="module")
def found():
    return pb.effects(mixed(), "y")


def assert_same(first, second, rtol=1e-9, atol=1e-9):
    assert_allclose(first.effect, second.effect, rtol=rtol, atol=atol)
    assert_allclose(first.lower, second.lower, rtol=rtol, atol=atol)
    assert_allclose(first.band_upper, second.band_upper, rtol=rtol, atol=atol)
    assert first.p_value == pytest.approx(second.p_value, rel=1e-6, abs=1e-12)


def test_effects_are_found_with_their_intervals(found):
    a, c = found["a"], found["c"]
    slope = np.polyfit(a.x, a.effect, 1)[0]
    assert slope == pytest.approx(2, abs=0.15)
    assert np.all(a.lower < a.effect)
    assert np.all(a.band_lower < a.lower)
    assert np.all(a.upper < a.band_upper)
    assert c.levels == ("u", "v", "w")
    assert c.effect[1] - c.effect[0] == pytest.approx(5, abs=0.4)
    assert c.island.tolist() == [0, 0, 0]
    assert a.p_value < 1e-6
    assert found["k"].x.tolist() == [0, 1, 2, 3]


def test_effects_are_centred_over_the_rows(found):
    for effect in found.values():
        assert effect.row_share @ effect.effect == pytest.approx(0, abs=1e-9)
        found = effect.row_share @ np.abs(effect.effect)
        assert 0.9 * found < effect.impact <= found  # a little of it is noise


def test_the_ranking_is_by_impact(found):
    impacts = [found[name].impact for name in found.ranking]
    assert impacts == sorted(impacts, reverse=True)
    assert sum(e.share for e in found.values()) == pytest.approx(1)
    assert found.ranking[:2] == ["b", "a"]
    assert len(found) == 4
    assert "zzz" not in found


@pytest.mark.parametrize("feature", ["a", "c", "k"])
def test_one_column_alone_says_the_same(found, feature):
    assert_same(pb.effect(mixed(), "y", feature), found[feature])


@pytest.mark.parametrize("feature", ["a", "c"])
def test_the_row_order_does_not_matter(found, feature):
    order = np.random.default_rng(1).permutation(600)
    shuffled = {name: values[order] for name, values in mixed().items()}
    assert_same(pb.effect(shuffled, "y", feature), found[feature])


def test_the_number_of_threads_does_not_matter(found):
    single = pb.effects(mixed(), "y", n_jobs=1)
    for name, effect in found.items():
        assert_array_equal(single[name].effect, effect.effect)
        assert_array_equal(single[name].band_upper, effect.band_upper)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_library_does_not_matter(found, make):
    frame = make(mixed())
    for name, effect in pb.effects(frame, "y").items():
        assert_array_equal(effect.effect, found[name].effect)
        assert isinstance(effect.to_frame(), type(frame))


@pytest.mark.parametrize(("shift", "scale"), [(1000.0, 1.0), (0.0, 1e-6), (-5.0, 1e6)])
def test_units_of_the_target_only_rescale(found, shift, scale):
    data = mixed()
    data["y"] = shift + scale * data["y"]
    for name in ("a", "c"):
        got = pb.effect(data, "y", name)
        assert_allclose(got.effect, scale * found[name].effect, rtol=1e-5, atol=1e-7 * scale)
        assert_allclose(got.upper, scale * found[name].upper, rtol=1e-5, atol=1e-7 * scale)


@pytest.mark.parametrize(("shift", "scale"), [(100.0, 1.0), (0.0, 1e-9), (7.0, 1e6)])
def test_units_of_columns_only_rescale_the_axis(found, shift, scale):
    data = mixed()
    data["a"], data["b"] = shift + scale * data["a"], shift - data["b"] * -scale
    got = pb.effect(data, "y", "a")
    assert_allclose(got.x, shift + scale * found["a"].x, rtol=1e-9)
    assert_allclose(got.effect, found["a"].effect, rtol=1e-4, atol=1e-5)
    assert_allclose(got.lower, found["a"].lower, rtol=1e-4, atol=1e-5)


def test_other_names_for_the_levels_change_nothing(found):
    data = mixed()
    data["c"] = np.select([data["c"] == "u", data["c"] == "v"], ["z", "q"], "a")
    got = pb.effect(data, "y", "c")
    assert got.levels == ("a", "q", "z")
    assert_allclose(got.effect[[2, 1, 0]], found["c"].effect, atol=1e-9)
    assert_same(pb.effect(data, "y", "a"), found["a"])


@pytest.mark.parametrize("share", [0.4, 0.03])
def test_two_values_are_the_same_as_numbers_booleans_and_text(share):
    rng = np.random.default_rng(0)
    z, w = rng.normal(size=(2, 1000))
    x = (rng.random(1000) < share * np.exp(np.tanh(z))).astype(int)
    y = x * (1 + w) + 2 * np.tanh(2 * z) + rng.normal(size=1000)
    ways = [
        ((0, 2.5), 2.5 * x), ((False, True), x.astype(bool)),
        (("no", "yes"), np.where(x, "yes", "no")), (("z", "a"), np.where(x, "a", "z")),
    ]  # fmt: skip
    first = pb.effects({"x": x, "z": z, "w": w}, y, tidy=False)
    for ends, values in ways:
        other = pb.effects({"x": values, "z": z, "w": w}, y, tidy=False)
        mine, theirs = first["x"].between(0, 1), other["x"].between(*ends)
        assert mine.value == pytest.approx(theirs.value, rel=1e-9)
        assert [mine.lower, mine.upper] == pytest.approx([theirs.lower, theirs.upper], rel=1e-9)
        assert mine.p_value == pytest.approx(theirs.p_value, rel=1e-6)
        assert first["x"].differs.by[0].columns == other["x"].differs.by[0].columns == ("w",)
        np.testing.assert_allclose(first["z"].upper, other["z"].upper, rtol=1e-9)


def test_two_values_that_only_rounding_tells_apart_are_one():
    rng = np.random.default_rng(0)
    x = np.where(rng.random(200) < 0.5, 1e14, 1e14 + 1 / 64)
    got = pb.effect({"x": x, "z": rng.normal(size=200)}, rng.normal(size=200), "x", tidy=False)
    assert not got.explained
    assert "nothing of it is left to vary" in got.notes[0].text


def test_counts_are_repeated_rows(monkeypatch):
    monkeypatch.setattr("paribus.table.problem.MANY_COPIES", 1.0)  # no repeated row is a copy
    data = mixed(120)  # so few that columns that act together are not looked for
    times = np.random.default_rng(5).integers(0, 4, size=120)
    repeated = {name: np.repeat(values, times) for name, values in data.items()}
    for name in ("a", "c", "k"):
        weighted = pb.effect({**data, "w": times}, "y", name, counts="w", tidy=False)
        plain = pb.effect(repeated, "y", name, tidy=False)
        assert_same(weighted, plain, rtol=1e-6, atol=1e-7)
    assert "3 rows of weight 0" in str(weighted.notes[0]).replace(
        str(np.count_nonzero(times == 0)), "3"
    )


def test_a_column_of_noise_changes_little(found):
    data = {**mixed(), "noise": np.random.default_rng(9).normal(size=600)}
    got = pb.effects(data, "y")
    width = np.mean(found["a"].upper - found["a"].lower)
    assert np.abs(got["a"].effect - found["a"].effect).mean() < width / 4
    assert got["noise"].impact < 0.1 * got["a"].impact


def test_same_seed_same_answer_other_seed_about_the_same():
    first, again, other = (pb.effect(mixed(), "y", "a", seed=s) for s in (3, 3, 4))
    assert_array_equal(first.effect, again.effect)
    assert not np.array_equal(first.effect, other.effect)
    inside = (other.effect > first.band_lower) & (other.effect < first.band_upper)
    assert inside.all()


def test_honesty_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 21))
    X[:, 1] = 0.7 * X[:, 0] + 0.7 * X[:, 1]
    y = 3 * X[:, 0] + 2 * X[:, 1] + 2 * rng.normal(size=2000)
    names = [f"x{k}" for k in range(21)]

    def slope(**options):
        e = pb.effect(X, y, "x0", names=names, adjust=False, repeats=1, **options)
        return np.polyfit(e.x, e.effect, 1, w=e.row_share)[0]

    assert slope(honest=False) < 2.6
    assert slope() > 2.9


def test_adjustment_matters():
    data = pb.datasets.body_weight(1000, seed=0).table
    sharp = pb.effect(data, "weight", "education")
    blunt = pb.effect(data, "weight", "education", adjust=False)
    truth = -1.5 * sharp.x
    error = [np.std(e.effect - truth) for e in (sharp, blunt)]
    assert error[0] < error[1] / 100


def test_the_papers_estimator_in_honest_strata():
    e = pb.effect(mixed(), "y", "a", estimator="slopes")
    assert e.method == "slopes"
    assert e.lower is None
    assert np.polyfit(e.x, e.effect, 1)[0] == pytest.approx(2, abs=0.5)
    assert "goes with" in e.summary() or "rises" in e.summary()


def test_anchors(found):
    a, c = found["a"], found["c"]
    left = a.relative_to("left")
    assert left.effect[0] == left.lower[0] == left.upper[0] == 0
    assert_allclose(left.effect, a.effect - a.effect[0])
    assert left.upper[-1] - left.lower[-1] > a.upper[-1] - a.lower[-1]
    at = a.relative_to(0.5)
    assert np.interp(0.5, at.x, at.effect) == pytest.approx(0, abs=1e-12)
    assert_same(left.relative_to("mean"), a, rtol=1e-6, atol=1e-8)
    zero = c.relative_to("v")
    assert zero.effect[1] == zero.upper[1] == 0
    with pytest.raises(pb.InputError, match=r"runs from .* to .*; 99 is not on it"):
        a.relative_to(99)
    with pytest.raises(pb.InputError, match="'c' is never 'x'"):
        c.relative_to("x")
    with pytest.raises(pb.InputError, match="'right' is not on it"):
        a.relative_to("right")


def test_stored_and_read_back(found):
    stored = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    again = pb.EffectSet.from_dict(stored)
    assert again.ranking == found.ranking
    assert again.summary() == found.summary()
    assert_same(again["a"], found["a"])
    assert again.to_dict() == found.to_dict()
    with pytest.raises(pb.InputError, match="no data behind it"):
        again["a"].stability()


def test_what_is_infinite_is_stored(found):
    e = replace(found["c"], df=np.full(len(found["c"].levels), np.inf))
    again = pb.CategoricalEffect.from_dict(json.loads(json.dumps(e.to_dict(), allow_nan=False)))
    assert_array_equal(again.df, e.df)
    assert again.summary() == e.summary()


def test_stability_is_the_curve_at_several_leaf_sizes(found):
    by_size = found["a"].stability()
    assert list(by_size) == [5, 10, 20, 40]
    assert_array_equal(by_size[10].effect, found["a"].effect)
    assert not np.array_equal(by_size[40].effect, by_size[10].effect)


@pytest.mark.parametrize("feature", ["a", "c"])
def test_pictures_show_the_numbers(found, feature):
    effect = found[feature]
    ax = effect.plot()
    drawn = np.concatenate([line.get_xydata() for line in ax.lines])
    values = drawn[:, 1] if feature == "a" else drawn[:, 0]
    assert np.isin(effect.effect, values).all()
    if feature == "a":
        band, interval = (c.get_paths()[0].vertices[:, 1] for c in ax.collections[:2])
        assert band.min() == pytest.approx(effect.band_lower.min())
        assert interval.max() == pytest.approx(effect.upper.max())


def test_progress_is_told():
    seen = []
    pb.effects(mixed(), "y", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_features_and_kinds_can_be_chosen():
    found = pb.effects(mixed(), "y", features=["k", "a"], kind={"k": "categorical"})
    assert sorted(found) == ["a", "k"]
    assert found["k"].levels == (0, 1, 2, 3)
    with pytest.raises(pb.InputError, match="kind of 'k' must be 'numeric' or 'categorical'"):
        pb.effects(mixed(), "y", kind={"k": "text"})
    with pytest.raises(pb.InputError, match="'c' cannot be numeric: it holds 'u'"):
        pb.effects(mixed(), "y", kind={"c": "numeric"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"conf_level": 1.5}, "conf_level must lie between 0 and 1"),
        ({"conf_level": 95}, "conf_level must lie between 0 and 1"),
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        ({"repeats": 0}, "repeats must be a whole number of at least 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be"),
        ({"honest": 1}, "honest must be True or False"),
        ({"estimator": "median"}, "estimator must be 'least_squares' or 'slopes'"),
        ({"seed": -1}, "seed must be"),
        ({"weights": "c"}, "weights 'c' must be numbers"),
        ({"weights": np.full(600, -1.0)}, "must be numbers of at least 0"),
        ({"features": ["A"]}, "There is no column 'A'. Did you mean 'a'"),
        ({"features": ["y"]}, "'y' is the target itself"),
    ],
)
def test_bad_options_get_one_sentence(options, message):
    with pytest.raises(pb.InputError, match=message):
        pb.effects(mixed(), "y", **options)


def test_a_level_whose_rows_are_all_left_out_leaves_the_others_alone():
    rng = np.random.default_rng(0)
    z = rng.normal(size=400)
    kind = rng.choice(["a", "b"], 400)
    kind[0], z[0] = "c", np.nan
    y = (kind == "b") + np.nan_to_num(z) + rng.normal(size=400)
    e = pb.effect({"kind": kind, "z": z}, y, "kind", tidy=False)
    low, high = impact_interval(e)
    assert low <= e.impact <= high < 1
    assert np.nanmax(e.standard_error) < 1
    assert "islands" not in [note.kind for note in e.notes]  # a level of no rows is none


def test_one_row_far_off_in_two_columns_does_not_make_them_twins():
    rng = np.random.default_rng(0)
    a, b, z = rng.normal(size=(3, 600))
    a[0], b[0] = 900.0, 700.0
    e = pb.effect({"a": a, "b": b, "z": z}, np.clip(a, -3, 3) + z, "a", tidy=False)
    assert e.share_left > 0.3
    assert not e.unidentified


def test_very_many_twins_are_not_named():
    k = np.arange(300)
    copies = {f"c{i}": i * (k % 9) for i in range(1, 9)}
    e = pb.effect({"x": k % 9, **copies, "y": np.sin(k)}, "y", "x", tidy=False)
    assert not e.explained
    assert "nothing of it is left to vary" in e.summary()
    assert "c3" not in str(e)


def test_columns_come_in_the_order_asked_for_but_for_those_that_surely_act_together():
    """Chance makes no column come before those that whoever watches asked for first."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12, 2000))
    table = {f"x{k}": values for k, values in enumerate(x)}
    for y, first in ((x[0], []), (x[0] + x[8] * x[9], ["x8", "x9"])):
        came = []
        y = y + rng.normal(size=2000)
        pb.effects(table, y, tidy=False, found=lambda e, came=came: came.append(e.feature))
        assert came == first + [name for name in table if name not in first]
