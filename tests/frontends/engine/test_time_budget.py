"""The clock: a move never takes what is not there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.frontends.engine.time_budget import (
    BLACK,
    LEAST,
    WHITE,
    Clocks,
    TimeControl,
    read_time_settings,
)

SECONDS = st.floats(0, 4000)
CONTROLS = st.one_of(
    st.builds(TimeControl, SECONDS),
    st.builds(TimeControl, SECONDS, st.floats(0.1, 100), stones=st.integers(1, 25)),
    st.builds(TimeControl, SECONDS, st.floats(0.1, 100), periods=st.integers(1, 10)),
    st.builds(TimeControl, SECONDS, bonus=st.floats(0, 60), most=st.floats(4000, 9000)),
    st.builds(TimeControl, SECONDS, bonus=st.floats(0, 60), most_move=st.floats(1, 60)),
)


def in_time(clocks, side, seconds):
    """Whether a side that takes so long is still in time, as an arbiter counts."""
    left, count = clocks.left(side)
    control = clocks.control
    if count:
        return seconds <= left + (control.periods > 0) * (count - 1) * control.period
    return seconds <= left + control.overtime * control.period * max(control.periods, 1)


@given(CONTROLS, st.floats(1, 200), st.floats(0, 1), st.integers(1, 80))
def test_it_is_never_late(control, moves, lag, plies):
    """However long the game: what it allows itself it has, beside the least that a move takes."""
    clocks = Clocks(control)
    for _ in range(plies):
        seconds = clocks.seconds_for(BLACK, moves, lag)
        assert seconds >= LEAST
        assert seconds == LEAST or in_time(clocks, BLACK, seconds)
        clocks.spend(BLACK, seconds)
    assert clocks.left(WHITE) == Clocks(control).left(WHITE)


@pytest.mark.parametrize("control", [TimeControl(60), TimeControl(60, 0, 5), None])
def test_a_count_without_overtime_is_passed_over(control):
    clocks = Clocks(control)
    clocks.set_left(BLACK, 10, 5)
    assert clocks.left(BLACK) == (10, 0)
    clocks.spend(BLACK, 4)
    assert clocks.left(BLACK) == (10 if control is None else 6, 0)


@pytest.mark.parametrize(
    ("control", "left", "budget"),
    [
        # Canadian overtime: a share of the time, and no more because the period ends with a stone
        (TimeControl(0, 30, stones=10), (30, 10), 2.4),
        (TimeControl(0, 30, stones=10), (25, 1), 2.4),
        (TimeControl(0, 30, stones=10), (18, 9), 1.6),
        (TimeControl(0, 30, stones=10), (5, 5), 0.8),
        (TimeControl(0, 300, stones=25), (25, 1), 9.6),
        (TimeControl(0, 30, stones=1), (30, 1), 24),  # a period for each stone
        (TimeControl(0, 30, stones=1), (10, 1), 8),
        # periods of one move each
        (TimeControl(0, 10, periods=5), (10, 5), 8),
        (TimeControl(0, 10, periods=5), (4, 1), 3.2),
        # main time, for 30 more moves, and a share of the overtime behind it
        (TimeControl(60), (60, 0), 2),
        (TimeControl(60, 30, stones=10), (60, 0), 4.4),
        # Fischer's time: a share of the main time and of the bonus, half of the main time at most
        (TimeControl(60, bonus=5), (60, 0), 6),
        (TimeControl(60, bonus=5), (4, 0), 2),
        (TimeControl(60, bonus=5, most_move=3), (60, 0), 3),
    ],
)
def test_budgets(control, left, budget):
    clocks = Clocks(control)
    clocks.set_left(BLACK, *left)
    assert clocks.seconds_for(BLACK, 30, 0) == pytest.approx(budget)


def test_bonuses_are_counted():
    clocks = Clocks(TimeControl(60, bonus=10, most=65))
    clocks.spend(BLACK, 20)
    assert clocks.left(BLACK) == (50, 0)
    clocks.spend(BLACK, 1)
    clocks.spend(BLACK, 1)
    assert clocks.left(BLACK) == (65, 0)


def test_overtime_is_counted():
    clocks = Clocks(read_time_settings(10, 30, 2))
    clocks.spend(BLACK, 15)
    assert clocks.left(BLACK) == (25, 1)
    clocks.spend(BLACK, 5)
    assert clocks.left(BLACK) == (30, 2)  # the next period
    clocks = Clocks(TimeControl(0, 10, periods=3))
    clocks.spend(WHITE, 5)
    assert clocks.left(WHITE) == (10, 3)
    clocks.spend(WHITE, 12)
    assert clocks.left(WHITE) == (10, 2)


def test_what_the_controller_says_counts():
    clocks = Clocks(read_time_settings(60, 30, 10))
    clocks.set_left(BLACK, 12, 4)
    assert clocks.left(BLACK) == (12, 4)
    clocks.set_left(BLACK, -3, 0)
    assert clocks.seconds_for(BLACK, 10, 0) > LEAST  # the overtime is still to come
    clocks.restart()
    assert clocks.left(BLACK) == (60, 0)
