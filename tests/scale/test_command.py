"""The command line reads in batches what would not fit."""

import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import csv

from paribus.cli.commands import paribus
from paribus.files.limits import memory, would_fit
from paribus.scale import run

from scale_tables import make_table


@pytest.fixture
def big(tmp_path, monkeypatch):
    """Return a file that is too big for the memory there may be."""
    monkeypatch.setenv("PARIBUS_MEMORY", "1MB")
    monkeypatch.setattr(run, "SAMPLE_ROWS", 400)
    path = tmp_path / "big.parquet"
    pq.write_table(make_table(4_000), path)
    return path


def told(*arguments):
    return CliRunner().invoke(paribus, [str(a) for a in arguments], standalone_mode=False)


def test_a_file_that_would_not_fit_is_read_in_batches(big, tmp_path):
    assert not would_fit(str(big))
    page = tmp_path / "page.html"
    done = told("report", big, "--target", "y", "--drop", "few", "-o", page)
    assert done.exception is None, done.output
    assert "The strata were found on 400 rows drawn at random" in page.read_text(encoding="utf-8")
    done = told("effects", big, "-t", "y", "--drop", "few", "--json")
    found = json.loads(done.stdout)
    assert found["n_rows"] == 4_000
    assert "few" not in [e["feature"] for e in found["effects"]]


def test_a_csv_that_would_not_fit_too(big, tmp_path):
    path = tmp_path / "big.csv"
    csv.write_csv(pq.read_table(big), path)
    done = told("effects", path, "-t", "y", "--json")
    assert done.exception is None
    assert [note["kind"] for note in json.loads(done.stdout)["notes"]][:2] == [
        "not_looked_at",
        "trees_on_sample",
    ]


def test_a_file_that_fits_is_not(big, monkeypatch):
    monkeypatch.setenv("PARIBUS_MEMORY", "2GB")
    assert would_fit(str(big))
    done = told("effects", big, "-t", "y", "--json")
    assert "trees_on_sample" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Which column is to be explained"),
        (("-t", "y", "--drop", "y"), "Choose one"),
        (("-t", "y", "--drop", "z"), "no column 'z'"),
        (("-t", "z"), "no column 'z'"),
        (("-t", "y", "--sample", "100"), "leave --sample out"),
    ],
)
def test_bad_questions(big, arguments, message):
    assert message in str(told("effects", big, *arguments).exception)


def test_the_memory_there_may_be(monkeypatch):
    for text, expected in {"500MB": 5e8, "8 GB": 8e9, "1000": 1e3, "1.5kb": 1.5e3}.items():
        monkeypatch.setenv("PARIBUS_MEMORY", text)
        assert memory() == expected
    monkeypatch.setenv("PARIBUS_MEMORY", "much")
    with pytest.raises(ValueError, match="PARIBUS_MEMORY must be an amount"):
        memory()
