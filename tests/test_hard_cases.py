"""Cases that once went wrong: repeated rows, columns missing together, weights, fixed levels."""

import json
import pickle

import numpy as np
import pytest

import paribus as pb

from as_it_is import explain, explain_all


def admissions(seed, n=3000):
    """Make a table of categories with a two-valued target, which `group` does not move."""
    rng = np.random.default_rng(seed)
    department = rng.integers(6, size=n)
    group = rng.random(n) < 0.2 + 0.1 * department
    admitted = rng.random(n) < 0.7 - 0.1 * department
    return {"department": department.astype(str), "group": group, "admitted": admitted}


def test_rows_that_repeat_do_not_leak_the_target():
    p = [explain(admissions(s), "admitted", "group", seed=s).p_value for s in range(40)]
    assert np.mean(np.array(p) < 0.05) < 0.18


def test_columns_of_which_a_function_moves_the_target_do_not_make_a_test_too_sure():
    # The target follows `a` and `c` together, the explained column each by itself.
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(5000 + seed)
        a, c, noise, own = rng.normal(size=(4, 2000))
        x, y = a - c + 0.7 * own, np.exp(0.6 * (a - c)) + noise
        p_values.append(explain({"x": x, "a": a, "c": c}, y, "x", seed=seed).p_value)
    assert np.mean(np.array(p_values) < 0.05) < 0.1


def test_columns_missing_in_the_same_rows():
    rng = np.random.default_rng(0)
    a, b, z = rng.normal(size=(3, 1000))
    y = a + b + z + rng.normal(size=1000)
    gone = rng.random(1000) < 0.05
    a[gone], b[gone] = np.nan, np.nan
    effect = explain({"a": a, "b": b, "z": z}, y, "a")
    half = effect.upper - effect.effect
    assert 0.02 < np.median(half) < 0.4
    assert effect.missing is None
    assert "missing_not_comparable" in [note.kind for note in effect.notes]


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_weights_that_are_not_whole_do_not_make_rows(scale):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 1500))
    y = a + b + rng.normal(size=1500)
    weights = scale * rng.uniform(0.5, 1.5, size=1500)
    plain = explain({"a": a, "b": b}, y, "a")
    weighted = explain({"a": a, "b": b}, y, "a", weights=weights)
    ratio = np.median((weighted.upper - weighted.effect) / (plain.upper - plain.effect))
    assert 0.9 < ratio < 1.3
    assert np.polyfit(weighted.x, weighted.effect, 1)[0] == pytest.approx(1, abs=0.15)


def test_levels_that_another_column_separates_are_islands():
    rng = np.random.default_rng(0)
    fine = rng.integers(6, size=2000)
    data = {"fine": fine.astype(str), "coarse": (fine // 2).astype(str), "b": rng.normal(size=2000)}
    y = fine + data["b"] + rng.normal(size=2000) / 5
    effect = explain(data, y, "fine")
    assert sorted(np.bincount(effect.island)) == [2, 2, 2]
    by_level = dict(zip(effect.levels, effect.effect, strict=True))
    for low in ("0", "2", "4"):
        assert by_level[str(int(low) + 1)] - by_level[low] == pytest.approx(1, abs=0.1)
    assert effect.impact < 2
    assert "islands" in [note.kind for note in effect.notes]


def test_one_value_or_missing_is_two_levels():
    rng = np.random.default_rng(0)
    gone = rng.random(800) < 0.4
    b = rng.normal(size=800)
    data = {"paid": np.where(gone, np.nan, 1.0), "b": b}
    effect = explain(data, 5.0 * gone + b + rng.normal(size=800) / 3, "paid")
    assert effect.levels == (1, "(missing)")
    assert effect.effect[1] - effect.effect[0] == pytest.approx(5, abs=0.2)


def test_anchors_with_islands_and_missing_values():
    rng = np.random.default_rng(0)
    side = rng.integers(2, size=1500)
    level = np.array(["a", "b", "c", "d"])[2 * side + rng.integers(2, size=1500)]
    y = 100.0 * side + (level == "b") + rng.normal(size=1500) / 10
    bars = explain({"side": side.astype(str), "level": level}, y, "level")
    moved = bars.relative_to("a")
    by_level = dict(zip(moved.levels, moved.effect, strict=True))
    assert by_level["a"] == 0
    assert by_level["b"] == pytest.approx(1, abs=0.05)
    before = dict(zip(bars.levels, bars.effect, strict=True))
    assert (by_level["c"], by_level["d"]) == (before["c"], before["d"])
    a, b = rng.normal(size=(2, 1200))
    y = a + b + rng.normal(size=1200)
    a[:200] = np.nan
    curve = explain({"a": a, "b": b}, y, "a")
    again = curve.relative_to("left").relative_to("mean")
    np.testing.assert_allclose(again.effect, curve.effect, atol=1e-9)
    assert again.missing.effect == pytest.approx(curve.missing.effect)


def test_results_can_be_pickled_and_leave_their_data_behind():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 20_000))
    found = explain_all({"a": a, "b": b}, a + b)
    packed = pickle.dumps(found)
    assert len(packed) < 500_000
    np.testing.assert_array_equal(pickle.loads(packed)["a"].effect, found["a"].effect)  # noqa: S301


def test_gaps_between_dates_are_stored():
    rng = np.random.default_rng(0)
    side = np.repeat(["old", "new"], 500)
    day = np.where(side == "old", 0, 1000) + rng.integers(100, size=1000)
    data = {"day": np.datetime64("2015-01-01") + day, "side": side}
    effect = explain(data, day / 50 + 9.0 * (side == "new") + rng.normal(size=1000), "day")
    assert len(effect.gaps) == 1
    again = pb.NumericEffect.from_dict(json.loads(json.dumps(effect.to_dict())))
    assert again.gaps == effect.gaps
    again.plot()


def test_columns_that_are_not_held_may_move_along():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    data = {"a": a, "b": b, "name": [f"n{k}" for k in range(300)], "same": np.ones(300)}
    effect = explain(data, a + b + rng.normal(size=300), "a", together=["name", "same"])
    assert effect.explained


def test_an_unknown_effect_names_the_nearest():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    found = explain_all({"height": a, "b": b}, a + b)
    with pytest.raises(KeyError, match="Did you mean 'height'"):
        _ = found["heigth"]


def test_a_category_fixed_by_a_number_names_it():
    rng = np.random.default_rng(0)
    years = rng.integers(8, 17, size=1500)
    data = {
        "years": years,
        "school": np.char.add("s", years.astype(str)),
        "b": rng.normal(size=1500),
    }
    effect = explain(data, years + data["b"] + rng.normal(size=1500), "school")
    assert not effect.explained
    assert effect.twins == ("years",)
