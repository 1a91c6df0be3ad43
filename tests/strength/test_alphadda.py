import math

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.search import Plan
from evenmatch.strength import (
    ALPHADDA1,
    AlphaDDA1,
    AlphaDDA1Config,
    Fixed,
    Root,
    View,
    check_controller,
)
from evenmatch.strength.alphadda import simulations

OTHELLO = ALPHADDA1["othello"]


def view(*values):
    return View(10, 1, np.array(values, np.float32))


@pytest.mark.parametrize("game", ALPHADDA1)
@pytest.mark.parametrize("quirks", [False, True])
def test_controller_conforms(game, quirks):
    check_controller(lambda: AlphaDDA1(ALPHADDA1[game], Plan(), quirks))


def test_fixed_conforms():
    check_controller(lambda: Fixed(Plan()))


def test_simulations_by_hand():
    # Fujita 2022 eq. 2 with Othello's A = 2.8, B = -1.4: 10^(2.8 * 1.4) = 8317.6 at v = 0
    assert simulations(0.0, OTHELLO) == 400  # eq. 3: capped at N_max
    assert simulations(1.0, OTHELLO) == math.ceil(10 ** (2.8 * 0.4)) == 14
    # the paper says of Connect Four: 7 simulations when it is sure of winning
    assert simulations(1.0, ALPHADDA1["connect4"]) == 7


def test_simulations_fall_as_it_stands_better():
    counts = [simulations(v, OTHELLO) for v in np.linspace(-1, 1, 201)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 400
    assert counts[-1] == 14


def test_extreme_constants_stay_in_range():
    wild = AlphaDDA1Config(n_h=1, a=1000, x0=-1000, n_max=300)
    assert simulations(-1.0, wild) == 300
    assert simulations(-1.0, AlphaDDA1Config(n_h=1, a=1000, x0=1000, n_max=300)) == 1


def test_plan_uses_the_mean_value():
    controller = AlphaDDA1(OTHELLO, Plan(c_puct=2.0))
    plan = controller.plan(view(1.0, 0.8))
    assert plan.simulations == simulations(0.9, OTHELLO)
    assert plan.c_puct == 2.0


def test_quirks_cost_a_simulation_and_play_the_first_legal_action():
    config = AlphaDDA1Config(n_h=5, a=2.0, x0=0.0, n_max=50)
    controller = AlphaDDA1(config, Plan(), quirks=True)
    assert controller.value_history == 2  # the authors' code kept two positions only
    plan = controller.plan(view(1.0, 1.0))
    assert plan.simulations == 1  # N_sim = 1: the root alone
    assert plan.random_root == 0.2
    legal = np.array([False, True, True])
    root = Root(np.array([0, 0, 1]), np.zeros(3), np.ones(3), legal, 0.0, best=2)
    assert controller.choose(root, np.random.default_rng(0)) == 1
    assert controller.plan(view(-1.0, -1.0)).simulations == simulations(-1.0, config) - 1
    assert controller.choose(root, np.random.default_rng(0)) == 2


@pytest.mark.parametrize(
    "wrong", [{"n_h": 0}, {"a": -1.0}, {"n_max": 0}, {"a": math.nan}, {"x0": math.inf}]
)
def test_bad_constants(wrong):
    good = {"n_h": 1, "a": 2.0, "x0": -1.4, "n_max": 200}
    with pytest.raises(UsageError, match="outside"):
        AlphaDDA1Config(**(good | wrong))


@pytest.mark.parametrize("wrong", [{"simulations": 0}, {"c_puct": math.nan}, {"head_dropout": 1.0}])
def test_bad_plans(wrong):
    with pytest.raises(UsageError, match="outside"):
        Plan(**wrong)
