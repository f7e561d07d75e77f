"""What is asked, done to a table and written in Python: one and the same."""

from datetime import date

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.base.errors import InputError
from paribus.serve.explaining import explain
from paribus.serve.prepare import prepared, python_lines
from paribus.serve.preview import preview
from paribus.serve.request import RowFilter, RunSettings, read_settings
from paribus.serve.run_store import load_effects
from paribus.serve.source import Source


def silent(**_):
    """Say nothing."""


@pytest.fixture
def houses(tmp_path):
    rng = np.random.default_rng(0)
    n = 400
    table = pl.DataFrame({
        "extra": rng.normal(size=n),
        "sold": [date(2020, 1, 1 + k % 28) for k in range(n)],
        "size": rng.uniform(20, 90, n).round(1),
        "town": rng.choice(["Brooklyn", "Queens", "it's"], n),
        "new": rng.choice([True, False], n),
        "rooms": [str(k % 5) if k % 10 else "many" for k in range(n)],
        "grade": rng.integers(1, 4, n),
    })  # fmt: skip
    queens = (table["town"] == "Queens").cast(pl.Float64)
    price = 3.0 * table["size"] + 20 * queens + rng.normal(size=n)
    path = tmp_path / "houses.csv"
    table.with_columns(price=price).write_csv(path)
    folder = tmp_path / "kept"
    folder.mkdir()
    return Source(path, "houses.csv", folder)


SETTINGS = [
    RunSettings("price"),
    RunSettings("price", scale="ratio", doubling=True, relative_to={"town": "it's"}),
    RunSettings("price", left_out=("extra", "town")),
    RunSettings("price", only=RowFilter("town", ("Brooklyn",))),
    RunSettings("price", only=RowFilter("town", ("Brooklyn", "it's"))),
    RunSettings("price", only=RowFilter("new", ("true",))),
    RunSettings("price", only=RowFilter("size", (), "30", "", "number"), level=0.9),
    RunSettings(
        "price", only=RowFilter("size", (), "30", "60.5", "number"), kinds={"grade": "categorical"}
    ),
    RunSettings("price", only=RowFilter("sold", (), "2020-01-05", "2020-01-20", "date")),
    RunSettings("price", kinds={"rooms": "numeric"}, left_out=("sold",)),
    RunSettings("grade", kinds={"grade": "categorical"}, class_="2"),
    RunSettings("price", roles={"cluster": "sold"}, without_rows=(3, 17, 300)),
    RunSettings(
        "price", roles={"within": "town", "weights": "size"}, kinds={"grade": "categorical"}
    ),
    RunSettings("price", roles={"counts": "grade"}, together=("extra", "size")),
    RunSettings(
        "price", left_out=("sold",), together=("extra", "town"), without_rows=(0,),
        only=RowFilter("town", ("Queens",)), roles={"cluster": "grade"},
    ),
]  # fmt: skip


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.words())
def test_the_python_lines_give_the_same_effects(houses, settings, tmp_path, monkeypatch):
    seen = preview(silent, source=houses)
    assert seen["target"] == "price"
    folder = tmp_path / "run"
    folder.mkdir()
    explain(silent, source=houses, settings=settings, folder=folder)
    numeric = ", numeric=['rooms']" if settings.kinds.get("rooms") else ""
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(python_lines(settings, f"read_file('houses.csv'{numeric}).table"), found)  # noqa: S102
    ours, theirs = load_effects(folder), found["effects"]
    assert ours.ranking == theirs.ranking
    assert ours.n_rows == theirs.n_rows
    for name in ours:
        np.testing.assert_array_equal(ours[name].effect, theirs[name].effect)


def test_no_rows_are_said_to_be_none(houses):
    table = houses.read().table
    with pytest.raises(InputError, match=r"No row is left of those chosen \(only town = Paris\)"):
        prepared(table, RunSettings("price", only=RowFilter("town", ("Paris",))))


def test_what_is_said_about_the_rows_is_read_and_worded():
    columns = {name: {"kind": "number"} for name in ("y", "x", "cm", "inch", "shop", "people")}
    posted = {
        "target": "y", "left_out": ["shop", "x"], "together": ["cm", "inch"],
        "roles": {"within": "shop", "weights": "people", "counts": ""}, "without_rows": [7, 1233],
    }  # fmt: skip
    settings = read_settings(posted, columns)
    assert settings.left_out == ("x",)  # a column with a role is not left out
    assert settings.words() == (
        "without rows 8, 1,234; weighted by people; each shop compared with itself; without x; "
        "cm, inch together"
    )
    assert settings.whole().row_words() == ""
    assert settings.without([1, 7]).without_rows == (1, 7, 1233)


def test_rows_that_carry_a_result_are_numbered_as_in_the_file(tmp_path):
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"x": rng.normal(size=400), "town": ["a", "b"] * 200})
    y = table["x"].to_numpy() + rng.normal(size=400)
    y[301] = 900
    table.with_columns(y=y).write_csv(tmp_path / "rows.csv")
    source = Source(tmp_path / "rows.csv", "rows.csv", tmp_path)
    preview(silent, source=source)
    only = RowFilter("town", ("b",))
    explain(silent, source=source, settings=RunSettings("y", only=only), folder=tmp_path)
    assert load_effects(tmp_path)["x"].influential[0].row == 301
    assert "<bdi>302</bdi>" in (tmp_path / "column-1.html").read_text()
    without = RunSettings("y", only=only, without_rows=(301,))
    explain(silent, source=source, settings=without, folder=tmp_path)
    kept = load_effects(tmp_path)
    assert kept.n_rows == 199
    assert 301 not in [row.row for row in kept["x"].influential]


def test_the_likely_important_come_first(houses, tmp_path):
    told = []
    preview(silent, source=houses)
    explain(
        lambda **news: told.append(news),
        source=houses,
        settings=RunSettings("price"),
        folder=tmp_path,
    )
    assert "<bdi>size</bdi>" in (tmp_path / "column-1.html").read_text()
    assert [news["done"] for news in told if "done" in news] == list(range(1, 8))


def test_a_preview_says_what_columns_are(houses):
    seen = {c["name"]: c for c in preview(silent, source=houses)["columns"]}
    kinds = {name: column["kind"] for name, column in seen.items()}
    assert kinds["size"] == "number"
    assert kinds["sold"] == "date"
    assert kinds["town"] == kinds["new"] == kinds["rooms"] == "category"
    assert seen["rooms"]["numbers"]
    assert sorted(seen["new"]["values"]) == ["false", "true"]
    assert seen["grade"]["values"] == ["1", "2", "3"]


def test_a_long_parquet_file_is_looked_at_in_part(tmp_path):
    path = tmp_path / "long.parquet"
    pl.DataFrame({"a": np.arange(100_000), "same": 1, "lists": [[1]] * 100_000}).write_parquet(path)
    seen = preview(silent, source=Source(path, "long.parquet", tmp_path))
    assert (seen["n_rows"], seen["looked_at"]) == (100_000, 20_000)
    assert [c["kind"] for c in seen["columns"]] == ["number", "constant", "unusable"]
    assert seen["columns"][0]["ends"] == ["0", "99,999"]


@pytest.mark.parametrize(
    ("posted", "word"),
    [
        ({"target": "a", "left_out": ["a"]}, "cannot be left out as well"),
        ({"target": "a", "left_out": ["d"]}, "There is no column 'd'"),
        ({"target": "a", "kinds": {"b": "text"}}, "must be 'numeric' or 'categorical'"),
        ({"target": "a", "only": {"column": "a", "low": "nan"}}, "is not a number"),
        ({"target": "a", "only": {"column": "z"}}, "There is no column 'z'"),
        ({"target": "a", "only": 3}, "not understood"),
        ({"target": "a", "roles": {"weights": "z"}}, "There is no column 'z'"),
        ({"target": "a", "roles": {"cluster": "a"}}, "'a' is the target and cannot be used for"),
        ({"target": "a", "roles": {"weights": "b", "counts": "b"}}, "'b' is chosen twice"),
        ({"target": "a", "roles": {"king": "b"}}, "not understood"),
        ({"target": "a", "roles": ["b"]}, "not understood"),
        ({"target": "a", "together": ["z", "b"]}, "There is no column 'z'"),
        ({"target": "a", "together": ["b"]}, "'b' alone is ticked"),
        ({"target": "a", "together": ["a", "b"]}, "'a' is ticked under Columns that move together"),
        ({"target": "a", "together": ["b", "c"], "left_out": ["c"]}, "'c' is ticked"),
        ({"target": "a", "together": ["b", "c"], "roles": {"within": "c"}}, "'c' is ticked"),
        ({"target": "a", "without_rows": [True]}, "not understood"),
        ({"target": "a", "without_rows": [-1]}, "not understood"),
        ({"target": "a", "without_rows": "12"}, "not understood"),
    ],
)
def test_bad_settings(posted, word):
    columns = {name: {"kind": "number"} for name in "abc"}
    with pytest.raises(InputError, match=word):
        read_settings(posted, columns)


def test_overlays_keep_every_series():
    from paribus.plotting.overlay import Series, overlay_chart

    d = pb.datasets.body_weight(400, seed=0)
    effects = pb.effects(d.table, target="weight")
    for name in ("height", "sex"):
        one = effects[name]
        chart = overlay_chart([Series("1", one), Series("2", one), Series("m", one, "ALE")])
        points = chart.to_dict()["datasets"]["points"]
        assert {row["who"] for row in points} == {"1", "2", "m"}
        assert sum(row["who"] == "1" for row in points) == len(effects[name].effect)


def test_names_that_look_like_patterns_are_names():
    table = pl.DataFrame({"*": [1, 2], "^a.*$": [3, 4], "ab": [5, 6]})
    settings = RunSettings("ab", left_out=("*",), only=RowFilter("^a.*$", (), "4", "", "number"))
    assert prepared(table, settings).rows() == [(4, 6)]
    lines = python_lines(settings, "whole").partition("effects =")[0].partition("\n")[2]
    found = {"whole": table}
    exec(lines, found)  # noqa: S102
    assert found["table"].rows() == [(4, 6)]
