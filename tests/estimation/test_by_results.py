"""How far results lie from a level."""

import numpy as np
import pytest

from evenmatch.estimation.level import OFFSET_SPREAD, OFFSETS, results_offset
from evenmatch.ratings import expected_score


def test_nothing_is_known_before_the_first_result():
    assert results_offset(1500.0, []) == pytest.approx(0.0, abs=1e-6)


def test_results_as_expected_change_nothing():
    even = [(1500.0, 1.0), (1500.0, 0.0)] * 10
    assert results_offset(1500.0, even) == pytest.approx(0.0, abs=1e-6)


def test_one_result_moves_it_a_little_and_many_more():
    lost = [results_offset(1500.0, [(1500.0, 0.0)] * games) for games in (1, 3, 10)]
    assert 0 > lost[0] > -OFFSET_SPREAD
    assert lost[0] > lost[1] > lost[2] > OFFSETS[0]


def test_wins_and_losses_are_alike():
    assert results_offset(1500.0, [(1600.0, 1.0)]) == pytest.approx(
        -results_offset(1500.0, [(1400.0, 0.0)])
    )


def test_it_is_the_mean_of_the_posterior_by_hand():
    """A loss and a draw, summed over the grid as Bayes has it."""
    chances = 1 / (1 + (OFFSETS / 300) ** 2)
    expected = np.array([expected_score(1400.0 + x - 1500.0) for x in OFFSETS])
    chances *= (1 - expected) * np.sqrt(expected * (1 - expected))
    by_hand = float(chances @ OFFSETS / chances.sum())
    assert results_offset(1400.0, [(1500.0, 0.0), (1500.0, 0.5)]) == pytest.approx(
        by_hand, abs=1e-6
    )


def test_it_is_the_integral_over_student_s_t_with_one_degree():
    """Three losses and a win, integrated in steps of 0.1 Elo with nothing of the module's own."""
    elo = np.arange(-1500, 1500.05, 0.1)
    density = 1 / (np.pi * 300 * (1 + (elo / 300) ** 2))
    lost = 1 / (1 + 10 ** ((1600 + elo - 1500) / 400))
    won = 1 / (1 + 10 ** ((1300 - 1600 - elo) / 400))
    weights = density * lost**3 * won
    wanted = float(np.trapezoid(weights * elo, elo) / np.trapezoid(weights, elo))
    results = [(1500.0, 0.0)] * 3 + [(1300.0, 1.0)]
    assert results_offset(1600.0, results) == pytest.approx(wanted, abs=1)


def test_ten_losses_overrule_what_moves_say():
    """Moves of programs mislead by up to 650 Elo; so much is believed within ten games."""
    assert results_offset(1500.0, [(1500.0, 0.0)] * 10) < -650


@pytest.mark.parametrize("gap", [-600, -300, 0, 300, 600])
def test_in_the_long_run_the_opponent_is_as_strong(gap):
    """Points as they are expected, of a person whose results are ``gap`` from their level."""
    results, level = [], 1500.0
    for _ in range(40):
        rating = level + results_offset(level, results)
        results.append((rating, float(expected_score(level + gap - rating))))
    assert level + results_offset(level, results) == pytest.approx(level + gap, abs=60)
