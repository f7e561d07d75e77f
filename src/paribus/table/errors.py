"""Errors for tables and targets that cannot be explained."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording, plural
from paribus.base.wording import listed

alone_together = Wording[str](
    "Column {name!r} alone cannot move together. Name the columns of the group, two at least."
)
target_as_feature = Wording[str](
    "Column {name!r} is the target itself. Pick another column to explain."
)
target_twice = Wording[str](
    "Column {name!r} is equal to the target in every row, so nothing else could matter. "
    "Leave it out, or name it as the target."
)
another_index = Wording[str](
    "The argument {role} is not indexed like the table, so its rows may be in another order. "
    "Reindex it, or pass its values as an array."
)


def not_a_table(got: object) -> InputError:
    """Return the error for something that is no table."""
    hint = " Collect it first." if hasattr(got, "collect") else ""
    return InputError(
        "Expected a table (pandas, polars or pyarrow), a dict of columns or a 2-D NumPy array, "
        f"got {type(got).__name__}.{hint}"
    )


def wrong_shape(ndim: int) -> InputError:
    """Return the error for an array that is not two-dimensional."""
    return InputError(
        f"Expected a 2-D array, one row per observation, got {ndim} dimension{plural(ndim)}. "
        "Reshape it, or pass a dict of columns."
    )


def wrong_names(n_names: int, n_columns: int) -> InputError:
    """Return the error for names that do not fit the array."""
    return InputError(
        f"Got {n_names} names for {n_columns} column{plural(n_columns)}. Pass one name per column."
    )


unequal_lengths = Wording[str, int, str, int](
    "{first} has {n_first:,} rows and {second} has {n_second:,}. They must be the same rows."
)
constant_target = Wording[str](
    "The target {name!r} has the same value in every row, so no column can go with it. "
    "Pick a target that varies."
)
tiny_target = Wording[str](
    "The numbers of the target {name!r} are all smaller than 1e-140. Measure it in another unit."
)
target_not_numeric = Wording[str, str](
    "The target {name!r} holds {kind}; stratpd and catstratpd need numbers. "
    "Turn it into 0 and 1, or into a number."
)
target_is_a_date = Wording[str](
    "The target {name!r} holds dates. Turn it into a number, such as days since a start, "
    "or pick another target."
)


def class_needed(name: str, classes: Sequence[object]) -> InputError:
    """Return the error for a target of more than two classes."""
    return InputError(
        f"The target {name!r} has {len(classes)} classes: {listed(classes, 10)}. Choose the one to "
        "explain (class_= in Python, --class on the command line)."
    )


def too_many_classes(name: str, n_classes: int, is_number: bool) -> InputError:
    """Return the error for a target of text with very many values."""
    what = "different numbers" if is_number else "different texts"
    return InputError(
        f"The target {name!r} holds {n_classes:,} {what}, too many to be classes. Pick a target "
        "of numbers, or one with few classes."
    )


one_cluster = Wording[str](
    "All rows belong to the same {name!r}, so nothing can be told from comparing them. Leave "
    "it out, or name a column with several values."
)


def not_one_column(role: str, ndim: int) -> InputError:
    """Return the error for a target or weights that are not one column."""
    if ndim == 0:
        return InputError(
            f"The argument {role} must be the name of a column or one column of values."
        )
    return InputError(f"The argument {role} must be one column of values, got {ndim} dimensions.")


def not_positive(target: str, n_rows: int) -> InputError:
    """Return the error for a target with values that have no logarithm."""
    return InputError(
        f"{n_rows:,} value{plural(n_rows)} of {target!r} {'is' if n_rows == 1 else 'are'} zero or "
        "negative and have no logarithm. Choose target_scale='ratio' for effects in per cent of "
        "the mean, or leave it out for effects in the target's own unit."
    )


exposure_of_classes = Wording[str](
    "The target {target!r} has no numbers to divide by the exposure. Leave exposure out."
)
repeated_column = Wording[str](
    "Two columns are called {name!r}. Rename one, so that each has its own name."
)
names_without_array = Wording[()](
    "The table has column names already: names= is for NumPy arrays only."
)
unusable_type = Wording[str, str](
    "Column {name!r} holds {got}, which cannot be compared. "
    "Turn it into numbers, text, booleans or dates, or leave it out."
)
infinite_value = Wording[str, int](
    "Column {name!r} is infinite in row {row} (counting from 0). "
    "Replace it by a number, or by a missing value."
)
extreme_value = Wording[str, int](
    "Column {name!r} has a number beyond 1e150 in row {row} (counting from 0). "
    "Measure it in another unit."
)


def too_few_rows(n_rows: int, left_out: bool = False) -> InputError:
    """Return the error for a table with nothing to compare; others may be `left_out` as asked."""
    rows = "no rows" if n_rows == 0 else "one row"
    more = ", a weight above 0 and a known unit" if left_out else ""
    return InputError(
        f"The table has {rows} with a target value{more}. Comparing rows needs two at least."
    )


no_columns = Wording[()]("The table has no column but the target. Give it at least one to explain.")


def unknown_level(name: str, got: object, levels: Sequence[object]) -> InputError:
    """Return the error for a level or class that does not occur."""
    return InputError(f"Column {name!r} is never {got!r}. Its values are {listed(levels, 10)}.")


not_numeric_text = Wording[str, object](
    "Column {name!r} cannot be numeric: it holds {level!r}. Leave it categorical."
)
bad_kind = Wording[object](
    "The argument kind must name columns, as in kind={{'zipcode': 'categorical'}}, got {got!r}."
)
bad_weight = Wording[str, str, int](
    "The {role} {name!r} must be numbers of at least 0; row {row} (counting from 0) is not."
)
bad_count = Wording[str, int](
    "The counts {name!r} must be whole numbers; row {row} (counting from 0) is not. "
    "Weights that are not counts of equal rows are given as weights."
)
too_many_counted = Wording[str, int](
    "The counts {name!r} add up to more than {most:,} rows, which is more than can be counted."
)
target_has_role = Wording[str, str](
    "Column {name!r} is the target and cannot be used for {role} as well."
)


def wrong_scale(target: str, scale: str) -> InputError:
    """Return the error for a scale that a target cannot be put on."""
    if scale == "odds":
        return InputError(
            f"The target {target!r} is a number, and only classes have odds. Leave target_scale "
            "out, or choose 'log' or 'ratio' for effects in per cent."
        )
    if scale == "log":
        return InputError(
            f"The target {target!r} is a class and has no logarithm. Leave target_scale out for "
            "percentage points, or choose 'odds' or 'ratio'."
        )
    return InputError(
        f"The mean of {target!r} is not above zero, so nothing can be said in per cent of it. "
        "Leave target_scale out."
    )


not_a_number_column = Wording[str](
    "Column {name!r} holds categories; stratpd explains numbers and dates. Use catstratpd for it."
)
bad_fraction = Wording[str, object](
    "The argument {option} must be a share of the columns above 0 and up to 1, or a whole number "
    "of at least 1, got {got!r}."
)
