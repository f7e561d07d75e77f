"""A generator that runs ahead in a thread of its own, so that reading and computing overlap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from queue import Queue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
AHEAD = 2  # items made while others are worked on


def ahead(batches: Iterator[T]) -> Iterator[T]:
    """Read a little ahead in a thread of its own; what goes wrong there is raised here.

    Examples
    --------
    >>> list(ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    queue: Queue[tuple[bool, Any]] = Queue(AHEAD)
    stopped: list[bool] = []

    def read() -> None:
        try:
            for batch in batches:
                queue.put((True, batch))
                if stopped:
                    return
            queue.put((False, None))
        except BaseException as error:
            queue.put((False, error))

    Thread(target=read, daemon=True).start()
    try:
        while True:
            more, item = queue.get()
            if not more:
                break
            yield item
    finally:
        stopped.append(True)
        with suppress(Exception):
            queue.get_nowait()
    if item is not None:
        raise item
