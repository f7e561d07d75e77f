"""Work in separate processes: they can crash or be killed without harming the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing import get_context
from threading import Condition, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from paribus.serve import errors as page_errors
from paribus.serve.worker import DONE, FAILED, PROGRESS, work

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

SECONDS = 300.0  # time limit of a task
WATCHED = ("explain", "compare")  # these can be cancelled, and have no time limit
State: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]
FINISHED = ("done", "failed", "cancelled")


@dataclass(slots=True, eq=False)
class Job:
    """A task and its progress."""

    task: str  # its name among the worker's tasks
    given: dict[str, Any]  # its arguments
    state: State = "waiting"
    progress: dict[str, Any] = field(default_factory=dict)  # the last report under each name
    sentence: str = ""  # why it failed
    # What it returns; failed and cancelled jobs return None.
    result: Future[Any] = field(default_factory=Future)
    unwanted: bool = False  # cancelled, which its process may not know yet

    def __post_init__(self) -> None:
        # Whoever waits for a result may give up; that must not end the job.
        self.result.set_running_or_notify_cancel()

    def end(self, state: State, *, sentence: str = "", result: Any = None) -> None:
        """Close the job."""
        self.state, self.sentence = state, sentence
        self.result.set_result(result)


class WorkerPool:
    """A queue of jobs and some processes that work on them, one job each.

    `seconds` is the time limit of any job; by default only jobs that cannot be cancelled have one.
    """

    def __init__(self, n_workers: int = 1, seconds: float | None = None) -> None:
        self._waiting: deque[Job] = deque()
        self._changed = Condition()
        self._closed = False
        self._workers = [Worker(self._next, seconds) for _ in range(n_workers)]

    def submit(self, task: str, **given: Any) -> Job:
        """Put a job at the end of the queue."""
        job = Job(task, given)
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
        return job

    def position(self, job: Job) -> int:
        """Return how many jobs come before a waiting one."""
        with self._changed:
            return self._waiting.index(job) if job in self._waiting else 0

    def cancel(self, job: Job) -> None:
        """Stop a job: remove it from the queue, or kill its process if it is running."""
        job.unwanted = True
        with self._changed:
            waits = job in self._waiting
            if waits:
                self._waiting.remove(job)
        if waits:
            job.end("cancelled")
        else:
            for worker in self._workers:
                worker.kill(job)

    def close(self) -> None:
        """End all processes and cancel unfinished jobs."""
        with self._changed:
            self._closed = True
            left, self._waiting = list(self._waiting), deque()
            self._changed.notify_all()
        for job in left:
            job.end("cancelled")
        for worker in self._workers:
            worker.close()

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return None if self._closed else self._waiting.popleft()


class Worker:
    """A process that does jobs one after the other, and the thread that listens to it."""

    def __init__(self, take: Callable[[], Job | None], seconds: float | None) -> None:
        self._take, self._seconds = take, seconds
        self._guard = Condition()
        self._job: Job | None = None
        self._closed = False
        self._process: SpawnProcess | None = None
        self._pipe: Connection[Any, Any] | None = None
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def kill(self, job: Job) -> None:
        """Kill the process if it works on this job."""
        with self._guard:
            if self._job is job and self._process is not None:
                job.state = "cancelled"
                self._process.kill()
                self._pipe = None  # the next job gets a new process

    def close(self) -> None:
        """Kill the process and wait for the thread."""
        with self._guard:
            self._closed = True
            if self._process is not None:
                self._process.kill()
        self._thread.join()
        if self._process is not None:
            self._process.join()

    def _listen(self) -> None:
        while (job := self._take()) is not None:
            with self._guard:
                self._job, job.state = job, "running"
            try:
                self._do(job)
            except TimeoutError:
                self._bury(job, page_errors.took_too_long(self._limit(job) or 0.0))
            except (EOFError, OSError):
                self._bury(job, page_errors.worker_died())

    def _do(self, job: Job) -> None:
        """Send a job to the process and listen until it is finished."""
        pipe = self._start(job)
        pipe.send((job.task, job.given))
        limit = self._limit(job)
        deadline = None if limit is None else monotonic() + limit
        while True:
            if deadline is not None and not pipe.poll(max(0.0, deadline - monotonic())):
                raise TimeoutError
            kind, content = pipe.recv()
            if kind == PROGRESS:
                job.progress.update(content)
                continue
            with self._guard:
                if kind == DONE:
                    job.end("done", result=content)
                elif kind == FAILED:
                    job.end("failed", sentence=content)
                self._job = None
            break

    def _limit(self, job: Job) -> float | None:
        """Return how long a job may take, if there is a limit."""
        return self._seconds or (None if job.task in WATCHED else SECONDS)

    def _bury(self, job: Job, why: str) -> None:
        """Close the job of a process that has died or is to die; the next job gets a new one."""
        with self._guard:
            if self._process is not None:
                self._process.kill()
            self._job, self._pipe = None, None
            if job.unwanted or self._closed:
                job.end("cancelled")
            else:
                job.end("failed", sentence=why)

    def _start(self, job: Job) -> Connection[Any, Any]:
        """Make sure that there is a process for a job, and return its pipe."""
        with self._guard:
            if job.unwanted or self._closed:
                raise EOFError
            if self._pipe is None or not (self._process and self._process.is_alive()):
                context = get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self._process = context.Process(target=work, args=(theirs,), daemon=True)
                self._process.start()
                theirs.close()
            return self._pipe
