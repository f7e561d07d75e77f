"""Ids, codes, cycles, stand-ins for missing values, odd rows; and tables of odd shapes."""

from dataclasses import replace

import numpy as np
import pytest

import paribus as pb
from paribus.estimate.basis import hat_basis
from paribus.table.columns import as_table

from tidy_tables import N, independent

# Ids


def test_ids_are_left_out_and_those_that_repeat_are_asked_about(rng):
    data = independent(rng) | {
        "number": np.arange(N),
        "IDpol": rng.permutation(10**6)[:N],
        "person_id": np.repeat(np.arange(N // 4), 4) * 7,
        "name": [f"name {k}" for k in range(N)],
    }
    check = pb.check(data, "y")
    assert check.plan().left_out == ("number", "IDpol", "person_id", "name")
    asked = [p.column for p in check if "belong together" in p.reason]
    assert asked == ["person_id"]


def test_units_that_are_all_seen_equally_often_are_asked_about(rng):
    data = independent(rng) | {"state": [f"state {k % 30}" for k in range(N)]}
    (asked,) = [p for p in pb.check(data, "y") if p.role == "question"]
    assert asked.column == "state"
    assert "20 rows each" in asked.reason


@pytest.mark.parametrize("name", ["area", "price_index", "year", "key_rate"])
def test_an_amount_that_differs_in_every_row_is_no_id(rng, name):
    data = independent(rng) | {name: rng.permutation(10**6)[:N]}
    assert pb.check(data, "y").plan().left_out == ()


@pytest.mark.parametrize("name", ["state_pop", "store_size", "price_index", "model_year"])
def test_an_amount_of_whole_numbers_is_no_code(rng, name):
    data = independent(rng) | {name: rng.choice([3, 5, 9, 20, 31], N)}
    assert name not in pb.check(data, "y").plan().kinds


# Codes, cycles, stand-ins, odd rows


def test_codes_and_cycles(rng):
    data = independent(rng) | {
        "zipcode": rng.choice([98001, 98055, 98178, 98199], N),
        "hour": rng.integers(0, 24, N),
        "DAY_OF_WEEK": rng.integers(1, 8, N),
        "hours_per_week": rng.integers(1, 24, N),
        "member": rng.integers(0, 2, N),
        "state_tax": rng.integers(3, 9, N),
    }
    plan = pb.check(data, "y").plan()
    assert set(plan.kinds) == {"zipcode", "DAY_OF_WEEK", "member"}
    assert plan.cycles == {"hour": 24, "DAY_OF_WEEK": 7}


def test_values_that_stand_for_missing(rng):
    year = rng.integers(1950, 2015, N)
    year[:200] = 0
    gain = rng.gamma(2, 1000, N).round()
    gain[:9] = 99999
    since = np.datetime64("2015-01-01") + rng.integers(0, 900, N).astype("timedelta64[D]")
    since[:30] = np.datetime64("1900-01-01")
    data = independent(rng) | {"renovated": year, "gain": gain, "since": since}
    check = pb.check(data, "y")
    sentinels = check.plan().sentinels
    assert {k: len(v) for k, v in sentinels.items()} == {"renovated": 1, "gain": 1, "since": 1}
    tidied = check.apply(as_table(data).without("y")).table
    assert np.isnan(tidied["renovated"].values).sum() == 200
    assert np.isnan(tidied["since"].values).sum() == 30
    assert data["renovated"][0] == 0


def days(rng, first, n_days, n=N):
    return np.datetime64(first) + rng.integers(0, n_days, n).astype("timedelta64[D]")


@pytest.mark.parametrize(
    ("code", "rows", "first", "n_days"),
    [
        ("9999-12-31", 1, "2015-01-01", 900),
        ("9999-12-31T23:59:59", 40, "2015-01-01", 900),
        ("9999-01-01", 200, "1990-01-01", 10_000),
        ("2999-12-31", 5, "2015-01-01", 900),
        ("2100-01-01", 5, "2015-01-01", 900),
        ("1900-01-01", 20, "1930-01-01", 27_000),  # birthdays
        ("1899-12-30", 20, "2001-01-01", 5_000),
        ("1970-01-01", 20, "1990-01-01", 11_000),
        ("1753-01-01", 20, "1990-01-01", 11_000),
        ("0001-01-01", 1, "2015-01-01", 900),
        ("9999-12-31", 5, "2020-01-01", 4),  # a handful of days
    ],
)
def test_days_that_stand_for_no_day(rng, code, rows, first, n_days):
    ended = days(rng, first, n_days).astype("datetime64[s]")
    ended[:rows] = np.datetime64(code)
    data = independent(rng) | {"ended": ended}
    check = pb.check(data, "y")
    assert code[:10] in str(check["ended"][0].reason)
    assert np.isnan(check.apply(as_table(data).without("y")).table["ended"].values).sum() == rows


@pytest.mark.parametrize(
    ("code", "rows", "first", "n_days"),
    [
        ("1900-01-01", 5, "1900-01-02", 40_000),  # the first of many
        ("1900-01-01", 2, "2015-01-01", 900),  # an old house, or a mistake: not said often enough
        ("2100-01-01", 5, "2050-01-01", 18_000),  # a forecast
        ("2015-06-01", 50, "2018-01-01", 900),  # apart, but a day as any other
        ("1970-01-01", 5, "1970-01-10", 900),
    ],
)
def test_days_that_are_days(rng, code, rows, first, n_days):
    built = days(rng, first, n_days)
    built[:rows] = np.datetime64(code)
    assert pb.check(independent(rng) | {"built": built}, "y").plan().sentinels == {}


def test_common_stand_ins_are_a_column_of_their_own(rng):
    year = rng.integers(1950, 2015, N).astype(float)
    year[:200] = 0
    year[599] = np.nan
    data = independent(rng) | {"renovated": year}
    check = pb.check(data, "y")
    assert check.plan().flags == {"renovated is 0": "renovated"}
    assert check.plan().along == {"renovated is 0": ("renovated",)}
    flag = check.apply(as_table(data).without("y")).table["renovated is 0"]
    assert flag.levels == (False, True)
    assert flag.values[:200].all()
    assert flag.values[200:599].sum() == 0
    assert np.isnan(flag.values[599])
    assert check.keep("renovated").plan().flags == {}


def test_codes_for_no_answer_are_found_together_and_on_short_scales(rng):
    trust = rng.integers(0, 11, N)
    trust[:30] = np.repeat([77, 88, 99], 10)
    opinion = rng.integers(1, 6, N)
    opinion[30:40] = -9
    data = independent(rng) | {"trust": trust, "opinion": opinion, "rooms": rng.integers(1, 10, N)}
    sentinels = pb.check(data, "y").plan().sentinels
    assert sentinels == {"trust": (99.0, 88.0, 77.0), "opinion": (-9.0,)}


@pytest.mark.parametrize("top", [9, 66])
def test_the_far_end_of_an_amount_is_no_code(rng, top):
    amount = np.sort(np.append(rng.integers(1, 6 if top == 9 else 50, N - 5), [top] * 5))
    assert pb.check(independent(rng) | {"amount": amount}, "y").plan().sentinels == {}


def test_codes_for_no_answer_of_the_target_leave_rows_out(rng):
    data = independent(rng) | {"number": np.arange(N) + 10_001}
    data["y"] = np.where(np.arange(N) < 12, 88, rng.integers(0, 11, N))
    check = pb.check(data, "y")
    assert check.n_rows == N - 12
    assert check["y"][0].reason.startswith("The value 88 (12 rows) stands apart from 0 to 10")
    assert check.plan().left_out == ("number",)
    kept = {name: values[12:] for name, values in data.items()}
    found, expected = (pb.effect(table, "y", "size").effect for table in (data, kept))
    assert np.array_equal(found, expected)
    assert pb.check(data, "y", keep=["y"]).plan().sentinels == {}


def test_none_of_something_is_no_missing_value(rng):
    data = independent(rng) | {
        "children": rng.poisson(2, N),
        "spent": np.where(rng.uniform(size=N) < 0.5, 0, rng.gamma(2, 50, N)),
        "baths": rng.integers(0, 24, N) / 2,
    }
    assert pb.check(data, "y").plan().sentinels == {}


def test_odd_rows_are_named_by_the_callers_numbers(rng):
    data = independent(rng) | {"rooms": rng.integers(1, 14, N).astype(float)}
    data["rooms"][17] = 330
    data["y"][3] = np.nan
    data["y"][40] = 9e5
    check = pb.check(data, "y")
    rows = {p.column: p.rows for p in check if p.role == "rows"}
    assert rows == {"rooms": (17,), "y": (40,)}


def test_offers_for_the_target(rng):
    data = independent(rng) | {"y": rng.lognormal(10, 1, N)}
    assert [p.role for p in pb.check(data, "y")["y"]] == ["question"]
    assert "per cent" in pb.check(data, "y")["y"][0].reason
    data = independent(rng) | {"exposure": rng.uniform(0.1, 1, N), "y": rng.poisson(0.5, N)}
    explained, offered = pb.check(data, "y")["exposure"]
    assert explained.role == "explain"
    assert "would be a rate" in offered.reason
    assert offered.ask == "rate"


def test_classes_rows_without_a_target_and_odd_shapes(rng):
    data = independent(rng) | {"y": rng.choice(["a", "b", "c"], N)}
    assert [p.role for p in pb.check(data, "y")] == ["explain", "explain"]
    array = rng.normal(size=(50, 3))
    assert len(pb.check(array, array[:, 0] + rng.normal(size=50), names=["a", "b", "c"])) >= 3
    two = pb.check({"x": [1.0, 2.0], "z": ["a", "b"], "y": [1.0, 3.0]}, "y")
    assert {p.column for p in two} == {"x", "z"}
    empty = pb.check(
        {"x": [None, None, None], "one": [1, 1, 1], "z": [1, 2, 3], "y": [1, 2, 4]}, "y"
    )
    assert set(empty.plan().left_out) >= {"x", "one"}
    with pytest.raises(pb.InputError, match="no rows with a target"):
        pb.check({"x": [1.0, 2.0], "y": [np.nan, np.nan]}, "y")
    with pytest.raises(pb.InputError, match="no column but the target"):
        pb.check({"y": [1.0, 2.0]}, "y")


@pytest.mark.parametrize("scale", [1e140, 1e-300, 1e15])
def test_any_scale_will_do(rng, scale):
    x = rng.normal(size=N) * scale
    data = independent(rng) | {"x": x, "twice": 2 * x, "z": scale + rng.normal(size=N)}
    assert pb.check(data, "y").plan().groups == (("x", "twice"),)


def test_the_callers_table_is_only_read(rng):
    data = {k: np.asarray(v) for k, v in independent(rng).items()}
    for values in data.values():
        values.setflags(write=False)
    check = pb.check(data, "y")
    check.apply(as_table(data).without("y"))


def test_many_columns_take_seconds(rng):
    import time

    data = {f"x{k}": rng.normal(size=400) for k in range(800)}
    data["y"] = data["x0"] + rng.normal(size=400)
    start = time.process_time()
    check = pb.check(data, "y")
    assert time.process_time() - start < 20
    assert not any(p.is_applied for p in check)


def test_the_curve_of_an_hour_meets_itself_at_midnight(rng):
    hour, z = rng.integers(0, 24, 600), rng.normal(size=600)
    y = np.cos(2 * np.pi * hour / 24) + z + 0.5 * rng.normal(size=600)
    closed = pb.effect({"hour": hour, "z": z}, y, "hour")
    assert closed.x[-1] == 24
    assert closed.effect[-1] == closed.effect[0]
    assert closed.between(0, 24).value == 0
    true = np.cos(2 * np.pi * closed.x / 24)
    true -= np.average(true, weights=closed.weights)
    assert np.abs(closed.effect - true).max() < 0.25
    (note,) = [note for note in closed.notes if note.kind == "round"]
    assert str(note).endswith("Pass keep=['hour'] to undo that.")
    said = closed.summary()
    assert said.startswith("Over the whole circle of hour, y is highest near ")
    assert "near 12, about 2" in said
    open_ = pb.effect({"hour": hour, "z": z}, y, "hour", keep=["hour"])
    assert open_.x[-1] == 23
    night = np.isin(closed.x[:-1], [22, 23, 0, 1])
    width = [e.upper[:24][night] - e.lower[:24][night] for e in (closed, open_)]
    assert np.all(width[0] < width[1])


def test_a_round_bends_at_every_knot_and_nowhere_else():
    knots = np.array([0.0, 1, 3, 4, 6, 7])
    hats = replace(hat_basis(knots, knots), period=8.0)
    wave = np.sin(knots)
    wide = np.concatenate([knots - 8, knots, knots + 8])
    slope = np.diff(np.tile(wave, 3)) / np.diff(wide)
    assert np.allclose(hats.bends() @ wave, np.diff(slope)[5:11])
    assert np.allclose(hats.bends() @ np.ones(6), 0)
    assert np.abs(hats.bends() @ knots).max() > 0.1  # a line does not close


def test_codes_at_both_ends_leave_something_between(rng):
    """Found by fuzzing: either end stands apart from the other, and no value was left."""
    ends = rng.choice([-7, -6, 6, 7], 60)
    y = ends + rng.normal(size=60)
    data = {"x": ends, "z": rng.normal(size=60), "y": y}
    assert not [p for p in pb.check(data, "y") if p.column == "x" and p.values]
    assert pb.effects(data, "y")["x"].explained
