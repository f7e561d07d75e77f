"""Models with a known answer and tables to ask them about."""

import numpy as np
import pandas as pd
import pytest


class Formula:
    """A model that is a formula over the columns of a frame."""

    def __init__(self, formula):
        self.formula = formula

    def predict(self, X):
        """Return the formula's values."""
        return np.asarray(self.formula(X), dtype=np.float64)


@pytest.fixture(scope="session")
def formula():
    return Formula


@pytest.fixture(scope="session")
def mixed():
    """Make a pandas table with every kind of column, a moving along with b."""
    rng = np.random.default_rng(0)
    n = 300
    a = rng.normal(size=n)
    return pd.DataFrame(
        {
            "a": a,
            "b": a + rng.normal(size=n),
            "whole": rng.integers(0, 6, n),
            "city": pd.Categorical(rng.choice(["rome", "bonn", "oslo"], n)),
            "name": rng.choice(["x", "y"], n),
            "flag": rng.integers(0, 2, n).astype(bool),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
        },
        index=rng.permutation(n),
    )
