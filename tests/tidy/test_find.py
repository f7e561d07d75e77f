"""Columns that say the same thing, and columns made from the target: a table for each sort."""

import numpy as np
import pytest

import paribus as pb

from tidy_tables import N, independent


def roles(check, column):
    return {p.role for p in check[column]}


def test_a_plain_table_is_left_alone(rng):
    check = pb.check(independent(rng), "y")
    assert [p.role for p in check] == ["explain", "explain"]
    plan = check.plan()
    assert (plan.left_out, plan.groups, plan.along, plan.kinds) == ((), (), {}, {})


@pytest.mark.parametrize("n", [20, 40, 49])
def test_few_rows_prove_nothing(rng, n):
    data = {name: rng.normal(size=n) for name in "abcdef"} | {"y": rng.normal(size=n)}
    assert all(p.role == "explain" and not p.members for p in pb.check(data, "y"))


# Columns that say the same thing


@pytest.mark.parametrize(
    ("made", "form"),
    [
        (np.log, "the logarithm of"),
        (np.square, "the square of"),
        (lambda x: 2.54 * x + 1, "in another unit"),
        (lambda x: 1 / x, "the inverse of"),
    ],
)
def test_a_transformation_joins_its_column(rng, made, form):
    data = independent(rng) | {"plain": rng.lognormal(2, 0.5, N)}
    data["made"] = made(data["plain"])
    check = pb.check(data, "y")
    assert check.plan().groups == (("plain", "made"),)
    assert form in check["made"][0].reason
    assert check.plan().along["plain"] == ("made",)
    assert check.plan().hidden == {"made"}


def test_the_raw_column_is_named_wherever_it_stands(rng):
    data = {"lincome": None, **independent(rng), "income": rng.lognormal(3, 1, N).round(1)}
    data["lincome"] = np.log(data["income"])
    assert pb.check(data, "y").plan().groups == (("income", "lincome"),)


def test_a_square_that_turns_is_found(rng):
    data = independent(rng) | {"x": rng.normal(size=N)}
    data["xsq"] = data["x"] ** 2
    assert pb.check(data, "y").plan().groups == (("x", "xsq"),)


def test_a_name_is_chosen_before_its_code(rng):
    code = rng.integers(1, 9, N)
    data = independent(rng) | {
        "code": code,
        "town": np.array([f"town {k}" for k in range(9)])[code],
    }
    assert pb.check(data, "y").plan().groups == (("town", "code"),)


def test_a_number_written_as_text_joins_the_number(rng):
    size = rng.integers(0, 9000, N) / 4
    data = {"text": size.astype(str)} | independent(rng) | {"number": size}
    data["text"][:300] = data["text"][300:]
    data["number"][:300] = data["number"][300:]
    assert pb.check(data, "y").plan().groups == (("number", "text"),)


def test_the_order_of_the_rows_does_not_matter(rng):
    n = 15_000
    data = independent(rng, n) | {"x": rng.normal(size=n), "month": rng.integers(1, 13, n)}
    data["twin"] = data["x"] + rng.normal(0, 0.16, n)
    data["x"][rng.permutation(n)[:5]] = 1e4
    order = rng.permutation(n)
    mixed = {name: np.asarray(values)[order] for name, values in data.items()}
    first, second = pb.check(data, "y"), pb.check(mixed, "y")
    assert first.plan().groups == second.plan().groups == (("x", "twin"),)
    for one, other in zip(first, second, strict=True):
        assert (one.column, one.role, one.strength) == (other.column, other.role, other.strength)
        assert sorted(order[list(other.rows)]) == list(one.rows)


def test_near_twins_are_a_group_and_a_chain_of_them_is_not(rng):
    steps = rng.normal(size=(4, N)) * 0.18
    chain = np.cumsum([rng.normal(size=N), *steps], axis=0)
    data = independent(rng) | {f"x{k}": x for k, x in enumerate(chain)}
    groups = pb.check(data, "y").plan().groups
    assert groups
    for group in groups:
        ranks = np.corrcoef([np.argsort(np.argsort(data[m])) for m in group])
        assert ranks.min() > 0.97
    assert max(map(len, groups)) < 5


def test_a_whole_stands_for_its_parts_which_are_shown_apart(rng):
    above, below = rng.integers(300, 3000, N), rng.integers(0, 900, N)
    data = independent(rng) | {"above": above, "below": below, "living": above + below}
    plan = pb.check(data, "y").plan()
    assert plan.groups == (("living", "above", "below"),)
    assert plan.apart == ("above", "below")
    assert plan.along == {
        "living": ("above", "below"),
        "above": ("living",),
        "below": ("living",),
    }
    assert plan.hidden == frozenset()


def test_a_constant_in_a_sum_is_told(rng):
    educ, exper = rng.integers(8, 18, N), rng.integers(0, 30, N)
    data = independent(rng) | {"educ": educ, "exper": exper, "age": educ + exper + 6}
    assert "Column age is educ + exper + 6 in every row" in pb.check(data, "y")["age"][0].reason


def test_a_copy_moves_with_a_part_of_a_sum(rng):
    educ, exper = rng.integers(8, 18, N), rng.integers(0, 30, N)
    data = independent(rng) | {"educ": educ, "exper": exper, "age": educ + exper + 6}
    data["expersq"] = exper**2
    along = pb.check(data, "y").plan().along
    assert set(along["age"]) == {"educ", "exper", "expersq"}
    assert set(along["exper"]) == {"age", "expersq"}


@pytest.mark.parametrize("kind", [int, bool])
def test_of_dummies_each_moves_with_the_others(rng, kind):
    choice = rng.integers(0, 4, N)
    data = independent(rng) | {f"is{k}": (choice == k).astype(kind) for k in range(4)}
    plan = pb.check(data, "y").plan()
    assert plan.along["is2"] == ("is0", "is1", "is3")
    assert plan.groups == ()


def test_dummies_join_the_column_they_mark(rng):
    year = rng.integers(1998, 2002, N)
    data = independent(rng) | {"year": year} | {f"y{k}": (year == k) * 1 for k in (1999, 2000)}
    assert pb.check(data, "y").plan().groups == (("year", "y1999", "y2000"),)


def test_a_few_rows_at_one_end_are_cut_from_an_order(rng):
    rank = rng.permutation(190)[:150]
    data = independent(rng, 150) | {"rank": rank, "top10": (rank <= 12) * 1}
    assert pb.check(data, "y").plan().groups == (("rank", "top10"),)


def test_the_closest_twins_are_joined_first(rng):
    mean, late = rng.normal(size=(2, N))
    late = mean + 0.195 * late
    data = independent(rng)
    for name, x in (("mean", mean), ("late", late)):
        data |= {f"{name}{k}": x + 0.05 * rng.normal(size=N) for k in range(3)}
    groups = pb.check(data, "y").plan().groups
    assert groups == (("mean0", "mean1", "mean2"), ("late0", "late1", "late2"))


def test_a_law_is_no_other_way_to_write_the_time(rng):
    month = rng.integers(0, 120, N)
    data = independent(rng) | {"time": month, "law": (month > 60) * 1}
    plan = pb.check(data, "y").plan()
    assert plan.groups == ()
    assert plan.along == {"law": ("time",), "time": ("law",)}


def test_a_coarser_category_moves_along_with_the_finer(rng):
    country = rng.integers(0, 40, N)
    data = independent(rng) | {
        "country": [f"country {k}" for k in country],
        "continent": [f"continent {k % 5}" for k in country],
    }
    plan = pb.check(data, "y").plan()
    assert plan.groups == ()
    assert plan.along == {"continent": ("country",), "country": ("continent",)}


def test_what_fixes_the_steps_of_a_column_does_not_fix_the_column(rng):
    x = rng.uniform(0, 10, N)
    shop = np.where(x > 5, rng.integers(0, 3, N), rng.integers(3, 6, N))
    data = independent(rng) | {"x": x, "side": (x > 5) * 1, "shop": [f"shop {k}" for k in shop]}
    plan = pb.check(data, "y").plan()
    assert plan.groups == (("x", "side"),)
    assert plan.along == {"x": ("side",)}


def test_a_date_stands_for_its_year_and_moves_with_its_month(rng):
    day = np.datetime64("2019-01-01") + rng.integers(0, 1000, N).astype("timedelta64[D]")
    year = day.astype("datetime64[Y]").astype(int) + 1970
    month = day.astype("datetime64[M]").astype(int) % 12 + 1
    plan = pb.check(independent(rng) | {"day": day, "year": year, "month": month}, "y").plan()
    assert plan.groups == (("day", "year"),)
    assert "day" in plan.along["month"]
    assert plan.cycles == {"month": 12}


def test_two_columns_can_fix_a_third(rng):
    weekday, holiday = rng.integers(0, 7, 3000), (rng.uniform(size=3000) < 0.05) * 1
    working = ((weekday < 5) & (holiday == 0)) * 1
    data = independent(rng, 3000) | {"weekday": weekday, "holiday": holiday, "working": working}
    assert pb.check(data, "y").plan().along == {"working": ("weekday", "holiday")}


def test_values_that_only_miss_together_do_not_follow_from_each_other(rng):
    gone = rng.uniform(size=N) < 0.2
    data = independent(rng)
    for name in ("a", "b"):
        data[name] = np.where(gone, np.nan, rng.normal(size=N))
    plan = pb.check(data, "y").plan()
    assert (plan.groups, plan.along) == ((), {})


def test_an_interaction_made_by_hand_is_left_out(rng):
    late, near = rng.integers(0, 2, (2, N))
    data = independent(rng) | {"late": late, "near": near, "both": late * near}
    check = pb.check(data, "y")
    assert check.plan().left_out == ("both",)
    assert "late times near" in check["both"][0].reason or "near times late" in str(check["both"])


# Columns made from the target


def test_a_function_of_the_target_and_its_copies_are_left_out(rng):
    data = independent(rng) | {"y": rng.lognormal(3, 0.5, N)}
    data |= {"ly": np.log(data["y"]), "high": (data["y"] > 20) * 1, "sqly": np.log(data["y"]) ** 3}
    assert set(pb.check(data, "y").plan().left_out) == {"ly", "high", "sqly"}


def test_parts_that_add_up_to_the_target_are_left_out(rng):
    casual, registered = rng.poisson(20, N), rng.poisson(90, N)
    data = independent(rng) | {"a": casual, "b": registered, "y": casual + registered}
    check = pb.check(data, "y")
    assert check.plan().left_out == ("a", "b")
    assert "Column y is a + b in every row" in check["a"][0].reason


def test_what_is_taken_off_may_stay(rng):
    planned = rng.integers(60, 300, N)
    taken = planned + rng.integers(-10, 40, N)
    data = independent(rng) | {"planned": planned, "taken": taken, "y": taken - planned}
    assert pb.check(data, "y").plan().left_out == ("taken",)


def test_the_numerator_of_a_ratio_is_left_out(rng):
    hours, pay = rng.uniform(500, 2500, N), rng.lognormal(10, 0.5, N)
    data = independent(rng) | {"pay": pay, "hours": hours, "y": pay / hours}
    check = pb.check(data, "y")
    assert check.plan().left_out == ("pay",)
    assert "y is pay / hours" in check["pay"][0].reason


def test_of_a_share_and_its_base_the_share_is_left_out(rng):
    total, y = rng.lognormal(8, 1, (2, N))
    data = independent(rng) | {"total": total, "percy": 100 * y / total, "y": y}
    assert pb.check(data, "y").plan().left_out == ("percy",)


def test_an_amount_that_exists_only_with_the_target_is_left_out(rng):
    claims = rng.poisson(0.2, 3000)
    paid = np.where((claims > 0) & (rng.uniform(size=3000) < 0.8), rng.gamma(2, 500, 3000), 0)
    data = independent(rng, 3000) | {"paid": paid, "y": claims}
    check = pb.check(data, "y")
    assert check.plan().left_out == ("paid",)
    assert "paid is above 0 only where y is at least 1" in check["paid"][0].reason


def test_what_only_a_cheap_kind_has_is_no_leak(rng):
    small = rng.uniform(size=3000) < 0.3
    price = np.where(small, rng.uniform(1, 40, 3000), rng.uniform(5, 300, 3000))
    option = np.where(small, rng.choice(["yes", "no"], 3000), None)
    data = independent(rng, 3000) | {"kind": np.where(small, "small", "large"), "option": option}
    assert pb.check(data | {"y": price}, "y").plan().left_out == ()


def test_a_rounded_ratio_is_a_ratio_beside_copies_of_its_parts(rng):
    hours, pay = rng.integers(500, 2500, N).astype(float), rng.lognormal(10, 0.5, N).round(2)
    data = independent(rng) | {"pay": pay, "hours": hours, "lhours": np.log(hours)}
    assert pb.check(data | {"y": (pay / hours).round(2)}, "y").plan().left_out == ("pay",)


def test_a_reason_given_only_for_one_class_is_left_out(rng):
    gone = rng.uniform(size=N) < 0.4
    reason = np.where(gone & (rng.uniform(size=N) < 0.7), rng.choice(["price", "moved"], N), None)
    data = independent(rng) | {"reason": reason, "y": np.where(gone, "left", "stayed")}
    check = pb.check(data, "y")
    assert check.plan().left_out == ("reason",)
    assert "only where y is left" in check["reason"][0].reason


def test_a_near_certain_column_is_a_question_unless_its_name_tells(rng):
    data = independent(rng) | {"y": rng.normal(50, 10, N)}
    almost = data["y"] + rng.normal(0, 0.8, N)
    asked = pb.check(data | {"other": almost}, "y")
    assert asked.plan().left_out == ()
    assert roles(asked, "other") == {"question", "explain"}
    data = {("price" if k == "y" else k): v for k, v in data.items()}
    assert pb.check(data | {"rprice": almost}, "price").plan().left_out == ("rprice",)


def test_what_was_known_before_is_only_asked_about(rng):
    price = rng.normal(50, 10, N)
    data = independent(rng) | {"price": price, "price_lag": price + rng.normal(0, 0.8, N)}
    check = pb.check(data, "price")
    assert check.plan().left_out == ()
    assert "question" in roles(check, "price_lag")


def test_the_last_column_is_never_left_out():
    x = np.arange(100.0) ** 1.5
    assert pb.check({"x": x, "y": np.log1p(x)}, "y").plan().left_out == ()


def test_two_times_of_day_that_give_the_target(rng):
    due = rng.integers(0, 1440, N)
    late = rng.integers(-20, 90, N)
    came = (due + late) % 1440
    clock = {k: v // 60 * 100 + v % 60 for k, v in (("sched_time", due), ("arr_time", came))}
    assert pb.check(independent(rng) | clock | {"y": late}, "y").plan().left_out == ("arr_time",)


def test_a_hint_where_a_name_speaks_of_afterwards(rng):
    data = independent(rng)
    data["final_status"] = np.digitize(data["y"] + rng.normal(0, 8, N), [90, 100, 110])
    hint = [p for p in pb.check(data, "y")["final_status"] if p.role == "question"]
    assert len(hint) == 1
    assert hint[0].strength == "hint"
    assert not hint[0].is_applied


@pytest.mark.parametrize(("room", "done"), [(0.0, "leave out"), (2.0, "question")])
def test_two_values_that_the_target_separates_are_a_leak_where_they_touch(room, done):
    rng = np.random.default_rng(0)
    sort = rng.integers(0, 2, 1000)
    mass = np.where(sort == 1, rng.uniform(1 + room, 2 + room, 1000), rng.uniform(0, 1, 1000))
    data = {"sort": sort, "length": mass + rng.normal(size=1000), "mass": mass}
    assert done in {p.role for p in pb.check(data, "mass")["sort"]}
