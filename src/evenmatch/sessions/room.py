"""A room: the games of many people against players, whose moves are found together.

Seats are opened and closed while others play. All moves that are pending are found in one go on the
room's own thread, which alone asks networks for moves. Players that search alike share one forest,
whatever their ratings are: a rating is part of each tree's plan.

A front end opens a place for each game, and awaits ``place.move(line)``: GTP calls ``result()``, a
web page wraps the future for its event loop. What a place is asked for happens in the order in
which it was asked. All but ``open`` return at once. ``open`` waits for moves that are being found,
and may load a network, so an event loop calls it on a thread.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.players import Networks, Player, SearchPlayer, make_player
from evenmatch.sessions.game_line import GameLine, turns_of
from evenmatch.sessions.seat import Seat


@dataclass
class _Host:
    """A player whose games are the room's seats."""

    player: Player
    key: object
    seats: int = 0  #: open ones, and closed ones that wait for a move


@dataclass
class _Pending:
    """What somebody waits for: the move at the end of a line, or what ``work`` returns."""

    place: RoomSeat
    line: GameLine | None = None
    work: Callable[[], Any] | None = None
    future: Future[Any] = field(default_factory=Future)


class RoomSeat:
    """Somebody's opponent in the room."""

    def __init__(self, room: Room, host: _Host, number: int, side: int, seed: int):
        self._room, self._host = room, host
        self.seat = Seat(host.player, number)
        self.side = side  #: the player's: 1 moves first, -1 second
        self.seed = seed
        self.open = True
        self.waiting = 0  #: things that are pending
        self._begins = True  # with its next move the player's game begins

    def move(self, line: GameLine) -> Future[int]:
        """Ask for the player's action at the end of a line; the future holds it or an error.

        The line may go on meanwhile. A line that leaves the game so far takes moves back; another
        game begins by ``begin``. A future that is cancelled before its move is looked for gets
        none. UsageError if the seat or the room is closed.
        """
        return self._room._ask(_Pending(self, line=line.first(line.ply)))

    def begin(self, side: int, seed: int) -> Future[None]:
        """Let the next move be the first of another game against the same opponent."""

        def work() -> None:
            self.side, self.seed, self._begins = side, seed, True

        return self._do(work)

    def finish(self, result: float | None) -> Future[None]:
        """Tell the player the game's result for it, -1 to 1, or None if it was broken off."""
        return self._do(lambda: self.seat.player.finish(self.seat.number, result))

    def remember(self) -> Future[dict[str, Any] | None]:
        """Ask what the player has learned of its opponent, to be kept; None if nothing."""
        return self._do(lambda: self.seat.player.remember(self.seat.number))

    def recall(self, state: dict[str, Any]) -> Future[None]:
        """Let the player go on from what it had learned, before a game; StateError if it cannot."""
        return self._do(lambda: self.seat.player.recall(self.seat.number, state))

    def close(self) -> None:
        """Leave the room; what is pending still happens, and frees the seat then."""
        self._room._leave(self)

    def _do(self, work: Callable[[], Any]) -> Future[Any]:
        return self._room._ask(_Pending(self, work=work))


class Room:
    """Opens and closes seats in games of one kind; a context manager."""

    def __init__(self, game: Game, networks: Networks | None = None):
        self.game = game
        self.calls = 0  #: how often players were asked, each time for any number of games
        self._networks = networks or Networks(game)
        self._hosts: dict[object, _Host] = {}
        self._pending: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._opening = threading.Lock()  # one seat is opened at a time
        self._lock = threading.Lock()  # of the players, held while moves are found
        self._counts = threading.Lock()  # of seats and pending moves, held for an instant
        self._open = True
        self._found: list[Callable[[], None]] = []  # futures to set, when no lock is held
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
        if threading.current_thread() is not self._thread:  # a future's callback may close
            self._thread.join()

    def open(self, spec: str, side: int, seed: int) -> RoomSeat:
        """Return a seat of the player a spec names, which moves first if ``side`` is 1, else -1.

        Raises SpecError or NetworkError as `make_player` does, UsageError if the room is closed.
        """
        with self._opening:
            if not self._open:
                raise UsageError("this room is closed; open another")
            host = self._hosts.get(spec)  # of players that do not search
            player = make_player(spec, self.game, 1, self._networks) if host is None else None
            with self._lock, self._counts:
                if player is not None:
                    host = self._host_of(spec, player)
                assert host is not None
                host.seats += 1
                self._hosts[host.key] = host  # its last seat may have left meanwhile
                number = host.player.open()
            if isinstance(player, SearchPlayer):
                assert isinstance(host.player, SearchPlayer)
                with self._lock:
                    host.player.let_decide(number, player.make_controller)
            return RoomSeat(self, host, number, side, seed)

    def _host_of(self, spec: str, player: Player) -> _Host:
        """Return who hosts the games of a new player: one that searches alike, or itself."""
        key = player.forest_key if isinstance(player, SearchPlayer) else spec
        return self._hosts.get(key) or _Host(player, key)

    def _ask(self, pending: _Pending) -> Future[Any]:
        with self._counts:
            if not pending.place.open:
                raise UsageError("this seat is closed; open another")
            if not self._open:
                raise UsageError("this room is closed; open another")
            pending.place.waiting += 1
            self._pending.put(pending)
        return pending.future

    def _leave(self, place: RoomSeat) -> None:
        with self._counts:
            was_open, place.open = place.open, False
            if was_open and not place.waiting:
                self._free(place)

    def _answered(self, place: RoomSeat) -> None:
        """Count a thing that is no longer pending; the last one of a closed seat frees it."""
        with self._counts:
            place.waiting -= 1
            if not place.open and not place.waiting:
                self._free(place)

    def _free(self, place: RoomSeat) -> None:
        """Let others have a seat's number; a player leaves with its last seat."""
        host = place._host
        host.player.close(place.seat.number)
        host.seats -= 1
        if not host.seats and self._hosts.get(host.key) is host:
            del self._hosts[host.key]

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
            found, self._found = self._found, []
            for tell in found:
                tell()
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
        answered: dict[int, _Pending] = {}
        try:
            self._find(wanted, answered)
        except Exception as error:
            for one in wanted:
                if id(one) not in answered:
                    self._fail(one, error, answered)
        for one in batch:
            self._answered(one.place)

    def _give(self, one: _Pending, result: Any, answered: dict[int, _Pending]) -> None:
        answered[id(one)] = one
        self._found.append(lambda: one.future.set_result(result))

    def _fail(self, one: _Pending, error: Exception, answered: dict[int, _Pending]) -> None:
        answered[id(one)] = one
        self._found.append(lambda: one.future.set_exception(error))

    def _find(self, batch: list[_Pending], answered: dict[int, _Pending]) -> None:
        """Answer what one host's seats were asked; where one fails, each is asked for alone."""
        ready: list[_Pending] = []
        again: list[_Pending] = []  # of seats that are asked twice at once, in their order
        for one in batch:
            if any(one.place is other.place for other in (*ready, *again)):
                again.append(one)
            elif one.work is not None:
                self._carry_out(one, answered)
            elif self._is_ready(one, answered):
                ready.append(one)
        if ready:
            self._find_together(ready, answered)
        if again:
            self._find(again, answered)

    def _carry_out(self, one: _Pending, answered: dict[int, _Pending]) -> None:
        assert one.work is not None
        try:
            self._give(one, one.work(), answered)
        except Exception as error:
            self._fail(one, error, answered)

    def _find_together(self, ready: list[_Pending], answered: dict[int, _Pending]) -> None:
        """Find one move of each of several games of a host, in one call."""
        host = ready[0].place._host
        self.calls += 1
        try:
            lines = {one.place.seat.number: one.line for one in ready if one.line is not None}
            actions = host.player.choose(turns_of(lines))
        except Exception as error:
            if len(ready) == 1:
                self._fail(ready[0], error, answered)
                return
            for one in ready:
                if self._is_ready(one, answered):
                    self._find_together([one], answered)
            return
        for one, action in zip(ready, actions, strict=True):
            one.place.seat.end_turn()
            self._give(one, int(action), answered)

    def _is_ready(self, one: _Pending, answered: dict[int, _Pending]) -> bool:
        """Take a seat to the line that it is asked about; tell whether that went well."""
        place, line = one.place, one.line
        assert line is not None
        try:
            if not line.legal:
                raise UsageError("the game is over; begin another")
            if place._begins or not place.seat.is_in(line, place.side):
                place.seat.begin(line, place.side, place.seed)
                place._begins = False
            place.seat.begin_turn(line)
        except Exception as error:
            self._fail(one, error, answered)
            return False
        return True
