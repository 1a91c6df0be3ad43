"""KL-regularised search: the policy between a person's and the search's."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from evenmatch.errors import UsageError
from evenmatch.search.plan import Plan
from evenmatch.strength import Root, check_controller
from evenmatch.strength.regularized import Regularized, regularized, values

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


def root(visits, means):
    visits = np.array(visits, np.int32)
    return Root(visits, np.array(means), PRIORS, LEGAL, 0.3, int(visits.argmax()))


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
