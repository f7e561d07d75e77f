"""Connections on which nothing comes any more are closed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from starlette.types import Message, Receive

HEADER_SECONDS = 10.0  # without a whole request
BODY_SECONDS = 60.0  # between two pieces of a body


class TimedProtocol(H11Protocol):
    """HTTP that closes a connection which has no request for ten to twenty seconds."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch a connection."""
        super().connection_made(transport)
        self._last_cycle: Any = None
        self._watch = self.loop.call_later(HEADER_SECONDS, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._watch.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._last_cycle:
            self.transport.close()
            return
        self._last_cycle = self.cycle
        self._watch = self.loop.call_later(HEADER_SECONDS, self._close_if_idle)


def timely(receive: Receive) -> Receive:
    """Take a client that stops in the middle of a body for gone."""
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
