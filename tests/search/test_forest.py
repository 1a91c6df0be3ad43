"""Room in a forest: it grows, is by use, and keeps what is in it."""

import numpy as np
import pytest
from compared_trees import HashEvaluator, actions_of, contents
from oracle_games import STARTS

from evenmatch.games import GAMES
from evenmatch.games.go import Go
from evenmatch.search import Plan, Rule, Search, puct
from evenmatch.search.forest import OPEN, allocate, enlarge


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
