"""A room: the games of many people against players, whose moves are found together.

Seats are opened and closed while others play. All moves that are pending are found in one go on the
room's own thread, the only one that asks networks. Players that search alike share one forest,
whatever their ratings are: a rating is part of each tree's plan.
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

GROWTH = 2  #: how many times as many games a player has room for when it needs more


@dataclass
class _Host:
    """A player and the numbers of its games that are free."""

    player: Player
    free: list[int]
    calls: int = 0  #: times that the player was asked, for any number of games at once

    def take(self) -> int:
        if not self.free:
            games = self.player.games
            self.player.resize(GROWTH * games)
            self.free = list(range(GROWTH * games - 1, games - 1, -1))
        return self.free.pop()


@dataclass
class _Pending:
    """A move that somebody waits for."""

    place: Place
    line: GameLine
    future: Future[int] = field(default_factory=Future)


class Place:
    """Somebody's opponent in the room."""

    def __init__(self, room: Room, host: _Host, number: int, side: int, seed: int):
        self._room, self._host = room, host
        self.seat = Seat(host.player, number)
        self.side = side  #: the player's: 1 moves first, -1 second
        self.seed = seed
        self.open = True

    def move(self, line: GameLine) -> Future[int]:
        """Ask for the player's action at the end of a line; the future holds it or an error.

        A line that is no continuation of the game so far begins another game.
        """
        if not self.open:
            raise UsageError("this seat is closed; open another")
        return self._room._ask(self, line)

    def close(self) -> None:
        """Leave the room; moves that are pending are still found."""
        if self.open:
            self.open = False
            self._room._leave(self)


class Room:
    """Opens and closes seats in games of one kind; a context manager."""

    def __init__(self, game: Game, networks: Networks | None = None):
        self.game = game
        self._networks = networks or Networks(game)
        self._hosts: dict[object, _Host] = {}
        self._pending: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._lock = threading.Lock()  # of hosts and seats
        self._thread = threading.Thread(target=self._work, name="evenmatch-room", daemon=True)
        self._thread.start()

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Find what is pending, then end the thread."""
        self._pending.put(None)
        self._thread.join()

    def open(self, spec: str, side: int, seed: int) -> Place:
        """Return a seat of the player a spec names, which moves first if ``side`` is 1, else -1.

        Raises SpecError or NetworkError as `make_player` does.
        """
        player = make_player(spec, self.game, 1, self._networks)
        searches = isinstance(player, SearchPlayer)
        key: object = player.forest_key if isinstance(player, SearchPlayer) else spec
        with self._lock:
            host = self._hosts.get(key)
            if host is None:
                host = self._hosts[key] = _Host(player, [0])
            number = host.take()
            if searches and isinstance(host.player, SearchPlayer):
                assert isinstance(player, SearchPlayer)
                host.player.let_decide(number, player.make_controller)
            return Place(self, host, number, side, seed)

    @property
    def calls(self) -> int:
        """How often players were asked, each time for any number of games."""
        return sum(host.calls for host in self._hosts.values())

    def _ask(self, place: Place, line: GameLine) -> Future[int]:
        pending = _Pending(place, line)
        self._pending.put(pending)
        return pending.future

    def _leave(self, place: Place) -> None:
        with self._lock:
            place.seat.player.forget(place.seat.number)
            place._host.free.append(place.seat.number)

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
                    self._find(list(some))
            if closing:
                return

    def _waiting(self) -> Iterator[_Pending | None]:
        """Yield what is in the queue by now."""
        while True:
            try:
                yield self._pending.get_nowait()
            except queue.Empty:
                return

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
                one.place.seat.take_back_turn(one.line)
                self._find_together([one])
            return
        for one, action in zip(ready, actions, strict=True):
            one.place.seat.note_turn()
            one.future.set_result(int(action))

    def _is_ready(self, one: _Pending) -> bool:
        """Take a seat to the line that it is asked about; tell whether that went well."""
        place = one.place
        try:
            if not one.line.legal:
                raise UsageError("the game is over; begin another")
            if not place.seat.is_in(one.line, place.side):
                place.seat.begin(one.line, place.side, place.seed)
            place.seat.go_to(one.line)
        except Exception as error:
            one.future.set_exception(error)
            return False
        return True
