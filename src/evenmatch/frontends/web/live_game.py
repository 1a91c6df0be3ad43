"""A game on the page: requests of visitors, the opponent's turns, and those who watch.

A `GameLoop` plays the game; its steps run on threads, and what an opponent decides is awaited from
the game's `Batcher`. Each change raises a sequence number. A request names the number that it saw,
so a move that is sent twice, by two tabs or after a broken connection, is played once: a request
about an older state changes nothing. The game is in the profile after every change.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar

from evenmatch.app.game_words import (
    has_level,
    level_now,
    level_story,
    no_level_yet,
    result_line,
    score_to_show,
    value_to_show,
    who_plays,
)
from evenmatch.errors import EvenmatchError, UsageError
from evenmatch.frontends.web import serialize
from evenmatch.frontends.web.service import JUDGED_TOGETHER, Service
from evenmatch.games.game import PASS
from evenmatch.play.clock import Clock
from evenmatch.play.game_loop import (
    DrawRefused,
    Ended,
    Event,
    GameLoop,
    Hinted,
    Next,
    NotForgotten,
    Passed,
    PlayedOn,
)
from evenmatch.play.session import MoveRequest, Session
from evenmatch.profiles.games import KeptGame
from evenmatch.profiles.raters import scale_of

T = TypeVar("T")
Step = Callable[[], MoveRequest | None]

LOG = logging.getLogger("evenmatch.web")
LONG_WAIT_S = 2.0  #: seconds of waiting that a visitor is told of
ANSWERED = ("move", "pass")  #: what a visitor does and then waits for the opponent's move
MAX_MOVE = 20  #: letters
LOOK = "look"  #: what a visitor asks who wants no more than the state
FAILED = "The opponent could not move. Reload the page to continue."


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
        self._loop = GameLoop(session, kept, self._hear, keeps_empty=True)
        self._note = self._of_opponent = note  # of the latest turn; why it is this opponent
        self._seq = int(1000 * time.time())  # larger after a restart of the server
        self._watchers: set[asyncio.Queue[dict[str, Any] | None]] = set()
        self._changing = asyncio.Lock()
        self._failed = False  # whether the opponent could not move, and does not try again
        self._judging = self._judged = False  # whether that began, and is done or has failed
        self._hint: int | None = None
        self._refused: str | None = None  # why the latest step was not done as a whole
        self._level: dict[str, Any] | None = None
        self._no_level_yet = ""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._flag: asyncio.TimerHandle | None = None
        self._state: dict[str, Any] = {"thinking": False}
        self.touched = time.monotonic()  #: when a visitor last sent something

    # -- who watches ---------------------------------------------------------------------------

    def watch(self) -> asyncio.Queue[dict[str, Any] | None]:
        """Return a queue that always holds no more than the latest state; None ends it."""
        if self._failed:  # somebody reloaded the page
            self._failed, self._note = False, ""
            self._go_on()
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(1)
        self._watchers.add(queue)
        queue.put_nowait(self.state)
        return queue

    def leave(self, queue: asyncio.Queue[dict[str, Any] | None]) -> None:
        """Stop watching."""
        self._watchers.discard(queue)

    @property
    def watched(self) -> bool:
        """Whether a page watches the game."""
        return bool(self._watchers)

    @property
    def state(self) -> dict[str, Any]:
        """The latest state, with the clock and the wait as they are now."""
        thinking = self._state["thinking"]
        wait = self._service.batchers.of(self.session.game.id).wait() if thinking else 0.0
        return self._state | {"clock": self._now(), "wait": wait if wait > LONG_WAIT_S else None}

    async def with_boards(self) -> dict[str, Any]:
        """Return the latest state with the boards of all plies; the game may continue meanwhile."""
        state = self.state
        line = self.session.line.first(len(state["moves"]))
        return state | {"boards": await self._service.run(serialize.boards_of, line)}

    def _read_clock(self) -> tuple[Clock, int, float] | None:
        """Return what the clock shows, whose runs, and since when."""
        clock, session = self.session.clock, self.session
        if clock is None:
            return None
        running = 0 if session.over else session.side if session.yours else -session.side
        return Clock(clock.base, clock.increment, dict(clock.left)), running, self._loop.since

    def _now(self) -> dict[str, Any] | None:
        """Return the clock of the latest state, with the time that has passed since.

        The session's clock may be ahead: of a move of the opponent that was not sent yet.
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

    def _tell(self, state: dict[str, Any] | None) -> None:
        for queue in self._watchers:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(state)

    def _facts(self) -> dict[str, Any]:
        session, line, waits_for = self.session, self.session.line, self._loop.next
        theirs = waits_for is not Next.PERSON
        thinking = waits_for is Next.OPPONENT and not self._failed
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
                "title": who_plays(session.game.id, session.opponent),
                "method": serialize.method_of(session.opponent),
                "level": serialize.level_text(session.game.id, session.opponent),
                "note": self._of_opponent,
                "now": "" if session.over or not has_level(session) else level_now(session),
            },
            "side": session.side,
            **serialize.of_position(line, session.marks),
            "yours": not theirs,
            "thinking": thinking,
            "legal": [] if theirs else serialize.legal_moves(line),
            "score": serialize.of_score(score, session.unsettled) if score else None,
            "even": value,
            "over": self._over(),
            "level": self._level,
            "no_level_yet": self._no_level_yet,
            "judging": self._awaits_level,
            "live": True,
            "can": self._can(theirs, thinking),
            "hint": hint,
            "note": self._note,
            "clock": self._read_clock(),
        }

    def _over(self) -> dict[str, Any] | None:
        session = self.session
        if self._loop.next is not Next.END:
            return None
        ending = session.game.ending(session.state) if session.end is None else session.end.value[1]
        return {
            "result": session.result,
            "ending": ending,
            "kept": session.begun,
            "counts": session.begun and session.counts,
            "text": result_line(session),
            "story": level_story(session) if session.begun else "",
        }

    @property
    def _awaits_level(self) -> bool:
        """Whether the game is over, and the person's level after it is not known yet."""
        session = self.session
        due = self._loop.finished and session.begun and not self._judged
        return due and scale_of(session.game.id) is not None

    def _can(self, theirs: bool, thinking: bool) -> dict[str, bool]:
        session = self.session
        return {
            "undo": session.begun and not session.over and not thinking,
            "hint": not theirs,
            "resign": not session.over,
            "draw": not theirs and session.game.draws_agreed,
            "pass": not theirs and session.may_pass,
            "agree": session.unsettled,
            "rematch": self._loop.finished,
        }

    # -- steps ---------------------------------------------------------------------------------

    async def _change(self, step: Step) -> str | None:
        """Take a step, and give everybody the state after it; return why it cannot be done."""
        request, refused = await self._service.run(self._stepped, step)
        if request is not None:
            batcher = self._service.batchers.of(self.session.game.id)
            decision = await asyncio.wrap_future(batcher.submit(request.opponent, request.turn))
            _, refused = await self._service.run(self._stepped, partial(request.then, decision))
        self._tell(self.state)
        self._set_flag()
        return refused

    def _stepped(self, step: Step) -> tuple[MoveRequest | None, str | None]:
        """Take a step or its second half; where nothing is to be decided, make the state."""
        self._refused = request = None
        try:
            request = step()
        except (EvenmatchError, OSError) as error:
            self._refused = _reason(error)
        if self._loop.problem is not None:
            self._refused = _reason(self._loop.problem)
        if request is None:
            self._seq += 1
            self._state = self._facts()
        return request, self._refused

    def _hear(self, event: Event) -> None:
        """Note an event for the state that is sent next."""
        match event:
            case Passed(by_person, _):
                self._note = f"{'You have' if by_person else 'The opponent has'} no move: pass."
            case Hinted(action):
                self._hint = action
            case DrawRefused():
                self._note = "The opponent plays on."
            case PlayedOn():
                self._note = "You play on: capture what is dead, then pass."
            case NotForgotten(error):
                self._refused = _reason(error)
            case Ended():
                self._note = ""  # what was told of a turn is over, too
                self._service.metrics.ended(self.session.game.id)

    async def begin(self) -> None:
        """Show the game as it is, and let the opponent move if it is its turn."""
        async with self._changing:
            if refused := await self._change(self._loop.begin):
                LOG.warning("a game cannot be kept: %s", refused)
        self._go_on()

    async def ask(self, message: dict[str, Any]) -> tuple[str | None, bool]:
        """Do what a visitor asks; return why it cannot be done, and whether it was published.

        A request about a state that is no longer the latest changes nothing. What is begun is done
        even if the visitor leaves meanwhile.
        """
        return await asyncio.shield(self._start(self._carry_out(message)))

    async def _carry_out(self, message: dict[str, Any]) -> tuple[str | None, bool]:
        self.touched = arrived = time.monotonic()
        action = str(message.get("do"))
        if action == LOOK:
            return None, False
        if action not in STEPS:
            return "a game has no such action; reload the page", False
        async with self._changing:
            if message.get("seq") != self._seq and action != "resign":
                return None, False
            self._hint, self._note = None, ""
            text = str(message.get("move"))
            refused = await self._change(lambda: STEPS[action](self._loop, text))
        self._go_on(arrived if action in ANSWERED else None)
        return refused, True

    def _go_on(self, arrived: float | None = None) -> None:
        """Do what comes next by itself; ``arrived`` is when a visitor's move came in."""
        if self._loop.next is Next.END:
            if not self._judging and self._loop.finished and self.session.begun:
                self._judging = True
                self._start(self._tell_level())
        elif self._loop.next is Next.OPPONENT:
            self._start(self._reply(arrived))

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _reply(self, arrived: float | None) -> None:
        async with self._changing:
            if self._loop.next is not Next.OPPONENT or self._failed or self._loop.finished:
                return  # the game went on meanwhile
            try:
                refused = await self._change(self._loop.opponent)
            except Exception as error:
                LOG.exception("the opponent of game %s could not move", self.row)
                refused = str(error)
            if refused is not None:
                LOG.error("the opponent of game %s could not move: %s", self.row, refused)
                self._failed, self._note = True, FAILED
                await self._change(lambda: None)
                return
            if arrived is not None:
                self._service.metrics.replied(self.session.game.id, time.monotonic() - arrived)
        self._go_on()

    def _set_flag(self) -> None:
        """Look again when the person's time is up."""
        if self._flag is not None:
            self._flag.cancel()
        left = self._loop.person_has
        if left is not None:
            loop = asyncio.get_running_loop()
            self._flag = loop.call_later(max(left, 0) + 0.05, lambda: self._start(self._time_up()))

    async def _time_up(self) -> None:
        async with self._changing:
            left = self._loop.person_has
            if left is None or left > 0:
                return  # the person moved meanwhile
            await self._change(self._loop.time_up)
        self._go_on()

    # -- afterwards ----------------------------------------------------------------------------

    async def _tell_level(self) -> None:
        """Tell the person's level by the games until now."""
        kind, person = self.session.game.id, self.session.person or ""
        now, level = self._service.profile.levels.now, None
        try:
            level = await self._service.judge(person, now, person, kind, max_new=JUDGED_TOGETHER)
        except (EvenmatchError, OSError) as error:
            LOG.warning("a level cannot be estimated: %s", error)
        except Exception:  # a fault of ours; nobody is to wait for a level any more
            LOG.exception("a level cannot be estimated")
        async with self._changing:
            self._judged = True
            self._level = serialize.of_level(kind, level)
            self._no_level_yet = "" if level is None else no_level_yet(level)
            await self._change(lambda: None)

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
        return self._loop.finished

    @property
    def resting(self) -> bool:
        """Whether nothing would be lost if the table were put away."""
        idle = not self._tasks and not self.watched
        return idle and (self._loop.finished or self.session.clock is None)

    async def put_away(self) -> None:
        """Leave the game to the program that continues it. Pages that watch get no more states."""
        if self._flag is not None:
            self._flag.cancel()
        async with self._changing:
            await self._service.run(self._put_away)
            self._tell(None)

    def _put_away(self) -> None:
        if not self._loop.finished and not self.session.worth_keeping and self._kept.name:
            self._kept.remove()
        else:
            self._kept.leave()
        self._loop.finished = True  # whoever still asks something changes nothing on disk


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _move(loop: GameLoop, text: str) -> None:
    if len(text) > MAX_MOVE:
        raise UsageError(f"a move has at most {MAX_MOVE} letters; type a shorter one")
    loop.move(text)


#: What a visitor may ask of a game; the second argument is the move that they name.
STEPS: dict[str, Callable[[GameLoop, str], MoveRequest | None]] = {
    "move": _move,
    "pass": lambda loop, _: loop.move(PASS),
    "undo": lambda loop, _: loop.undo(),
    "hint": lambda loop, _: loop.hint(),
    "resign": lambda loop, _: loop.resign(),
    "draw": lambda loop, _: loop.offer_draw(),
    "agree": lambda loop, _: loop.agree(),
    "play_on": lambda loop, _: loop.play_on(),
}
