"""A batcher decides the turns of many games together, and nothing waits for ever."""

import threading

import pytest
from some_turns import first_turns

from evenmatch.errors import SpecError, UsageError
from evenmatch.games import get_game
from evenmatch.opponents import Engine, resolve
from evenmatch.play.batcher import MOST_TOGETHER, Batcher, Batchers
from evenmatch.play.session import Session

CONNECT4 = get_game("connect4")
PATIENCE = 60  #: seconds a test waits for what comes at once, on a busy machine


class Held(Engine):
    """An engine that waits until it is let go, and notes how many turns each call has."""

    def __init__(self):
        super().__init__(CONNECT4)
        self.calls, self.begun, self.go = [], threading.Event(), threading.Event()

    def think(self, turns, **limits):
        self.calls.append(len(turns))
        self.begun.set()
        assert self.go.wait(PATIENCE)
        if any(turn.seed == 13 for _, turn in turns):
            raise ValueError("an unlucky game")
        return super().think(turns, **limits)


def submitted(batcher, count, spec="mcts:sims=4", seed=1):
    opponent = resolve(spec, CONNECT4)
    return [batcher.submit(opponent, turn) for turn in first_turns(CONNECT4, count, seed)]


def test_turns_that_gather_are_decided_in_one_call_as_each_would_be_alone():
    engine = Held()
    with Batcher(engine) as batcher:
        first = submitted(batcher, 1, seed=9)
        assert engine.begun.wait(PATIENCE)
        others = submitted(batcher, MOST_TOGETHER + 3)
        assert batcher.waiting == MOST_TOGETHER + 3
        engine.go.set()
        actions = [future.result(PATIENCE).action for future in first + others]
    assert engine.calls == [1, MOST_TOGETHER, 3]
    opponent = resolve("mcts:sims=4", CONNECT4)
    turns = first_turns(CONNECT4, 1, 9) + first_turns(CONNECT4, MOST_TOGETHER + 3)
    alone = [Engine(CONNECT4).think([(opponent, turn)])[0].action for turn in turns]
    assert actions == alone
    assert batcher.stats.moves == MOST_TOGETHER + 4
    assert batcher.stats.calls == 3
    assert batcher.wait() > 0


def test_an_error_reaches_only_the_game_that_caused_it():
    engine = Held()
    engine.go.set()
    with Batcher(engine) as batcher:
        turns = first_turns(CONNECT4, 3)
        opponent = resolve("random", CONNECT4)
        unlucky = type(turns[1])(turns[1].line, 1, 13)
        futures = [batcher.submit(opponent, turn) for turn in (turns[0], unlucky, turns[2])]
        with pytest.raises(ValueError, match="unlucky"):
            futures[1].result(PATIENCE)
        for future in (futures[0], futures[2], *submitted(batcher, 1)):
            assert future.result(PATIENCE).action in range(7), "the thread goes on"


def test_a_cancelled_turn_costs_nothing():
    engine = Held()
    with Batcher(engine) as batcher:
        submitted(batcher, 1)
        assert engine.begun.wait(PATIENCE)
        cancelled, wanted = submitted(batcher, 2)
        assert cancelled.cancel()
        engine.go.set()
        assert wanted.result(PATIENCE).action in range(7)
    assert engine.calls == [1, 1]


def test_closing_decides_what_is_pending_and_takes_nothing_more():
    engine = Held()
    batcher = Batcher(engine)
    futures = submitted(batcher, 5)
    assert engine.begun.wait(PATIENCE)
    closing = threading.Thread(target=batcher.close)
    closing.start()
    engine.go.set()
    closing.join(PATIENCE)
    assert all(future.done() for future in futures)
    with pytest.raises(UsageError, match="try again later"):
        submitted(batcher, 1)
    batcher.close()


def test_a_bad_opponent_is_refused_at_once():
    with Batchers() as batchers:
        with pytest.raises(UsageError, match="sims=0"):
            submitted(batchers.of("connect4"), 1, "mcts:sims=0")
        with pytest.raises(SpecError, match="unknown player"):
            submitted(batchers.of("connect4"), 1, "nobody")


def test_turns_of_sessions_are_decided_as_by_an_engine_of_their_own():
    with Batchers() as batchers:
        batcher = batchers.of("connect4")
        assert batchers.of("connect4") is batcher
        for spec in ("mcts:sims=9", "intra:sims=9"):
            sessions = [Session(CONNECT4, spec, -1, seed) for seed in (1, 2)]
            asked = [
                Session(CONNECT4, spec, -1, seed, engine=batcher.engine).ask_opponent()
                for seed in (1, 2)
            ]
            decided = [batcher.submit(one.opponent, one.turn) for one in asked]
            actions = [future.result(PATIENCE).action for future in decided]
            assert [one.reply() for one in sessions] == actions
    with pytest.raises(UsageError, match="try again later"):
        batchers.of("connect4")
