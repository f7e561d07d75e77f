"""Strata for every column at once: one tree, which branches where columns need different splits."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paribus.base.compiled import load
from paribus.base.threads import count_threads
from paribus.strata import checks
from paribus.strata.checks import ColumnSet
from paribus.strata.coding import Coding, fit_coding
from paribus.strata.exact import exact_target
from paribus.strata.fallback import grow_with_sklearn
from paribus.strata.growing import UNLIMITED, GrowOptions, grow_nodes
from paribus.strata.nodes import Nodes, apply_nodes, number_nodes
from paribus.strata.reference import LEFT, RIGHT

LeaveOut = Sequence[int | Iterable[int]]
NO_KERNEL = (
    "paribus was installed without its compiled kernel, so scikit-learn's tree serves instead: "
    "the strata are as good, but slower to grow; install paribus from a wheel, "
    "or where there is a C compiler"
)


@dataclass(frozen=True, slots=True)
class Family:
    """Trees that each leave out a column or a set of columns of one table.

    Pickling keeps the trees and drops the rows they were grown on: `apply` still works, `strata`
    says that the rows are gone.
    """

    sets: tuple[ColumnSet, ...]  # the sets of columns left out, one tree each
    coding: Coding  # how values become codes
    nodes: Nodes = field(repr=False)  # the trees, as flat arrays
    codes: NDArray[np.uint8] | None = field(repr=False)  # (n, p): the coded table
    n_jobs: int = 1  # how many threads `strata` uses

    def __reduce__(self) -> tuple[Any, ...]:
        return (Family, (self.sets, self.coding, self.nodes, None, self.n_jobs))

    def n_strata(self, left_out: int | Iterable[int]) -> int:
        """Return how many strata there are with these columns left out."""
        return int(self.nodes.n_strata[self._find(left_out)])

    def strata(self, left_out: int | Iterable[int]) -> NDArray[np.int32]:
        """Return the stratum of every row of the table, with these columns left out.

        Parameters
        ----------
        left_out : int or iterable of int
            A column, or one of the sets of columns that were asked for when growing.

        Returns
        -------
        ndarray of shape (n,), int32
            Numbers from 0 to `n_strata(left_out) - 1`. Rows that took no part in growing (fold,
            count or weight 0) are here too, in the stratum they would have fallen into.
        """
        return self.strata_all([left_out])[:, 0]

    def strata_all(self, left_out: LeaveOut | None = None) -> NDArray[np.int32]:
        """Return the strata of every row of the table for several sets, by default all of them.

        Returns
        -------
        ndarray of shape (n, n_sets), int32
        """
        if self.codes is None:
            raise ValueError(
                "the rows a family was grown on are not pickled with it: use apply on the table"
            )
        return self.apply_coded(self.codes, left_out, n_jobs=self.n_jobs)

    def apply(self, X: ArrayLike, left_out: int | Iterable[int]) -> NDArray[np.int32]:
        """Return the stratum of every row of another table, with these columns left out.

        Parameters
        ----------
        X : array of shape (n, p)
            The same columns as the table the family was grown on.
        left_out : int or iterable of int

        Returns
        -------
        ndarray of shape (n,), int32
        """
        return self.apply_all(X, [left_out])[:, 0]

    def apply_all(
        self, X: ArrayLike, left_out: LeaveOut | None = None, *, n_jobs: int = 1
    ) -> NDArray[np.int32]:
        """Return the strata of another table's rows for several sets at once, by default all.

        Returns
        -------
        ndarray of shape (n, n_sets), int32
        """
        return self.apply_coded(self.coding.encode(X, n_jobs=n_jobs), left_out, n_jobs=n_jobs)

    def apply_coded(
        self,
        codes: NDArray[np.uint8],
        left_out: LeaveOut | None = None,
        *,
        rows: ArrayLike | None = None,
        n_jobs: int = 1,
    ) -> NDArray[np.int32]:
        """Return the strata of rows coded with this family's coding.

        Parameters
        ----------
        codes : ndarray of shape (n, p), uint8
            From `coding.encode`.
        left_out : sequence of int or of iterables of int, optional
            Which sets; all by default.
        rows : array of shape (m,), optional
            Row numbers to look at; all by default.
        n_jobs : int
            How many threads share the rows; -1 for all there are.

        Returns
        -------
        ndarray of shape (n or m, n_sets), int32
        """
        table = check_codes(codes, self.coding.n_columns)
        wanted = range(len(self.sets)) if left_out is None else [self._find(s) for s in left_out]
        chosen = None if rows is None else _check_rows(rows, table.shape[0])
        threads = count_threads(checks.as_jobs(n_jobs))
        return apply_nodes(self.nodes, table, wanted, chosen, threads)

    def _find(self, left_out: int | Iterable[int]) -> int:
        wanted = checks.as_set(left_out, self.coding.n_columns)
        if wanted not in self.sets:
            raise ValueError(
                f"no tree leaves out {list(wanted)}: add it to leave_out when growing the family"
            )
        return self.sets.index(wanted)


def grow(X: ArrayLike, y: ArrayLike, *, n_jobs: int = 1, **options: Any) -> Family:
    """Code a table of numbers (n, p), and grow a family on it.

    NaN is missing and goes to the side of a split that fits better. The options are those of
    `grow_coded`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=float)
    >>> family = grow(X, 2 * X[:, 0] + X[:, 1])
    >>> family.strata(0)[:4], family.strata(1)[:4]
    (array([0, 1, 0, 1], dtype=int32), array([0, 0, 1, 1], dtype=int32))
    """
    table = checks.as_table(X)
    coding = fit_coding(table, n_jobs=n_jobs)
    codes = coding.encode(table, n_jobs=n_jobs)
    return grow_coded(codes, coding, y, n_jobs=n_jobs, **options)


def grow_coded(
    codes: NDArray[np.uint8],
    coding: Coding,
    y: ArrayLike,
    *,
    min_samples_leaf: int = 10,
    leave_out: LeaveOut | None = None,
    weights: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    max_features: int | None = None,
    max_depth: int | None = None,
    seed: int = 0,
    n_jobs: int = 1,
) -> Family:
    """Grow the trees that each leave out one column, or one set of columns, on a coded table.

    A tree that leaves out `j` puts rows together that are alike in all other columns, as far as
    these matter to `y`. The strata are, row for row, those of a tree grown on its own without `j`.
    Folds and draws share the codes.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8
        From `coding.encode`.
    coding : Coding
        From `fit_coding`.
    y : array of shape (n,)
        The target.
    min_samples_leaf : int
        The fewest rows a stratum may have.
    leave_out : sequence of int or of iterables of int, optional
        The columns, or sets of columns, to leave out; each column on its own by default. An empty
        set gives the plain tree.
    weights : array of shape (n,), optional
        How much each row counts in means and variances, kept to a 65536th of the largest. They do
        not change the number of rows that `min_samples_leaf` counts. A row of weight 0 takes no
        part.
    rows : array of shape (n,), optional
        A mask of the rows to grow on, or how often each counts (a bootstrap draw).
    max_features : int, optional
        How many columns, drawn at random, a split may choose from; all by default. The draw
        belongs to the node: trees that share the node share it, and a column that is left out uses
        up its turn.
    max_depth : int, optional
        The most splits from the root to a stratum.
    seed : int
        Decides the draws of `max_features`.
    n_jobs : int
        How many threads share the work; -1 for all there are. The result does not depend on it.

    Returns
    -------
    Family
    """
    p = coding.n_columns
    table = check_codes(codes, p)
    target = exact_target(
        checks.as_target(y, table.shape[0]),
        checks.as_counts(rows, table.shape[0]),
        checks.as_weights(weights, table.shape[0]),
    )
    sets = checks.as_sets(leave_out, p)
    options = GrowOptions(
        checks.as_count(min_samples_leaf, "min_samples_leaf"),
        min(checks.as_count(max_depth, "max_depth", UNLIMITED), UNLIMITED),
        min(checks.as_count(max_features, "max_features", max(p, 1)), max(p, 1)),
        checks.as_seed(seed),
    )
    threads = count_threads(checks.as_jobs(n_jobs))
    member = np.zeros((len(sets), p), dtype=np.uint8)
    for row, columns in zip(member, sets, strict=True):
        row[list(columns)] = 1
    if p == 0 or not sets:
        nodes = one_stratum(member)
    elif load("strata.kernel.task") is not None:
        nodes = grow_nodes(table, target, member, options, threads)
    else:
        _warn_once()
        nodes = grow_with_sklearn(table, target, member, options)
    return Family(sets, coding, nodes, table, n_jobs)


@cache
def _warn_once() -> None:
    warnings.warn(NO_KERNEL, RuntimeWarning, stacklevel=4)


def one_stratum(member: NDArray[np.uint8]) -> Nodes:
    """Return a family of trees without a split: there is nothing to split on."""
    n_sets = member.shape[0]
    fields = np.full((1, 5), -1, dtype=np.int32)
    fields[0, LEFT], fields[0, RIGHT] = 0, n_sets
    return number_nodes(
        fields,
        np.arange(n_sets, dtype=np.int32),
        member,
        np.zeros(n_sets, dtype=np.int32),
    )


def check_codes(codes: NDArray[np.uint8], p: int) -> NDArray[np.uint8]:
    """Return codes as the kernel reads them: row by row, one byte each."""
    table = np.asarray(codes)
    if table.dtype != np.uint8 or table.ndim != 2 or table.shape[1] != p:
        raise ValueError(
            f"codes must be uint8 of shape (n, {p}), got {table.dtype} of shape {table.shape}: "
            "make them with coding.encode"
        )
    return np.ascontiguousarray(table)


def _check_rows(rows: ArrayLike, n: int) -> NDArray[np.int32]:
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
        raise ValueError(
            f"rows must be row numbers, got {chosen.dtype} of shape {chosen.shape}: "
            "turn a mask into numbers with np.flatnonzero"
        )
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < n):
        raise ValueError(
            f"rows must be between 0 and {n - 1}, got {chosen.min()} to {chosen.max()}"
        )
    return chosen.astype(np.int32)
