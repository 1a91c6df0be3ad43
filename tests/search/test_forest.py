"""The compiled forest equals the oracle's tree, node for node, under every rule and option."""

from dataclasses import replace

import numpy as np
import pytest
from oracle import (
    STARTS,
    SlowHash,
    SlowRollout,
    SlowSearch,
    connect4_from,
    packed,
    random_walk,
    said_by_hash,
)
from trees import actions_of

from evenmatch.errors import NetworkError
from evenmatch.games import GAMES
from evenmatch.games.go import Go
from evenmatch.search import (
    Plan,
    RolloutEvaluator,
    Rule,
    Scaling,
    Search,
    UniformEvaluator,
    Unvisited,
    puct,
)
from evenmatch.search.forest import FRESH, OPEN, TERMINAL, allocate, enlarge, seeds_from

REDUCTION = Unvisited.REDUCTION
LATE = {
    "connect4": 30,
    "othello6": 25,
    "othello": 54,
    "chess": 400,
}  # plies: the end of the game is in reach


class HashEvaluator:
    """Logits and values that look random but hang on the position alone; keeps its calls."""

    def __init__(self, game):
        self.game = game
        self.calls = []  # (head_dropout or None, seeds) of each call

    def evaluate(self, states, request=None):
        dropout = None if request.dropout is None else request.dropout.copy()
        self.calls.append((dropout, request.seeds.copy()))
        return said_by_hash(states, self.game.num_actions)


def start(name, plies=0):
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
    "level": {"rule": Rule.LEVEL},
    "level of beginners": {"rule": Rule.LEVEL, "prior_temperature": 50.0, "playout_share": 1.0},
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
    "playouts": {"playout_share": 0.3},
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
@pytest.mark.parametrize("name", GAMES)
def test_every_option(name, option):
    """From the start and, with terminal leaves, from near the end."""
    plan = Plan(simulations=150, **OPTIONS[option])
    for plies in (0, LATE[name]):
        pair = searched(name, start(name, plies), plan)
        assert_equal_trees(*pair)
        assert_equal_stats(*pair)
        assert pair[0].read([0]).visits.sum() == 150


@pytest.mark.parametrize("name", GAMES)
def test_late_positions_reach_the_end_of_the_game(name):
    search, _ = searched(name, start(name, LATE[name]), Plan(simulations=150))
    nodes = search.forest.nodes[0, : search.forest.trees["nodes"][0]]
    assert len(nodes) > 100
    assert (nodes["status"] == TERMINAL).sum() > 5


@pytest.mark.parametrize("leaves", [2, 3, 8])
@pytest.mark.parametrize("name", GAMES)
def test_several_leaves_per_step(name, leaves):
    """Virtual loss spreads the leaves; those met twice are taken back."""
    strength = {"rule": Rule.STRENGTH, "targets": (0.3, -0.3)}
    for options in (
        {}, {"c_puct": 0.1}, {"open_at": 3}, {"random_root": 0.3}, {"considered": 8}, strength
    ):  # fmt: skip
        plan = Plan(simulations=120, **options)
        for plies in (0, LATE[name]):
            pair = searched(name, start(name, plies), plan, leaves=leaves)
            assert_equal_trees(*pair)
            assert pair[0].read([0]).visits.sum() == 120


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
        playout_share=float(rng.choice([0, 0, 0.25])),
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


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", GAMES)
def test_any_mixture_of_options(name, seed):
    rng = np.random.default_rng([seed, len(name)])
    for trial in range(4):
        leaves = int(rng.choice([1, 1, 2, 5]))
        position = start(name, int(rng.integers(0, LATE[name])))
        assert_equal_trees(*searched(name, position, any_plan(rng), seed=trial, leaves=leaves))


@pytest.mark.parametrize(("name", "simulations"), [("connect4", 120), ("othello6", 60)])
def test_rollouts(name, simulations):
    """Random playouts too are those of the tree's own random numbers."""
    for options in ({"rule": Rule.UCT, "open_at": 5, "c_puct": 0.5}, {}, {"random_root": 0.2}):
        plan = Plan(simulations=simulations, **options)
        position = start(name, LATE[name] // 2)
        assert_equal_trees(*searched(name, position, plan, leaves=2, rollouts=True))


def test_reduction_below_nodes_judged_several_times():
    plan = Plan(simulations=200, open_at=4, unvisited=REDUCTION, unvisited_value=0.2)
    for name in GAMES:
        assert_equal_trees(*searched(name, start(name), plan))


# -- reuse -----------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("name", GAMES)
def test_follow_keeps_exactly_the_subtree(name, choose):
    plans = [Plan(simulations=100)] * 6
    kept = assert_follows(name, start(name), choose, plans)
    assert choose is least_visited or min(kept) > 10


@pytest.mark.parametrize("name", GAMES)
def test_follow_to_the_end_of_the_game(name):
    plans = [Plan(simulations=60)] * 20
    assert_follows(name, start(name, LATE[name] + 3), most_visited, plans)


@pytest.mark.parametrize("name", GAMES)
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


@pytest.mark.parametrize("name", GAMES)
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


def test_strength_needs_a_network_that_tells_it():
    game = GAMES["connect4"]
    search = Search(game, UniformEvaluator(game))
    search.plant([0], game.initial(), [1])
    with pytest.raises(NetworkError, match="no strength score"):
        search.run([0], Plan(rule=Rule.STRENGTH, targets=(0.0,)))


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


# -- trees side by side ----------------------------------------------------------------------------

MIXED = [
    Plan(simulations=150),
    Plan(simulations=40, rule=Rule.UCT, open_at=5, c_puct=0.5),
    Plan(simulations=99, random_root=0.3),
    Plan(simulations=64, considered=16),
    Plan(simulations=33, considered=4, noise_fraction=0.3),
    Plan(simulations=120, noise_fraction=0.25, noise_alpha=0.3, head_dropout=0.5),
    Plan(simulations=1),
    Plan(simulations=77, unvisited=REDUCTION, unvisited_value=0.2, prior_temperature=2.0),
]


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


def rollout_or_hash(game, rollouts):
    return RolloutEvaluator(game) if rollouts else HashEvaluator(game)


@pytest.mark.parametrize("leaves", [1, 3])
@pytest.mark.parametrize("rollouts", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_a_tree_among_others_is_searched_as_it_would_be_alone(name, rollouts, leaves):
    game, trees = GAMES[name], len(MIXED)
    positions = [start(name, t * LATE[name] // (trees - 1)) for t in range(trees)]
    states, seeds, all_trees = packed(positions), seeds_from(7, trees), np.arange(trees)
    together = Search(game, rollout_or_hash(game, rollouts), trees=trees, nodes=4, leaves=leaves)
    together.plant(all_trees, states, seeds)
    first = together.run(all_trees, MIXED)
    together.follow(all_trees, first.best())
    going = [t for t in all_trees if game.legal_mask(together.forest.states[t, :1]).any()]
    second = together.run(going, [MIXED[t - 1] for t in going])
    for t in all_trees:
        alone = Search(game, rollout_or_hash(game, rollouts), nodes=1000, leaves=leaves)
        alone.plant([0], states[t : t + 1], seeds[t : t + 1])
        found = alone.run([0], MIXED[t])
        assert_same_row(first, t, found)
        alone.follow([0], found.best())
        if t in going:
            assert_same_row(second, going.index(t), alone.run([0], MIXED[t - 1]))
        assert contents(together, t) == contents(alone, 0)


def assert_same_row(many, row, one):
    for field in ("visits", "means", "priors", "legal", "values", "scores", "gumbel"):
        assert (getattr(many, field)[row] == getattr(one, field)[0]).all()


def test_trees_not_named_stay_as_they_are():
    game = GAMES["othello6"]
    search = Search(game, HashEvaluator(game), trees=4, nodes=4)
    search.plant(range(4), game.initial(4), seeds_from(1, 4))
    search.run(range(4), Plan(simulations=30))
    before = [contents(search, t) for t in range(4)]
    search.run([2, 0], [Plan(simulations=300), Plan(simulations=50)])
    assert [contents(search, t) == before[t] for t in range(4)] == [False, True, False, True]
    assert search.read([2, 0]).visits.sum(1).tolist() == [300, 50]


def test_no_trees():
    game = GAMES["connect4"]
    search = Search(game, HashEvaluator(game), trees=2)
    assert search.run([], []).visits.shape == (0, 7)
    assert search.evaluator.calls == []


def test_evaluator_hears_of_its_trees_alone():
    """One call a step; each leaf brings its tree's dropout and a seed of its own."""
    game = GAMES["connect4"]
    search = Search(game, HashEvaluator(game), trees=3, leaves=2)
    search.plant([0, 1, 2], game.initial(3), seeds_from(3, 3))
    search.run([0, 1], [Plan(simulations=20), Plan(simulations=20, head_dropout=0.5)])
    dropouts = {tuple(dropout) for dropout, _ in search.evaluator.calls}
    assert dropouts <= {(0, 0.5), (0, 0, 0.5), (0, 0.5, 0.5), (0, 0, 0.5, 0.5), (0,), (0.5,)}
    seeds = np.concatenate([seeds for _, seeds in search.evaluator.calls])
    assert (seeds != 0).all()
    assert len(set(seeds.tolist())) == len(seeds)
    search.evaluator.calls.clear()
    search.run([2], Plan(simulations=20))
    assert all(dropout is None for dropout, _ in search.evaluator.calls)


# -- room and time ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
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


# -- what a search is for --------------------------------------------------------------------------

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
