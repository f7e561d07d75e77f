"""A model beside ours: asked of the same class, in the same unit, or refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

import paribus as pb
from paribus import models


def steep(n=600):
    """Return two columns, the first of which goes with a class nearly alone."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    return X, (X["a"] + 0.5 * rng.normal(size=n) > 0).to_numpy()


def rise(effect):
    """Return the effect's change from its first point to its last."""
    return effect.effect[-1] - effect.effect[0]


@pytest.fixture(scope="module")
def graded():
    """Make a table whose classes are in another order than a model's: low, high and high, low."""
    X, up = steep()
    grade = pd.Categorical(np.where(up, "high", "low"), ["low", "high"], ordered=True)
    model = LogisticRegression().fit(X, np.where(up, "high", "low"))
    assert list(model.classes_) == ["high", "low"]
    return X.assign(y=grade), model


@pytest.mark.parametrize(("class_", "sign"), [(None, 1), ("high", 1), ("low", -1)])
def test_the_class_is_the_targets_whatever_the_models_order(graded, class_, sign):
    table, model = graded
    both = pb.compare(
        table, "y", "a", model=model, class_=class_, methods=["paribus", "fpd", "ale"]
    )
    for name, result in both.results.items():
        assert sign * rise(result) > 50, name
        assert result.target == f"y is {class_ or 'high'}"
    verdict = models.referee(model, table, "y", "a", class_=class_)
    assert sign * rise(verdict.model) > 50
    assert verdict.model.target == verdict.ours.target
    assert both.models[0].r2 > 0.5


def test_classes_that_a_model_does_not_know_are_refused(graded):
    table, _ = graded
    X, up = steep()
    numbered = LogisticRegression().fit(X, up.astype(int))
    letters = LogisticRegression().fit(X, np.where(up, "y", "n"))
    zeds = X.assign(y=np.where(up, "z", "n"))
    cases = [(numbered, table, "'high'"), (letters, zeds, "'z'")]
    for model, data, unknown in cases:
        told = f"does not know the class {unknown} of 'y': its classes are"
        with pytest.raises(pb.InputError, match=told):
            pb.compare(data, "y", "a", model=model)
        with pytest.raises(pb.InputError, match=told):
            models.referee(model, data, "y", "a")
    with pytest.raises(pb.InputError, match="does not know the class 'zz'"):
        models.fpd(letters, X, "a", class_="zz")


@pytest.mark.parametrize("low", [0, 3])
def test_numbers_predicted_for_two_values_are_told_in_points(low):
    X, up = steep()
    line = LinearRegression().fit(X, low + 2.0 * up)
    table = X.assign(won=low + 2 * up)
    slope = 50 * line.coef_[0]  # two apart are a hundred percentage points
    for class_, sign in ((None, 1), (low, -1)):
        verdict = models.referee(line, table, "won", "a", class_=class_)
        span = verdict.model.x[-1] - verdict.model.x[0]
        assert rise(verdict.model) == pytest.approx(sign * slope * span)
        assert verdict.model.unit == verdict.ours.unit == "percentage points"
        both = pb.compare(table, "won", "a", model=line, class_=class_, methods=["ale"])
        np.testing.assert_allclose(
            np.diff(both.results["ALE, the model"].effect), np.diff(verdict.model.effect)
        )
        assert both.verdicts["the model"].share == verdict.share
    flags = X.assign(won=up)
    straight = LinearRegression().fit(X, up)
    assert rise(models.referee(straight, flags, "won", "a").model) == pytest.approx(
        100 * straight.coef_[0] * np.ptp(X["a"])
    )


def test_numbers_and_classes_are_not_compared(graded):
    table, _ = graded
    X, up = steep()
    line = LinearRegression().fit(X, up)
    with pytest.raises(pb.InputError, match="predicts numbers, not the share of"):
        models.referee(line, table, "y", "a")
    with pytest.raises(pb.InputError, match="predicts numbers, not the share of"):
        pb.compare(X.assign(y=np.arange(len(X)) % 3), "y", "a", class_=2, model=line)
    with pytest.raises(pb.InputError, match="predicts classes, and 'y' is explained as a number"):
        pb.compare(X.assign(y=X["a"] + X["b"]), "y", "a", model=LogisticRegression().fit(X, up))


def test_a_target_inside_an_array_is_left_out():
    d = pb.datasets.quadratic(500, seed=0)
    X = np.column_stack([d.X["x1"], d.X["x2"]])
    model = GradientBoostingRegressor(n_estimators=20).fit(X, d.y)
    names = ["y", "x1", "x2"]
    inside = models.referee(model, np.column_stack([d.y, X]), "y", "x1", names=names)
    beside = models.referee(model, X, d.y, "x1", names=names[1:])
    np.testing.assert_array_equal(inside.model.effect, beside.model.effect)


def test_what_cannot_be_asked_is_told_in_a_sentence():
    X, up = steep(200)
    line = LinearRegression().fit(X, up)
    endless = X.assign(a=X["a"].where(X.index != 5, np.inf))
    whole = pd.DataFrame({"a": np.arange(9), "b": np.arange(9)})

    class Nameless:
        def predict_proba(self, X):
            return np.ones((len(X), 2)) / 2

    class Flat(Nameless):
        classes_ = (0, 1)

        def predict_proba(self, X):
            return np.ones(len(X))

    left_in = X.assign(y=up)
    cases = [
        (line, endless, "Column 'a' is infinite in row 5"),
        (line, endless.assign(a=endless["a"].replace(np.inf, 1e200)), "beyond 1e150 in row 5"),
        (LinearRegression().fit(whole, np.arange(9)), whole[:0], "The table has no rows"),
        (Nameless(), X, "Nameless has predict_proba but no classes_"),
        (LinearRegression, X, "LinearRegression is a kind of model, not a fitted one"),
        (LinearRegression(), X, "cannot predict from this table .*not fitted"),
        (Flat(), X, "cannot predict from this table .*IndexError"),
        (line, left_in, "ValueError: The feature names .* exactly the columns"),
    ]
    for technique in (models.fpd, models.ice, models.ale, models.shap):
        for model, data, words in cases:
            with pytest.raises(pb.InputError, match=words) as told:
                technique(model, data, "a")
            assert "\n" not in str(told.value)
    assert models.ale(line, left_in, "a", target="y").explained


def test_the_referee_says_why_there_is_no_band(formula):
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    table = pd.DataFrame({"a": a, "twin": 2 * a, "y": a + rng.normal(size=300)})
    with pytest.raises(
        pb.InputError, match=r"no band .* 'a' by\. .*'twin' fixes it\. Leave 'twin'"
    ):
        models.referee(formula(lambda X: X["a"]), table, "y", "a")
    gone = pd.DataFrame({"b": a, "c": np.where(np.arange(300) < 30, np.nan, 7.0), "y": table["y"]})
    with pytest.raises(pb.InputError, match="the same value in every row"):
        models.referee(formula(lambda X: X["b"]), gone, "y", "c")
