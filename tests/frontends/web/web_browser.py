"""What one browser sends to the page's server, and hears of it."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING, Any

from frontends.web.web_server import WebServer

from evenmatch.errors import StateError

if TYPE_CHECKING:
    from websockets.asyncio.client import connect

LONGEST = 1 << 20  #: bytes of a state
PATIENCE = 120.0  #: seconds that a request may take
OK = 200


class Browser:
    """Knows where the server is, and keeps its cookie."""

    def __init__(self, server: WebServer, address: str = ""):
        """``address`` is where it is, as a proxy would tell it."""
        self._url, self._jar = server.url, CookieJar()
        self._headers = {"origin": server.url} | ({"x-forwarded-for": address} if address else {})
        cookies = urllib.request.HTTPCookieProcessor(self._jar)
        self._opener = urllib.request.build_opener(cookies)

    async def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the JSON of an answer. OSError if there is none."""
        return await asyncio.to_thread(self._ask, path, body)

    def _ask(self, path: str, body: Any) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = self._headers | {"x-evenmatch": "1"}
        request = urllib.request.Request(f"{self._url}{path}", data, headers)
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)
        except ValueError:  # it broke off within its body
            raise ConnectionResetError from None

    async def enter(self) -> None:
        """Become a guest."""
        await self.ask("/api/start")

    async def begin(self, game: str, opponent: dict[str, Any]) -> int:
        """Begin a game in which this side moves first; return its row. StateError if refused."""
        asked = {"game": game, "opponent": opponent, "side": "first"}
        status, told = await self.ask("/api/tables", asked)
        if status != OK:
            raise StateError(f"no game begins: {status} {told}")
        return int(told["id"])

    @property
    def cookie(self) -> str:
        """The header by which it is known; empty before it is a guest."""
        return "; ".join(f"{one.name}={one.value}" for one in self._jar)

    def socket(self, row: int) -> connect:
        """Return the socket of a game, to be entered."""
        from websockets.asyncio.client import connect

        return connect(
            f"{self._url.replace('http', 'ws', 1)}/api/tables/{row}/socket",
            additional_headers=self._headers | {"cookie": self.cookie},
            max_size=LONGEST,
        )

    async def play(self, row: int, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Play moves of Connect Four; return all moves of the game as the page shows them then."""
        async with self.socket(row) as socket:
            state = await _turn(socket)
            for column in columns:
                asked = {"do": "move", "seq": state["seq"], "move": column}
                await socket.send(json.dumps(asked))
                before = state["seq"]
                while state["seq"] == before:
                    state = await _turn(socket)
            return state["moves"]


async def _turn(socket) -> dict[str, Any]:
    """Return the next state in which the person is to move, or the last. TimeoutError."""
    while True:
        state = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if state["type"] == "state" and (state["yours"] or state["over"]):
            return state
