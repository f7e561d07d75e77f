"""The errors for files that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, either, listed


def broken_row(name: str, line: int, got: int, header: int, expected: int) -> InputError:
    """Return the error for a row with more fields than the header."""
    return InputError(
        f"Line {line:,} of {name!r} has {got} fields, but the header in line {header:,} has "
        f"{expected}. Put quotes round text that holds the delimiter."
    )


def unclosed_quote(name: str, line: int) -> InputError:
    """Return the error for a quote that is never closed."""
    return InputError(
        f'The quote (") that opens in line {line:,} of {name!r} is not closed, so the lines below '
        "it would be lost. Close it, or write it twice inside quotes where it is part of the text."
    )


def damaged_file(name: str) -> InputError:
    """Return the error for a packed file that cannot be unpacked."""
    return InputError(f"{name!r} is damaged: it cannot be unpacked to its end. Get it again.")


def unpacks_too_much(name: str, times: int) -> InputError:
    """Return the error for a packed file that may be made to fill the memory."""
    return InputError(
        f"{name!r} unpacks to more than {times} times its size, as files made to do harm do. "
        "Unpack it yourself, or save it as CSV, and open that."
    )


def too_many_columns(name: str, n_columns: int, most: int, variable: str) -> InputError:
    """Return the error for a file with too many columns."""
    return InputError(
        f"{name!r} has {n_columns:,} columns; at most {most:,} are read. Leave some out, or set "
        f"the environment variable {variable} to a larger number."
    )


def too_many_cells(
    name: str, n_rows: int, n_columns: int, needed: float, there: float, variable: str
) -> InputError:
    """Return the error for a table that does not fit into memory."""
    return InputError(
        f"{name!r} holds {n_rows:,} rows of {n_columns:,} columns, which would take about "
        f"{needed / 1e9:,.1f} GB of memory; {there / 1e9:,.1f} GB may be used. Leave rows or "
        f"columns out, or set the environment variable {variable} to more, such as 64GB."
    )


def bad_memory(variable: str, got: str) -> InputError:
    """Return the error for an amount of memory that is none."""
    return InputError(f"{variable} must be an amount of memory such as 500MB or 8GB, got {got!r}.")


def bad_columns(variable: str, got: str) -> InputError:
    """Return the error for a number of columns that is none."""
    return InputError(f"{variable} must be a whole number, such as 50000, got {got!r}.")


def password_protected(name: str) -> InputError:
    """Return the error for a workbook with a password."""
    return InputError(
        f"{name!r} is protected by a password. Save a copy without one, and use that."
    )


def unknown_sheet(sheet: str, name: str, sheets: Sequence[str]) -> InputError:
    """Return the error for a sheet that is not in the workbook."""
    return InputError(f"There is no sheet {sheet!r} in {name!r}. Its sheets are {listed(sheets)}.")


def empty_sheet(name: str, sheet: str, others: Sequence[str]) -> InputError:
    """Return the error for a sheet that holds nothing, or a title only."""
    hint = f" Choose another with --sheet: {listed(others)}." if others else ""
    return InputError(f"The sheet {sheet!r} of {name!r} has no rows below a header.{hint}")


def sheet_without_workbook(name: str) -> InputError:
    """Return the error for a sheet asked of a file that has none."""
    return InputError(f"{name!r} is no workbook and has no sheets. Leave --sheet out.")


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
