"""What the reader is told: targets, gaps, twins, islands, ids, leaks, and sentences."""

import re
from dataclasses import replace

import numpy as np
import pytest

import paribus as pb
from paribus.base.notes import Remedy
from paribus.results.shape import shape_of
from paribus.results.words import number

from as_it_is import explain, explain_all


def kinds(effect):
    return [note.kind for note in effect.notes]


def base(n=600, seed=0, **more):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    return {"a": a, "b": b, "y": a + b + rng.normal(size=n) / 2, **more}


# ---- targets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda p: np.where(p, "yes", "no"), "y is yes"),
        (lambda p: p, "y is True"),
        (lambda p: p.astype(int), "y is 1"),
        (lambda p: np.where(p, 5.0, 2.0), "y is 5"),
    ],
)
def test_two_values_are_percentage_points(make, shown):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, size=(2, 3000))
    data = {"a": a, "b": b, "y": make(rng.uniform(size=3000) < 0.5 + 0.3 * a)}
    effect = explain(data, "y", "a")
    assert effect.target == shown
    assert effect.unit == "percentage points"
    assert np.polyfit(effect.x, effect.effect, 1)[0] == pytest.approx(30, abs=5)
    assert f"goes with the share of rows where {shown} being about " in effect.summary()
    assert "percentage points higher (95 % interval" in effect.summary()


def test_classes_are_explained_one_against_the_rest():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 900))
    data = {"a": a, "b": b, "y": np.select([a < -0.5, a < 0.5], ["low", "mid"], "high")}
    with pytest.raises(pb.InputError, match="has 3 classes: 'high', 'low' and 'mid'"):
        explain_all(data, "y")
    one = explain_all(data, "y", class_="low")
    assert one.target == "y is low"
    every = pb.effects_by_class(data, "y", tidy=False)
    assert list(every) == ["high", "low", "mid"]
    np.testing.assert_array_equal(every["low"]["a"].effect, one["a"].effect)
    with pytest.raises(pb.InputError, match="'y' is never 'none'"):
        explain_all(data, "y", class_="none")


def test_targets_that_cannot_be_explained():
    text = {**base(), "y": [f"t{k}" for k in range(600)]}
    with pytest.raises(pb.InputError, match="holds 600 different texts, too many"):
        explain_all(text, "y")
    days = {**base(), "y": np.arange(600).astype("datetime64[D]")}
    with pytest.raises(pb.InputError, match="'y' holds dates"):
        explain_all(days, "y")


# ---- missing values and dates ------------------------------------------------------------------


def test_missing_numbers_have_a_point_of_their_own():
    data = base(1500)
    gone = np.random.default_rng(1).random(1500) < 0.3
    data["y"] = np.where(gone, data["y"] - data["a"] + 5, data["y"])
    data["a"] = np.where(gone, np.nan, data["a"])
    effect = explain(data, "y", "a")
    assert effect.missing.count == gone.sum()
    apart = effect.missing.effect - np.interp(0, effect.x, effect.effect)
    assert apart == pytest.approx(5, abs=0.3)
    assert effect.missing.lower < effect.missing.effect < effect.missing.upper
    moved = effect.relative_to(0.0)
    assert moved.missing.effect == pytest.approx(apart)
    assert effect.plot().texts[0].get_text() == "missing"


def test_a_missing_level_is_a_level():
    data = base(900, c=np.random.default_rng(2).choice(["u", "v", None], size=900))
    data["y"] = data["y"] + np.array([3.0 if c is None else 0.0 for c in data["c"]])
    effect = explain(data, "y", "c")
    assert effect.levels == ("u", "v", "(missing)")
    assert effect.effect[2] - effect.effect[0] == pytest.approx(3, abs=0.3)


def test_dates_have_dates_on_the_axis():
    rng = np.random.default_rng(3)
    day = np.datetime64("2020-01-01") + rng.integers(1000, size=1500)
    grown = (day - np.datetime64("2020-01-01")).astype(float) / 365.25
    effect = explain(base(1500, day=day, y=2 * grown + rng.normal(size=1500)), "y", "day")
    assert effect.x.dtype.kind == "M"
    assert re.match("Each extra year of day goes with about (1.9|2)", effect.summary())


# ---- what is wrong with a column ---------------------------------------------------------------


def test_gaps_break_the_curve_and_name_who_blocks():
    rng = np.random.default_rng(0)
    side = np.repeat(["left", "right"], 600)
    a = np.where(side == "left", -3, 3) + rng.uniform(-1, 1, 1200)
    data = {"a": a, "side": side, "b": rng.normal(size=1200)}
    y = a + np.where(side == "left", 0, 50) + data["b"] + rng.normal(size=1200)
    effect = explain(data, y, "a")
    assert len(effect.gaps) == 1
    gap = effect.gaps[0]
    assert -2.2 < gap.start < -1.9 < 1.9 < gap.stop < 2.2
    assert (gap.reason, gap.blocked_by) == ("no rows", "side")
    assert "gap" in kinds(effect)
    drawn = [line for line in effect.plot().lines if len(line.get_xdata()) > 2]
    curves = [line for line in drawn if line.get_linestyle() == "-"]
    assert [line.get_xdata()[0] for line in curves] == [effect.x[0], gap.stop]


def test_twins_are_named_and_can_move_together():
    data = base(1000)
    data["twin"] = data["a"] + 1e-3 * np.random.default_rng(5).normal(size=1000)
    effect = explain(data, "y", "a")
    assert effect.twins == ("twin",)
    note = effect.notes[kinds(effect).index("twins")]
    assert note.remedy == Remedy("together", ("twin",))
    assert "together" not in note.text
    assert "together=['twin']" in str(note)
    group = explain(data, "y", "a", together=["twin"])
    assert group.twins == ()
    assert np.polyfit(group.x, group.effect, 1)[0] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("values", [(0, 1), ("no", "yes"), (False, True)])
def test_what_a_text_fixes_is_not_explained_however_it_is_written(values):
    rng = np.random.default_rng(0)
    county = rng.integers(0, 20, 600)
    data = {"county": [f"county {k}" for k in county], "coast": [values[k % 2] for k in county]}
    data |= {"u": rng.normal(size=600), "y": county % 2 + rng.normal(size=600)}
    found = pb.effects(data, "y", tidy=False)["coast"]
    assert not found.explained
    assert "'county' fixes it" in found.summary()


def test_a_sum_of_columns_is_a_twin_of_its_parts():
    data = base(1000)
    noise = np.random.default_rng(7).normal(size=1000)
    data["c"] = noise
    data["sum"] = data["a"] + data["b"] + noise / 20
    assert sorted(explain(data, "y", "sum").twins) == ["a", "b"]
    data["sum"] = data["a"] + data["b"]
    fixed = explain(data, "y", "sum")
    assert not fixed.explained
    assert "'a', 'b' fix it" in fixed.summary() or "'b', 'a' fix it" in fixed.summary()
    group = explain(data, "y", "sum", together=["a", "b"])
    assert group.explained


def test_columns_that_fix_one_together_are_told():
    rng = np.random.default_rng(0)
    day, holiday = rng.integers(7, size=2000), rng.random(2000) < 0.1
    data = {"day": day, "holiday": holiday.astype(int), "b": rng.normal(size=2000)}
    work = ((day < 5) & ~holiday).astype(int)
    effect = explain({**data, "work": work}, work + data["b"] + rng.normal(size=2000), "work")
    assert not effect.explained or {"nearly_fixed", "low_share"} & set(kinds(effect))


def test_two_values_of_a_number_are_compared():
    rng = np.random.default_rng(0)
    flag, b = rng.integers(2, size=1000), rng.normal(size=1000)
    effect = explain({"flag": flag, "b": b}, 3.0 * flag + b + rng.normal(size=1000), "flag")
    assert re.match(
        r"With flag = 1, y is about [\d.]+ higher than with 0 \(95 % interval", effect.summary()
    )


def test_places_are_written_as_finely_as_the_axis_asks():
    rng = np.random.default_rng(0)
    year, lat = rng.uniform(1940, 2015, size=2000), rng.uniform(47.1, 47.8, size=2000)
    y = -((year - 1980) ** 2) / 20 - 500 * (lat - 47.52) ** 2 + rng.normal(size=2000)
    found = explain_all({"year": year, "lat": lat}, y)
    assert re.search(r"highest near 19[78]\d", found["year"].summary())
    assert re.search(r"highest near 47\.5\d", found["lat"].summary())


def test_exact_copies_do_not_crash():
    data = base(800)
    data["copy"] = data["a"]
    found = explain_all(data, "y")
    assert found["a"].twins == ("copy",)
    assert "'copy' fixes it" in found["a"].summary()


def test_islands_are_told_and_centred_apart():
    rng = np.random.default_rng(0)
    side = rng.integers(2, size=1500)
    level = np.array(["a", "b", "c", "d"])[2 * side + rng.integers(2, size=1500)]
    data = {"side": side.astype(str), "level": level}
    y = 100.0 * side + (level == "b") - (level == "d") + rng.normal(size=1500) / 10
    effect = explain(data, y, "level")
    assert sorted(np.bincount(effect.island)) == [2, 2]
    assert "islands" in kinds(effect)
    by_level = dict(zip(effect.levels, effect.effect, strict=True))
    assert by_level["b"] - by_level["a"] == pytest.approx(1, abs=0.05)
    assert by_level["d"] - by_level["c"] == pytest.approx(-1, abs=0.05)
    assert abs(by_level["a"] - by_level["c"]) < 2


def test_ids_are_left_alone():
    found = explain_all(base(400, name=[f"n{k}" for k in range(400)]), "y")
    assert not found["name"].explained
    assert "look like an id" in found["name"].summary()
    assert found.ranking[-1] == "name"
    without = explain_all(base(400), "y")
    np.testing.assert_allclose(found["a"].effect, without["a"].effect, atol=1e-8)


def test_a_column_made_from_the_target_is_told():
    data = base(800)
    data["cents"] = 100 * data["y"] + np.random.default_rng(1).normal(size=800) / 10
    assert "leak" in kinds(explain(data, "y", "cents"))
    assert "leak" not in kinds(explain(base(800), "y", "a"))


def test_constant_and_empty_columns_say_so():
    found = explain_all(base(300, same=np.ones(300), gone=np.full(300, np.nan)), "y")
    assert "same value in every row" in found["same"].summary()
    assert "missing in every row" in found["gone"].summary()


def test_few_rows_and_heavy_tails():
    assert "few_rows" in kinds(explain(base(60), "y", "a"))
    data = base(2000)
    data["y"] = data["y"] + 3 * np.random.default_rng(0).standard_cauchy(2000)
    assert "heavy_tails" in kinds(explain(data, "y", "a"))


def test_a_column_that_mostly_cannot_vary_is_told():
    rng = np.random.default_rng(0)
    b = rng.integers(40, size=1200)
    a = np.where((b < 8) & (rng.random(1200) < 0.5), 1.0, 0.0)
    data = {"a": a, "b": b.astype(str)}
    effect = explain(data, a + b + rng.normal(size=1200) / 9, "a")
    assert effect.n_used <= effect.n_rows


def test_one_column_alone_holds_nothing_still():
    x = np.random.default_rng(0).normal(size=300)
    effect = explain({"x": x, "y": x + np.random.default_rng(1).normal(size=300)}, "y", "x")
    assert "nothing_held" in kinds(effect)
    assert np.polyfit(effect.x, effect.effect, 1)[0] == pytest.approx(1, abs=0.2)


# ---- sentences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (lambda a: 3 * a, "Each extra 1 of a goes with about 3"),
        (lambda a: -3 * a, "less y (95 % interval"),
        (lambda a: np.exp(a), "y rises by about"),
        (lambda a: -np.exp(a), "y falls by about"),
        (lambda a: -3 * a**2, "y is highest near "),
        (lambda a: 3 * a**2, "y is lowest near "),
        (lambda a: 5 * (a > 0.5), "a step up of about"),
        (lambda a: 4 * np.sin(4 * a), "y goes up and down: highest near"),
        (lambda a: 0 * a, "No clear effect of a on y (p = "),
    ],
)
def test_shapes_have_their_own_words(curve, words):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-2, 2, size=(2, 3000))
    effect = explain({"a": a, "b": b}, curve(a) + b + rng.normal(size=3000) / 2, "a")
    assert words in effect.summary()
    assert "held still" in effect.summary()
    for cause in ("cause", "leads to", "because", "due to"):
        assert cause not in effect.summary()


def test_where_the_extreme_is_uncertain_values_that_surely_differ_are_named():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-2, 2, size=(2, 3000))
    effect = explain({"a": a, "b": b, "y": 4 * np.sin(4 * a) + b + rng.normal(size=3000)}, "y", "a")
    at = len(effect.x) // 2
    off = np.where(np.arange(len(effect.x)) == at, 100.0, 0.0)
    unsure = replace(
        effect,
        effect=effect.effect - off,
        lower=effect.lower - 10 * off,
        upper=effect.upper + 10 * off,
        covariance=effect.covariance + np.diag((5 * off) ** 2),
    )
    said = re.match(r"At a = (\S+), y is about (\S+) higher than at (\S+) \(", unsure.summary())
    high, apart, low = (float(part) for part in said.groups())
    assert np.sin(4 * high) > 0.9
    assert np.sin(4 * low) < -0.9
    assert apart == pytest.approx(8, rel=0.15)
    assert "how other values differ is less clear" in unsure.summary()


def test_a_step_is_seen():
    x = np.linspace(0, 1, 41)
    even = np.full(41, 1 / 41)
    assert shape_of(x, np.where(x > 0.4, 1.0, 0.0), even, 0 * x).kind == "step"
    assert shape_of(x, -np.sqrt(x), even, 0 * x).kind == "fall"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1019.7, "1,020"), (-0.00012345, "-0.000123"), (1e-9, "1e-09"), (12.0, "12")],
)
def test_numbers_are_written_for_people(value, text):
    assert number(value) == text


def test_a_class_is_spoken_of_as_a_share():
    rng = np.random.default_rng(0)
    kind, z = rng.choice(list("abc"), 2000), rng.normal(size=2000)
    data = {"kind": kind, "z": z, "y": np.where(rng.uniform(size=2000) < 0.5, "no", kind)}
    none = explain(data, "y", "z", class_="no").summary()
    assert none.startswith("No clear effect of z on the share of rows where y is no (p = ")
    some = explain(data, "y", "kind", class_="a").summary()
    assert some.startswith("Across kind, the share of rows where y is a is highest at a")


def test_a_gap_is_told_in_round_numbers():
    x = np.concatenate([np.linspace(0, 10.123, 200), np.linspace(30.456, 40, 200)])
    effect = explain({"x": x, "far": x > 20, "y": 2 * x}, "y", "x")
    (gap,) = [note for note in effect.notes if note.kind == "gap"]
    assert "Between x = 10 and 31 the curve is broken" in gap.text


def test_columns_that_say_nothing_rank_last_and_take_no_share():
    rng = np.random.default_rng(0)
    grade, a = rng.integers(0, 8, 2000), rng.normal(size=2000)
    names = np.array(list("hbfdaceg"))[grade]
    y = grade + a + rng.normal(size=2000)
    found = explain_all({"grade": grade, "name": names, "a": a, "y": y}, target="y")
    assert found.ranking[0] == "a"
    assert found["grade"].twins == ("name",)
    assert found["a"].share == pytest.approx(1)
