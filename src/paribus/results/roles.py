"""What was said about the rows: what they stand for, and which belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paribus.table.problem import Problem

UNNAMED = {
    "weights": "weight", "counts": "count", "cluster": "cluster", "within": "unit",
    "exposure": "exposure",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowRoles:
    """The names of columns that say something about the rows; empty where there is none.

    Attributes
    ----------
    weights, counts, cluster, within, exposure : str
        As in `paribus.effects`.
    n_groups : int
        How many clusters, or units compared with themselves, there are; 0 if not known.
    """

    weights: str = ""
    counts: str = ""
    cluster: str = ""
    within: str = ""
    exposure: str = ""
    n_groups: int = 0

    @property
    def groups(self) -> str:
        """How many groups there are, in words.

        Examples
        --------
        >>> RowRoles(cluster="shop", n_groups=1400).groups
        '1,400 clusters'
        """
        kind = "clusters" if self.cluster else "units"
        return f"{self.n_groups:,} {kind}" if self.n_groups else ""

    def sentences(self) -> list[str]:
        """Say what the roles mean for the results, a sentence each.

        Examples
        --------
        >>> RowRoles(within="person").sentences()[0]
        'Each person is compared with itself: what never changes within it is held still.'
        """
        said = []
        if self.weights:
            said.append(f"Each row counts as much as {self.weights!r} says.")
        if self.exposure:
            said.append(
                f"Rates per {self.exposure} are compared: each row counts as much as "
                f"{self.exposure!r} says."
            )
        if self.counts:
            said.append(f"Each row stands for as many equal rows as {self.counts!r} says.")
        if self.within:
            said.append(
                f"Each {self.within} is compared with itself: what never changes within it is held "
                "still."
            )
        if shared := self.cluster or self.within:
            said.append(f"Intervals allow for errors shared by rows of the same {shared}.")
        return said


def roles_of(given: Mapping[str, Any], problem: Problem, n_rows: int) -> RowRoles:
    """Name what was said about the rows; groups are counted only if all rows are at hand."""
    named = {
        role: _name(column) or UNNAMED[role] for role, column in given.items() if column is not None
    }
    groups = problem.cluster if "cluster" in named else problem.within
    known = groups is not None and len(groups) == n_rows
    return RowRoles(**named, n_groups=int(groups.max()) + 1 if groups is not None and known else 0)


def _name(given: Any) -> str:
    return given if isinstance(given, str) else str(getattr(given, "name", None) or "")
