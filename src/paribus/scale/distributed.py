"""Dask and Spark: the same work on the workers of a cluster."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

from paribus.base.errors import InputError
from paribus.base.notes import Note
from paribus.scale import errors
from paribus.scale.reading import Part, Sort
from paribus.scale.sources import Report, Work, sorts_of
from paribus.table.columns import Backend

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
FAN_IN = 8  # results added up by one task
OURS = re.compile(r"InputError: (.+)")  # in the traceback of a worker
KILLED = re.compile(r"KilledWorker|worker exited unexpectedly|ExecutorLost|executor lost")


@contextmanager
def told_plainly() -> Iterator[None]:
    """Turn errors from an engine's workers into a sentence, if they contain one or workers died."""
    try:
        yield
    except InputError:
        raise
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}"
        if ours := OURS.search(said):
            raise InputError(ours[1].strip()) from problem
        if KILLED.search(said):
            raise errors.workers_died() from problem
        raise


@dataclass(frozen=True)
class _FrameSource:
    frame: Any
    backend: Backend = "pandas"
    n_rows: int | None = None
    notes: tuple[Note, ...] = ()


class DaskSource(_FrameSource):
    """A Dask data frame on the caller's cluster: a task per partition, and a tree of additions."""

    @property
    def n_alone(self) -> int:
        """How many partitions there are."""
        return int(self.frame.npartitions)

    @property
    def sorts(self) -> Mapping[str, Sort]:
        """What the columns hold, by name."""
        import pyarrow as pa

        return sorts_of(pa.Schema.from_pandas(self.frame._meta_nonempty, preserve_index=False))

    def run(self, work: Work[T], _n_jobs: int, report: Report, /) -> T:
        """Do the work on every partition; Dask runs a lost task again."""
        import dask

        one, together = dask.delayed(_on_partition), dask.delayed(partial(reduce, add))
        parts = [one(work, p, k) for k, p in enumerate(self.frame.to_delayed())]
        while len(parts) > 1:
            parts = [together(parts[k : k + FAN_IN]) for k in range(0, len(parts), FAN_IN)]
        with told_plainly():
            (done,) = dask.compute(parts[0])
        report(sum(done.parts.values()))
        return done


def _on_partition(work: Work[T], frame: Any, number: int) -> T:
    import pyarrow as pa

    batch = pa.RecordBatch.from_pandas(frame, preserve_index=False)
    return work.feed(work.begin(), Part(number, f"partition {number + 1}", iter([batch])))


class SparkSource(_FrameSource):
    """A Spark data frame: `mapInArrow` sums up each partition, `treeReduce` adds the sums up."""

    @property
    def n_alone(self) -> int:
        """How many partitions there are."""
        try:
            return int(self.frame.rdd.getNumPartitions())
        except (AttributeError, NotImplementedError):
            raise errors.spark_without_rdd() from None

    @property
    def sorts(self) -> Mapping[str, Sort]:
        """What the columns hold, by name."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return sorts_of(to_arrow_schema(self.frame.schema))

    def run(self, work: Work[T], _n_jobs: int, report: Report, /) -> T:
        """Do the work on every partition; Spark runs a failed task again."""

        def on_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import pyarrow as pa
            from pyspark import TaskContext

            context = TaskContext.get()
            number = 0 if context is None else context.partitionId()
            part = Part(number, f"partition {number + 1}", batches)
            done = pickle.dumps(work.feed(work.begin(), part))
            yield pa.RecordBatch.from_arrays([pa.array([done], pa.binary())], ["done"])

        sums = self.frame.mapInArrow(on_partition, "done binary").rdd.map(lambda row: bytes(row[0]))
        with told_plainly():
            done = pickle.loads(sums.treeReduce(_added_bytes))  # noqa: S301
        report(sum(done.parts.values()))
        return done


def _added_bytes(first: bytes, second: bytes) -> bytes:
    """Return the sum of two partitions' results; they come from our own workers only."""
    return pickle.dumps(pickle.loads(first) + pickle.loads(second))  # noqa: S301
