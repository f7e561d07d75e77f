"""The command line: what it prints and what it writes."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.cli.run import run

from people_table import ASK, names

ROOT = Path(__file__).parents[2]


def test_effects_are_ranked_with_curves_and_sentences(people, capsys):
    assert run(["effects", *ASK]) == 0
    shown = capsys.readouterr()
    assert "What goes with weight, other things equal? 400 rows, 4 columns." in shown.out
    assert shown.out.index("height") < shown.out.index("pregnant")
    assert "▁" in shown.out
    assert "Each extra 1 of height goes with about 10 more weight" in shown.out
    assert shown.err == ""


def test_the_same_as_in_python(people, capsys):
    assert run(["effects", *ASK, "--json", "--seed", "3", "--level", "0.9", "--threads", "1"]) == 0
    got = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    table = pl.read_csv("people.csv").drop("heavy")
    wanted = pb.effects(table, target="weight", seed=3, conf_level=0.9)
    assert got.ranking == wanted.ranking
    np.testing.assert_array_equal(got["height"].upper, wanted["height"].upper)


def test_csv_is_the_ranking_or_one_curve(people, capsys):
    assert run(["effects", *ASK, "--csv"]) == 0
    ranking = pl.read_csv(capsys.readouterr().out.encode())
    assert ranking["column"].to_list()[0] == "height"
    assert run(["effects", *ASK, "--csv", "--feature", "height"]) == 0
    curve = pl.read_csv(capsys.readouterr().out.encode())
    assert curve.columns[:2] == ["height", "effect"]
    assert run(["effects", *ASK, "--csv", "-f", "height", "-f", "sex"]) == 0
    assert pl.read_csv(capsys.readouterr().out.encode()).height == 2


def test_csv_holds_no_formula(people, capsys):
    table = pl.read_csv("people.csv").rename({"height": "=cmd|' /C calc'!A0"})
    marks = (
        pl.when(pl.col("sex") == table["sex"][0]).then(pl.lit("@SUM(1)")).otherwise(pl.lit("+1+1"))
    )
    table.with_columns(sex=marks).write_csv("people.csv")
    assert run(["effects", *ASK, "--csv"]) == 0
    ranking = capsys.readouterr().out
    assert run(["effects", *ASK, "--csv", "-f", "sex"]) == 0
    said = ranking + capsys.readouterr().out
    assert "cmd|" in said
    assert "@SUM" in said
    cells = [cell.strip('"') for line in said.splitlines() for cell in line.split(",")]
    assert not any(cell.startswith(("=", "@", "+1")) for cell in cells)


def test_options_reach_the_library(people, capsys):
    asked = ["effects", "people.csv", "-t", "heavy", "--class", "false", "--drop", "weight"]
    assert run([*asked, "--sample", "300", "--json", "--categorical", "education"]) == 0
    found = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    assert found.target == "heavy is false"
    assert found.n_rows == 300
    assert [note.kind for note in found.notes] == ["dropped", "sampled", "class_target"]
    assert isinstance(found["height"], pb.NumericEffect)
    asked = ["effects", "people.csv", "-t", "weight", "--weights", "education", "--json"]
    assert run([*asked, "--categorical", "height", "--feature", "sex"]) == 0
    assert list(pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))) == ["sex"]


def test_columns_move_together(people, capsys):
    table = pl.read_csv("people.csv")
    table.with_columns(cm=pl.col("height") * 2.54).write_csv("people.csv")
    asked = ["effects", *ASK, "--together", "height", "--together", "cm", "--json"]
    assert run(asked) == 0
    found = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    alone = pb.effect(table.drop("heavy"), "weight", "height")
    np.testing.assert_allclose(found["height"].effect, alone.effect)
    assert found["height"].notes[0].text.startswith("Moved along with 'height': 'cm'.")
    assert "moved_together" not in [note.kind for note in found["sex"].notes]
    assert run(["effects", *ASK, "--together", "cm", "-f", "height", "--json"]) == 0
    again = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    np.testing.assert_array_equal(again["height"].effect, found["height"].effect)
    assert run(["effects", *ASK, "--together", "cm"]) == 2
    assert "'cm' alone cannot move together." in capsys.readouterr().err


def test_a_target_made_categorical(people, capsys):
    table = pl.read_csv("people.csv").with_columns(grade=pl.int_range(400) % 3)
    table.write_csv("people.csv")
    asked = ["effects", "people.csv", "-t", "grade", "--json"]
    assert run([*asked, "--categorical", "grade", "--class", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "grade is 2"
    assert run([*asked, "--categorical", "grade"]) == 2
    assert "--class on the command line" in capsys.readouterr().err


def test_report_and_workbook(people, writers, capsys):
    assert run(["report", *ASK, "--excel", "book.xlsx"]) == 0
    assert names(people) == ["book.xlsx", "people.csv", "people.html"]
    assert Path("people.html").read_text(encoding="utf-8").startswith("height")
    out = capsys.readouterr().out
    assert f"The report is in {people / 'people.html'}" in out
    assert f"The workbook is in {people / 'book.xlsx'}" in out


def test_plot(people, writers, capsys):
    assert run(["plot", *ASK, "--feature", "height", "-o", "height.svg"]) == 0
    assert Path("height.svg").read_text(encoding="utf-8") == "height"
    assert "height.svg" in capsys.readouterr().out


def test_demo_names_its_page_and_opens_it_when_asked(people, writers, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    small = pb.datasets.body_weight(300, seed=0)
    monkeypatch.setattr("paribus.datasets.diamonds", lambda: small)
    assert run(["demo", "-o", "page.html"]) == 0
    assert opened == []
    assert f"The report is in {people / 'page.html'}" in capsys.readouterr().out
    assert run(["demo", "-o", "page.html", "--open"]) == 0
    assert opened == [(people / "page.html").as_uri()]


def test_info_and_version(capsys):
    assert run(["info"]) == 0
    assert str(pb.info()) in capsys.readouterr().out
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"paribus {pb.__version__}\n"


@pytest.mark.parametrize("command", [[], ["demo"], ["report"], ["effects"], ["plot"], ["info"]])
def test_every_command_has_help_with_an_example(command, capsys):
    assert run([*command, "--help"]) == 0
    assert "Example: paribus " in capsys.readouterr().out
    assert run([]) == 0


def test_the_reference_is_current():
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    generate = module_from_spec(spec)
    spec.loader.exec_module(generate)
    for name, page in generate.PAGES.items():
        stored = (generate.REFERENCE / name).read_text(encoding="utf-8")
        assert stored == page(), "run: make docs"


def test_interactions_as_a_table_as_csv_and_as_json(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).uniform(-1, 1, (600, 3))
    y = x[:, 0] * x[:, 1]
    rows = [f"{a},{b},{c},{d}" for (a, b, c), d in zip(x, y, strict=True)]
    Path("t.csv").write_text("\n".join(["a,b,c,y", *rows]), encoding="utf-8")
    assert run(["interactions", "t.csv", "-t", "y"]) == 0
    shown = capsys.readouterr().out
    assert "Which columns act together on y? 600 rows, 3 columns." in shown
    assert "1   a by b" in shown
    assert "a by c" not in shown
    assert run(["interactions", "t.csv", "-t", "y", "--csv", "-f", "c"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("first,second,third,strength")
    assert len(lines) == 3
    assert run(["interactions", "t.csv", "-t", "y", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["features"] == ["a", "b"]


def test_two_columns_at_once(people, capsys, tmp_path):
    assert run(["effects", *ASK, "-f", "height", "--beside", "sex"]) == 0
    shown = capsys.readouterr().out
    assert "sex = F" in shown
    assert "goes with" in shown
    assert run(["effects", *ASK, "-f", "height", "--beside", "sex", "--csv"]) == 0
    table = pl.read_csv(capsys.readouterr().out.encode())
    assert table.columns == ["height", "sex", "effect", "lower", "upper", "pure", "count"]
    picture = tmp_path / "both.svg"
    assert run(["plot", *ASK, "-f", "height", "--beside", "sex", "-o", str(picture)]) == 0
    assert "sex = M" in picture.read_text()
    capsys.readouterr()
    assert run(["effects", *ASK, "--beside", "sex"]) != 0
    assert "one --feature" in capsys.readouterr().err
