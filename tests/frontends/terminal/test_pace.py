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


def test_the_opening_and_only_moves_are_quick():
    """The same draws, so that the ratios hold exactly where no time is cut."""
    usual, few = drawn(mean=1.0), drawn(mean=1.0, choices=1)
    first, fourth, late = (drawn(mean=1.0, ply=ply) for ply in (0, 8, 16))
    whole = usual < 4
    assert few[whole] == pytest.approx(0.2 * usual[whole])
    assert first[whole] == pytest.approx(0.25 * usual[whole])
    assert fourth[whole] == pytest.approx(0.625 * usual[whole])
    assert (late == usual).all()
    assert drawn(mean=1.0, ply=0, choices=1)[whole] == pytest.approx(0.2 * usual[whole])


@pytest.mark.parametrize("mean", [0.0, -1.0])
def test_without_time_there_is_no_waiting(mean):
    assert drawn(mean=mean, count=10).max() == 0


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


@pytest.mark.parametrize("base", [150, 180, 300, 600, 1800])
@pytest.mark.parametrize("increment", [0, 0.2, 0.5, 2, 10])
def test_a_game_of_300_moves_does_not_run_out_of_time(base, increment):
    """Thinking times are uniform up to 0.5 s: those of m moves add up to m / 4 s with a standard
    deviation of up to 2.5 s, and 10 s more than m / 4 are kept back. The times are the same in all
    cases, so that the false-alarm probability is about 1e-4 (twice that of 4 deviations).
    """
    thinking = np.random.default_rng(3).uniform(0, THINKING, 300)
    assert lowest(base, increment, thinking) > 0


@given(BASES, INCREMENTS, st.integers(1, 300))
def test_waits_alone_leave_time(base, increment, moves):
    assert lowest(base, increment, [0.0] * moves) > 0


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


def test_more_time_is_used_where_there_is_more():
    means = [mean_with_clock(left, 0, 0) for left in (60, 100, 180, 600, 1800)]
    assert means[0] == 0
    assert means == sorted(means)
    assert means[3] == pytest.approx((600 - 10 - 75) / 40)
    assert mean_with_clock(600, 0, 200) == pytest.approx((600 - 10 - 50) / 40)
    assert mean_with_clock(600, 10, 0) == pytest.approx((600 - 10) / 40 + 0.8 * 9.5)
    assert mean_with_clock(15, 10, 0) == pytest.approx(0.5), "of 5 s that are free, up to 2"
