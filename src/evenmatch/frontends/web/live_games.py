"""The games that are open on the page: begun, resumed, put away when nobody watches."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from evenmatch.app.match_level import stays_matched
from evenmatch.errors import UsageError
from evenmatch.frontends.web.live_game import LiveGame
from evenmatch.frontends.web.new_game_request import NOT_PLAYED, NewGame, as_offered, max_values
from evenmatch.frontends.web.service import JUDGED_TO_MATCH, Service
from evenmatch.play.saved import Saved
from evenmatch.play.session import Session
from evenmatch.profiles.games import KeptGame
from evenmatch.profiles.levels import matched

IDLE = 600.0  #: seconds without a visitor after which a game is put away
EVERY = 30.0  #: seconds between looks for such games
NOT_OVER = "the game is not over; resign it first"
MOST_UNFINISHED = 40  #: games of a person, where many people play


class LiveGames:
    """Open games by their row in the profile."""

    def __init__(self, service: Service):
        self._service = service
        self._open: dict[int, LiveGame] = {}
        self._opening = asyncio.Lock()
        for game in service.games:
            service.metrics.count_games(game, partial(self._count, game))

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, row: int) -> bool:
        return row in self._open

    async def has(self, row: int, person: str) -> bool:
        """Tell whether a person has a game, which may be over and not kept. StateError, OSError."""
        table = self._open.get(row)
        if table is not None:
            return table.is_of(person)
        return await self._service.run(self._service.profile.games.has, person, row)

    def _of(self, person: str) -> dict[int, LiveGame]:
        return {row: table for row, table in self._open.items() if table.is_of(person)}

    def _count(self, game: str) -> int:
        return sum(table.session.game.id == game for table in list(self._open.values()))

    async def begin(self, new: NewGame) -> LiveGame:
        """Begin a game, which is in the profile at once. UsageError if the person has too many."""
        if self._service.person is None:
            names = await self._service.run(self._service.profile.games.names, new.saved.person)
            if len(names) >= MOST_UNFINISHED:
                raise UsageError(f"you have {len(names)} unfinished games; end or delete one first")
        session, kept = await self._service.run(self._begun, new.saved)
        self._service.metrics.began(session.game.id)
        return await self._add(LiveGame(self._service, session, kept, new.mine, new.note))

    def _begun(self, saved: Saved) -> tuple[Session, KeptGame]:
        kept = self._service.profile.games.take(saved.game)
        try:
            session = self._session(saved)
        except BaseException:
            kept.leave()
            raise
        try:
            kept.save(session.saved)
        except BaseException:
            kept.leave()
            raise
        return session, kept

    async def find(self, row: int, person: str) -> LiveGame | None:
        """Return a person's game, resumed if it is not open; None if there is none.

        Raises StateError if it is open in another program.
        """
        async with self._opening:
            table = self._open.get(row)
            if table is not None:
                return table if table.is_of(person) else None
            found = await self._service.run(self._service.profile.games.unfinished, person, row)
            if not found:
                return None
            session, kept = await self._service.run(self._resumed, found[0].name)
            mine = stays_matched(found[0].saved)
            return await self._add(LiveGame(self._service, session, kept, mine))

    def _resumed(self, name: str) -> tuple[Session, KeptGame]:
        kept, saved = self._service.profile.games.resume(name)
        try:
            return self._session(saved), kept
        except BaseException:
            kept.leave()
            raise

    def _session(self, saved: Saved) -> Session:
        engine = self._service.batchers.of(saved.game).engine
        return Session.resumed(saved, self._service.profile.memories, engine)

    async def _add(self, table: LiveGame) -> LiveGame:
        assert table.row is not None, "it was written"
        self._open[table.row] = table
        await table.begin()
        return table

    async def rematch(self, row: int, person: str) -> LiveGame | None:
        """Begin the game after a person's finished one, with the sides swapped.

        The opponent is at the person's level again if it was. None if there is no such game;
        UsageError if it can have no rematch.
        """
        table = self._of(person).get(row)
        if table is None:
            before = await self._service.run(self._finished, row, person)
            mine = before is not None and stays_matched(before)
        elif table.over:
            before, mine = table.session.saved, table.mine
        else:
            raise UsageError(NOT_OVER)
        return None if before is None else await self.begin(await self._next(before, mine))

    def _finished(self, row: int, person: str) -> Saved | None:
        """Return a person's finished game that can have a rematch, None if there is none."""
        games = self._service.profile.games
        if games.unfinished(person, row):
            raise UsageError(NOT_OVER)
        for game in games.finished(person, None, row):
            if game.imported:
                raise UsageError("that game was played elsewhere; begin a new one")
            if game.saved.game not in self._service.games:
                raise UsageError(NOT_PLAYED)
            # it may have been begun in a terminal, against anybody
            as_offered(game.saved.opponent, max_values(self._service.person))
            return game.saved
        return None

    async def _next(self, before: Saved, mine: bool) -> NewGame:
        """Return the game after another; ``mine``: the opponent is to be at the person's level."""
        spec, note, found = before.opponent, "", None
        if mine:
            profile, person = self._service.profile, before.person
            found = await self._service.judge(
                person, matched, profile.levels, person, before.game, max_new=JUDGED_TO_MATCH
            )
            spec, note = (spec, "") if found is None else (found.spec, found.note)
        clock = (*before.clock[:2], before.clock[0], before.clock[0]) if before.clock else ()
        saved = Saved(
            game=before.game,
            opponent=spec,
            by_profile=before.by_profile if found is None else True,
            side=-before.side,
            seed=secrets.randbits(32),
            person=before.person,
            start=before.start,
            clock=clock,
        )
        return NewGame(saved, mine, note)

    async def delete(self, row: int, person: str) -> bool:
        """Delete a person's unfinished game; False if there is none."""
        table = await self.find(row, person)
        if table is None:
            return False
        del self._open[row]
        await table.put_away()  # which deletes one without moves
        games = self._service.profile.games
        for game in await self._service.run(games.unfinished, person, row):
            await self._service.run(games.delete, game.name)
        return True

    async def tend(self) -> None:
        """Put games away that nobody watches, for ever."""
        while True:
            await asyncio.sleep(EVERY)
            now = time.monotonic()
            for row, table in list(self._open.items()):
                if table.resting and now - table.touched > IDLE:
                    del self._open[row]
                    await table.put_away()

    @asynccontextmanager
    async def still(self, person: str) -> AsyncIterator[list[Session]]:
        """Let nothing happen in the open games of a person meanwhile; yield their sessions."""
        async with AsyncExitStack() as held:
            tables = self._of(person).values()
            for table in tables:
                await held.enter_async_context(table.still())
            yield [table.session for table in tables]

    async def close(self, person: str | None = None) -> None:
        """Put all games away, or those of a person."""
        for row in list(self._open if person is None else self._of(person)):
            await self._open.pop(row).put_away()
