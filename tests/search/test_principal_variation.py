"""A tree's best lines and depths, against a walk through its nodes."""

import numpy as np
from compared_trees import HashEvaluator

from evenmatch.games import GAMES
from evenmatch.search import Plan, Search
from evenmatch.search.puct import best_line, depths

GAME = GAMES["connect4"]


def grown(simulations=300):
    search = Search(GAME, HashEvaluator(GAME))
    search.plant([0], GAME.initial(), [1])
    stats = search.run([0], Plan(simulations=simulations))
    return search, stats


def test_best_line_follows_the_visits():
    search, stats = grown()
    best = int(stats.best()[0])
    line = best_line(search.forest, 0, best)
    assert line[0] == best
    assert len(line) > 2
    state, n, nodes, edges = GAME.initial(), 0, search.forest.nodes[0], search.forest.edges[0]
    for action in line:
        own = edges[nodes[n]["first_edge"] :][: nodes[n]["edge_count"]]
        chosen = own[own["action"] == action][0]
        assert n == 0 or chosen["visits"] == own["visits"].max()
        state = GAME.after(state, [action])
        n = chosen["child"]
        assert (search.forest.states[0, n] == state[0]).all()


def test_lines_of_actions_that_were_not_tried():
    search, _ = grown(1)
    visits = search.read([0]).visits[0]
    untried = int((visits == 0).argmax())
    assert best_line(search.forest, 0, untried) == [untried]
    assert best_line(search.forest, 0, 99) == []


def test_depths():
    search, _ = grown()
    nodes = search.forest.nodes[0, : search.forest.trees["nodes"][0]]
    found = []
    for n in range(1, len(nodes)):
        depth = 0
        while n != 0:
            n, depth = nodes[n]["parent"], depth + 1
        found.append(depth)
    assert depths(search.forest, 0) == (np.mean(found), max(found))


def test_a_tree_without_nodes_has_no_depth():
    search = Search(GAME, HashEvaluator(GAME))
    search.plant([0], GAME.initial(), [1])
    assert depths(search.forest, 0) == (0, 0)
