"""The pages: what a browser shows for each address."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from paribus.plotting import theme
from paribus.serve import errors as refusals
from paribus.serve.run_store import render
from paribus.serve.samples import SAMPLES
from paribus.serve.session import Desk, Opened, Run, can_compare

KIND_WORDS = {
    "number": "number", "date": "date", "category": "category", "id": "text like an id",
    "constant": "same everywhere", "unusable": "cannot be used",
}  # fmt: skip


def desk_of(request: Request) -> Desk:
    """Return what lies open on this server."""
    desk: Desk = request.app.state.desk
    return desk


def file_of(request: Request) -> Opened:
    """Return the file that an address names."""
    file = desk_of(request).files.get(request.path_params["file"])
    if file is None:
        raise refusals.gone("file")
    return file


def run_of(request: Request, name: str | None = None) -> Run:
    """Return the run that an address names."""
    run = desk_of(request).runs.get(name or request.path_params["run"])
    if run is None:
        raise refusals.gone("run")
    return run


def page(request: Request, name: str, status: int = 200, **values: Any) -> Response:
    """Fill in a page."""
    desk = desk_of(request)
    shell = {
        "version": version("paribus"),
        "themes": {"light": theme.LIGHT, "dark": theme.DARK},
        "files": list(desk.files.values())[::-1],
    }
    return HTMLResponse(render(name, **shell, **values), status)


async def start(request: Request) -> Response:
    """Show where to begin."""
    _ = desk_of(request).runtime  # made while the reader chooses
    runs = list(desk_of(request).runs.values())[::-1]
    limit = request.app.state.limit
    return page(request, "start.html", samples=SAMPLES, runs=runs, limit=f"{limit / 1e9:.3g} GB")


async def file(request: Request) -> Response:
    """Show a file: its columns, and what can be asked."""
    opened = file_of(request)
    return page(request, "file.html", file=opened, form=form_of(request, opened))


async def run(request: Request) -> Response:
    """Show a run: how far it is, and what it has found."""
    asked = run_of(request)
    form = form_of(request, asked.file, asked)
    others = [r for r in desk_of(request).runs_of(asked.file) if r is not asked]
    return page(
        request, "run.html", run=asked, file=asked.file, others=others, form=form,
        can_compare=can_compare(),
    )  # fmt: skip


async def beside(request: Request) -> Response:
    """Show two runs laid over each other."""
    runs = [run_of(request, request.query_params.get(side, "none")) for side in ("a", "b")]
    return page(request, "beside.html", runs=runs, file=runs[0].file)


def form_of(request: Request, file: Opened, run: Run | None = None) -> str:
    """Return the form that asks a question of a file, filled in as its last run, or as guessed."""
    glance = file.glance
    if glance is None:
        return ""
    ask = None if run is None else run.ask
    usable = ("number", "date", "category")
    sample_out = file.sample.left_out if file.sample else ()
    columns = [
        {
            **column,
            "words": KIND_WORDS[column["kind"]],
            "used": column["name"] not in ask.left_out
            if ask is not None
            else column["kind"] in usable and column["name"] not in sample_out,
            "forced": "" if ask is None else ask.kinds.get(column["name"], ""),
            "missing_words": _share(column["missing"]),
            "able": column["kind"] not in ("constant", "unusable", "date", "id"),
        }
        for column in glance["columns"]
    ]
    return render(
        "form.html", file=file, glance=glance, columns=columns, ask=ask,
        target=ask.target if ask else file.sample.target if file.sample else glance["target"],
        n_runs=len(desk_of(request).runs_of(file)),
    )  # fmt: skip


def _share(share: float) -> str:
    if share == 0:
        return "none"
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"
