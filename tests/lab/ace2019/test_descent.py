"""ACE: the loss of moves, its gradient, and the descent."""

import numpy as np
import pytest

from evenmatch.games import get_game
from evenmatch.opponents.ace import OFFSET, Theta, probabilities
from evenmatch.opponents.networks import load_evaluator
from evenmatch.search import Plan, Search
from evenmatch_lab.ace2019 import theta_fit
from evenmatch_lab.ace2019.descent import (
    DELTA,
    Searched,
    best_temperature,
    cross_entropy,
    descend,
)  # fmt: skip


def made_up(rng, n=40, actions=6):
    legal = rng.random((n, actions)) < 0.7
    legal[:, 0] = True
    return Searched(np.where(legal, rng.integers(0, 50, (n, actions)), 0), legal)


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


def test_the_descent_finds_who_played():
    """300 Connect Four positions, moves drawn by a theta: the loss becomes about as low as theirs.

    It may be lower, by chance about 3 parameters / 2 / 300 = 0.005; visits of 20 simulations are
    rough, so the descent may end a little above.
    """
    game, rng, rows = get_game("connect4"), np.random.default_rng(3), np.arange(300)
    states = game.initial(300)
    for _ in range(6):
        states = game.after(states, (rng.random((300, 7)) * game.legal_mask(states)).argmax(1))
    search = Search(game, load_evaluator(game), trees=300, nodes=22)
    legal = game.legal_mask(states)

    def look(theta):
        search.plant(rows, states, 1 + rows)
        return Searched(search.run(rows, theta.plan(Plan(simulations=20))).visits, legal)

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


def valley(asked):
    """Searches whose loss is least at t = 2 and c_puct = 3; ``asked`` gets what is searched."""

    def look(theta):
        asked.append((theta.prior_temperature, theta.c_puct))
        away = np.log(theta.prior_temperature / 2) ** 2 + np.log(theta.c_puct / 3) ** 2
        visits = np.tile([40.0, 13.0, 2 + 10 * away], (4, 1))
        return Searched(visits, np.ones((4, 3), np.bool_))

    return look


def test_a_step_searches_a_theta_once():
    asked = []
    steps = list(descend(valley(asked), np.array([0, 0, 0, 1]), Theta(1.0, 1.0, 1.75)))
    assert len(steps) > 2
    assert len(set(asked)) == len(asked)
    for step in steps:
        assert (step.theta.prior_temperature, step.theta.c_puct) in asked


def test_a_step_s_loss_is_that_of_its_theta():
    """And its gradient is that of the losses a little on either side, tau fitted there."""
    look, actions = valley([]), np.array([0, 0, 0, 1])
    for step in descend(look, actions, Theta(1.0, 1.0, 1.75)):
        found = look(step.theta)
        assert step.theta.temperature == best_temperature(found, actions)
        assert step.loss == cross_entropy(found, actions, step.theta.temperature)
        for k in (1, 2):
            sides = []
            for sign in (-1, 1):
                beside = look(Theta.of_logs(step.theta.logs + sign * DELTA * np.eye(3)[k]))
                sides.append(cross_entropy(beside, actions, best_temperature(beside, actions)))
            assert step.gradient[k - 1] == pytest.approx((sides[1] - sides[0]) / (2 * DELTA))


def test_a_gain_on_the_same_moves_is_surer_than_either_loss():
    """Costs spread by 1 nat, what is gained of each by 0.1: 400 moves."""
    rng = np.random.default_rng(5)
    before = rng.normal(2, 1, 400)
    after = before - rng.normal(0.1, 0.1, 400)
    rows = [theta_fit.mean_by_people(x, np.arange(400)) for x in (before, after, before - after)]
    widths = [high - low for _, low, high in rows]
    assert rows[2][0] == pytest.approx(rows[0][0] - rows[1][0], abs=2e-4)
    assert widths[2] < 0.2 * min(widths[:2])


def test_a_gain_s_interval_holds_the_truth():
    """300 times 200 moves whose gains are skewed: 5.7% of the intervals miss (of 6,000), so that
    fewer than 4 or more than 39 do with a chance of 2e-5.
    """
    rng = np.random.default_rng(6)
    missed = 0
    for _ in range(300):
        _, low, high = theta_fit.mean_by_people(rng.exponential(0.2, 200), np.arange(200))
        missed += not low < 0.2 < high
    assert 4 <= missed < 40


def test_costs_are_those_of_single_moves():
    rng = np.random.default_rng(7)
    found = made_up(rng)
    actions = np.zeros(40, int)
    each = theta_fit.costs(found, actions, 0.7)
    assert each.mean() == pytest.approx(cross_entropy(found, actions, 0.7))
    pi = probabilities(found.visits, found.legal, 0.7)
    assert each[3] == pytest.approx(-np.log(pi[3, 0]))
