"""A game on the page: what visitors ask of it, the opponent's turns, the clock, who watches.

A table has a sequence number that each change raises. What a visitor asks names the number that it
saw, so a move that is sent twice, by two tabs or after a broken connection, is played once: who
asks of an older state gets the present one. The game is in the profile after every change.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from evenmatch.app.game_words import (
    name_of,
    no_level_yet,
    result_line,
    score_to_show,
    value_to_show,
)
from evenmatch.errors import EvenmatchError, UsageError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.service import JUDGED_TOGETHER, Service
from evenmatch.games.game import PASS
from evenmatch.play.clock import Clock
from evenmatch.play.played_game import End
from evenmatch.play.session import Session
from evenmatch.profiles.games import KeptGame
from evenmatch.profiles.raters import scale_of

T = TypeVar("T")

LOG = logging.getLogger("evenmatch.web")
LONG_WAIT_S = 2.0  #: seconds of waiting that a visitor is told of
ANSWERED = ("move", "pass")  #: what a visitor does and then waits for the opponent's move
MAX_MOVE = 20  #: letters
LOOK = "look"  #: what a visitor asks who wants no more than the state
FAILED = "The opponent could not move. Reload the page to go on."


class LiveGame:
    """One game. Its coroutines may be called at any time; one change happens after another."""

    def __init__(
        self, service: Service, session: Session, kept: KeptGame, mine: bool, note: str = ""
    ):
        """``mine``: a rematch is again with an opponent at the person's level."""
        assert kept.row is not None, "a game on the page is kept from its beginning"
        self.session, self.mine = session, mine
        self.row: int = kept.row
        self._service, self._kept = service, kept
        self._note = self._of_opponent = note  # of the latest turn; why it is this opponent
        self._seq = int(1000 * time.time())  # larger after a restart of the server
        self._watchers: set[asyncio.Queue[dict[str, Any] | None]] = set()
        self._changing = asyncio.Lock()
        self._since = time.monotonic()  # when the clock of whoever is to move was last read
        self._thinking = self._finished = False
        self._judging = self._judged = False  # whether that began, and is done or has failed
        self._hint: int | None = None
        self._level: dict[str, Any] | None = None
        self._no_level_yet = ""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._flag: asyncio.TimerHandle | None = None
        self._state: dict[str, Any] = {}
        self.touched = time.monotonic()  #: when somebody last asked something

    # -- who watches ---------------------------------------------------------------------------

    def watch(self) -> asyncio.Queue[dict[str, Any] | None]:
        """Return a queue that always holds no more than the latest state; None ends it."""
        if self._note == FAILED:  # somebody reloaded the page
            self._note = ""
            self._let_opponent_move()
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(1)
        self._watchers.add(queue)
        queue.put_nowait(self.state)
        return queue

    def leave(self, queue: asyncio.Queue[dict[str, Any] | None]) -> None:
        """Stop watching."""
        self._watchers.discard(queue)

    @property
    def watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watchers)

    @property
    def state(self) -> dict[str, Any]:
        """The latest state, with the clock and the wait as they are now."""
        wait = self._service.batchers.of(self.session.game.id).wait() if self._thinking else 0.0
        return self._state | {"clock": self._now(), "wait": wait if wait > LONG_WAIT_S else None}

    async def with_boards(self) -> dict[str, Any]:
        """Return the latest state with the boards of all plies; the game may go on meanwhile."""
        state = self.state
        line = self.session.line.first(len(state["moves"]))
        return state | {"boards": await self._service.run(serialize.boards_of, line)}

    def _read_clock(self) -> tuple[Clock, int, float] | None:
        """Return what the clock shows, whose runs, and since when."""
        clock, session = self.session.clock, self.session
        if clock is None:
            return None
        running = 0 if session.over else session.side if session.yours else -session.side
        return Clock(clock.base, clock.increment, dict(clock.left)), running, self._since

    def _now(self) -> dict[str, Any] | None:
        """Return the clock of the latest state, with the time that has gone by since.

        Not the session's: the opponent may have moved on it, and the move not be told yet.
        """
        shown = self._state.get("clock")
        if shown is None:
            return None
        clock, running, since = shown
        left = dict(clock.left)
        if running:
            left[running] = max(0.0, left[running] - (time.monotonic() - since))
        return {
            "left": {str(side): round(seconds, 2) for side, seconds in left.items()},
            "increment": clock.increment,
            "running": running,
        }

    async def _publish(self) -> None:
        """Give everybody the state as it is now."""
        self._seq += 1
        self._state = await self._service.run(self._facts)
        self._tell(self.state)
        self._set_flag()

    def _tell(self, state: dict[str, Any] | None) -> None:
        for queue in self._watchers:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(state)

    def _facts(self) -> dict[str, Any]:
        session, line = self.session, self.session.line
        theirs = session.over or self._thinking or not session.yours
        score, value = score_to_show(session), value_to_show(session)
        hint = None
        if self._hint is not None:
            text = session.game.action_text(session.state, self._hint)
            cells = list(session.game.action_cells(session.state, self._hint))
            hint = {"move": text, "cells": cells}
        return {
            "type": "state",
            "seq": self._seq,
            "table": self.row,
            "game": session.game.id,
            "opponent": {
                "title": name_of(session),
                "method": serialize.method_of(session.opponent),
                "level": serialize.level_text(session.game.id, session.opponent),
                "note": self._of_opponent,
            },
            "side": session.side,
            **serialize.of_position(line, session.marks),
            "yours": not theirs,
            "thinking": self._thinking,
            "legal": [] if theirs else serialize.legal_moves(line),
            "score": serialize.of_score(score, session.unsettled) if score else None,
            "even": value,
            "over": self._over(),
            "level": self._level,
            "no_level_yet": self._no_level_yet,
            "judging": self._awaits_level,
            "live": True,
            "can": self._can(theirs),
            "hint": hint,
            "note": self._note,
            "clock": self._read_clock(),
        }

    def _over(self) -> dict[str, Any] | None:
        session = self.session
        if not session.over or session.unsettled:
            return None
        ending = session.game.ending(session.state) if session.end is None else session.end.value[1]
        return {
            "result": session.result,
            "ending": ending,
            "kept": session.begun,
            "counts": session.begun and session.counts,
            "text": result_line(session),
        }

    @property
    def _awaits_level(self) -> bool:
        """Whether the game is over, and the person's level after it is still to be told."""
        session = self.session
        due = self._finished and session.begun and not self._judged
        return due and scale_of(session.game.id) is not None

    def _can(self, theirs: bool) -> dict[str, bool]:
        session = self.session
        return {
            "undo": session.begun and not session.over and not self._thinking,
            "hint": not theirs,
            "resign": not session.over,
            "draw": not theirs and session.game.draws_agreed,
            "pass": not theirs and session.may_pass,
            "agree": session.unsettled,
            "rematch": self._finished,
        }

    # -- what is asked -------------------------------------------------------------------------

    async def begin(self) -> None:
        """Show the game as it is, and let the opponent move if it is its turn."""
        async with self._changing:
            await self._service.run(self._go_on)
            await self._publish()
        self._let_opponent_move()

    async def ask(self, message: dict[str, Any]) -> tuple[str | None, bool]:
        """Do what a visitor asks; return why it cannot be done, and whether it was published.

        A request about a state that is no longer the latest changes nothing. What is begun is done
        even if the visitor leaves meanwhile.
        """
        return await asyncio.shield(self._start(self._asked(message)))

    async def _asked(self, message: dict[str, Any]) -> tuple[str | None, bool]:
        self.touched = arrived = time.monotonic()
        if message.get("do") == LOOK:
            return None, False
        work = ASKED.get(str(message.get("do")))
        if work is None:
            return "that cannot be asked of a game; reload the page", False
        async with self._changing:
            if message.get("seq") != self._seq and message.get("do") != "resign":
                return None, False
            refused = None
            try:
                await self._service.wait(self._change, work, message)
            except (EvenmatchError, OSError) as error:
                refused = str(getattr(error, "strerror", None) or error)
            await self._publish()
        self._let_opponent_move(arrived if message.get("do") in ANSWERED else None)
        return refused, True

    def _change(self, work: Callable[[LiveGame, dict[str, Any]], None], message: dict) -> None:
        """Do it, and keep the game."""
        self._hint, self._note = None, ""
        work(self, message)
        self._pass_where_forced()
        self._keep()

    def _go_on(self) -> None:
        """Do what was left to do when the game was last kept: pass, or finish it."""
        self._pass_where_forced()
        if self.session.over:
            try:
                self._keep()
            except (EvenmatchError, OSError) as error:
                LOG.warning("a game that is over cannot be finished: %s", error)

    def _keep(self) -> None:
        """Write the game; finish it if it is over."""
        session = self.session
        if self._finished:
            return
        if session.over and not session.unsettled:
            self._finished, self._note = True, ""  # what was told of a turn is over, too
            self._kept.finish(session)
            self._service.metrics.ended(session.game.id)
        elif self._kept.name:
            self._kept.save(session.saved)

    def _pass_where_forced(self) -> None:
        session = self.session
        while not session.over and (action := session.forced_pass) is not None:
            who = "You have" if session.yours else "The opponent has"
            session.push(action)
            self._note = f"{who} no move: pass."

    def _move(self, message: dict[str, Any]) -> None:
        session, text = self.session, str(message.get("move"))
        self._require_turn()
        if len(text) > MAX_MOVE:
            raise UsageError(f"a move has at most {MAX_MOVE} letters; type a shorter one")
        action = session.game.read_action(session.state, text)
        if not self._spent(session.side, End.YOUR_TIME):
            session.move(action)

    def _pass(self, message: dict[str, Any]) -> None:
        self._move({"move": PASS})

    def _undo(self, message: dict[str, Any]) -> None:
        if self.session.over or not self.session.undo():
            raise UsageError("there is no move to take back")

    def _ask_hint(self, message: dict[str, Any]) -> None:
        self._require_turn()
        self._hint = self.session.hint()

    def _resign(self, message: dict[str, Any]) -> None:
        if self.session.over:
            raise UsageError("the game is over")
        self.session.end = End.YOU_RESIGNED

    def _offer_draw(self, message: dict[str, Any]) -> None:
        self._require_turn()
        if not self.session.offer_draw():
            self._note = "The opponent plays on."

    def _agree(self, message: dict[str, Any]) -> None:
        self._require_score()
        self.session.agree()

    def _play_on(self, message: dict[str, Any]) -> None:
        self._require_score()
        self.session.play_on()
        self._since = time.monotonic()  # nobody's time ran meanwhile
        self._note = "You play on: capture what is dead, then pass."

    def _require_turn(self) -> None:
        if self.session.over or not self.session.yours:
            raise UsageError("it is not your turn")

    def _require_score(self) -> None:
        if not self.session.unsettled:
            raise UsageError("there is no score to agree on")

    # -- the opponent and the clock --------------------------------------------------------------

    def _let_opponent_move(self, asked: float | None = None) -> None:
        """Let it move if it is its turn; ``asked`` is when a visitor's move came in."""
        session = self.session
        if session.over and not session.unsettled:
            if not self._judging and self._finished and session.begun:
                self._judging = True
                self._start(self._tell_level())
        elif not session.over and not session.yours and not self._thinking:
            self._thinking = True
            self._start(self._reply(asked))

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _reply(self, asked: float | None) -> None:
        async with self._changing:
            await self._publish()
            try:
                await self._service.wait(self._opponents_turn)
            except Exception:
                LOG.exception("the opponent of game %s could not move", self.row)
                self._note = FAILED
            self._thinking = False
            await self._publish()
            failed = self._note == FAILED
            if asked is not None and not failed:
                self._service.metrics.replied(self.session.game.id, time.monotonic() - asked)
        if not failed:
            self._let_opponent_move()

    def _opponents_turn(self) -> None:
        session = self.session
        if not session.resigns():
            session.reply()
            if session.end is None:
                self._spent(-session.side, End.OPPONENTS_TIME)
        self._pass_where_forced()
        self._keep()

    def _spent(self, side: int, end: End) -> bool:
        """Take the time since the clock was last read from a side; tell whether it was too much."""
        now = time.monotonic()
        since, self._since = self._since, now
        clock = self.session.clock
        if clock is None:
            return False
        clock.spend(side, now - since)
        if clock.left[side] > 0:
            clock.moved(side)
            return False
        self.session.end = end
        return True

    def _set_flag(self) -> None:
        """Look again when the person's time is up."""
        if self._flag is not None:
            self._flag.cancel()
        clock, session = self.session.clock, self.session
        if clock is not None and not session.over and session.yours:
            left = clock.left[session.side] - (time.monotonic() - self._since)
            loop = asyncio.get_running_loop()
            self._flag = loop.call_later(max(left, 0) + 0.05, lambda: self._start(self._time_up()))

    async def _time_up(self) -> None:
        async with self._changing:
            session = self.session
            if session.over or not session.yours or session.clock is None:
                return
            if session.clock.left[session.side] > time.monotonic() - self._since:
                return  # the person moved meanwhile
            self._spent(session.side, End.YOUR_TIME)
            await self._service.run(self._keep)
            await self._publish()
        self._let_opponent_move()

    async def _tell_level(self) -> None:
        """Tell the person's level by the games until now."""
        kind, person = self.session.game.id, self.session.person or ""
        now, level = self._service.profile.levels.now, None
        try:
            level = await self._service.judge(person, now, person, kind, max_new=JUDGED_TOGETHER)
        except (EvenmatchError, OSError) as error:
            LOG.warning("a level cannot be told: %s", error)
        except Exception:  # a fault of ours; nobody is to wait for a level any more
            LOG.exception("a level cannot be told")
        async with self._changing:
            self._judged = True
            self._level = serialize.of_level(kind, level)
            self._no_level_yet = "" if level is None else no_level_yet(level)
            await self._publish()

    def is_of(self, person: str) -> bool:
        """Tell whether it is a person's game."""
        return (self.session.person or "").casefold() == person.casefold()

    def still(self) -> AbstractAsyncContextManager[None]:
        """Let nothing happen in the game meanwhile."""
        return self._changing

    # -- the end -------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game is over, and its score agreed on."""
        return self._finished

    @property
    def resting(self) -> bool:
        """Whether nothing would be lost if the table were put away."""
        idle = not self._thinking and not self._tasks and not self.watched
        return idle and (self._finished or self.session.clock is None)

    async def put_away(self) -> None:
        """Leave the game to whoever goes on with it. Who watches is told no more."""
        if self._flag is not None:
            self._flag.cancel()
        async with self._changing:
            await self._service.run(self._put_away)
            self._tell(None)

    def _put_away(self) -> None:
        if not self._finished and not self.session.worth_keeping and self._kept.name:
            self._kept.remove()
        else:
            self._kept.leave()


#: What a visitor may ask of a table.
ASKED: dict[str, Callable[[LiveGame, dict[str, Any]], None]] = {
    "move": LiveGame._move,
    "pass": LiveGame._pass,
    "undo": LiveGame._undo,
    "hint": LiveGame._ask_hint,
    "resign": LiveGame._resign,
    "draw": LiveGame._offer_draw,
    "agree": LiveGame._agree,
    "play_on": LiveGame._play_on,
}
