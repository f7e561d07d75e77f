"""What we say of a file that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, listed


def broken_row(name: str, line: int, got: int, header: int, expected: int) -> InputError:
    """Word a row with more fields than the header."""
    return InputError(
        f"Line {line:,} of {name!r} has {got} fields, but the header in line {header:,} has "
        f"{expected}. Put quotes round text that holds the delimiter."
    )


def damaged_file(name: str) -> InputError:
    """Word a packed file that cannot be unpacked."""
    return InputError(f"{name!r} is damaged: it cannot be unpacked to its end. Get it again.")


def password_protected(name: str) -> InputError:
    """Word a workbook with a password."""
    return InputError(
        f"{name!r} is protected by a password. Save a copy without one, and use that."
    )


def unknown_sheet(sheet: str, name: str, sheets: Sequence[str]) -> InputError:
    """Word a sheet that is not in the workbook."""
    return InputError(f"There is no sheet {sheet!r} in {name!r}. Its sheets are {listed(sheets)}.")


def empty_sheet(name: str, sheet: str, others: Sequence[str]) -> InputError:
    """Word a sheet that holds nothing, or a title only."""
    hint = f" Choose another with --sheet: {listed(others)}." if others else ""
    return InputError(f"The sheet {sheet!r} of {name!r} has no rows below a header.{hint}")


def sheet_without_workbook(name: str) -> InputError:
    """Word a sheet asked of a file that has none."""
    return InputError(f"{name!r} is no workbook and has no sheets. Leave --sheet out.")
