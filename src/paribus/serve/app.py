"""The server: which address is answered by which function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

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
NOTHING = "There is nothing at this address."
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

    `limit` is the maximum size of an upload in bytes, `seconds` the time limit of any work; the
    caller removes the folder.
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
            errors.InputError: _saying(400),
            page_errors.TooLargeError: _saying(413),
            ClientDisconnect: nobody_there,
            OSError: _saying(507, errors.of_the_system),
            404: _saying(404, lambda _: NOTHING),
            Exception: _saying(500, errors.unexpected),
        },
        lifespan=living,
    )
    return Guard(inside, access)


async def static(request: Request) -> Response:
    """Return one of our scripts or styles, by name."""
    name = request.path_params["name"]
    known = {entry.name for entry in STATIC.iterdir()}
    if name in SHARED:
        text = text_of(name)
    elif name in known:
        text = (STATIC / name).read_text(encoding="utf-8")
    else:
        return await _said(request, NOTHING, 404)
    return Response(text, media_type=TYPES[Path(name).suffix])


def _saying(
    status: int, sentence: Callable[[Any], str] = str
) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return a handler that answers a problem with a sentence."""

    async def answer(request: Request, problem: Exception) -> Response:
        return await _said(request, sentence(problem), status)

    return answer


async def nobody_there(_request: Request, _problem: Exception) -> Response:
    """Give up on a client that has left or stopped sending."""
    return Response(status_code=408)


async def _said(request: Request, sentence: str, status: int) -> Response:
    """Say what is wrong, as a page, text or JSON, depending on the request."""
    if "text/html" in request.headers.get("accept", ""):
        return await pages.page(request, "stop.html", status, sentence=sentence)
    if request.url.path.startswith("/static/"):
        return PlainTextResponse(sentence, status)
    return JSONResponse({"sentence": sentence}, status)
