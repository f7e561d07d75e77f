"""Errors of the page."""

from __future__ import annotations

from paribus.base.errors import InputError


class TooLargeError(InputError):
    """A file sent to the page is larger than allowed."""


def worker_died() -> str:
    """Return the error for a worker process that ended before its work."""
    return (
        "The work stopped before its end, most likely for want of memory. Leave columns out, take "
        "fewer rows, or close other programs, and run again."
    )


def took_too_long(seconds: float) -> str:
    """Return what is said of work that was stopped."""
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


def too_many_columns(name: str, n_columns: int, most: int) -> InputError:
    """Return the error for a table with more columns than a form can show."""
    return InputError(
        f"{name!r} has {n_columns:,} columns, and the page shows {most:,} at most. Leave columns "
        "out of the file, or explain it in the terminal: paribus effects FILE --feature COLUMN."
    )


def host_without_token(host: str) -> InputError:
    """Return the error for a server for the whole network without a key."""
    return InputError(
        f"With --host {host} other machines can reach the page, and whoever has the key can read "
        "what is opened in it; nothing is encrypted on its way. If that is what you want, choose "
        "the key with --token, at least 16 signs long."
    )


def no_port(host: str, port: int, why: str) -> InputError:
    """Return the error for a port that cannot be listened on."""
    return InputError(
        f"The page cannot listen on {host}, port {port}: {why}. Leave --port out to get a free one."
    )


def unclear_request(what: str) -> InputError:
    """Return the error for a request that the page itself would not make."""
    return InputError(f"The request is not understood: {what}. Reload the page and try again.")


def no_such_rows(words: str) -> InputError:
    """Return the error for a choice of rows that leaves none."""
    return InputError(f"No row is left of those chosen ({words}). Choose more.")


def target_left_out(name: str) -> InputError:
    """Return the error for a target that is left out as well."""
    return InputError(f"{name!r} is the target and cannot be left out as well.")


def two_roles(name: str) -> InputError:
    """Return the error for a column chosen for two purposes."""
    return InputError(f"{name!r} is chosen twice under More about the rows. Choose it once.")


def cannot_move(name: str) -> InputError:
    """Return the error for a column that is to move together and is not explained at all."""
    return InputError(
        f"{name!r} is ticked under Columns that move together, but it is left out, the target, or "
        "chosen under More about the rows. Choose one."
    )


def moves_alone(name: str) -> InputError:
    """Return the error for a group of one column."""
    return InputError(
        f"{name!r} alone is ticked under Columns that move together. Tick two columns at least, or "
        "none."
    )


def bad_end(name: str, kind: str, got: str) -> InputError:
    """Return the error for an end of a choice of rows that is neither a number nor a date."""
    wanted = "a number, such as 12.5" if kind == "number" else "a date, such as 2024-12-31"
    return InputError(f"Rows are chosen by {name!r} between two ends: {got!r} is not {wanted}.")


def disk_full() -> InputError:
    """Return the error for an upload that does not fit on the disk."""
    return InputError("There is no room on the disk for this file. Make some, and send it again.")


def file_changed(name: str) -> InputError:
    """Return the error for a file that is another than the one that was opened."""
    return InputError(
        f"{name!r} was changed, replaced or removed since it was opened. Open it anew: send it to "
        "the page, or start the page again."
    )


def gone(what: str) -> InputError:
    """Return the error for something that the server no longer has."""
    return InputError(f"This {what} is not here any more: the page was started anew since.")
