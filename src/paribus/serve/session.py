"""The state of a server: files, runs, and the work in progress."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paribus.scale.sources import stamp_of
from paribus.serve import errors as page_errors
from paribus.serve.jobs import FINISHED, Job, WorkerPool
from paribus.serve.prepare import python_lines
from paribus.serve.request import RunSettings
from paribus.serve.samples import SAMPLES, Sample
from paribus.serve.source import Source

MOST_LOOKS = 20  # that are kept of a file


@dataclass(slots=True, eq=False)
class OpenedFile:
    """A file, its preview once that is ready, and the looks at its columns."""

    id: str
    source: Source
    job: Job
    sample: Sample | None = None
    looks: list[tuple[RunSettings, Job]] = field(default_factory=list)

    @property
    def preview(self) -> dict[str, Any] | None:
        """What the preview shows, or None while it is not ready."""
        return self.job.result.result() if self.job.state == "done" else None

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        """The columns by name, as far as they are known."""
        return {c["name"]: c for c in (self.preview or {}).get("columns", ())}

    @property
    def opening(self) -> str:
        """The Python code that reads it."""
        if self.sample is not None:
            return self.sample.opening
        sheet = f", sheet={self.source.sheet!r}" if self.source.sheet else ""
        return f"read_file({self.source.name!r}{sheet}).table"


@dataclass(slots=True, eq=False)
class Run:
    """A question asked of a file."""

    id: str
    number: int
    file: OpenedFile
    settings: RunSettings
    folder: Path
    job: Job
    comparing: Job | None = None

    @property
    def label(self) -> str:
        """The name of the run in a list."""
        return f"{self.number}: {self.settings.words()}"

    @property
    def python(self) -> str:
        """The Python code that gives the same result."""
        numeric = [
            name
            for name, kind in self.settings.kinds.items()
            if kind == "numeric" and self.file.columns.get(name, {}).get("numbers")
        ]
        opening = self.file.opening
        if numeric and self.file.sample is None:
            opening = opening.replace(").table", f", numeric={numeric!r}).table")
        return python_lines(self.settings, opening)


class Session:
    """All files and runs of one server, and its two queues of work.

    Previews and reports do not have to wait for a long run. `seconds` is the time limit of any
    work.
    """

    def __init__(self, folder: Path, seconds: float | None = None) -> None:
        self.folder = folder
        self.files: dict[str, OpenedFile] = {}
        self.runs: dict[str, Run] = {}
        self.quick = WorkerPool(n_workers=2, seconds=seconds)
        self.long = WorkerPool(n_workers=1, seconds=seconds)
        self._overlaid: dict[tuple[str, str], Job] = {}
        self._runtime: Job | None = None
        self._ready: Job | None = None

    @property
    def runtime(self) -> Job:
        """The job that writes the code that draws charts, started when first needed."""
        if self._runtime is None or self._runtime.state == "failed":
            self._runtime = self.quick.submit("runtime", to=self.folder / "runtime.js")
        return self._runtime

    def expect_file(self) -> None:
        """Get ready for a file: somebody is about to open one."""
        self.quick.submit("warm_up_preview")

    def expect_run(self) -> None:
        """Get ready for a run: somebody is looking at a file."""
        if self._ready is None:
            self._ready = self.long.submit("warm_up_explain")
        _ = self.runtime

    def close(self) -> None:
        """End all work."""
        self.quick.close()
        self.long.close()

    def new_folder(self, name: str = "") -> Path:
        """Make a new folder, with a random name by default."""
        folder = self.folder / (name or secrets.token_hex(8))
        folder.mkdir(mode=0o700)
        return folder

    def open_file(
        self, path: Path, name: str, folder: Path, sheet: str | None = None
    ) -> OpenedFile:
        """Open a file and begin to look at it."""
        source = Source(path, name, folder, sheet, stamp_of(str(path)))
        opened = OpenedFile(folder.name, source, self.quick.submit("preview", source=source))
        self.files[opened.id] = opened
        return opened

    def open_sample(self, name: str) -> OpenedFile:
        """Open a sample, unless it is already open."""
        sample = SAMPLES.get(name)
        if sample is None:
            raise page_errors.gone("sample")
        for opened in self.files.values():
            if opened.sample is sample:
                return opened
        folder = self.new_folder()
        opened = self.open_file(sample.write(folder), sample.title, folder)
        opened.sample = sample
        return opened

    def other_sheet(self, file: OpenedFile, sheet: str) -> OpenedFile:
        """Open another sheet of a workbook."""
        for opened in self.files.values():
            if opened.source.path == file.source.path and opened.source.sheet == sheet:
                return opened
        return self.open_file(file.source.path, file.source.name, self.new_folder(), sheet)

    def remove(self, file: OpenedFile) -> None:
        """Forget a file with its sheets and runs, and delete what was stored for them."""
        for one in [f for f in self.files.values() if f.source.path == file.source.path]:
            self.quick.cancel(one.job)
            for run in self.runs_of(one):
                self.cancel(run)
                del self.runs[run.id]
                for pair in [pair for pair in self._overlaid if run.id in pair]:
                    self._overlaid.pop(pair).given["to"].unlink(missing_ok=True)
                shutil.rmtree(run.folder, ignore_errors=True)
            del self.files[one.id]
            shutil.rmtree(one.source.folder, ignore_errors=True)

    def cancel(self, run: Run) -> None:
        """Stop a run, and its comparison with models."""
        for job in (run.job, run.comparing):
            if job is not None:
                self.long.cancel(job)

    def look(self, file: OpenedFile, settings: RunSettings) -> Job:
        """Return the job that looks at the columns with these settings, started if necessary."""
        for other, job in file.looks:
            if other == settings and job.state not in ("failed", "cancelled"):
                return job
        job = self.quick.submit("look", source=file.source, settings=settings)
        file.looks = [*file.looks[1 - MOST_LOOKS :], (settings, job)]
        return job

    def start(self, file: OpenedFile, settings: RunSettings) -> Run:
        """Start a run on a file."""
        folder = self.new_folder()
        job = self.long.submit("explain", source=file.source, settings=settings, folder=folder)
        run = Run(folder.name, 1 + len(self.runs_of(file)), file, settings, folder, job)
        self.runs[run.id] = run
        return run

    def start_once(self, file: OpenedFile, settings: RunSettings) -> Run:
        """Return the run on a file with these settings, started if necessary."""
        for other in self.runs_of(file):
            if other.settings == settings and other.job.state not in ("failed", "cancelled"):
                return other
        return self.start(file, settings)

    def runs_of(self, file: OpenedFile) -> list[Run]:
        """Return the runs of one file, in order."""
        return [run for run in self.runs.values() if run.file is file]

    def lay_over(self, first: Run, second: Run) -> Job:
        """Return the job that compares two finished runs, and writes the file `given["to"]`."""
        pair = (first, second)
        job = self._overlaid.get((first.id, second.id))
        if job is None or job.state in ("failed", "cancelled"):
            folders, names = [run.folder for run in pair], [run.label for run in pair]
            to = self.folder / f"{first.id}-{second.id}.html"
            job = self.quick.submit("lay_over", folders=folders, names=names, to=to)
            self._overlaid[first.id, second.id] = job
        return job

    def pair(self, run: Run, first: str, second: str) -> Job:
        """Return the job that explains two columns of a run at once."""
        return self.quick.submit(
            "pair", source=run.file.source, settings=run.settings, folder=run.folder, first=first,
            second=second,
        )  # fmt: skip

    def compare(self, run: Run) -> Job:
        """Return the job that compares a run with models."""
        if run.comparing is None or run.comparing.state in ("failed", "cancelled"):
            run.comparing = self.long.submit(
                "compare", source=run.file.source, settings=run.settings, folder=run.folder
            )
        return run.comparing


def progress_of(pool: WorkerPool, job: Job) -> dict[str, Any]:
    """Return the progress of a job, as plain values."""
    return {
        "state": job.state,
        "finished": job.state in FINISHED,
        "stage": job.progress.get("stage", ""),
        "done": job.progress.get("done", 0),
        "total": job.progress.get("total", 0),
        "before": pool.position(job) if job.state == "waiting" else 0,
        "sentence": job.sentence,
    }
