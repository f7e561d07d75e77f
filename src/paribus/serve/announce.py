"""A server that says when it answers."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn


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
