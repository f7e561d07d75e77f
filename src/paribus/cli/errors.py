"""Errors for options that do not fit together."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording, either
from paribus.base.wording import listed

feature_has_role = Wording[str, str](
    "Column {name!r} is used for {role} and is not held still, so it cannot be explained as well."
)
one_beside = Wording[int](
    "The option --beside goes with one --feature, the first of the two columns; got {n}."
)
one_picture = Wording[int](
    "A picture shows one column, got {n_columns}. Run the command once for each; paribus "
    "report draws all of them."
)


def wrong_ending(path: str, endings: Sequence[str]) -> InputError:
    """Return the error for a file of a kind that is not written."""
    return InputError(f"The name {path!r} must end in {either(endings)}.")


def no_target(name: str, columns: Sequence[str]) -> InputError:
    """Return the error for a target that was not named."""
    return InputError(
        f"Which column is to be explained? Name it with --target; those of {name!r} are "
        f"{listed(columns, 40)}."
    )


of_option = Wording[str, InputError]("{option}: {problem}")
also_dropped = Wording[str, str](
    "Column {name!r} is named with {option} and left out with --drop. Choose one."
)
no_sample_in_batches = Wording[()](
    "This file would not fit into memory, so all of it is read in batches: leave --sample out, "
    "or set PARIBUS_MEMORY to more than there is."
)
is_the_data = Wording[str](
    "The path {path!r} is the file to be explained, and would be lost. Name another to write to."
)
not_a_report = Wording[str](
    "File {path!r} is there already, and is no report of paribus. Name another page with --output."
)
