"""KL-regularised search: the policy between a person's and the search's."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from evenmatch.errors import UsageError
from evenmatch.games import get_game
from evenmatch.opponents.controller import Root, check_controller
from evenmatch.opponents.pikl import Regularized, corrected, plan_of, regularized, values
from evenmatch.search import Search
from evenmatch.search.evaluator import Evaluation
from evenmatch.search.forest import seeds_from
from evenmatch.search.plan import Plan

LEGAL = np.array([True, True, False, True])
PRIORS = np.array([0.5, 0.3, 0.0, 0.2], np.float32)
WORTH = np.array([-0.5, 0.2, 0.9, 0.1])


def test_keeps_the_seam():
    check_controller(partial(Regularized, 0.2, Plan()))


@pytest.mark.parametrize("temperature", [0.1, 0.5, 3.0])
def test_no_policy_is_better(temperature):
    """Against a numerical search for the highest E[Q] - lambda KL(pi, P)."""
    p, q = PRIORS[LEGAL].astype(float), WORTH[LEGAL]

    def loss(logits):
        pi = np.exp(logits - logits.max())
        pi /= pi.sum()
        return -(pi @ q) + temperature * (pi @ np.log(pi / p))

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    expected = np.exp(best - best.max())
    found = regularized(PRIORS, WORTH, LEGAL, temperature)
    assert found[LEGAL] == pytest.approx(expected / expected.sum(), abs=1e-4)
    assert found[2] == 0


def test_the_two_ends():
    assert regularized(PRIORS, WORTH, LEGAL, np.inf) == pytest.approx(PRIORS)
    assert regularized(PRIORS, WORTH, LEGAL, 1e-4).argmax() == 1


def root(visits, means, value=0.3):
    visits = np.array(visits, np.int32)
    return Root(visits, np.array(means), PRIORS, LEGAL, value, int(visits.argmax()))


def test_untried_actions_are_worth_as_much_as_the_worst_tried():
    assert values(root([3, 1, 0, 0], [0.1, 0.5, 0, 0])).tolist() == [0.1, 0.5, 0.1, 0.1]
    assert values(root([3, 1, 0, 0], [0.4, 0.5, 0, 0])).tolist() == [0.4, 0.5, 0.3, 0.3]
    assert values(root([0, 0, 0, 0], [0.0, 0, 0, 0])).tolist() == [0.3] * 4


@pytest.mark.parametrize("temperature", [0, -1, np.nan])
def test_impossible_temperatures(temperature):
    with pytest.raises(UsageError, match="outside"):
        Regularized(temperature, Plan())


def test_the_policy_is_sharpened_first():
    sharp = regularized(PRIORS, WORTH, LEGAL, np.inf, 0.5)
    assert sharp == pytest.approx(PRIORS**2 / (PRIORS**2).sum())
    with pytest.raises(UsageError, match="t=0 is outside"):
        Regularized(0.2, Plan(), 0)


def test_the_formula_by_hand():
    """At value 0.8, t = 2: P^(1 / 2^0.36) exp(arcsin(Q) / 0.5), beyond 1 as at 1."""
    found = corrected(root([5, 5, 0, 5], [0.5, 1.2, 0, -0.5], 0.8), 0.5, 2.0)
    angles = np.array([np.pi / 6, np.pi / 2, -np.pi / 6])
    weights = np.array([0.5, 0.3, 0.2]) ** (1 / 2**0.36) * np.exp(angles / 0.5)
    assert found[LEGAL] == pytest.approx(weights / weights.sum(), rel=1e-6)
    assert found[2] == 0


def test_near_value_0_nothing_changes():
    near = root([5, 5, 0, 5], [0.01, -0.02, 0, 0.03], 0.0)
    plain = corrected(near, 0.05, 1.4, plain=True)
    assert corrected(near, 0.05, 1.4) == pytest.approx(plain, abs=1e-4)
    assert plain == pytest.approx(regularized(PRIORS, near.means, LEGAL, 0.05, 1.4))


def test_a_piece_is_minded_when_all_is_lost_or_won():
    """A twentieth of the chance left is at stake: of 0.05 to win, and of 0.05 not to."""
    for sign in (-1, 1):
        edge = root([5, 5, 0, 5], [sign * 0.9, sign * 0.9 - 0.05, 0, sign * 0.9], sign * 0.9)
        minded, plain = (corrected(edge, 0.1, 1.4, plain=x)[1] for x in (False, True))
        assert minded < 0.8 * plain


class Seen:
    """The lost side's network, which says -0.9 of its positions, and what is asked of it."""

    def __init__(self, game):
        self.game, self.asked = game, 0

    def evaluate(self, states, head_dropout=None, seeds=None):
        self.asked += len(states)
        values = np.where(self.game.to_play(states) == 1, -0.9, 0.9).astype(np.float32)
        logits = np.tile(-np.arange(self.game.num_actions, dtype=np.float32), (len(states), 1))
        return Evaluation(logits, values)


def test_a_lost_side_looks_at_replies():
    """With moves not tried taken for draws it tries each of seven before it looks any deeper."""
    game = get_game("connect4")
    tried = []
    for plan in (Plan(simulations=20), plan_of(20)):
        trees = Search(game, Seen(game), trees=1, nodes=40)
        trees.plant([0], game.initial(), seeds_from(1, 1))
        tried.append((trees.run([0], [plan]).visits[0] > 0).sum())
    assert tried[0] == 7
    assert tried[1] < 7
