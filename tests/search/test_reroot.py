"""The subtree below a move is kept, exactly as the oracle keeps it."""

from dataclasses import replace

import numpy as np
import pytest
from compared_trees import LATE, HashEvaluator, assert_equal_trees, start, tree_seed
from oracle_evaluators import SlowHash
from oracle_games import STARTS, packed
from oracle_search import SlowSearch

from evenmatch.games import GAMES
from evenmatch.search import Plan, RolloutEvaluator, Rule, Search, UniformEvaluator, Unvisited
from evenmatch.search.forest import seeds_from

REDUCTION = Unvisited.REDUCTION


def assert_follows(name, position, choose, plans, leaves=1, seed=1):
    """Search and move in turn, in a forest and in the oracle; return nodes kept at each move."""
    game, kept = GAMES[name], []
    search = Search(game, HashEvaluator(game), nodes=8, leaves=leaves)
    search.plant([0], packed([position]), [tree_seed(seed)])
    oracle = SlowSearch(position, tree_seed(seed), SlowHash(game.num_actions), leaves)
    for plan in plans:
        search.run([0], plan)
        oracle.run(plan)
        assert_equal_trees(search, oracle)
        if oracle.root.terminal:
            break
        action = choose(oracle.root)
        search.follow([0], [action])
        oracle.follow(action)
        kept.append(assert_equal_trees(search, oracle))
    return kept


def most_visited(root):
    return max(root.edges, key=lambda action: root.edges[action].visits)


def least_visited(root):
    return min(root.edges, key=lambda action: root.edges[action].visits)


@pytest.mark.parametrize("choose", [most_visited, least_visited])
@pytest.mark.parametrize("name", STARTS)
def test_follow_keeps_exactly_the_subtree(name, choose):
    plans = [Plan(simulations=100)] * 6
    kept = assert_follows(name, start(name), choose, plans)
    assert choose is least_visited or min(kept) > 10


@pytest.mark.parametrize("name", STARTS)
def test_follow_to_the_end_of_the_game(name):
    plans = [Plan(simulations=60)] * 20
    assert_follows(name, start(name, LATE[name] + 3), most_visited, plans)


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("leaves", [1, 4])
def test_follow_under_changing_plans(name, leaves):
    """Reused nodes keep their priors; unopened ones open when the new plan says so."""
    rng = np.random.default_rng(leaves)
    options = [
        {"open_at": 5}, {}, {"open_at": 3, "noise_fraction": 0.25}, {"rule": Rule.UCT},
        {"random_root": 0.5}, {"unvisited": REDUCTION, "unvisited_value": 0.3},
        {"open_at": 20}, {"prior_temperature": 3.0},
    ]  # fmt: skip
    plans = [Plan(simulations=80, **option) for option in options]

    def anything(root):
        return list(root.edges)[rng.integers(len(root.edges))]

    assert_follows(name, start(name), anything, plans, leaves)


@pytest.mark.parametrize("name", STARTS)
def test_strengths_follow(name):
    """Other targets after every move; subtrees keep their strengths."""
    rng = np.random.default_rng(3)
    plans = [
        Plan(simulations=80, rule=Rule.STRENGTH, targets=tuple(rng.uniform(-1, 1, 3)))
        for _ in range(5)
    ]
    kept = assert_follows(name, start(name), most_visited, plans)
    assert min(kept) > 10


def test_a_tree_begun_without_strengths_begins_anew():
    game = GAMES["connect4"]
    plan = Plan(simulations=50, rule=Rule.STRENGTH, targets=(0.2,))
    search = Search(game, HashEvaluator(game))
    search.plant([0], game.initial(), [1])
    search.run([0], Plan(simulations=30))
    found = search.run([0], plan)
    fresh = Search(game, HashEvaluator(game))
    fresh.plant([0], game.initial(), [1])
    assert (found.visits == fresh.run([0], plan).visits).all()
    assert search.run([0], replace(plan, simulations=80)).visits.sum() == 80
    search.run([0], Plan(simulations=90))
    assert search.run([0], plan).visits.sum() == 50  # what PUCT did in between is not kept
    own = replace(plan, own_actions=1)
    fresh.plant([0], game.initial(), [1])
    again = fresh.run([0], own)
    assert (search.run([0], own).visits == again.visits).all()  # nor is what both sides did


def test_follow_an_unopened_child():
    """A child with visits but no edges becomes a root that keeps its visits."""
    plan = Plan(simulations=10, open_at=50)
    kept = assert_follows("othello6", start("othello6"), most_visited, [plan] * 3)
    assert kept == [1, 1, 1]


def test_follow_an_unvisited_child():
    game = GAMES["connect4"]
    search = Search(game, UniformEvaluator(game))
    search.plant([0], game.initial(), [5])
    search.run([0], Plan(simulations=1))
    untried = int((search.read([0]).visits[0] == 0).argmax())
    search.follow([0], [untried])
    assert search.forest.trees["nodes"][0] == 1
    assert (search.forest.states[0, 0] == game.after(game.initial(), [untried])[0]).all()
    assert search.run([0], Plan(simulations=9)).visits.sum() == 9


def test_follow_before_any_search():
    game = GAMES["connect4"]
    search = Search(game, UniformEvaluator(game), trees=3)
    search.plant([0, 1, 2], game.initial(3), [1, 2, 3])
    search.follow([2, 0], [3, 4])
    after = game.after(game.initial(2), [4, 3])
    assert (search.forest.states[[0, 2], 0] == after).all()
    assert (search.forest.states[1, 0] == 0).all()
    assert search.forest.trees["seed"].tolist() == [1, 2, 3]


def test_reused_visits_count_as_simulations():
    game = GAMES["connect4"]
    search = Search(game, HashEvaluator(game))
    search.plant([0], game.initial(), [1])
    action = search.run([0], Plan(simulations=200)).best()
    before = int(search.read([0]).visits[0, action[0]])
    search.follow([0], action)
    assert search.read([0]).visits.sum() == before - 1
    asked = len(search.evaluator.calls)
    assert search.run([0], Plan(simulations=200)).visits.sum() == 200
    assert len(search.evaluator.calls) - asked <= 200 - (before - 1)
    assert search.run([0], Plan(simulations=50)).visits.sum() == 201  # at least one


def test_halving_on_reused_trees_halves():
    """With four actions considered, none can get more than 3/5 of the new simulations."""
    game, trees, plan = GAMES["connect4"], np.arange(16), Plan(simulations=32, considered=4)
    search = Search(game, RolloutEvaluator(game), trees=16)
    search.plant(trees, game.initial(16), seeds_from(1, 16))
    search.follow(trees, search.run(trees, plan).best())
    before = search.read(trees).visits
    gained = np.maximum(search.run(trees, plan).visits - before, 0)
    assert (gained.max(1) <= 0.6 * gained.sum(1)).all()
