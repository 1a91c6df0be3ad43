"""How long an opponent waits: about the time wanted, and never so long that it loses on time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.frontends.terminal.pace import THINKING, mean_with_clock, seconds_to_move


def drawn(mean=10.0, ply=40, choices=30, count=4000):
    rng = np.random.default_rng(1)
    return np.array([seconds_to_move(mean, ply, choices, rng) for _ in range(count)])


def test_the_average_is_the_one_wanted():
    """The mean of min(X, 4) is 0.975 by numerical integration of the log-normal density; that of
    4,000 draws has a standard error of 0.0127 and is off by more than 0.064 with a chance of 1e-6.
    """
    assert drawn().mean() == pytest.approx(9.75, abs=0.64)


def test_times_differ_and_none_is_too_long():
    times = drawn(count=20_000)
    assert 0 < times.min() < 2
    assert times.max() == 40, "4 times the mean is reached: 1.7% of 20,000 draws would go further"
    assert np.median(times) < 8, "exp(-0.32) of the mean, 7.26; its standard error is 0.07"


def test_equal_seeds_give_equal_times():
    assert (drawn(count=5) == drawn(count=5)).all()


# -- a clock ---------------------------------------------------------------------------------------


def lowest(base, increment, thinking, wait=4.0):
    """Play a game whose moves all take ``wait`` times the mean; return the least time left."""
    left = least = base
    for number, thought in enumerate(thinking):
        left -= wait * mean_with_clock(left, increment, 2 * number) + thought
        least = min(least, left)
        left += increment
    return least


BASES, INCREMENTS = st.floats(30, 1800), st.floats(0, 10)


@given(BASES, INCREMENTS, st.lists(st.floats(0, THINKING), min_size=1, max_size=150))
def test_waiting_never_costs_the_game(base, increment, thinking):
    """Even if every move takes the longest possible."""
    alone = np.cumsum(thinking) - increment * np.arange(len(thinking))
    if base > alone.max():  # else thinking alone needs it all
        assert lowest(base, increment, thinking) > 0


@given(BASES, st.integers(0, 10), st.integers(0, 2**32))
def test_drawn_waits_leave_time(base, increment, seed):
    """Whole games as they are played: a wait that was drawn, then thinking."""
    rng, left = np.random.default_rng(seed), base
    moves = 150 if increment or base > 75 else 60  # that thinking alone leaves time for
    for number in range(moves):
        mean = mean_with_clock(left, increment, 2 * number)
        left -= seconds_to_move(mean, 2 * number, int(rng.integers(1, 40)), rng)
        left -= rng.uniform(0, THINKING)
        assert left > 0
        left += increment
