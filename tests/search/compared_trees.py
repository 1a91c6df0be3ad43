"""Trees of the compiled forest beside the oracle's, and how they are compared."""

from functools import cache
from typing import NamedTuple

import numpy as np
from oracle_evaluators import SlowHash, SlowRollout, hash_evaluation
from oracle_games import STARTS, packed, random_walk
from oracle_search import SlowSearch

from evenmatch.games import GAMES
from evenmatch.search import Evaluation, RolloutEvaluator, Search
from evenmatch.search.forest import FRESH, OPEN, TAKEN, TERMINAL, seeds_from

LATE = {
    "connect4": 30,
    "othello6": 25,
    "othello": 54,
    "chess": 400,
}  # plies: the end of the game is in reach


class HashEvaluator:
    """Logits and values that look random but hang on the position alone; keeps its calls.

    One strength score stands in both columns.
    """

    def __init__(self, game):
        self.game = game
        self.calls = []  # (head_dropout or None, seeds) of each call

    def evaluate(self, states, request=None):
        dropout = None if request.dropout is None else request.dropout.copy()
        self.calls.append((dropout, request.seeds.copy()))
        logits, values, betas = hash_evaluation(states, self.game.num_actions)
        return Evaluation(logits, values, scores=np.stack([betas, betas], 1))


@cache
def start(name, plies=0):
    """Return a position, the same at each call: it remembers what was played from it."""
    return random_walk(STARTS[name](), plies, seed=plies)


def tree_seed(number):
    return int(seeds_from(number, 1)[0])


def searched(name, position, plan, *, seed=1, leaves=1, nodes=8, rollouts=False):
    """One tree and the oracle's, after the same search."""
    game = GAMES[name]
    evaluator = RolloutEvaluator(game) if rollouts else HashEvaluator(game)
    search = Search(game, evaluator, nodes=nodes, leaves=leaves)
    search.plant([0], packed([position]), [tree_seed(seed)])
    slow = SlowRollout(game.num_actions) if rollouts else SlowHash(game.num_actions)
    oracle = SlowSearch(position, tree_seed(seed), slow, leaves)
    search.run([0], plan)
    oracle.run(plan)
    return search, oracle


class Known(NamedTuple):
    """What a tree knows of an action."""

    visits: int
    value_sum: float
    prior: np.float32
    child: int  # -1 if there is none
    edge: int  # -1 if it is a choice


def actions_of(forest, t, n):
    """What is known of each legal action of a node that has been opened, in their order."""
    node, known = forest.nodes[t, n], {}
    for e in range(node["first_edge"], node["first_edge"] + node["edge_count"]):
        edge = forest.edges[t, e]
        known[int(edge["action"])] = Known(
            int(edge["visits"]), float(edge["value_sum"]), edge["prior"], int(edge["child"]), e
        )
    for k in range(node["first_choice"], node["first_choice"] + node["choice_count"]):
        prior, action = forest.priors[t, k], int(forest.actions[t, k])
        assert (prior == TAKEN) == (action in known)
        known.setdefault(action, Known(0, 0.0, prior, -1, -1))
    return dict(sorted(known.items()))


def assert_equal_trees(search, oracle, t=0):
    """Walk the forest's tree and the oracle's together; return the number of nodes."""
    forest, count = search.forest, 0
    assert int(forest.trees[t]["seed"]) == oracle.rng.state
    pairs = [(0, -1, -1, oracle.root)]
    while pairs:
        n, parent, parent_edge, twin = pairs.pop()
        node, count = forest.nodes[t, n], count + 1
        edges = twin.edges or {}
        status = TERMINAL if twin.terminal else OPEN if edges else FRESH
        assert (node["parent"], node["parent_edge"]) == (parent, parent_edge)
        assert (node["visits"], node["status"]) == (twin.visits, status)
        assert node["value"] == np.float32(twin.value or 0)
        assert tuple(forest.states[t, n].tolist()) == twin.position.words()
        known = actions_of(forest, t, n)
        assert list(known) == list(edges)
        for action, other in edges.items():
            child = known[action].child
            assert known[action][:3] == (other.visits, other.total, other.prior)
            assert (child >= 0) == (other.child is not None)
            if other.child is not None:
                pairs.append((child, n, known[action].edge, other.child))
    assert forest.trees[t]["nodes"] == count
    return count


def assert_equal_stats(search, oracle, t=0):
    found, edges = search.read([t]), oracle.root.edges
    legal = sorted(edges)
    assert np.nonzero(found.legal[0])[0].tolist() == legal
    for field, value in (
        ("visits", lambda edge: edge.visits),
        ("means", lambda edge: edge.total / edge.visits if edge.visits else 0),
        ("priors", lambda edge: edge.prior),
    ):
        row = getattr(found, field)[0]
        assert row[legal].tolist() == [value(edges[action]) for action in legal]
        assert (np.delete(row, legal) == 0).all()
    assert found.values[0] == np.float32(oracle.root.value)


def contents(search, t):
    """All that a tree holds, as plain lists."""
    forest = search.forest
    tree = forest.trees[t]
    return (
        tree.tolist(),
        forest.nodes[t, : tree["nodes"]].tolist(),
        [actions_of(forest, t, n) for n in range(tree["nodes"])],
        forest.states[t, : tree["nodes"]].tolist(),
    )
