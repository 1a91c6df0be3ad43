"""The driver of searches, and the best lines that it shows."""

import numpy as np
import pytest
from compared_trees import HashEvaluator, assert_equal_trees, start, tree_seed
from oracle_evaluators import SlowHash
from oracle_games import connect4_from, packed
from oracle_search import SlowSearch

from evenmatch.errors import NetworkError
from evenmatch.games import GAMES
from evenmatch.search import Plan, RolloutEvaluator, Rule, Search, UniformEvaluator, puct
from evenmatch.search.puct import best_line, depths


def test_strength_needs_a_network_that_tells_it():
    game = GAMES["connect4"]
    search = Search(game, UniformEvaluator(game))
    search.plant([0], game.initial(), [1])
    with pytest.raises(NetworkError, match="no strength score"):
        search.run([0], Plan(rule=Rule.STRENGTH, targets=(0.0,)))


@pytest.mark.parametrize(("seconds", "steps"), [(0.0, 1), (4.5, 5), (10.0, 10)])
def test_time_limit(monkeypatch, seconds, steps):
    """The clock is read after each step; here every reading takes a second."""
    readings = iter(range(1000))
    monkeypatch.setattr(puct.time, "perf_counter", lambda: float(next(readings)))
    game = GAMES["othello"]
    search = Search(game, HashEvaluator(game), trees=2)
    search.plant([0, 1], game.initial(2), [1, 2])
    found = search.run([0, 1], Plan(simulations=1000), seconds=seconds)
    assert found.visits.sum(1).tolist() == [steps, steps]
    oracle = SlowSearch(start("othello"), 2, SlowHash(game.num_actions))
    oracle.run(Plan(simulations=1000), steps=steps)
    assert_equal_trees(search, oracle, t=1)


TACTICS = {
    "win at once": (
        """
        .......
        .......
        .......
        .......
        .YYY...
        .RRR...
        """, 1, {0, 4},
    ),
    "block or lose": (
        """
        .......
        .......
        .......
        R......
        R......
        R.YY..Y
        """, -1, {0},
    ),
    "block the column": (
        """
        .......
        .......
        .......
        ...Y...
        ...Y..R
        R..Y..R
        """, 1, {3},
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", [Rule.PUCT, Rule.UCT])
@pytest.mark.parametrize("case", TACTICS)
def test_finds_the_move(case, rule):
    text, player, good = TACTICS[case]
    game = GAMES["connect4"]
    search = Search(game, RolloutEvaluator(game))
    search.plant([0], packed([connect4_from(text, player)]), [tree_seed(1)])
    assert search.run([0], Plan(simulations=800, rule=rule)).best()[0] in good


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
