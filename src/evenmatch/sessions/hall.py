"""A hall: a room for each game, opened when somebody first plays it.

A session gets its opponent here like one of its own; what it asks is found together with what
others ask. Each call waits for its answer, so sessions in a hall are driven by threads.
"""

from __future__ import annotations

import threading
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.players import Networks, Player
from evenmatch.sessions.game_line import GameLine
from evenmatch.sessions.room import Room, RoomSeat
from evenmatch.sessions.seat import Snapshot


class Hall:
    """Rooms by game; a context manager that closes them."""

    def __init__(self) -> None:
        self.rooms: dict[str, Room] = {}
        self._opening = threading.Lock()
        self._closed = False

    def __enter__(self) -> Hall:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Answer what is pending, then close all rooms."""
        with self._opening:
            self._closed = True
        for room in self.rooms.values():
            room.close()

    def opponents(self, game_id: str) -> HallOpponents:
        """Return who plays a game here. UsageError if there is no such game, or it is closed."""
        with self._opening:
            if self._closed:
                raise UsageError("this hall is closed; open another")
            if game_id not in self.rooms:
                self.rooms[game_id] = Room(get_game(game_id))
            return HallOpponents(self.rooms[game_id])


class HallOpponents:
    """The `Opponents` of a session in a room."""

    def __init__(self, room: Room):
        self._room = room
        self.networks: Networks = room.networks  #: that all in the room share

    def wait(self) -> float:
        """Return in how many seconds a move that is asked for now may be expected."""
        return self._room.wait()

    def sit(self, spec: str) -> HallOpponent:
        """Return the player of a spec at a new seat of the room."""
        return HallOpponent(self._room.open(spec, 1, 0))


class HallOpponent:
    """The `Opponent` of a session: a seat in a room."""

    def __init__(self, place: RoomSeat):
        self._place = place
        self.player: Player = _SeatedPlayer(place)

    @property
    def expects(self) -> float | None:
        """What the player's latest search expects, 0 to 1; None if it does not search."""
        return self._place.seat.expects

    @property
    def played_at(self) -> float | None:
        """The Elo that the player has played at in its game; None if none is known."""
        return self._place.seat.played_at

    @property
    def snapshots(self) -> list[tuple[int, Snapshot]]:
        """The player's states by ply."""
        return self._place.seat.snapshots

    def begin(self, line: GameLine, side: int, seed: int) -> None:
        """Begin a game at the end of ``line``; ``side`` is 1 if the player moves first, else -1."""
        self._place.sit_down(line, side, seed).result()

    def choose(self, line: GameLine) -> int:
        """Return what the player does at the end of a line of its game, once it is its turn."""
        return self._place.move(line).result()

    def go_to(self, line: GameLine) -> None:
        """Take the player to where it was before a turn at the end of the line."""
        self._place.go_to(line).result()

    def resume(self, line: GameLine, snapshots: list[tuple[int, Snapshot]]) -> None:
        """Go on with a game, after ``begin``, by what ``snapshots`` was."""
        self._place.resume(line, snapshots).result()

    def leave(self) -> None:
        """Leave the room."""
        self._place.close()


class _SeatedPlayer(Player):
    """One game of a room's player, by the number 0, as a store knows players.

    What a player knows of one game's opponent is the game's alone, so nothing here waits for the
    room's searches.
    """

    def __init__(self, place: RoomSeat):
        self._place, self._number = place, place.seat.number

    @property
    def _player(self) -> Player:
        """The room's player; UsageError where the number may be somebody else's, or is at work."""
        if not self._place.open or self._place.waiting:
            raise UsageError("this seat is closed, or its move is being found")
        return self._place.seat.player

    def choose(self, turns):
        """Nobody asks it: moves are the room's to find."""
        raise NotImplementedError("the room finds the moves")

    snapshot = restore = begin = reseed = choose  # type: ignore[assignment]

    def finish(self, game: int, result: float | None) -> None:
        """Hear the result."""
        self._player.finish(self._number, result)

    def remember(self, game: int) -> dict[str, Any] | None:
        """Return what was learned of the opponent."""
        return self._player.remember(self._number)

    def recall(self, game: int, state: dict[str, Any]) -> None:
        """Go on from what was learned."""
        self._player.recall(self._number, state)

    def forget(self, game: int) -> None:
        """Drop what was learned."""
        self._player.forget(self._number)

    def rebase(self, game: int, state: dict[str, Any] | None) -> None:
        """Go on as if the game had begun from ``state``."""
        self._player.rebase(self._number, state)
