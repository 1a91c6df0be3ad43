"""Clocks and pace in the terminal; the clock itself is tested in tests/play/test_game_loop.py."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_terminal import Scripted, saved

from evenmatch.frontends.terminal import game as terminal
from evenmatch.frontends.terminal.pace import THINKING, mean_with_clock, seconds_to_move
from evenmatch.frontends.terminal.typed import TimeUp
from evenmatch.games import GAMES
from evenmatch.play import session
from evenmatch.play.clock import Clock
from evenmatch.play.session import Session


@pytest.mark.parametrize(
    ("base", "line"),
    [(1e-6, "Your time is up: random wins."), (600, "You resigned: random wins.")],
)
def test_words_are_awaited_as_long_as_there_is_time(monkeypatch, capsys, base, line):
    limits = []

    @contextmanager
    def limited(seconds):
        yield
        limits.append(seconds or 0)
        if seconds is not None and seconds < 0.05:
            raise TimeUp

    monkeypatch.setattr(terminal, "time_limit", limited)
    one = Session(GAMES["connect4"], "random", 1, 3, clock=Clock(base, 0), pace=0)
    terminal.TerminalGame(one, words=Scripted("4 resign y n")).run()
    assert line in capsys.readouterr().out
    assert limits[0] <= base


def test_the_clock_of_an_unfinished_game_goes_on(run):
    run("play", "connect4", "-o", "random", "--time", "1+0", lines="4 quit")
    base, increment, yours, theirs = saved("connect4").clock
    shown = Clock(base, increment, {1: yours, -1: theirs})
    assert (base, increment) == (60, 0)
    assert 0 < yours < 60
    assert 0 < theirs < 60
    again = run("play", "connect4-1", lines="quit").stdout
    assert f"R You (Red)  {shown.text(1)}\n" in again


RATED = "human:elo=1500"


@pytest.mark.parametrize(
    ("interactive", "pace", "spec", "clock", "waits"),
    [
        (True, None, RATED, None, terminal.PACE),
        (True, None, "random", None, 0.7),
        (True, 0.0, RATED, None, 0.0),
        (True, 2.0, "random", None, 2.0),
        (False, None, RATED, None, 0.0),
        (False, 2.0, RATED, None, 2.0),
        (True, None, RATED, Clock(600, 0), 50.0),
        (True, None, "even:sims=2", Clock(600, 0), 50.0),
    ],
)
def test_the_pace_of_opponents(monkeypatch, interactive, pace, spec, clock, waits):
    """The mean is handed to the model of people's times, where opponents play as people do."""
    monkeypatch.setattr(session, "_evaluator_of", lambda game, opponent: None)
    monkeypatch.setattr(terminal, "seconds_to_move", lambda mean, *_: mean)
    monkeypatch.setattr(terminal, "mean_with_clock", lambda *_: 50.0)
    waited = []
    monkeypatch.setattr(terminal.time, "sleep", waited.append)
    one = Session(GAMES["chess"], spec, 1, 3, pace=pace, clock=clock)
    words = Scripted("e4 quit")
    words.interactive = interactive
    terminal.TerminalGame(one, words=words).run()
    assert waited == [pytest.approx(waits, abs=10)]


def drawn(count=4000):
    rng = np.random.default_rng(1)
    return np.array([seconds_to_move(10.0, 40, 30, rng) for _ in range(count)])


def test_the_average_is_the_one_wanted_and_no_time_is_too_long():
    """The mean of min(X, 4) is 0.975 by numerical integration of the log-normal density; that of
    4,000 draws has a standard error of 0.0127 and is off by more than 0.064 with a chance of 1e-6.
    """
    assert drawn().mean() == pytest.approx(9.75, abs=0.64)
    times = drawn(20_000)
    assert 0 < times.min() < 2
    assert times.max() == 40, "4 times the mean is reached: 1.7% of 20,000 draws would go further"
    assert (drawn(5) == drawn(5)).all()


@given(
    st.floats(30, 1800),
    st.floats(0, 10),
    st.lists(st.floats(0, THINKING), min_size=1, max_size=150),
)
def test_waiting_never_costs_the_game(base, increment, thinking):
    """Even if every move takes the longest possible."""
    alone = np.cumsum(thinking) - increment * np.arange(len(thinking))
    left = least = base
    for number, thought in enumerate(thinking):
        left -= 4 * mean_with_clock(left, increment, 2 * number) + thought
        least = min(least, left)
        left += increment
    assert least > 0 or base <= alone.max(), "else thinking alone needs it all"
