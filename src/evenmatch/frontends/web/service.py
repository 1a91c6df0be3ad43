"""What all requests share: the profile, the opponents, and threads to work on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

from evenmatch.app.compiling import first_move, is_compiled
from evenmatch.errors import EvenmatchError
from evenmatch.frontends import console
from evenmatch.games import GAMES, get_game
from evenmatch.games.catalog import game_info
from evenmatch.play.batcher import Batchers
from evenmatch.profiles import Profile

P = ParamSpec("P")
T = TypeVar("T")

MOST_THREADS = 64  #: of all work that waits for the database or a network; no opponent's move
JUDGED_TOGETHER = 8  #: games; others wait for no more
JUDGED_TO_MATCH = 16  #: games at most, the latest, before somebody meets an opponent of their level


class Service:
    """Opened with the server, closed with it."""

    def __init__(
        self,
        person: str | None,
        state: Path | None = None,
        games: Sequence[str] = tuple(GAMES),
    ):
        """Each visitor plays as ``person``; None if each visitor is a person of their own.

        ``games`` are the ids of those offered.
        """
        from evenmatch.frontends.web.monitor import Metrics

        self.person, self.games = person, tuple(games)
        self.profile = Profile(state)
        self.batchers = Batchers()
        self.metrics = Metrics(self.batchers)
        self._threads = ThreadPoolExecutor(MOST_THREADS, "evenmatch-web")
        self._judging = ThreadPoolExecutor(1, "evenmatch-judging")
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do work that may wait for the database or a network, on a thread."""
        return await self._on(self._threads, work, *args, **kwargs)

    async def judge(
        self, person: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do work that judges games of a person: one piece at a time, behind the games at hand.

        People take turns: each has one piece in the queue.
        """
        async with self._turns.setdefault(person.casefold(), asyncio.Lock()):
            return await self._on(self._judging, work, *args, **kwargs)

    async def judge_all(self, person: str) -> None:
        """Judge all games of a person that were not judged yet, some in each turn."""
        for kind in GAMES:
            while await self.judge(
                person, self.profile.levels.rate_new, person, kind, JUDGED_TOGETHER
            ):
                pass

    async def _on(
        self, threads: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, lambda: work(*args, **kwargs))

    def close(self) -> None:
        """Finish what is begun."""
        self._threads.shutdown()
        self._judging.shutdown()
        self.batchers.close()
        self.profile.close()


class Warming:
    """Lets the usual opponents of some games make a move.

    Where a game was never compiled here that takes minutes, and nobody could play meanwhile.
        Otherwise it takes seconds, and runs in the background.
    """

    def __init__(self, games: Sequence[str]):
        self._games = games
        self._stopped = Event()
        self._behind = Thread(target=self._warm, name="warming")

    def begin(self) -> None:
        """Begin; if it takes minutes, say so and return when it is done."""
        if all(is_compiled(get_game(game)) for game in self._games):
            self._behind.start()
            return
        console.tell("Preparing the games; this takes some minutes the first time.")
        self._warm()

    def stop(self) -> None:
        """Stop after the move that is being made."""
        self._stopped.set()
        if self._behind.is_alive():
            self._behind.join()

    def _warm(self) -> None:
        for game in self._games:
            info = game_info(game)
            for spec in dict.fromkeys(filter(None, (info.opponent, info.rated))):
                if self._stopped.is_set():
                    return
                try:
                    first_move(spec, get_game(game))
                except EvenmatchError:
                    continue  # whoever wants to play with it is told
