"""Who may send requests, and what a response may do: token, cookie, Host, Origin, policy."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from paribus.serve.timeouts import timely

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
READING = ("GET", "HEAD")

# Styles of elements (the width of a bar) are allowed; scripts, styles and requests only from here.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
WELCOME = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>paribus</title>'
    '<link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0; url={home}"><p><a href="{home}">Go on</a></p></html>'
)
STRANGER = "Open this page by the address that paribus printed when it started: it holds a key."
ELSEWHERE = "This page only answers when it is called by its own address."


@dataclass(frozen=True, slots=True)
class Access:
    """Whom the server lets in."""

    host: str  # the address that it listens on
    port: int
    token: str  # the key in the opened address
    home: str = "/"  # the path that the key opens
    # What a browser with the key gets as a cookie.
    cookie_value: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def cookie(self) -> str:
        """The cookie's name, with the port because browsers share cookies between ports."""
        return f"paribus-{self.port}"

    def allows_host(self, host: str) -> bool:
        """Tell whether a request's Host is this server, not a name that someone else gave it.

        Examples
        --------
        >>> access = Access("127.0.0.1", 8000, "key")
        >>> [access.allows_host(h) for h in ("localhost:8000", "evil.example:8000", "127.0.0.1")]
        [True, False, False]
        """
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.port:
            return False
        if is_loopback(self.host):
            return name in LOOPBACK
        # DNS cannot rebind a number; it can rebind a name, so that must be the machine's own.
        own = (self.host, socket.gethostname().lower(), *LOOPBACK)
        return _number(name) is not None or name in own

    def has_cookie(self, headers: Headers) -> bool:
        """Tell whether a request carries the cookie."""
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except Exception:
            return False
        return morsel is not None and secrets.compare_digest(
            morsel.value.encode(), self.cookie_value.encode()
        )

    def has_token(self, query: bytes) -> bool:
        """Tell whether an address carries the key."""
        given = parse_qs(query.decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(given.encode(), self.token.encode())


def is_loopback(host: str) -> bool:
    """Tell whether an address can only be reached from this machine."""
    address = _number(host)
    return host == "localhost" or (address is not None and address.is_loopback)


class Guard:
    """Let through only requests from this server's own page, and add headers to every response."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self.app)(scope, timely(receive), marked)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self.access.allows_host(headers.get("host", "")) or self._is_foreign(scope, headers):
            return PlainTextResponse(ELSEWHERE, 403)
        if scope["path"] == "/" and self.access.has_token(scope["query_string"]):
            # The page itself redirects: after a link from another site, an HTTP redirect would be
            # followed without the cookie.
            welcome = HTMLResponse(WELCOME.format(home=self.access.home))
            welcome.set_cookie(
                self.access.cookie, self.access.cookie_value, httponly=True, samesite="strict"
            )
            return welcome
        return None if self.access.has_cookie(headers) else PlainTextResponse(STRANGER, 401)

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Tell whether the request comes from another site; changes must name their origin."""
        origin = headers.get("origin")
        if origin is None:
            return scope["method"] not in READING
        return origin != f"{scope['scheme']}://{headers['host']}"


def address_of(host: str, port: int, token: str) -> str:
    """Write the address that opens the page."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/?token={token}"


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a numeric address; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
