"""The server itself: when it announces itself, and when it closes a connection.

It closes idle connections, but none while the other side is still sending.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from starlette.types import Message, Receive

HEADER_SECONDS = 10.0  # without a whole request
BODY_SECONDS = 60.0  # between two pieces of a body
LINGER_SECONDS = 30.0  # for the rest of a request that was answered before its end


class AnnouncedServer(uvicorn.Server):
    """Calls a function once connections are accepted."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self.announce()


class PoliteTransport:
    """A transport that, when closed in the middle of a request, reads the rest of it first.

    Closing a connection with unread bytes resets it, and the other side loses the answer.
    """

    def __init__(self, transport: asyncio.Transport, conn: h11.Connection) -> None:
        self._transport, self._conn = transport, conn
        self.lingers = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Tell whether nothing more will be written."""
        return self.lingers or self._transport.is_closing()

    def close(self) -> None:
        """Close, or end our side and wait for the other one."""
        if self.is_closing():
            return
        if self._conn.their_state not in (h11.SEND_BODY, h11.ERROR):
            self._transport.close()
            return
        self.lingers = True
        self._transport.write_eof()
        self._transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._transport.close)


class TimedProtocol(H11Protocol):
    """HTTP that closes connections without a request for ten to twenty seconds."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch a connection."""
        polite: Any = PoliteTransport(transport, self.conn)
        super().connection_made(polite)
        self._last_cycle: Any = None
        self._watch = self.loop.call_later(HEADER_SECONDS, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive data, ignoring it if the connection is closing."""
        if not self.transport.is_closing():
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not a request; break off an answer that has already begun."""
        with suppress(h11.LocalProtocolError):
            super().send_400_response(msg)
        self.transport.close()

    def _close_if_idle(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._last_cycle:
            self.transport.close()
            return
        self._last_cycle = self.cycle
        self._watch = self.loop.call_later(HEADER_SECONDS, self._close_if_idle)


def timely(receive: Receive) -> Receive:
    """Treat a client that stops in the middle of a body as disconnected."""
    complete = False

    async def received() -> Message:
        nonlocal complete
        if complete:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), BODY_SECONDS)
        except TimeoutError:
            return {"type": "http.disconnect"}
        complete = not message.get("more_body", False)
        return message

    return received
