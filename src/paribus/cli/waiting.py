"""Work that takes a while: a bar with the time left, and a quick response to Ctrl-C."""

from __future__ import annotations

import signal
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Thread, Timer, main_thread
from typing import NoReturn, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from paribus.base import errors, progress

T = TypeVar("T")

PATIENCE = 1.0  # seconds without a bar
GLANCE = 0.1  # seconds between two looks: compiled work does not hear Ctrl-C, the wait does
MINUTE, HOUR = 60, 3600
ALARM = next(getattr(signal, name) for name in ("SIGALRM", "SIGBREAK") if hasattr(signal, name))


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Interrupt the work inside when it takes longer, as Ctrl-C does, and say so.

    Examples
    --------
    >>> with at_most(60):
    ...     patiently("Counting", lambda _: 7)
    7
    """
    if seconds is None:
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise errors.took_too_long(seconds)

    before = signal.signal(ALARM, stop)
    timer = Timer(seconds, _ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(ALARM, before)


def _ring() -> None:
    """Wake the main thread; on Windows it wakes by itself, at its next step in Python."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, ALARM)
    else:
        interrupt_main(ALARM)


def patiently(label: str, work: Callable[[progress.Progress], T]) -> T:
    """Do work in a separate thread, with a bar on stderr if it takes more than a second.

    The work gets a function of (done, total) to report its progress.

    Examples
    --------
    >>> patiently("Counting", lambda advance: advance(1, 2) or 7)
    7
    """
    with meanwhile(label) as advance:
        future = _started(work, advance)
        while not future.done():
            wait([future], timeout=GLANCE)
    return future.result()


@contextmanager
def meanwhile(label: str) -> Iterator[progress.Progress]:
    """Show a bar while the work inside takes more than a second; for work that hears Ctrl-C.

    Examples
    --------
    >>> with meanwhile("Writing") as advance:
    ...     advance(1, 2)
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeLeft(), console=console, transient=True
    )
    task = bar.add_task(label, total=None)
    start = Timer(PATIENCE, bar.start)
    start.daemon = True
    if console.is_terminal:
        start.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        start.cancel()
        if start.ident is not None:
            start.join()
        if bar.live.is_started:
            bar.stop()


class TimeLeft(ProgressColumn):
    """The time left, once a part is done; the time so far before."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """Write the time of a task."""
        elapsed = task.elapsed or 0.0
        if task.total and task.completed:
            return Text(f"{in_words(elapsed * (task.total / task.completed - 1))} left")
        return Text(f"{in_words(elapsed)} so far")


def in_words(seconds: float) -> str:
    """Write a time as finely as it matters.

    Examples
    --------
    >>> in_words(7.4), in_words(75), in_words(4000)
    ('7 s', '1 min 15 s', '1 h 6 min')
    """
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"


def _started(work: Callable[[progress.Progress], T], advance: progress.Progress) -> Future[T]:
    future: Future[T] = Future()

    def do() -> None:
        try:
            future.set_result(work(advance))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=do, daemon=True).start()
    return future
