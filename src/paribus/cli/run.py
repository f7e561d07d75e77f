"""Run a command: return an exit code, and print one sentence when something is wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from paribus.base import errors
from paribus.cli import INTERRUPTED, OUT_OF_TIME
from paribus.cli.commands import paribus
from paribus.cli.options import Settings


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0, 2 for bad input, 1 for internal errors, 130 after Ctrl-C, 124 when out of time.

    Examples
    --------
    >>> run(["--version"])  # doctest: +ELLIPSIS
    paribus ...
    0
    """
    settings = Settings()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = paribus.main(args, prog_name="paribus", standalone_mode=False, obj=settings)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except Exception as error:
        if settings.debug:
            raise
        click.echo(_sentence(error), err=True)
        if isinstance(error, errors.TimeLimitError):
            return OUT_OF_TIME
        return 2 if _is_the_users(error) else 1
    return code if isinstance(code, int) else 0


def _is_the_users(problem: Exception) -> bool:
    return isinstance(problem, (click.ClickException, errors.InputError, ImportError, OSError))


def _sentence(problem: Exception) -> str:
    if isinstance(problem, click.UsageError) and problem.ctx is not None:
        return f"{problem.format_message()} See '{problem.ctx.command_path} --help'."
    if isinstance(problem, click.ClickException):
        return problem.format_message()
    if isinstance(problem, OSError):
        return errors.of_the_system(problem)
    return str(problem) if _is_the_users(problem) else errors.unexpected(problem)
