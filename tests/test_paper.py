"""How stratpd and catstratpd behave: seeds, orders, libraries, missing values, dates, forests."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import paribus as pb
from paribus.strata.paper_tree import Trees, paper_strata
from paribus.table.problem import make_problem

from literal import catstratpd_literal, stratpd_literal


def mixed(n=400, seed=0):
    """Make a table with every kind of column; y = 2 a + 5 [c == "v"] + noise."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n).round(2)
    c = rng.choice(["u", "v", "w"], size=n)
    return {
        "a": a,
        "c": c,
        "flag": rng.integers(2, size=n).astype(bool),
        "day": np.datetime64("2020-01-01") + rng.integers(300, size=n),
        "whole": rng.integers(5, size=n),
        "y": 2 * a + 5.0 * (c == "v") + rng.normal(size=n) / 10,
    }


def frames(columns):
    return {
        "dict": columns,
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "pyarrow": pa.table(columns),
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_library_does_not_matter(library):
    columns = mixed()
    frame = frames(columns)[library]
    for name in ("a", "day", "whole"):
        expected = pb.stratpd(columns, "y", name)
        got = pb.stratpd(frame, "y", name)
        np.testing.assert_array_equal(got.x, expected.x)
        np.testing.assert_array_equal(got.effect, expected.effect)
    for name in ("c", "flag", "whole", "day"):
        expected, got = pb.catstratpd(columns, "y", name), pb.catstratpd(frame, "y", name)
        assert got.levels == expected.levels
        np.testing.assert_array_equal(got.effect, expected.effect)


def test_series_and_arrays_serve_as_target():
    columns = mixed()
    X = pd.DataFrame(columns).drop(columns="y")
    expected = pb.stratpd(columns, "y", "a").effect
    for y in (columns["y"], pd.Series(columns["y"]), pl.Series(columns["y"]), list(columns["y"])):
        np.testing.assert_array_equal(pb.stratpd(X, y, "a").effect, expected)
    assert pb.stratpd(X, pd.Series(columns["y"], name="cost"), "a").target == "cost"


def test_an_array_with_names():
    columns = mixed()
    X = np.column_stack([columns["a"], columns["whole"]])
    got = pb.stratpd(X, columns["y"], "whole", names=["a", "whole"])
    same = pb.stratpd({"a": columns["a"], "whole": columns["whole"]}, columns["y"], "whole")
    np.testing.assert_array_equal(got.effect, same.effect)


@pytest.mark.parametrize("options", [{}, {"n_trials": 3}, {"n_trees": 4, "max_features": 0.5}])
def test_the_row_order_does_not_matter(options):
    columns = mixed()
    order = np.random.default_rng(1).permutation(400)
    shuffled = {k: v[order] for k, v in columns.items()}
    first, second = (pb.stratpd(d, "y", "a", **options) for d in (columns, shuffled))
    np.testing.assert_allclose(first.effect, second.effect, rtol=1e-12, atol=1e-12)
    first, second = (pb.catstratpd(d, "y", "c", **options) for d in (columns, shuffled))
    np.testing.assert_allclose(first.effect, second.effect, rtol=1e-12, atol=1e-12)


def test_same_seed_same_answer_other_seed_another():
    columns = mixed()
    first, again, other = (
        pb.stratpd(columns, "y", "a", n_trials=3, seed=seed) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first.trials, again.trials)
    assert not np.array_equal(first.effect, other.effect)


def test_threads_do_not_matter():
    columns = mixed()
    one, two = (pb.stratpd(columns, "y", "a", n_trees=8, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.effect, two.effect)


def test_nothing_of_the_callers_is_changed():
    columns = mixed()
    kept = {k: v.copy() for k, v in columns.items()}
    for values in columns.values():
        values.flags.writeable = False
    pb.stratpd(columns, "y", "a", n_trials=2)
    pb.catstratpd(columns, "y", "c", n_trials=2)
    for name, values in kept.items():
        np.testing.assert_array_equal(columns[name], values)


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
def test_the_unit_of_a_column_only_rescales_the_axis(unit):
    columns = mixed()
    plain = pb.stratpd(columns, "y", "a")
    scaled = pb.stratpd({**columns, "a": columns["a"] * unit}, "y", "a")
    np.testing.assert_allclose(scaled.x, plain.x * unit)
    np.testing.assert_allclose(scaled.effect, plain.effect, rtol=1e-9, atol=1e-9)
    other = pb.stratpd({**columns, "a": columns["a"] * unit}, "y", "whole")
    np.testing.assert_allclose(other.effect, pb.stratpd(columns, "y", "whole").effect, rtol=1e-9)


def test_missing_values_are_left_out_and_counted():
    columns = mixed()
    columns["y"][:7] = np.nan
    columns["a"][5:15] = np.nan
    columns["whole"] = np.where(np.arange(400) < 30, np.nan, columns["whole"])
    curve = pb.stratpd(columns, "y", "a")
    told = {note.kind: note.facts for note in curve.notes}
    assert told["missing_target"]["rows"] == 7
    assert told["missing_feature"]["rows"] == 8
    assert "silent_rows" not in told
    assert curve.n_rows == 393
    assert curve.n_ignored == 8
    assert np.polyfit(curve.x, curve.effect, 1)[0] == pytest.approx(2, abs=0.1)


def test_a_missing_value_elsewhere_is_a_value_of_its_own():
    rng = np.random.default_rng(0)
    a, gone = rng.normal(size=500), rng.integers(2, size=500).astype(bool)
    b = np.where(gone, np.nan, rng.normal(size=500) / 1000)
    y = a + 50 * gone
    curve = pb.stratpd({"a": a + 3 * gone, "b": b, "y": y}, "y", "a")
    assert np.polyfit(curve.x, curve.effect, 1)[0] == pytest.approx(1, abs=0.02)


def test_dates_stay_dates():
    rng = np.random.default_rng(0)
    day = np.datetime64("2020-01-01") + rng.integers(300, size=500)
    y = 0.5 * (day - np.datetime64("2020-01-01")).astype(float) + rng.normal(size=500)
    curve = pb.stratpd({"day": day, "b": rng.normal(size=500), "y": y}, "y", "day")
    assert curve.x.dtype.kind == "M"
    assert np.datetime64("2020-01-01") <= curve.x[0] < np.datetime64("2020-02-01")
    assert np.median(curve.slope) == pytest.approx(0.5, abs=0.1)


def test_the_last_level_is_kept_by_central_differences():
    columns = mixed()
    forward = pb.stratpd(columns, "y", "whole")
    central = pb.stratpd(columns, "y", "whole", difference="central")
    assert forward.x.tolist() == [0, 1, 2, 3]
    assert central.x.tolist() == [0, 1, 2, 3, 4]


def test_trials_surround_their_mean():
    columns = mixed()
    curve = pb.stratpd(columns, "y", "a", n_trials=10)
    assert curve.trials.shape == (10, len(curve.x))
    low, high = np.nanmin(curve.trials, axis=0), np.nanmax(curve.trials, axis=0)
    inside = (low - 1e-9 <= curve.effect) & (curve.effect <= high + 1e-9)
    assert inside.mean() > 0.95
    bars = pb.catstratpd(columns, "y", "c", n_trials=10)
    np.testing.assert_allclose(bars.effect, bars.trials.mean(axis=0), atol=1e-9)
    single = pb.stratpd(columns, "y", "a")
    np.testing.assert_array_equal(single.trials[0], single.effect)


@pytest.mark.parametrize("engine", ["exact", "family"])
def test_a_forest_sees_past_a_twin(engine):
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 1000))
    data = {"a": a, "twin": a, "b": b, "c": c, "y": 3 * a + rng.normal(size=1000) / 2}
    tree = pb.stratpd(data, "y", "a", engine=engine)
    assert len(tree.x) < 100

    def slope(**options):
        forest = pb.stratpd(data, "y", "a", n_trees=30, engine=engine, **options)
        return np.polyfit(forest.x, forest.effect, 1)[0]

    same_trees, few_columns = slope(), slope(max_features=1)
    assert slope(max_features=np.int64(1)) == few_columns
    drawn = slope(max_features=1, bootstrap=True)
    assert abs(drawn - 3) < 1.5
    assert abs(few_columns - 3) < 2.7 < abs(same_trees - 3)
    assert drawn != few_columns


def test_gaps_are_told():
    rng = np.random.default_rng(0)
    side = np.repeat([0.0, 1.0], 300)
    a, b = 10 * side + rng.normal(size=600), rng.normal(size=600)
    a[0] = 5.0
    curve = pb.stratpd({"a": a, "side": side, "b": b, "y": a + 20 * side + b}, "y", "a")
    gap = next(note for note in curve.notes if note.kind == "bridged_gaps")
    assert any(low < 5 < high for low, high in gap.facts["intervals"])
    assert 5.0 not in curve.x


def test_islands_are_told():
    rng = np.random.default_rng(0)
    side = rng.integers(2, size=600)
    level = np.array(["a", "b", "c", "d"])[2 * side + rng.integers(2, size=600)]
    data = {"side": side, "level": level, "y": 100.0 * side + rng.normal(size=600)}
    bars = pb.catstratpd(data, "y", "level")
    note = next(n for n in bars.notes if n.kind == "unmerged_levels")
    assert sorted(note.facts["levels"]) in (["a", "b"], ["c", "d"])
    assert np.isnan(bars.effect).sum() == 2
    assert bars.n_ignored == note.facts["rows"]
    trials = pb.catstratpd(data, "y", "level", n_trials=15)
    assert np.isnan(trials.effect).sum() == 2
    assert "unmerged_levels" in [n.kind for n in trials.notes]


def test_one_column_alone_is_its_marginal():
    x = np.repeat(np.arange(5.0), 20)
    curve = pb.stratpd({"x": x, "y": x**2}, "y", "x", min_slopes_per_x=1)
    np.testing.assert_allclose(curve.effect, [0, 1, 4, 9])
    assert curve.notes[0].kind == "nothing_held"
    bars = pb.catstratpd({"x": x, "y": x**2}, "y", "x")
    np.testing.assert_allclose(bars.effect, np.arange(5.0) ** 2 - 6)
    assert bars.notes[0].kind == "nothing_held"


def test_the_public_functions_are_the_pseudocode():
    columns = mixed(300)
    problem = make_problem(columns, "y")
    for name, central in (("a", False), ("whole", False), ("whole", True)):
        others = problem.table.without(name).matrix()
        leaf = paper_strata(others, problem.y, Trees(), _first_seed(0))[:, 0]
        x = problem.table[name].values
        expected = stratpd_literal(
            x.tolist(), problem.y.tolist(), leaf.tolist(), 5, central=central
        )
        got = pb.stratpd(columns, "y", name, difference="central" if central else "forward")
        np.testing.assert_array_equal(got.x, expected[0])
        np.testing.assert_allclose(got.effect, expected[1], atol=1e-9)
        np.testing.assert_allclose(got.support, expected[3])
    level = problem.table["c"].values.astype(int)
    others = problem.table.without("c").matrix()
    leaf = paper_strata(others, problem.y, Trees(), _first_seed(0))[:, 0]
    rng = np.random.default_rng(_first_seed(0))
    expected = catstratpd_literal(level.tolist(), problem.y.tolist(), leaf.tolist(), rng)
    got = pb.catstratpd(columns, "y", "c")
    want = np.array([expected[k] for k in range(3)])
    mean = np.average(want, weights=np.bincount(level))
    np.testing.assert_allclose(got.effect, want - mean, atol=1e-9)


def _first_seed(seed):
    """Return the tree's seed of the first trial."""
    child = np.random.SeedSequence(seed).spawn(1)[0]
    return int(np.random.default_rng(child).integers(2**31))


def test_a_forest_of_categories_keeps_its_trees_apart():
    columns = mixed()
    forest = pb.catstratpd(columns, "y", "c", n_trees=5, max_features=2)
    assert forest.effect[1] - forest.effect[0] == pytest.approx(5, abs=0.3)
    assert 0 <= forest.n_ignored < 100


def test_another_seed_grows_another_forest():
    columns = mixed()
    first, second = (
        pb.catstratpd(columns, "y", "c", n_trees=3, max_features=1, seed=seed) for seed in (0, 1)
    )
    assert not np.array_equal(first.effect, second.effect)


def test_the_family_engine_says_nearly_the_same():
    data = pb.datasets.body_weight(2000, seed=0)
    curve = pb.stratpd(data.table, "weight", "height", engine="family")
    assert np.polyfit(curve.x, curve.effect, 1)[0] == pytest.approx(10, abs=0.02)
    bars = pb.catstratpd(data.table, "weight", "pregnant", engine="family")
    assert bars.effect[1] - bars.effect[0] == pytest.approx(40, abs=1.5)


def test_lost_ends_are_told():
    curve = pb.stratpd(mixed(), "y", "whole")
    note = next(n for n in curve.notes if n.kind == "lost_ends")
    assert note.facts["rows"] == np.count_nonzero(mixed()["whole"] == 4)


def test_integer_column_names_of_pandas():
    columns = mixed()
    frame = pd.DataFrame({0: columns["a"], 1: columns["c"], 2: columns["y"]})
    by_number = pb.stratpd(frame, 2, 0)
    by_text = pb.stratpd(frame, "2", "0")
    np.testing.assert_array_equal(by_number.effect, by_text.effect)


def test_a_boolean_target_is_zero_and_one():
    columns = mixed()
    columns["y"] = columns["y"] > 1
    assert 0 < np.ptp(pb.stratpd(columns, "y", "a").effect) < 1.5


def test_long_whole_numbers_are_names():
    columns = {**mixed(), "long": 2**62 + np.arange(400) % 4}
    assert pb.catstratpd(columns, "y", "long").levels == tuple(2**62 + k for k in range(4))
    with pytest.raises(pb.InputError, match="'long' holds categories"):
        pb.stratpd(columns, "y", "long")
