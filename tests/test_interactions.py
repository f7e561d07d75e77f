"""Columns that act together: found, ranked, measured, and not found where there are none."""

import json

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest
from scipy.stats import false_discovery_control

import paribus as pb
from paribus.estimate.acting.search import adjusted
from paribus.results import Interactions


def uniform(n, p, seed=0):
    x = np.random.default_rng(seed).uniform(-1, 1, (n, p))
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(1, p + 1)])


@pytest.fixture(scope="module")
def mixed():
    """A table with an interaction of every kind: the truth is known of each."""
    rng = np.random.default_rng(5)
    n = 3000
    d = uniform(n, 5, seed=1)
    d["sort"] = rng.choice(["flat", "house"], n)
    d["side"] = rng.choice(["north", "south"], n)
    d["y"] = (
        3 * d.x1 * d.x2
        + 2 * d.x3 * (d["sort"] == "flat")
        + 1.5 * ((d["sort"] == "flat") & (d["side"] == "north"))
        + np.sin(3 * d.x4)
        + 0.5 * rng.normal(size=n)
    )
    return d


@pytest.fixture(scope="module")
def found(mixed):
    return pb.interactions(mixed, "y")


# Four standard deviations: of x1 x2 over (-1, 1) that is 4/3; of x3 by two equal groups 4/sqrt(12);
# of two times two equal groups the difference of differences itself.
TRUTH = {
    ("x1", "x2"): 3 * 4 / 3,
    ("x3", "sort"): 2 * 2 / np.sqrt(3),
    ("sort", "side"): 1.5,
}


def test_every_kind_is_found_and_nothing_else(found):
    assert {one.features for one in found.found} == {*TRUTH}
    assert len(found) == 21


@pytest.mark.parametrize("pair", TRUTH)
def test_strength_is_in_the_targets_units(found, pair):
    one = found.of(*pair)
    assert one.strength == pytest.approx(TRUTH[pair], rel=0.08)
    assert one.lower < one.strength < one.upper < 1.2 * one.lower


def test_two_by_two_groups_agree_with_least_squares(mixed):
    sm = pytest.importorskip("statsmodels.formula.api")
    d = mixed[["sort", "side", "y"]]
    fit = sm.ols("y ~ C(sort) * C(side)", d).fit(cov_type="HC1")
    (one,) = pb.interactions(d, "y")
    name = "C(sort)[T.house]:C(side)[T.south]"
    low, high = fit.conf_int().loc[name].abs().sort_values()
    assert one.strength == pytest.approx(abs(fit.params[name]), rel=0.02)
    assert one.lower == pytest.approx(low, rel=0.05)
    assert one.upper == pytest.approx(high, rel=0.05)


def test_a_triple_without_pairs_is_found():
    d = uniform(3000, 5)
    d["y"] = 4 * d.x1 * d.x2 * d.x3 + d.x4 + 0.3 * np.random.default_rng(0).normal(size=3000)
    found = pb.interactions(d, "y")
    assert [one.features for one in found.found] == [("x1", "x2", "x3")]
    assert found[0].strength == pytest.approx(4 * 4 / np.sqrt(27), rel=0.1)
    assert "together" in found[0].summary()


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_found_where_columns_only_add_up(seed):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(800, 1))
    z = 0.8 * common + 0.6 * rng.normal(size=(800, 8))
    d = pd.DataFrame(z, columns=list("abcdefgh"))
    d["g"] = pd.cut(d["g"] + rng.normal(size=800), 4, labels=list("pqrs"))
    d["y"] = np.sin(2 * z[:, 0]) + z[:, 1] ** 2 + np.abs(z[:, 2]) + (d["g"] == "q")
    d["y"] += rng.standard_t(4, 800) * np.exp(0.4 * z[:, 3])
    assert not pb.interactions(d, "y").found


def test_errors_shared_by_clusters_are_no_interaction():
    rng = np.random.default_rng(3)
    shop = np.repeat(np.arange(60), 25)
    d = pd.DataFrame({"a": rng.normal(size=60)[shop], "b": rng.normal(size=60)[shop]})
    d["c"], d["shop"] = rng.normal(size=1500), shop.astype(str)
    d["y"] = d.a + rng.normal(size=60)[shop] + 0.3 * rng.normal(size=1500)
    assert not pb.interactions(d, "y", cluster="shop").found
    assert pb.interactions(d.drop(columns="shop"), "y", tidy=False).of("a", "b").found


def test_counts_are_rows_and_weights_any_scale(mixed):
    d = mixed.head(600)
    twice = pb.interactions(pd.concat([d, d]), "y", tidy=False, counts=np.ones(1200))
    counted = pb.interactions(d, "y", counts=np.full(600, 2), tidy=False)
    assert [one.features for one in counted] == [one.features for one in twice]
    assert counted[0].strength == pytest.approx(twice[0].strength, rel=1e-6)
    light = pb.interactions(d, "y", weights=np.full(600, 0.1))
    assert light[0].lower == pytest.approx(pb.interactions(d, "y")[0].lower, rel=1e-9)


def test_within_units_only_what_varies_in_them_counts():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(200), 6)
    d = pd.DataFrame({"who": who.astype(str), "a": rng.normal(size=1200)})
    d["b"], level = rng.normal(size=1200), rng.normal(size=200)[who] * 5
    d["y"] = level + d.a * d.b + 0.3 * rng.normal(size=1200)
    (one,) = pb.interactions(d, "y", within="who")
    assert one.found
    assert one.strength == pytest.approx(4.0, rel=0.1)


def test_the_order_of_the_rows_does_not_matter(mixed, found):
    again = pb.interactions(mixed.sample(frac=1, random_state=0), "y")
    assert [one.features for one in again] == [one.features for one in found]
    assert again[0].strength == found[0].strength


def test_threads_do_not_matter(mixed, found):
    assert pb.interactions(mixed, "y", n_jobs=1).items == found.items


def test_odd_tables():
    d = uniform(400, 3)
    d["y"] = d.x1 * d.x2
    d.loc[::7, "x1"] = np.nan
    d["same"], d["id"] = 1, [f"row {k}" for k in range(400)]
    found = pb.interactions(d, "y")
    assert found[0].features == ("x1", "x2")
    assert {name for one in found for name in one.features} == {"x1", "x2", "x3"}
    alone = pb.interactions(d[["x1", "y"]], "y")
    assert len(alone) == 0
    assert "looked at is sure." in str(alone)
    exact = uniform(400, 3).assign(y=lambda t: t.x1 + t.x2)
    assert not pb.interactions(exact, "y").found


def test_only_some_columns(mixed, found):
    some = pb.interactions(mixed, "y", features=["x3"])
    assert len(some) == 6
    assert all("x3" in one.features for one in some)
    assert some[0].strength == found.of("x3", "sort").strength


def test_frames_and_stored_form(mixed, found):
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(found)
    assert frame["p_value"].tolist() == [one.p_value for one in found]
    assert isinstance(pb.interactions(pl.from_pandas(mixed), "y").to_frame(), pl.DataFrame)
    stored = json.loads(json.dumps(found.to_dict()))
    assert Interactions.from_dict(stored).items == found.items
    assert found[0] is found.items[0]
    assert found[:2] == found.items[:2]
    with pytest.raises(KeyError, match="x1 by nothing"):
        found.of("x1", "nothing")


def test_words(found):
    assert str(found).startswith("Which columns act together on y? 3,000 rows, 7 columns.")
    assert "How y goes with 'x1' differs with 'x2', by about 3." in str(found)
    assert "It is unclear whether" in found.of("x1", "x3").summary()
    assert found._repr_html_().count("<tr>") == 1 + len(found.found)


def test_both_painters_draw_the_same_bars(found):
    ax = found.plot()
    drawn = [bar.get_width() for bar in ax.patches]
    assert drawn == [one.strength for one in found.found]
    assert [text.get_text() for text in ax.get_yticklabels()] == [one.name for one in found.found]
    (rows,) = found.chart().to_dict()["datasets"].values()
    assert [row["strength"] for row in rows] == drawn


def test_a_table_in_batches_gives_the_same(mixed, found, tmp_path):
    for part in range(2):
        mixed.iloc[part::2].to_parquet(tmp_path / f"{part}.parquet")
    parts = pb.interactions(str(tmp_path / "*.parquet"), "y")
    assert {one.features for one in parts.found} == {*TRUTH}
    assert parts.n_rows == 3000
    with pytest.raises(pb.InputError, match="name"):
        pb.interactions(str(tmp_path / "*.parquet"), mixed["y"])


def test_of_more_rows_in_batches_a_sample_is_searched_and_told(mixed, tmp_path, monkeypatch):
    monkeypatch.setattr("paribus.finder.FEW_ROWS", 1_500)
    mixed.to_parquet(tmp_path / "rows.parquet")
    parts = pb.interactions([str(tmp_path / "rows.parquet")], "y")
    (note,) = (note for note in parts.notes if note.kind == "sampled")
    assert "a random sample of 1,500 of 3,000 rows" in note.text
    assert parts.n_rows == 3_000
    assert {one.features for one in parts.found} == {*TRUTH}


def test_adjusted_p_values_are_benjamini_and_hochbergs():
    p = np.random.default_rng(0).uniform(size=50) ** 3
    assert adjusted(p) == pytest.approx(false_discovery_control(p))
    assert adjusted([0.01], 5) == pytest.approx([0.05])


def test_a_column_that_two_others_fix_says_nothing_twice():
    rng = np.random.default_rng(8)
    n = 6000
    hour, day = rng.uniform(0, 24, n), rng.choice([*"abcdefg"], n)
    holiday = (rng.random(n) < 0.2) & ~np.isin(day, ["a", "g"])
    working = ~(np.isin(day, ["a", "g"]) | holiday)
    y = np.where(working, 0.3 * hour, 0.0) + (day == "c") * hour / 20 + rng.normal(size=n)
    d = {"hour": hour, "day": day, "holiday": holiday, "working": working}
    found = pb.interactions(d, y, tidy=False).found
    assert found[0].features == ("hour", "working")
    true = 4 * 0.3 * hour.std() * working.std()
    assert found[0].lower < true < found[0].upper
    assert found[0].upper - found[0].lower < true / 4
    assert all(one.upper < true for one in found[1:])


def test_how_strong_two_peaks_are_is_told_by_more_functions():
    rng = np.random.default_rng(9)
    n = 6000
    hour, working = rng.uniform(0, 24, n), rng.random(n) < 0.5
    peaks = 5 * (np.exp(-((hour - 8) ** 2) / 4) + np.exp(-((hour - 17) ** 2) / 4))
    y = np.where(working, peaks, 10 * np.exp(-((hour - 13) ** 2) / 40)) + rng.normal(size=n)
    found = pb.interactions({"hour": hour, "working": working}, y)[0]
    gap = peaks - 10 * np.exp(-((hour - 13) ** 2) / 40)
    true = 4 * gap.std() / 2
    assert 0.85 * true < found.lower < found.upper < 1.1 * true


def test_front_pages_show_the_strongest(mixed, tmp_path):
    effects = pb.effects(mixed, "y")
    assert effects.acting == ()
    asked = effects.who_differs()
    assert [one.name for one in asked.acting][:2] == ["x1 by x2", "x3 by sort"]
    assert pb.results.EffectSet.from_dict(asked.to_dict()).acting == asked.acting
    assert asked.who_differs().acting is asked.acting
    assert "x1 \N{NOT EQUAL TO}" in asked._repr_html_()
    assert asked.acting[0].summary() in str(asked)
    page = asked.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert '<table class="ranking" id="acting">' in page
    book = openpyxl.load_workbook(effects.to_excel(tmp_path / "book.xlsx"))
    cells = [str(cell.value) for row in book["Summary"].iter_rows() for cell in row]
    assert "Columns that act together, the strongest" in cells
    assert asked.acting[0].summary() in cells


def test_of_effects_in_per_cent_no_strengths_are_shown(mixed):
    positive = {**{name: mixed[name] for name in ("x1", "x2")}, "y": np.exp(mixed.y / 9)}
    found = pb.effects(positive, "y", target_scale="log").who_differs()
    assert found.acting == ()
