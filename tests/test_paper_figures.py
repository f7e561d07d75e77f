"""The command behind `make paper`: figures, page and claims from start to end."""

import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "paper"


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Load the command with all it writes sent elsewhere, and no real data at hand."""
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    import make_all
    import tables
    import write_page

    monkeypatch.setattr(make_all, "OUT", tmp_path)
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    for module in (make_all, write_page):
        monkeypatch.setattr(module, "RESULTS", tmp_path / "paper.json")
    monkeypatch.setattr(write_page, "PAGE", tmp_path / "the-paper.md")
    return make_all


def test_some_figures(command, tmp_path, capsys):
    command.main([1, 4, 10])
    assert "Figure 1 is left out: there is no nyc_rent" in capsys.readouterr().out
    assert not (tmp_path / "figure-01.png").exists()
    for number in (4, 10):
        assert (tmp_path / f"figure-{number:02d}.png").stat().st_size > 20_000
    stored = json.loads((tmp_path / "paper.json").read_text("utf-8"))
    assert list(stored["figures"]) == ["4", "10"]
    errors = stored["figures"]["4"]["numbers"]["largest_error"]
    assert errors["paribus"] < 1
    slopes = stored["figures"]["10"]["numbers"]["slope"]
    assert slopes["paribus, together=['copy']"] == pytest.approx(3, abs=0.05)
    page = (tmp_path / "the-paper.md").read_text("utf-8")
    assert "## Figure 4: State and temperature" in page
    assert page.count("holds") > 20
    index = (tmp_path / "index.html").read_text("utf-8")
    assert index.count("<img") == 2


def test_every_figure_has_its_module(command):
    for module, _ in command.FIGURES.values():
        assert (FOLDER / f"{module}.py").exists()
