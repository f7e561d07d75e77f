"""The command line: what rows stand for."""

import json

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.cli.run import run


@pytest.fixture
def shops(tmp_path, monkeypatch):
    """Put sales.csv, rows of 40 shops, into a folder of its own and go there."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 600
    shop = rng.integers(0, 40, n)
    price = rng.normal(size=n) + rng.normal(size=40)[shop]
    sold = price + 2 * rng.normal(size=40)[shop] + rng.normal(size=n)
    table = {"price": price, "day": rng.integers(1, 8, n), "shop": [f"s{k}" for k in shop]}
    table |= {"often": rng.integers(1, 4, n), "share": rng.uniform(0.5, 2, n), "sold": sold}
    pl.DataFrame(table).write_csv("sales.csv")
    return tmp_path


WILD = {"price": 5.0, "sold": 900.0}


ROLES = {"weights": "share", "counts": "often", "cluster": "shop", "within": "shop"}


@pytest.mark.parametrize("role", ROLES)
def test_what_rows_stand_for_is_said_as_in_python(shops, capsys, role):
    name = ROLES[role]
    assert run(["effects", "sales.csv", "-t", "sold", f"--{role}", name, "--json"]) == 0
    got = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))
    wanted = pb.effects(pl.read_csv("sales.csv"), "sold", **{role: name})
    assert name not in got.ranking
    np.testing.assert_allclose(got["price"].upper, wanted["price"].upper, rtol=1e-6)


def test_levels_are_compared_with_the_one_asked_for(shops, capsys):
    asked = ["effects", "sales.csv", "-t", "sold", "--categorical", "day", "--relative-to"]
    assert run([*asked, "day:3", "--json"]) == 0
    got = pb.EffectSet.from_dict(json.loads(capsys.readouterr().out))["day"]
    assert (got.reference, float(got.effect[got.labels.index("3")])) == ("3", 0)
    assert run([*asked, "day:9"]) == 2
    assert "'day' is never '9'" in capsys.readouterr().err


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["shup"], "--{role}: There is no column 'shup'. Did you mean 'shop'?"),
        (["sold"], "'sold' is the target and cannot be used for --{role} as well."),
        (["day", "-f", "day"], "'day' is used for --{role} and is not held still"),
        (["day", "--together", "day"], "'day' is used for --{role} and is not held still"),
        (["day", "--drop", "day"], "'day' is named with --{role} and left out with --drop."),
    ],
)
def test_a_mistake_in_what_rows_stand_for_names_the_option(shops, capsys, role, more, said):
    assert run(["effects", "sales.csv", "-t", "sold", f"--{role}", *more]) == 2
    assert said.format(role=role) in capsys.readouterr().err


def test_rows_that_carry_a_result_are_numbered_as_in_the_file(shops, capsys):
    table = pl.read_csv("sales.csv")
    typo = pl.int_range(pl.len()) == 411
    wild = {name: pl.when(typo).then(value).otherwise(name) for name, value in WILD.items()}
    table.with_columns(**wild).write_csv("sales.csv")
    asked = ["effects", "sales.csv", "-t", "sold", "-f", "price"]
    for more in ([], ["--sample", "500", "--seed", "1"], ["--cluster", "shop"]):
        assert run([*asked, *more]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "row 412 of the table" in said.lower()
        assert ("in 40 clusters" in said) == ("--cluster" in more)
        assert ("shared by rows of the same shop." in said) == ("--cluster" in more)


def test_counts_and_clusters_that_cannot_be(shops, capsys):
    table = pl.read_csv("sales.csv").with_columns(one=pl.lit("a"))
    table.write_csv("sales.csv")
    asked = ["effects", "sales.csv", "-t", "sold"]
    assert run([*asked, "--counts", "shop"]) == 2
    assert "The counts 'shop' must be numbers of at least 0" in capsys.readouterr().err
    assert run([*asked, "--cluster", "one"]) == 2
    assert "All rows belong to the same 'one'" in capsys.readouterr().err


def test_an_id_that_repeats_is_offered_as_a_cluster(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    person = [f"p{k}" for k in rng.integers(0, 5_000, 300)]
    table = pl.DataFrame({"x": rng.normal(size=300), "person": person})
    table.with_columns(y=table["x"] + rng.normal(size=300)).write_csv("rows.csv")
    assert run(["effects", "rows.csv", "-t", "y", "--as-is"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "If rows with the same 'person' belong together, add --cluster 'person'." in said
    (note,) = pb.effects("rows.csv", "y", tidy=False)["person"].notes
    assert str(note).endswith("belong together, pass cluster='person'.")
