"""A room: the games of many people against players, whose moves are found together.

Seats are opened and closed while others play. All moves that are pending are found in one go on the
room's own thread, the only one that asks networks. Players that search alike share one forest,
whatever their ratings are: a rating is part of each tree's plan.

A front end opens a place for each game, and awaits ``place.move(line)``: GTP calls ``result()``, a
web page wraps the future for its event loop. ``move`` and ``close`` return at once. ``open`` waits
for moves that are being found, so an event loop calls it on a thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import groupby

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.players import Networks, Player, SearchPlayer, make_player
from evenmatch.sessions.game_line import GameLine, turns_of
from evenmatch.sessions.seat import Seat


@dataclass
class _Host:
    """A player whose games are the room's seats."""

    player: Player
    calls: int = 0  #: times that the player was asked, for any number of games at once


@dataclass
class _Pending:
    """A move that somebody waits for."""

    place: RoomSeat
    line: GameLine
    future: Future[int] = field(default_factory=Future)


class RoomSeat:
    """Somebody's opponent in the room."""

    def __init__(self, room: Room, host: _Host, number: int, side: int, seed: int):
        self._room, self._host = room, host
        self.seat = Seat(host.player, number)
        self.side = side  #: the player's: 1 moves first, -1 second
        self.seed = seed
        self.open = True
        self.waiting = 0  #: moves that are pending

    def move(self, line: GameLine) -> Future[int]:
        """Ask for the player's action at the end of a line; the future holds it or an error.

        The line may go on meanwhile. A line that is no continuation of the game so far begins
        another game. A future that is cancelled before its move is looked for gets none.
        UsageError if the seat or the room is closed.
        """
        return self._room._ask(self, line)

    def close(self) -> None:
        """Leave the room; moves that are pending are still found, and free the seat then."""
        self._room._leave(self)


class Room:
    """Opens and closes seats in games of one kind; a context manager."""

    def __init__(self, game: Game, networks: Networks | None = None):
        self.game = game
        self._networks = networks or Networks(game)
        self._hosts: dict[object, _Host] = {}
        self._pending: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._lock = threading.Lock()  # of the players, held while moves are found
        self._counts = threading.Lock()  # of free numbers and pending moves, held for an instant
        self._open = True
        self._thread = threading.Thread(target=self._work, name="evenmatch-room", daemon=True)
        self._thread.start()

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Find what is pending, then end the thread."""
        with self._counts:
            self._open = False
            self._pending.put(None)
        self._thread.join()

    def open(self, spec: str, side: int, seed: int) -> RoomSeat:
        """Return a seat of the player a spec names, which moves first if ``side`` is 1, else -1.

        Raises SpecError or NetworkError as `make_player` does.
        """
        player = make_player(spec, self.game, 1, self._networks)
        searches = isinstance(player, SearchPlayer)
        key: object = player.forest_key if isinstance(player, SearchPlayer) else spec
        with self._lock:
            host = self._hosts.get(key)
            if host is None:
                host = self._hosts[key] = _Host(player)
            with self._counts:
                number = host.player.open()
            if searches and isinstance(host.player, SearchPlayer):
                assert isinstance(player, SearchPlayer)
                host.player.let_decide(number, player.make_controller)
            return RoomSeat(self, host, number, side, seed)

    @property
    def calls(self) -> int:
        """How often players were asked, each time for any number of games."""
        return sum(host.calls for host in self._hosts.values())

    def _ask(self, place: RoomSeat, line: GameLine) -> Future[int]:
        pending = _Pending(place, line.first(line.ply))
        with self._counts:
            if not place.open:
                raise UsageError("this seat is closed; open another")
            if not self._open:
                raise UsageError("this room is closed; open another")
            place.waiting += 1
            self._pending.put(pending)
        return pending.future

    def _leave(self, place: RoomSeat) -> None:
        with self._counts:
            if place.open and not place.waiting:
                place.seat.player.close(place.seat.number)
            place.open = False

    def _answered(self, place: RoomSeat) -> None:
        """Count a move that is no longer pending; the last one of a closed seat frees it."""
        with self._counts:
            place.waiting -= 1
            if not place.open and not place.waiting:
                place.seat.player.close(place.seat.number)

    # -- the thread --------------------------------------------------------------------------

    def _work(self) -> None:
        """Find pending moves, all that there are at once, until the room closes."""
        while (first := self._pending.get()) is not None:
            batch, closing = [first], False
            for more in self._waiting():
                closing |= more is None
                if more is not None:
                    batch.append(more)
            with self._lock:
                batch.sort(key=lambda one: id(one.place._host))
                for _, some in groupby(batch, key=lambda one: id(one.place._host)):
                    self._answer(list(some))
            if closing:
                return

    def _waiting(self) -> Iterator[_Pending | None]:
        """Yield what is in the queue by now."""
        while True:
            try:
                yield self._pending.get_nowait()
            except queue.Empty:
                return

    def _answer(self, batch: list[_Pending]) -> None:
        """Find the moves of one host's games that are still wanted; the thread outlives errors."""
        wanted = [one for one in batch if one.future.set_running_or_notify_cancel()]
        try:
            self._find(wanted)
        except Exception as error:
            for one in wanted:
                if not one.future.done():
                    one.future.set_exception(error)
        for one in batch:
            self._answered(one.place)

    def _find(self, batch: list[_Pending]) -> None:
        """Find the moves of one host's games; where one fails, each is asked for alone."""
        ready: list[_Pending] = []
        again: list[_Pending] = []  # of seats that are asked twice at once
        for one in batch:
            twice = any(one.place is other.place for other in ready)
            if twice:
                again.append(one)
            elif self._is_ready(one):
                ready.append(one)
        if ready:
            self._find_together(ready)
        if again:
            self._find(again)

    def _find_together(self, ready: list[_Pending]) -> None:
        """Find one move of each of several games of a host, in one call."""
        host = ready[0].place._host
        host.calls += 1
        try:
            lines = {one.place.seat.number: one.line for one in ready}
            actions = host.player.choose(turns_of(lines))
        except Exception as error:
            if len(ready) == 1:
                ready[0].future.set_exception(error)
                return
            for one in ready:
                if self._is_ready(one):
                    self._find_together([one])
            return
        for one, action in zip(ready, actions, strict=True):
            one.place.seat.end_turn()
            one.future.set_result(int(action))

    def _is_ready(self, one: _Pending) -> bool:
        """Take a seat to the line that it is asked about; tell whether that went well."""
        place = one.place
        try:
            if not one.line.legal:
                raise UsageError("the game is over; begin another")
            if not place.seat.is_in(one.line, place.side):
                place.seat.begin(one.line, place.side, place.seed)
            place.seat.begin_turn(one.line)
        except Exception as error:
            one.future.set_exception(error)
            return False
        return True
