"""The pages: what a browser shows for each address."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from paribus.plotting import theme
from paribus.serve import errors as page_errors
from paribus.serve.run_store import render
from paribus.serve.samples import SAMPLES
from paribus.serve.session import OpenedFile, Run, Session

KIND_WORDS = {
    "number": "number", "date": "date", "category": "category", "id": "text like an id",
    "constant": "same everywhere", "unusable": "cannot be used",
}  # fmt: skip
CHOICE = ("name", "kind", "values", "ends")  # what the form's script needs of a column


def session_of(request: Request) -> Session:
    """Return the state of this server."""
    session: Session = request.app.state.session
    return session


def file_of(request: Request) -> OpenedFile:
    """Return the file that an address names."""
    file = session_of(request).files.get(request.path_params["file"])
    if file is None:
        raise page_errors.gone("file")
    return file


def run_of(request: Request, name: str | None = None) -> Run:
    """Return the run that an address names."""
    run = session_of(request).runs.get(request.path_params["run"] if name is None else name)
    if run is None:
        raise page_errors.gone("run")
    return run


async def page(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Fill in a page, in a thread: meanwhile others are answered."""
    session = session_of(request)
    shell = {
        "version": version("paribus"),
        "themes": {"light": theme.LIGHT, "dark": theme.DARK},
        "files": list(session.files.values())[::-1],
    }
    return HTMLResponse(await asyncio.to_thread(render, name, **shell, **values), status)


async def start(request: Request) -> Response:
    """Show where to begin."""
    _ = session_of(request).runtime  # made while the reader chooses
    runs = list(session_of(request).runs.values())[::-1]
    limit = request.app.state.limit
    return await page(
        request, "start.html", samples=SAMPLES, runs=runs, limit=f"{limit / 1e9:.3g} GB"
    )


async def file(request: Request) -> Response:
    """Show a file: its columns, and what can be shown."""
    opened = file_of(request)
    form = await asyncio.to_thread(form_of, request, opened)
    return await page(request, "file.html", file=opened, form=form)


async def run(request: Request) -> Response:
    """Show a run: how far it is, and what it has found."""
    shown = run_of(request)
    form = await asyncio.to_thread(form_of, request, shown.file, shown)
    others = [r for r in session_of(request).runs_of(shown.file) if r is not shown]
    return await page(request, "run.html", run=shown, file=shown.file, others=others, form=form)


async def beside(request: Request) -> Response:
    """Show two runs laid over each other."""
    runs = [run_of(request, request.query_params.get(side, "none")) for side in ("a", "b")]
    return await page(request, "beside.html", runs=runs, file=runs[0].file)


def form_of(request: Request, file: OpenedFile, run: Run | None = None) -> str:
    """Return the form that asks a question of a file, filled in as its last run, or as guessed."""
    preview = file.preview
    if preview is None:
        return ""
    settings = None if run is None else run.settings
    columns = [
        {
            **column,
            "words": KIND_WORDS[column["kind"]],
            "used": column["name"] not in settings.left_out
            if settings is not None
            else column["kind"] != "unusable",
            "forced": "" if settings is None else settings.kinds.get(column["name"], ""),
            "missing_words": _share(column["missing"]),
            "able": column["kind"] not in ("constant", "unusable", "date", "id"),
        }
        for column in preview["columns"]
    ]
    suggested = file.sample.target if file.sample else preview["target"]
    target = suggested if settings is None else settings.target
    return render(
        "form.html", file=file, preview=preview, columns=columns, settings=settings,
        target=target, choices=[{key: column[key] for key in CHOICE} for column in columns],
        n_runs=len(session_of(request).runs_of(file)),
    )  # fmt: skip


def _share(share: float) -> str:
    if share == 0:
        return "none"
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"
