"""Who sits opposite a person: players of a session's own, or seats in a room that many share."""

from __future__ import annotations

from typing import Any, Protocol

from evenmatch.games.game import Game
from evenmatch.players import Networks, Player, make_player
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.seat import Seat


class Opponent(Protocol):
    """A player at a session's board, as `Seat` is."""

    player: Player  #: which knows the session's game by the number 0

    @property
    def expects(self) -> float | None:
        """What the player's latest search expects, 0 to 1; None if it does not search."""

    @property
    def played_at(self) -> float | None:
        """The Elo that the player has played at in its game; None if none is known."""

    @property
    def snapshots(self) -> list[tuple[int, dict[str, Any]]]:
        """The player's states by ply, as `Seat.snapshots`."""

    def begin(self, line: GameLine, side: int, seed: int) -> None:
        """Begin a game at the end of ``line``; ``side`` is 1 if the player moves first, else -1."""

    def choose(self, line: GameLine) -> int:
        """Return what the player does at the end of a line of its game."""

    def go_to(self, line: GameLine) -> None:
        """Take the player to where it was before a turn at the end of the line."""

    def resume(self, line: GameLine, snapshots: list[tuple[int, dict[str, Any]]]) -> None:
        """Go on with a game, after ``begin``, by what ``snapshots`` was."""

    def leave(self) -> None:
        """Leave the board; nothing more is asked of the player."""


class Opponents(Protocol):
    """Where a session gets opponents and networks from."""

    networks: Networks

    def sit(self, spec: str) -> Opponent:
        """Return the player of a spec. Raises SpecError or NetworkError as `make_player` does."""


class OwnOpponents:
    """Players that a session has for itself."""

    def __init__(self, game: Game):
        self._game, self.networks = game, Networks(game)

    def sit(self, spec: str) -> Opponent:
        """Return a new player."""
        return Seat(make_player(spec, self._game, 1, self.networks))
