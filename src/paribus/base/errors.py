"""What we say when the input cannot be used: what was expected, what was got, what to do.

These are shared by all rooms; every other message is in the `errors.py` of its room.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from difflib import get_close_matches

from paribus.base.wording import brief


class InputError(ValueError):
    """The data or an option cannot be used as given; the message says what to change."""


class TimeLimitError(InputError):
    """The work took longer than it may."""


def unknown_column(name: object, known: Sequence[str]) -> InputError:
    """Return the error for a column that is not there, with the nearest names."""
    near = get_close_matches(str(name), known, n=3, cutoff=0.5)
    folded = [k for k in known if k.casefold() == str(name).casefold()]
    guesses = list(dict.fromkeys(folded + near))
    if guesses:
        return InputError(f"There is no column {name!r}. Did you mean {either(guesses)}?")
    return InputError(f"There is no column {name!r}. The columns are {listed(known)}.")


def bad_conf_level(got: object) -> InputError:
    """Return the error for a confidence level that is none."""
    return InputError(f"conf_level must lie between 0 and 1, such as 0.95, got {got!r}.")


def below_minimum(option: str, got: object, least: float) -> InputError:
    """Return the error for a number option that is too small or no number."""
    return InputError(f"{option} must be a whole number of at least {least:g}, got {got!r}.")


def above_maximum(option: str, got: object, most: int) -> InputError:
    """Return the error for a number that is too large to count with."""
    return InputError(f"{option} must be at most {most:,}, got {got!r}.")


def bad_flag(option: str, got: object) -> InputError:
    """Return the error for an option that is true or false."""
    return InputError(f"{option} must be True or False, got {got!r}.")


def bad_choice(option: str, got: object, choices: Sequence[str]) -> InputError:
    """Return the error for an option with a fixed set of values."""
    return InputError(f"{option} must be {either(choices)}, got {got!r}.")


def missing_package(package: str, purpose: str, extra: str) -> ImportError:
    """Return the error for an optional package that is not installed."""
    return ImportError(
        f"{purpose} needs {package}, which is not installed. Install it with: pip install {extra}"
    )


def unwritable(path: str, why: str) -> InputError:
    """Return the error for a file that the system does not let us write or read."""
    return InputError(f"{path!r} cannot be used: {why}.")


def took_too_long(seconds: float) -> TimeLimitError:
    """Return the error for a command that took longer than it may."""
    return TimeLimitError(
        f"This took more than {seconds:,g} seconds and was stopped. Give --time-limit more "
        "seconds, or be quicker with --sample, --feature or --drop."
    )


def of_the_system(problem: OSError) -> str:
    """Say what the operating system would not do: a full disk, a file that may not be read."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Make some room on it, and try again."
    why = problem.strerror or "unknown reason"
    if problem.filename is not None:
        return str(unwritable(str(problem.filename), why))
    return f"A file could not be read or written: {why}."


def unexpected(problem: BaseException) -> str:
    """Return the error for a mistake of our own."""
    what = " ".join(str(problem).split())
    return (
        f"Something went wrong inside paribus ({type(problem).__name__}: {what}). "
        "With --debug it shows where."
    )


def plural(count: int) -> str:
    """Return the ending of a word for so many things."""
    return "" if count == 1 else "s"


def either(choices: Sequence[str]) -> str:
    """Join choices with an or."""
    quoted = [repr(c) for c in choices]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def listed(names: Sequence[object], most: int = 10) -> str:
    """Join names with commas, the first few of many."""
    shown = ", ".join(map(brief, names[:most]))
    left = len(names) - most
    return f"{shown} and {left} more" if left > 0 else shown
