"""The errors for questions that a result cannot answer."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording
from paribus.base.wording import listed, written


def off_the_curve(name: str, got: object, low: object, high: object) -> InputError:
    """Return the error for a value outside the curve."""
    span = f"{written(low)} to {written(high)}"
    return InputError(f"The curve of {name!r} runs from {span}; {got!r} is not on it.")


not_comparable = Wording[str, object, object](
    "Values {name} = {a} and {name} = {b} cannot be compared: no rows alike in the other columns "
    "lie on both sides."
)
no_covariance = Wording[()](
    "This result has no intervals to move along: subtract a value from its effect instead."
)
one_value = Wording[str](
    "Column {feature!r} has one value in the rows compared, so there is no slope."
)
no_data_to_rerun = Wording[()](
    "This result has no data behind it (it was stored, or found by another method). "
    "Call effect on the data again."
)
no_rows_for_a_pair = Wording[str, str](
    "The rows behind this result are not at hand: it was stored, is in per cent, or was read "
    "in batches. Ask for both at once: effect(data, target, ({first!r}, {second!r}))."
)


def unknown_group(name: str, got: object, labels: Sequence[str]) -> InputError:
    """Return the error for a group that does not exist."""
    return InputError(f"There is no group {got!r} of {name!r}; there are {listed(labels, 10)}.")


no_shared_values = Wording[str, str](
    "The groups of {by!r} have no values of {feature!r} in common, so that they cannot be compared."
)
moderator_is_no_number = Wording[str](
    "Column {name!r} is a category: slopes are drawn along a number. by={name!r} gives the effect "
    "in each of its groups."
)
runs_in_a_circle = Wording[str](
    "Column {name!r} is cyclic, so that it has no slope. keep=[{name!r}] treats it as a plain "
    "number."
)
own_effect_unknown = Wording[str](
    "The other columns determine {name!r}: what it goes with by itself is not known."
)


def no_map(features: Sequence[str]) -> InputError:
    """Return the error for a map asked of columns that are not two numbers."""
    return InputError(
        f"A map is of two numbers; {listed(features, 10)} are not. See plot and chart."
    )


no_slopes = Wording[str, str](
    "Nowhere along {moderator!r} do enough rows have the same values of {feature!r}, so that "
    "slopes cannot be compared."
)
no_doubling = Wording[str, object](
    "Column {feature!r} begins at {first}, and only numbers above zero can double. Choose a number "
    "for per, or leave it out."
)
unknown_version = Wording[str, int, str]("Expected a stored {kind} of format {version}, got {got}.")
unreadable = Wording[str]("The stored {kind} is incomplete or damaged: store it again.")
unknown_reference = Wording[object]("No category that is explained has the level {got!r}.")
no_runs = Wording[()]("There is nothing to put into a table. Pass results of effects().")
unclear_hypothesis = Wording[str](
    "The hypothesis {text!r} does not say what equals what. Write 'a = b' or 'a = 2' with names "
    "of columns, or of levels: 'cut[Fair] = cut[Ideal]'."
)


def level_needed(name: str, levels: Sequence[str]) -> InputError:
    """Return the error for a category named where one of its levels is meant."""
    return InputError(f"Column {name!r} has several levels. Name one: {name}[{levels[0]}].")


untestable = Wording[str]("What {side} goes with is not known, so it cannot be compared.")
bad_step = Wording[str, object](
    "The argument per of {feature!r} must be a number above 0 or 'doubling', got {got!r}."
)
