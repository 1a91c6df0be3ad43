import numpy as np
import pytest

from evenmatch.estimation.player_games import evals_around, lost_chances, winning_chances
from evenmatch.records.record import MATE, NO_EVAL


def losses_of(evals, side):
    return lost_chances(evals_around(evals, bool(side), len(evals[side::2]), 20))


def test_chances_are_even_at_zero_and_sure_at_mates():
    assert winning_chances(np.array([0.0, MATE, -MATE])) == pytest.approx([0.5, 1, 0], abs=0.001)
    assert winning_chances(np.array([100.0])) == pytest.approx([0.591], abs=0.001)


def test_each_side_loses_what_its_own_moves_give_up():
    """White goes from +20 to -80, Black gives 50 back, White's next move gains, Black's loses."""
    evals = np.array([-80, -30, 0, 200], np.int16)
    white, black = losses_of(evals, 0), losses_of(evals, 1)
    chance = lambda x: float(winning_chances(np.array([x]))[0])  # noqa: E731
    assert white == pytest.approx([chance(20) - chance(-80), 0])
    assert black == pytest.approx([chance(80) - chance(30), chance(0) - chance(-200)])


def test_a_missing_eval_leaves_two_moves_unknown():
    evals = np.array([10, NO_EVAL, 20, 30], np.int16)
    assert np.isnan(losses_of(evals, 0)).tolist() == [False, True]
    assert np.isnan(losses_of(evals, 1)).tolist() == [True, False]


def test_evals_are_for_the_mover():
    evals = np.array([-80, -30, 0, 200], np.int16)
    assert evals_around(evals, True, 2, 20).tolist() == [[80, 30], [0, -200]]
    assert evals_around(evals, False, 1, 20).tolist() == [[20, -80]]
    assert np.isnan(evals_around(None, False, 3, 20)).all()
