"""FPD, ICE, ALE and SHAP: exact on models whose answer is known, and like independent packages."""

import json
import sys
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import paribus as pb
from paribus import models
from paribus.models.similarity import _distances, order_by_similarity
from paribus.table.columns import Column, as_table

EVERY = [models.fpd, models.ice, models.ale]


def rise(curve, truth):
    """Return the largest departure of a curve from a truth, both centred over the rows."""
    at = np.asarray(truth)
    return np.abs(curve.effect - (at - curve.row_share @ at)).max()


def additive(X):
    level = X["city"].astype(str).map({"rome": 1.0, "bonn": 5.0, "oslo": -2.0}).to_numpy()
    days = (X["day"] - pd.Timestamp("2020-01-01")).dt.days.to_numpy()
    return (
        np.exp(X["a"]) + X["b"] ** 2 + 3 * X["whole"] + level
        + 7 * (X["name"] == "y") + 4 * X["flag"] + 0.5 * days
    )  # fmt: skip


@pytest.mark.parametrize("technique", EVERY, ids=lambda f: f.__name__)
def test_additive_models_are_told_exactly(technique, mixed, formula):
    model = formula(additive)
    assert rise(technique(model, mixed, "a"), np.exp(technique(model, mixed, "a").x)) < 1e-9
    whole = technique(model, mixed, "whole")
    assert whole.x.tolist() == [0, 1, 2, 3, 4, 5]
    assert rise(whole, 3 * whole.x) < 1e-9
    day = technique(model, mixed, "day")
    assert day.x.dtype.kind == "M"
    assert rise(day, 0.5 * day.positions) < 1e-9
    city = technique(model, mixed, "city")
    assert city.levels == ("bonn", "oslo", "rome")
    assert rise(city, [5, -2, 1]) < 1e-9
    assert rise(technique(model, mixed, "flag"), [0, 4]) < 1e-9
    assert rise(technique(model, mixed, "name"), [0, 7]) < 1e-9
    as_levels = technique(model, mixed, "whole", kind="categorical")
    assert as_levels.levels == (0, 1, 2, 3, 4, 5)
    assert rise(as_levels, 3 * np.arange(6)) < 1e-9


def test_dependent_columns_part_fpd_from_ale(mixed, formula):
    """Where a and b move together, FPD asks about rows off their line and ALE does not."""
    edge = formula(lambda X: np.where(np.abs(X["a"] - X["b"]) > 6, 100.0, 0.0) + X["a"])
    ale, fpd = models.ale(edge, mixed, "a"), models.fpd(edge, mixed, "a")
    assert rise(ale, ale.x) < 1e-9
    assert rise(fpd, fpd.x) > 1


def test_the_table_keeps_its_form(mixed):
    seen = []

    class Spy:
        def predict(self, X):
            seen.append(X)
            return np.zeros(len(X))

    models.ale(Spy(), mixed, "city")
    models.fpd(Spy(), mixed, "whole", grid=3)
    for frame in seen:
        assert list(frame.columns) == list(mixed.columns)
        assert (frame.dtypes == mixed.dtypes).all()
    assert set(seen[-1]["whole"]) <= set(mixed["whole"])


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, None])
def test_libraries_agree(convert, mixed, formula):
    plain = mixed[["a", "b", "whole"]].reset_index(drop=True)
    table = plain.to_numpy() if convert is None else convert(plain)

    def predict(X):
        a, b = (X[:, 0], X[:, 1]) if convert is None else (X["a"], X["b"])
        return np.asarray(a) * np.asarray(b)

    names = {"names": list(plain.columns)} if convert is None else {}
    for technique in EVERY:
        expected = technique(formula(lambda X: X["a"] * X["b"]), plain, "a")
        got = technique(formula(predict), table, "a", **names)
        np.testing.assert_allclose(got.effect, expected.effect, rtol=1e-9, atol=1e-12)


def test_fpd_is_scikit_learns():
    d = pb.datasets.interactions(300, seed=0)
    frame = pd.DataFrame(dict(d.X))
    forest = RandomForestRegressor(10, random_state=0).fit(frame, d.y)
    ours = models.ice(forest, frame, "x2", grid=30, curves=300, centred=False)
    theirs = partial_dependence(
        forest, frame, ["x2"], kind="both", method="brute", custom_values={"x2": ours.x}
    )
    mean = theirs["average"][0] - ours.row_share @ theirs["average"][0]
    np.testing.assert_allclose(ours.effect, mean, atol=1e-9)
    shift = ours.row_share @ theirs["average"][0]
    np.testing.assert_allclose(ours.trials, theirs["individual"][0] - shift, atol=1e-9)
    fpd = models.fpd(forest, frame, "x2", grid=30)
    np.testing.assert_array_equal(fpd.effect, ours.effect)


def pyale(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from PyALE import ale

        return ale(plot=False, include_CI=False, **options)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    n = 600
    a = rng.normal(size=n)
    level = rng.integers(0, 5, n)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=n), "level": level})
    y = np.sin(2 * a) * frame["b"] + frame["b"] ** 2 + 2.0 * (level == 3)
    return frame, RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(frame, y)


def test_numeric_ale_is_pyales(fitted):
    frame, model = fitted
    for name in ("a", "b"):
        theirs = pyale(
            X=frame, model=model, feature=[name], feature_type="continuous", grid_size=30
        )
        ours = models.ale(model, frame, name, bins=30)
        np.testing.assert_array_equal(ours.x, theirs.index)
        apart = ours.effect - theirs["eff"].to_numpy()  # they centre by bins, we by rows
        np.testing.assert_allclose(apart, apart.mean(), atol=1e-9)


def test_categorical_ale_is_pyales_in_their_order(fitted, monkeypatch):
    frame, model = fitted
    table = frame.astype({"level": str})

    class OfText:
        def predict(self, X):
            return model.predict(X.astype({"level": int})[["a", "b", "level"]])

    theirs = pyale(
        X=table.copy(), model=OfText(), feature=["level"], feature_type="categorical",
        encode_fun=lambda values: values, predictors=["a", "b", "level"],
    )  # fmt: skip
    order = [int(level) for level in theirs.index]
    columns = as_table(table)
    own = order_by_similarity(
        columns["level"].values.astype(int), 5, [columns["a"], columns["b"]]
    ).tolist()
    assert own in (order, order[::-1])
    monkeypatch.setattr(
        "paribus.models.accumulated.order_by_similarity", lambda *_: np.array(order)
    )
    ours = models.ale(OfText(), table, "level")
    np.testing.assert_allclose(ours.effect[order], theirs["eff"], atol=1e-9)


def test_second_order_ale_is_pyales(formula):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(3000, 3)), columns=["a", "b", "c"])
    model = formula(lambda X: np.sin(2 * X["a"]) * X["b"] + X["b"] ** 2 * X["c"])
    theirs = pyale(X=frame, model=model, feature=["a", "b"], grid_size=8)
    ours = models.ale_pair(model, frame, "a", "b", bins=8)
    assert ours.count.all()  # they fill rectangles without rows from others than we do
    np.testing.assert_array_equal(ours.x1, theirs.index)
    np.testing.assert_allclose(ours.effect, theirs, atol=1e-9)


def test_second_order_ale_of_a_product_is_the_product(formula):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (4000, 2)), columns=["u", "v"])
    pair = models.ale_pair(formula(lambda X: X["u"] * X["v"] + 9 * X["u"]), X, "u", "v", bins=10)
    product = np.outer(pair.x1, pair.x2)
    assert np.abs(pair.effect - product).max() < 0.05
    none = models.ale_pair(formula(lambda X: X["u"] ** 2 + 9 * X["v"]), X, "u", "v", bins=10)
    assert np.abs(none.effect).max() < 1e-9
    assert pair.to_frame().shape == (121, 3)
    assert json.dumps(pair.to_dict())
    assert pair.plot().get_xlabel() == "u"
    assert pair.chart().to_dict()["width"]


def test_alike_levels_are_neighbours():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 6, 600)
    rank = np.array([3, 0, 5, 1, 4, 2])  # where each level lies along the other column
    frame = pd.DataFrame({"level": np.array(list("abcdef"))[level], "z": rank[level] * 10.0})
    frame["z"] += 15 * rng.normal(size=600)
    table = as_table(frame)
    order = order_by_similarity(table["level"].values.astype(int), 6, [table["z"]])
    along = rank[order].tolist()
    assert along in (list(range(6)), list(range(5, -1, -1)))


def test_distances_of_levels_are_those_of_the_definition():
    """As Apley and Zhu define them: Kolmogorov and Smirnov's for numbers, shares for categories."""
    rng = np.random.default_rng(0)
    level = np.concatenate([np.arange(7), rng.integers(0, 7, 193)])
    number = np.where(rng.random(200) < 0.1, np.nan, rng.integers(0, 10, 200) + (level > 3))
    colour = np.where(rng.random(200) < 0.1, np.nan, rng.integers(0, 4, 200))
    columns = [Column("n", "number", number), Column("c", "category", colour, tuple("abcd"))]

    def literal(values, i, j, of, norm):
        known = ~np.isnan(values)
        share = [
            np.array([of(values[known & (level == k)], v).mean() for v in range(40)])
            for k in (i, j)
        ]
        return norm(np.abs(share[0] - share[1]))

    pairs = list(combinations(range(7), 2))
    below = [literal(number, i, j, np.less_equal, np.max) for i, j in pairs]
    equal = [literal(colour, i, j, np.equal, np.sum) / 2 for i, j in pairs]
    np.testing.assert_allclose(_distances(columns[0], level, 7), below, atol=1e-12)
    np.testing.assert_allclose(_distances(columns[1], level, 7), equal, atol=1e-12)


def test_two_levels_make_ale_the_same_as_fpd(fitted):
    """As the paper says of boolean columns."""
    frame, model = fitted
    frame = frame.assign(level=np.where(frame["level"] == 3, 3, 0))
    ale = models.ale(model, frame, "level", kind="categorical")
    fpd = models.fpd(model, frame, "level", kind="categorical")
    np.testing.assert_allclose(ale.effect, fpd.effect, atol=1e-9)


def test_classifiers_speak_in_percentage_points():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400)})
    y = np.where(X["a"] + rng.normal(size=400) > 0, "yes", "no")
    logit = LogisticRegression().fit(X, y)
    curve = models.fpd(logit, X, "a", target="won")
    assert (curve.target, curve.unit) == ("won is yes", "percentage points")
    assert 50 < np.ptp(curve.effect) <= 100
    other = models.fpd(logit, X, "a", target="won", class_="no")
    np.testing.assert_allclose(other.effect, -curve.effect, atol=1e-9)
    three = GradientBoostingClassifier(n_estimators=3).fit(X, np.digitize(X["a"], [-1, 1]))
    with pytest.raises(pb.InputError, match="has 3 classes"):
        models.ale(three, X, "a")
    assert models.ale(three, X, "a", class_=2).target == "prediction is 2"


def test_a_model_that_never_changes_is_said_to(formula):
    """Rounding is no effect: a model of one class has the share of 100 % everywhere."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    X["level"] = rng.integers(0, 3, 300)
    one = DecisionTreeClassifier().fit(X, np.repeat("yes", 300))
    for technique in [*EVERY, models.shap]:
        for kind, name in ((None, "a"), ("categorical", "level")):
            flat = technique(one, X, name, kind=kind, target="won")
            assert not flat.effect.any()
            assert flat.impact == 0
            flat.plot()
            assert (
                f"No change of the share of rows where won is yes with {name}, " in flat.summary()
            )
    third = formula(lambda X: np.full(len(X), 1 / 3))
    rounded = formula(lambda X: X["b"] + (X["a"] / 3 - X["a"] / 7 - X["a"] * (4 / 21)))
    for size in (200, 250, 300):
        assert not models.fpd(third, X[:size], "a").effect.any()
        assert not models.ale(rounded, X[:size], "a").effect.any()


def test_missing_values_are_left_out_and_told(formula):
    rng = np.random.default_rng(0)
    a = np.where(np.arange(200) < 20, np.nan, rng.normal(size=200))
    table = pd.DataFrame({"a": a, "b": rng.normal(size=200)})
    model = formula(lambda X: np.nan_to_num(X["a"]) + X["b"])
    for technique in EVERY:
        curve = technique(model, table, "a")
        assert curve.n_used == 180
        assert curve.notes[0].facts == {"rows": 20}
        assert rise(curve, curve.x) < 1e-9


@pytest.mark.parametrize("technique", [*EVERY, models.shap], ids=lambda f: f.__name__)
def test_a_constant_column_says_so(technique, formula):
    table = {"a": np.ones(50), "b": np.arange(50.0), "c": np.repeat("u", 50)}
    model = formula(lambda X: X["b"])
    for name in ("a", "c"):
        nothing = technique(model, table, name)
        assert not nothing.explained
        assert "same value in every row" in nothing.summary()
        nothing.plot()


def test_results_are_like_ours(fitted):
    frame, model = fitted
    for curve in (models.fpd(model, frame, "a"), models.ice(model, frame, "a", curves=5)):
        again = pb.NumericEffect.from_dict(json.loads(json.dumps(curve.to_dict())))
        np.testing.assert_array_equal(again.effect, curve.effect)
        assert np.isnan(curve.p_value)
        assert curve.lower is None
        assert "according to the model, by partial dependence" in curve.summary()
        assert curve.chart().to_dict()["datasets"]["points"]
        assert len(curve.to_frame()) == len(curve.x)
    lines = models.ice(model, frame, "a", curves=5).plot().get_lines()
    assert len(lines) == 5 + 1 + 1  # the rows, the mean and the zero line


def test_many_rows_are_sampled_and_told(fitted):
    frame, model = fitted
    curve = models.fpd(model, frame, "a", max_rows=100)
    assert curve.notes[0].facts == {"rows": 100, "of": 600}
    assert (curve.n_rows, curve.n_used) == (600, 100)
    assert models.ice(model, frame, "a", max_rows=100, curves=5).n_used == 100
    assert models.fpd(model, frame, "level", kind="categorical", max_rows=100).n_used == 100
    again, other = (models.fpd(model, frame, "a", max_rows=100, seed=s) for s in (0, 1))
    np.testing.assert_array_equal(again.effect, curve.effect)
    assert not np.array_equal(other.effect, curve.effect)


@pytest.mark.parametrize("mode", ["interventional", "path_dependent"])
def test_shap_values_of_a_forest(mode):
    d = pb.datasets.quadratic(300, sigma=0, seed=0)
    frame = pd.DataFrame(dict(d.X))
    forest = RandomForestRegressor(10, random_state=0).fit(frame, d.y)
    curve = models.shap(forest, frame, "x1", mode=mode, max_rows=100)
    assert len(curve.scatter.value) == 100
    inside = np.abs(curve.x) < 1.8
    shape = curve.effect - curve.x**2
    assert np.ptp(shape[inside]) < 0.4
    again = pb.NumericEffect.from_dict(json.loads(json.dumps(curve.to_dict())))
    np.testing.assert_array_equal(again.scatter.value, curve.scatter.value)
    assert len(curve.chart().to_dict()["datasets"]["scatter"]) == 100


def test_shap_values_of_any_model_on_any_table(mixed, formula):
    """Of an additive model a SHAP value is the column's own part less its mean."""
    curve = models.shap(formula(additive), mixed, "whole", max_rows=40)
    part = 3 * curve.scatter.at
    apart = curve.scatter.value - part
    assert np.ptp(apart) < 1e-6
    bars = models.shap(formula(additive), mixed, "city", max_rows=60)
    assert np.ptp(bars.effect - np.array([5, -2, 1])) < 1e-6
    with pytest.raises(pb.InputError, match="is for trees"):
        models.shap(formula(additive), mixed, "whole", mode="path_dependent")


def test_shap_that_is_not_installed_is_named(monkeypatch, mixed, formula):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"paribus\[shap\]"):
        models.shap(formula(additive), mixed, "a")


def test_bad_input_is_told_in_a_sentence(mixed, formula):
    model = formula(additive)
    cases = [
        (lambda: models.ale(object(), mixed, "a"), "fitted model"),
        (lambda: models.ale(model, mixed, "A"), "Did you mean 'a'"),
        (lambda: models.ale(model, mixed, "a", bins=0), "bins must be"),
        (lambda: models.fpd(model, mixed, "a", grid=1), "grid must be"),
        (lambda: models.ice(model, mixed, "a", centred=1), "centred must be True"),
        (lambda: models.fpd(model, mixed, "a", kind="number"), "kind must be"),
        (lambda: models.ale_pair(model, mixed, "a", "city"), "two different columns"),
        (lambda: models.ale(formula(lambda X: np.zeros((len(X), 2))), mixed, "a"), "shape"),
        (lambda: models.shap(model, mixed, "a", mode="tree"), "mode must be"),
    ]
    for call, words in cases:
        with pytest.raises(pb.InputError, match=words):
            call()


@pytest.mark.parametrize("strange", [np.nan, np.inf])
def test_predictions_that_are_not_finite_are_refused(strange, mixed, formula):
    one = formula(lambda X: np.where(X["b"] == mixed["b"].iloc[7], strange, X["a"]))
    told = r"NaN or infinity\) for \d+ of [\d,]+ rows given other values of 'a'"
    for technique in EVERY:
        with pytest.raises(pb.InputError, match=told):
            technique(one, mixed, "a")
    with pytest.raises(pb.InputError, match="for 300 of 300 rows"):
        models.ale(formula(lambda X: np.full(len(X), strange)), mixed, "name")
    with pytest.raises(pb.InputError, match=r"for 1 of 300 rows\. Leave out"):
        pb.compare(mixed, mixed["a"] * 2 + mixed["b"], "b", model=one, methods=["ale"])
    with pytest.raises(pb.InputError, match="NaN or infinity"):
        models.referee(one, mixed, mixed["a"] * 2 + mixed["b"], "a")
    with pytest.raises(pb.InputError, match="given other values of 'a' and 'b'"):
        models.ale_pair(formula(lambda X: np.full(len(X), strange)), mixed, "a", "b")


def test_a_level_that_no_row_was_drawn_of_is_not_told(formula):
    """Nothing is made up: values of the other levels are exact, and rare ones have none."""
    rng = np.random.default_rng(0)
    city = np.repeat(["bonn", "oslo", "rome"], 300)
    city[:4] = ["lima", "kiev", "lima", "kiev"]
    table = pd.DataFrame({"city": city, "a": rng.normal(size=900)})
    height = {"bonn": 1.0, "oslo": 5.0, "rome": -2.0, "lima": 90.0, "kiev": 90.0}
    model = formula(lambda X: truth_of(X, height))
    bars = models.shap(model, table, "city", max_rows=40, seed=1)
    unknown = [level for level, v in zip(bars.levels, bars.effect, strict=True) if np.isnan(v)]
    assert unknown == ["kiev", "lima"]
    note = next(n for n in bars.notes if n.kind == "levels_not_drawn")
    assert note.facts == {"levels": unknown}
    assert "kiev and lima" in note.text
    known = ~np.isnan(bars.effect)
    truth = np.array([height[level] for level in bars.levels])
    assert np.ptp((bars.effect - truth)[known]) < 1e-6
    assert np.average(bars.effect[known], weights=bars.count[known]) == pytest.approx(0, abs=1e-9)
    assert 0 < bars.impact < 7
    assert "highest at oslo and lowest at rome" in bars.summary()
    again = pb.CategoricalEffect.from_dict(json.loads(json.dumps(bars.to_dict())))
    np.testing.assert_array_equal(again.effect, bars.effect)
    assert bars.to_frame()["effect"].isna().sum() == 2
    bars.plot().figure.canvas.draw()
    json.dumps(bars.chart().to_dict(), allow_nan=False)
    both = pb.compare(
        table, truth_of(table, height), "city", model=model, methods=["shap", "fpd"], seed=3
    )
    assert np.isnan(both.results["SHAP, the model"].effect).sum() == 2
    both.plot().canvas.draw()
    json.dumps(both.chart().to_dict(), allow_nan=False)
    assert json.dumps(both.to_dict(), allow_nan=False)


def truth_of(table, height):
    return table["city"].map(height).to_numpy() + table["a"].to_numpy()
