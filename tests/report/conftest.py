"""Effects to show."""

import numpy as np
import pytest

import paribus as pb

from odd_tables import nasty_table, odd_table


@pytest.fixture(scope="session")
def odd():
    return pb.effects(odd_table(), target="y", n_jobs=1, tidy=False)


@pytest.fixture(scope="session")
def broken():
    """Return effects of which one is broken: no rows compare its two sides."""
    x = np.concatenate([np.linspace(0, 10, 200), np.linspace(30, 40, 200)])
    y = x + np.random.default_rng(0).normal(size=400)
    return pb.effects({"x": x, "far": x > 20, "y": y}, "y", n_jobs=1, tidy=False)


@pytest.fixture(scope="session")
def nasty():
    table, target = nasty_table()
    return pb.effects(table, target=target, n_jobs=1, tidy=False)


@pytest.fixture(scope="session")
def typos():
    """Return effects that a few wild rows carry, the eighth most of all, in clusters."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    y = x + z + rng.normal(size=400)
    y[7], x[7] = 500, 2.5
    y[20:29] += np.linspace(40, 60, 9)
    table = {"x": x, "z": z, "<b>shop": np.arange(400) % 50, "y": y}
    return pb.effects(table, "y", cluster="<b>shop", n_jobs=1, tidy=False)
