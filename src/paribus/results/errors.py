"""What is said when a result cannot answer."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, listed


def off_the_curve(name: str, got: object, low: object, high: object) -> InputError:
    """Return the error for a value outside the curve."""
    return InputError(f"The curve of {name!r} runs from {low} to {high}; {got!r} is not on it.")


def not_comparable(name: str, a: object, b: object) -> InputError:
    """Word a difference between places that no rows compare."""
    return InputError(
        f"{name} = {a} and {name} = {b} cannot be compared: no rows alike in the other columns lie "
        "on both sides."
    )


def no_covariance() -> InputError:
    """Return the error for a reference point asked of a result without intervals."""
    return InputError(
        "This result has no intervals to move along: subtract a value from its effect instead."
    )


def no_data_to_rerun() -> InputError:
    """Return the error for a rerun asked of a result that has lost its data."""
    return InputError(
        "This result has no data behind it (it was stored, or found by another method). "
        "Call effect on the data again."
    )


def no_rows_for_a_pair(first: str, second: str) -> InputError:
    """Return the error for a second column asked of a result without its rows."""
    return InputError(
        "The rows behind this result are not at hand: it was stored, is in per cent, or was read "
        f"in batches. Ask for both at once: effect(data, target, ({first!r}, {second!r}))."
    )


def unknown_group(name: str, got: object, labels: Sequence[str]) -> InputError:
    """Return the error for a group that there is not."""
    return InputError(f"There is no group {got!r} of {name!r}; there are {listed(labels)}.")


def no_shared_values(feature: str, by: str) -> InputError:
    """Return the error for groups whose curves lie nowhere side by side."""
    return InputError(
        f"The groups of {by!r} have no values of {feature!r} in common, so that they cannot be "
        "compared."
    )


def moderator_is_no_number(name: str) -> InputError:
    """Return the error for a slope asked along a category."""
    return InputError(
        f"{name!r} is a category: slopes are drawn along a number. by={name!r} gives the effect "
        "in each of its groups."
    )


def own_effect_unknown(name: str) -> InputError:
    """Return the error for a slope that the columns held still leave nothing to be known of."""
    return InputError(
        f"The other columns, held still, fix {name!r}: what it goes with by itself is not known."
    )


def no_map(features: Sequence[str]) -> InputError:
    """Return the error for a map asked of columns that are not two numbers."""
    return InputError(f"A map is of two numbers; {listed(features)} are not. See plot and chart.")


def no_slopes(feature: str, moderator: str) -> InputError:
    """Return the error for two columns that never vary apart."""
    return InputError(
        f"Nowhere along {moderator!r} do enough rows have the same values of {feature!r}, so that "
        "slopes cannot be compared."
    )


def no_doubling(feature: str, first: object) -> InputError:
    """Return the error for a column that cannot double."""
    return InputError(
        f"{feature!r} begins at {first}, and only numbers above zero can double. Choose a number "
        "for per, or leave it out."
    )


def unknown_version(kind: str, got: object, version: int) -> InputError:
    """Return the error for stored values that this version cannot read."""
    return InputError(f"Expected a stored {kind} of format {version}, got {got}.")


def unreadable(kind: str) -> InputError:
    """Return the error for stored values of the right version that lack parts."""
    return InputError(f"The stored {kind} is incomplete or damaged: store it again.")


def unknown_reference(got: object) -> InputError:
    """Return the error for a level to compare with that no category has."""
    return InputError(f"No category that is explained has the level {got!r}.")


def no_runs() -> InputError:
    """Return the error for a table of nothing."""
    return InputError("There is nothing to put into a table. Pass results of effects().")


def unclear_hypothesis(text: str) -> InputError:
    """Return the error for a hypothesis that does not say what equals what."""
    return InputError(
        f"{text!r} does not say what equals what. Write 'a = b' or 'a = 2' with names of columns, "
        "or of levels: 'cut[Fair] = cut[Ideal]'."
    )


def level_needed(name: str, levels: Sequence[str]) -> InputError:
    """Return the error for a category named where one of its levels is meant."""
    return InputError(f"{name!r} has several levels. Name one: {name}[{levels[0]}].")


def untestable(side: str) -> InputError:
    """Return the error for a number that is not known."""
    return InputError(f"What {side} goes with is not known, so it cannot be compared.")


def bad_step(feature: str, got: object) -> InputError:
    """Return the error for a step that slopes cannot be counted by."""
    return InputError(f"per of {feature!r} must be a number above 0 or 'doubling', got {got!r}.")
