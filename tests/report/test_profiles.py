"""Two profiles compared: the numbers in the page, and what a reader gets out of them."""

import json

import numpy as np
import pytest

import paribus as pb
from paribus.report.page import page_html
from paribus.report.profiles import MOST_STOPS, UNKNOWN, profiles_part
from paribus.report.summary import summarise


@pytest.fixture(scope="module")
def flats():
    """Return effects of a table in which large flats lie in the north alone."""
    rng = np.random.default_rng(0)
    n = 1500
    place = rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2])
    size = np.where(place == "north", rng.uniform(20, 120, n), rng.uniform(20, 60, n)).round()
    age = rng.uniform(0, 50, n)
    rent = 10 * size + 100 * (place == "south") - 3 * age + rng.normal(0, 40, n) + 300
    table = {"size": size, "place": place, "age": age, "rent": rent}
    return pb.effects(table, "rent", n_jobs=1, tidy=False)


def parts(effects):
    return {column["name"]: column for column in profiles_part(effects)["columns"]}


def check_all(effect, part):
    """Compare every difference of two stops with `between`."""
    where = dict(zip(effect.labels, effect.axis, strict=True))
    for i, second in enumerate(part["labels"]):
        for k, first in enumerate(part["labels"][:i]):
            found = effect.between(where[first], where[second])
            value, half = part["effect"][i] - part["effect"][k], part["half"][i][k]
            ends = effect.as_linear(np.array([found.value, found.lower, found.upper]))
            told = [value, value - half, value + half]
            np.testing.assert_allclose(told, ends, rtol=1e-4, atol=1e-4 * np.ptp(effect.linear))


def test_stops_differ_as_between_says(flats):
    found = parts(flats)
    assert list(found) == flats.ranking
    for name, part in found.items():
        assert 3 <= len(part["labels"]) <= MOST_STOPS
        check_all(flats[name], part)


def test_ratios_are_added_up_as_logarithms():
    rng = np.random.default_rng(1)
    x, g = rng.uniform(1, 2, 600), rng.choice(["a", "b"], 600)
    y = np.exp(x + 0.2 * (g == "a") + 0.1 * rng.normal(size=600))
    effects = pb.effects({"x": x, "g": g}, y, target_scale="log", n_jobs=1, tidy=False)
    assert profiles_part(effects)["ratio"]
    for name, part in parts(effects).items():
        check_all(effects[name], part)


def test_values_that_cannot_be_compared_have_no_interval(broken):
    part = parts(broken)["x"]
    low = sum(float(label) < 20 for label in part["labels"])
    assert 0 < low < len(part["labels"])
    assert all(x is None for line in part["half"][low:] for x in line[:low])
    assert part["half"][low - 1][0] is not None


def test_rows_lie_where_their_values_are(flats):
    found = parts(flats)
    size, place = found["size"], found["place"]
    assert place["labels"] == ["north", "south", "west"]
    assert {len(part["rows"]) for part in found.values()} == {1000}
    shares = np.bincount(place["rows"]) / 1000
    np.testing.assert_allclose(shares, [0.5, 0.3, 0.2], atol=0.04)
    south = np.array(size["rows"])[np.array(place["rows"]) == 1]
    limit = np.interp(60, flats["size"].x, flats["size"].weights.cumsum() * 100)
    assert south.max() <= limit + 2
    assert size["place"] == sorted(size["place"])


def test_rows_without_a_value_are_like_no_other(odd):
    unknown = [sum(row == UNKNOWN for row in part["rows"]) for part in parts(odd).values()]
    assert max(unknown) > 0


def test_stored_effects_have_no_rows_to_compare(flats):
    again = pb.EffectSet.from_dict(json.loads(json.dumps(flats.to_dict())))
    assert summarise(again)["profiles"] is None
    assert 'id="profiles"' not in page_html(again)
    assert len(page_html(flats)) - len(page_html(again)) < 100_000
