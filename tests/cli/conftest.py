"""A folder with people.csv, and stand-ins for what writes files."""

from pathlib import Path

import polars as pl
import pytest

import paribus as pb


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Put people.csv into a folder of its own and go there."""
    monkeypatch.chdir(tmp_path)
    frame = pb.datasets.body_weight(400, seed=0).to_frame("polars")
    frame.with_columns(heavy=pl.col("weight") > 200).write_csv("people.csv")
    return tmp_path


@pytest.fixture
def writers(monkeypatch):
    """Stand in for the report, the workbook and the pictures."""
    monkeypatch.setattr("paribus.cli.writing.find_spec", lambda _: True)

    def write(effects, path, progress):
        progress(1, 1)
        Path(path).write_text(" ".join(effects), encoding="utf-8")

    monkeypatch.setattr("paribus.report.page.write_page", write)
    monkeypatch.setattr("paribus.report.workbook.write_workbook", write)
    monkeypatch.setattr(
        "paribus.report.picture.save_chart",
        lambda effect, path: Path(path).write_text(effect.feature),
    )
