"""A batcher: turns of many games decided together.

A page serves many people at once, and a network is much faster with many positions. So each game
submits its turn and awaits the decision; one thread takes what has gathered, up to
``MOST_TOGETHER`` turns, and has the engine decide them in one call, in the order of submission.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.opponents.engine import Engine, Opponent
from evenmatch.opponents.player import Decision, Turn

LOG = logging.getLogger(__name__)
MOST_TOGETHER = 64  #: turns decided in one call; a network is hardly faster with more
LATEST = 0.2  #: the weight of the latest call in the mean time of a move


@dataclass
class BatchStats:
    """What a batcher has done so far."""

    calls: int = 0  #: of the engine, each for any number of turns
    moves: int = 0  #: that were found
    seconds: float = 0.0  #: that they took
    per_move: float = 0.0  #: mean seconds per move, of the latest calls
    waited: float = 0.0  #: seconds that turns waited before their call, in all
    together: Counter[int] = field(default_factory=Counter)  #: calls, by how many moves they found

    def count(self, moves: int, seconds: float, waited: float) -> None:
        """Count a call that found some moves, which had waited so many seconds in all."""
        self.per_move += (seconds / moves - self.per_move) * (LATEST if self.calls else 1)
        self.calls += 1
        self.moves += moves
        self.seconds += seconds
        self.waited += waited
        self.together[moves] += 1


@dataclass
class _Pending:
    """A turn that is submitted and not decided."""

    opponent: Opponent
    turn: Turn
    future: Future[Decision] = field(default_factory=Future)
    since: float = field(default_factory=time.perf_counter)


class Batcher:
    """Decides the turns of one game, submitted by any thread; a context manager."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.stats = BatchStats()
        self._queue: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False  # nothing is submitted afterwards
        self._thread = threading.Thread(target=self._work, name="evenmatch-batcher", daemon=True)
        self._thread.start()

    def __enter__(self) -> Batcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Decide what is pending, then end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    @property
    def waiting(self) -> int:
        """How many turns are submitted and not yet taken."""
        return self._queue.qsize()

    def wait(self) -> float:
        """Return in how many seconds a turn submitted now may be decided: a rough guess."""
        return (1 + self.waiting) * self.stats.per_move

    def submit(self, opponent: Opponent, turn: Turn) -> Future[Decision]:
        """Return the future of a decision, or of an error. UsageError once it is closed.

        A future that is cancelled before its turn is taken costs nothing.
        """
        self.engine.player(opponent)  # raises here, in the caller's thread
        pending = _Pending(opponent, turn)
        with self._lock:
            if self._closed:
                raise UsageError("the server is closing; try again later")
            self._queue.put(pending)
        return pending.future

    # -- the thread --------------------------------------------------------------------------

    def _work(self) -> None:
        """Decide what is pending until the batcher closes; errors go to those who wait."""
        closing = False
        while not closing:
            batch, closing = self._take()
            batch = [one for one in batch if one.future.set_running_or_notify_cancel()]
            if batch:
                self._decide(batch)

    def _take(self) -> tuple[list[_Pending], bool]:
        """Wait for a turn, and return it with all that has gathered; whether to close."""
        batch: list[_Pending] = []
        while len(batch) < MOST_TOGETHER:
            try:
                one = self._queue.get(block=not batch)
            except queue.Empty:
                return batch, False
            if one is None:
                return batch, True
            batch.append(one)
        return batch, False

    def _decide(self, batch: list[_Pending]) -> None:
        """Decide turns in one call; where one fails, each alone."""
        began = time.perf_counter()
        try:
            found = self.engine.think([(one.opponent, one.turn) for one in batch])
        except Exception as error:
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            for one in batch:
                self._decide([one])
            return
        seconds, waited = time.perf_counter() - began, sum(began - one.since for one in batch)
        self.stats.count(len(batch), seconds, waited)
        facts = {"game": self.engine.game.id, "batch": len(batch), "seconds": round(seconds, 4)}
        LOG.info("search", extra=facts)
        for one, decision in zip(batch, found, strict=True):
            one.future.set_result(decision)


class Batchers:
    """A batcher per game, opened when the game is first played; a context manager."""

    def __init__(self) -> None:
        self.opened: dict[str, Batcher] = {}
        self._opening = threading.Lock()
        self._closed = False

    def __enter__(self) -> Batchers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Decide what is pending, then close all batchers."""
        with self._opening:
            self._closed = True
        for batcher in self.opened.values():
            batcher.close()

    def of(self, game_id: str) -> Batcher:
        """Return the batcher of a game. UsageError if there is no such game, or it is closed."""
        with self._opening:
            if self._closed:
                raise UsageError("the server is closing; try again later")
            if game_id not in self.opened:
                self.opened[game_id] = Batcher(Engine(get_game(game_id)))
            return self.opened[game_id]
