"""The level after some games: the numbers of the page, and what is compared."""

import math

import numpy as np
import pytest

from evenmatch.ratings.belief import Belief
from evenmatch.workshop.datasets.dataset import Sides
from evenmatch_lab.ours import level_tracking
from evenmatch_lab.ours.level_tracking import KINDS, NUMBERS, numbers_of, of_belief, of_glicko
from evenmatch_lab.shared.glicko2 import Glicko


def person(rating, told):
    """A person of whom all kinds of evidence tell the same."""
    row = {str(n): {"rating": rating} | dict.fromkeys(KINDS, told) for n in NUMBERS}
    return row | {"months": 2}


def test_error_coverage_and_score():
    people = [
        person(1500, [1530, 1400, 1600, -6.0]),
        person(1500, [1460, 1490, 1520, -7.0]),
        person(1500, [1500, 1510, 1600, -8.0]),
    ]
    error, holds, score = numbers_of(people, 5, "both")
    assert error.startswith(f"{math.sqrt((900 + 1600) / 3):.0f} (")
    assert holds.startswith("67% ±")
    assert score.startswith("-7.00 ±")


def test_a_belief_and_a_normal_distribution_are_told_alike():
    """Of one normal distribution the density is the same, but for the grid."""
    grid = np.arange(0.0, 3000.0, 5.0)
    belief = Belief(grid, -((grid - 1500) ** 2) / (2 * 100**2))
    told, normal = of_belief(belief, 1600.0), of_glicko(Glicko(1500, 100), 1600.0)
    assert told == pytest.approx(normal, abs=2)
    assert told.density == pytest.approx(normal.density, abs=0.01)


def test_a_rating_outside_the_grid_counts_at_its_end():
    belief = Belief(np.arange(1000.0, 2000.0, 10.0))
    assert of_belief(belief, 2500.0).density == of_belief(belief, 1990.0).density


def test_results_are_the_persons():
    games = np.zeros(2, [("ratings", "u2", 2), ("result", "i1")])
    games["ratings"], games["result"] = [[1500, 1600], [1400, 1300]], [1, 0]
    dataset = type("D", (), {"games": games})
    sides = Sides(np.array([0, 0, 1]), np.array([0, 1, 1]))
    others, points = level_tracking.results_of(dataset, sides)
    assert others.tolist() == [1600, 1500, 1400]
    assert points.tolist() == [1, 0, 0.5]
