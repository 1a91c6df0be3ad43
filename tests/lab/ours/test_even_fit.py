"""How the answers move, by hand."""

import numpy as np
import pytest

from evenmatch.opponents.even import SEEN
from evenmatch.search.styles import STRONGEST
from evenmatch_lab.ours.even_fit import RATE, STILL, moved

LEVELS = len(SEEN)


def test_answers_move_against_results_where_levels_were_seen():
    """Two games lost at level 2, one won at level 5, one drawn at level 7; level 0 never seen."""
    answers = np.full(LEVELS, 3.0)
    seen = np.zeros((4, LEVELS))
    seen[[0, 1, 2, 3], [2, 2, 5, 7]] = 1
    after = moved(answers, seen, np.array([-1, -1, 1, 0]), k=0)
    assert after[2] == pytest.approx(3 + RATE * 2 / (2 + STILL))
    assert after[5] == pytest.approx(3 - RATE * 1 / (1 + STILL))
    assert after[[0, 1, 3, 4, 6, 7, 8]] == pytest.approx(3)
    assert after[-1] == STRONGEST


def test_later_rounds_move_less_and_styles_have_bounds():
    seen = np.ones((50, LEVELS)) / LEVELS
    won = np.ones(50)
    first, later = (moved(np.full(LEVELS, 3.0), seen, won, k) for k in (0, 9))
    assert (first[:-1] < later[:-1]).all()
    assert (moved(np.zeros(LEVELS), seen, won, 0)[:-1] == 0).all()
    assert (moved(np.full(LEVELS, 7.0), seen, -won, 0) == STRONGEST).all()
