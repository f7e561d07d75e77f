"""The effect in each group of rows, and the differences between groups."""

import json
import re

import numpy as np
import pytest
import statsmodels.api as sm

import paribus as pb
from paribus.results.text import groups_table
from paribus.results.words import number

RNG = np.random.default_rng(5)
N = 2400
PLACE = RNG.choice(["city", "country", "coast"], N, p=[0.5, 0.3, 0.2])
AGE = RNG.uniform(20, 80, N)
SIZE = RNG.normal(10, 3, N) + (PLACE == "city")
SLOPE = np.where(PLACE == "city", 3.0, 1.0)
DATA = {"size": SIZE, "age": AGE, "place": PLACE}
PRICE = SLOPE * SIZE + 0.2 * AGE + 2 * (PLACE == "coast") + RNG.normal(size=N)


@pytest.fixture(scope="module")
def size():
    return pb.effect(DATA, PRICE, "size", by="place")


def test_differences_are_those_of_least_squares_with_interactions(size):
    """The effects are linear, so plain regression with interactions knows the answer."""
    city = (PLACE == "city").astype(float)
    coast = (PLACE == "coast").astype(float)
    X = np.column_stack([SIZE, AGE, city, coast, city * SIZE, coast * SIZE])
    fit = sm.OLS(PRICE, sm.add_constant(X)).fit(cov_type="HC3")
    (coast_less, country_less) = size.by.differences
    assert (coast_less.group, country_less.group) == ("coast", "country")
    assert size.by.reference == "city"
    for apart, own in ((country_less, -fit.params[5]), (coast_less, fit.params[6] - fit.params[5])):
        assert apart.value == pytest.approx(own, abs=0.05)
        assert apart.lower < -2 < apart.upper
    assert country_less.se == pytest.approx(fit.bse[5], rel=0.35)


def test_groups_that_do_not_differ_are_not_told_apart():
    x, z = RNG.normal(size=(2, 1500))
    g = RNG.choice(["a", "b"], 1500)
    y = np.sin(x) + z + RNG.normal(size=1500)
    by = pb.effect({"x": x, "z": z, "g": g}, y, "x", by="g").by
    assert by.p_value > 0.05
    assert not by.differs
    assert "does not clearly differ" in by.summary()


def test_sentence_names_both_slopes_and_the_difference():
    two = PLACE != "coast"
    data = {name: values[two] for name, values in DATA.items()}
    text = pb.effect(data, PRICE[two], "size", by="place").by.summary()
    assert text.startswith("Each extra 1 of size goes with ")
    for words in ("more y with place = city", "place = country", "difference ", "% interval"):
        assert words in text


def test_a_number_is_cut_into_thirds_or_as_asked():
    thirds = pb.effect(DATA, PRICE, "size", by="age").by
    low, high = np.quantile(AGE, [1 / 3, 2 / 3])
    assert thirds.cuts == pytest.approx([low, high], abs=0.1)
    assert [e.n_rows for e in thirds.effects] == pytest.approx([N / 3] * 3, abs=2)
    asked = pb.effect(DATA, PRICE, "size", by={"age": [30, 50]}).by
    assert asked.labels == ("up to 30", "30 to 50", "above 50")
    assert asked["up to 30"].n_rows == np.count_nonzero(AGE <= 30)


def test_sentence_and_table_count_by_the_same_step_and_name_groups_of_a_number():
    data = {"area": 1000 * SIZE, "age": AGE, "place": PLACE}
    y = np.where(AGE > 50, 3.0, 1.0) * SIZE + np.random.default_rng(6).normal(size=N)
    by = pb.effect(data, y, "area", by={"age": [30, 50]}).by
    assert by.summary().startswith("Each extra 1,000 of area goes with ")
    assert "more y with age up to 30, " in by.summary()
    assert " more with age above 50; the groups differ (p < 0.001)" in by.summary()
    head, young, *_ = groups_table(by)
    assert head[:6] == ["age", "rows", "each extra 1,000", "lower", "upper", "difference"]
    slope = by.contrasts("up to 30")["each extra 1"]
    assert young[2:5] == [number(1000 * v) for v in (slope.value, slope.lower, slope.upper)]
    assert young[5] == number(1000 * by.differences[0].value)


def test_levels_by_group():
    kind = np.where(SIZE + RNG.normal(size=N) > 10, "house", "flat")
    y = np.where(PLACE == "city", 5.0, 1.0) * (kind == "house") + 0.2 * AGE + RNG.normal(size=N)
    by = pb.effect({"kind": kind, "age": AGE, "place": PLACE}, y, "kind", by="place").by
    apart = {d.group: d for d in by.differences}
    sign = 1 if apart["country"].at == "house rather than flat" else -1
    assert apart["country"].lower < -4 * sign < apart["country"].upper
    assert by.p_value < 0.001
    assert "rather than" in by.summary()


def test_two_values_are_drawn_as_one_difference_a_group():
    big = np.where(SIZE > 10, "big", "small")
    by = pb.effect({**DATA, "size": big}, PRICE, "size", by="place").by
    ax = by.plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["city", "coast", "country"]
    drawn = ax.lines[-1].get_xdata()
    assert drawn == pytest.approx([c.value for g in by for c in by.contrasts(g).values()])
    assert ax.get_xlabel() == "y: size = small rather than big"
    rows = by.chart().to_dict()["datasets"]["points"]
    assert [row["effect"] for row in rows] == pytest.approx(drawn)
    assert len(by.plot_each().axes) == 1


def test_both_painters_draw_the_same_groups(size):
    rng = np.random.default_rng(3)
    x = rng.choice([-1.0, 1.0], N) * rng.uniform(1, 3, N)
    z = (x > 0) + rng.integers(0, 2, N) * 2  # holds both sides of the gap apart
    g, kind = rng.choice(["a", "b"], N), rng.choice(["low", "mid", "top"], N)
    worth = {"low": 0, "mid": 5, "top": 2}
    y = x**2 * (g == "a") + np.array([worth[k] for k in kind]) + rng.normal(size=N)
    data = {"x": x, "z": z, "g": g, "kind": kind}
    broken, levels = (pb.effect(data, y, c, by="g", tidy=False).by for c in ("x", "kind"))
    assert broken["a"].gaps
    for by, on_x in ((size.by, "x"), (broken, "x"), (levels, "effect")):
        ax, spec = by.plot(), by.chart().to_dict()
        rows = spec["datasets"]["points"]
        lines = [line for line in ax.lines if not line.get_label().startswith("_")]
        assert [line.get_label() for line in lines] == list(by)
        assert list(dict.fromkeys(row["who"] for row in rows)) == [by.named(label) for label in by]
        for label, line in zip(by, lines, strict=True):
            own = [row for row in rows if row["who"] == by.named(label)]
            drawn = line.get_xdata() if on_x == "effect" else line.get_ydata()
            breaks = np.flatnonzero(np.isnan(drawn))
            assert [row["effect"] for row in own] == drawn[~np.isnan(drawn)].tolist()
            assert len({row["piece"] for row in own}) == 1 + len(breaks) == 1 + (by is broken)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["mid", "top", "low"]
    assert json.dumps(spec).count('["mid", "top", "low"]') > 0


def test_groups_are_those_of_the_rows_alone(size):
    """A group's effect is what the group's rows alone would give, centred elsewhere."""
    rows = np.flatnonzero(PLACE == "country")
    alone = pb.effect({k: v[rows] for k, v in DATA.items()}, PRICE[rows], "size")
    mine = size.by["country"]
    assert mine.n_rows == len(rows)
    assert mine.average_slope().value == pytest.approx(alone.average_slope().value, abs=0.02)


def test_rare_levels_are_one_group_and_missing_is_one():
    codes = RNG.integers(0, 40, N).astype(str)
    codes[:1900] = "common"
    town = codes.astype(object)
    town[1900:2000] = None
    by = pb.effect({"size": SIZE, "town": town}, PRICE, "size", by="town").by
    assert by.labels == ("common", "(others)", "(missing)")
    assert by["(missing)"].n_rows == 100


def test_curves_by_thirds_of_a_number_compare_its_ends_and_draw_no_few_missing():
    rng = np.random.default_rng(8)
    x, age = rng.uniform(-2, 2, (2, N))
    y = np.cos(2 * x) * (age > 0.6) + 0.3 * rng.normal(size=N)
    age[:60] = np.nan
    by = pb.effect({"x": x, "age": age}, y, "x", by="age", tidy=False).by
    low, middle, high, missing = by.labels
    assert missing == "(missing)"
    assert f"with age {high} than with {low}" in by.summary()
    assert [t.get_text() for t in by.plot().get_legend().get_texts()] == [low, middle, high]


def test_a_ninth_level_is_a_group_by_its_own_name():
    kind = np.array([*"abcdefghi"])[np.arange(N) % 9]
    by = pb.effect({"size": SIZE, "kind": kind}, PRICE, "size", by="kind", tidy=False).by
    assert by.labels == tuple("abcdefghi")


@pytest.mark.parametrize(
    ("by", "match"),
    [
        ("plaec", "Did you mean 'place'"),
        ("size", "by groups of itself"),
        ({"place": [1, 2]}, "is a category"),
        ({"age": [50, 30]}, "ascending cut points"),
        ({"age": [np.nan]}, "ascending cut points"),
        ({"age": [30, np.inf]}, "ascending cut points"),
        (3, "name of a column"),
    ],
)
def test_what_cannot_be_grouped_is_said(by, match):
    with pytest.raises(pb.InputError, match=match):
        pb.effect(DATA, PRICE, "size", by=by)


def test_one_group_is_none():
    data = {**DATA, "same": np.array(["a"] * (N - 5) + ["b"] * 5)}
    with pytest.raises(pb.InputError, match="one group of 'same' only"):
        pb.effect(data, PRICE, "size", by="same", tidy=False)


@pytest.mark.parametrize("by", ["none", {"none": [1.0]}])
def test_a_column_without_values_makes_no_groups(by):
    data = {**DATA, "none": np.full(N, np.nan)}
    with pytest.raises(pb.InputError, match="one group of 'none' only"):
        pb.effect(data, PRICE, "size", by=by, tidy=False)


def test_levels_may_have_any_name():
    kind = np.where(AGE > 50, "this rather than that", "other")
    kind[RNG.random(N) < 0.3] = "other"
    y = SLOPE * (kind == "other") + RNG.normal(size=N) / 10
    by = pb.effect({"kind": kind, "age": AGE, "place": PLACE}, y, "kind", by="place").by
    assert "With kind = this rather than that rather than other, y is" in by.summary()


def test_groups_without_values_in_common_stand_side_by_side():
    g = np.where(SIZE > 10, "large", "small")
    by = pb.effect({"size": SIZE, "g": g}, PRICE, "size", by="g", tidy=False).by
    again = pb.ByGroup.from_dict(json.loads(json.dumps(by.to_dict())))
    assert not by.differs
    assert not again.differs
    assert str(by).count("no values of 'size' in common") == 1
    assert np.isnan(by.p_value)
    assert by.differences == ()
    assert "no values of 'size' in common" in by.summary()
    assert by.plot() is not None
    with pytest.raises(pb.InputError, match="no values of 'size' in common"):
        by.between("large", "small")


def test_stored_and_read_back(size):
    again = pb.NumericEffect.from_dict(json.loads(json.dumps(size.to_dict())))
    assert again.by.summary() == size.by.summary()
    assert again.by.differences == size.by.differences
    assert again.by.points == size.by.points


def test_any_two_groups_can_be_compared(size):
    (one,) = size.by.between("city", "country")
    (other,) = size.by.between("country", "city")
    assert (one.value, one.lower) == (-other.value, -other.upper)
    with pytest.raises(pb.InputError, match="no group 'town'"):
        size.by.between("city", "town")


def test_sampling_weights_and_clusters_are_heeded():
    shop = RNG.integers(0, 60, N)
    noise = RNG.normal(size=60)[shop]
    data = {**DATA, "shop": shop, "w": RNG.uniform(0.5, 2, N)}
    given = {"by": "place", "weights": "w", "cluster": "shop"}
    by = pb.effect(data, PRICE + noise, "size", **given).by
    assert by["city"].df.max() < 60
    assert by.notes[0].kind == "clusters_across"


def test_every_column_has_groups_but_the_one_they_are_made_of():
    every = pb.effects(DATA, PRICE, by="place")
    assert every["place"].by is None
    assert every["size"].by.labels == every["age"].by.labels == ("city", "coast", "country")
    assert "By place: Each extra 1 of size" in every.summary()
    assert "<strong>By place</strong>" in every["size"]._repr_html_()
    drawn = [len(ax.get_legend().get_texts()) for ax in every.plot().axes if ax.get_legend()]
    assert drawn == [3, 3]


def test_in_batches_groups_are_those_in_memory(tmp_path):
    import polars as pl

    file = tmp_path / "houses.parquet"
    town = np.where(np.arange(N) % 20 == 0, None, PLACE.astype(object))
    table = pl.DataFrame({**DATA, "place": town.tolist(), "price": PRICE})
    table.write_parquet(file)
    for by in ("place", "age"):
        whole = pb.effect(table, "price", "size", by=by, tidy=False).by
        parts = pb.effect([str(file)], "price", "size", by=by, sample_rows=1500).by
        assert parts.labels == whole.labels or by == "age"
        assert len(parts) == len(whole) == (4 if by == "place" else 3)
        assert sum(e.n_rows for e in parts.effects) == N
        for group, other in zip(whole.labels, parts.labels, strict=True):
            mine, theirs = (
                b.contrasts(g)["each extra 1"] for b, g in ((whole, group), (parts, other))
            )
            assert mine.value == pytest.approx(theirs.value, abs=4 * mine.se)


def test_who_differs_shows_the_groups_of_the_column_found():
    """The column was found by a search: its p-value is that of the search, nothing is tested."""
    every = pb.effects(DATA, PRICE)
    assert "place" in every["size"].differs.columns
    found = every.who_differs()["size"].by
    assert (found.column, found.chosen, found.differences) == ("place", True, ())
    (searched,) = (one for one in every["size"].differs.by if one.columns == ("place",))
    assert found.p_value == searched.p_value
    assert found.title == "Who differs: by place"
    assert every.who_differs(most=0)["size"].by is None


def test_groups_of_a_number_have_names_of_their_own_whatever_lies_far_off():
    rng = np.random.default_rng(0)
    x, place = rng.normal(size=600), -73.98 + 0.02 * rng.normal(size=600)
    place[:3] = (-86.1527, -70.1, 0.0)
    data = {"x": x, "place": place, "y": x + rng.normal(size=600)}
    groups = pb.effect(data, "y", "x", by="place", tidy=False).by.labels
    assert len(set(groups)) == 3
    numbers = sorted({float(n) for name in groups for n in re.findall(r"-?\d+\.\d+", name)})
    assert np.allclose(numbers, np.quantile(place, (1 / 3, 2 / 3)), atol=1e-3)
