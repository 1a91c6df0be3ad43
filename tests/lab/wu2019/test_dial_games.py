"""What is kept of a dial's games, on the smallest searches."""

import itertools
import math

import numpy as np
import pytest

from evenmatch.arena import Pairing, Played
from evenmatch_lab.wu2019 import dial_games
from evenmatch_lab.wu2019.dial_games import USUAL, Candidates


def quiet(done, total):
    """No progress bar."""


def test_points_are_counted_for_the_dial_and_candidates_by_the_threshold():
    used = (math.inf, 0.0, -math.inf)
    part = dial_games.measure(Candidates(0.5), used, 8, 6, quiet, {})
    assert [point["z"] for point in part["points"]] == ["inf", "0.0", "-inf"]
    for point in part["points"]:
        assert sum(point["pairs"]) == 3
        counts = [point["halves"].count(n) for n in range(5)]
        assert counts == point["pairs"]
    assert part["points"][0]["own"] == 0
    assert len(part["positions"]) == 3
    assert 50 < sum(part["positions"]) < 6 * 30  # those of z = 0 alone, six games of some 27 moves
    assert 1 <= part["candidates"] <= 8
    assert part["weak"] == 0
    rising = part["e_norm"]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(rising))


def test_sums_by_opening_are_those_of_its_positions():
    visits = np.array([[100, 50, 0], [10, 10, 1], [1, 4, 2]])
    kept = dial_games.of_roots(USUAL, np.array([0, 2, 2]), visits, 3)
    assert kept["positions"] == [1, 0, 2]
    lowest = [math.log(0.5), 0.0, math.log(0.1) + math.log(0.25)]
    assert kept["strengths"]["-inf"] == pytest.approx(lowest, abs=0.006)
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


def test_each_point_meets_the_next():
    part = dial_games.measure_steps((math.inf, 0.0, -math.inf), 4, 4, quiet, {})
    assert [step["z"] for step in part["steps"]] == ["inf", "0.0"]
    assert all(sum(step["pairs"]) == 2 for step in part["steps"])
