"""Options at the public edge: ranges, and how many threads there are on each platform."""

import os

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.base.threads import count_threads
from paribus.estimate.curve import decompose


@pytest.fixture
def made():
    return pb.datasets.body_weight(200, seed=0).table


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"min_samples_leaf": 10**20}, "min_samples_leaf must be at most 2,147,483,647, got 1"),
        ({"min_samples_leaf": 2**62}, "min_samples_leaf must be at most 2,147,483,647, got 4"),
        ({"seed": 2**64}, "seed must be at most 18,446,744,073,709,551,615, got 1"),
        ({"repeats": 2**31}, "repeats must be at most"),
        ({"n_jobs": 10**9}, "n_jobs must be at most 4,096, got 1"),
    ],
)
def test_numbers_too_large_to_count_with(made, options, sentence):
    with pytest.raises(pb.InputError, match=sentence):
        pb.effects(made, "weight", **options)


def test_the_largest_numbers_that_are_allowed(made):
    found = pb.effects(made, "weight", seed=2**64 - 1, min_samples_leaf=2**31 - 1, n_jobs=1)
    assert found["height"].impact > 0
    assert pb.stratpd(made, "weight", "height", seed=2**64 - 1).effect.size > 10


def test_more_folds_than_rows_are_as_many_as_rows(made):
    few = {name: values[:40] for name, values in made.items()}
    found = [pb.effect(few, "weight", "height", folds=folds) for folds in (10**6, 10**9)]
    assert all(e.n_rows == 40 for e in found)


@pytest.mark.parametrize("feature", [None, 3, ("height",), ("height", "sex", "education")])
def test_what_is_no_column_and_no_pair(made, feature):
    with pytest.raises(pb.InputError, match="Name two different columns"):
        pb.effect(made, "weight", feature)


def test_keep_names_columns(made):
    with pytest.raises(pb.InputError, match="There is no column 'None'"):
        pb.effects(made, "weight", keep=[None])


def test_weights_as_large_as_a_census_has_them(made):
    """Together they are more than 32 bits hold."""
    weights = np.random.default_rng(0).integers(10**5, 10**8, len(made["weight"]))
    assert weights.sum() > 2**31
    large, small = (
        pb.effect(made, "weight", "height", weights=w) for w in (weights, weights / 1e6)
    )
    np.testing.assert_allclose(large.effect, small.effect)


@pytest.mark.parametrize("ask", [pb.check, pb.effects])
def test_a_target_without_rows(ask):
    with pytest.raises(pb.InputError, match="no rows with a target value"):
        ask({"a": np.empty(0), "y": np.empty(0)}, "y")


def test_weights_of_no_rows():
    with pytest.raises(pb.InputError, match="no rows"):
        pb.effects({"x": [], "y": []}, "y", weights=[])


def without(monkeypatch, *names):
    for name in names:
        monkeypatch.delattr(os, name, raising=False)


def test_threads_where_a_process_knows_its_processors(monkeypatch):
    monkeypatch.setattr(os, "process_cpu_count", lambda: 7, raising=False)
    assert count_threads() == 7


def test_threads_on_linux(monkeypatch):
    without(monkeypatch, "process_cpu_count")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert count_threads(-1) == 3


def test_threads_on_windows_and_macos(monkeypatch):
    without(monkeypatch, "process_cpu_count", "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert count_threads() == pb.info().threads == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert count_threads() == 1


def test_effects_use_all_of_them_where_affinity_is_unknown(monkeypatch, made):
    from paribus.strata import honest

    without(monkeypatch, "process_cpu_count", "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    seen = []
    fit = honest.fit_coding
    monkeypatch.setattr(
        honest, "fit_coding", lambda *a, **k: seen.append(k["n_jobs"]) or fit(*a, **k)
    )
    found = pb.effects(made, "weight")
    assert seen == [2]
    np.testing.assert_array_equal(
        found["height"].effect, pb.effects(made, "weight", n_jobs=1)["height"].effect
    )


def numbers(n=900):
    rng = np.random.default_rng(0)
    x, z = np.round(64 * rng.normal(size=n)) / 64, rng.normal(size=n)
    return {"x": x, "z": z, "y": 2 * x + z + rng.normal(size=n)}


@pytest.mark.parametrize("far", [1e12, 1e14])
def test_far_from_zero_a_column_is_what_it_is(far):
    data = numbers()
    near = pb.effect(data, "y", "x")
    found = pb.effect({**data, "x": data["x"] + far}, "y", "x")
    assert found.impact == pytest.approx(near.impact, rel=0.02)
    np.testing.assert_allclose(found.x - far, near.x, atol=1 / 64)


@pytest.mark.parametrize("in_batches", [False, True])
def test_numbers_too_small_to_square(tmp_path, in_batches):
    data = numbers()
    data["x"] = data["x"] * 1e-154
    path = tmp_path / "small.parquet"
    pl.DataFrame(data).write_parquet(path)
    how = {"data": path, "sample_rows": 500} if in_batches else {"data": data}
    found = pb.effects(target="y", **how)
    assert "smaller than 1e-140: measure it in another unit" in str(found["x"])
    assert found["z"].explained
    data["y"] = data["y"] * 1e-154
    pl.DataFrame(data).write_parquet(path)
    with pytest.raises(pb.InputError, match="the target 'y' are all smaller than 1e-140"):
        pb.effects(target="y", **how)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_booleans_with_missing_values_make_a_frame(library):
    rng = np.random.default_rng(0)
    told = rng.choice([True, False, None], size=300).tolist()
    data = pl.DataFrame({"told": told, "z": rng.normal(size=300), "y": rng.normal(size=300)})
    data = {"pandas": data.to_pandas, "polars": data.clone, "pyarrow": data.to_arrow}[library]()
    frame = pb.effect(data, "y", "told", tidy=False).to_frame()
    assert [str(level) for level in frame["told"]] == ["False", "True", "(missing)"]


def test_one_value_has_no_slope():
    data = {**numbers(300), "x": np.eye(1, 300)[0]}
    found = pb.effect(data, "y", "x", estimator="slopes", tidy=False)
    with pytest.raises(pb.InputError, match="'x' has one value in the rows compared"):
        found.average_slope()


def test_a_look_at_a_huge_target():
    found = pb.check({**numbers(300), "y": np.exp(numbers(300)["z"]) * 1e120}, "y")
    assert "logarithm" in str(found)


def test_two_columns_that_nothing_is_left_of_to_compare():
    data = {**numbers(60), "unit": np.arange(60)}
    with pytest.raises(pb.InputError, match="Too few rows are alike in all but 'x' and 'z'"):
        pb.effect(data, "y", ("x", "z"), within="unit", tidy=False)
    few = {name: values[:4] for name, values in numbers(60).items()}
    with pytest.raises(pb.InputError, match="Too few rows are alike in all but 'x' and 'z'"):
        pb.effect(few, "y", ("x", "z"), tidy=False)


def test_two_columns_of_a_tiny_target():
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=200), "z": rng.normal(size=200)}
    y = data["x"] * (data["z"] > 0) + rng.normal(size=200)
    large, small = (
        pb.effect({**data, "y": unit * y}, "y", ("x", "z"), tidy=False) for unit in (1.0, 1e-139)
    )
    assert small.slope_of("x").p_value == pytest.approx(large.slope_of("x").p_value, rel=1e-3)


def test_rounding_alone_has_a_root():
    rounding = 1e-16 * np.random.default_rng(0).normal(size=(6, 6))
    gram = -(rounding @ rounding.T) / 1e-16 - 1e-24 * np.eye(6)
    found = decompose(gram, np.zeros(6), np.diff(np.eye(6), n=2, axis=0))
    assert np.isfinite(found.directions).all()


def test_no_sentence_tells_of_infinite_bounds():
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=40), "z": rng.normal(size=40)}
    y = rng.normal(size=40)
    found = pb.effect(data, y - y.mean() + 0.01, "x", target_scale="ratio", tidy=False)
    assert np.isinf(found.band_upper).any()
    assert "inf" not in found.summary()


def test_an_interval_that_holds_next_to_nothing_is_the_value():
    found = pb.effect(numbers(60), "y", "x", conf_level=1e-9).robustness()
    assert found.value_interval == pytest.approx(found.value)


def test_bounds_without_an_end_are_drawn_and_not_told():
    """Of one case in two hundred, a share with the others held still may be any."""
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=200), "z": rng.normal(size=200), "g": np.arange(200) % 3}
    found = pb.effects({**data, "y": np.arange(200) == 0}, "y", target_scale="ratio", n_jobs=1)
    highest = [np.nanmax(found[name].upper) for name in ("x", "z", "g")]
    assert max(highest) > 1e9
    assert found.plot().axes
    assert found["x"].chart().to_dict()
    assert "e+" not in found.summary()


@pytest.mark.parametrize("exposed", [5e-324, 1e-200])
def test_rates_beyond_what_can_be_counted(exposed):
    data = {"x": np.arange(60.0), "t": np.full(60, exposed), "y": np.arange(60) % 7}
    with pytest.raises(pb.InputError, match=r"'y per t' .* in row 1 "):
        pb.effects(data, "y", exposure="t")


def test_where_only_ids_are_left_out_no_rows_are_copies():
    names, y = [f"k{k}" for k in range(60)], np.arange(60.0) % 7
    found = pb.effects({"id": names}, y)
    assert found.n_rows == 60
    assert "copied_rows" not in [note.kind for note in found.notes]
