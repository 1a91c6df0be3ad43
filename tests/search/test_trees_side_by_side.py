"""A tree among others in one forest is searched as it would be alone."""

import numpy as np
import pytest
from compared_trees import LATE, HashEvaluator, contents, start
from oracle_games import STARTS, packed

from evenmatch.games import GAMES
from evenmatch.search import Plan, RolloutEvaluator, Rule, Search, Unvisited
from evenmatch.search.forest import seeds_from

REDUCTION = Unvisited.REDUCTION
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


def rollout_or_hash(game, rollouts):
    return RolloutEvaluator(game) if rollouts else HashEvaluator(game)


@pytest.mark.parametrize("leaves", [1, 3])
@pytest.mark.parametrize("rollouts", [False, True])
@pytest.mark.parametrize("name", STARTS)
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
