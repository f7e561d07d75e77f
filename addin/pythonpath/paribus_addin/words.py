"""What the extension says, and the exception that carries it."""

TITLE = "paribus"
NOTHING = "There is nothing here to explain. Click into a table, or select it with its header."
ONE_BLOCK = "Select one block of cells, with the names of the columns in its first row."
NO_COMMAND = (
    "The paribus command was not found on this machine. Install it (pip install 'paribus[serve]'), "
    "or give its place, or the address of a page that runs: the line that 'paribus serve' prints."
)
STOPPED = "Stopped: nothing was written."


class Refused(Exception):
    """Something that cannot be done; its text is a sentence for the user."""


def unexpected(error):
    """Say that something of ours is wrong."""
    return f"A mistake of ours stopped this: {type(error).__name__}: {error}. Nothing was changed."


def too_few_rows(n_rows):
    """Say that a table has hardly any rows."""
    return Refused(f"The table has {n_rows} rows below its header: too few to compare any.")


def no_name(cell, value):
    """Say that the first row is no header."""
    held = "is empty" if value in ("", None) else f"holds {value}"
    return Refused(
        f"The first row must hold the names of the columns, and {cell} {held}. "
        "Mark the table from its header on, or put a header above it."
    )


def twice(name):
    """Say that two columns have one name."""
    return Refused(f"Two columns are called '{name}'. Give them different names.")


def merged(cells):
    """Say that cells are merged."""
    return Refused(
        f"The cells {cells} are merged, so rows and columns cannot be told apart there. "
        "Split them (Format, Merge and Unmerge Cells), or select a table without them."
    )


def held_errors(count, first):
    """Say that formulas have errors."""
    if count == 1:
        return f"The formula in {first} has an error; the cell counts as empty."
    return f"{count:,} formulas have errors, the first in {first}; these cells count as empty."


def card(found):
    """Write what will be done with a column in one line."""
    others = f" with {found['others']}" if found["others"] else ""
    return f"{found['column']}{others}: {found['done']}. {found['reason']}"


def no_column(name, names):
    """Say that there is no such column."""
    return Refused(f"There is no column '{name}'. There are: {', '.join(names)}.")


def no_answer(address, why):
    """Say that the page does not answer."""
    return Refused(f"paribus does not answer at {address}: {why}.")


def written(sheets):
    """Say what was written."""
    return f"{len(sheets)} sheets were added, from '{sheets[0]}' to '{sheets[-1]}'."
