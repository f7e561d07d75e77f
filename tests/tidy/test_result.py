"""Proposals can be read, carried out and undone, one by one."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import paribus as pb
from paribus.cli.run import run
from paribus.table.columns import as_table


@pytest.fixture
def houses():
    rng = np.random.default_rng(3)
    n = 400
    above, below = rng.integers(300, 3000, n), rng.integers(0, 900, n)
    exper = rng.integers(0, 40, n)
    return {
        "id": rng.permutation(10**5)[:n],
        "living": above + below,
        "above": above,
        "below": below,
        "exper": exper,
        "expersq": exper**2,
        "lexper": np.log1p(exper),
        "zipcode": rng.choice([98001, 98055, 98178], n),
        "price": above + rng.normal(0, 500, n),
    }


def test_every_column_has_a_line_and_every_proposal_an_undo(houses):
    check = pb.check(houses, "price")
    assert set(check.lines()) == set(houses) - {"price"}
    for p in check:
        assert p.reason[0].isupper()
        assert p.reason.endswith((".", "?"))
        if p.is_applied:
            assert p.undo not in [q.undo for q in check.keep(p.undo) if q.is_applied]
    assert check.summary().count("\n") == len(check.lines())
    assert ">zipcode</td>" in check._repr_html_()


def test_keep_undoes_one_column(houses):
    check = pb.check(houses, "price")
    assert check.keep("id").plan().left_out == ()
    assert "zipcode" not in check.keep("zipcode:category").plan().kinds
    assert check.plan().kinds == pb.check(houses, "price", keep="id").plan().kinds
    again = pb.check(houses, "price", keep=["exper"]).plan()
    assert ("expersq", "lexper") in again.groups
    assert "exper" not in again.along.get("expersq", ())


def test_to_keep_a_part_of_a_sum_undoes_the_sum(houses):
    plan = pb.check(houses, "price", keep=["above"]).plan()
    assert all("living" not in group for group in plan.groups)
    assert "above" not in plan.along
    assert "above" not in plan.along.get("living", ())


def test_to_keep_what_is_not_there_is_refused(houses):
    with pytest.raises(pb.InputError, match="zipcod"):
        pb.check(houses, "price", keep=["zipcod"])


def test_apply_leaves_out_and_recodes(houses):
    check = pb.check(houses, "price")
    tidied = check.apply(as_table(houses).without("price"))
    assert "id" not in tidied.table.names
    assert tidied.table["zipcode"].levels == (98001, 98055, 98178)
    assert tidied.plan == check.plan()
    kinds = {p.role for p in tidied.plan.told}
    assert {"id", "group"} <= kinds


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_frame_comes_back_in_the_callers_library(houses, library):
    check = pb.check(library(houses), "price")
    assert isinstance(check.to_frame(), library)
    assert len(check.to_frame()) == len(check)


def test_it_can_be_stored(houses):
    stored = json.loads(json.dumps(pb.check(houses, "price").to_dict()))
    assert {p["column"] for p in stored["proposals"]} == set(houses) - {"price"}


def test_names_are_escaped():
    rng = np.random.default_rng(0)
    data = {"<b>": rng.normal(size=50), "y": rng.normal(size=50)}
    assert "<b>" not in pb.check(data, "y")._repr_html_()


def test_in_the_terminal(houses, tmp_path, capsys):
    file = tmp_path / "houses.csv"
    pl.DataFrame(houses).write_csv(file)
    assert run(["check", str(file), "--target", "price"]) == 0
    shown = capsys.readouterr().out
    assert "living is above + below" in " ".join(shown.split())
    assert run(["check", str(file), "-t", "price", "--json", "--keep", "id"]) == 0
    stored = json.loads(capsys.readouterr().out)
    (line,) = [p for p in stored["proposals"] if p["column"] == "id"]
    assert not line["applied"]
    assert run(["check", str(file), "-t", "price", "--keep", "nothing"]) == 2


def test_what_was_done_while_a_file_was_read_is_told(tmp_path, capsys):
    file = tmp_path / "places.csv"
    file.write_text(
        "place,x,y\n" + "".join(f"{'NA' if k % 3 else 'DE'},{k},{k % 7}\n" for k in range(90))
    )
    found, sentence = pb.check(file, "y"), "In 60 rows column 'place' is 'NA': kept as a value"
    assert sentence in found.summary()
    assert sentence in found._repr_html_().replace("&#x27;", "'")
    assert found.to_dict()["notes"][0]["text"].startswith(sentence)
    assert run(["check", str(file), "-t", "y"]) == 0
    assert sentence in " ".join(capsys.readouterr().out.split())
