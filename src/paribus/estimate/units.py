"""How much each row counts: weights, counts and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from paribus.base.arrays import FloatArray, Labels


@dataclass(frozen=True)
class Units:
    """Rows whose errors show how sure an estimate is."""

    weights: FloatArray  # (m,): how much each row weighs in every sum
    # How many rows of their own errors it stands for: a table of counts has many in a row.
    counts: FloatArray  # (m,)
    # Share of a row's error variance that demeaning leaves in its residual.
    one_minus_leverage: FloatArray  # (m,)
    # How many rows like it each stands for, where some rows were drawn to stand for all.
    sampling_weight: FloatArray  # (m,)
    cluster: Labels | None = None  # (m,): rows of one cluster may share their errors
    nested: bool = False  # whether every stratum lies inside one cluster

    @property
    def _is_plain(self) -> bool:
        """Whether rows are known to weigh what they stand for: both are the same array."""
        return self.weights is self.counts

    @cached_property
    def error_weights(self) -> FloatArray:
        """How much each row's error variance counts in a sum of weighted errors, shape (m,).

        A row that stands for c rows and weighs w in all adds ``c (w / c)^2``.
        """
        if self._is_plain:
            return self.sampling_weight * self.weights
        return self.sampling_weight * self.weights**2 / self.counts

    @cached_property
    def is_even(self) -> bool:
        """Whether all rows weigh the same."""
        return self._is_plain or bool(np.ptp(self.weights / self.counts) == 0)

    @cached_property
    def n_rows(self) -> float:
        """How many rows they stand for."""
        return float(self.sampling_weight @ self.counts)

    @cached_property
    def design_effect(self) -> float:
        """How many times as many rows of unequal weight are worth as much as equal ones (Kish)."""
        if self._is_plain:
            return 1.0
        total = float(self.sampling_weight @ self.weights)
        return self.n_rows * float(self.error_weights.sum()) / total**2

    @cached_property
    def n_left(self) -> float:
        """How many rows are left to compare when strata have taken their means."""
        return float((self.sampling_weight * self.counts) @ self.one_minus_leverage)

    def take(self, rows: Any) -> Units:
        """Return some of the rows."""
        weights = self.weights[rows]
        return Units(
            weights,
            weights if self._is_plain else self.counts[rows],
            self.one_minus_leverage[rows],
            self.sampling_weight[rows],
            None if self.cluster is None else self.cluster[rows],
            self.nested,
        )
