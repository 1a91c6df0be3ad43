"""The engine: one call decides the turns of any opponents in any games.

An ``Opponent`` is a value: a method with the values of its keys. What it knows travels with the
``Turn`` as a ``Mind``. So the engine keeps nothing of a game, and games come and go in any order.
``InGame`` keeps the minds of one opponent in one game, by ply, so that moves can be taken back.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenmatch.errors import EvenmatchError, StateError, printable
from evenmatch.games.game import Game
from evenmatch.games.line import Line
from evenmatch.opponents.controller import Mind, State
from evenmatch.opponents.dials import Curve, curve_of
from evenmatch.opponents.networks import Networks
from evenmatch.opponents.player import Decision, Player, Turn
from evenmatch.opponents.search_player import Forest, SearchPlayer, SearchTree
from evenmatch.opponents.table import PLAYERS, parse_spec
from evenmatch.search.forest import seeds_from

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
        curve = curve_of(game.id, player, own=own)
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


def game_seed(seed: int) -> int:
    """Return the seed of an opponent's turns in the game of a seed that a person may choose."""
    return int(seeds_from(seed, 1)[0])


@dataclass
class InGame:
    """An opponent in one game: the state within the game after each of its turns.

    A line that leaves the game so far takes moves back, and what the opponent knew since.
    """

    opponent: Opponent
    side: int  #: the opponent's: 1 moves first, -1 second
    seed: int  #: as of `game_seed`; it may be changed between turns
    memory: State = field(default_factory=dict)  #: from earlier games against the same person
    tree: SearchTree | None = None
    states: dict[int, State] = field(default_factory=dict)
    """By ply, `Mind.game` after the turn there."""
    line: Line | None = None  #: of the latest turn

    @property
    def mind(self) -> Mind:
        """What the opponent knows now."""
        latest = max(self.states, default=None)
        return Mind(self.memory, {} if latest is None else self.states[latest])

    def turn(self, line: Line) -> Turn:
        """Return the turn at the end of a line of the game, where a move is due."""
        self.go_to(line)
        assert self.line is not None
        return Turn(self.line, self.side, self.seed, self.mind, self.tree)

    def take(self, turn: Turn, decision: Decision) -> None:
        """Keep what the opponent knows after a decision."""
        self.states[turn.line.ply] = decision.mind.game

    def go_to(self, line: Line) -> None:
        """Take back the turns at a line's end and later, and those of another line."""
        kept = 0 if self.line is None else line.common(self.line.actions)
        self.states = {
            ply: state for ply, state in self.states.items() if ply < line.ply and ply <= kept
        }
        self.line = line.first(line.ply)

    def is_in(self, line: Line, side: int) -> bool:
        """Return whether a line continues, or goes back in, the game that the opponent is in.

        A line with none of the game's moves is another game. One that begins as the game did is
        taken to be the same.
        """
        if self.line is None or side != self.side or (self.line.states[0] != line.states[0]).any():
            return False
        return not self.line.ply or not line.ply or line.actions[0] == self.line.actions[0]


def states_from_json(state: object) -> dict[int, State]:
    """Return `InGame.states` as JSON keeps them, with plies as text. StateError if damaged."""
    if not isinstance(state, dict) or not all(
        str(ply).isdecimal() and isinstance(value, dict) for ply, value in state.items()
    ):
        raise StateError("the saved state of the opponent is damaged; start without it")
    return {int(ply): value for ply, value in state.items()}
