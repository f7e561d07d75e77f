"""Fixtures shared by the suite."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

import paribus as pb

mpl.use("agg")


@pytest.fixture(scope="session")
def people():
    """Make a small body-weight table, shared because nobody changes it."""
    return pb.datasets.body_weight(600, seed=1)


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    plt.close("all")
