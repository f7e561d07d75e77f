"""Trees grown without the compiled kernel are as good, and it is said that they are slower.

What else is compiled has a twin that gives the same: tests/test_compiled.py.
"""

import numpy as np
import pytest

from paribus.environment import info
from paribus.strata import family, grow


@pytest.fixture
def no_kernel(monkeypatch):
    for room in ("strata.family", "environment"):
        monkeypatch.setattr(f"paribus.{room}.load", lambda _: None)
    family._warn_once.cache_clear()


def make_table(n=2000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 5, n)
    X[rng.random(n) < 0.1, 2] = np.nan
    return X, X[:, 0] * 2 + np.nan_to_num(X[:, 2]) ** 2 + X[:, 3] + 0.1 * rng.normal(size=n)


def within(y, strata):
    means = np.bincount(strata, y) / np.bincount(strata)
    return np.mean((y - means[strata]) ** 2)


def test_it_warns_once(no_kernel, recwarn):
    X, y = make_table(100)
    with pytest.warns(RuntimeWarning, match="without its compiled kernel"):
        grow(X, y)
    grow(X, y)


def test_info_says_so(no_kernel):
    assert info().engine == "scikit-learn"
    assert "slower" in str(info())


@pytest.mark.filterwarnings("ignore:paribus was installed without")
@pytest.mark.parametrize(
    "option", [{}, {"weights": 1}, {"rows": 1}, {"max_features": 2, "max_depth": 4}]
)
def test_strata_are_as_good(monkeypatch, request, option):
    X, y = make_table()
    rng = np.random.default_rng(1)
    if "weights" in option:
        option = {"weights": rng.exponential(size=len(y))}
    if "rows" in option:
        option = {"rows": rng.poisson(1.0, len(y))}
    sets = [(0,), (1, 2), ()]
    fast = grow(X, y, leave_out=sets, **option)
    request.getfixturevalue("no_kernel")
    slow = grow(X, y, leave_out=sets, **option)
    np.testing.assert_array_equal(slow.apply_all(X), slow.strata_all())
    for left_out in sets:
        assert slow.strata(left_out).max() + 1 == slow.n_strata(left_out)
        slack = 2.0 if "max_features" in option else 1.2
        assert within(y, slow.strata(left_out)) < slack * within(y, fast.strata(left_out))


@pytest.mark.filterwarnings("ignore:paribus was installed without")
def test_nothing_to_split_on(no_kernel):
    X, y = make_table(50)
    assert grow(X, y, leave_out=[(0, 1, 2, 3)]).n_strata((0, 1, 2, 3)) == 1
