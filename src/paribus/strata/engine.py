"""Whether the compiled kernel is here, and the visible way round when it is not."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module

NO_KERNEL = (
    "paribus was installed without its compiled kernel, so scikit-learn's tree serves instead: "
    "the strata are as good, but slower to grow; install paribus from a wheel, "
    "or where there is a C compiler"
)


@cache
def has_kernel() -> bool:
    """Return whether the compiled kernel can be imported."""
    try:
        for name in ("task", "apply", "sort", "encode"):
            import_module(f"paribus.strata.kernel.{name}")
    except ImportError:
        return False
    return True


@cache
def warn_without_kernel() -> None:
    """Say once a process that the slow way is taken."""
    warnings.warn(NO_KERNEL, RuntimeWarning, stacklevel=4)


def engine_name() -> str:
    """Return what grows the trees here: ``"compiled"`` or ``"scikit-learn"``."""
    return "compiled" if has_kernel() else "scikit-learn"


def run_all(work: Callable[[int], None], items: Iterable[int], n_threads: int) -> None:
    """Do the work for every item, side by side when there are threads for it."""
    if n_threads == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, items))


def count_threads(n_jobs: int) -> int:
    """Return how many threads `n_jobs` asks for: -1 means one for each processor we may use."""
    if n_jobs != -1:
        return n_jobs
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
