"""The progress of a piece of work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

Progress: TypeAlias = Callable[[int, int], None]  # of (done, total)

PATIENCE = 0.5  # seconds before a bar is worth showing
WIDTH = 30  # of a bar in a terminal


def silent(_done: int, _total: int) -> None:
    """Ignore the progress."""


def asked(progress: Progress | bool | None) -> Progress:
    """Return a function that reports progress: the one given, or a bar.

    By default there is a bar in notebooks, and none elsewhere.

    Examples
    --------
    >>> asked(None) is silent, asked(False) is silent, asked(print) is print
    (True, True, True)
    """
    if callable(progress):
        return progress
    notebook = _notebook()
    if progress is False or (progress is None and notebook is None):
        return silent
    return Bar(_in_terminal if notebook is None else _in_notebook(notebook))


class Bar:
    """A progress bar that appears after a moment and disappears when all is done.

    Parameters
    ----------
    show : function of (done, total)
        Draws it, and removes it when called with (total, total).
    """

    def __init__(self, show: Progress) -> None:
        self._show, self._since, self._shown = show, time.monotonic(), False

    def __call__(self, done: int, total: int) -> None:
        """Report the progress."""
        late = time.monotonic() - self._since > PATIENCE
        if (late and done < total) or (self._shown and done == total):
            self._shown = True
            self._show(done, total)


def _notebook() -> Any:
    """Return IPython if this is a notebook."""
    found = sys.modules.get("IPython")
    shell = None if found is None else found.get_ipython()
    return found if type(shell).__name__ == "ZMQInteractiveShell" else None


def _in_notebook(ipython: Any) -> Progress:
    shown: list[Any] = []

    def show(done: int, total: int) -> None:
        bar = (
            ""
            if done == total
            else f"<progress value={done} max={total}></progress> {done:,} of {total:,}"
        )
        html = ipython.display.HTML(bar)
        if shown:
            shown[0].update(html)
        else:
            shown.append(ipython.display.display(html, display_id=True))

    return show


def _in_terminal(done: int, total: int) -> None:
    full = WIDTH * done // total
    line = "" if done == total else f"[{'#' * full}{' ' * (WIDTH - full)}] {done:,} of {total:,}"
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


def part_of(progress: Progress, first: int, last: int) -> Progress:
    """Return the progress of a part of the work, from `first` to `last` per cent of the whole.

    Examples
    --------
    >>> part_of(lambda done, total: print(done, total), 50, 100)(1, 5)
    60 100
    """
    return lambda done, total: progress(round(first + (last - first) * done / total), 100)
