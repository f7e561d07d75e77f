"""Notes on tables that are read in batches."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.notes import Note
from paribus.base.wording import listed, rows, together


def trees_on_sample(n_sample: int, n_rows: int) -> Note:
    """Say which rows decided on the strata, and which were compared in them."""
    text = (
        f"The strata were found on {rows(n_sample)} drawn at random; the other "
        f"{n_rows - n_sample:,} of {n_rows:,} were compared in them."
    )
    return Note("trees_on_sample", text, {"rows": n_sample, "of": n_rows})


def other_levels(feature: str, n_levels: int, other: str) -> Note:
    """Return the note on rare levels that are taken together."""
    text = (
        f"Of {feature!r} the {n_levels:,} commonest levels are kept apart; the others are taken "
        f"together as {other!r}."
    )
    return Note("other_levels", text, {"column": feature, "levels": n_levels})


def empty_parts(names: Sequence[str]) -> Note:
    """Return the note on parts without a row."""
    shown = listed(names)
    text = f"Parts without rows: {shown}."
    return Note("empty_parts", text, {"parts": list(names)})


def look_on_sample(n_sample: int) -> Note:
    """Say that the look at a table saw some of its rows, and what it then leaves as it is."""
    text = (
        f"Only a sample of {rows(n_sample)} was looked at first: what is said of every row holds "
        "for these. Numbers that are codes, and values that stand for missing ones, are left as "
        "they are; kind= treats a column as a category."
    )
    return Note("look_on_sample", text, {"rows": n_sample})


def not_looked_at(n_sample: int) -> Note:
    """Say that so few rows were drawn that a look at the columns would tell nothing."""
    text = (
        f"The columns were taken as they are, without a look at them first: a sample of "
        f"{rows(n_sample)} is too small for one."
    )
    return Note("not_looked_at", text, {"rows": n_sample})


def few_clusters_kept(n_clusters: int) -> Note:
    """Tell that the errors that rows of a cluster share were estimated from few clusters."""
    text = (
        f"The uncertainty of the results was estimated from {n_clusters} whole clusters, as many "
        "as could be kept while the table was read: they are very few."
    )
    return Note("few_clusters", text, {"clusters": n_clusters})


def too_fine_in_batches(feature: str, columns: Sequence[str]) -> Note:
    """Say that columns act on a column and on the target more finely than batches hold still."""
    text = (
        f"{together(columns)} with both {feature!r} and the target, more finely than can be held "
        "still where a table is read in batches: part of the effect shown may not be that of "
        f"{feature!r}. A part of the rows that fits into memory tells how much."
    )
    return Note("too_fine_in_batches", text, {"columns": list(columns)})
