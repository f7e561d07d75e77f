"""SHAP values of classes: exact where trees allow it, and adding up to the predictions."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

import paribus as pb
from paribus import models
from paribus.models import shapley

N = 60
LEAVES = [
    RandomForestClassifier(8, max_depth=4, random_state=0),
    ExtraTreesClassifier(8, max_depth=4, random_state=0),
    DecisionTreeClassifier(max_depth=4, random_state=0),
]
EVERY_ROW = {"max_rows": N, "background": N}


def name_of(model):
    return type(model).__name__


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=["a", "b", "c"])
    noisy = X["a"] * X["b"] + X["a"] + 0.3 * rng.normal(size=N)
    return X, np.digitize(noisy, [-0.5, 0.5])


@pytest.fixture
def only_trees(monkeypatch):
    def refuse(*_):
        raise AssertionError("columns were permuted")

    monkeypatch.setattr(shapley, "_of_any", refuse)


def values_of(model, X, name, **options):
    return models.shap(model, X, name, **EVERY_ROW, **options).scatter.value


def literal(share, X, name):
    """Return SHAP values of a column from their definition, over every set of the others."""
    others = [c for c in X.columns if c != name]
    found = np.zeros(len(X))
    for size in range(len(others) + 1):
        weight = factorial(size) * factorial(len(others) - size) / factorial(len(X.columns))
        for known in combinations(others, size):
            found += weight * (mean_with(share, X, [*known, name]) - mean_with(share, X, [*known]))
    return found


def mean_with(share, X, known):
    """Average predictions over every row as background, some columns as the explained row has."""
    means = []
    for _, row in X.iterrows():
        mixed = X.copy()
        mixed[known] = row[known].to_numpy()
        means.append(share(mixed).mean())
    return np.array(means)


@pytest.mark.usefixtures("only_trees")
@pytest.mark.parametrize("class_", [0, 1])
@pytest.mark.parametrize("model", [LEAVES[0], LEAVES[2]], ids=name_of)
def test_values_of_a_class_are_those_of_the_definition(model, class_, table):
    X, grade = table
    model = model.fit(X, grade > 0)
    at = list(model.classes_).index(bool(class_))
    expected = literal(lambda X: 100 * model.predict_proba(X)[:, at], X, "a")
    found = values_of(model, X, "a", class_=bool(class_))
    assert np.ptp(found - expected) < 1e-4  # on the scale of the centred mean


@pytest.mark.usefixtures("only_trees")
@pytest.mark.parametrize("mode", ["interventional", "path_dependent"])
@pytest.mark.parametrize("model", LEAVES, ids=name_of)
def test_values_of_leaves_with_shares_add_up_to_the_shares(mode, model, table):
    X, grade = table
    model = model.fit(X, grade)
    for at, class_ in enumerate(model.classes_):
        total = sum(values_of(model, X, name, class_=class_, mode=mode) for name in X)
        assert np.ptp(total) > 30
        assert np.ptp(total - 100 * model.predict_proba(X)[:, at]) < 1e-4


@pytest.mark.usefixtures("only_trees")
def test_numbers_for_two_values_are_exact_too(table):
    X, grade = table
    model = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(X, grade > 0)
    own = models.shap(model, X, "a", max_rows=100).scatter.value
    both = pb.compare(X.assign(y=(grade > 0).astype(int)), "y", "a", model=model, methods=["shap"])
    np.testing.assert_allclose(both.results["SHAP, the model"].scatter.value, 100 * own, atol=1e-4)


def test_boosted_classes_are_permuted_and_by_path_refused(table):
    """The package's own values of boosted shares rescale log-odds, and are further off."""
    X, grade = table
    two, three = (
        GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
        for y in (grade > 0, grade)
    )
    expected = literal(lambda X: 100 * two.predict_proba(X)[:, 1], X, "a")
    assert np.std(values_of(two, X, "a") - expected) < 0.05 * np.std(expected)
    with pytest.raises(pb.InputError, match="add up to log-odds"):
        models.shap(two, X, "a", mode="path_dependent")
    total = sum(values_of(three, X, name, class_=2) for name in X)
    assert np.ptp(total - 100 * three.predict_proba(X)[:, 2]) < 1e-6
