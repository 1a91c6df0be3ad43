"""Games through the real front ends, with a player in the place of the person.

In the *terminal* the person types into a process of ``evenmatch play GAME --name NAME``, whose
standard input is a terminal and whose output is a pipe, and accepts each rematch. On the *page* it
sends what the scripts of the page send to a server of its own, over HTTP and a WebSocket. It knows
what it reads there: the moves so far.
"""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from evenmatch.errors import StateError
from evenmatch.games.game import PASS, Game
from evenmatch.games.line import Line
from evenmatch.opponents import Engine, resolve
from evenmatch.opponents.engine import InGame, game_seed
from evenmatch.opponents.player import RESIGN

NAME = "Ann"
CHANGE = 10  #: games after which a person of two players plays as the second
PATIENCE = 7200.0  #: seconds that a series may take
EVENMATCH = (sys.executable, "-m", "evenmatch")


class Person:
    """A simulated person: reads moves and writes one."""

    def __init__(self, game: Game, specs: Sequence[str], seed: int):
        """``specs``: the player of the first CHANGE games, and that of all later ones."""
        self.game, self._engine, self._seed, self._games = game, Engine(game), seed, 0
        self._players = [resolve(spec, game) for spec in specs]

    def sit_down(self) -> None:
        """Begin the next game: with the first move in every other one."""
        player = self._players[min(self._games // CHANGE, len(self._players) - 1)]
        side, seed = 1 - 2 * (self._games % 2), game_seed(self._seed + self._games)
        self._line, self._play = Line(self.game), InGame(player, side, seed)
        self._games += 1

    def answer(self, moves: Sequence[str]) -> str:
        """Return the move, or ``resign``, after all moves of the game so far.

        Raises StateError unless it is the person's turn, MoveError for an illegal move.
        """
        for text in moves[self._line.ply :]:
            self._line.push(self.game.read_action(self._line.state, text))
        if len(moves) != self._line.ply or self._line.side != self._play.side:
            raise StateError(f"it is not the person's turn after {' '.join(moves)}")
        turn = self._play.turn(self._line)
        (decision,) = self._engine.think([(self._play.opponent, turn)])
        self._play.take(turn, decision)
        if decision.action == RESIGN:
            return "resign"
        return self.game.action_text(self._line.state, decision.action)


#: Plays so many games with an environment; yields after each what the program said of the level.
FrontEnd = Callable[[Person, int, Mapping[str, str]], Iterator[str]]


@contextmanager
def running(words: Sequence[str], env: Mapping[str, str], stdin: int) -> Iterator[subprocess.Popen]:
    """Run evenmatch with these words and its output in a pipe; end it after the block."""
    command = [*EVENMATCH, *words]
    with subprocess.Popen(
        command, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        late = threading.Timer(PATIENCE, process.kill)
        late.start()
        try:
            yield process
        finally:
            late.cancel()
            process.terminate()


def said_until(process: subprocess.Popen, pattern: str) -> str:
    """Return what a program writes until it matches a pattern. StateError if it ends before."""
    text = ""
    while not re.search(pattern, text):
        assert process.stdout is not None
        more = os.read(process.stdout.fileno(), 1 << 16)
        if not more:
            raise StateError(f"the program has ended; it said: {text.strip()[-500:]}")
        text += more.decode(errors="replace")
    return text


# -- the terminal ----------------------------------------------------------------------------------

QUESTIONS = {
    "Your move: ": "",
    "Do you agree? (n: play on) [y/n] ": "y",
    "Give up the game? [y/N] ": "y",
}  #: what the program asks in a game, and the person answers; empty for a move
AGAIN = "Another game, sides swapped? [y/N] "
ASKED = f"(?:{'|'.join(map(re.escape, [*QUESTIONS, AGAIN]))})$"
WHO = "(?:You|Evenmatch)"
MOVED = rf"^{WHO} (?:plays? (\S+)|pass|passes)$|^{WHO} ha(?:ve|s) no move.*: {PASS}$"
OF_LEVEL = "^(?:It began|It took|Your level|No level).*$"


def by_terminal(person: Person, games: int, env: Mapping[str, str]) -> Iterator[str]:
    """Play by `evenmatch play`, which offers rematches where its input is a terminal."""
    keyboard, stdin = os.openpty()
    words = ["play", person.game.id, "--name", NAME, "--as", "first", "--pace", "0"]
    try:
        with running(words, env, stdin) as process:
            for game in range(games):
                yield "\n".join(_game_in_terminal(person, process, keyboard))
                os.write(keyboard, b"y\n" if game + 1 < games else b"n\n")
            process.wait()
    finally:
        os.close(keyboard)
        os.close(stdin)


def _game_in_terminal(person: Person, process: subprocess.Popen, keyboard: int) -> list[str]:
    """Play one game; return the lines on the level after it."""
    person.sit_down()
    moves: list[str] = []
    while True:
        text = said_until(process, ASKED)
        moves += [found[1] or PASS for found in re.finditer(MOVED, text, re.M)]
        if text.endswith(AGAIN):
            return re.findall(OF_LEVEL, text, re.M)
        known = next(answer for asked, answer in QUESTIONS.items() if text.endswith(asked))
        os.write(keyboard, f"{known or person.answer(moves)}\n".encode())


# -- the page --------------------------------------------------------------------------------------

HEADERS = {"X-Evenmatch": "1", "Content-Type": "application/json"}


def by_page(person: Person, games: int, env: Mapping[str, str]) -> Iterator[str]:
    """Play on the page of `evenmatch web`, by the requests that its scripts make."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        host = "127.0.0.1:{1}".format(*free.getsockname())
    words = ["web", "--name", NAME, "--port", host.partition(":")[2], "--game", person.game.id]
    with running(words, env, subprocess.DEVNULL) as process:
        said_until(process, r"Open http.*\n")
        # if they are missing, the program has said so
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.client import connect

        body = {"game": person.game.id, "opponent": {"mine": True}, "side": "first"}
        row = _post(host, "/api/tables", body)["id"]
        ours = {"Origin": f"http://{host}"}
        for game in range(games):
            person.sit_down()
            path, said = f"/api/tables/{row}", None
            url = f"ws://{host}{path}/socket"
            while said is None:  # a lost connection comes back, as that of the page does
                with suppress(ConnectionClosed), connect(url, additional_headers=ours) as table:
                    said = _game_on_page(person, table)
            yield said
            if game + 1 < games:
                row = _post(host, f"{path}/rematch", {})["id"]


def _post(host: str, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    request = Request(f"http://{host}{path}", json.dumps(body).encode(), HEADERS)
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except HTTPError as error:
        raise StateError(f"the page refuses {path}: {error.read().decode()}") from None


def _game_on_page(person: Person, table: Any) -> str:
    """Play a game to its end; return what the page says of the level after it."""
    seen = -1
    while True:
        state = json.loads(table.recv(timeout=PATIENCE))
        if state["type"] == "refused":
            raise StateError(f"the page refuses a move: {state['error']}")
        if state["over"] and state["can"]["rematch"] and not state["judging"]:
            level = state["level"] and f"Your level: {state['level']['text']}."
            lines = state["over"]["story"], level or state["no_level_yet"]
            return "\n".join(filter(None, lines))
        settle = state["score"] and state["score"]["settle"]
        if state["seq"] > seen and (state["yours"] or settle):
            seen, request = state["seq"], {"do": "agree"}
            if not settle:
                move = person.answer([one["text"] for one in state["moves"]])
                request = {"do": move} if move in ("resign", PASS) else {"do": "move", "move": move}
            table.send(json.dumps(request | {"seq": seen}))


FRONT_ENDS: dict[str, FrontEnd] = {"terminal": by_terminal, "page": by_page}
