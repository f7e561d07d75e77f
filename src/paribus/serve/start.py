"""Start the server, say where it is, and clean up after it."""

from __future__ import annotations

import secrets
import signal
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from paribus.base import errors
from paribus.files.kinds import check_there, checked_ending
from paribus.serve import errors as page_errors

NEEDED = {"starlette": "starlette", "uvicorn": "uvicorn", "jinja2": "jinja2", "polars": "polars",
          "altair": "altair", "vl_convert": "vl-convert-python"}  # fmt: skip
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Serving:
    """How to serve: a file to open, where to listen, which key, what to log.

    `limit` is the maximum size of an upload in bytes, `seconds` the time limit of any work.
    """

    file: Path | None = None
    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    limit: int = 2_000_000_000
    debug: bool = False
    seconds: float | None = None


def serve(wanted: Serving, say: Callable[[str], None], *, browser: bool) -> None:
    """Serve the page until it is interrupted."""
    for module, package in NEEDED.items():
        if not find_spec(module):
            raise errors.missing_package(package, "The page", "'paribus[serve]'")
    import uvicorn

    from paribus.serve.app import FIRST, make_app
    from paribus.serve.cache import cache_home, own_folder
    from paribus.serve.security import Access, address_of, is_loopback
    from paribus.serve.timeouts import AnnouncedServer, TimedProtocol

    _check(wanted, is_loopback(wanted.host))
    with _listening(wanted) as listener, own_folder(cache_home()) as folder:
        port = listener.getsockname()[1]
        token = wanted.token or secrets.token_urlsafe(24)
        address = address_of(wanted.host, port, token)
        home = "/" if wanted.file is None else f"/files/{FIRST}"
        access = Access(wanted.host, port, token, home)
        app = make_app(folder, access, wanted.limit, wanted.file, wanted.seconds)
        config = uvicorn.Config(
            app, log_level="info" if wanted.debug else "critical", timeout_graceful_shutdown=1,
            server_header=False, http=TimedProtocol, ws="none",
        )  # fmt: skip

        def announce() -> None:
            say(f"The page is at {address}")
            say("It stops with Ctrl-C.")
            if browser:
                Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        # After its shutdown uvicorn passes the signal on: it must not interrupt ours.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            AnnouncedServer(config, announce).run(sockets=[listener])
    say("The page is closed.")


def _check(wanted: Serving, loopback: bool) -> None:
    if not loopback and len(wanted.token or "") < SHORTEST_TOKEN:
        raise page_errors.host_without_token(wanted.host)
    if wanted.file is not None:
        check_there(wanted.file)  # here "-" is a name, not standard input
        checked_ending(wanted.file)


def _listening(wanted: Serving) -> socket.socket:
    family = socket.AF_INET6 if ":" in wanted.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((wanted.host, wanted.port))
    except OSError as error:
        listener.close()
        why = error.strerror or str(error)
        raise page_errors.no_port(wanted.host, wanted.port, why) from None
    return listener
