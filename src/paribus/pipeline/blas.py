"""Linear algebra kept to one thread while an analysis runs."""

from __future__ import annotations

from contextlib import ContextDecorator
from functools import cache
from threading import Lock
from typing import Any


class _SingleBlasThread(ContextDecorator):
    """Keep linear algebra to one thread each while any analysis runs.

    Threads do not step on each other then, nor on those of other programs, and results do not
    depend on their number. The limit is the process's own: the first analysis in sets it, the last
    one out lifts it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limits = _libraries().limit(limits=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


@cache
def _libraries() -> Any:
    """Find the libraries of linear algebra that are loaded: those of NumPy and SciPy."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


single_blas_thread = _SingleBlasThread()
