"""The engine: one call decides the turns of any opponents in any games.

An ``Opponent`` is a value: a method with the values of its keys. What it knows travels with the
``Turn`` as a ``Mind``. So the engine keeps nothing of a game, and games come and go in any order.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evenmatch.errors import EvenmatchError, printable
from evenmatch.games.game import Game
from evenmatch.opponents.controller import Mind, State
from evenmatch.opponents.dials import Curve, curve_of
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.player import Decision, Player, Turn
from evenmatch.opponents.search_player import Forest, SearchPlayer, SearchTree
from evenmatch.opponents.table import PLAYERS, parse_spec

MOST_PLAYERS = 256  #: that an engine keeps; the one made first goes


@dataclass(frozen=True)
class Opponent:
    """A resolved spec: its method, the values of all keys, and the calibration it is read by.

    Equal opponents play alike, on any machine that has their network.
    """

    game: str  #: id
    spec: str  #: as it was written
    method: str  #: a name of the table of players
    values: tuple[tuple[str, Any], ...]  #: by key, of all that the method has
    curve: Curve | None = None  #: the calibration that its rating is read by

    @property
    def numbers(self) -> dict[str, Any]:
        """The values by key."""
        return dict(self.values)


def resolve(spec: str, game: Game, /, *, own: bool = False, **others: Any) -> Opponent:
    """Return the opponent that a spec names on a game.

    ``own``: calibrations that were measured on this machine count; otherwise only those that
    ship. ``others`` are values of keys that the spec does not give. SpecError for an unknown name,
    key or value; StateError for a damaged calibration.
    """
    method, values = parse_spec(spec)
    curve, named = None, PLAYERS[method].calibrated_as
    player = "" if named is None else named(game.id, others | values)
    if player:
        curve = curve_of(game.id, player, asked=bool(values.get("calibrated")), own=own)
    return resolved(spec, game, curve, **others)


def resolved(spec: str, game: Game, curve: Curve | None, /, **others: Any) -> Opponent:
    """Return the opponent of a spec by a calibration; see `resolve`."""
    method, values = parse_spec(spec)
    given = others | values
    keys = PLAYERS[method].keys
    filled = {key: given.get(key, entry.default_for(game)) for key, entry in keys.items()}
    frozen = tuple(
        (key, tuple(value.items()) if isinstance(value, dict) else value)
        for key, value in filled.items()
    )
    return Opponent(game.id, spec, method, frozen, curve)


def make_player(opponent: Opponent, game: Game, networks: Networks | None = None) -> Player:
    """Return what decides an opponent's turns.

    Players that are given the same ``networks`` share what these judge. Raises SpecError or
    UsageError for a bad value, NetworkError for a bad network file.
    """
    kind, numbers = PLAYERS[opponent.method], opponent.numbers
    if kind.calibrated_as is not None:
        numbers["curve"] = opponent.curve
    try:
        return kind.build(game, networks or Networks(game), **numbers)
    except EvenmatchError as error:
        raise type(error)(printable(f"{opponent.spec}: {error}")) from error


class Engine:
    """Decides turns of one game; players, networks and forests are made once."""

    def __init__(self, game: Game, networks: Networks | None = None):
        self.game = game
        self.networks = networks or Networks(game)
        self._players: dict[Opponent, Player] = {}
        self._forests: dict[tuple, Forest] = {}
        self._making = threading.Lock()  # of players, which any thread may ask for

    def player(self, opponent: Opponent) -> Player:
        """Return what decides an opponent's turns. Raises as `make_player` does."""
        player = self._players.get(opponent)
        if player is None:
            with self._making:
                player = self._players.get(opponent)
                if player is None:
                    player = make_player(opponent, self.game, self.networks)
                    self._players[opponent] = player
                    if len(self._players) > MOST_PLAYERS:
                        del self._players[next(iter(self._players))]
        return player

    def think(
        self,
        turns: Sequence[tuple[Opponent, Turn]],
        *,
        seconds: float | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> list[Decision]:
        """Return a decision for each turn of an opponent.

        Searches end after ``seconds``, or when ``stopped()``, if either is given. Turns of players
        that search alike are searched together, whatever their ratings are: a rating is part of
        each tree's plan.
        """
        groups: dict[object, list[int]] = defaultdict(list)
        players = [self.player(opponent) for opponent, _ in turns]
        for at, ((opponent, turn), player) in enumerate(zip(turns, players, strict=True)):
            if turn.tree is not None:
                groups[id(turn.tree)].append(at)
            else:
                groups[player.alike if isinstance(player, SearchPlayer) else opponent].append(at)
        found: dict[int, Decision] = {}
        for key, some in groups.items():
            together = [(players[at], turns[at][1]) for at in some]
            limits = {"seconds": seconds, "stopped": stopped}
            found |= zip(some, self._decide(key, together, limits), strict=True)
        return [found[at] for at in range(len(turns))]

    def _decide(
        self, key: Any, turns: list[tuple[Player, Turn]], limits: dict[str, Any]
    ) -> list[Decision]:
        player, turn = turns[0]
        if isinstance(turn.tree, SearchTree):
            return [turn.tree.decide(turn, **limits)]
        if isinstance(player, SearchPlayer):
            forest = self._forests.get(key) or self._forests.setdefault(key, Forest(player))
            pairs = [(one.controller, turn) for one, turn in turns if isinstance(one, SearchPlayer)]
            return forest.decide(pairs, **limits)
        return player.decide([turn for _, turn in turns])

    def learn(self, opponent: Opponent, mind: Mind, result: float | None) -> State:
        """Return what an opponent remembers after a game; see `Controller.learn`."""
        return self.player(opponent).learn(mind, result)
