"""The errors of the page."""

from __future__ import annotations

from paribus.base.errors import InputError, Wording


class TooLargeError(InputError):
    """A file sent to the page is larger than allowed."""


def worker_died() -> str:
    """Return the error for a worker process that ended before its work."""
    return (
        "The work stopped before its end, most likely for want of memory. Leave columns out, take "
        "fewer rows, or close other programs, and run again."
    )


def took_too_long(seconds: float) -> str:
    """Return the message for work that was stopped."""
    return (
        f"This took more than {seconds:,g} seconds and was stopped. Take fewer rows or columns, or "
        "allow more seconds in the terminal with: paribus serve --time-limit."
    )


def too_large(limit: int) -> TooLargeError:
    """Return the error for a file beyond the upload limit."""
    return TooLargeError(
        f"The file is larger than {limit / 1e9:.3g} GB, the limit for files sent to the page. Open "
        "it from the terminal with: paribus serve FILE; or raise the limit with --limit."
    )


too_many_columns = Wording[str, int, int](
    "File {name!r} has {n_columns:,} columns, and the page shows {most:,} at most. Leave columns "
    "out of the file, or explain it in the terminal: paribus effects FILE --feature COLUMN."
)
host_without_token = Wording[str](
    "With --host {host} other machines can reach the page, and whoever has the key can read "
    "what is opened in it; nothing is encrypted on its way. If that is what you want, choose "
    "the key with --token, at least 16 signs long."
)
no_port = Wording[str, int, str](
    "The page cannot listen on {host}, port {port}: {why}. Leave --port out to get a free one."
)
unclear_request = Wording[str](
    "The request is not understood: {what}. Reload the page and try again."
)
no_such_rows = Wording[str]("No row is left of those chosen ({words}). Choose more.")
target_left_out = Wording[str]("Column {name!r} is the target and cannot be left out as well.")
two_roles = Wording[str](
    "Column {name!r} is chosen twice under More about the rows. Choose it once."
)
cannot_move = Wording[str](
    "Column {name!r} is ticked under Columns that move together, but it is left out, the target, "
    "or chosen under More about the rows. Choose one."
)
moves_alone = Wording[str](
    "Column {name!r} alone is ticked under Columns that move together. Tick two columns at "
    "least, or none."
)


def bad_end(name: str, kind: str, got: str) -> InputError:
    """Return the error for an end of a choice of rows that is neither a number nor a date."""
    wanted = "a number, such as 12.5" if kind == "number" else "a date, such as 2024-12-31"
    return InputError(f"Rows are chosen by {name!r} between two ends: {got!r} is not {wanted}.")


disk_full = Wording[()]("The disk has no room for this file. Free some space, and send it again.")
file_changed = Wording[str](
    "File {name!r} was changed, replaced or removed since it was opened. Open it anew: send it to "
    "the page, or start the page again."
)
gone = Wording[str]("This {what} is not here any more: the page was restarted since.")
