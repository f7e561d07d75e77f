"""The server: which address is answered by what."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from paribus.base import errors
from paribus.report.page import text_of
from paribus.serve import api, pages
from paribus.serve import errors as page_errors
from paribus.serve.security import Access, Guard
from paribus.serve.session import Session

STATIC = files("paribus.serve") / "static"
SHARED = ("charts.js", "profiles.js", "page.css")  # the report's own
FIRST = "first"  # the file named on the command line
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

ROUTES = [
    Route("/", pages.start),
    Route("/files", api.upload, methods=["POST"]),
    Route("/samples/{sample}", api.sample, methods=["POST"]),
    Route("/files/{file}", pages.file),
    Route("/files/{file}/columns", api.columns),
    Route("/files/{file}/sheet", api.sheet, methods=["POST"]),
    Route("/files/{file}/cancel", api.cancel_preview, methods=["POST"]),
    Route("/files/{file}/remove", api.remove, methods=["POST"]),
    Route("/files/{file}/look", api.look, methods=["POST"]),
    Route("/files/{file}/runs", api.start_run, methods=["POST"]),
    Route("/runs/{run}", pages.run),
    Route("/runs/{run}/progress", api.progress),
    Route("/runs/{run}/cancel", api.cancel, methods=["POST"]),
    Route("/runs/{run}/whole", api.whole, methods=["POST"]),
    Route("/runs/{run}/without", api.without, methods=["POST"]),
    Route("/runs/{run}/pair", api.pair, methods=["POST"]),
    Route("/runs/{run}/compare", api.compare, methods=["GET", "POST"]),
    Route("/runs/{run}/take/{kind}", api.take),
    Route("/beside", pages.beside),
    Route("/beside/laid", api.laid),
    Route("/static/runtime.js", api.runtime),
]


def make_app(
    folder: Path,
    access: Access,
    limit: int,
    file: Path | None = None,
    seconds: float | None = None,
) -> Guard:
    """Build the server, which keeps its files in `folder` and opens `file` at once.

    `limit` is how many bytes an upload may have, `seconds` how long any work may take; the caller
    removes the folder.
    """

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        app.state.session = session = Session(folder, seconds)
        app.state.limit = limit
        if file is None:
            session.expect_file()
        else:
            session.open_file(file, file.name, session.new_folder(FIRST))
        try:
            yield
        finally:
            session.close()

    inside = Starlette(
        routes=[*ROUTES, Route("/static/{name}", static)],
        exception_handlers={
            errors.InputError: refuse,
            ClientDisconnect: nobody_there,
            OSError: no_room,
            404: nothing,
            Exception: our_mistake,
        },
        lifespan=living,
    )
    return Guard(inside, access)


async def static(request: Request) -> Response:
    """Give a script or a style: one of ours, by name."""
    name = request.path_params["name"]
    known = {entry.name for entry in STATIC.iterdir()}
    if name in SHARED:
        text = text_of(name)
    elif name in known:
        text = (STATIC / name).read_text(encoding="utf-8")
    else:
        return await nothing(request, page_errors.gone("file"))
    return Response(text, media_type=TYPES[Path(name).suffix])


async def refuse(request: Request, problem: Exception) -> Response:
    """Say what is wrong, as a page or as JSON, whichever was asked for."""
    return await _said(
        request, str(problem), 413 if isinstance(problem, page_errors.TooLargeError) else 400
    )


async def no_room(request: Request, problem: Exception) -> Response:
    """Say what the system would not do."""
    sentence = errors.of_the_system(problem) if isinstance(problem, OSError) else str(problem)
    return await _said(request, sentence, 507)


async def nobody_there(_request: Request, _problem: Exception) -> Response:
    """Give up on a client that has gone or stopped sending."""
    return Response(status_code=408)


async def our_mistake(request: Request, problem: Exception) -> Response:
    """Say that something of ours is wrong."""
    return await _said(request, errors.unexpected(problem), 500)


async def nothing(request: Request, _: Exception) -> Response:
    """Say that there is nothing at an address."""
    return await _said(request, "There is nothing at this address.", 404)


async def _said(request: Request, sentence: str, status: int) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return await pages.page(request, "stop.html", status, sentence=sentence)
    if request.url.path.startswith("/static/"):
        return PlainTextResponse(sentence, status)
    return JSONResponse({"sentence": sentence}, status)
