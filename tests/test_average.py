"""Effects that differ from row to row: which average is reported, how sure, and what is said."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import paribus as pb
from paribus.base.errors import InputError
from paribus.estimate.basis import hat_basis, level_basis
from paribus.estimate.interactions import Interacted
from paribus.estimate.testing import by_share, quadratic_p_value
from paribus.pipeline import run
from paribus.report.page import page_html

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import differing
from differing_cases import BY_NAME, LEVEL_CASES

LEVELS = {case.name: case for case in LEVEL_CASES}


def scores(case, n, seeds, average="rows", judge=differing.of_curve):
    """Return the mean error, and the coverage of points and contrasts together."""
    found = [judge(case, n, seed, average) for seed in range(seeds)]
    held = np.mean([[one["points"], one["contrasts"]] for one in found])
    return float(np.mean([one["error"] for one in found])), float(held)


def two_slopes(n=2000, seed=0, **more):
    rng = np.random.default_rng(seed)
    z = rng.uniform(0, 1, n)
    x = (0.2 + z) * rng.normal(size=n)
    y = 4 * z * x + 0.5 * rng.normal(size=n)
    return {"x": x, "z": z, "q": rng.normal(size=n), "y": y, **more}


@pytest.mark.parametrize(
    ("name", "seeds", "at_most", "times_below", "least"),
    [
        ("two groups, opposite slopes", 10, 0.15, 10, 0.9),
        ("slope z, spread of x follows z", 10, 0.07, 8, 0.85),
        ("x of five values", 4, 0.08, 6, 0.85),
        ("slope jumps at a threshold", 4, 0.1, 8, 0.75),
    ],
)
def test_the_average_over_the_rows_is_found_and_covered(name, seeds, at_most, times_below, least):
    error, held = scores(BY_NAME[name], 2000, seeds)
    overlap, overlap_held = scores(BY_NAME[name], 2000, 2, "overlap")
    assert error < at_most
    assert error * times_below < overlap
    assert held >= least > 0.5 > overlap_held


@pytest.mark.parametrize("name", ["three moderators of twenty columns", "correlated moderators"])
def test_several_moderators(name):
    error, held = scores(BY_NAME[name], 2000, 2)
    assert error < 0.2
    assert held >= 0.8


def test_two_valued_target():
    case = BY_NAME["two-valued target"]
    error, held = scores(case, 8000, 6)
    overlap, _ = scores(case, 8000, 2, "overlap")
    assert error < 0.5 * overlap
    assert held > 0.85


@pytest.mark.parametrize("name", ["treatment rarer where it works best", "three levels"])
def test_levels_are_averaged_over_the_rows(name):
    error, held = scores(LEVELS[name], 4000, 5, judge=differing.of_levels)
    overlap, overlap_held = scores(LEVELS[name], 4000, 2, "overlap", differing.of_levels)
    assert error < 0.06
    assert error * 3 < overlap
    assert held >= 0.8 > overlap_held


def test_rows_where_a_level_is_rare_count_as_well():
    case = LEVELS["rare treatment, rarer where it works best"]
    error, held = scores(case, 4000, 5, judge=differing.of_levels)
    assert error < 0.06
    assert held >= 0.8


@pytest.mark.parametrize("name", ["x", "k"])
def test_nothing_differs_and_nothing_changes(name):
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 1500))
    k = rng.integers(0, 3, 1500)
    y = np.sin(x) + z**2 + 0.5 * k + rng.normal(size=1500)
    data = {"x": x, "z": z, "k": np.array(list("abc"))[k], "y": y}
    rows, overlap = (pb.effect(data, "y", name, average=a) for a in ("rows", "overlap"))
    assert rows.differs is None
    assert_array_equal(rows.effect, overlap.effect)
    assert_array_equal(rows.covariance, overlap.covariance)
    assert rows.p_value == overlap.p_value


def test_a_difference_is_seldom_seen_where_there_is_none():
    found = []
    for seed in range(40):
        rng = np.random.default_rng(1000 + seed)
        columns = rng.normal(size=(8, 400))
        y = columns[0] + np.sin(columns[1]) + rng.standard_t(5, size=400)
        data = {f"c{k}": column for k, column in enumerate(columns)}
        found.append(bool(pb.effect(data, y, "c0", seed=seed).differs))
    assert np.mean(found) <= 0.05


def test_what_differs_is_told():
    data = two_slopes()
    e = pb.effect(data, "y", "x")
    assert e.differs
    assert e.differs.columns == ("z",)
    assert e.differs.by[0].p_value < 1e-6
    assert e.differs.lower < e.differs.spread < e.differs.upper
    # The slope is 4 z: over the rows at one x it spreads by about a unit.
    assert 0.85 < e.differs.spread < 1.15
    assert 1.8 < e.differs.mean < 2.2
    assert "differs with 'z': more where z is high;" in e.summary()
    falls = pb.effect({**data, "y": -data["y"]}, "y", "x")
    assert "more where z is high;" in falls.summary()
    again = pb.NumericEffect.from_dict(json.loads(json.dumps(e.to_dict())))
    assert again.differs == e.differs
    assert not pb.effect(data, "y", "x", average="overlap").differs


def test_two_columns_together():
    case = BY_NAME["two columns together"]
    table, y, _ = case.sample(4000, 0)
    e = pb.effect(table, y, "x")
    assert set(e.differs.columns) == {"a", "b"}
    assert any(set(one.columns) == {"a", "b"} for one in e.differs.by)


def test_counts_are_rows_and_weights_are_not():
    data = two_slopes(800)
    rng = np.random.default_rng(1)
    times = rng.integers(1, 4, 800)
    repeated = {name: np.repeat(values, times) for name, values in data.items()}
    counted = pb.effect({**data, "w": times}, "y", "x", counts="w")
    plain = pb.effect(repeated, "y", "x")
    assert counted.differs.columns[0] == plain.differs.columns[0] == "z"
    at = np.linspace(-1, 1, 21)
    ours, theirs = (np.interp(at, e.x, e.effect) for e in (counted, plain))
    assert_allclose(ours - ours.mean(), theirs - theirs.mean(), atol=0.1)
    first, second = (
        pb.effect({**data, "w": scale * times}, "y", "x", weights="w") for scale in (1.0, 7.0)
    )
    assert_allclose(first.effect, second.effect, rtol=1e-6, atol=1e-8)
    assert_allclose(first.upper, second.upper, rtol=1e-6, atol=1e-8)


def test_weights_stand_for_the_population():
    errors, overlaps = [], []
    for seed in range(4):
        data = two_slopes(4000, seed)
        rng = np.random.default_rng(50 + seed)
        kept = rng.random(4000) < np.where(data["z"] > 0.5, 0.9, 0.2)
        seen = {name: values[kept] for name, values in data.items()}
        seen["w"] = np.where(seen["z"] > 0.5, 1.0, 4.5)
        case = BY_NAME["slope z, spread of x follows z"]
        at = differing.points(data["x"])
        for average, out in (("rows", errors), ("overlap", overlaps)):
            e = pb.effect(seen, "y", "x", weights="w", average=average)
            out.append(np.std(np.interp(at, e.x, e.effect) - case.truth(at)))
    assert np.mean(errors) < 0.09
    assert 4 * np.mean(errors) < np.mean(overlaps)


def test_clusters_widen_the_average_too():
    wider, held = [], 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(150), 20)
        z = rng.uniform(0, 1, 150)[cluster]
        x = (0.3 + z) * (rng.normal(size=150)[cluster] + 0.5 * rng.normal(size=3000))
        shock = rng.normal(size=150)[cluster]
        y = 4 * z * x + x * shock + rng.normal(size=3000)
        data = {"x": x, "z": z, "y": y, "q": rng.normal(size=3000)}
        alone = pb.effect(data, "y", "x")
        together = pb.effect({**data, "id": cluster.astype(str)}, "y", "x", cluster="id")
        assert together.differs.columns == ("z",)
        wide, narrow = (np.median(e.upper - e.lower) for e in (together, alone))
        wider.append(wide / narrow)
        slope = together.average_slope()
        held += slope.lower <= 4 * z.mean() <= slope.upper
    assert np.mean(wider) > 1.4  # 1.58 in 24 such tables, which differ by 0.17
    assert held >= 5


def test_a_category_moderates_a_date_with_missing_values():
    rng = np.random.default_rng(4)
    n = 2000
    group = rng.integers(0, 2, n)
    day = rng.normal(500, np.where(group, 200, 50)).clip(0, 1000)
    y = np.where(group, 0.02, -0.02) * day + rng.normal(size=n)
    when = np.datetime64("2020-01-01") + day.astype("timedelta64[D]")
    when[rng.random(n) < 0.05] = np.datetime64("NaT")
    z = rng.normal(size=n)
    z[rng.random(n) < 0.1] = np.nan
    e = pb.effect(
        {"when": when, "group": np.array(["a", "b"])[group], "z": z, "y": y},
        "y",
        "when",
        tidy=False,
    )
    assert e.differs.columns == ("group",)
    assert_allclose(e.differs.spread, 0.02, rtol=0.35)


def test_a_part_of_very_many_rows_tells_the_difference(monkeypatch):
    case = BY_NAME["slope z, spread of x follows z"]
    monkeypatch.setitem(run.PARTS, "usual", 6_000)
    error, held = scores(case, 14_000, 3)
    assert error < 0.1
    assert held > 0.85
    error, held = scores(LEVELS["three levels"], 14_000, 3, judge=differing.of_levels)
    assert error < 0.12


def test_batches_report_the_same_average(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    case = BY_NAME["two groups, opposite slopes"]
    table, y, _ = case.sample(40_000, 0)
    pq.write_table(pa.table({**table, "y": y}), tmp_path / "t.parquet")
    e = pb.effect(str(tmp_path / "t.parquet"), "y", "x", sample_rows=4_000)
    at = differing.points(table["x"])
    assert e.differs.columns == ("g",)
    assert np.std(np.interp(at, e.x, e.effect) - case.truth(at)) < 0.12


def test_only_these_averages():
    with pytest.raises(InputError, match="average"):
        pb.effect(two_slopes(100), "y", "x", average="mean")


def test_the_level_where_an_effect_is_stronger_is_named():
    rng = np.random.default_rng(5)
    region = rng.integers(0, 3, 1500)
    x = rng.normal(size=1500)
    y = np.choose(region, [2.0, 5.0, 1.5]) * x + rng.normal(size=1500)
    names = np.array(["South", "North", "West"])[region]
    e = pb.effect({"x": x, "region": names, "q": rng.normal(size=1500), "y": y}, "y", "x")
    assert "the effect differs with 'region': more where region = North;" in e.summary()
    both_ways = np.where(region == 1, 3.0, -3.0) * x + rng.normal(size=1500)
    e = pb.effect({"x": x, "region": names, "y": both_ways}, "y", "x")
    assert e.differs.by[0].where == ""


def test_too_many_levels_are_told():
    rng = np.random.default_rng(0)
    place = rng.integers(0, 80, 2000)
    z = rng.normal(size=2000)
    data = {"place": np.array([f"p{k}" for k in range(80)])[place], "z": z, "y": z * place}
    assert "too_many_levels_to_differ" in [n.kind for n in pb.effect(data, "y", "place").notes]


def test_the_report_says_which_average():
    data = two_slopes(300)
    pages = {
        average: page_html(pb.effects(data, "y", features=["x"], average=average))
        for average in ("rows", "overlap")
    }
    assert "the average over the rows at each value" in pages["rows"]
    assert "the more the column varies among similar rows" in pages["overlap"]


def test_what_is_hardly_known_at_one_point_does_not_hide_the_others():
    """Six firm points and one of a few rows, as at the end of a long tail."""
    share = np.array([0.2, 0.2, 0.2, 0.2, 0.1, 0.095, 0.005])
    covariance = np.diag([*[1.0] * 6, 1e4])
    drawn = np.random.default_rng(0).normal(size=(4000, 7)) * np.sqrt(np.diag(covariance))
    weight = by_share(share, np.diag(covariance))
    p_values = np.array([quadratic_p_value(one, weight, covariance, 1e4) for one in drawn])
    assert 0.04 < np.mean(p_values < 0.05) < 0.06
    drawn[:, :6] += [3, -3, 3, -3, 3, -3]
    found = [quadratic_p_value(one, weight, covariance, 1e4) < 0.05 for one in drawn]
    assert np.mean(found) > 0.99  # by the shares alone, 10 %


@pytest.mark.parametrize("levels", [False, True])
def test_many_products_are_summed_up_point_by_point_as_row_by_row(levels):
    rng = np.random.default_rng(0)
    n, k = 400, 6
    own = level_basis(rng.integers(k, size=n), k)
    if not levels:
        own = hat_basis(rng.normal(size=n), np.linspace(-1, 1, k))
    psi, others, weights = rng.normal(size=(n, 3)), rng.normal(size=(n, 2)), rng.random(n)
    pairs = np.array([(a, b) for a in range(5) for b in range(3)][1:], dtype=np.int32)
    basis = Interacted(own, rng.normal(size=(k, 5)), psi, pairs)
    laid = np.ascontiguousarray(basis.dense()[:, k:])
    got, crossed = basis.sums(weights, lambda rows, out: np.copyto(out, others[rows]), 2)
    expected = (laid * weights[:, None]).T @ np.hstack([others, laid])
    assert_allclose(got, expected, atol=1e-10)
    assert_allclose(crossed, own.collect(laid, weights), atol=1e-10)
    values = rng.normal(size=basis.size)
    assert_allclose(basis.times(values), basis.dense() @ values, atol=1e-10)


def test_a_part_of_the_rows_tells_how_a_treatment_that_works_unevenly_does_on_average():
    off = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=30_000)
        treated = rng.random(30_000) < 1 / (1 + np.exp(z))
        effect = 2 + z
        y = effect * treated + z + rng.normal(size=30_000)
        found = pb.effect(
            {"x": np.where(treated, "yes", "no"), "z": z}, y, "x", tidy=False, effort="quick"
        )
        contrast = found.between("no", "yes")
        off.append((contrast.value - effect.mean()) / contrast.se)
    assert np.mean(np.square(off)) < 2.5
