"""Two columns at once: surfaces, lines by level, points; and the interaction apart."""

import json

import numpy as np
import openpyxl
import polars as pl
import pytest
import statsmodels.api as sm

import paribus as pb
from paribus.report.page import page_html

N = 1200
RNG = np.random.default_rng(2)
Z = RNG.normal(size=N)
A = RNG.uniform(-2, 2, N) + 0.3 * Z
B = RNG.uniform(-2, 2, N) - 0.3 * Z
KIND = RNG.choice(["flat", "house", "hut"], N, p=[0.5, 0.3, 0.2])
SEX = RNG.choice(["f", "m"], N)
DATA = {"a": A, "b": B, "kind": KIND, "sex": SEX, "z": Z}
NOISE = 0.5 * RNG.normal(size=N)


def explained(y, pair, data=DATA):
    return pb.effect(data, y, pair, tidy=False, repeats=2)


@pytest.fixture(scope="module")
def product():
    return explained(A * B + Z + NOISE, ("a", "b"))


def test_a_product_of_two_numbers_is_found(product):
    weight = np.where(np.isnan(product.effect), 0, product.count)
    true = np.outer(product.x1, product.x2)
    true -= np.average(true, weights=weight)
    error = np.sqrt(np.nansum(weight * (product.effect - true) ** 2) / weight.sum())
    assert error < 0.12
    inside = (product.lower <= true) & (true <= product.upper)
    assert 0.85 < np.average(inside, weights=weight) <= 1
    assert product.p_value < 0.001
    assert "differs with b" in product.summary()


def test_main_effects_and_pure_interaction_add_up(product):
    total = product.first[:, None] + product.second + product.pure_effect
    known = ~np.isnan(product.effect)
    assert total[known] == pytest.approx(product.effect[known], abs=1e-9)
    pure = np.nan_to_num(product.pure.effect)
    for axis in (0, 1):
        mean = (pure * product.count).sum(axis=axis) / product.count.sum(axis=axis)
        assert np.abs(mean).max() < 0.1


def test_columns_that_do_nothing_together_are_not_said_to():
    found = explained(np.sin(A) + B + Z + NOISE, ("a", "b"))
    assert found.p_value > 0.05
    assert found.summary().startswith("No clear effect of ")
    assert found.strength < 0.1


def test_two_categories_agree_with_least_squares():
    cell = {"flat": 0.0, "house": 1.0, "hut": -1.0}
    y = np.array([cell[k] for k in KIND]) * (SEX == "m") + Z + NOISE
    found = explained(y, ("kind", "sex"))
    names = [(k, s) for k in found.x1 for s in found.x2]
    cells = np.column_stack([(k == KIND) & (s == SEX) for k, s in names]).astype(float)
    fit = sm.OLS(y, np.column_stack([cells, Z, A, B])).fit()
    ours = found.between(("flat", "f"), ("house", "m"))
    one, other = names.index(("house", "m")), names.index(("flat", "f"))
    apart = np.zeros(len(fit.params))
    apart[one], apart[other] = 1, -1
    theirs = fit.t_test(apart)
    assert ours.value == pytest.approx(float(theirs.effect[0]), abs=0.08)
    assert ours.se == pytest.approx(float(theirs.sd[0, 0]), rel=0.3)


@pytest.mark.parametrize("pair", [("a", "kind"), ("kind", "a")])
def test_a_number_beside_a_category_has_a_line_a_level(pair):
    slope = {"flat": 1.0, "house": -1.0, "hut": 0.0}
    y = np.array([slope[k] for k in KIND]) * A + Z + NOISE
    found = explained(y, pair)
    for level, true in slope.items():
        ends = [(x, level) if pair[0] == "a" else (level, x) for x in (-1.0, 1.0)]
        rise = found.between(*ends)
        assert rise.lower - 0.1 < 2 * true < rise.upper + 0.1
    ax = found.plot()
    assert ax.get_xlabel() == "a"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["flat", "house", "hut"]


def test_places_without_rows_are_blank():
    near = np.abs(A - B) < 1
    data = {name: values[near] for name, values in DATA.items()}
    found = explained((A * B + NOISE)[near], ("a", "b"), data)
    assert np.isnan([found.effect[0, -1], found.effect[-1, 0]]).all()
    assert any(note.kind == "blank_cells" for note in found.notes)
    with pytest.raises(pb.InputError, match="compared"):
        found.between((0.0, 0.0), (float(found.x1[0]), float(found.x2[-1])))
    drawn = found.plot_map().collections[0].get_array()
    assert np.ma.getmaskarray(np.ma.masked_invalid(drawn)).any()


def test_many_rows_far_off_are_no_row_at_a_point():
    """Where points lie far apart, many rows beside one of them come to nothing at the next."""
    rng = np.random.default_rng(4)
    b, tail = rng.uniform(size=N), rng.uniform(size=N) < 0.1
    a = np.where(tail, rng.uniform(1, np.where(b > 0.5, 10, 2)), rng.uniform(size=N))
    found = explained(a + b + 0.1 * rng.normal(size=N), ("a", "b"), {"a": a, "b": b})
    assert np.isnan(found.effect[-1, found.x2 < 0.45]).all()
    assert not np.isnan(found.effect[-1, found.x2 > 0.55]).all()
    assert found.count[-1, found.x2 < 0.45].max() > 0.5


def test_values_missing_of_the_second_column_do_no_harm():
    """A set of held columns that acts on both is a covariate; only rows with both make it."""
    rng = np.random.default_rng(6)
    kind, z, noise = rng.integers(0, 3, N), rng.normal(size=N), rng.normal(size=(3, N))
    line = (kind - 1) * z
    a, b = line + noise[0], 2 * line + noise[1]
    a[:100], b[100:200] = np.nan, np.nan
    data = {"a": a, "b": b, "kind": np.array([*"pqr"])[kind], "z": z}
    y = np.nan_to_num(a * b) + line + noise[2]
    found = explained(y, ("a", "b"), data)
    assert found.n_used == N - 200
    assert found.p_value < 0.001


def test_a_column_that_others_fix_is_shown_relative_to_its_mean():
    day = RNG.integers(0, 7, N)
    free = np.where(day >= 5, "weekend", "week")
    y = np.where(free == "week", A, -A) + day + NOISE
    found = explained(y, ("a", "free"), {"a": A, "day": day.astype(str), "free": free})
    assert "side_unknown" in [note.kind for note in found.notes]
    assert np.nanmax(found.upper - found.lower) < 3
    rise = found.between((-1.0, "week"), (1.0, "week"))
    assert rise.lower < 2 < rise.upper


def test_stored_and_tabled():
    mixed = explained(A + NOISE, ("kind", "a"))
    again = pb.JointEffect.from_dict(json.loads(json.dumps(mixed.to_dict())))
    assert (again.x1, again.is_number) == (("flat", "house", "hut"), (False, True))
    assert np.array_equal(again.effect, mixed.effect, equal_nan=True)
    assert len(mixed.to_frame()) == mixed.effect.size
    assert mixed.chart().to_dict()["height"] > 0


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("a", "a"), "two different columns"),
        (("a",), "two different columns"),
        (("a", "c"), "There is no column 'c'"),
    ],
)
def test_what_is_no_pair_is_said(pair, said):
    with pytest.raises(pb.InputError, match=said):
        explained(A + NOISE, pair)


def test_options_that_a_pair_cannot_have():
    with pytest.raises(pb.InputError, match="by cannot be chosen for two columns"):
        pb.effect(DATA, A + NOISE, ("a", "b"), by="kind")


def test_in_batches_a_sample_tells(tmp_path):
    file = tmp_path / "rows.parquet"
    y = A * B + Z + NOISE
    pl.DataFrame({**DATA, "y": y, "twice": 2 * y}).write_parquet(file)
    found = pb.effect([str(file)], "y", ("a", "b"), sample_rows=1000)
    assert found.n_used == 1000
    assert any(note.kind == "pair_on_sample" for note in found.notes)
    assert any("twice: Left out" in note.text for note in found.notes)
    searched = pb.interactions([str(file)], "y")
    assert {*searched[0].features} == {"a", "b"}
    assert not any("twice" in one.features for one in searched)
    one = pb.effect([str(file)], "y", "a", sample_rows=1000)
    with pytest.raises(pb.InputError, match=r"\('a', 'b'\)"):
        one.slope_by("b")
    assert found.between((1.0, -1.0), (1.0, 1.0)).value == pytest.approx(2, abs=0.3)


def test_the_slope_runs_along_a_moderator_as_in_least_squares():
    y = A * (1 + 2 * B) + Z + NOISE
    slopes = pb.effect(DATA, y, "a", tidy=False, repeats=2).slope_by("b")
    fit = sm.OLS(y, np.column_stack([np.ones(N), A, B, A * B, Z])).fit()
    at = np.column_stack([np.zeros_like(slopes.at), np.ones_like(slopes.at), 0 * slopes.at])
    theirs = fit.t_test(np.column_stack([at, slopes.at, 0 * slopes.at]))
    assert slopes.value[0] == pytest.approx(theirs.effect, abs=0.25)
    inside = (slopes.lower[0] <= 1 + 2 * slopes.at) & (1 + 2 * slopes.at <= slopes.upper[0])
    assert np.average(inside, weights=slopes.share) > 0.85
    assert slopes.p_value < 0.001
    assert "the two extremes along b" in slopes.summary()
    apart = slopes.between(-1.0, 1.0)
    assert apart.lower < 4 < apart.upper
    with pytest.raises(pb.InputError, match="not on it"):
        slopes.between(-1.0, 9.0)


def test_where_nothing_errs_rounding_is_no_difference():
    d = pb.datasets.body_weight(2000, seed=0)
    slopes = pb.effect(d.table, "weight", "height").slope_by("education")
    assert "does not clearly change along education" in slopes.summary()


def test_a_bend_is_no_slope_that_runs_along_a_twin():
    b = A + 0.5 * RNG.normal(size=N)
    slopes = explained(A**2 + Z + NOISE, ("a", "b"), {"a": A, "b": b, "z": Z}).slope_of("a")
    assert slopes.p_value > 0.05
    assert "does not clearly change along b" in slopes.summary()


def test_a_column_that_runs_in_a_circle_has_no_slope():
    rng = np.random.default_rng(9)
    hour, warm = rng.integers(0, 24, N), rng.normal(size=N)
    y = np.sin(hour / 24 * 2 * np.pi) * warm + 0.3 * rng.normal(size=N)
    both = pb.effect({"hour": hour, "warm": warm}, y, ("hour", "warm"))
    assert [(s.feature, s.moderator) for s in both.slopes()] == [("warm", "hour")]
    with pytest.raises(pb.InputError, match="is cyclic"):
        both.slope_of("hour")


def test_levels_differ_along_a_number():
    y = np.where(SEX == "m", A, 0) + Z + NOISE
    both = explained(y, ("sex", "a"))
    (slopes,) = both.slopes()
    assert slopes.compared in (("m rather than f",), ("f rather than m",))
    sign = 1 if slopes.compared[0][0] == "m" else -1
    assert sign * slopes.between(-1.0, 1.0).value == pytest.approx(2, abs=0.3)
    one, other = ((0.5, "f"), (0.5, "m")) if both.features[0] == "a" else (("f", 0.5), ("m", 0.5))
    gap = np.interp(0.5, slopes.at, slopes.value[0])
    assert sign * both.between(one, other).value == pytest.approx(gap, abs=1e-6)
    with pytest.raises(pb.InputError, match="by='sex'"):
        both.slope_of("a")


def test_report_and_workbook_show_who_differs_at_once(tmp_path):
    data = {name: DATA[name] for name in "abz"}
    y = A * (1 + 2 * B) + Z + NOISE
    found = pb.effects(data, y, tidy=False, repeats=1).who_differs(most=1)
    assert {frozenset(both.features) for both in found.pairs} == {frozenset("ab")}
    (both,) = found.pairs
    again = pb.EffectSet.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.pairs[0].features == both.features
    text = page_html(found)
    assert text.count(f"At once with {both.features[1]}") == 1
    book = openpyxl.load_workbook(found.to_excel(tmp_path / "book.xlsx"))
    assert " x ".join(both.features) in book.sheetnames
    assert found.beside(both.features[1], most=1).pairs == found.pairs


# Two columns, drawn with so many rows, of which neither changes what the other goes with.
FEW_ROWS = {
    "numbers": lambda rng, n: (rng.normal(size=n), rng.normal(size=n)),
    "few values": lambda rng, n: (rng.integers(0, 30, n) + 0.0, rng.integers(0, 30, n) + 0.0),
    "beside levels": lambda rng, n: (rng.normal(size=n), rng.choice(list("abc"), n)),
}


@pytest.mark.parametrize("draw", FEW_ROWS)
@pytest.mark.parametrize("n", [8, 20, 30])
def test_of_few_rows_nothing_is_made_of_noise(draw, n):
    """A surface that bends at every row leaves no noise, and everything seems sure."""
    found = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x, z = FEW_ROWS[draw](rng, n)
        y = x + rng.normal(size=n)
        found.append(pb.effect({"x": x, "z": z}, y, ("x", "z"), tidy=False, n_jobs=1).p_value)
    assert np.mean(np.array(found) < 0.05) <= 0.2


def test_of_few_rows_what_is_there_is_found():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=40), rng.choice(["a", "b"], 40)
    y = x * (z == "a") + 0.2 * rng.normal(size=40)
    assert pb.effect({"x": x, "z": z}, y, ("x", "z"), tidy=False).p_value < 0.001
