"""The evaluators without a network."""

import threading

import numpy as np
import pytest
from oracle_evaluators import SlowRollout
from oracle_games import STARTS, packed, random_walk

from evenmatch.games import GAMES, random_positions
from evenmatch.search import Evaluation, Request, RolloutEvaluator, UniformEvaluator
from evenmatch.search.evaluator import evaluated


def positions_of(game, count=40):
    return np.concatenate(list(random_positions(game, 4, seed=1)))[:count]


def test_what_only_some_networks_tell_is_optional():
    evaluation = Evaluation(np.zeros((1, 7)), np.zeros(1))
    assert evaluation.wdl is evaluation.scores is None


@pytest.mark.parametrize("kind", [UniformEvaluator, RolloutEvaluator])
@pytest.mark.parametrize("name", GAMES)
def test_shapes(name, kind):
    game = GAMES[name]
    evaluator = kind(game)
    for count in (3, 40, 1, 17, 0):
        states = positions_of(game)[:count]
        dropout = np.full(len(states), 0.5)
        seeds = np.arange(1, len(states) + 1, dtype=np.uint64)
        logits, values, *others = evaluator.evaluate(states, Request(dropout, seeds))
        assert logits.shape == (len(states), game.num_actions)
        assert values.shape == (len(states),)
        assert (logits.dtype, values.dtype) == (np.float32, np.float32)
        assert all(other is None for other in others)
        assert (logits == 0).all()


@pytest.mark.parametrize("name", GAMES)
def test_uniform_values_are_even(name):
    game = GAMES[name]
    evaluator = UniformEvaluator(game)
    assert (evaluator.evaluate(positions_of(game)).values == 0).all()


def test_evaluators_share_nothing():
    """A rollout's values do not show up in what another evaluator says."""
    game = GAMES["connect4"]
    uniform, first, second = UniformEvaluator(game), RolloutEvaluator(game), RolloutEvaluator(game)
    states = positions_of(game)
    kept = first.evaluate(states).values.copy()
    judged = first.evaluate(states)
    second.evaluate(states, Request(seeds=np.arange(50, 50 + len(states), dtype=np.uint64)))
    assert (judged.values == kept).all()
    assert (uniform.evaluate(states).values == 0).all()


@pytest.mark.parametrize("name", STARTS)
def test_rollouts_are_the_oracles(name):
    game = GAMES[name]
    positions = [random_walk(STARTS[name](), 2 * seed, seed) for seed in range(16)]
    seeds = np.arange(100, 116, dtype=np.uint64)
    oracle = SlowRollout(game.num_actions)
    played = [oracle(p, seed)[1] for p, seed in zip(positions, seeds.tolist(), strict=True)]
    values = RolloutEvaluator(game).evaluate(packed(positions), Request(seeds=seeds)).values
    assert values.tolist() == played


@pytest.mark.parametrize("name", GAMES)
def test_rollouts_hang_on_their_own_seed_alone(name):
    game = GAMES[name]
    states, evaluator = positions_of(game), RolloutEvaluator(game)
    seeds = np.random.default_rng(1).integers(1, 2**63, len(states), np.uint64)
    together = evaluator.evaluate(states, Request(seeds=seeds.copy())).values.copy()
    alone = [
        evaluator.evaluate(states[i : i + 1], Request(seeds=seeds[i : i + 1].copy())).values[0]
        for i in range(len(states))
    ]
    assert together.tolist() == alone
    other = evaluator.evaluate(states, Request(seeds=seeds + np.uint64(1))).values
    assert (together != other).any()


@pytest.mark.parametrize("name", GAMES)
def test_rollouts_end_in_outcomes(name):
    game = GAMES[name]
    states = np.concatenate(list(random_positions(game, 30, seed=2)))
    over, outcomes = game.outcome(states)
    values = RolloutEvaluator(game).evaluate(states).values
    assert set(values.tolist()) <= {-1, 0, 1}
    assert (values[over] == outcomes[over]).all()


def test_rollouts_without_seeds_repeat():
    game = GAMES["connect4"]
    states, evaluator = positions_of(game), RolloutEvaluator(game)
    first = evaluator.evaluate(states).values.copy()
    assert (evaluator.evaluate(states).values == first).all()


def test_what_is_evaluated_is_not_overwritten_by_the_next_call():
    """Networks reuse their arrays; threads that share one must not see each other's."""
    game = GAMES["connect4"]

    class Reuses:
        lock = threading.RLock()
        told = Evaluation(np.zeros((1, game.num_actions), np.float32), np.zeros(1, np.float32))

        def evaluate(self, states):
            self.told.values[:] += 1
            return self.told

    network = Reuses()
    first = evaluated(network, game.initial())
    second = evaluated(network, game.initial())
    assert (first.values[0], second.values[0]) == (1, 2)
    assert first.ownership is None
