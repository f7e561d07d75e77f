"""Answers to the requests of the page's scripts."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response

from paribus.base import errors
from paribus.serve import errors as page_errors
from paribus.serve import run_store
from paribus.serve.jobs import Job
from paribus.serve.pages import file_of, form_of, run_of, session_of
from paribus.serve.request import read_rows, read_settings
from paribus.serve.run_store import render
from paribus.serve.session import progress_of
from paribus.serve.uploads import receive, safe_ending, shown_name

LARGEST_QUESTION = 5_000_000  # bytes of settings: many thousand columns
TAKEN = {"html": "text/html", "csv": "text/csv",
         "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}  # fmt: skip


async def upload(request: Request) -> Response:
    """Receive a file."""
    session = session_of(request)
    given = request.headers.get("x-file-name", "")
    name, ending = shown_name(given), safe_ending(given)
    folder = session.new_folder()
    path = folder / f"data{ending}"
    announced = int(request.headers.get("content-length") or 0)
    try:
        await receive(request.stream(), path, request.app.state.limit, announced)
    finally:
        if not path.exists():
            folder.rmdir()
    return JSONResponse({"address": f"/files/{session.open_file(path, name, folder).id}"})


async def sample(request: Request) -> Response:
    """Open a sample."""
    opened = session_of(request).open_sample(request.path_params["sample"])
    return JSONResponse({"address": f"/files/{opened.id}"})


async def sheet(request: Request) -> Response:
    """Open another sheet of a workbook."""
    opened, wanted = file_of(request), str((await _posted(request)).get("sheet"))
    if wanted not in (opened.preview or {}).get("sheets", ()):
        raise page_errors.unclear_request("there is no such sheet")
    other = session_of(request).other_sheet(opened, wanted)
    return JSONResponse({"address": f"/files/{other.id}"})


async def columns(request: Request) -> Response:
    """Return the progress of a file's preview, and the form when it is ready."""
    opened, session = file_of(request), session_of(request)
    progress = progress_of(session.quick, opened.job)
    if progress["state"] == "done":
        session.expect_run()
    html = await asyncio.to_thread(form_of, request, opened)
    return JSONResponse({**progress, "html": html, "target": (opened.preview or {}).get("target")})


async def look(request: Request) -> Response:
    """Look at the columns as they would be explained, and return a card for each proposal."""
    opened = file_of(request)
    settings = read_settings(await _posted(request), opened.columns)
    found = await _finished(session_of(request).look(opened, settings.untouched()))
    html = await asyncio.to_thread(render, "look.html", **found)
    return JSONResponse({"html": html, "found": found})


async def start_run(request: Request) -> Response:
    """Start a run."""
    opened = file_of(request)
    run = session_of(request).start(opened, read_settings(await _posted(request), opened.columns))
    return JSONResponse({"address": f"/runs/{run.id}"})


async def progress(request: Request) -> Response:
    """Return the progress of a run, with the columns that the page does not have yet."""
    run = run_of(request)
    said = progress_of(session_of(request).long, run.job)
    after = _whole(request.query_params.get("after", "0"))
    if said["state"] == "done":
        return JSONResponse({**said, "html": await _text(run.folder / run_store.RESULTS)})
    files = [run.folder / run_store.COLUMN.format(k) for k in range(after, said["done"] + 1)]
    found = [await _text(file) for file in files]
    ranking = await _text(run.folder / run_store.RANKING) if found else ""
    return JSONResponse({**said, "ranking": ranking, "columns": found})


async def cancel(request: Request) -> Response:
    """Stop a run, and its comparison with models."""
    await asyncio.to_thread(session_of(request).cancel, run_of(request))
    return JSONResponse({})


async def cancel_preview(request: Request) -> Response:
    """Stop looking at a file."""
    await asyncio.to_thread(session_of(request).quick.cancel, file_of(request).job)
    return JSONResponse({})


async def remove(request: Request) -> Response:
    """Delete a file and its results."""
    await asyncio.to_thread(session_of(request).remove, file_of(request))
    return JSONResponse({"address": "/"})


async def whole(request: Request) -> Response:
    """Compare a run on some rows with all of them."""
    run = run_of(request)
    other = session_of(request).start_once(run.file, run.settings.whole())
    return JSONResponse({"address": f"/beside?a={run.id}&b={other.id}"})


async def without(request: Request) -> Response:
    """Repeat a run without some rows."""
    run, rows = run_of(request), read_rows(await _posted(request))
    other = session_of(request).start_once(run.file, run.settings.without(rows))
    return JSONResponse({"address": f"/runs/{other.id}"})


async def pair(request: Request) -> Response:
    """Explain two columns of a run at once, and return the part of the page that shows them."""
    run, posted = run_of(request), await _posted(request)
    if run.job.state != "done":
        raise page_errors.gone("result")
    names = [str(posted.get(side)) for side in ("first", "second")]
    html = await _finished(session_of(request).pair(run, *names))
    return JSONResponse({"html": html})


async def laid(request: Request) -> Response:
    """Return the progress of two runs and their comparison, and the page when it is ready."""
    session = session_of(request)
    runs = [run_of(request, request.query_params.get(side, "none")) for side in ("a", "b")]
    for run in runs:
        if run.job.state != "done":
            return JSONResponse(
                {**progress_of(session.long, run.job), "run": run.label, "html": ""}
            )
    job = session.lay_over(*runs)
    html = await _text(job.given["to"]) if job.state == "done" else ""
    return JSONResponse({**progress_of(session.quick, job), "run": "", "html": html})


async def compare(request: Request) -> Response:
    """Begin to compare a run with models, or return the progress of that."""
    run, session = run_of(request), session_of(request)
    if request.method == "POST":
        session.compare(run)
    if run.comparing is None:
        return JSONResponse({"state": "none"})
    said = progress_of(session.long, run.comparing)
    result = run.comparing.result.result() if said["state"] == "done" else None
    return JSONResponse({**said, "html": await _text(result) if result else ""})


async def take(request: Request) -> Response:
    """Write a run to a file for download."""
    run, session = run_of(request), session_of(request)
    kind = request.path_params["kind"]
    stem = Path(run.file.source.name).name.split(".")[0] or "paribus"
    if kind == "py":
        saved = {"content-disposition": f"attachment; filename*=utf-8''{quote(f'{stem}.py')}"}
        return PlainTextResponse(run.python, headers=saved)
    if kind not in TAKEN or run.job.state != "done":
        raise page_errors.gone("file")
    to = run.folder / f"taken.{kind}"
    if not to.exists():
        await _finished(session.quick.submit("export", folder=run.folder, kind=kind, to=to))
    return FileResponse(to, media_type=TAKEN[kind], filename=f"{stem}.{kind}")


async def _finished(job: Job) -> Any:
    result = await asyncio.wrap_future(job.result)
    if job.state != "done":
        raise errors.InputError(job.sentence or page_errors.worker_died())
    return result


async def runtime(request: Request) -> Response:
    """Return the code that draws charts."""
    job = session_of(request).runtime
    await _finished(job)
    keep = {"cache-control": "private, max-age=86400"}
    return FileResponse(job.given["to"], media_type="text/javascript", headers=keep)


async def _posted(request: Request) -> dict[str, Any]:
    """Read the settings that the page sent."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_QUESTION:
            raise page_errors.unclear_request("it is too long")
    try:
        posted = json.loads(body or b"{}")
        json.dumps(posted, ensure_ascii=False).encode()  # half a pair of surrogates is no text
    except (ValueError, RecursionError):
        raise page_errors.unclear_request("it is not JSON") from None
    if not isinstance(posted, dict):
        raise page_errors.unclear_request("it holds no settings")
    return posted


async def _text(path: Path) -> str:
    return await asyncio.to_thread(path.read_text, encoding="utf-8")


def _whole(text: str) -> int:
    return max(1, int(text)) if text.isdecimal() and len(text) < 9 else 1
