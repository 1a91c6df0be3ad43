import math

import numpy as np
import pytest
from some_turns import drawn

from evenmatch.errors import UsageError
from evenmatch.games import GAMES
from evenmatch.opponents.alphadda import (
    PAPER,
    AlphaDDA1,
    AlphaDDA1Config,
    AlphaDDA2,
    AlphaDDA3,
    AlphaDDA3Config,
    dropout,
    simulations,
)  # fmt: skip
from evenmatch.opponents.controller import NEW, Fixed, Root, View, check_controller
from evenmatch.search import Plan, Rule, Search
from evenmatch.search.evaluator import Evaluation

OTHELLO = PAPER["alphadda1"]["othello"]


def view(*values):
    return View(10, 1, np.array(values, np.float32))


@pytest.mark.parametrize("game", PAPER["alphadda1"])
@pytest.mark.parametrize("quirks", [False, True])
def test_controller_conforms(game, quirks):
    check_controller(lambda: AlphaDDA1(PAPER["alphadda1"][game], Plan(), quirks))


def test_fixed_conforms():
    check_controller(lambda: Fixed(Plan()))


def test_simulations_by_hand():
    # Fujita 2022 eq. 2 with Othello's A = 2.8, B = -1.4: 10^(2.8 * 1.4) = 8317.6 at v = 0
    assert simulations(0.0, OTHELLO) == 400  # eq. 3: capped at N_max
    assert simulations(1.0, OTHELLO) == math.ceil(10 ** (2.8 * 0.4)) == 14
    # the paper says of Connect Four: 7 simulations when it is sure of winning
    assert simulations(1.0, PAPER["alphadda1"]["connect4"]) == 7


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
    plan = controller.plan(view(1.0, 0.8), NEW)
    assert plan.simulations == simulations(0.9, OTHELLO)
    assert plan.c_puct == 2.0


def test_quirks_cost_a_simulation_and_play_the_first_legal_action():
    config = AlphaDDA1Config(n_h=5, a=2.0, x0=0.0, n_max=50)
    controller = AlphaDDA1(config, Plan(), quirks=True)
    assert controller.value_history == 2  # the authors' code kept two positions only
    plan = controller.plan(view(1.0, 1.0), NEW)
    assert plan.simulations == 1  # N_sim = 1: the root alone
    assert plan.random_root == 0.2
    legal = np.array([False, True, True])
    root = Root(np.array([0, 0, 1]), np.zeros(3), np.ones(3), legal, 0.0, best=2)
    assert drawn(controller, root, view=view(1.0, 1.0)) == 1
    assert controller.plan(view(-1.0, -1.0), NEW).simulations == simulations(-1.0, config) - 1
    assert drawn(controller, root, view=view(-1.0, -1.0)) == 2


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


@pytest.mark.parametrize("game", PAPER["alphadda2"])
@pytest.mark.parametrize("quirks", [False, True])
def test_others_conform(game, quirks):
    check_controller(lambda: AlphaDDA2(PAPER["alphadda2"][game], Plan(), quirks))
    check_controller(lambda: AlphaDDA3(PAPER["alphadda3"][game], Plan(), quirks))


def test_dropout_by_hand():
    """Eqs. 4 and 5 with Connect Four's A = 10, X0 = -0.2."""
    config = PAPER["alphadda2"]["connect4"]
    assert dropout(0.1, config) == 0
    assert dropout(0.25, config) == pytest.approx(0.5)
    assert dropout(0.9, config) == 0.95
    controller = AlphaDDA2(config, Plan(simulations=9))
    assert controller.plan(view(0.25), NEW).head_dropout == pytest.approx(0.5)
    assert controller.plan(view(0.25), NEW).simulations == 9


def test_dropout_quirk_judges_by_the_damaged_network():
    controller = AlphaDDA2(PAPER["alphadda2"]["connect4"], Plan(), quirks=True)
    assert controller.value_dropout(NEW) == 0
    assert controller.value_dropout(controller.observe(view(0.25), NEW)) == pytest.approx(0.5)


def test_balance_plan():
    controller = AlphaDDA3(PAPER["alphadda3"]["othello6"], Plan(simulations=9))
    plan = controller.plan(view(0.5), NEW)
    assert (plan.rule, plan.c_puct, plan.balance, plan.simulations) == (Rule.BALANCE, 0.75, 0.5, 9)


def test_balance_seeks_the_opposite_value():
    """A move worth -0.4 is preferred at mean value 0.4 to one worth 0.9, as eq. 7 has it."""

    class TwoValues:
        def evaluate(self, states, request=None):
            in_centre = (states[:, 1] >> np.uint64(21)) & np.uint64(1)  # a disc in column 4
            values = np.where(in_centre > 0, 0.4, -0.9)  # for the other side, which is to move
            return Evaluation(np.zeros((len(states), 7), np.float32), values.astype(np.float32))

    game = GAMES["connect4"]
    search = Search(game, TwoValues())
    search.plant([0], game.initial(), [1])
    plan = Plan(simulations=7, rule=Rule.BALANCE, balance=0.4, c_puct=0.0)  # each action once
    stats = search.run([0], plan)
    assert stats.means[0, 3] == pytest.approx(0.0, abs=1e-6)
    assert stats.means[0, 0] == pytest.approx(-1.3, abs=1e-6)


@pytest.mark.parametrize("wrong", [{"c": -1.0}, {"n_h": 0}, {"c": math.nan}])
def test_bad_balance_constants(wrong):
    with pytest.raises(UsageError, match="outside"):
        AlphaDDA3Config(**({"n_h": 1, "c": 1.0} | wrong))
