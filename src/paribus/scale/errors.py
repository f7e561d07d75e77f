"""The errors for rows that come in parts and do not fit together."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, listed


def in_part(number: int, name: str, problem: str) -> InputError:
    """Return the error for what is wrong with one part of a table that comes in parts."""
    return InputError(f"In part {number + 1} ({name}): {problem}")


def part_lacks_column(name: str, known: Sequence[str]) -> InputError:
    """Return the error for a column that other parts have."""
    return InputError(
        f"there is no column {name!r}, which other parts have; here are {listed(known)}. "
        "All parts must have the same columns."
    )


def part_has_more(name: str) -> InputError:
    """Return the error for a column that other parts have not."""
    return InputError(
        f"there is a column {name!r} that other parts lack. All parts must have the same columns."
    )


def part_differs(name: str, expected: str, got: str) -> InputError:
    """Return the error for a column that holds something else than in other parts."""
    hint = "Write them alike"
    if {expected, got} == {"whole numbers", "decimals"}:
        hint += f", or say that both are numbers with kind={{{name!r}: 'numeric'}}"
    return InputError(f"column {name!r} holds {got}, in other parts {expected}. {hint}.")


def part_unreadable(why: str) -> InputError:
    """Return the error for a part that cannot be read to its end."""
    return InputError(f"it cannot be read to its end; it may be damaged or cut off ({why}).")


def part_short(got: int, expected: int) -> InputError:
    """Return the error for a part with other rows than it says."""
    return InputError(f"it has {got:,} rows, but says {expected:,}. Write it again.")


def rows_changed(first: int, second: int) -> InputError:
    """Return the error for a table whose rows were others the second time they were read."""
    return InputError(
        f"The table was read twice and was not the same: {first:,} rows, then {second:,}, or in "
        "another order. Store it (in Parquet files, or with cache or persist) and use that."
    )


def file_changed(path: str) -> InputError:
    """Return the error for a file that became another while it was read."""
    return InputError(
        f"{path!r} was changed, replaced or removed while it was read, so there is no answer. Run "
        "again when it is whole."
    )


def workers_died() -> InputError:
    """Return the error for workers of an engine that ended before their work, again and again."""
    return InputError(
        "Workers of the cluster ended before their work, several times over, most likely for want "
        "of memory. Give them more, or cut the table into more and smaller partitions."
    )


def spark_without_rdd() -> InputError:
    """Return the error for a Spark session that cannot add up the sums of its partitions."""
    return InputError(
        "This Spark session has no RDDs (Spark Connect has none), with which sums are added up. "
        "Use a classic session, or write the table to Parquet files and pass their names."
    )


def within_in_batches(name: str) -> InputError:
    """Return the error for units to be compared with themselves in a table read in batches."""
    return InputError(
        f"Comparing {name!r} with itself (within) needs all its rows at once, and this table is "
        f"read in batches. Pass a table that fits into memory, say one with fewer columns; or say "
        f"cluster={name!r}: its rows then share their errors, in batches too."
    )
