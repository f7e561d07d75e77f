"""Results: stored and read back, tabled, drawn."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import paribus as pb
from paribus.table.columns import make_frame


@pytest.fixture(scope="module")
def curve(people):
    return pb.stratpd(people.table, "weight", "height", n_trials=4)


@pytest.fixture(scope="module")
def bars(people):
    return pb.catstratpd(people.table, "weight", "pregnant", n_trials=4)


@pytest.mark.parametrize("name", ["curve", "bars"])
def test_stored_and_read_back(name, request):
    result = request.getfixturevalue(name)
    stored = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    again = type(result).from_dict(stored)
    assert again.to_dict() == result.to_dict()
    np.testing.assert_array_equal(again.effect, result.effect)
    np.testing.assert_array_equal(again.trials, result.trials)
    assert again.notes == result.notes


def test_dates_and_empty_curves_are_stored_too():
    day = np.datetime64("2020-01-01") + np.arange(100) % 50
    data = {"day": day, "same": np.ones(100), "y": np.arange(100.0)}
    for feature in ("day", "same"):
        curve = pb.stratpd(data, "y", feature, min_slopes_per_x=1)
        again = pb.NumericEffect.from_dict(json.loads(json.dumps(curve.to_dict())))
        np.testing.assert_array_equal(again.x, curve.x)
        if curve.explained:
            assert again.x.dtype == curve.x.dtype
            assert again.trials.shape == curve.trials.shape


def test_other_formats_are_refused(curve):
    with pytest.raises(pb.InputError, match="stored NumericEffect of format 3"):
        pb.NumericEffect.from_dict({**curve.to_dict(), "format": 99})
    with pytest.raises(pb.InputError, match="Expected a stored CategoricalEffect"):
        pb.CategoricalEffect.from_dict(curve.to_dict())


def test_damaged_results_are_refused(curve):
    stored = curve.to_dict()
    del stored["x"]
    with pytest.raises(pb.InputError, match="stored NumericEffect is incomplete"):
        pb.NumericEffect.from_dict(stored)


def test_results_cannot_be_changed(curve):
    with pytest.raises(AttributeError):
        curve.effect = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        curve.effect[0] = 1.0


def test_tables_come_in_the_callers_library(people, curve):
    frame = pb.stratpd(people.to_frame("polars"), "weight", "height").to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["height", "effect", "slope", "support"]
    assert isinstance(curve.to_frame(), pd.DataFrame)
    bars = pb.catstratpd(people.to_frame("pandas"), "weight", "sex").to_frame()
    assert bars["sex"].tolist() == ["F", "M"]


def test_the_picture_of_a_curve(curve):
    ax = curve.plot()
    dots = ax.collections[0].get_offsets()
    np.testing.assert_allclose(dots, np.column_stack([curve.x, curve.effect]))
    lines = [line for line in ax.lines if len(line.get_xdata()) == len(curve.x)]
    np.testing.assert_allclose([line.get_ydata() for line in lines], curve.trials)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "change in weight")
    strip = ax.child_axes[0].patches[0].get_data()
    np.testing.assert_array_equal(strip.values, curve.distribution.counts)


def test_the_distribution_lies_below_the_curve(curve):
    ax = curve.plot()
    bottom, top = ax.get_ylim()
    lowest = (np.nanmin(curve.trials) - bottom) / (top - bottom)
    assert lowest > ax.child_axes[0].get_position().height / ax.get_position().height


def test_the_picture_of_levels(bars):
    ax = bars.plot()
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(dots, np.sort(bars.effect)[::-1])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["True", "False"]
    assert len(ax.collections[0].get_offsets()) == bars.trials.size


def test_many_levels_are_cut_with_a_word():
    rng = np.random.default_rng(0)
    data = {"k": rng.integers(80, size=2000), "b": rng.normal(size=2000)}
    ax = pb.catstratpd(data, rng.normal(size=2000), "k").plot()
    assert len(ax.get_yticks()) == 30
    assert ax.get_ylabel() == "k (50 more not drawn)"


def test_drawing_into_given_axes(curve):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert curve.plot(ax) is ax


def test_names_with_dollars_are_no_formulas():
    rng = np.random.default_rng(0)
    data = {"$a$b$": rng.normal(size=200), "c": rng.choice(["$0-$10", "$_$"], 200)}
    y = rng.normal(size=200)
    pb.stratpd(data, y, "$a$b$").plot().figure.canvas.draw()
    pb.catstratpd(data, y, "c").plot().figure.canvas.draw()
    ax = pb.effect(data, y, "$a$b$").robustness().plot()
    ax.figure.canvas.draw()
    words = [ax.xaxis.label, *ax.texts]
    assert not any(text.get_parse_math() for text in words)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_date_curves_become_frames_in_every_library(backend):
    rng = np.random.default_rng(0)
    day = np.datetime64("2020-01-01") + rng.integers(300, size=400)
    frame = make_frame({"day": day, "b": rng.normal(size=400), "y": rng.normal(size=400)}, backend)
    curve = pb.stratpd(frame, "y", "day")
    assert curve.to_frame().shape == (len(curve.x), 4)


def test_a_feature_called_effect_keeps_its_values():
    rng = np.random.default_rng(0)
    data = {"effect": rng.normal(size=200), "b": rng.normal(size=200)}
    frame = pb.stratpd(data, rng.normal(size=200), "effect").to_frame()
    assert list(frame.columns) == ["effect (value)", "effect", "slope", "support"]


def test_a_table_of_one_column_says_that_nothing_is_held_still():
    x = np.random.default_rng(0).normal(size=200)
    found = pb.effects({"x": x, "y": 2 * x}, "y")
    assert found.summary().startswith("What goes with y, other things equal? 200 rows, 1 column.")
    assert "nothing else held still" in found["x"].summary()
    assert "other columns held still" not in found.summary()


def test_what_several_columns_share_is_with_common_notes():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 500))
    found = pb.effects({"x": x, "z": z, "y": 2 * x + rng.standard_t(1.3, size=500)}, "y")
    assert all("heavy_tails" in [n.kind for n in e.notes] for e in found.effects)
    assert found.summary().count("One in a hundred rows") == 1
    once = found.with_common_notes()
    assert [note.kind for note in once.notes] == ["heavy_tails"]
    assert all(e.notes == () for e in once.effects)


def test_neighbours_that_resemble_each_other_are_told_of_once():
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(200), 10)
    x, v, left = rng.normal(size=(3, 200))[:, day] + 0.5 * rng.normal(size=(3, 2000))
    data = {"x": x, "v": v, "z": rng.normal(size=2000), "y": left + rng.normal(size=2000)}
    found = pb.effects(data, "y")
    told = {e.feature for e in found.effects for n in e.notes if n.kind == "neighbours_alike"}
    assert told == {"x", "v"} == {e.feature for e in found.effects if e.neighbours_alike}
    once = found.with_common_notes()
    (note,) = (n for n in once.notes if n.kind == "neighbours_alike")
    assert set(note.facts["columns"]) == told
    assert not any(n.kind == "neighbours_alike" for e in once.effects for n in e.notes)
    assert found.summary().count("resemble each other") == 1


@pytest.mark.parametrize(
    "wrong",
    [{"distribution": [1]}, {"distribution": None}, {"n_rows": "many"}, {"gaps": 3}, {"x": "a"}],
    ids=str,
)
def test_stored_values_of_another_form_are_refused(wrong):
    d = pb.datasets.quadratic(200, seed=0)
    stored = pb.stratpd(d.table, "y", "x1").to_dict()
    with pytest.raises(pb.InputError, match="NumericEffect"):
        pb.NumericEffect.from_dict({**stored, **wrong})


@pytest.mark.parametrize("stored", [[], 5, None, "{}"])
def test_what_is_no_table_of_values_is_no_stored_result(stored):
    with pytest.raises(pb.InputError, match="NumericEffect"):
        pb.NumericEffect.from_dict(stored)
