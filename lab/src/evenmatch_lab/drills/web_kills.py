"""A drill: browsers play on the page's server, which is killed at random moments.

Several browsers play games of all kinds with the page's protocol, and the server is killed and
started again until so many games have been interrupted. After each restart a game must stand where
its browser last saw it, or one step further: what was being written. No move is missing or doubled,
marks and clocks fit, and all games go on to their ends. At last each is in the profile once, with
the moves and the result that its browser saw.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sqlite3
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus, WebSocketException

from evenmatch.errors import StateError
from evenmatch.profiles import Profile
from evenmatch.profiles.database import NAME
from evenmatch.profiles.export import line_of
from evenmatch_lab.drills.web_seen import WRONG, Seen, State
from evenmatch_lab.shared.web_browser import Browser
from evenmatch_lab.shared.web_server import WebServer

#: What is played: the game, the opponent, whether with a clock, most moves before one resigns.
KINDS: tuple[tuple[str, State, bool, int], ...] = (
    ("connect4", {"name": "random"}, True, 50),
    ("connect4", {"name": "inter", "keys": {"sims": "4"}}, False, 50),
    ("othello6", {"name": "minimax1"}, False, 50),
    ("othello", {"name": "random"}, True, 15),
    ("chess", {"name": "human"}, True, 15),
    ("go9", {"name": "random"}, False, 12),
    ("go9", {"name": "human"}, True, 12),
)
QUICK_KINDS = KINDS[:2]
CORRECTED = ("connect4", "othello6")  #: where moves are taken back, and hints asked for
RARELY = 0.05  #: the chance of either
CLOCK = {"minutes": 30, "increment": 2}
PASSES = 40  #: moves after which one who passes at Go resigns

BROWSERS, QUICK_BROWSERS = 16, 3
THINKING = 0.2, 0.8  #: seconds for a move
BETWEEN = 2.0, 14.0  #: seconds from a start to the next kill
AT_ONCE = 0.05  #: seconds after something was asked within which every other kill falls
SILENCE = 30.0  #: seconds without a word after which a browser connects anew
RETRY = 0.5  #: seconds before another try
LONGEST = 1800.0  #: seconds for all

LOST_BEGIN = "begun, but the answer was lost"


class Drill:
    """Browsers, their games, and the server that is killed."""

    def __init__(self, server: WebServer, wanted: int, seed: int, kinds=KINDS, browsers=BROWSERS):
        self.server, self.wanted, self.seed, self.kinds = server, wanted, seed, kinds
        self.games: list[Seen] = []
        self.kills = self.unanswered = 0
        self.asked = asyncio.Event()  # set whenever somebody asks for something
        self._players = [Player(self, number) for number in range(browsers)]
        self._began = time.monotonic()

    @property
    def interrupted(self) -> int:
        """How many games were gone on with after a kill."""
        return sum(game.interrupted > 0 for game in self.games)

    @property
    def enough(self) -> bool:
        """Whether no more kills are needed."""
        return self.interrupted >= self.wanted

    async def run(self) -> dict[str, int]:
        """Play and kill until enough games were interrupted; return what was seen."""
        self.server.start()
        try:
            async with asyncio.timeout(LONGEST), asyncio.TaskGroup() as group:
                for player in self._players:
                    group.create_task(player.play())
                group.create_task(self._kill())
            await self._look_again()
        finally:
            self.server.kill()
        return self._counts() | compared(self.server.state, self.games, self.unanswered)

    async def _kill(self) -> None:
        rng = random.Random(self.seed)
        while not self.enough:
            await asyncio.sleep(rng.uniform(*BETWEEN))
            if rng.random() < 0.5:
                self.asked.clear()
                await self.asked.wait()
                await asyncio.sleep(rng.uniform(0, AT_ONCE))
            for game in self.games:
                game.interrupted += game.state is not None and not game.over
            self.server.kill()
            self.kills += 1
            self._tell()
            await asyncio.to_thread(self.server.start)

    def _tell(self) -> None:
        seconds, done = time.monotonic() - self._began, self.interrupted
        left = seconds / done * max(self.wanted - done, 0) if done else float("nan")
        print(
            f"{done} of {self.wanted} games interrupted by {self.kills} kills, "
            f"{60 * done / seconds:.0f} a minute, about {left / 60:.1f} minutes left",
            file=sys.stderr,
        )

    async def _look_again(self) -> None:
        """Kill and start it once more, and look at all finished games."""
        self.server.kill()
        await asyncio.to_thread(self.server.start)
        for player in self._players:
            for game in player.games:
                game.take(await player.found(game))

    def _counts(self) -> dict[str, int]:
        wrong = Counter(what for game in self.games for what in game.wrong)
        for game in self.games:
            if game.wrong:
                print(game.example, file=sys.stderr)
        return {
            "kills": self.kills,
            "games": len(self.games),
            "games interrupted": self.interrupted,
            "games wanted": self.wanted,
            "interruptions": sum(game.interrupted for game in self.games),
            "moves": sum(len(game.state["moves"]) for game in self.games if game.state),
            "games without an end": sum(not game.over for game in self.games),
        } | {what: wrong[what] for what in WRONG}


class Player:
    """Somebody at a browser, who plays one game after another."""

    def __init__(self, drill: Drill, number: int):
        self._drill, self._number = drill, number
        self._browser = Browser(drill.server)
        self._rng = random.Random(f"{drill.seed} {number}")
        self.games: list[Seen] = []

    async def play(self) -> None:
        """Play until enough games were interrupted, and the last one to its end."""
        await self._asked("/api/start")
        while not self._drill.enough:
            kind = self._drill.kinds[(self._number + len(self.games)) % len(self._drill.kinds)]
            game = Seen(await self._begin(*kind[:3]), kind[0])
            self.games.append(game)
            self._drill.games.append(game)
            while not game.over:
                await self._go_on(game, kind[3])

    async def found(self, game: Seen) -> State:
        """Return a game as the server tells it; KeyError if that is none of this player's."""
        return await self._asked(f"/api/tables/{game.row}")

    async def _begin(self, game: str, opponent: State, timed: bool) -> int:
        side = self._rng.choice(("first", "second"))
        clock = CLOCK if timed else None
        asked = {"game": game, "opponent": opponent, "side": side, "clock": clock}
        return (await self._asked("/api/tables", asked))["id"]

    async def _asked(self, path: str, body: Any = None) -> State:
        """Return what a request is answered with, sent again while the server is away."""
        while True:
            try:
                status, told = await self._browser.ask(path, body)
            except OSError:
                self._drill.unanswered += body is not None
            else:
                if status == 200:
                    return told
                if status not in (429, 503):
                    raise KeyError(f"{path}: {status} {told}")
            await asyncio.sleep(RETRY)

    async def _go_on(self, game: Seen, most: int) -> None:
        """Play on until the game or the connection ends."""
        try:
            async with self._browser.socket(game.row) as socket:
                await self._talk(socket, game, most)
        except InvalidStatus:  # nobody plays there: the game is over, or it is lost
            state = await self.found(game)
            if state["over"]:
                game.take(state)
            await asyncio.sleep(RETRY)
        except (OSError, WebSocketException):
            await asyncio.sleep(RETRY)

    async def _talk(self, socket: ClientConnection, game: Seen, most: int) -> None:
        answered = -1  # number of the latest state that something was asked of
        while not game.over:
            async with asyncio.timeout(SILENCE):
                told = json.loads(await socket.recv())
            if told["type"] == "refused":  # too much at once: the same is asked again
                answered = -1
            elif told["type"] == "state":
                game.take(told)
                if told["seq"] > answered:
                    answered = told["seq"]
                    await self._act(socket, game, most)

    async def _act(self, socket: ClientConnection, game: Seen, most: int) -> None:
        message = self._choice(game, most)
        if message is not None:
            await asyncio.sleep(self._rng.uniform(*THINKING))
            self._drill.asked.set()
            await socket.send(json.dumps(game.ask(message)))

    def _choice(self, game: Seen, most: int) -> State | None:
        """Return what to ask for, None if it is the opponent's turn."""
        state, rng = game.state, self._rng
        assert state is not None
        seq, can, moves = state["seq"], state["can"], len(state["moves"])
        if can["agree"]:
            return {"do": "agree", "seq": seq}
        if not state["yours"]:
            return None
        if moves > 2 * most + PASSES or (moves > 2 * most and not can["pass"]):
            return {"do": "resign", "seq": seq}
        if moves > 2 * most:
            return {"do": "pass", "seq": seq}
        if game.kind in CORRECTED and can["undo"] and rng.random() < RARELY:
            return {"do": "undo", "seq": seq}
        if state["hint"]:
            return {"do": "move", "seq": seq, "move": state["hint"]["move"]}
        if game.kind in CORRECTED and rng.random() < RARELY:
            return {"do": "hint", "seq": seq}
        legal = [one["move"] for one in state["legal"] if one["move"] != "pass"]
        return {"do": "move", "seq": seq, "move": rng.choice(legal or ["pass"])}


def compared(folder: Path, games: list[Seen], unanswered: int) -> dict[str, int]:
    """Compare the profile with what the browsers saw; count what is wrong."""
    with contextlib.closing(sqlite3.connect(folder / NAME)) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    profile = Profile(folder)
    kept = [one for person in profile.people.names() for one in profile.games.finished(person)]
    unfinished = profile.games.unfinished()
    profile.close()
    rows, seen = Counter(one.row for one in kept), {game.row: game for game in games}
    differ = [one for one in kept if one.row in seen and not _agree(one, seen[one.row])]
    others = len(kept) + len(unfinished) - sum(one.row in seen for one in kept)
    return {
        "database damaged": int(not sound),
        "finished games missing": sum(rows[row] != 1 for row in seen),
        "finished games that differ": len(differ),
        LOST_BEGIN: others,
        "games that nobody began": max(others - unanswered, 0),
    }


def _agree(kept, game: Seen) -> bool:
    """Tell whether a finished game has the moves and the result that its browser saw."""
    try:
        line = line_of(kept)
    except StateError:  # its moves are no game
        return False
    moves = [(line.text(ply), mark) for ply, mark in enumerate(kept.saved.marks)]
    assert game.state is not None, "it is finished"
    seen = [(move["text"], move["mark"]) for move in game.state["moves"]]
    return moves == seen and kept.outcome.result == game.state["over"]["result"]


LOSSES = (
    *WRONG,
    "games without an end",
    "database damaged",
    "finished games missing",
    "finished games that differ",
    "games that nobody began",
)


def passed(seen: dict[str, int]) -> bool:
    """Tell whether nothing was lost."""
    enough = seen["games interrupted"] >= seen["games wanted"]
    return enough and not any(seen[name] for name in LOSSES)


def drill(
    games: int, seed: int, folder: Path, quick: bool = False
) -> tuple[list[Seen], dict[str, int]]:
    """Run a drill in a folder; return the games, and what was seen."""
    kinds = QUICK_KINDS if quick else KINDS
    server = WebServer(folder, list(dict.fromkeys(kind[0] for kind in kinds)))
    browsers = QUICK_BROWSERS if quick else BROWSERS

    async def run() -> tuple[list[Seen], dict[str, int]]:
        drill = Drill(server, games, seed, kinds, browsers)
        seen = await drill.run()
        return drill.games, seen

    return asyncio.run(run())
