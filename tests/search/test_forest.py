"""Forests of trees: how they grow, and how a child becomes the root."""

from dataclasses import replace

import numpy as np
import pytest
from compared_trees import (
    LATE,
    HashEvaluator,
    actions_of,
    assert_equal_trees,
    contents,
    start,
    tree_seed,
)
from oracle_evaluators import SlowHash
from oracle_games import STARTS, packed
from oracle_search import SlowSearch

from evenmatch.games import GAMES
from evenmatch.games.go import Go
from evenmatch.search import Plan, RolloutEvaluator, Rule, Search, UniformEvaluator, Unvisited, puct
from evenmatch.search.forest import OPEN, allocate, enlarge, seeds_from


@pytest.mark.parametrize("name", STARTS)
def test_room_makes_no_difference(name):
    game, found = GAMES[name], []
    for nodes in (1, 37, 2000):
        search = Search(game, HashEvaluator(game), trees=2, nodes=nodes)
        search.plant([0, 1], game.initial(2), [3, 4])
        for simulations in (5, 50, 500):
            search.run([0, 1], Plan(simulations=simulations))
        assert search.forest.capacity >= 501
        found.append([contents(search, t) for t in (0, 1)])
    assert found[0] == found[1] == found[2]


def test_a_search_in_small_steps_seldom_copies_its_tree(monkeypatch):
    """Room grows by half at least: from 10 to 400 nodes in log(40) / log(1.5) = 9.1 copies."""
    rooms, game = [], GAMES["connect4"]

    def counted(forest, nodes):
        rooms.append(nodes)
        return enlarge(forest, nodes)

    monkeypatch.setattr(puct, "enlarge", counted)
    search = Search(game, HashEvaluator(game), nodes=10)
    search.plant([0], game.initial(1), [3])
    for simulations in range(1, 400):
        search.run([0], Plan(simulations=simulations))
    assert 0 < len(rooms) <= 10
    assert rooms[-1] <= 600


def test_strengths_of_a_tree_that_halves_move_with_it():
    game, plan = GAMES["connect4"], {"rule": Rule.STRENGTH, "targets": (0.5,), "considered": 4}
    found = []
    for nodes in (22, 1000):
        search = Search(game, HashEvaluator(game), nodes=nodes)
        search.plant([0], game.initial(1), [3])
        for simulations in (20, 300):
            search.run([0], Plan(simulations=simulations, **plan))
        found.append(search.forest.strengths[0, :1].tolist())
    assert found[0] == found[1]


def test_enlarge_keeps_everything():
    game = GAMES["connect4"]
    search = Search(game, HashEvaluator(game), trees=2, nodes=64)
    search.plant([0, 1], game.initial(2), [3, 4])
    search.run([0, 1], [Plan(simulations=40), Plan(simulations=20, considered=4)])
    before = [contents(search, t) for t in (0, 1)]
    scores = search.forest.root_scores.copy()
    search._forest = enlarge(search.forest, 1000)
    assert search.forest.capacity == 1000
    assert [contents(search, t) for t in (0, 1)] == before
    assert (search.forest.root_scores == scores).all()


def test_allocate_shapes():
    forest = allocate(3, 10, 2, 7)
    assert forest.nodes.shape == (3, 10)
    assert forest.edges.shape == (3, 98)  # at most 7 for each node, and for four more
    assert forest.priors.shape == (3, 7)  # to work in: seven actions are edges at once
    assert allocate(1, 10, 2, 200).priors.shape == (1, 360)
    assert forest.states.shape == (3, 10, 2)
    assert forest.root_scores.shape == (3, 7)
    assert (forest.trees["seed"] != 0).all()


def test_room_is_by_use():
    """Worst case, where every node had 218 edges: 20 times as much."""
    game = GAMES["chess"]
    search = Search(game, HashEvaluator(game), trees=2, nodes=500)
    search.plant([0, 1], game.initial(2), [3, 4])
    search.run([0, 1], Plan(simulations=400))
    forest = search.forest
    used, room = int(forest.trees["choices"].max()), forest.priors.shape[1]
    assert 400 * 16 < used <= room <= 1.5 * used + 2 * game.max_legal
    assert int(forest.trees["edges"].max()) <= forest.edges.shape[1] < 500 * game.max_legal / 20
    assert forest.actions.shape == forest.priors.shape


def test_256_trees_of_19x19_take_less_than_500_mb():
    """Eight of them, with evaluations that spread the visits; by what a tree has room for."""
    game = Go(19)
    search = Search(game, HashEvaluator(game), trees=8, nodes=64)
    search.plant(np.arange(8), game.initial(8), np.arange(1, 9))
    search.run(np.arange(8), Plan(simulations=399))
    forest = search.forest
    assert forest.nodes.shape[1] >= 400
    assert sum(array.nbytes for array in forest) / 8 * 256 < 500e6


def test_a_large_tree_is_consistent():
    game = GAMES["othello6"]
    search = Search(game, HashEvaluator(game), leaves=16)
    search.plant([0], game.initial(), [9])
    search.run([0], Plan(simulations=20_000))
    forest, tree = search.forest, search.forest.trees[0]
    nodes, edges = forest.nodes[0, : tree["nodes"]], forest.edges[0, : tree["edges"]]
    assert nodes["visits"][0] == 20_001
    assert (nodes["parent"][1:] < np.arange(1, len(nodes))).all()
    assert (edges["child"][nodes["parent_edge"][1:]] == np.arange(1, len(nodes))).all()
    assert (nodes["visits"][1:] == edges["visits"][nodes["parent_edge"][1:]]).all()
    assert (nodes["edge_count"] <= nodes["edge_room"]).all()
    opened = nodes["status"] == OPEN
    owner = np.repeat(np.nonzero(opened)[0], nodes["edge_count"][opened])
    order = np.concatenate(
        [np.arange(n["first_edge"], n["first_edge"] + n["edge_count"]) for n in nodes[opened]]
    )
    assert len(np.unique(order)) == len(order)
    below = np.bincount(owner, edges["visits"][order], len(nodes))
    assert (nodes["visits"][opened] == 1 + below[opened]).all()
    sums = np.bincount(owner, edges["value_sum"][order], len(nodes))
    own = nodes["value"].astype(float) * np.where(opened, 1, nodes["visits"])
    assert np.allclose(edges["value_sum"][nodes["parent_edge"][1:]], -(own + sums)[1:], atol=1e-9)
    for n in np.nonzero(opened)[0]:
        known = actions_of(forest, 0, n).values()
        assert abs(sum(float(action.prior) for action in known) - 1) < 1e-5
        left = [action.prior for action in known if action.edge < 0]
        if left:
            next_choice = nodes["first_choice"][n] + nodes["next_choice"][n]
            assert forest.priors[0, next_choice] == max(left) == nodes["next_prior"][n]


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
