"""SE-MCTS sets the targets of the plies to come."""

import numpy as np
import pytest

from evenmatch.errors import UsageError
from evenmatch.opponents.controller import NEW, View, check_controller
from evenmatch.opponents.se_mcts import PAPER_PLAN, StrengthSearch
from evenmatch.search.plan import DEPTHS, Plan, Rule


def plan_at(ply, targets, **given):
    view = View(ply, 1, np.zeros(0, np.float32))
    return StrengthSearch(targets, **given).plan(view, NEW)


def test_controller_conforms():
    check_controller(lambda: StrengthSearch([0.5, 1.0]))


def test_targets_are_of_the_actions_from_here_on():
    curve = np.linspace(0, 1, 100)
    plan = plan_at(7, curve)
    assert plan.rule == Rule.STRENGTH
    assert plan.targets == tuple(curve[7 : 7 + DEPTHS])
    assert (plan.simulations, plan.c_puct, plan.c_1) == (800, 1.25, 2.0)


def test_beyond_the_curve_the_last_holds():
    assert plan_at(500, [1.0, 2.0]).targets == (2.0,)
    assert plan_at(0, [1.0, 2.0]).targets == (1.0, 2.0)


def test_the_base_is_kept():
    plan = plan_at(0, [0.0], base=Plan(simulations=9, c_1=1.0, weaker=0.5))
    assert (plan.simulations, plan.c_1, plan.weaker) == (9, 1.0, 0.5)
    assert PAPER_PLAN.rule == Rule.PUCT  # only the controller has the targets it needs


@pytest.mark.parametrize("targets", [[], [[1.0]]])
def test_no_targets(targets):
    with pytest.raises(UsageError, match="one for each ply"):
        StrengthSearch(targets)
