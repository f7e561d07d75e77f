"""What is said of groups, pairs and batches that cannot be explained."""

from __future__ import annotations

from paribus.base.errors import InputError


def one_group(name: str, fewest: int) -> InputError:
    """Return the error for rows that fall into one group only."""
    return InputError(
        f"The rows fall into one group of {name!r} only (a group needs {fewest} rows): there is "
        "nothing to compare. Name a column with several values, or other cut points."
    )


def bad_by(got: object) -> InputError:
    """Return the error for groups that are given as something else than a column's name."""
    return InputError(
        "by must be the name of a column, or a name with ascending cut points such as "
        f"{{'age': [30, 50]}}, got {got!r}."
    )


def cuts_of_category(name: str) -> InputError:
    """Return the error for cut points of a column that has none."""
    return InputError(f"{name!r} is a category: its levels are the groups, without cut points.")


def too_many_levels(name: str, n_levels: int, most: int) -> InputError:
    """Return the error for a category with too many levels to be shown beside another column."""
    return InputError(
        f"{name!r} has {n_levels:,} levels; together with another column at most {most} can be "
        "told apart. Take fewer, or use by= with it, which joins the rare ones."
    )


def not_two_columns(got: object) -> InputError:
    """Return the error for a pair of columns that is none."""
    return InputError(f"Name two different columns that can be held still, got {got!r}.")


def by_itself(name: str) -> InputError:
    """Return the error for a column explained by groups of itself."""
    return InputError(f"{name!r} cannot be explained by groups of itself: name another column.")


def groups_on_a_scale() -> InputError:
    """Return the error for groups compared on another scale than the target's."""
    return InputError(
        "by compares groups in the target's own unit: leave target_scale out, or take the "
        "logarithm of the target first."
    )


def not_of_a_pair(option: str) -> InputError:
    """Return the error for an option that two columns at once cannot have."""
    return InputError(f"{option} cannot be chosen for two columns at once: leave it out.")


def not_in_batches(option: str) -> InputError:
    """Return the error for an option that a table read in batches cannot have."""
    return InputError(
        f"{option} cannot be chosen for a table that is read in batches. Leave it out, or pass a "
        "table that fits into memory."
    )


def by_name_only(role: str) -> InputError:
    """Return the error for values beside a table that is read in batches."""
    return InputError(f"{role} must be the name of a column: the table is read in batches.")
