"""How many threads there may be, and work shared among them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
MOST_THREADS = 4096  # more than any machine has, fewer than any system refuses


def count_threads(n_jobs: int | None = None) -> int:
    """Return how many threads `n_jobs` stands for; None and -1: one a processor we may use.

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
    """Do the work for every item, side by side when there are threads for it."""
    if n_threads == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, items))
