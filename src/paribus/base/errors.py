"""Errors for input that cannot be used: what was expected, what was given, what to do.

These are shared by all rooms; every other message is in the `errors.py` of its room.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from difflib import get_close_matches
from string import Formatter
from typing import Generic, TypeVarTuple

from paribus.base.wording import listed

Given = TypeVarTuple("Given")


class InputError(ValueError):
    """The data or an option cannot be used as given; the message says what to change."""


class TimeLimitError(InputError):
    """The work exceeded its time limit."""


class Wording(Generic[*Given]):
    """A sentence with gaps; called with what fills them, in order, it returns an error.

    Examples
    --------
    >>> Wording[str, int]("{name!r} has {n:,} rows, and {name!r} needs more.")("a", 1000)
    InputError("'a' has 1,000 rows, and 'a' needs more.")
    """

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        fields = (field for _, field, _, _ in Formatter().parse(sentence) if field)
        self.fields = tuple(dict.fromkeys(fields))

    def __call__(self, *given: *Given) -> InputError:
        """Return the error; `given` has one value for each different gap."""
        values: tuple[object, ...] = given
        return InputError(self.sentence.format(**dict(zip(self.fields, values, strict=True))))


def unknown_column(name: object, known: Sequence[str]) -> InputError:
    """Return the error for a column that is not there, with the nearest names."""
    near = get_close_matches(str(name), known, n=3, cutoff=0.5)
    folded = [k for k in known if k.casefold() == str(name).casefold()]
    guesses = list(dict.fromkeys(folded + near))
    if guesses:
        return InputError(f"There is no column {name!r}. Did you mean {either(guesses)}?")
    if not known:
        return InputError(f"There is no column {name!r}. The table has no columns at all.")
    return InputError(f"There is no column {name!r}. The columns are {listed(known, 10)}.")


bad_conf_level = Wording[object](
    "The argument conf_level must lie between 0 and 1, such as 0.95, got {got!r}."
)


def below_minimum(option: str, got: object, least: float) -> InputError:
    """Return the error for a number option that is too small or no number."""
    return InputError(
        f"The argument {option} must be a whole number of at least {least:g}, got {got!r}."
    )


def above_maximum(option: str, got: object, most: int) -> InputError:
    """Return the error for a number that is too large to count with."""
    return InputError(f"The argument {option} must be at most {most:,}, got {got!r}.")


bad_flag = Wording[str, object]("The argument {option} must be True or False, got {got!r}.")
bad_tidy = Wording[object](
    "The argument tidy must be True, False or a look taken before with check, got {got!r}."
)


def bad_choice(option: str, got: object, choices: Sequence[str]) -> InputError:
    """Return the error for an option with a fixed set of values."""
    return InputError(f"The argument {option} must be {either(choices)}, got {got!r}.")


def missing_package(package: str, purpose: str, extra: str) -> ImportError:
    """Return the error for an optional package that is not installed."""
    return ImportError(
        f"{purpose} needs {package}, which is not installed. Install it with: pip install {extra}"
    )


unwritable = Wording[str, str]("The path {path!r} cannot be used: {why}.")


def took_too_long(seconds: float) -> TimeLimitError:
    """Return the error for a command that took longer than it may."""
    return TimeLimitError(
        f"This took more than {seconds:,g} seconds and was stopped. Give --time-limit more "
        "seconds, or be quicker with --sample, --feature or --drop."
    )


def of_the_system(problem: OSError) -> str:
    """Put an error of the operating system into words, such as a full disk."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Make some room on it, and try again."
    why = problem.strerror or "unknown reason"
    if problem.filename is not None:
        return str(unwritable(str(problem.filename), why))
    return f"A file could not be read or written: {why}."


def unexpected(problem: BaseException) -> str:
    """Return the error for a bug in paribus."""
    what = " ".join(str(problem).split())
    return (
        f"Something went wrong inside paribus ({type(problem).__name__}: {what}). "
        "With --debug it shows where."
    )


def plural(count: int) -> str:
    """Return the plural ending of a word for a count."""
    return "" if count == 1 else "s"


def either(choices: Sequence[str]) -> str:
    """Join choices with an or."""
    quoted = [repr(c) for c in choices]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
