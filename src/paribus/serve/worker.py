"""The process that works: it takes tasks from a pipe and says how far it is."""

from __future__ import annotations

import contextlib
import os
import signal
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from paribus.base import errors
from paribus.serve import errors as refusals

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

TOLD, DONE, FAILED = "told", "done", "failed"

# Name of a task -> where its function lives. It gets `tell` and what it was given.
TASKS = {
    "be_ready_to_preview": "paribus.serve.preview",
    "be_ready_to_explain": "paribus.serve.explaining",
    "preview": "paribus.serve.preview",
    "explain": "paribus.serve.explaining",
    "lay_over": "paribus.serve.overlay",
    "export": "paribus.serve.exports",
    "compare": "paribus.serve.comparing",
    "runtime": "paribus.serve.exports",
}


def work(pipe: Connection[Any, Any]) -> None:
    """Do tasks until the pipe is closed."""
    _be_expendable()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            task, given = pipe.recv()
            pipe.send(_done(pipe, task, given))


def _done(pipe: Connection[Any, Any], task: str, given: dict[str, Any]) -> tuple[str, Any]:
    """Do one task; what a user can put right comes back as a sentence."""

    def tell(**news: Any) -> None:
        pipe.send((TOLD, news))

    try:
        return DONE, getattr(import_module(TASKS[task]), task)(tell, **given)
    except (errors.InputError, ImportError) as error:
        return FAILED, str(error)
    except MemoryError:
        return FAILED, refusals.worker_died()
    except OSError as error:
        return FAILED, refusals.no_room(error.strerror or "unknown reason")
    except Exception as error:
        return FAILED, errors.unexpected(error)


def _be_expendable() -> None:
    """Die with the server, leave Ctrl-C to it, and go first when memory is short."""
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
