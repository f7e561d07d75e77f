"""The errors for files that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording, either
from paribus.base.wording import listed

broken_row = Wording[int, str, int, int, int](
    "Line {line:,} of {name!r} has {got} fields, but the header in line {header:,} has "
    "{expected}. Put quotes round text that holds the delimiter."
)
unclosed_quote = Wording[int, str](
    'The quote (") that opens in line {line:,} of {name!r} is not closed, so the lines below '
    "it would be lost. Close it, or write it twice inside quotes where it is part of the text."
)
endless_line = Wording[int, str](
    "Line {line:,} of {name!r} has no end, or one that is not known. Save the file with lines that "
    "end as Windows, Linux or a Mac end them."
)
repeated_name = Wording[str](
    "Two columns of {name!r} have the same name. Rename one, so that each has its own name."
)
damaged_file = Wording[str](
    "File {name!r} is damaged: it cannot be unpacked to its end. Get it again."
)
unpacks_too_much = Wording[str, int](
    "File {name!r} unpacks to more than {times} times its size, as files made to do harm do. "
    "Unpack it yourself, or save it as CSV, and open that."
)
too_many_columns = Wording[str, int, int, str](
    "File {name!r} has {n_columns:,} columns; at most {most:,} are read. Leave some out, or set "
    "the environment variable {variable} to a larger number."
)
too_many_cells = Wording[str, int, int, float, float, str](
    "File {name!r} holds {n_rows:,} rows of {n_columns:,} columns, which would take about "
    "{needed:,.1f} GB of memory; {there:,.1f} GB may be used. Leave rows or "
    "columns out, or set the environment variable {variable} to more, such as 64GB."
)
bad_memory = Wording[str, str](
    "The environment variable {variable} must be an amount of memory such as 500MB or 8GB, got "
    "{got!r}."
)
bad_columns = Wording[str, str](
    "The environment variable {variable} must be a whole number, such as 50000, got {got!r}."
)
password_protected = Wording[str](
    "File {name!r} is protected by a password. Save a copy without one, and use that."
)


def unknown_sheet(sheet: str, name: str, sheets: Sequence[str]) -> InputError:
    """Return the error for a sheet that is not in the workbook."""
    return InputError(
        f"There is no sheet {sheet!r} in {name!r}. Its sheets are {listed(sheets, 10)}."
    )


def empty_sheet(name: str, sheet: str, others: Sequence[str]) -> InputError:
    """Return the error for a sheet that holds nothing, or a title only."""
    hint = f" Choose another with --sheet: {listed(others, 10)}." if others else ""
    return InputError(f"The sheet {sheet!r} of {name!r} has no rows below a header.{hint}")


sheet_without_workbook = Wording[str](
    "File {name!r} is no workbook and has no sheets. Leave --sheet out."
)


def no_such_file(path: str, near: Sequence[str]) -> InputError:
    """Return the error for a file that is not there, with the nearest names."""
    guess = f"Did you mean {either(near)}?" if near else "Check its name and folder."
    return InputError(f"There is no file {path!r}. {guess}")


mixed_json = Wording[str](
    "In {name!r} a column holds values of several kinds, such as 2 and true. Write the values of a "
    "column all alike."
)
is_a_folder = Wording[str]("The path {path!r} is a folder. Name a file in it.")
no_plain_file = Wording[str](
    "The path {path!r} is a pipe or a device, and may never end. Save what it gives in a file, "
    "and use that."
)
too_many_bytes = Wording[str, float, str](
    "File {name!r} holds more than the {there:,.1f} GB of memory that may be used. Use a part of "
    "it, save it as Parquet or CSV, which can be read in batches, or set the environment "
    "variable {variable} to more, such as 64GB."
)


def unknown_ending(path: str, endings: Sequence[str]) -> InputError:
    """Return the error for a file of a kind that is not read."""
    return InputError(
        f"File {path!r} is not a kind of file that is read: names end in {', '.join(endings)}."
    )


empty_file = Wording[str](
    "File {name!r} is empty. Expected a header with column names, and rows below."
)
header_only = Wording[str](
    "File {name!r} has a header but no rows, so there is nothing to compare."
)


def not_what_it_says(name: str, expected: str, found: str = "") -> InputError:
    """Return the error for a file whose content is not what its name says."""
    but = f"it looks like {found}" if found else "whatever its name says"
    return InputError(
        f"File {name!r} is not {expected}, {but}. Give it the right ending, or save it again."
    )
