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
    assert "{" not in page
    index = (tmp_path / "index.html").read_text("utf-8")
    assert index.count("<img") == 2


def test_each_figure_keeps_its_date(command, tmp_path, monkeypatch):
    days = iter(["2026-01-01", "2026-02-02"])
    where = {"machine": "a machine", "python": "3"}
    monkeypatch.setattr(command, "machine", lambda: {"date": next(days), **where})
    command.main([4])
    command.main([10])
    stored = json.loads((tmp_path / "paper.json").read_text("utf-8"))["figures"]
    assert [figure["date"] for figure in stored.values()] == ["2026-01-01", "2026-02-02"]
    page = (tmp_path / "the-paper.md").read_text("utf-8")
    assert "Drawn on 2026-01-01." in page
    assert "Drawn on 2026-02-02." in page


@pytest.fixture
def of_all_kinds(command):
    """Store a figure with a claim of each verdict and a small table."""
    claims = [
        {"paper": f"p{k}", "found": f"f{k}", "verdict": verdict}
        for k, verdict in enumerate(command.CLASSES)
    ]
    rows = {"one way": {"slope": "1.5"}, "another": {"slope": "2.5"}}
    command.store(
        "3", {"title": "Any", "setting": "Made up.", "claims": claims, "rows": rows, "numbers": {}}
    )
    return json.loads(command.RESULTS.read_text("utf-8"))


def test_verdicts_are_told_apart_on_the_page_of_figures(command, of_all_kinds):
    page = command.index(of_all_kinds)
    assert "<td class=if>holds with a condition" in page
    assert "<td class=holds>holds<" in page
    assert "<td class=beside>cannot be checked here" in page
    assert "<tr><th>another<td>2.5" in page


def test_only_what_can_be_checked_is_counted(command, of_all_kinds, tmp_path, monkeypatch):
    for name in ("method", "cost", "techniques"):
        monkeypatch.setattr(command.write_page.stated, name, list)
    command.write_page.main()
    page = (tmp_path / "the-paper.md").read_text("utf-8")
    assert "Of 3 checkable claims 1 hold, 1 hold with a condition and 1 do not; 1 more" in page
    assert "| p1 | f1 | **holds with a condition** |" in page.replace("P1", "p1").replace(
        "F1", "f1"
    )
    assert "| another | 2.5 |" in page


def test_numbers_of_the_page_are_those_of_the_benchmark(command, tmp_path, monkeypatch):
    stated = command.write_page.stated
    known = json.loads(stated.ACCURACY.read_text("utf-8"))
    known["against"]["Simpson"]["paper"] = 123.456
    changed = tmp_path / "accuracy.json"
    changed.write_text(json.dumps(known), encoding="utf-8")
    monkeypatch.setattr(stated, "ACCURACY", changed)
    assert any("the paper 123.46" in claim.found for claim in stated.method())


def test_without_the_authors_package_its_times_are_not_judged(command):
    import fig09_timing
    import looks

    claims = fig09_timing.of_times({}, {}) + fig09_timing.against_models({}, {"fit": 1.0})
    assert len(claims) == 8
    assert {claim.verdict for claim in claims} == {looks.UNKNOWN}


def test_the_authors_package_is_judged_by_its_own_times(command):
    import fig09_timing
    import looks
    import numpy as np
    import pandas as pd
    import tables

    names = ["a", "b", "ModelID"]
    X = pd.DataFrame(np.zeros((2, 3)), columns=names)
    table = tables.RealTable(X, pd.Series([0.0, 1.0]), ("b", "ModelID"))
    times = {name: {300: 5.0, 3_000: 0.1, 30_000: 1.0} for name in names}
    times["a"][30_000] = 9.0
    claims = fig09_timing.of_times({"bulldozer": times}, {"bulldozer": table})
    assert claims[0].verdict == looks.NOT
    assert "bulldozer a 9.00" in claims[0].found
    assert claims[1].verdict == looks.NOT
    assert claims[2].verdict == looks.HOLDS


def test_every_figure_has_its_module(command):
    for module, _ in command.FIGURES.values():
        assert (FOLDER / f"{module}.py").exists()
