"""The compiled tree equals the oracle's, node for node, under every rule and option."""

import numpy as np
import pytest
from compared_trees import LATE, assert_equal_stats, assert_equal_trees, searched, start
from oracle_games import STARTS

from evenmatch.search import Plan, Rule, Scaling, Unvisited
from evenmatch.search.forest import TERMINAL

REDUCTION = Unvisited.REDUCTION
SIMULATIONS = 64
LARGE = ("othello", "chess")  #: every option from near the end alone, the mixtures from anywhere
OPTIONS = {
    "puct": {},
    "little exploration": {"c_puct": 0.1},
    "much exploration": {"c_puct": 5.0},
    "no exploration": {"c_puct": 0.0},
    "uct": {"rule": Rule.UCT, "c_puct": 0.5},
    "uct of the paper": {"rule": Rule.UCT, "c_puct": 0.5, "open_at": 5},
    "uct, unvisited lost": {"rule": Rule.UCT, "unvisited_value": -1.0},
    "uct, reduction": {"rule": Rule.UCT, "unvisited": REDUCTION, "unvisited_value": 0.2},
    "balance": {"rule": Rule.BALANCE, "c_puct": 0.75, "balance": 0.4},
    "balance when behind": {"rule": Rule.BALANCE, "c_puct": 1.25, "balance": -0.9},
    "strength": {"rule": Rule.STRENGTH, "targets": (0.1, -0.2, 0.3)},
    "one strength, weaker forgiven": {"rule": Rule.STRENGTH, "targets": (0.4,), "weaker": 0.5},
    "strength up to a cap": {"rule": Rule.STRENGTH, "targets": (0.1, -0.3), "cap": 0.4},
    "strength among siblings": {
        "rule": Rule.STRENGTH,
        "targets": (0.3, 0.0),
        "scaling": Scaling.SIBLINGS,
        "weaker": 0.5,
    },
    "strength of own actions": {
        "rule": Rule.STRENGTH,
        "targets": (0.2, -0.2),
        "own_actions": 1,
        "cap": 0.7,
    },
    "strength alone": {"rule": Rule.STRENGTH, "targets": (-0.5,) * 70, "c_1": 50.0},
    "strength, open at 3": {"rule": Rule.STRENGTH, "targets": (0.0, 0.2), "open_at": 3},
    "open at 2": {"open_at": 2},
    "open at 7": {"open_at": 7},
    "unvisited lost": {"unvisited_value": -1.0},
    "unvisited won": {"unvisited_value": 1.0},
    "reduction": {"unvisited": REDUCTION, "unvisited_value": 0.33},
    "no reduction": {"unvisited": REDUCTION, "unvisited_value": 0.0},
    "sharp priors": {"prior_temperature": 0.25},
    "flat priors": {"prior_temperature": 4.0},
    "random root": {"random_root": 0.2},
    "random root always": {"random_root": 1.0},
    "noise": {"noise_fraction": 0.25, "noise_alpha": 0.3},
    "nothing but noise": {"noise_fraction": 1.0, "noise_alpha": 10.0},
    "halving 16": {"considered": 16},
    "halving 4, reduction": {"considered": 4, "unvisited": REDUCTION, "unvisited_value": 0.2},
    "halving 3, noise": {"considered": 3, "noise_fraction": 0.25},
    "halving 1": {"considered": 1},
    "halving wins over random root": {"considered": 4, "random_root": 0.5},
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", STARTS)
def test_every_option(name, option):
    """From the start on small boards and, with terminal leaves, from near the end."""
    plan = Plan(simulations=SIMULATIONS, **OPTIONS[option])
    for plies in (LATE[name],) if name in LARGE else (0, LATE[name]):
        pair = searched(name, start(name, plies), plan)
        assert_equal_trees(*pair)
        assert_equal_stats(*pair)
        assert pair[0].read([0]).visits.sum() == SIMULATIONS


@pytest.mark.parametrize("name", STARTS)
def test_late_positions_reach_the_end_of_the_game(name):
    search, _ = searched(name, start(name, LATE[name]), Plan(simulations=150))
    nodes = search.forest.nodes[0, : search.forest.trees["nodes"][0]]
    assert len(nodes) > 100
    assert (nodes["status"] == TERMINAL).sum() > 5


@pytest.mark.parametrize("leaves", [2, 3, 8])
@pytest.mark.parametrize("name", STARTS)
def test_several_leaves_per_step(name, leaves):
    """Virtual loss spreads the leaves; those met twice are taken back."""
    strength = {"rule": Rule.STRENGTH, "targets": (0.3, -0.3)}
    for options in (
        {}, {"c_puct": 0.1}, {"open_at": 3}, {"random_root": 0.3}, {"considered": 8}, strength
    ):  # fmt: skip
        plan = Plan(simulations=60, **options)
        for plies in (0, LATE[name]):
            pair = searched(name, start(name, plies), plan, leaves=leaves)
            assert_equal_trees(*pair)
            assert pair[0].read([0]).visits.sum() == 60


def any_plan(rng):
    """A plan with every option drawn at random."""
    open_at = int(rng.choice([1, 1, 2, 5]))
    return Plan(
        simulations=int(rng.integers(1, 160)),
        rule=Rule(int(rng.integers(len(Rule)))),
        balance=float(rng.choice([-1, 0, 0.5])),
        targets=tuple(rng.uniform(-1, 1, int(rng.integers(1, 5))).tolist()),
        c_1=float(rng.choice([0.5, 2])),
        weaker=float(rng.choice([0.5, 1])),
        cap=float(rng.choice([0, 0.3])),
        scaling=Scaling(int(rng.integers(2))),
        own_actions=int(rng.integers(2)),
        c_puct=float(rng.choice([0.3, 1.25, 4])),
        open_at=open_at,
        unvisited=Unvisited(int(rng.integers(2)) if open_at == 1 else 0),
        unvisited_value=float(rng.choice([0, -1, 0.25, 0.5])),
        prior_temperature=float(rng.choice([0.5, 1, 2])),
        random_root=float(rng.choice([0, 0, 0.2])),
        noise_fraction=float(rng.choice([0, 0.25])),
        noise_alpha=float(rng.choice([0.3, 1, 10])),
        considered=int(rng.choice([0, 0, 5, 16])),
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", STARTS)
def test_any_mixture_of_options(name, seed):
    rng = np.random.default_rng([seed, len(name)])
    for trial in range(4):
        leaves = int(rng.choice([1, 1, 2, 5]))
        position = start(name, int(rng.integers(0, LATE[name])))
        plan = any_plan(rng)
        assert_equal_trees(*searched(name, position, plan, seed=trial, leaves=leaves))


@pytest.mark.parametrize(("name", "simulations"), [("connect4", 120), ("othello6", 60)])
def test_rollouts(name, simulations):
    """Random playouts too are those of the tree's own random numbers."""
    for options in ({"rule": Rule.UCT, "open_at": 5, "c_puct": 0.5}, {}, {"random_root": 0.2}):
        plan = Plan(simulations=simulations, **options)
        position = start(name, LATE[name] // 2)
        assert_equal_trees(*searched(name, position, plan, leaves=2, rollouts=True))


def test_reduction_below_nodes_judged_several_times():
    plan = Plan(simulations=200, open_at=4, unvisited=REDUCTION, unvisited_value=0.2)
    for name in STARTS:
        assert_equal_trees(*searched(name, start(name), plan))
