"""The second pass: rows that are not in the sample are added to sums."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paribus.base.arrays import BLOCK, Hashes
from paribus.base.errors import InputError
from paribus.scale.reading import Part, Values, ahead, blocks
from paribus.scale.reservoir import checksum_of
from paribus.scale.row_transform import RowTransform
from paribus.scale.sums import Block, Sums, add_block, keep_rows, no_rows
from paribus.scale.survey import (
    cluster_number,
    counts_of,
    hashes_of,
    missing,
    usable_rows,
    values_at,
)

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Summing:
    """The work of the second pass; sent to the workers."""

    transform: RowTransform

    def begin(self) -> Sums:
        """Return the sums of no rows."""
        return no_rows(self.transform)

    def feed(self, sums: Sums, part: Part, pool: Executor | None = None, /) -> Sums:
        """Add a part; errors are stored, to be reported by the client.

        With a pool of threads the next rows are prepared while others are summed.
        """
        sums.parts[part.number], sums.names[part.number] = 0, part.name
        prepared = self._prepared(sums, part)
        try:
            for hashes, block in prepared if pool is None else ahead(prepared):
                keep_rows(sums, hashes, block, add_block(sums, self.transform, block, pool))
        except InputError as error:
            sums.problems[part.number] = str(error)
        sums.kept.settle()
        return sums

    def _prepared(self, sums: Sums, part: Part) -> Iterator[tuple[Hashes, Block]]:
        for batch in blocks(part):
            if batch.num_rows:
                yield from self._blocks(sums, part.number, batch)

    def _blocks(
        self, sums: Sums, part: int, batch: pa.RecordBatch
    ) -> Iterator[tuple[Hashes, Block]]:
        """Count a batch's rows, and yield blocks of those to be summed."""
        transform, roles = self.transform, self.transform.roles
        start = sums.parts[part]
        sums.parts[part] += batch.num_rows
        columns = transform.reader.read(batch)
        n_missing = int(np.count_nonzero(missing(columns[roles.target])))
        usable = usable_rows(columns, roles, start)
        sums.missing_target += n_missing
        sums.zero_weight += len(usable) - int(np.count_nonzero(usable)) - n_missing
        columns = {name: values_at(values, usable) for name, values in columns.items()}
        hashes = hashes_of(columns, roles, part, start)
        summed = hashes >= np.uint64(transform.below)
        sums.sampled += len(hashes) - int(np.count_nonzero(summed))
        sums.checksum = (sums.checksum + checksum_of(hashes[~summed])) % 2**64
        rows = np.flatnonzero(summed)
        for first in range(0, len(rows), BLOCK):
            at = rows[first : first + BLOCK]
            yield hashes[at], self._block({n: values_at(v, at) for n, v in columns.items()})

    def _block(self, columns: dict[str, Values]) -> Block:
        transform, roles = self.transform, self.transform.roles
        matrix, target = transform.matrix(columns), transform.target.values(columns[roles.target])
        counts = counts_of(columns, roles)
        weights = counts
        if roles.weights is not None:
            weights = counts * np.asarray(columns[roles.weights]) / transform.mean_weight
        values = transform.design.values(matrix)
        covariates = transform.covariates(matrix, values, target)
        labels, cluster = transform.labels(matrix, values), cluster_number(columns, roles)
        return Block(matrix, covariates, weights, counts, labels, cluster)
