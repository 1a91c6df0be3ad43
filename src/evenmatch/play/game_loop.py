"""The loop of a game between a person and an opponent, the same for every front end.

A front end asks what is `next`, takes that step, and shows the events. A step returns a
`MoveRequest` where a player has to think: a terminal has it decided at once (`Session.decide`), a
server awaits the decision, and both then call ``request.then``. So no step waits for a search.

After each step forced passes are played and the game is written; a game that is over is finished.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Protocol

from evenmatch.errors import EvenmatchError, UsageError
from evenmatch.opponents.player import Decision
from evenmatch.play.played_game import End
from evenmatch.play.saved import Saved
from evenmatch.play.session import MoveRequest, Session


class Next(Enum):
    """What a game waits for."""

    PERSON = auto()  #: the person moves
    OPPONENT = auto()  #: the opponent moves: `GameLoop.opponent`
    SCORE = auto()  #: the person agrees on the score, or plays on
    END = auto()  #: nothing


@dataclass(frozen=True)
class Moved:
    """A side has moved, or has passed by choice."""

    by_person: bool
    text: str  #: the move


@dataclass(frozen=True)
class Passed:
    """A side has passed, because nothing else was legal."""

    by_person: bool
    after: str  #: the move before; empty for none


@dataclass(frozen=True)
class Hinted:
    """Full strength would play an action."""

    action: int


@dataclass(frozen=True)
class DrawRefused:
    """The opponent plays on."""


@dataclass(frozen=True)
class PlayedOn:
    """The person does not agree on the score: the game resumes from before the two passes."""


@dataclass(frozen=True)
class NotForgotten:
    """The opponent was to forget the person and could not."""

    error: OSError


@dataclass(frozen=True)
class Ended:
    """The game is finished; `GameLoop.problem` says what of it could not be kept."""


Event = Moved | Passed | Hinted | DrawRefused | PlayedOn | NotForgotten | Ended


class Place(Protocol):
    """Where the game is kept, such as a row of a profile. Raises OSError or EvenmatchError."""

    def save(self, saved: Saved) -> None:
        """Write an unfinished game."""

    def write(self, session: Session) -> None:
        """Write an unfinished game, or remove one in which nothing is left to keep."""

    def finish(self, session: Session) -> None:
        """Let the opponent learn from a game that is over, and mark it finished."""


class GameLoop:
    """One game, step by step. Steps raise UsageError or MoveError for what cannot be done now."""

    def __init__(
        self,
        session: Session,
        place: Place,
        tell: Callable[[Event], None],
        *,
        keeps_empty: bool = False,
        wait: Callable[[], None] = lambda: None,
    ):
        """``tell`` gets each event. With ``keeps_empty`` a game without moves is also kept.

        ``wait`` is called between a move of the opponent and the end of its time.
        """
        self.session, self.place = session, place
        self.problem: OSError | EvenmatchError | None = None  #: why the latest write failed
        self.finished = False  #: whether nothing is written any more
        self.since = time.monotonic()  #: when the clock was last read
        self._tell, self._keeps_empty, self._wait = tell, keeps_empty, wait

    @property
    def next(self) -> Next:
        """What the game waits for."""
        session = self.session
        if session.over:
            return Next.SCORE if session.unsettled else Next.END
        return Next.PERSON if session.yours else Next.OPPONENT

    def begin(self) -> None:
        """Start the clock of a new, resumed or swapped game, and do what was left to do."""
        self.since, self.finished = time.monotonic(), False
        if self._pass_where_forced() or self.next is Next.END:
            self.save()

    # -- steps of the person -------------------------------------------------------------------

    def move(self, text: str) -> None:
        """Play a move as a person writes it. MoveError if it is none."""
        session = self._of_person()
        action = session.game.read_action(session.state, text)
        if not self._out_of_time(session.side, End.YOUR_TIME):
            try:
                session.move(action)
            except OSError as error:
                self._tell(NotForgotten(error))
            self._moved(by_person=True)
        self._done()

    def undo(self) -> None:
        """Take back the person's latest move and what came after."""
        if self.session.over or not self.session.undo():
            raise UsageError("there is no move of yours to take back")
        self._done()

    def hint(self) -> MoveRequest:
        """Ask full strength for a move. NetworkError if its network cannot be used."""
        request = self._of_person().ask_hint()

        def hinted(decision: Decision) -> None:
            request.then(decision)
            self._tell(Hinted(decision.action))
            self._done()

        return replace(request, then=hinted)

    def resign(self) -> None:
        """Give the game up."""
        if self.session.over:
            raise UsageError("the game is over")
        self.session.end = End.YOU_RESIGNED
        self._done()

    def offer_draw(self) -> None:
        """Offer a draw."""
        session = self._of_person()
        if not session.game.draws_agreed:
            raise UsageError(f"no draw can be offered in {session.game.title}")
        if not session.offer_draw():
            self._tell(DrawRefused())
        self._done()

    def agree(self) -> None:
        """Agree on the score after two passes."""
        self._with_score().agree()
        self._done()

    def play_on(self) -> None:
        """Go on from before the two passes; nobody's time has run since."""
        self._with_score().play_on()
        self.since = time.monotonic()
        self._tell(PlayedOn())
        self._done()

    def _of_person(self) -> Session:
        if self.next is not Next.PERSON:
            raise UsageError("it is not your turn")
        return self.session

    def _with_score(self) -> Session:
        if self.next is not Next.SCORE:
            raise UsageError("there is no score to agree on")
        return self.session

    # -- the opponent --------------------------------------------------------------------------

    def opponent(self) -> MoveRequest | None:
        """Let the opponent take its turn; None if it has, without a thought."""
        request = self.session.ask_opponent()
        if request is None:
            self._replied()
            return None
        then = request.then

        def decided(decision: Decision) -> None:
            then(decision)
            self._replied()

        return replace(request, then=decided)

    def _replied(self) -> None:
        session = self.session
        if session.end is None:
            self._wait()
            if not self._out_of_time(-session.side, End.OPPONENTS_TIME):
                self._moved(by_person=False)
        self._done()

    # -- the clock -----------------------------------------------------------------------------

    @property
    def person_has(self) -> float | None:
        """Seconds that are left to the person, whose clock runs; None without a clock."""
        clock, session = self.session.clock, self.session
        if clock is None or self.next is not Next.PERSON:
            return None
        return clock.left[session.side] - (time.monotonic() - self.since)

    def time_up(self) -> None:
        """End the game if the person's time is up."""
        left = self.person_has
        if left is not None and left <= 0:
            self.read_clock()
            self.session.end = End.YOUR_TIME
            self._done()

    def read_clock(self) -> None:
        """Take the time since the clock was last read from the side to move."""
        self._spend(self.session.side if self.session.yours else -self.session.side)

    def _spend(self, side: int) -> None:
        now = time.monotonic()
        since, self.since = self.since, now
        if self.session.clock is not None:
            self.session.clock.spend(side, now - since)

    def _out_of_time(self, side: int, end: End) -> bool:
        """Stop the clock of a side that has moved; True if its time was up before."""
        self._spend(side)
        clock = self.session.clock
        if clock is None:
            return False
        if clock.left[side] > 0:
            clock.moved(side)
            return False
        self.session.end = end
        return True

    # -- after each step -----------------------------------------------------------------------

    def _done(self) -> None:
        self._pass_where_forced()
        self.save()

    def _pass_where_forced(self) -> bool:
        session, passed = self.session, False
        while not session.over and (action := session.forced_pass) is not None:
            passed = True
            self._tell(Passed(session.yours, session.text(session.ply - 1) if session.ply else ""))
            session.push(action)
        return passed

    def _moved(self, by_person: bool) -> None:
        self._tell(Moved(by_person, self.session.text(self.session.ply - 1)))

    def save(self) -> None:
        """Write the game, or finish it if it is over; `problem` says why that failed."""
        if self.finished:
            return
        self.finished, self.problem = self.next is Next.END, None
        try:
            if self.finished:
                self.place.finish(self.session)
            elif self._keeps_empty:
                self.place.save(self.session.saved)
            else:
                self.place.write(self.session)
        except (OSError, EvenmatchError) as error:
            self.problem = error
        if self.finished:
            self._tell(Ended())
