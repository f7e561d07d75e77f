"""Rows that belong together, in a table that is read in batches."""

import numpy as np
import pandas as pd
import pytest

import paribus as pb


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(300), 20)
    x, own = rng.normal(size=(2, 300))
    z = rng.normal(size=6000)
    y = own[unit] + z + rng.normal(size=6000)
    pd.DataFrame({"x": x[unit], "z": z, "y": y, "unit": unit}).to_parquet(tmp_path / "t.parquet")
    return str(tmp_path / "t.parquet")


def test_clusters_share_their_errors_in_batches(path):
    whole = pb.effects(pd.read_parquet(path), target="y", cluster="unit", tidy=False)["x"]
    found = pb.effects(path, target="y", cluster="unit", sample_rows=2000, tidy=False)["x"]
    error, expected = (e.between(-1.0, 1.0).se for e in (found, whole))
    assert error == pytest.approx(expected, rel=0.25)  # rows of their own errors: a third of it
    assert found.p_value > 0.05
    assert found.df[0] < 300


def test_units_are_not_compared_with_themselves_in_batches(path):
    with pytest.raises(pb.InputError, match=r"Comparing 'unit' with itself .* cluster='unit'"):
        pb.effects(path, target="y", within="unit", sample_rows=2000)
