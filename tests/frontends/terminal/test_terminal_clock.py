"""Clocks and pace in the terminal."""

import time
from contextlib import contextmanager

import pytest
from scripted_terminal import Scripted, saved

from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.typed import TimeUp
from evenmatch.games import GAMES
from evenmatch.play import session
from evenmatch.play.clock import Clock
from evenmatch.play.session import Session


class Slow(Scripted):
    """Takes a while for every word."""

    def __init__(self, words, seconds):
        super().__init__(words)
        self.seconds = seconds

    def next(self, prompt):
        time.sleep(self.seconds)
        return super().next(prompt)


@pytest.mark.parametrize(
    ("base", "words", "line"),
    [
        (0.01, "4", "Your time is up: mcts wins."),
        (600, "4 resign y", "You resigned: mcts wins."),
    ],
)
@pytest.mark.parametrize("timer", [True, False])
def test_a_clock_is_kept(monkeypatch, capsys, base, words, line, timer):
    """Also where no timer ends the wait: then a move that comes too late does not count."""
    limits = []

    @contextmanager
    def limited(seconds):
        yield
        if seconds is not None:
            limits.append(seconds)
            if timer and seconds < 0.05:
                raise TimeUp

    monkeypatch.setattr(terminal, "PAUSE", 0)
    monkeypatch.setattr(terminal, "time_limit", limited)
    monkeypatch.setattr(session, "_evaluator_of", lambda *_: None)
    clock = Clock(base, 0)
    one = Session(GAMES["connect4"], "mcts:sims=2", 1, 3, clock=clock)
    terminal.TerminalGame(one, words=Slow(words, 0.05)).run()
    assert line in capsys.readouterr().out
    assert 0 <= limits[0] <= base
    assert limits == sorted(limits, reverse=True)


def test_the_clock_is_read_when_the_board_is_drawn_again(monkeypatch, capsys):
    monkeypatch.setattr(session, "_evaluator_of", lambda *_: None)
    one = Session(GAMES["connect4"], "random", 1, 3, clock=Clock(600, 0))
    terminal.TerminalGame(one, words=Slow("board resign y", 0.6)).run()
    first, again, *_ = [
        line for line in capsys.readouterr().out.splitlines() if "R You (Red)" in line
    ]
    assert first.endswith("10:00")
    assert again.endswith(("9:59", "9:58"))


def test_the_clock_of_an_unfinished_game_goes_on(run):
    run("play", "connect4", "-o", "random", "--time", "1+0", lines="4 quit")
    base, increment, yours, theirs = saved("connect4").clock
    shown = Clock(base, increment, {1: yours, -1: theirs})
    assert (base, increment) == (60, 0)
    assert 0 < yours < 60
    assert 0 < theirs < 60
    again = run("play", "connect4-1", lines="quit").stdout
    assert f"R You (Red)  {shown.text(1)}\n" in again


@pytest.mark.parametrize(
    ("interactive", "pace", "rated", "clock", "waits"),
    [
        (True, None, True, None, terminal.PACE),
        (True, None, False, None, 0.7),
        (True, 0.0, True, None, 0.0),
        (True, 2.0, False, None, 2.0),
        (False, None, True, None, 0.0),
        (False, 2.0, True, None, 2.0),
        (True, None, True, Clock(600, 0), 50.0),
    ],
)
def test_the_pace_of_opponents(monkeypatch, interactive, pace, rated, clock, waits):
    """The mean is handed to the model of people's times, which has tests of its own."""
    monkeypatch.setattr(session, "_evaluator_of", lambda game, opponent: None)
    monkeypatch.setattr(terminal, "seconds_to_move", lambda mean, *_: mean)
    monkeypatch.setattr(terminal, "mean_with_clock", lambda *_: 50.0)
    waited = []
    monkeypatch.setattr(terminal.time, "sleep", waited.append)
    spec = "human:elo=1500" if rated else "random"
    one = Session(GAMES["chess"], spec, 1, 3, pace=pace, clock=clock)
    words = Scripted("e4 quit")
    words.interactive = interactive
    terminal.TerminalGame(one, words=words).run()
    assert waited == [pytest.approx(waits, abs=1)]
