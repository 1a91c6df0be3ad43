"""What is kept of a dial's games, on the smallest searches."""

import itertools
import math

import numpy as np
import pytest

from evenmatch.play.arena import Pairing, Played
from evenmatch_lab.wu2019 import dial_games
from evenmatch_lab.wu2019.dial_games import GAME, USUAL, Candidates


def quiet(done, total):
    """No progress bar."""


def test_a_point_is_counted_by_openings_and_its_candidates_by_the_threshold():
    part = dial_games.measure(GAME, Candidates(0.5), 0.0, 8, 6, quiet, {})
    point, roots = part["point"], part["roots"]
    assert sum(point["pairs"]) == 3
    assert [point["halves"].count(n) for n in range(5)] == point["pairs"]
    assert len(roots["positions"]) == 3
    assert 50 < sum(roots["positions"]) < 6 * 30  # six games of some 27 moves
    assert 1 <= roots["candidates"] <= 8
    assert roots["weak"] == 0
    rising = roots["e_norm"]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(rising))
    assert point["own"] == rising[dial_games.CURVE.index(0.0)]
    assert dial_games.measure(GAME, USUAL, math.inf, 4, 2, quiet, {})["point"]["own"] == 0


def test_sums_by_opening_are_those_of_its_positions():
    visits = np.array([[100, 50, 0], [10, 10, 1], [1, 4, 2]])
    kept = dial_games.of_roots(USUAL, np.array([0, 2, 2]), visits, 3)
    assert kept["positions"] == [1, 0, 2]
    lowest = [math.log(0.5), 0.0, math.log(0.1) + math.log(0.25)]
    assert kept["lowest"] == pytest.approx(lowest, abs=0.006)
    assert kept["candidates"] == pytest.approx((2 + 3 + 3) / 3)
    assert kept["most_visits"] == pytest.approx((100 + 10 + 4) / 3)
    weak = dial_games.of_roots(Candidates(0.0, 2), np.array([0]), np.array([[100, 9, 8]]), 1)
    assert (weak["candidates"], weak["weak"]) == (2.0, 1.0)


def test_half_points_are_the_players_whichever_side_it_has():
    played = [
        Played(Pairing(0, 1, opening=3), 1.0, ()),
        Played(Pairing(1, 0, opening=3), 0.0, ()),
        Played(Pairing(0, 1, opening=1), -1.0, ()),
        Played(Pairing(1, 0, opening=1), 1.0, ()),
        Played(Pairing(2, 1, opening=1), 1.0, ()),
    ]
    assert dial_games.halves(played, 0, 1) == [0, 3]
