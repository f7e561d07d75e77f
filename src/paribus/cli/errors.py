"""What is said of options that do not fit together."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, either, listed


def feature_has_role(name: str, role: str) -> InputError:
    """Return the error for a column to explain that says something about the rows."""
    return InputError(
        f"{name!r} is used for {role} and is not held still, so it cannot be explained as well."
    )


def one_beside(n: int) -> InputError:
    """Return the error for a second column without one first."""
    return InputError(f"--beside goes with one --feature, the first of the two columns; got {n}.")


def one_picture(n_columns: int) -> InputError:
    """Return the error for a picture asked for several columns."""
    return InputError(
        f"A picture shows one column, got {n_columns}. Run the command once for each; paribus "
        "report draws all of them."
    )


def wrong_ending(path: str, endings: Sequence[str]) -> InputError:
    """Return the error for a file of a kind that is not written."""
    return InputError(f"{path!r} must end in {either(endings)}.")


def no_target(name: str, columns: Sequence[str]) -> InputError:
    """Return the error for a target that was not named."""
    return InputError(
        f"Which column is to be explained? Name it with --target; those of {name!r} are "
        f"{listed(columns, most=40)}."
    )


def of_option(option: str, problem: InputError) -> InputError:
    """Return an error with the option that it is about."""
    return InputError(f"{option}: {problem}")


def also_dropped(name: str, option: str) -> InputError:
    """Return the error for a column that is named for use and left out as well."""
    return InputError(f"{name!r} is named with {option} and left out with --drop. Choose one.")


def no_sample_in_batches() -> InputError:
    """Return the error for --sample asked of a file that is read in batches."""
    return InputError(
        "This file would not fit into memory, so all of it is read in batches: leave --sample out, "
        "or set PARIBUS_MEMORY to more than there is."
    )
