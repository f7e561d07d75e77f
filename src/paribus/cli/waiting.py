"""Work that takes a while: a bar with the time left, and a Ctrl-C that is heard at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeAlias, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Advance: TypeAlias = Callable[[int, int], None]
T = TypeVar("T")

PATIENCE = 1.0  # seconds without a bar
GLANCE = 0.1  # seconds between two looks: compiled work does not hear Ctrl-C, the wait does


def patiently(label: str, work: Callable[[Advance], T]) -> T:
    """Do work in a thread of its own, with a bar on stderr when it takes more than a second.

    Parameters
    ----------
    label : str
        What is being done.
    work : function of a function
        Gets a function of (done, total) to tell how far it is.

    Examples
    --------
    >>> patiently("Counting", lambda advance: advance(1, 2) or 7)
    7
    """
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task(label, total=None)
    future = _started(work, lambda done, total: bar.update(task, completed=done, total=total))
    wait([future], timeout=PATIENCE)
    if not future.done() and console.is_terminal:
        with bar:
            _wait_for(future)
    _wait_for(future)
    return future.result()


def _started(work: Callable[[Advance], T], advance: Advance) -> Future[T]:
    future: Future[T] = Future()

    def do() -> None:
        try:
            future.set_result(work(advance))
        except BaseException as problem:
            future.set_exception(problem)

    Thread(target=do, daemon=True).start()
    return future


def _wait_for(future: Future[T]) -> None:
    while not future.done():
        wait([future], timeout=GLANCE)
