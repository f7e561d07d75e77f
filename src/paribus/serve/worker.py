"""The worker process: it takes tasks from a pipe and reports its progress."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from paribus.base import errors
from paribus.serve import errors as page_errors

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

PROGRESS, DONE, FAILED = "progress", "done", "failed"


def work(pipe: Connection[Any, Any]) -> None:
    """Do tasks until the pipe is closed."""
    _be_expendable()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            task, given = pipe.recv()
            pipe.send(_done(pipe, task, given))


def _done(pipe: Connection[Any, Any], task: str, given: dict[str, Any]) -> tuple[str, Any]:
    """Do one task; errors are returned as a sentence."""

    def tell(**news: Any) -> None:
        pipe.send((PROGRESS, news))

    try:
        return DONE, find_task(task)(tell, **given)
    except (errors.InputError, ImportError) as error:
        return FAILED, str(error)
    except MemoryError:
        return FAILED, page_errors.worker_died()
    except OSError as error:
        return FAILED, errors.of_the_system(error)
    except BaseException as error:  # a panic of compiled code among them
        return FAILED, errors.unexpected(error)


def find_task(task: str) -> Callable[..., Any]:
    """Return the function of a task, importing only what it needs."""
    if task in ("preview", "warm_up_preview"):
        from paribus.serve import preview as room
    elif task in ("explain", "warm_up_explain", "pair"):
        from paribus.serve import explaining as room  # type: ignore[no-redef]
    elif task == "look":
        from paribus.serve import looking as room  # type: ignore[no-redef]
    elif task == "compare":
        from paribus.serve import comparing as room  # type: ignore[no-redef]
    elif task == "lay_over":
        from paribus.serve import overlay as room  # type: ignore[no-redef]
    else:
        from paribus.serve import exports as room  # type: ignore[no-redef]
    found: Callable[..., Any] = getattr(room, task)
    return found


def _be_expendable() -> None:
    """Die with the server, leave Ctrl-C to it, and be killed first when memory is short."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads of models sleep when they wait
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
