"""How many threads to use, and work shared among them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from threading import Lock, get_ident
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")
MOST_THREADS = 4096  # more than any machine has, fewer than any system refuses


def count_threads(n_jobs: int | None = None) -> int:
    """Return the number of threads for `n_jobs`; None and -1 mean one per usable processor.

    Examples
    --------
    >>> count_threads(3), count_threads() == count_threads(-1) >= 1
    (3, True)
    """
    if n_jobs is not None and n_jobs != -1:
        return n_jobs
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(work: Callable[[T], None], items: Iterable[T], n_threads: int) -> None:
    """Do the work for every item, side by side when there are threads for it.

    The calling thread takes its share, so that one fewer is started. Items should be short: Ctrl-C
    is not seen inside one.

    Examples
    --------
    >>> seen = []
    >>> run_all(seen.append, range(4), n_threads=2)
    >>> sorted(seen)
    [0, 1, 2, 3]
    """
    waiting, lock = iter(items), Lock()

    def take() -> None:
        while True:
            with lock:
                found = [*islice(waiting, 1)]
            if not found:
                return
            work(found[0])

    if n_threads == 1:
        take()
        return
    with crew(n_threads - 1) as others:
        jobs = [others.submit(take) for _ in range(n_threads - 1)]
        take()
        for job in jobs:
            job.result()


def both(first: Callable[[], T], second: Callable[[], U], n_threads: int) -> tuple[T, U]:
    """Do two pieces of work, in parallel if there are threads.

    Examples
    --------
    >>> both(lambda: 1, lambda: "one", n_threads=2)
    (1, 'one')
    """
    if n_threads == 1:
        return first(), second()
    with crew(1) as other:
        beside = other.submit(second)
        return first(), beside.result()


class Crew:
    """Worker threads that can be interrupted."""

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads)
        self._busy: set[int] = set()
        self._lock = Lock()

    def submit(self, work: Callable[..., T], *given: Any) -> Future[T]:
        """Let the next free thread do the work."""
        return self._pool.submit(self._do, work, *given)

    def _do(self, work: Callable[..., T], *given: Any) -> T:
        with self._lock:
            self._busy.add(get_ident())
        try:
            return work(*given)
        finally:
            with self._lock:
                self._busy.discard(get_ident())

    def leave(self) -> None:
        """Wait for the threads to end."""
        self._pool.shutdown(cancel_futures=True)

    def call_off(self) -> None:
        """Interrupt every thread at its next step in Python; waiting work is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            for thread in self._busy:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
                )


@contextmanager
def crew(n_threads: int) -> Iterator[Crew]:
    """Provide threads that stop at once when the work is interrupted, as by Ctrl-C.

    No thread is left running afterwards.

    Examples
    --------
    >>> with crew(2) as workers:
    ...     workers.submit(max, 1, 2).result()
    2
    """
    workers = Crew(n_threads)
    try:
        yield workers
        workers.leave()
    except BaseException:
        workers.call_off()
        workers.leave()
        raise
