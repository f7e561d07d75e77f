"""What the page says when it cannot do what it is asked."""

from __future__ import annotations

from paribus.base.errors import InputError


class TooLargeError(InputError):
    """A file sent to the page is larger than allowed."""


def worker_died() -> str:
    """Word a worker process that ended before its work."""
    return (
        "The work stopped before its end, most likely for want of memory. Leave columns out, take "
        "fewer rows, or close other programs, and run again."
    )


def no_room(why: str) -> str:
    """Word a file that the server cannot keep."""
    return f"A file could not be read or kept: {why}."


def too_large(limit: int) -> TooLargeError:
    """Word a file beyond the upload limit."""
    return TooLargeError(
        f"The file is larger than {limit / 1e9:.3g} GB, the limit for files sent to the page. Open "
        "it from the terminal with: paribus serve FILE; or raise the limit with --limit."
    )


def host_without_token(host: str) -> InputError:
    """Word a server for the whole network without a key."""
    return InputError(
        f"With --host {host} other machines can reach the page, and whoever has the key can read "
        "what is opened in it; nothing is encrypted on its way. If that is what you want, choose "
        "the key with --token, at least 16 signs long."
    )


def no_port(host: str, port: int, why: str) -> InputError:
    """Word a port that cannot be listened on."""
    return InputError(
        f"The page cannot listen on {host}, port {port}: {why}. Leave --port out to get a free one."
    )


def unclear_request(what: str) -> InputError:
    """Word a request that the page itself would not make."""
    return InputError(f"The request is not understood: {what}. Reload the page and try again.")


def no_such_rows(column: str) -> InputError:
    """Word a choice of rows that leaves none."""
    return InputError(f"No row is left by what was chosen for {column!r}. Choose more.")


def target_left_out(name: str) -> InputError:
    """Word a target that is left out as well."""
    return InputError(f"{name!r} is the target and cannot be left out as well.")


def bad_end(name: str, kind: str, got: str) -> InputError:
    """Word an end of a choice of rows that is neither a number nor a date."""
    wanted = "a number, such as 12.5" if kind == "number" else "a date, such as 2024-12-31"
    return InputError(f"Rows are chosen by {name!r} between two ends: {got!r} is not {wanted}.")


def disk_full() -> InputError:
    """Word an upload that does not fit on the disk."""
    return InputError("There is no room on the disk for this file. Make some, and send it again.")


def gone(what: str) -> InputError:
    """Word something that the server no longer has."""
    return InputError(f"This {what} is not here any more: the page was started anew since.")
