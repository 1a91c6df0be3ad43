"""The remembering evaluator against the one beneath it."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenmatch.games import GAMES
from evenmatch.opponents import load_evaluator
from evenmatch.search import Plan, Search
from evenmatch.search.evaluator import (
    MEMORY,
    NOTHING,
    POSITIONS,
    CachedEvaluator,
    Evaluation,
    Request,
    room_for,
)

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
    assert (cached.asked, cached.judged) == (10, 4)


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
    assert cached.judged < 0.9 * cached.asked
