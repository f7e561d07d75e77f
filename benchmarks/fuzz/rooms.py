"""What is tried in each room, seed after seed, and what comes of it."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np

from paribus.base.errors import InputError

ROOMS = ("files", "written", "tables", "types", "page", "compiled")
PATIENCE = 60  # seconds of computing, after which it hangs
Tried = tuple[str, str]  # what came of it, and why it was wrong


def one_try(attempt: Callable[[], None]) -> Tried:
    """Return what comes of something."""
    signal.signal(signal.SIGPROF, hang)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        attempt()
    except InputError:
        return "refused", ""
    except BaseException as problem:  # a panic of polars is no Exception
        if isinstance(problem, KeyboardInterrupt):
            raise
        at = traceback.extract_tb(problem.__traceback__)[-3:]
        where = " > ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in at)
        return "wrong", f"{type(problem).__name__}: {problem}"[:300] + f" ({where})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "answered", ""


def hang(*_: object) -> None:
    """Say that something takes too long."""
    raise TimeoutError(f"no answer in {PATIENCE} s of computing")


def open_room(room: str, folder: Path, ending: ExitStack) -> Callable[[int], list[Tried]]:
    """Return what tries a seed in a room; `ending` ends what the room has started."""
    if room == "types":
        from fuzz.types import try_types

        return try_types
    if room == "page":
        from fuzz.pages import Page, Served, try_page

        server = Served(folder / "page")
        ending.callback(server.close)
        return drawn(partial(try_page, page=Page(server)), folder)
    from fuzz import compiled, files

    attempt = {
        "files": files.try_file,
        "written": files.try_written,
        "tables": files.try_table,
        "compiled": compiled.try_compiled,
    }[room]
    return drawn(attempt, folder)


def drawn(attempt: Callable[..., None], folder: Path) -> Callable[[int], list[Tried]]:
    """Return what tries one thing that is drawn by a generator."""
    return lambda seed: [one_try(lambda: attempt(np.random.default_rng(seed), folder))]
