"""The socket of a game: what it shows, and what the visitor asks by it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect

from evenmatch.errors import EvenmatchError
from evenmatch.frontends.web.auth import (
    PUT_AWAY,
    closed,
    counted_in,
    limit,
    person_of,
    require_login,
    state_of,
    staying,
)
from evenmatch.frontends.web.guard import RefusedError, on_page
from evenmatch.frontends.web.http_json import NOTHING, object_in
from evenmatch.frontends.web.limits import TooOftenError
from evenmatch.frontends.web.live_game import LiveGame


async def open_table(request: HTTPConnection) -> LiveGame | None:
    """Return the game that a path names, gone on with; None if the visitor has none such."""
    tables, row, person = state_of(request).games, request.path_params["row"], person_of(request)
    if row in tables:
        return await tables.find(row, person)
    async with staying(request):
        return await tables.find(row, person)


async def socket(socket: WebSocket) -> None:
    """Show a game as it goes on, and hear what the visitor asks of it."""
    try:
        table = await open_table(socket)
    except RefusedError:
        raise
    except EvenmatchError as error:
        await socket.accept()
        await socket.send_json({"type": "refused", "error": on_page(str(error)), "seq": 0})
        await socket.close(1011)
        return
    if table is None:
        raise RefusedError(404, NOTHING["error"])
    with counted_in(socket):
        await socket.accept()
        try:
            await require_login(socket)
        except RefusedError:  # it ended before the socket counted, so that nobody closed it
            await closed(socket)
            return
        await _talk(socket, table)


async def _talk(socket: WebSocket, table: LiveGame) -> None:
    states = table.watch()
    telling = asyncio.create_task(_tell(socket, states))
    try:
        await _hear(socket, table)
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        table.leave(states)
        telling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await telling


async def _tell(socket: WebSocket, states: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Send every state that is not overtaken by the next; close the socket after the last."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while (state := await states.get()) is not None:
            await socket.send_json(state)
        await closed(socket, PUT_AWAY)


async def _hear(socket: WebSocket, table: LiveGame) -> None:
    while True:
        message, wait, published = object_in(await _said(socket)) or {}, 0.0, False
        try:
            limit(socket, "move")
            refused, published = await table.ask(message)
        except EvenmatchError as error:
            refused = on_page(str(error))
            wait = error.wait if isinstance(error, TooOftenError) else 0.0
        if refused is not None:
            state_of(socket).service.metrics.refused("game")
            await socket.send_json({"type": "refused", "error": refused, "seq": table.state["seq"]})
        if refused is not None or not published:  # otherwise `_tell` sends it
            await socket.send_json(table.state)
        await asyncio.sleep(wait)  # so that who floods the server is heard no more often


async def _said(socket: WebSocket) -> str:
    """Return what a visitor says, empty if it is no text. WebSocketDisconnect if they left."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return message.get("text") or ""
