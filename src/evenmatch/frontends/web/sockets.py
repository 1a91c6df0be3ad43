"""The open sockets of people: bounded in number, and closed when the login behind them ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenmatch.frontends.web.guard import RefusedError
from evenmatch.frontends.web.visitor import Visitor

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

MOST_OPEN = 12  #: of a person
ENDED = 4001  #: why a socket is closed: its login has ended
PUT_AWAY = 4002  #: the same: its game was deleted, or is nowhere open any more


class Sockets:
    """Open sockets by person."""

    def __init__(self, most: int = MOST_OPEN):
        self._most = most
        self._open: defaultdict[str, dict[WebSocket, str]] = defaultdict(dict)

    @contextlib.contextmanager
    def open(self, visitor: Visitor, socket: WebSocket) -> Iterator[None]:
        """Count a socket meanwhile; RefusedError if the person has too many."""
        theirs = self._open[visitor.person]
        if len(theirs) >= self._most:
            raise RefusedError(429, f"you have {self._most} games open; close a window of the page")
        theirs[socket] = visitor.token
        try:
            yield
        finally:
            theirs.pop(socket, None)
            if not theirs and self._open.get(visitor.person) is theirs:
                del self._open[visitor.person]

    async def close(self, person: str, token: str | None = None) -> None:
        """Close the sockets of a person, or those of one of their logins."""
        theirs = self._open.get(person, {}).items()
        await asyncio.gather(*(closed(socket) for socket, of in theirs if token in (None, of)))


async def closed(socket: WebSocket, why: int = ENDED) -> None:
    """Close a socket, if it is open."""
    from starlette.websockets import WebSocketDisconnect

    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed, or broken
        await socket.close(why)
