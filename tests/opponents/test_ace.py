"""ACE: the distribution over moves and the controller."""

import numpy as np
import pytest
from some_turns import EARLY

from evenmatch.errors import UsageError
from evenmatch.opponents.ace import OFFSET, Theta, VisitTemperature, probabilities
from evenmatch.opponents.controller import NEW, check_controller
from evenmatch.search import Plan


def test_moves_are_drawn_by_visits_to_the_power_of_one_over_tau():
    visits, legal = np.array([8, 2, 0, 90]), np.array([True, True, True, False])
    weights = (np.array([8, 2, 0]) + OFFSET) ** (1 / 0.5)
    wanted = [*weights / weights.sum(), 0]
    assert probabilities(visits, legal, 0.5) == pytest.approx(wanted)


def test_the_controller_keeps_the_seam():
    check_controller(lambda: VisitTemperature(Theta(0.7, 1.5, 2.0)))
    plan = VisitTemperature(Theta(0.7, 1.5, 2.0), Plan(simulations=9)).plan(EARLY, NEW)
    assert (plan.simulations, plan.prior_temperature, plan.c_puct) == (9, 1.5, 2.0)


@pytest.mark.parametrize("theta", [{"temperature": 0}, {"c_puct": float("nan")}])
def test_parameters_that_cannot_be(theta):
    with pytest.raises(UsageError, match="outside"):
        Theta(**theta)
