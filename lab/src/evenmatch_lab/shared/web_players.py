"""Players who use the page's server as browsers do: a game by POST, its moves by WebSocket."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from itertools import count
from typing import TYPE_CHECKING, Any

from evenmatch_lab.shared.crowd import Thinker, Window, play_together
from evenmatch_lab.shared.web_browser import Browser
from evenmatch_lab.shared.web_server import WebServer

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection, connect

MOST_REQUESTS = 64  #: at once
ADDRESSES = ip_network("10.0.0.0/16")  #: of the players, as a proxy would tell them
State = dict[str, Any]


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
        self._browser = Browser(server, str(ADDRESSES[number]))
        self._game, self._opponent = game, opponent

    async def play(self) -> None:
        """Play until the window ends."""
        await self.arrive()
        for played in count():
            asked = time.monotonic()
            async with await self.begun() as socket:
                state = await self._heard(socket, is_turn)
                self.window.sit(asked, first=played == 0)
                while not state["over"]:
                    if not await self.think():
                        return
                    state = await self._answered(socket, state)

    async def begun(self) -> connect:
        """Begin a game; return its socket, to be entered."""
        if not self._browser.cookie:
            await self._browser.enter()
        return self._browser.socket(await self._browser.begin(self._game, self._opponent))

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
    async with await player.begun() as socket:
        await player._answered(socket, await player._heard(socket, is_turn))
    return window.replies[0]
