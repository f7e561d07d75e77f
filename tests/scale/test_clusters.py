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


def test_rows_without_a_cluster_are_said_to_have_none(path):
    data = pd.read_parquet(path)
    data.loc[data.index % 10 == 0, "unit"] = np.nan
    data.to_parquet(path)
    notes = {n.kind: n.text for n in pb.effects(path, "y", cluster="unit", sample_rows=2000).notes}
    assert notes["without_unit"].startswith("600 rows that belong to no known unit")
    assert "zero_weight" not in notes
    assert "few_clusters" not in notes  # there are 300; few of them are in the sample


@pytest.mark.parametrize("sample_rows", [1000, 2500])
def test_clusters_larger_than_the_sample_are_told_of_or_compared(tmp_path, sample_rows):
    rng = np.random.default_rng(0)
    unit = rng.integers(6, size=6000)
    x, z = rng.normal(size=(2, 6000))
    y = x + z + rng.normal(size=6)[unit] + rng.normal(size=6000)
    path = str(tmp_path / "t.parquet")
    pd.DataFrame({"x": x, "z": z, "y": y, "unit": unit}).to_parquet(path)
    if sample_rows == 1000:
        with pytest.raises(pb.InputError, match="those of 'unit' are so many"):
            pb.effects(path, "y", cluster="unit", sample_rows=sample_rows)
        return
    found = pb.effects(path, "y", cluster="unit", sample_rows=sample_rows)["x"]
    assert found.average_slope().value == pytest.approx(1, abs=0.1)
    (few,) = (note for note in found.notes if note.kind == "few_clusters")
    assert few.facts["clusters"] == 4  # the other two are those that the trees were grown on
