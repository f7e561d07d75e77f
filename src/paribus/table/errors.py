"""What is said of tables and targets that cannot be explained."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, listed, plural


def repeated_columns() -> InputError:
    """Return the error for two columns of one name where the library does not say which."""
    return InputError("Two columns have the same name. Rename one, so that each has its own name.")


def alone_together(name: str) -> InputError:
    """Return the error for a group of one column that is to move together."""
    return InputError(
        f"{name!r} alone cannot move together. Name the columns of the group, two at least."
    )


def target_as_feature(name: str) -> InputError:
    """Return the error for the target asked to explain itself."""
    return InputError(f"{name!r} is the target itself. Pick another column to explain.")


def target_twice(name: str) -> InputError:
    """Return the error for a column that is the target in disguise."""
    return InputError(
        f"Column {name!r} is equal to the target in every row, so nothing else could matter. "
        "Leave it out, or name it as the target."
    )


def another_index(role: str) -> InputError:
    """Return the error for a pandas Series whose index is not the table's."""
    return InputError(
        f"{role} has another index than the table, so its rows may be in another order. "
        "Reindex it, or pass its values as an array."
    )


def not_a_table(got: object) -> InputError:
    """Return the error for something that is no table."""
    return InputError(
        "Expected a table (pandas, polars or pyarrow), a dict of columns or a 2-D NumPy array, "
        f"got {type(got).__name__}."
    )


def wrong_shape(ndim: int) -> InputError:
    """Return the error for an array that is not two-dimensional."""
    return InputError(
        f"Expected a 2-D array, one row an observation, got {ndim} dimension{plural(ndim)}. "
        "Reshape it, or pass a dict of columns."
    )


def wrong_names(n_names: int, n_columns: int) -> InputError:
    """Return the error for names that do not fit the array."""
    return InputError(
        f"Got {n_names} names for {n_columns} column{plural(n_columns)}. Pass one name a column."
    )


def unequal_lengths(first: str, n_first: int, second: str, n_second: int) -> InputError:
    """Return the error for two parts of unequal length."""
    return InputError(
        f"{first} has {n_first:,} rows and {second} has {n_second:,}. They must be the same rows."
    )


def constant_target(name: str) -> InputError:
    """Return the error for a target that never changes."""
    return InputError(
        f"The target {name!r} has the same value in every row, so no column can go with it. "
        "Pick a target that varies."
    )


def tiny_target(name: str) -> InputError:
    """Return the error for a target whose squares a computer takes for zero."""
    return InputError(
        f"The numbers of the target {name!r} are all smaller than 1e-140. Measure it in another "
        "unit."
    )


def target_not_numeric(name: str, kind: str) -> InputError:
    """Return the error for a target that is no number."""
    return InputError(
        f"The target {name!r} holds {kind}; stratpd and catstratpd need numbers. "
        "Turn it into 0 and 1, or into a number."
    )


def target_is_a_date(name: str) -> InputError:
    """Return the error for a target of dates."""
    return InputError(
        f"The target {name!r} holds dates. Turn it into a number, such as days since a start, "
        "or pick another target."
    )


def class_needed(name: str, classes: Sequence[object]) -> InputError:
    """Return the error for a target of more than two classes."""
    return InputError(
        f"The target {name!r} has {len(classes)} classes: {listed(classes)}. Choose the one to "
        "explain (class_= in Python, --class on the command line)."
    )


def too_many_classes(name: str, n_classes: int, is_number: bool) -> InputError:
    """Return the error for a target of text with very many values."""
    what = "different numbers" if is_number else "different texts"
    return InputError(
        f"The target {name!r} holds {n_classes:,} {what}, too many to be classes. Pick a target "
        "of numbers, or one with few classes."
    )


def one_cluster(name: str) -> InputError:
    """Return the error for rows that all belong together."""
    return InputError(
        f"All rows belong to the same {name!r}, so nothing can be told from comparing them. Leave "
        "it out, or name a column with several values."
    )


def not_one_column(role: str, ndim: int) -> InputError:
    """Return the error for a target or weights that are not one column."""
    if ndim == 0:
        return InputError(f"{role} must be the name of a column or one column of values.")
    return InputError(f"{role} must be one column of values, got {ndim} dimensions.")


def not_positive(target: str, n_rows: int) -> InputError:
    """Return the error for a target with values that have no logarithm."""
    return InputError(
        f"{n_rows:,} value{plural(n_rows)} of {target!r} {'is' if n_rows == 1 else 'are'} zero or "
        "negative and have no logarithm. Choose target_scale='ratio' for effects in per cent of "
        "the mean, or leave it out for effects in the target's own unit."
    )


def exposure_of_classes(target: str) -> InputError:
    """Return the error for an exposure beside a target that counts nothing."""
    return InputError(f"{target!r} has no numbers to divide by the exposure. Leave exposure out.")


def repeated_column(name: str) -> InputError:
    """Return the error for two columns of one name."""
    return InputError(
        f"Two columns are called {name!r}. Rename one, so that each has its own name."
    )


def names_without_array() -> InputError:
    """Return the error for names given for a table that has its own."""
    return InputError("The table has column names already: names= is for NumPy arrays only.")


def unusable_type(name: str, got: str) -> InputError:
    """Return the error for a column of a type that says nothing to us."""
    return InputError(
        f"Column {name!r} holds {got}, which cannot be compared. "
        "Turn it into numbers, text, booleans or dates, or leave it out."
    )


def infinite_value(name: str, row: int) -> InputError:
    """Return the error for an infinite value and where it stands."""
    return InputError(
        f"Column {name!r} is infinite in row {row} (counting from 0). "
        "Replace it by a number, or by a missing value."
    )


def extreme_value(name: str, row: int) -> InputError:
    """Return the error for numbers at the edge of what a computer can hold."""
    return InputError(
        f"Column {name!r} has a number beyond 1e150 in row {row} (counting from 0). "
        "Measure it in another unit."
    )


def too_few_rows(n_rows: int) -> InputError:
    """Return the error for a table with nothing to compare."""
    rows = "no rows" if n_rows == 0 else "one row"
    return InputError(
        f"The table has {rows} with a target value. Comparing rows needs two at least."
    )


def no_columns() -> InputError:
    """Return the error for a table without a column to explain."""
    return InputError("The table has no column but the target. Give it at least one to explain.")


def unknown_level(name: str, got: object, levels: Sequence[object]) -> InputError:
    """Return the error for a level or class that does not occur."""
    return InputError(f"{name!r} is never {got!r}. Its values are {listed(levels)}.")


def not_numeric_text(name: str, level: object) -> InputError:
    """Return the error for a category forced to be numeric that does not hold numbers."""
    return InputError(
        f"Column {name!r} cannot be numeric: it holds {level!r}. Leave it categorical."
    )


def bad_weight(role: str, name: str, row: int) -> InputError:
    """Return the error for a weight or a count that is negative or missing."""
    return InputError(
        f"The {role} {name!r} must be numbers of at least 0; row {row} (counting from 0) is not."
    )


def bad_count(name: str, row: int) -> InputError:
    """Return the error for a count that is not a whole number."""
    return InputError(
        f"The counts {name!r} must be whole numbers; row {row} (counting from 0) is not. "
        "Weights that are not counts of equal rows are given as weights."
    )


def target_has_role(name: str, role: str) -> InputError:
    """Return the error for a target that is named for another purpose as well."""
    return InputError(f"{name!r} is the target and cannot be used for {role} as well.")


def wrong_scale(target: str, scale: str) -> InputError:
    """Return the error for a scale that a target cannot be put on."""
    if scale == "odds":
        return InputError(
            f"{target!r} is a number, and only classes have odds. Leave target_scale out, or "
            "choose 'log' or 'ratio' for effects in per cent."
        )
    if scale == "log":
        return InputError(
            f"{target!r} is a class and has no logarithm. Leave target_scale out for percentage "
            "points, or choose 'odds' or 'ratio'."
        )
    return InputError(
        f"The mean of {target!r} is not above zero, so nothing can be said in per cent of it. "
        "Leave target_scale out."
    )


def not_a_number_column(name: str) -> InputError:
    """Return the error for stratpd asked for a category."""
    return InputError(
        f"Column {name!r} holds categories; stratpd explains numbers and dates. "
        "Use catstratpd for it."
    )


def bad_fraction(option: str, got: object) -> InputError:
    """Return the error for max_features."""
    return InputError(
        f"{option} must be a share of the columns above 0 and up to 1, or a whole number of "
        f"at least 1, got {got!r}."
    )
