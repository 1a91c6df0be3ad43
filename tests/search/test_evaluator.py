"""Evaluators: requests, playouts, and the one that remembers."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_evaluators import SlowRollout
from oracle_games import STARTS, packed, random_walk

from evenmatch.games import GAMES, random_positions
from evenmatch.opponents import load_evaluator
from evenmatch.search import Plan, RolloutEvaluator, Search, UniformEvaluator
from evenmatch.search.evaluator import (
    MEMORY,
    NOTHING,
    POSITIONS,
    CachedEvaluator,
    Evaluation,
    Request,
    evaluated,
    room_for,
)


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


GAME = GAMES["connect4"]


class Spelled:
    """Says of a position what its words spell, and counts what it is asked."""

    def __init__(self):
        self.calls: list[int] = []
        self.broken = False

    def evaluate(self, states, request=NOTHING):
        self.calls.append(len(states))
        if self.broken:
            raise KeyboardInterrupt
        values = (states[:, 0] * 7 + states[:, 1]).astype(np.float32)
        if request.ratings is not None:
            values += 1000 * request.ratings
        if request.scales is not None:
            values += np.float32(0.5) * request.scales * (request.ratings > 0)
        return Evaluation(np.repeat(values[:, None], GAME.num_actions, 1) + 1, values)


def states_of(numbers):
    numbers = np.array(numbers, np.uint64)
    states = np.zeros((len(numbers), GAME.state_words), np.uint64)
    states[:, 0] = numbers
    states[:, 1] = numbers % np.uint64(3)
    return states


def test_memory_is_bounded_whatever_the_game():
    for game in GAMES.values():
        size = 8 * game.search_words + 4 * (game.num_actions + 2)
        count = room_for(game)
        assert count * size <= MEMORY
        assert count == POSITIONS or 2 * count * size > MEMORY


@settings(max_examples=200)
@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=8), max_size=20))
def test_every_answer_is_the_evaluators_whatever_was_forgotten(batches):
    """Room for 16 positions of 31: much is thrown out, within calls full of repeats."""
    cached = CachedEvaluator(Spelled(), GAME, positions=16)
    for numbers in batches:
        states = states_of(numbers)
        wanted, got = Spelled().evaluate(states), cached.evaluate(states)
        assert (got.logits == wanted.logits).all()
        assert (got.values == wanted.values).all()
        assert got.scores is None


ASKED = st.tuples(st.integers(0, 12), st.sampled_from([0, 1, 2]), st.integers(0, 1))


@settings(max_examples=200)
@given(st.lists(st.lists(ASKED, min_size=1, max_size=8), max_size=20))
def test_every_answer_is_of_the_rating_and_scale_that_were_asked_for(batches):
    """The same positions at ratings 0 (not known), 1 and 2 of two scales share one memory."""
    cached = CachedEvaluator(Spelled(), GAME, positions=32)
    for batch in batches:
        numbers, ratings, scales = (np.array(column) for column in zip(*batch, strict=True))
        request = Request(ratings=ratings.astype(np.float64), scales=scales)
        states = states_of(numbers)
        wanted, got = Spelled().evaluate(states, request), cached.evaluate(states, request)
        assert (got.values == wanted.values).all()
        plain = cached.evaluate(states).values
        assert (plain == Spelled().evaluate(states).values).all()


def test_a_rating_that_is_not_known_is_asked_for_once():
    beneath = Spelled()
    cached = CachedEvaluator(beneath, GAME, positions=64)
    cached.evaluate(states_of([1, 2]))
    cached.evaluate(states_of([1, 2]), Request(ratings=np.zeros(2), scales=np.array([0, 1])))
    cached.evaluate(states_of([1, 2]), Request(ratings=np.array([0.0, 1500.0])))
    assert beneath.calls == [2, 1]


def test_threads_may_share_it():
    """Two threads ask for other positions of one evaluator that reuses its arrays."""
    beneath = Reusing()
    caches = [CachedEvaluator(beneath, GAME, positions=1 << 12) for _ in range(2)]
    wrong = []

    def ask(cached, first):
        for at in range(first, first + 1000, 4):
            states = states_of(range(at, at + 4))
            if (cached.evaluate(states).values != Spelled().evaluate(states).values).any():
                wrong.append(at)

    threads = [
        threading.Thread(target=ask, args=(cached, 5000 * i)) for i, cached in enumerate(caches)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


class Reusing(Spelled):
    """Fills the same arrays at every call, slowly, as a network does; has a lock for that."""

    def __init__(self):
        super().__init__()
        self.lock = threading.RLock()
        self.values = np.zeros(4, np.float32)

    def evaluate(self, states, request=NOTHING):
        self.values[:] = super().evaluate(states, request).values
        time.sleep(1e-5)
        return Evaluation(np.repeat(self.values[:, None], GAME.num_actions, 1), self.values)


def test_a_position_is_judged_once():
    beneath = Spelled()
    cached = CachedEvaluator(beneath, GAME, positions=64)
    cached.evaluate(states_of([1, 2, 2, 1, 3]))
    cached.evaluate(states_of([3, 4, 1]))
    cached.evaluate(states_of([4, 4]))
    assert beneath.calls == [3, 1]
    assert (cached.requested, cached.judged) == (10, 4)


@pytest.mark.parametrize("where", ["asking", "filling", "finding"])
def test_what_was_interrupted_is_not_remembered(where, monkeypatch):
    beneath = Spelled()
    cached = CachedEvaluator(beneath, GAME, positions=64)
    cached.evaluate(states_of([1]))
    with monkeypatch.context() as patch:
        if where == "asking":
            patch.setattr(beneath, "broken", True)
        elif where == "filling":
            patch.setattr(cached, "_results", {"values": Unwritable(), "logits": Unwritable()})
        else:
            find = cached._table.find
            patch.setattr(cached._table, "find", lambda *args: (find(*args), interrupt()))
        with pytest.raises(KeyboardInterrupt):
            cached.evaluate(states_of([1, 2, 3]))
    wanted = Spelled().evaluate(states_of([1, 2, 3]))
    assert (cached.evaluate(states_of([1, 2, 3])).values == wanted.values).all()


class Unwritable:
    def __setitem__(self, places, values):
        raise KeyboardInterrupt


def interrupt():
    raise KeyboardInterrupt


def test_no_positions():
    assert len(CachedEvaluator(Spelled(), GAME).evaluate(states_of([])).values) == 0


def test_dropout_and_calls_too_large_are_passed_on():
    beneath = Spelled()
    cached = CachedEvaluator(beneath, GAME, positions=8)
    for _ in range(2):
        cached.evaluate(states_of([1, 2]), Request(dropout=np.array([0.0, 0.5])))
        cached.evaluate(states_of(list(range(5))))
    assert beneath.calls == [2, 5, 2, 5]


def test_a_search_is_the_same_and_asks_less():
    """With the shipped network; the second search, one move on, shares positions with the first."""
    bare = load_evaluator(GAME).source
    results = []
    for evaluator in (bare, cached := CachedEvaluator(bare, GAME)):
        search = Search(GAME, evaluator)
        states = GAME.initial()
        for seed in (1, 2):
            search.plant([0], states, [seed])
            stats = search.run([0], Plan(simulations=50))
            results.append(stats.visits)
            states = GAME.after(states, stats.best())
    assert (results[0] == results[2]).all()
    assert (results[1] == results[3]).all()
    assert cached.judged < 0.9 * cached.requested
