"""Fixtures shared by the suite. matplotlib is left alone until a test draws."""

import os
import sys

import pytest

import paribus as pb

os.environ["MPLBACKEND"] = "agg"


@pytest.fixture(scope="session")
def people():
    """Make a small body-weight table, shared because nobody changes it."""
    return pb.datasets.body_weight(600, seed=1)


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
