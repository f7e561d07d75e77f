"""What a plan promises: every column that is shown can be explained."""

import numpy as np
import pytest

import paribus as pb

SHOWN = (
    "living", "above", "below", "exper", "country", "continent", "east", "north", "south", "west",
    "warm", "weekday", "holiday", "working", "temp",
)  # fmt: skip


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(11)
    n = 4000
    above, below = rng.integers(500, 3000, n), rng.integers(0, 900, n)
    exper, country, region = rng.integers(0, 40, n), rng.integers(0, 30, n), rng.integers(0, 4, n)
    weekday, holiday = rng.integers(0, 7, n), (rng.uniform(size=n) < 0.08) * 1
    temp = rng.normal(20, 5, n)
    y = (
        3 * exper
        - 0.05 * exper**2
        + 0.02 * (above + below)
        + 2 * (country % 5)
        + rng.normal(0, 5, n)
    )
    return {
        "id": rng.permutation(10**6)[:n],
        "living": above + below,
        "above": above,
        "below": below,
        "exper": exper,
        "expersq": exper**2,
        "country": [f"country {k}" for k in country],
        "continent": [f"continent {k % 5}" for k in country],
        **{name: (region == k) * 1 for k, name in enumerate(("east", "north", "south", "west"))},
        "warm": (region >= 2) * 1,
        "weekday": weekday,
        "holiday": holiday,
        "working": ((weekday < 5) & (holiday == 0)) * 1,
        "temp": temp,
        "felt": temp + rng.normal(0, 0.5, n),
        "half": y / 2,
        "y": y,
    }


@pytest.fixture(scope="module")
def plan(table):
    return pb.check(table, "y").plan()


def test_the_plan_shows_what_an_expert_would(table, plan):
    assert set(plan.left_out) == {"id", "half"}
    assert set(SHOWN) == set(table) - {"y", *plan.left_out, *plan.hidden}


@pytest.mark.parametrize("column", SHOWN)
def test_every_column_shown_can_be_explained(table, plan, column):
    data = {name: values for name, values in table.items() if name not in plan.left_out}
    along = plan.along.get(column, ())
    effect = pb.effect(data, "y", column, together=along, kind=plan.kinds, repeats=1)
    assert effect.explained
    assert not effect.hardly_varies


def test_the_effects_are_the_true_ones(table, plan):
    data = {name: values for name, values in table.items() if name not in plan.left_out}
    for column in ("living", "above", "below"):
        effect = pb.effect(data, "y", column, together=plan.along[column], kind=plan.kinds)
        slope = (effect.effect[-1] - effect.effect[0]) / (effect.x[-1] - effect.x[0])
        assert slope == pytest.approx(0.02, rel=0.1)


def test_effects_do_what_the_look_proposes_and_say_so(table):
    found = pb.effects(table, "y")
    assert set(found.ranking) == set(SHOWN)
    assert found["exper"].group == ("exper", "expersq")
    assert found["exper"].explained
    told = {note.facts["column"] for note in found.notes if note.kind == "tidied"}
    assert {"id", "half", "exper", "living"} <= told
    moved = {name: str(e.notes[0]) for name, e in found.items() if e.notes}
    for name in ("exper", "living"):
        assert moved[name].endswith("The effect is that of the whole group.")
    assert moved["above"].endswith("'living'. It cannot be held still while it varies.")
    assert "cannot be held still" in moved["south"]  # a choice of four, each told of by itself
    with pytest.raises(KeyError, match=r"id: Left out as an id.*keep="):
        _ = found["id"]


def test_what_is_asked_for_is_not_left_out(table):
    effect = pb.effect(table, "y", "id")
    assert effect.feature == "id"
    assert pb.effects(table, "y", features=["exper"], keep=["id"])["exper"].n_held == len(table) - 4


def test_the_table_can_be_taken_as_it_is(table):
    plain = pb.effects(table, "y", tidy=False, features=["half", "temp"])
    assert "half" in plain.ranking
    assert not [note for note in plain.notes if note.kind == "tidied"]


def test_rows_that_lie_far_off_are_told_with_what_they_do():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=300), rng.normal(size=300)
    y = 10 * x + z + 5 * rng.normal(size=300)
    x[7], y[7] = 3.0, 900.0
    said = {n.facts["column"]: n.text for n in pb.effects({"x": x, "z": z, "y": y}, "y").notes}
    assert "The value 900 lies far from all other values: row 8." in said["y"]
    assert "Without it these results would change: x" in said["y"]
