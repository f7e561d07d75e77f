"""Which held columns take most of an effect away, against least squares with and without them."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm

import paribus as pb
from paribus.pipeline.absorbing import absorbed
from paribus.pipeline.ranking import ranked
from paribus.table.problem import make_problem


@pytest.fixture(scope="module")
def houses():
    """Return houses whose rooms go with their size, which is what is paid for."""
    rng = np.random.default_rng(0)
    n = 2000
    size = rng.normal(size=n)
    rooms = size + 0.7 * rng.normal(size=n)
    garden = rng.normal(size=n)
    noise = rng.normal(size=n)
    price = 10 * size + 1.5 * rooms + 5 * garden + noise
    return {"size": size, "rooms": rooms, "garden": garden, "price": price}


def test_the_effect_with_and_without_what_takes_it_away(houses):
    found = pb.effects(houses, "price")
    assert [e.feature for e in found.effects if e.absorbed_by] == ["rooms"]
    (taken,) = found["rooms"].absorbed_by
    assert taken.column == "size"
    assert not taken.turns
    spread = np.abs(houses["rooms"] - houses["rooms"].mean()).mean()
    for held, impact in ((("size", "garden"), taken.impact), (("garden",), taken.without)):
        x = np.column_stack([houses[name] for name in ("rooms", *held)])
        slope = sm.OLS(houses["price"], sm.add_constant(x)).fit().params[1]
        assert impact == pytest.approx(abs(slope) * spread, rel=0.1)
    freed = pb.effect(houses, "price", "rooms", together=["size"])
    assert taken.without == pytest.approx(freed.impact)


def test_an_effect_that_turns_round_is_told_in_every_form(houses):
    turned = {**houses, "price": houses["price"] - 4 * houses["rooms"]}
    found = pb.effects(turned, "price")
    (taken,) = found["rooms"].absorbed_by
    assert taken.turns
    said = "With 'size' held still, this effect goes the other way"
    assert said in found["rooms"].remarks()[0]
    assert "together=['size']" in found["rooms"].remarks()[0]
    back = pb.EffectSet.from_dict(found.to_dict())
    assert back["rooms"].absorbed_by == found["rooms"].absorbed_by


def test_nothing_is_taken_away_where_columns_are_independent():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1000, 4))
    data = {f"x{k}": x[:, k] for k in range(4)} | {"y": x @ [1, 2, 0.1, 0] + rng.normal(size=1000)}
    assert not any(e.absorbed_by for e in pb.effects(data, "y").effects)


def test_nothing_is_taken_away_from_what_cannot_be_told(houses):
    """A sum of two others, and a table in which no column goes with the target."""
    rng = np.random.default_rng(2)
    walls = houses["size"] + houses["garden"]
    nothing = {**houses, "walls": walls, "price": rng.normal(size=len(walls))}
    for e in pb.effects(nothing, "price").effects:
        assert e.absorbed_by == ()
    found = pb.effects(houses, "price")
    alone, freed = replace(found["rooms"], impact=0.0, absorbed_by=()), found["size"]
    assert absorbed(alone, freed, "size").absorbed_by
    assert not absorbed(alone, replace(freed, impact=0.0), "size").absorbed_by
    unsure = replace(found["rooms"], share_left=1e-4, p_value=0.3)
    assert unsure.hardly_varies
    assert unsure.absorbed_by
    table = {k: v for k, v in houses.items() if k != "price"}
    (last,) = ranked(make_problem(table, houses["price"]), [unsure], 2000).effects
    assert last.absorbed_by == ()
