"""Notes on a table before anything is explained."""

from __future__ import annotations

from typing import Any

from paribus.base.notes import Note
from paribus.base.wording import rows, were


def missing_target(target: str, n_missing: int) -> Note:
    """Return the note on rows left out because their target is missing."""
    text = f"{rows(n_missing)} without a value of {target!r} {were(n_missing)} left out."
    return Note("missing_target", text, {"rows": n_missing})


def zero_weight(n_rows: int) -> Note:
    """Return the note on rows left out because they weigh nothing."""
    return Note(
        "zero_weight", f"{rows(n_rows)} of weight 0 {were(n_rows)} left out.", {"rows": n_rows}
    )


def copied_rows(n_copies: int, n_rows: int) -> Note:
    """Tell of rows that repeat others to the last value."""
    text = (
        f"{rows(n_copies)} of {n_rows:,} are copies of others. Each distinct row counts once for "
        "the uncertainty of the results, and as often as it occurs for the estimates."
    )
    return Note("copied_rows", text, {"copies": n_copies, "rows": n_rows})


def few_clusters(n_clusters: int) -> Note:
    """Tell that few clusters say little about how sure a result is."""
    text = (
        f"There are only {n_clusters} clusters: too few to judge well how uncertain the results "
        "are."
    )
    return Note("few_clusters", text, {"clusters": n_clusters})


def without_unit(n_rows: int) -> Note:
    """Tell of rows left out because their unit is not known."""
    text = f"{rows(n_rows)} that belong to no known unit {were(n_rows)} left out."
    return Note("without_unit", text, {"rows": n_rows})


def class_target(target: str, shown: Any, n_classes: int) -> Note:
    """Say that a class is explained, in percentage points."""
    rest = "the other value" if n_classes == 2 else f"the other {n_classes - 1} values"
    text = (
        f"The share of rows where {target} is {shown}, against {rest}, is explained, in percentage "
        "points."
    )
    return Note("class_target", text, {"class": shown, "classes": n_classes})
