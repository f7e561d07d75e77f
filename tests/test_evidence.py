"""The rows behind an effect, and how much it takes to undo it."""

import numpy as np
import pytest
import statsmodels.api as sm

import paribus as pb
from paribus.base.errors import InputError
from paribus.report.behind import support_part
from paribus.results.contrast import contrast_of
from paribus.results.robustness import _times, robustness_of
from paribus.results.support import supports


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    n = 1500
    rooms, floor = rng.integers(1, 6, size=n), rng.integers(0, 12, size=n)
    doorman = np.where(rng.random(n) < 0.2 + 0.1 * rooms, "yes", "no")
    rent = 500 * rooms + 20 * floor + 300 * (doorman == "yes") + 150 * rng.normal(size=n)
    return {"rooms": rooms, "floor": floor, "doorman": doorman, "rent": rent}


@pytest.fixture(scope="module")
def found(flats):
    return pb.effects(flats, target="rent")


def test_pairs_are_real_rows_alike_but_for_the_column(flats, found):
    shown = found["doorman"].examples(3)
    assert len(shown.pairs) == 6
    assert sum(pair.agrees for pair in shown.pairs) == 3
    distances = [pair.distance for pair in shown.pairs]
    assert distances == sorted(distances)
    assert distances[0] == 0
    used = [row for pair in shown.pairs for row in pair.rows]
    assert len(used) == len(set(used))
    for pair in shown.pairs:
        a, b = pair.rows
        assert (flats["doorman"][a], flats["doorman"][b]) == pair.values == ("no", "yes")
        assert pair.difference == pytest.approx(flats["rent"][b] - flats["rent"][a])
        assert pair.estimate == pytest.approx(found["doorman"].between("no", "yes").value)
        if pair.distance == 0:
            assert flats["rooms"][a] == flats["rooms"][b]
            assert flats["floor"][a] == flats["floor"][b]
    assert shown.share > 0.8
    text = str(shown)
    assert f"row {shown.pairs[0].rows[0] + 1:,}" in text
    assert "Difference" in text
    assert len(shown.to_frame()["row_1"]) == 6


def test_pairs_with_one_target_are_told_of_where_they_are_many(flats, found):
    """Of a rare yes most pairs are equal, which is no contradiction of the estimate."""
    rare = (flats["rent"] > np.quantile(flats["rent"], 0.95)).astype(float)
    pairs = pb.effect({**flats, "rent": rare}, "rent", "floor").examples(2)
    assert pairs.equal > 0.5
    assert pairs.share + pairs.equal <= 1
    words = f"estimate, and {100 * pairs.equal:.3g} % have the same value of the target; single"
    assert words in pairs.summary()
    assert "have the same value" not in found["doorman"].examples(2).summary()


def test_pairs_of_a_number_are_apart_in_it(flats, found):
    for pair in found["rooms"].examples(2).pairs:
        a, b = pair.rows
        assert flats["rooms"][b] - flats["rooms"][a] >= np.std(flats["rooms"]) / 2
        told = found["rooms"].between(flats["rooms"][a], flats["rooms"][b]).value
        assert pair.estimate == pytest.approx(told)


def test_pairs_in_per_cent_show_amounts(flats):
    data = flats | {"rent": flats["rent"] + 2000}
    pair = pb.effect(data, "rent", "doorman", target_scale="log").examples(1).pairs[0]
    first, second = pair.targets
    assert first == pytest.approx(data["rent"][pair.rows[0]])
    assert pair.difference == pytest.approx(100 * (second / first - 1))


def test_support_counts_strata_that_span_a_value(flats, found):
    behind = found["floor"].rows_behind()
    spanned = [
        k for k in np.unique(behind.strata)
        if np.ptp(behind.column.values[behind.strata == k]) > 0
        and behind.column.values[behind.strata == k].min() <= 3
        and behind.column.values[behind.strata == k].max() >= 3
    ]  # fmt: skip
    at = found["floor"].support_at(3)
    assert at.strata == len(spanned)
    assert at.rows == np.isin(behind.strata, spanned).sum()
    assert found["doorman"].support_at("yes").rows <= len(flats["rent"])
    assert "strata can be compared" in str(at)
    with pytest.raises(InputError):
        found["floor"].support_at(99)


def test_robustness_is_that_of_the_published_study():
    """Cinelli and Hazlett's study of Darfur: the numbers of their table 1 and of sensemakr."""
    harm = robustness_of(
        "harm", "peace", contrast_of(0.09731582, 0.02325654, 0.95), 783,
        {"female": (0.0090811, 0.109034)},
    )  # fmt: skip
    assert harm.partial_r2 == pytest.approx(0.02187, abs=1e-5)
    assert harm.value == pytest.approx(0.13878, abs=1e-5)
    assert harm.value_interval == pytest.approx(0.07626, abs=1e-5)
    # A confounder three times as strong as female leaves 0.0304 of 0.0973 in the paper.
    assert 4.2 < harm.benchmarks[0].times < 4.5
    assert harm.undoing(np.array([harm.value]))[0] == pytest.approx(harm.value)


def test_strengths_are_partial_shares_of_least_squares(flats, found):
    strong = {one.column: one for one in found["floor"].robustness().benchmarks}
    rooms, floor, door = flats["rooms"], flats["floor"], (flats["doorman"] == "yes").astype(float)

    def left(y, *columns):
        return sm.OLS(y, sm.add_constant(np.column_stack(columns))).fit().ssr

    with_y = 1 - left(flats["rent"], door, floor, rooms) / left(flats["rent"], door, floor)
    with_x = 1 - left(floor, door, rooms) / left(floor, door)
    assert strong["rooms"].with_y == pytest.approx(with_y)
    assert strong["rooms"].with_x == pytest.approx(with_x, abs=1e-9)


def test_a_robustness_says_what_it_takes(found):
    doorman = found["doorman"].robustness()
    assert "A column that is not in the table would have to explain" in str(doorman)
    assert "times as strong as 'rooms'" in str(doorman)
    assert 0 < doorman.value_interval < doorman.value < 1
    ax = doorman.plot()
    assert ax.get_xlabel() == "% of what is left of doorman"
    again = pb.EffectSet.from_dict(found.to_dict())["doorman"]
    stored = again.robustness()
    assert stored.value == pytest.approx(doorman.value)
    assert stored.benchmarks == ()
    with pytest.raises(InputError):
        again.examples()


def test_no_number_of_times_may_be_enough():
    assert _times(10.0, 0.0, 0.5) == np.inf
    assert _times(0.5, 0.1, 0.1) > _times(0.1, 0.1, 0.1)


def test_a_notebook_shows_sentences_and_rows(found):
    pairs = found["doorman"].examples(1)
    assert pairs._repr_html_().count("<table>") == len(pairs.pairs)
    assert found["doorman"].robustness()._repr_html_().startswith("<div><p>A column that is not")
    apart = found["doorman"].between("no", "yes")
    assert apart.sentence in apart._repr_html_()


def test_missing_is_a_level_like_others():
    rng = np.random.default_rng(0)
    level = rng.choice(np.array(["a", "b", None], dtype=object), size=400)
    held = rng.normal(size=400)
    y = held + np.array([{"a": 0, "b": 1, None: 3}[v] for v in level]) + rng.normal(size=400)
    e = pb.effect({"level": level, "held": held, "y": y}, "y", "level")
    assert e.support_at("(missing)").rows > 350
    assert e.support_at("a").rows <= sum(v is not None for v in level)
    doubted = e.robustness()
    assert doubted.contrast.value == pytest.approx(e.between("b", "(missing)").value)
    is_missing = np.array([v is None for v in level], dtype=float)
    with_x = sm.OLS(is_missing, sm.add_constant(held)).fit().rsquared
    assert doubted.benchmarks[0].with_x == pytest.approx(with_x, abs=1e-9)


def literal_support(e, behind, at):
    """Look at each stratum in turn."""
    rows = strata = 0
    for s in np.unique(behind.strata):
        x = behind.column.values[behind.strata == s]
        x = x[~np.isnan(x)]
        inside = len(x) and (x.min() <= at <= x.max() if e.is_curve else at in x)
        if inside and x.min() < x.max():
            rows, strata = rows + len(x), strata + 1
    return rows, strata


@pytest.mark.parametrize("name", ["x", "town"])
def test_rows_that_speak_are_those_of_strata_that_vary_there(name):
    rng = np.random.default_rng(0)
    z = rng.integers(6, size=400)
    data = {
        "x": np.where(rng.random(400) < 0.1, np.nan, rng.normal(z, 0.5)), "z": z * 1.0,
        "town": np.where(z > 3, "p", rng.choice(["p", "q", "r"], 400)), "y": rng.normal(size=400),
    }  # fmt: skip
    e = pb.effect(data, "y", name, tidy=False)
    behind = e.rows_behind()
    at = np.array([-1.0, 0, 0.31, 2, 9]) if e.is_curve else np.arange(3.0)
    rows, strata = supports(e, behind, at)
    wanted = [literal_support(e, behind, v) for v in at]
    assert list(zip(rows.tolist(), strata.tolist(), strict=True)) == wanted
    part = support_part(e)
    first = str(e.levels[int(np.argmax(e.weights))]) if name == "town" else "x"
    assert part["sentence"].startswith(f"At {name} = ")
    assert first in part["sentence"]
    assert part["picture"].count("<title>") == len(e.effect)


def test_doubt_beside_a_level_that_no_row_has_any_more():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 300))
    kind = rng.choice(["a", "b"], 300)
    kind[0], z[0] = "c", np.nan  # its row is left out wherever z is held still
    y = x + (kind == "b") + np.nan_to_num(z) + rng.normal(size=300)
    e = pb.effect({"x": x, "kind": kind, "z": z}, y, "x", tidy=False)
    others = {**e.rows_behind().others}
    assert "c" in others["kind"].levels
    assert 0 < e.robustness().value < 1
