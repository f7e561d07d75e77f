"""Dask and Spark, for real: the answer of the files, also when a worker dies in the middle."""

import os
import shutil
import signal
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import paribus as pb

from scale_tables import make_table, write_parts

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from differing_cases import BY_NAME

SAMPLE = 900
N_PARTS = 6
pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of the engines' own making
]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"), make_table(9_000), N_PARTS)


@pytest.fixture(scope="module")
def answer(paths):
    return pb.effects(paths, target="y", sample_rows=SAMPLE)


@pytest.fixture(scope="module")
def opposite(tmp_path_factory):
    """Files in which a slope is 3 in a group where x varies much, and -1 in one where it does not.

    The rows around 0 are those of the second group: there the average slope is -0.2 or so. Over
    what the rows compare it is 2.8 everywhere.
    """
    rng = np.random.default_rng(1)
    group = rng.integers(2, size=9_000)
    x = rng.normal(size=9_000) * np.where(group, 2.0, 0.5)
    y = np.where(group, 3.0, -1.0) * x + rng.normal(size=9_000)
    table = pa.table({"x": x, "group": np.array(["p", "q"])[group], "y": y})
    return write_parts(tmp_path_factory.mktemp("opposite"), table, 3)


def averages_over_the_rows(frame, paths):
    asked = {"target": "y", "feature": "x", "sample_rows": 3_000}
    found, expected = pb.effect(frame, **asked), pb.effect(paths, **asked)
    assert found.differs.columns == ("group",)
    np.testing.assert_allclose(found.effect, expected.effect, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.lower, expected.lower, rtol=1e-8, atol=1e-8)
    change = found.between(-0.25, 0.25)
    assert change.lower < -0.085 < change.upper < 0.3


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return what writes a case of the benchmark as files, and gives its columns as well."""

    def write(name):
        columns, y, _ = BY_NAME[name].sample(12_000, 1)
        table = {**columns, "y": y}
        return table, write_parts(tmp_path_factory.mktemp("case"), pa.table(table), 3)

    return write


def as_in_memory(data, table):
    """Make sure that moderators, spread and average are those of the same table in memory.

    The rows are the same, so that the two differ by far less than either from the truth.
    """
    found = pb.effect(data, "y", "x", sample_rows=3_000)
    held = pb.effect(table, "y", "x")
    assert any(note.kind == "trees_on_sample" for note in found.notes)
    assert {*found.differs.columns} == {*held.differs.columns}
    assert found.differs.spread == pytest.approx(held.differs.spread, rel=0.05)
    at = np.quantile(table["x"], np.linspace(0.05, 0.95, 7))
    for start, end in pairwise(at):
        one, other = found.between(start, end), held.between(start, end)
        assert abs(one.value - other.value) < 0.75 * np.hypot(one.se, other.se)


@pytest.mark.parametrize(
    "name",
    ["two groups, opposite slopes", "correlated moderators", "three moderators of twenty columns"],
)
def test_batches_find_the_moderators_and_averages_of_memory(written, name):
    table, files = written(name)
    as_in_memory(files, table)


def same(found, expected):
    assert found.ranking == expected.ranking
    assert found.n_rows == expected.n_rows
    for one, two in zip(found.effects, expected.effects, strict=True):
        assert one.n_used == two.n_used
        for name in ("effect", "lower", "upper"):
            np.testing.assert_allclose(
                getattr(one, name), getattr(two, name), rtol=1e-8, atol=1e-8, err_msg=one.feature
            )


def who_differs(data):
    """Return all that is asked about who differs: by group, two columns at once, the search."""
    by = pb.effect(data, "y", "a", by="won").by
    both = pb.effect(data, "y", ("a", "kind"))
    return by, both, pb.interactions(data, "y")


ASKED = ["a", "kind", "won", "y"]


@pytest.fixture(scope="module")
def differing():
    return who_differs(make_table(9_000).select(ASKED))


def same_who_differs(found, expected):
    by, both, searched = found
    assert by.labels == expected[0].labels
    assert [d.value for d in by.differences] == pytest.approx(
        [d.value for d in expected[0].differences], rel=1e-6
    )
    assert both.effect == pytest.approx(expected[1].effect, rel=1e-6, nan_ok=True)
    assert [one.features for one in searched] == [one.features for one in expected[2]]
    assert searched[0].strength == pytest.approx(expected[2][0].strength, rel=1e-6)
    assert searched.n_rows == expected[2].n_rows == 9_000


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("dask.distributed", reason="Dask is not installed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def dask_frame(paths, die_once=None):
    """Read the files as a Dask data frame; the reader of one part may kill its worker, once."""
    import dask.dataframe as dd
    import pandas as pd

    def read(path):
        if die_once is not None and path == paths[3] and not die_once.exists():
            die_once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return pd.read_parquet(path)

    return dd.from_map(read, paths, meta=pd.read_parquet(paths[0]).iloc[:0])


def test_dask_gives_the_answer_of_the_files(cluster, paths, answer):
    found = pb.effects(dask_frame(paths), target="y", sample_rows=SAMPLE)
    same(found, answer)
    assert type(found.to_frame()).__module__.startswith("pandas")


def test_dask_averages_over_the_rows(cluster, opposite):
    averages_over_the_rows(dask_frame(opposite), opposite)


def test_dask_finds_the_moderators_and_averages_of_memory(cluster, written):
    table, files = written("correlated moderators")
    as_in_memory(dask_frame(files), table)


def test_dask_tells_who_differs(cluster, paths, differing):
    same_who_differs(who_differs(dask_frame(paths)[ASKED]), differing)


def test_dask_gives_it_when_a_worker_dies(cluster, paths, answer, tmp_path):
    died = tmp_path / "died"
    found = pb.effects(dask_frame(paths, died), target="y", sample_rows=SAMPLE)
    assert died.exists()
    same(found, answer)


def test_dask_names_the_part_that_cannot_be_used(cluster, paths):
    frame = dask_frame(paths)
    frame = frame.map_partitions(
        lambda part: part.drop(columns="y") if len(part) > 1_800 else part,
        meta=frame._meta,
        enforce_metadata=False,
    )
    with pytest.raises(pb.InputError, match=r"In part \d \(partition \d\): there is no column 'y'"):
        pb.effects(frame, target="y", sample_rows=SAMPLE)


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        pyspark.SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_spark_gives_the_answer_of_the_files(spark, paths, answer):
    frame = spark.read.parquet(*paths)
    assert frame.rdd.getNumPartitions() > 1
    found = pb.effects(frame, target="y", sample_rows=SAMPLE)
    same(found, answer)


def test_spark_averages_over_the_rows(spark, opposite):
    averages_over_the_rows(spark.read.parquet(*opposite), opposite)


def test_spark_finds_the_moderators_and_averages_of_memory(spark, written):
    table, files = written("correlated moderators")
    as_in_memory(spark.read.parquet(*files), table)


def test_spark_tells_who_differs(spark, paths, differing):
    same_who_differs(who_differs(spark.read.parquet(*paths).select(*ASKED).coalesce(2)), differing)


def test_spark_gives_it_when_a_worker_dies(spark, paths, answer, tmp_path):
    died = tmp_path / "died"
    frame = spark.read.parquet(*paths)

    def dying(batches):
        from pyspark import TaskContext

        if TaskContext.get().partitionId() == 1 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    found = pb.effects(frame.mapInArrow(dying, frame.schema), target="y", sample_rows=SAMPLE)
    assert died.exists()
    same(found, answer)


def test_spark_says_what_is_wrong_with_a_part_in_a_sentence(spark):
    import pandas as pd

    frame = spark.createDataFrame(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, np.inf, 2.0]}))
    with pytest.raises(pb.InputError, match=r"^In part \d+ \(partition \d+\): .*infinite in row"):
        pb.effects(frame, target="y", sample_rows=SAMPLE)


@pytest.mark.parametrize(
    "said", ["Python worker exited unexpectedly (crashed)", "ExecutorLostFailure (executor 1 ...)"]
)
def test_workers_that_die_again_and_again_are_a_sentence(said):
    from paribus.scale.distributed import told_plainly

    with pytest.raises(pb.InputError, match="Workers of the cluster ended"), told_plainly():
        raise RuntimeError(f"Job aborted due to stage failure: {said}")
    with pytest.raises(RuntimeError, match="no route to host"), told_plainly():
        raise RuntimeError("no route to host")


def test_spark_connect_is_told():
    from paribus.scale.distributed import SparkSource

    class Connected:
        @property
        def rdd(self):
            raise NotImplementedError

    with pytest.raises(pb.InputError, match="has no RDDs"):
        _ = SparkSource(Connected()).n_alone
