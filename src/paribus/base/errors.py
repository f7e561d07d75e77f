"""What we say when the input cannot be used: what was expected, what was got, what to do.

Messages of one room alone are in its `errors.py`; no message is worded anywhere else.
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


def unknown_reference(got: object) -> InputError:
    """Return the error for a level to compare with that no category has."""
    return InputError(f"No category that is explained has the level {got!r}.")


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


def feature_has_role(name: str, role: str) -> InputError:
    """Return the error for a column to explain that says something about the rows."""
    return InputError(
        f"{name!r} is used for {role} and is not held still, so it cannot be explained as well."
    )


def by_itself(name: str) -> InputError:
    """Return the error for a column explained by groups of itself."""
    return InputError(f"{name!r} cannot be explained by groups of itself: name another column.")


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


def groups_on_a_scale() -> InputError:
    """Return the error for groups compared on another scale than the target's."""
    return InputError(
        "by compares groups in the target's own unit: leave target_scale out, or take the "
        "logarithm of the target first."
    )


def not_two_columns(got: object) -> InputError:
    """Return the error for a pair of columns that is none."""
    return InputError(f"Name two different columns that can be held still, got {got!r}.")


def one_beside(n: int) -> InputError:
    """Return the error for a second column without one first."""
    return InputError(f"--beside goes with one --feature, the first of the two columns; got {n}.")


def too_many_levels(name: str, n_levels: int, most: int) -> InputError:
    """Return the error for a category with too many levels to be shown beside another column."""
    return InputError(
        f"{name!r} has {n_levels:,} levels; together with another column at most {most} can be "
        "told apart. Take fewer, or use by= with it, which joins the rare ones."
    )


def not_of_a_pair(option: str) -> InputError:
    """Return the error for an option that two columns at once cannot have."""
    return InputError(f"{option} cannot be chosen for two columns at once: leave it out.")


def bad_conf_level(got: object) -> InputError:
    """Return the error for a confidence level that is none."""
    return InputError(f"conf_level must lie between 0 and 1, such as 0.95, got {got!r}.")


def not_a_number_column(name: str) -> InputError:
    """Return the error for stratpd asked for a category."""
    return InputError(
        f"Column {name!r} holds categories; stratpd explains numbers and dates. "
        "Use catstratpd for it."
    )


def below_minimum(option: str, got: object, least: float) -> InputError:
    """Return the error for a number option that is too small or no number."""
    return InputError(f"{option} must be a whole number of at least {least:g}, got {got!r}.")


def above_maximum(option: str, got: object, most: int) -> InputError:
    """Return the error for a number that is too large to count with."""
    return InputError(f"{option} must be at most {most:,}, got {got!r}.")


def bad_flag(option: str, got: object) -> InputError:
    """Return the error for an option that is true or false."""
    return InputError(f"{option} must be True or False, got {got!r}.")


def bad_fraction(option: str, got: object) -> InputError:
    """Return the error for max_features."""
    return InputError(
        f"{option} must be a share of the columns above 0 and up to 1, or a whole number of "
        f"at least 1, got {got!r}."
    )


def bad_choice(option: str, got: object, choices: Sequence[str]) -> InputError:
    """Return the error for an option with a fixed set of values."""
    return InputError(f"{option} must be {either(choices)}, got {got!r}.")


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


def missing_package(package: str, purpose: str, extra: str) -> ImportError:
    """Return the error for an optional package that is not installed."""
    return ImportError(
        f"{purpose} needs {package}, which is not installed. Install it with: pip install {extra}"
    )


def unknown_picture(name: str, endings: Sequence[str]) -> InputError:
    """Return the error for a picture file of a kind that cannot be drawn."""
    return InputError(f"A picture's name must end in {either(endings)}, got {name!r}.")


def one_picture(n_columns: int) -> InputError:
    """Return the error for a picture asked for several columns."""
    return InputError(
        f"A picture shows one column, got {n_columns}. Run the command once for each; paribus "
        "report draws all of them."
    )


def no_such_file(path: str, near: Sequence[str]) -> InputError:
    """Return the error for a file that is not there, with the nearest names."""
    guess = f"Did you mean {either(near)}?" if near else "Check its name and folder."
    return InputError(f"There is no file {path!r}. {guess}")


def is_a_folder(path: str) -> InputError:
    """Return the error for a folder where a file belongs."""
    return InputError(f"{path!r} is a folder. Name a file in it.")


def unknown_ending(path: str, endings: Sequence[str]) -> InputError:
    """Return the error for a file of a kind that is not read."""
    return InputError(
        f"{path!r} is not a kind of file that is read: names end in {', '.join(endings)}."
    )


def wrong_ending(path: str, endings: Sequence[str]) -> InputError:
    """Return the error for a file of a kind that is not written."""
    return InputError(f"{path!r} must end in {either(endings)}.")


def empty_file(name: str) -> InputError:
    """Return the error for a file that holds nothing."""
    return InputError(f"{name!r} is empty. Expected a header with column names, and rows below.")


def header_only(name: str) -> InputError:
    """Return the error for a file without rows."""
    return InputError(f"{name!r} has a header but no rows, so there is nothing to compare.")


def not_what_it_says(name: str, expected: str, found: str = "") -> InputError:
    """Return the error for a file whose content is not what its name says."""
    but = f"it looks like {found}" if found else "whatever its name says"
    return InputError(
        f"{name!r} is not {expected}, {but}. Give it the right ending, or save it again."
    )


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


def no_such_folder(path: str, folder: str) -> InputError:
    """Return the error for a file to be written into a folder that is not there."""
    return InputError(f"{path!r} cannot be written: there is no folder {folder!r}.")


def unwritable(path: str, why: str) -> InputError:
    """Return the error for a file that the system does not let us write or read."""
    return InputError(f"{path!r} cannot be used: {why}.")


def by_name_only(role: str) -> InputError:
    """Return the error for values beside a table that is read in batches."""
    return InputError(f"{role} must be the name of a column: the table is read in batches.")


def no_sample_in_batches() -> InputError:
    """Return the error for --sample asked of a file that is read in batches."""
    return InputError(
        "This file would not fit into memory, so all of it is read in batches: leave --sample out, "
        "or set PARIBUS_MEMORY to more than there is."
    )


def not_in_batches(option: str) -> InputError:
    """Return the error for an option that a table read in batches cannot have."""
    return InputError(
        f"{option} cannot be chosen for a table that is read in batches. Leave it out, or pass a "
        "table that fits into memory."
    )


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
