"""The loop that terminal and page share: what comes next, events, the clock, saving, the end."""

import time

import pytest
from small_sessions import chess_at, go9, play, start

from evenmatch.errors import MoveError, UsageError
from evenmatch.games import GAMES
from evenmatch.opponents import Decision
from evenmatch.opponents.controller import NEW
from evenmatch.opponents.player import RESIGN
from evenmatch.play.clock import Clock
from evenmatch.play.game_loop import (
    DrawRefused,
    Ended,
    GameLoop,
    Hinted,
    Moved,
    Next,
    Passed,
    PlayedOn,
)
from evenmatch.play.played_game import End
from evenmatch.play.session import Session

pytestmark = pytest.mark.usefixtures("without_network")


class Memory:
    """A place in memory; it fails while it is full."""

    def __init__(self):
        self.saved, self.finished, self.full = [], [], False

    def save(self, saved):
        if self.full:
            raise OSError(28, "No space left on device")
        self.saved.append(saved.actions)

    def write(self, session):
        self.save(session.saved)

    def finish(self, session):
        self.save(session.saved)
        self.finished.append(session.end)


def looped(session, **how):
    events, place = [], Memory()
    loop = GameLoop(session, place, events.append, **how)
    loop.begin()
    return loop, place, events


def replied(loop, action):
    """Let the opponent decide on an action."""
    loop.opponent().then(Decision(action, NEW))


def test_a_game_to_its_end_is_kept_after_each_move():
    loop, place, events = looped(start())
    for _ in range(3):
        assert loop.next is Next.PERSON
        loop.move("1")
        assert loop.next is Next.OPPONENT
        replied(loop, 1)
    loop.move("1")
    assert loop.next is Next.END
    assert [len(actions) for actions in place.saved] == [1, 2, 3, 4, 5, 6, 7]
    assert place.finished == [None]
    assert events == [Moved(True, "1"), Moved(False, "2")] * 3 + [Moved(True, "1"), Ended()]
    loop.save()
    assert len(place.saved) == 7, "nothing is written any more"


def test_no_step_waits_for_a_search():
    """A turn can be decided whenever the caller likes, and what is asked meanwhile is refused."""
    loop, place, _ = looped(start(side=-1))
    request = loop.opponent()
    assert (request.turn.side, loop.next) == (1, Next.OPPONENT)
    with pytest.raises(UsageError, match="not your turn"):
        loop.move("1")
    request.then(Decision(3, NEW))
    assert loop.next is Next.PERSON
    assert place.saved == [(3,)]


def test_what_cannot_be_done_changes_nothing():
    loop, place, events = looped(start())
    for step, why in (
        (loop.undo, "no move of yours to take back"),
        (loop.agree, "no score to agree on"),
        (loop.play_on, "no score to agree on"),
        (loop.offer_draw, "no draw can be offered in Connect Four"),
    ):
        with pytest.raises(UsageError, match=why):
            step()
    with pytest.raises(MoveError, match="type a column from 1 to 7"):
        loop.move("9")
    assert (place.saved, events, loop.session.ply) == ([], [], 0)
    loop.resign()
    with pytest.raises(UsageError, match="the game is over"):
        loop.resign()
    assert place.finished == [End.YOU_RESIGNED]


def test_undo_and_hint():
    loop, place, events = looped(start())
    loop.move("4")
    replied(loop, 0)
    loop.hint().then(Decision(2, NEW))
    assert events[-1] == Hinted(2)
    assert loop.session.ply == 2
    loop.undo()
    assert place.saved[-1] == ()
    assert loop.next is Next.PERSON


@pytest.mark.parametrize("side", [1, -1])
def test_forced_passes_are_played_and_told(side):
    """Some side has no move in a game of placements that are drawn so."""
    session = Session(GAMES["othello6"], "random", side, 1)
    loop, place, events = looped(session)
    rng = iter(range(10**6))
    while not any(isinstance(event, Passed) for event in events) and loop.next is not Next.END:
        action = session.legal[next(rng) * 7 % len(session.legal)]
        if loop.next is Next.PERSON:
            loop.move(session.game.action_text(session.state, action))
        else:
            replied(loop, action)
    (passed,) = [event for event in events if isinstance(event, Passed)]
    at = [session.text(ply) for ply in range(session.ply)].index("pass")
    assert passed == Passed(session.chose(at - 1) is False, session.text(at - 1))
    assert len(place.saved[-1]) == session.ply


def test_an_opponent_resigns_or_plays_on():
    loop, place, events = looped(start(side=-1))
    replied(loop, RESIGN)
    assert (loop.next, place.finished) == (Next.END, [End.OPPONENT_RESIGNED])
    assert events == [Ended()]
    loop, _, events = looped(chess_at("", "random"))
    loop.offer_draw()
    assert events == [DrawRefused()]


def test_the_score_is_agreed_on_or_played_on():
    session = go9("D4 E5 pass pass")
    loop, place, events = looped(session)
    assert loop.next is Next.SCORE
    loop.play_on()
    assert (loop.next, events) == (Next.PERSON, [PlayedOn()])
    play(session, "pass pass")
    loop.agree()
    assert (loop.next, events[-1], len(place.finished)) == (Next.END, Ended(), 1)


def test_a_failed_write_is_said_and_the_game_goes_on():
    loop, place, _ = looped(start())
    place.full = True
    loop.move("4")
    assert loop.problem.strerror == "No space left on device"
    place.full = False
    replied(loop, 3)
    assert loop.problem is None
    assert len(place.saved[-1]) == 2
    place.full = True
    loop.resign()
    assert loop.problem is not None
    assert loop.next is Next.END


def test_a_clock_runs_for_the_side_to_move(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock(60, 2)
    session = Session(GAMES["connect4"], "random", 1, 1, clock=clock)
    loop, place, _ = looped(session, wait=lambda: now.__setitem__(0, now[0] + 5))
    now[0] += 10
    assert loop.person_has == 50
    loop.move("1")
    assert (clock.left[1], loop.person_has) == (52, None)
    replied(loop, 0)
    assert clock.left[-1] == 57, "the wait counts"
    now[0] += 51
    loop.time_up()
    assert session.end is None
    now[0] += 1
    loop.time_up()
    assert (session.end, place.finished) == (End.YOUR_TIME, [End.YOUR_TIME])


@pytest.mark.parametrize("side", [1, -1])
def test_a_move_that_comes_too_late_does_not_count(monkeypatch, side):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    session = Session(GAMES["connect4"], "random", side, 1, clock=Clock(60, 2))
    loop, _, events = looped(session)
    now[0] += 61
    loop.move("1") if side == 1 else replied(loop, 0)
    assert session.end is (End.YOUR_TIME if side == 1 else End.OPPONENTS_TIME)
    assert events == [Ended()]
