"""Errors for rows that come in parts, and for parts that do not fit together."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording
from paribus.base.wording import listed


def in_part(number: int, name: str, problem: str) -> InputError:
    """Return the error for what is wrong with one part of a table that comes in parts."""
    return InputError(f"In part {number + 1} ({name}): {problem}")


def part_lacks_column(name: str, known: Sequence[str]) -> InputError:
    """Return the error for a column that other parts have."""
    return InputError(
        f"there is no column {name!r}, which other parts have; here are {listed(known, 10)}. "
        "All parts must have the same columns."
    )


part_has_more = Wording[str](
    "there is a column {name!r} that other parts lack. All parts must have the same columns."
)


def part_differs(name: str, expected: str, got: str) -> InputError:
    """Return the error for a column that holds something else than in other parts."""
    hint = "Write them the same way"
    if {expected, got} == {"whole numbers", "decimals"}:
        hint += f", or say that both are numbers with kind={{{name!r}: 'numeric'}}"
    return InputError(f"column {name!r} holds {got}, in other parts {expected}. {hint}.")


part_unreadable = Wording[str](
    "it cannot be read to its end; it may be damaged or cut off ({why})."
)
part_short = Wording[int, int]("it has {got:,} rows, but says {expected:,}. Write it again.")
rows_changed = Wording[int, int](
    "The table was read twice and was not the same: {first:,} rows, then {second:,}, or in "
    "another order. Store it (in Parquet files, or with cache or persist) and use that."
)
file_changed = Wording[str](
    "File {path!r} was changed, replaced or removed while it was read, so there is no answer. Run "
    "again when it is whole."
)
workers_died = Wording[()](
    "Workers of the cluster ended before their work, several times over, most likely for want "
    "of memory. Give them more, or cut the table into more and smaller partitions."
)
spark_without_rdd = Wording[()](
    "This Spark session has no RDDs (Spark Connect has none), with which sums are added up. "
    "Use a classic session, or write the table to Parquet files and pass their names."
)
clusters_too_large = Wording[str](
    "The rows of a cluster are drawn together, and those of {name!r} are so many that fewer than "
    "two clusters can be: nothing can be told from comparing them. Pass a table that fits into "
    "memory, say one with fewer columns, or name a column that divides the rows more finely."
)
within_in_batches = Wording[str](
    "Comparing {name!r} with itself (within) needs all its rows at once, and this table is "
    "read in batches. Pass a table that fits into memory, say one with fewer columns; or say "
    "cluster={name!r}: its rows then share their errors, in batches too."
)
