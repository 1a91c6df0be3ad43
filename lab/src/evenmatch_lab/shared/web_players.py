"""Players who use the page's server as browsers do: a game by POST, its moves by WebSocket."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import CookieJar
from ipaddress import ip_network
from itertools import count
from typing import TYPE_CHECKING, Any

from evenmatch_lab.shared.crowd import Thinker, Window, play_together
from evenmatch_lab.shared.web_server import WebServer

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

LONGEST = 1 << 20  #: bytes of a state
PATIENCE = 120.0  #: seconds that a request may take
MOST_REQUESTS = 64  #: at once
ADDRESSES = ip_network("10.0.0.0/16")  #: of the players, as a proxy would tell them
State = dict[str, Any]


class Browser:
    """What a browser knows of the server: where it is, and its cookies."""

    def __init__(self, server: WebServer, number: int):
        """The ``number`` tells it from others: each has an address of its own."""
        self._url, self._jar = server.url, CookieJar()
        self._address = str(ADDRESSES[number])
        cookies = urllib.request.HTTPCookieProcessor(self._jar)
        self._opener = urllib.request.build_opener(cookies)

    def _ask(self, path: str, body: Any = None) -> Any:
        headers = {"x-evenmatch": "1", "origin": self._url, "x-forwarded-for": self._address}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._url}{path}", data, headers)
        with self._opener.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    async def begin(self, game: str, opponent: dict[str, Any]) -> int:
        """Begin a game in which this side moves first."""
        if not len(self._jar):
            await asyncio.to_thread(self._ask, "/api/start")  # which makes a guest
        asked = {"game": game, "opponent": opponent, "side": "first"}
        return (await asyncio.to_thread(self._ask, "/api/tables", asked))["id"]

    def socket(self, table: int) -> Any:
        """Return the socket of a game, to be entered."""
        from websockets.asyncio.client import connect

        address = f"{self._url.replace('http', 'ws', 1)}/api/tables/{table}/socket"
        cookies = "; ".join(f"{one.name}={one.value}" for one in self._jar)
        headers = {"origin": self._url, "x-forwarded-for": self._address, "cookie": cookies}
        return connect(address, additional_headers=headers, max_size=LONGEST)


class WebPlayer(Thinker):
    """Somebody who plays one game after another on the page."""

    def __init__(
        self,
        server: WebServer,
        game: str,
        opponent: dict[str, Any],
        window: Window,
        seed: int,
        number: int,
    ):
        super().__init__(window, seed, number)
        self._browser, self._game, self._opponent = Browser(server, number), game, opponent

    async def play(self) -> None:
        """Play until the window ends."""
        await self.arrive()
        for played in count():
            asked = time.monotonic()
            table = await self._browser.begin(self._game, self._opponent)
            async with self._browser.socket(table) as socket:
                state = await self._heard(socket, is_turn)
                self.window.sit(asked, first=played == 0)
                while not state["over"]:
                    if not await self.think():
                        return
                    state = await self._answered(socket, state)

    async def _answered(self, socket: ClientConnection, state: State) -> State:
        """Send a move; return the state with the reply."""
        sent = time.monotonic()
        await socket.send(json.dumps({"seq": state["seq"], **self._move(state)}))
        after = self._heard(socket, lambda new: new["seq"] > state["seq"] and is_turn(new))
        return await self.reply(sent, after)

    def _move(self, state: State) -> dict[str, str]:
        if state["can"]["agree"]:
            return {"do": "agree"}
        played = [one["move"] for one in state["legal"] if one["move"] != "pass"] or ["pass"]
        return {"do": "move", "move": self.choose(played, lambda move: "x" in move)}

    async def _heard(self, socket: ClientConnection, wanted: Callable[[State], bool]) -> State:
        """Return the first state that is as wanted."""
        while True:
            told = json.loads(await socket.recv())
            if told["type"] == "refused":
                self.window.refused += 1
            elif told["type"] == "state" and wanted(told):
                return told


def is_turn(state: State) -> bool:
    """Tell whether a person has something to do, or the game is over."""
    return bool(state["yours"] or state["over"] or state["can"]["agree"])


async def play_on_page(
    server: WebServer, game: str, opponent: dict, players: int, window: Window, seed: int
) -> None:
    """Let so many play a game against an opponent until the window ends."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MOST_REQUESTS))
    crowd = [WebPlayer(server, game, opponent, window, seed, k) for k in range(players)]
    await play_together([one.play() for one in crowd], window)


async def first_reply(server: WebServer, game: str, opponent: dict, seed: int) -> float:
    """Return the seconds that the reply to the first move of a new game took."""
    window = Window(time.monotonic(), float("inf"))
    player = WebPlayer(server, game, opponent, window, seed, number=seed)
    async with player._browser.socket(await player._browser.begin(game, opponent)) as socket:
        await player._answered(socket, await player._heard(socket, is_turn))
    return window.replies[0]
