"""Fixtures shared by the suite."""

import matplotlib as mpl
import pytest

import paribus as pb

mpl.use("agg")


@pytest.fixture(scope="session")
def people():
    return pb.datasets.body_weight(600, seed=1)
