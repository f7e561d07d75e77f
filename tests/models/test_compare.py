"""Methods side by side, and the referee."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import paribus as pb
from paribus import models


@pytest.fixture(scope="module")
def weather():
    return pb.datasets.weather(seed=0).to_frame("pandas")


@pytest.fixture(scope="module")
def curve(people):
    return pb.compare(
        people.table, "weight", "height", methods=["paribus", "stratpd", "ice", "ale"]
    )


def test_models_are_fitted_and_said_to_be(curve):
    assert list(curve.results) == [
        "paribus", "StratPD", "ICE, random forest", "ICE, boosting", "ALE, random forest",
        "ALE, boosting",
    ]  # fmt: skip
    assert [w.name for w in curve.models] == ["random forest", "boosting"]
    first = curve.about()[0]
    assert "fitted here on 480 rows: on the other 120" in first
    assert f"validation R² {curve.models[0].r2:.3f}" in first
    assert 0.95 < curve.models[0].r2 < 1
    assert all(name in curve.summary() for name in curve.results)


def test_one_table_at_one_height(curve, people):
    frame = curve.to_frame()
    assert list(frame.columns) == ["height", *curve.results]
    ours = curve.results["paribus"]
    np.testing.assert_allclose(frame["paribus"], ours.effect)
    apart = frame.drop(columns="height").sub(frame["paribus"], axis=0)
    # At one height: the mean difference over the rows is nothing, whatever a method's own zero.
    for name in apart:
        known = ~np.isnan(apart[name])
        assert np.average(apart[name][known], weights=ours.row_share[known]) == pytest.approx(
            0, abs=1e-9
        )
    assert curve.results["StratPD"].effect[0] == 0
    assert apart["StratPD"].abs().max() < 0.5
    assert json.loads(json.dumps(curve.to_dict()))["models"][0]["n_test"] == 120


def test_pictures_hold_what_was_found(curve):
    figure = curve.plot()
    assert [ax.get_title().partition(" (")[0] for ax in figure.axes] == list(curve.results)
    line = figure.axes[4].get_lines()[-1]
    np.testing.assert_allclose(line.get_ydata(), curve.lined_up()["ALE, random forest"])
    assert len(figure.axes[2].get_lines()) > 10  # the rows' own curves
    spec = curve.chart().to_dict()
    assert [p["title"].partition(" (")[0] for p in spec["concat"]] == list(curve.results)
    assert not plt.get_fignums()  # a notebook shows the figure that is returned, and no other


def test_categories(weather):
    bars = pb.compare(weather, "temperature", "state", methods=["paribus", "stratpd", "fpd", "ale"])
    frame = bars.to_frame()
    assert frame["state"].tolist() == ["AZ", "CA", "CO", "NV", "WA"]
    truth = np.array([90, 70, 40, 80, 60])
    for name in bars.results:
        apart = frame[name] - truth
        assert np.ptp(apart) < 2.5, name
    assert len(bars.plot().axes) == 6
    assert bars.chart().to_dict()["concat"]
    verdict = bars.verdicts["boosting"]
    assert verdict.share < 0.5
    verdict.plot()
    assert verdict.chart().to_dict()["layer"]


def test_own_models_come_as_they_are(weather):
    encode = OneHotEncoder(handle_unknown="ignore")
    model = make_pipeline(encode, LinearRegression())
    X = weather.drop(columns="temperature")
    model.fit(X, weather["temperature"])
    given = pb.compare(weather, "temperature", "state", model={"line": model}, methods=["ale"])
    assert list(given.results) == ["ALE, line"]
    assert "came fitted" in given.about()[0]
    assert given.models[0].r2 == pytest.approx(model.score(X, weather["temperature"]))
    beside = pb.compare(X, weather["temperature"], "state", model=model, methods=["ale"])
    np.testing.assert_allclose(
        beside.results["ALE, the model"].effect, given.results["ALE, line"].effect
    )


def test_two_valued_targets_are_in_percentage_points():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600)})
    won = np.where(X["a"] + rng.normal(size=600) > 0, "yes", "no")
    table = X.assign(won=won)
    own = pb.compare(table, "won", "a")
    assert own.unit == "percentage points"
    for result in own.results.values():
        assert 40 < np.ptp(result.effect) < 200
    assert 0.05 < own.models[0].r2 < 0.8
    given = pb.compare(table, "won", "a", model=LogisticRegression().fit(X, won), methods=["fpd"])
    line = LinearRegression().fit(X, won == "yes")
    numbers = pb.compare(
        X.assign(won=(won == "yes").astype(int)), "won", "a", model=line, methods=["fpd"]
    )
    spans = [np.ptp(next(iter(c.results.values())).effect) for c in (given, numbers)]
    assert 50 < spans[0] < 100
    assert 100 < spans[1] < 250  # a straight line runs out of the unit interval


def test_the_referee_finds_a_wrong_shape():
    d = pb.datasets.quadratic(1500, sigma=0.5, seed=0)
    X = pd.DataFrame(dict(d.X))
    line = LinearRegression().fit(X, d.y)
    verdict = models.referee(line, X, d.y, "x1", name="the line")
    assert verdict.share > 0.8
    assert verdict.share_of_axis > 0.8
    sides = {s.side for s in verdict.stretches}
    assert sides == {"above", "below"}
    worst = verdict.stretches[0]
    assert worst.start > 1 or worst.stop < -1  # the ends of the parabola
    assert "By ALE, the line leaves the 95 % band of x1 at" in verdict.summary()
    fine = models.referee(line, X, d.y, "x2")
    assert fine.share < 0.05
    assert json.dumps(verdict.to_dict())
    ax = verdict.plot()
    np.testing.assert_allclose(ax.get_lines()[-1].get_ydata(), verdict.model.effect)
    assert verdict.chart().to_dict()["layer"]


def test_the_referee_clears_the_truth():
    d = pb.datasets.quadratic(1500, sigma=1, seed=1)
    X = pd.DataFrame(dict(d.X))

    class Truth:
        def predict(self, X):
            return X["x1"] ** 2 + X["x2"]

    verdict = models.referee(Truth(), X, d.y, "x1")
    assert verdict.share == 0
    assert verdict.summary().endswith("stays inside the 95 % band of x1 everywhere.")


def test_each_side_of_a_gap_has_its_own_height():
    rng = np.random.default_rng(0)
    side = np.repeat([0.0, 1.0], 400)
    a = 10 * side + rng.uniform(0, 3, 800)
    y = a + 50 * side + rng.normal(size=800)
    table = pd.DataFrame({"a": a, "side": side.astype(str)})

    class Slope:
        def predict(self, X):
            return np.asarray(X["a"])

    verdict = models.referee(Slope(), table, y, "a")
    ours = verdict.ours
    assert len(ours.gaps) == 1
    assert set(ours.pieces) >= {0, 1}
    assert verdict.share < 0.05


def test_bad_input_is_told_in_a_sentence(people, weather):
    cases = [
        (lambda: pb.compare(people.table, "weight", "height", methods=[]), "at least one"),
        (lambda: pb.compare(people.table, "weight", "height", methods=["pdp"]), "methods must be"),
        (lambda: pb.compare(people.table, "weight", "weight"), "target itself"),
        (lambda: pb.compare(people.table, "weight", "height", seed=-1), "seed"),
        (lambda: pb.compare(weather, "temperature", "state", model=3), "fitted model"),
        (
            lambda: models.referee(
                LinearRegression(), {"a": np.ones(9), "y": np.arange(9.0)}, "y", "a"
            ),
            "no band",
        ),
    ]
    for call, words in cases:
        with pytest.raises(pb.InputError, match=words):
            call()


def test_without_models_nothing_is_fitted(people):
    both = pb.compare(people.table, "weight", "sex", methods=["paribus", "stratpd"])
    assert both.models == ()
    assert list(both.results) == ["paribus", "CatStratPD"]


def test_the_seed_reaches_every_draw():
    """Where rows are drawn, another seed draws others; ALE asks about all of them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=1500), "b": rng.normal(size=1500)})
    y = X["a"] * X["b"] + X["a"]

    class Product:
        def predict(self, X):
            return np.asarray(X["a"] * X["b"] + X["a"])

    ways = ["fpd", "ice", "ale", "shap"]
    found = [
        pb.compare(X, y, "a", model=Product(), methods=ways, seed=seed).results
        for seed in (0, 0, 1)
    ]
    for name, first in found[0].items():
        np.testing.assert_array_equal(first.effect, found[1][name].effect)
        same = np.array_equal(first.effect, found[2][name].effect)
        assert same == name.startswith("ALE"), name
    drawn = models.fpd(Product(), X, "a", seed=1)
    np.testing.assert_array_equal(found[2]["FPD, the model"].effect, drawn.effect)
