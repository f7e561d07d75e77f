"""The server: which address is answered by what."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from paribus.base import errors
from paribus.report.page import text_of
from paribus.serve import api, pages
from paribus.serve import errors as refusals
from paribus.serve.security import Door, Guard
from paribus.serve.session import Desk

STATIC = files("paribus.serve") / "static"
SHARED = ("charts.js", "page.css")  # the report's own
FIRST = "first"  # the file named on the command line
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

ROUTES = [
    Route("/", pages.start),
    Route("/files", api.upload, methods=["POST"]),
    Route("/samples/{sample}", api.sample, methods=["POST"]),
    Route("/files/{file}", pages.file),
    Route("/files/{file}/columns", api.columns),
    Route("/files/{file}/sheet", api.sheet, methods=["POST"]),
    Route("/files/{file}/runs", api.ask, methods=["POST"]),
    Route("/runs/{run}", pages.run),
    Route("/runs/{run}/progress", api.progress),
    Route("/runs/{run}/cancel", api.cancel, methods=["POST"]),
    Route("/runs/{run}/whole", api.whole, methods=["POST"]),
    Route("/runs/{run}/compare", api.compare, methods=["GET", "POST"]),
    Route("/runs/{run}/take/{kind}", api.take),
    Route("/beside", pages.beside),
    Route("/beside/laid", api.laid),
    Route("/static/runtime.js", api.runtime),
]


def make_app(folder: Path, door: Door, limit: int, file: Path | None = None) -> Guard:
    """Build the server.

    Parameters
    ----------
    folder : Path
        Where it keeps files; the caller removes it.
    door : Door
        Whom it lets in.
    limit : int
        Bytes that an upload may have.
    file : Path, optional
        A file to open at once.
    """

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        app.state.desk = desk = Desk(folder)
        app.state.limit = limit
        if file is None:
            desk.expect_file()
        else:
            desk.open_file(file, file.name, desk.new_folder(FIRST))
        try:
            yield
        finally:
            desk.close()

    inside = Starlette(
        routes=[*ROUTES, Route("/static/{name}", static)],
        exception_handlers={
            errors.InputError: refuse,
            OSError: no_room,
            404: nothing,
            Exception: our_mistake,
        },
        lifespan=living,
    )
    return Guard(inside, door)


async def static(request: Request) -> Response:
    """Give a script or a style: one of ours, by name."""
    name = request.path_params["name"]
    known = {entry.name for entry in STATIC.iterdir()}
    if name in SHARED:
        text = text_of(name)
    elif name in known:
        text = (STATIC / name).read_text(encoding="utf-8")
    else:
        return await nothing(request, refusals.gone("file"))
    return Response(text, media_type=TYPES[Path(name).suffix])


async def refuse(request: Request, problem: Exception) -> Response:
    """Say what is wrong, as a page or as JSON, whichever was asked for."""
    return _said(request, str(problem), 413 if isinstance(problem, refusals.TooLargeError) else 400)


async def no_room(request: Request, problem: Exception) -> Response:
    """Say what the system would not do."""
    why = getattr(problem, "strerror", None) or "unknown reason"
    return _said(request, refusals.no_room(why), 500)


async def our_mistake(request: Request, problem: Exception) -> Response:
    """Say that something of ours is wrong."""
    return _said(request, errors.unexpected(problem), 500)


async def nothing(request: Request, _: Exception) -> Response:
    """Say that there is nothing at an address."""
    return _said(request, "There is nothing at this address.", 404)


def _said(request: Request, sentence: str, status: int) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return pages.page(request, "stop.html", status, sentence=sentence)
    if request.url.path.startswith("/static/"):
        return PlainTextResponse(sentence, status)
    return JSONResponse({"sentence": sentence}, status)
