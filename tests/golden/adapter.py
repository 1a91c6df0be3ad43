"""What the golden files use of evenmatch, in one place.

Where the interface beneath changes, edit this file and neither the recordings nor what they record.
"""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

os.environ["EVENMATCH_PRECISION"] = "f32"


from evenmatch.games import GAMES
from evenmatch.games.line import GIVEN, Line
from evenmatch.opponents import PLAYERS, Engine, Mind, resolve
from evenmatch.opponents.engine import InGame, game_seed
from evenmatch.play.saved import Saved
from evenmatch.play.session import Session

RENAMED: dict[str, str] = {
    "told=": "conditioned=",
    "pikl:elo=800": "pikl:s=800",
    "pikl:elo=1500": "pikl:s=1500",
}
"""Texts within specs that are written otherwise by now, such as ``told=``: how they are written."""


def known(spec: str) -> bool:
    """Return whether the player of a spec is in the table; some come with the lab."""
    return spec.partition(":")[0] in PLAYERS


def legal(game: str, actions: list[int]) -> list[int]:
    """Return the legal actions after ``actions`` from the start; none if the game is over."""
    return _line(game, actions, 0).legal


class Opponent:
    """One opponent in one game, which moves at batch size 1 and remembers nobody."""

    def __init__(self, game: str, spec: str, given: list[int], side: int, seed: int):
        """Begin after the actions ``given``; ``side`` is 1 if the opponent moves first, else -1."""
        self._game, self._given = game, len(given)
        self._engine = Engine(GAMES[game])
        opponent = resolve(_current(spec), GAMES[game], own=True)
        tree = getattr(self._engine.player(opponent), "new_tree", lambda: None)()
        self._at = InGame(opponent, side, game_seed(seed), tree=tree)

    def choose(self, actions: list[int]) -> int:
        """Return its move after all ``actions`` of the game, those given included."""
        turn = self._at.turn(_line(self._game, actions, self._given))
        (found,) = self._engine.think([(self._at.opponent, turn)])
        self._at.take(turn, found)
        return found.action


class Played:
    """A game of a person against an opponent that remembers them from game to game."""

    def __init__(self, game: str, spec: str, side: int, seed: int, memory: Any = None):
        """Begin; ``side`` is 1 if the person moves first, ``memory`` of an earlier `finish`."""
        self._store = _Store(memory)
        self._session = Session(
            GAMES[game], _current(spec), side, seed, "Ada", store=self._store, plays_on=True
        )

    @property
    def actions(self) -> list[int]:
        """The actions so far."""
        return list(self._session.actions)

    @property
    def side(self) -> int:
        """The side to move, 1 or -1."""
        return self._session.line.side

    def move(self, action: int) -> None:
        """Play a move of the person."""
        self._session.move(action)

    def reply(self) -> int:
        """Let the opponent move; return its action."""
        return self._session.reply()

    def undo(self) -> None:
        """Take back the latest move of the person and what came after."""
        self._session.undo()

    def saved(self) -> str:
        """Return the game as JSON, for `resumed`."""
        return json.dumps([dataclasses.asdict(self._session.saved), self._store.memory])

    @classmethod
    def resumed(cls, text: str) -> Played:
        """Go on with a game that was saved."""
        fields, memory = json.loads(text)
        for name in ("actions", "marks", "clock"):
            fields[name] = tuple(fields[name])
        fields["hints"] = tuple(map(tuple, fields["hints"]))
        played = object.__new__(cls)
        played._store = _Store(memory)
        played._session = Session.resumed(Saved(**fields), played._store)
        return played

    def finish(self, result: float | None) -> Any:
        """End the game with a result for the opponent; return what it remembers, as JSON values."""
        session, memory = self._session, self._store.memory or {}
        mind = Mind(memory, session._at.mind.game)
        learned = session.engine.learn(session._resolved, mind, result)
        self._store.memory = json.loads(json.dumps(learned)) or None
        return self._store.memory


class _Store:
    """Keeps one memory; the opponent learns by a result that the recording names."""

    def __init__(self, memory: Any):
        self.memory = memory

    def recall(self, game_id, spec, person):
        return self.memory or {}

    def learn(self, game_id, spec, person, learned, forget=False):
        raise AssertionError("a game ends by a result that the recording names")

    def forget(self, game_id, spec, person):
        self.memory = None


def _current(spec: str) -> str:
    for old, new in RENAMED.items():
        spec = spec.replace(old, new)
    return spec


def _line(game: str, actions: list[int], given: int) -> Line:
    line = Line(GAMES[game])
    for ply, action in enumerate(actions):
        line.push(action, *((GIVEN,) if ply < given else ()))
    return line
