"""The command line: `paribus effects`, `check`, `report`, `serve` and the others."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from paribus.base import errors as base_errors

INTERRUPTED = 130
OUT_OF_TIME = 124  # as the command timeout has it


def main() -> None:
    """Run the command line and leave with its exit code."""
    for package in ("click", "rich"):
        if not find_spec(package):
            missing = base_errors.missing_package(package, "The command line", "'paribus[cli]'")
            sys.stderr.write(f"{missing}\n")
            sys.exit(2)
    try:
        from paribus.cli.run import run

        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as problem:  # what was printed could not be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"{base_errors.of_the_system(problem)}\n")
        code = 2
    if code in (INTERRUPTED, OUT_OF_TIME):
        os._exit(code)  # threads may still be at work: do not wait for them
    sys.exit(code)
