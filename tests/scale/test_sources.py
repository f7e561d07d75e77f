"""Files, streams and queries: the same answer whatever the rows come in, and clear errors."""

import datetime as dt
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import paribus as pb
from paribus.files import read_table
from paribus.scale.opening import is_streamed

from scale_tables import make_columns, make_table, write_parts

SAMPLE = 900


@pytest.fixture(scope="module")
def table():
    return make_table(12_000)


@pytest.fixture(scope="module")
def paths(table, tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"), table)


@pytest.fixture(scope="module")
def answer(paths):
    return pb.effects(paths, target="y", sample_rows=SAMPLE, n_jobs=2)


def same(first, second, rtol=1e-8):
    assert first.ranking == second.ranking
    assert first.n_rows == second.n_rows
    assert [n.text for n in first.notes] == [n.text for n in second.notes]
    for one, two in zip(first.effects, second.effects, strict=True):
        assert one.n_used == two.n_used
        assert [n.text for n in one.notes] == [n.text for n in two.notes]
        for name in ("effect", "lower", "upper", "row_share", "marginal"):
            a, b = getattr(one, name), getattr(two, name)
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol, err_msg=one.feature)


def test_the_answer_is_near_that_in_memory_and_the_sample_is_told(answer, table):
    held = pb.effects(table, target="y", tidy=False)
    assert answer.n_rows == held.n_rows == len(table)
    assert {"rows": SAMPLE, "of": len(table)} in [note.facts for note in answer.notes]
    assert answer.ranking[:3] == held.ranking[:3]
    b, other = answer["b"], held["b"]
    se = (other.upper - other.effect) / 1.96
    apart = np.interp(other.x, b.x, b.effect) - other.effect
    assert np.sqrt(np.mean((apart / se) ** 2)) < 2
    assert b.missing.count == pytest.approx(table["b"].null_count * 0.925, rel=0.05)
    assert answer["day"].x.dtype.kind == "M"
    assert answer["place"].levels[0] == "place 1"
    assert all(e.n_rows == len(table) for e in answer.effects)


def test_a_table_with_no_more_rows_than_the_sample_is_explained_in_memory(table, paths):
    found = pb.effects(paths, target="y", sample_rows=len(table))
    same(found, pb.effects(table, target="y", tidy=False), rtol=1e-7)


@pytest.mark.parametrize("given", ["pattern", "folder", "one", "path"])
def test_files_are_named_in_several_ways(given, paths, table, answer, tmp_path):
    folder = Path(paths[0]).parent
    if given == "pattern":
        data = str(folder / "*.parquet")
    elif given == "folder":
        data = folder
    else:
        one = tmp_path / "all.parquet"
        pq.write_table(table, one, row_group_size=1_000)
        data = str(one) if given == "one" else one
    found = pb.effects(data, target="y", sample_rows=SAMPLE)
    same(found, answer)


def test_neither_row_order_nor_parts_nor_threads_matter(table, answer, tmp_path):
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    paths = write_parts(tmp_path, shuffled, n_parts=7)
    damaged(paths, 4, lambda part: part.select(sorted(part.column_names, reverse=True)))
    same(pb.effects(paths, target="y", sample_rows=SAMPLE, n_jobs=1), answer)


@pytest.mark.filterwarnings("ignore:fetch_record_batch:DeprecationWarning")  # by ibis, of duckdb
def test_streams_and_queries(table, answer):
    duckdb = pytest.importorskip("duckdb")
    ibis = pytest.importorskip("ibis")
    reader = table.to_reader(max_chunksize=3_000)
    same(pb.effects(reader, target="y", sample_rows=SAMPLE), answer)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.to_reader(max_chunksize=5_000).__arrow_c_stream__(requested_schema)

    same(pb.effects(Stream(), target="y", sample_rows=SAMPLE), answer)
    connection = duckdb.connect()
    connection.register("data", table)
    relation = connection.sql("select * from data")
    same(pb.effects(relation, target="y", sample_rows=SAMPLE), answer)
    same(pb.effects(ibis.memtable(table), target="y", sample_rows=SAMPLE), answer)


@pytest.mark.parametrize("memory", ["1MB", "9GB"])
def test_text_is_streamed_as_it_is_read(table, tmp_path, memory, monkeypatch):
    monkeypatch.setenv("PARIBUS_MEMORY", memory)
    monkeypatch.setattr("paribus.files.read.PIECE", 100_000)
    path = tmp_path / "big.csv"
    csv.write_csv(table, path)
    read_table(path).write_parquet(tmp_path / "read.parquet")
    found = pb.effects(path, target="y", sample_rows=SAMPLE)
    same(found, pb.effects(tmp_path / "read.parquet", target="y", sample_rows=SAMPLE))
    parts = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for k, part in enumerate(parts):
        csv.write_csv(table.slice(k * 6_000, 6_000), part)
    same(pb.effects(parts, target="y", sample_rows=SAMPLE), found)


def test_what_is_held_in_memory_is_not_streamed(table):
    import pandas as pd
    import polars as pl

    for held in (table, pl.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]}), np.ones((2, 2)), {}):
        assert not is_streamed(held)


def test_rows_left_out_are_counted(tmp_path):
    table = make_table(4_000)
    y = table["y"].to_numpy().copy()
    y[:100] = np.nan
    weights = np.ones(len(y))
    weights[90:150] = 0
    table = table.set_column(table.column_names.index("y"), "y", pa.array(y))
    table = table.append_column("w", pa.array(weights))
    found = pb.effects(write_parts(tmp_path, table), target="y", weights="w", sample_rows=300)
    assert found.n_rows == 4_000 - 150
    told = {n.kind: n.facts for n in found.notes}
    assert told["missing_target"] == {"rows": 100}
    assert told["zero_weight"] == {"rows": 50}
    assert told["trees_on_sample"]["of"] == 3_850


def test_targets_with_two_values_are_shares(tmp_path):
    table = make_table(3_000)
    paths = write_parts(tmp_path, table.drop_columns(["y"]))
    found = pb.effects(paths, target="won", sample_rows=300)
    assert found.target == "won is True"
    assert found.effects[0].unit == "percentage points"
    found = pb.effects(paths, target="kind", class_="q", sample_rows=300, features=["a"])
    assert found.target == "kind is q"
    with pytest.raises(pb.InputError, match="5 classes"):
        pb.effects(paths, target="kind", sample_rows=300)


def test_levels_beyond_the_cap_are_taken_together(tmp_path):
    rng = np.random.default_rng(0)
    n = 20_000
    shop = np.minimum(rng.geometric(0.004, size=n), 900)
    x = rng.normal(size=n)
    y = x + (shop % 3) + rng.normal(size=n)
    texts = np.array([f"shop {k}" for k in range(901)])
    table = pa.table({"shop": texts[shop], "x": x, "y": y})
    found = pb.effects(write_parts(tmp_path, table), target="y", sample_rows=2_000)
    levels = found["shop"].levels
    assert len(levels) <= 300
    assert "(other)" in levels
    assert found["shop"].count.sum() == n - 2_000
    assert any(note.kind == "other_levels" for note in found.notes)
    first, second = levels.index("shop 6"), levels.index("shop 8")
    assert found["shop"].effect[second] - found["shop"].effect[first] == pytest.approx(2, abs=0.5)


def test_columns_that_say_nothing_say_why(tmp_path):
    table = make_table(3_000)
    n = len(table)
    rare = np.zeros(n)
    rare[7] = 1.0
    table = table.append_column("one", pa.array(np.ones(n)))
    table = table.append_column("rare", pa.array(rare))
    table = table.append_column("nothing", pa.nulls(n))
    table = table.append_column("id", pa.array([f"id {k}" for k in range(n)]))
    table = table.append_column("long", pa.array(2**60 + np.arange(n)))
    found = pb.effects(write_parts(tmp_path, table), target="y", sample_rows=300, tidy=False)
    told = {name: str(found[name].notes[0]) for name in ("one", "rare", "nothing", "id", "long")}
    assert "same value in every row" in told["one"]
    assert "nearly all rows" in told["rare"] or "same value" not in told["rare"]
    assert "missing in every row" in told["nothing"]
    assert "look like an id" in told["id"]
    assert "look like an id" in told["long"]


def damaged(paths, k, change):
    """Return the paths with one part changed."""
    part = pq.read_table(paths[k])
    pq.write_table(change(part), paths[k])
    return paths


def as_float(part):
    at = part.column_names.index("few")
    return part.set_column(at, "few", part["few"].cast(pa.float64()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda part: part.drop_columns(["y"]), "no column 'y'"),
        (lambda part: part.drop_columns(["a"]), "no column 'a'"),
        (lambda part: part.append_column("more", pa.nulls(len(part))), "column 'more'"),
        (as_float, "'few' holds decimals, in other parts whole numbers.*kind="),
        (
            lambda part: part.set_column(0, "a", part["a"].cast(pa.string())),
            "'a' holds text, in other parts decimals",
        ),
        (
            lambda part: part.set_column(0, "a", pa.array(np.full(len(part), np.inf))),
            "'a' is infinite in row 0",
        ),
    ],
)
def test_a_part_unlike_the_others_is_named(change, message, tmp_path):
    paths = damaged(write_parts(tmp_path, make_table(6_000), n_parts=8), 6, change)
    with pytest.raises(pb.InputError, match=f"part 7 .*part6.parquet.*{message}"):
        pb.effects(paths, target="y", sample_rows=500)


def test_whole_numbers_and_decimals_go_together_when_told_so(tmp_path):
    paths = write_parts(tmp_path, make_table(6_000), n_parts=8)
    expected = pb.effects(paths, target="y", sample_rows=500)
    damaged(paths, 6, as_float)
    found = pb.effects(paths, target="y", sample_rows=500, kind={"few": "numeric"})
    same(found, expected)


def test_an_empty_part_is_told(tmp_path):
    table = make_table(4_000)
    paths = write_parts(tmp_path, table)
    empty = str(tmp_path / "empty.parquet")
    pq.write_table(table.slice(0, 0), empty)
    found = pb.effects([*paths, empty], target="y", sample_rows=400)
    assert found.n_rows == 4_000
    assert found.notes[-1].facts == {"parts": [empty]}
    pq.write_table(table.slice(0, 0).drop_columns(["y"]), empty)
    with pytest.raises(pb.InputError, match=r"part 5 .*empty.parquet.*no column 'y'"):
        pb.effects([*paths, empty], target="y", sample_rows=400)


def test_truncated_and_foreign_files_are_named(tmp_path):
    paths = write_parts(tmp_path, make_table(4_000))
    content = Path(paths[2]).read_bytes()
    Path(paths[2]).write_bytes(content[: len(content) // 2])
    with pytest.raises(pb.InputError, match=r"part 3 .*part2.parquet.*damaged or cut off"):
        pb.effects(paths, target="y", sample_rows=400)
    pq.write_table(pq.read_table(paths[1]), paths[2], write_page_checksum=True)
    spoilt = bytearray(Path(paths[2]).read_bytes())
    spoilt[100:2_000] = bytes(1_900)
    Path(paths[2]).write_bytes(bytes(spoilt))
    with pytest.raises(pb.InputError, match=r"part 3 .*part2.parquet"):
        pb.effects(paths, target="y", sample_rows=400)
    with pytest.raises(pb.InputError, match="no file 'nowhere"):
        pb.effects("nowhere*.parquet", target="y")
    with pytest.raises(pb.InputError, match="not a kind of file that is read"):
        pb.effects(__file__, target="y")


def test_rows_that_change_between_the_passes_are_noticed(table):
    from paribus.scale.sources import query_source

    runs = []

    def reader():
        runs.append(1)
        shown = table if len(runs) < 2 else table.slice(0, len(table) - 1)
        return iter(shown.to_batches())

    source = query_source(reader, table.schema, "the query")
    with pytest.raises(pb.InputError, match="read twice and was not the same: 12,000 rows"):
        pb.effects(source, target="y", sample_rows=SAMPLE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": np.ones(3)}, "target must be the name"),
        ({"target": "z"}, "no column 'z'"),
        ({"target": "y", "repeats": 2}, "repeats cannot be chosen"),
        ({"target": "y", "estimator": "slopes"}, "estimator cannot be chosen"),
        ({"target": "y", "features": ["y"]}, "target itself"),
        ({"target": "y", "weights": "kind"}, "weights 'kind' must be numbers"),
        ({"target": "y", "sample_rows": 0}, "sample_rows must be"),
        ({"target": "y", "names": ["a"]}, "names="),
        ({"target": "y", "kind": {"kind": "numeric"}}, "cannot be numeric"),
        ({"target": "day"}, "holds dates"),
    ],
)
def test_bad_questions(options, message, paths):
    with pytest.raises(pb.InputError, match=message):
        pb.effects(paths, **{"sample_rows": SAMPLE, **options})


def test_rows_that_repeat_others_are_drawn_one_by_one(tmp_path):
    rng = np.random.default_rng(0)
    n = 30_000
    a, b = rng.integers(0, 2, size=(2, n))
    y = (rng.random(n) < 0.2 + 0.3 * a).astype(float)
    table = pa.table({"a": a, "b": b, "y": y})
    found = pb.effects(write_parts(tmp_path, table), target="y", sample_rows=3_000)
    (sampled,) = (note for note in found.notes if note.kind == "trees_on_sample")
    assert 2_500 < sampled.facts["rows"] <= 3_000
    effect = found["a"].effect
    assert effect[-1] - effect[0] == pytest.approx(30, abs=2)


def test_progress_runs_to_the_end(paths, table):
    seen = []
    pb.effects(
        paths,
        target="y",
        sample_rows=SAMPLE,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (2 * len(table), 2 * len(table))
    assert all(a <= b for (a, _), (b, _) in pairwise(seen))


def test_one_column_with_others_moving_along(paths):
    found = pb.effect(paths, "y", "a", together=["b"])
    assert found.explained


def test_dates_and_zones_are_days(tmp_path):
    columns = make_columns(2_000)
    columns["day"] = [d.astype(dt.datetime) for d in columns["day"].astype("datetime64[us]")]
    zoned = pa.array(columns["day"], pa.timestamp("ms", "Europe/Paris"))
    table = pa.table({**columns, "day": zoned})
    found = pb.effects(write_parts(tmp_path, table), target="y", sample_rows=200)
    assert found["day"].x[0] >= np.datetime64("2019-12-31")


def test_a_sample_of_a_table_in_batches_is_looked_at_and_tidied(tmp_path):
    rng = np.random.default_rng(0)
    n = 12_000
    x, z = rng.normal(size=n), rng.normal(size=n)
    y = 2 * x + z + rng.normal(size=n)
    table = {"x": x, "x_cm": 100 * x, "z": z, "nr": np.arange(n), "double": 2 * y, "y": y}
    path = tmp_path / "rows.parquet"
    pl.DataFrame(table).write_parquet(path)
    found = pb.effects(path, "y", sample_rows=1_200)
    assert set(found.ranking) == {"x", "z"}
    assert found["x"].group == ("x", "x_cm")
    said = [note.kind for note in found.notes]
    assert "look_on_sample" in said
    slope = found["x"].average_slope()
    assert slope.lower < 2 < slope.upper
    as_it_is = pb.effects(path, "y", sample_rows=1_200, tidy=False)
    assert set(as_it_is.ranking) == {"x", "x_cm", "z", "nr", "double"}
    too_few = pb.effects(path, "y", sample_rows=500)
    assert too_few.ranking == as_it_is.ranking
    assert "not_looked_at" in [note.kind for note in too_few.notes]


def cut_off(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def replace_by_another(path):
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize("change", [cut_off, replace_by_another, Path.unlink])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_that_changes_while_it_is_read_gives_a_sentence(tmp_path, ending, change):
    table, path = make_table(4_000), tmp_path / f"table.{ending}"
    {"parquet": pq.write_table, "csv": csv.write_csv}[ending](table, path)
    changed = []

    def once_in_the_middle(done, total):
        if not changed and (ending == "csv" or done > total / 2):
            changed.append(change(path))

    question = {"target": "y", "sample_rows": 400, "progress": once_in_the_middle}
    with pytest.raises(pb.InputError, match=r"(was changed, replaced or removed|cut off|no file)"):
        pb.effects([path], **question)
    assert changed
