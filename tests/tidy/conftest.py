"""Random numbers for the tests of a first look."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(7)
