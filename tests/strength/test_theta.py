"""ACE: the distribution over moves, its gradient, and the descent."""

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.players import load_evaluator
from evenmatch.search import Plan, Search
from evenmatch.strength.controller import check_controller
from evenmatch.strength.theta import (
    OFFSET,
    Searched,
    Theta,
    VisitTemperature,
    best_temperature,
    cross_entropy,
    descend,
    probabilities,
    theta_at,
)


def made_up(rng, n=40, actions=6):
    legal = rng.random((n, actions)) < 0.7
    legal[:, 0] = True
    return Searched(np.where(legal, rng.integers(0, 50, (n, actions)), 0), legal)


def test_moves_are_drawn_by_visits_to_the_power_of_one_over_tau():
    visits, legal = np.array([8, 2, 0, 90]), np.array([True, True, True, False])
    weights = (np.array([8, 2, 0]) + OFFSET) ** (1 / 0.5)
    wanted = [*weights / weights.sum(), 0]
    assert probabilities(visits, legal, 0.5) == pytest.approx(wanted)


def test_a_person_s_move_that_was_never_tried_costs_no_infinity():
    found = Searched(np.array([[100, 0]]), np.array([[True, True]]))
    loss = cross_entropy(found, np.array([1]), 1.0)
    assert loss == pytest.approx(-np.log(OFFSET / (100 + 2 * OFFSET)))


def test_the_best_temperature_is_the_least_of_many():
    rng = np.random.default_rng(1)
    found = made_up(rng)
    actions = np.array([rng.choice(np.flatnonzero(row)) for row in found.legal])
    best = best_temperature(found, actions)
    losses = [cross_entropy(found, actions, t) for t in np.geomspace(0.02, 50, 400)]
    assert cross_entropy(found, actions, best) <= min(losses) + 1e-6


def test_the_controller_keeps_the_seam():
    check_controller(lambda: VisitTemperature(Theta(0.7, 1.5, 2.0)))
    plan = VisitTemperature(Theta(0.7, 1.5, 2.0), Plan(simulations=9)).plan(None)
    assert (plan.simulations, plan.prior_temperature, plan.c_puct) == (9, 1.5, 2.0)


@pytest.mark.parametrize("theta", [{"temperature": 0}, {"c_puct": float("nan")}])
def test_parameters_that_cannot_be(theta):
    with pytest.raises(UsageError, match="outside"):
        Theta(**theta)


def test_the_descent_finds_who_played():
    """300 Connect Four positions, moves drawn by a theta: the loss becomes about as low as theirs.

    It may be lower, by chance about 3 parameters / 2 / 300 = 0.005; visits of 40 simulations are
    rough, so the descent may end a little above.
    """
    game, rng, rows = get_game("connect4"), np.random.default_rng(3), np.arange(300)
    states = game.initial(300)
    for _ in range(6):
        states = game.after(states, (rng.random((300, 7)) * game.legal_mask(states)).argmax(1))
    search = Search(game, load_evaluator(game), trees=300, nodes=48)
    legal = game.legal_mask(states)

    def look(theta):
        search.plant(rows, states, 1 + rows)
        return Searched(search.run(rows, theta.plan(Plan(simulations=40))).visits, legal)

    truth = Theta(0.6, 1.8, 2.5)
    played = look(truth)
    pi = probabilities(played.visits, legal, truth.temperature)
    actions = (pi.cumsum(1) > rng.random((300, 1))).argmax(1)
    theirs = cross_entropy(played, actions, truth.temperature)
    steps = list(descend(look, actions, Theta(1.0, 1.0, 0.5)))
    losses = [step.loss for step in steps]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > theirs + 0.05
    assert losses[-1] < theirs + 0.02


def test_parameters_of_ace_lie_between_those_fitted():
    one, two = Theta(0.5, 1.0, 1.0), Theta(2.0, 1.0, 4.0)
    thetas = {1800.0: two, 1400.0: one}
    assert theta_at(thetas, 1000) == one
    assert theta_at(thetas, 2400) == two
    assert theta_at(thetas, 1600).values == pytest.approx((1.0, 1.0, 2.0))
