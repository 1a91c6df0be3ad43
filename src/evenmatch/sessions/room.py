"""A room: the games of many people against players, whose moves are found together.

Seats are opened and closed while others play. Pending moves are found together on the room's own
thread, which alone asks networks for moves: up to ``MOST_TOGETHER`` of players that search alike,
beginning with the one that has waited longest. Nothing is dropped; who waits can be told how long.
Players that search alike share one forest, whatever their ratings are: a rating is part of each
tree's plan.

A front end opens a place for each game and asks ``place.move(line)``, which returns a future: GTP
waits for its ``result()``, a web page does so on a thread. What a place is asked for happens in the
order in which it was asked. A place's methods return at once. ``open`` waits for moves that are
being found, and may load a network, so an event loop calls it on a thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from evenmatch.errors import UsageError
from evenmatch.games.game import Game
from evenmatch.players import Networks, Player, SearchPlayer, make_player
from evenmatch.sessions.figures import Figures
from evenmatch.sessions.game_line import GameLine, turns_of
from evenmatch.sessions.seat import Seat, Snapshot

LOG = logging.getLogger(__name__)
MOST_TOGETHER = 64  #: moves found in one go; a network is hardly faster with more


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
    quick: bool = False  #: whether the work takes no search
    future: Future[Any] = field(default_factory=Future)
    since: float = field(default_factory=time.perf_counter)


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

        return self._do(work, quick=True)

    def sit_down(self, line: GameLine, side: int, seed: int) -> Future[None]:
        """Let a game begin at the end of a line, before any move is asked for."""
        line = line.first(line.ply)

        def work() -> None:
            self.seat.begin(line, side, seed)
            self.side, self.seed, self._begins = side, seed, False

        return self._do(work, quick=True)

    def go_to(self, line: GameLine) -> Future[None]:
        """Take the player to where it was before a turn at the end of a line."""
        line = line.first(line.ply)
        return self._do(lambda: self.seat.go_to(line))

    def resume(self, line: GameLine, snapshots: list[tuple[int, Snapshot]]) -> Future[None]:
        """Go on with a game in which the player has sat down, by what its snapshots were."""
        line = line.first(line.ply)
        return self._do(lambda: self.seat.resume(line, snapshots))

    def finish(self, result: float | None) -> Future[None]:
        """Tell the player the game's result for it, -1 to 1, or None if it was broken off."""
        return self._do(lambda: self.seat.player.finish(self.seat.number, result), quick=True)

    def remember(self) -> Future[dict[str, Any] | None]:
        """Ask what the player has learned of its opponent, to be kept; None if nothing."""
        return self._do(lambda: self.seat.player.remember(self.seat.number), quick=True)

    def recall(self, state: dict[str, Any]) -> Future[None]:
        """Let the player go on from what it had learned, before a game; StateError if it cannot."""
        return self._do(lambda: self.seat.player.recall(self.seat.number, state), quick=True)

    def close(self) -> None:
        """Leave the room; what is pending still happens, and frees the seat then."""
        self._room._leave(self)

    def _do(self, work: Callable[[], Any], quick: bool = False) -> Future[Any]:
        return self._room._ask(_Pending(self, work=work, quick=quick))


class Room:
    """Opens and closes seats in games of one kind; a context manager."""

    def __init__(self, game: Game, networks: Networks | None = None):
        self.game = game
        self.figures = Figures()
        self.networks = networks or Networks(game)
        self._hosts: dict[object, _Host] = {}
        self._pending: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._moves = 0  # how many are pending
        self._opening = threading.Lock()  # one player is made at a time
        self._lock = threading.Lock()  # of the players, held while moves are found
        self._counts = threading.Lock()  # of seats and pending moves, held for an instant
        self._entering = 0  # how many wait for the players, or have them, to open a seat
        self._answering = False  # whether those who come now wait for the next answers
        self._entrance = threading.Condition(self._counts)
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

    @property
    def waiting(self) -> int:
        """How many moves are asked for and not found yet."""
        return self._moves

    def wait(self) -> float:
        """Return in how many seconds a move that is asked for now may be expected: a rough guess.

        It takes all players for equally slow, and the first move is slower than those after it.
        """
        return (1 + self._moves) * self.figures.a_move

    def open(self, spec: str, side: int, seed: int) -> RoomSeat:
        """Return a seat of the player a spec names, which moves first if ``side`` is 1, else -1.

        Raises SpecError or NetworkError as `make_player` does, UsageError if the room is closed.
        """
        with self._opening:
            if not self._open:
                raise UsageError("this room is closed; open another")
            host = self._hosts.get(spec)  # of players that do not search
            player = make_player(spec, self.game, 1, self.networks) if host is None else None
        with self._between_moves():
            with self._counts:
                if player is not None:
                    host = self._host_of(spec, player)
                assert host is not None
                host.seats += 1
                self._hosts[host.key] = host  # its last seat may have left meanwhile
                number = host.player.open()
            if isinstance(player, SearchPlayer):
                assert isinstance(host.player, SearchPlayer)
                host.player.let_decide(number, player.make_controller)
        return RoomSeat(self, host, number, side, seed)

    @contextmanager
    def _between_moves(self) -> Iterator[None]:
        """Hold the players; who waits for that when a search ends goes before the next one.

        Who comes later goes after it, so that moves are found however many come.
        """
        with self._entrance:
            self._entrance.wait_for(lambda: not self._answering)
            self._entering += 1
        try:
            with self._lock:
                yield
        finally:
            with self._entrance:
                self._entering -= 1
                self._entrance.notify_all()

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
            self._moves += pending.work is None
            self._pending.put(pending)
        return pending.future

    def _leave(self, place: RoomSeat) -> None:
        with self._counts:
            was_open, place.open = place.open, False
            if was_open and not place.waiting:
                self._free(place)

    def _answered(self, one: _Pending) -> None:
        """Count a thing that is no longer pending; the last one of a closed seat frees it."""
        place = one.place
        with self._counts:
            place.waiting -= 1
            self._moves -= one.work is None
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
        """Answer what is pending until the room closes."""
        waiting: deque[_Pending] = deque()
        closing = False
        while waiting or not closing:
            closing |= self._take(waiting)
            with self._entrance:
                self._answering = True
                self._entrance.wait_for(lambda: not self._entering)
            with self._lock:
                with self._entrance:
                    self._answering = False
                    self._entrance.notify_all()
                self._answer(_next_of(waiting))
            found, self._found = self._found, []
            for tell in found:
                tell()

    def _take(self, waiting: deque[_Pending]) -> bool:
        """Put what is in the queue behind what waits already; tell whether the room closes.

        It stays until there is something to do.
        """
        closing = False
        while True:
            try:
                more = self._pending.get(block=not (waiting or closing))
            except queue.Empty:
                return closing
            if more is None:
                closing = True
            else:
                waiting.append(more)

    def _answer(self, batch: list[_Pending]) -> None:
        """Answer what is still wanted of a batch: quick work of any host, or what one is asked.

        The thread outlives errors.
        """
        wanted = [one for one in batch if one.future.set_running_or_notify_cancel()]
        answered: dict[int, _Pending] = {}
        try:
            self._find(wanted, answered)
        except Exception as error:
            for one in wanted:
                if id(one) not in answered:
                    self._fail(one, error, answered)
        for one in batch:
            self._answered(one)

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
        began = time.perf_counter()
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
        seconds, waited = time.perf_counter() - began, sum(began - one.since for one in ready)
        self.figures.count(len(ready), seconds, waited)
        told = {"game": self.game.id, "batch": len(ready), "seconds": round(seconds, 4)}
        LOG.info("search", extra=told)
        for at, (one, action) in enumerate(zip(ready, actions, strict=True)):
            try:
                one.place.seat.end_turn(at)
            except Exception as error:  # of this game alone
                self._fail(one, error, answered)
            else:
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


def _next_of(waiting: deque[_Pending]) -> list[_Pending]:
    """Take what is to be answered next: what takes no search, or moves of one host.

    What a place is asked for stays in its order.
    """
    batch = [one for one in waiting if one.quick and one.place.waiting == 1]
    if waiting and not batch:
        host = waiting[0].place._host
        batch = [one for one in waiting if one.place._host is host][:MOST_TOGETHER]
    taken = set(map(id, batch))
    left = [one for one in waiting if id(one) not in taken]
    waiting.clear()
    waiting.extend(left)
    return batch
