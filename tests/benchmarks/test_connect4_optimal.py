"""The measurement of optimal Connect Four moves: positions, shares and intervals."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from evenmatch.games import get_game
from evenmatch.search import UniformEvaluator

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import connect4_optimal as optimal
from connect4_judgements import Judgement

GAME = get_game("connect4")


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (0, 0, 0.0, 1.0)],
)
def test_wilson(hits, trials, low, high):
    """81 of 263 is the example of Newcombe (1998), method 3."""
    assert optimal.wilson(hits, trials, 0.95) == pytest.approx((low, high), abs=5e-5)


def test_positions_of_unequal_length():
    games = ["", "44", "1234567", "4"]
    states = optimal.states_after(GAME, games)
    for state, moves in zip(states, games, strict=True):
        alone = GAME.initial()
        for move in moves:
            alone = GAME.after(alone, np.array([int(move) - 1]))
        assert (state == alone[0]).all()


def test_search_takes_a_win_and_policy_a_legal_move():
    states = optimal.states_after(GAME, ["121212", "444444"])
    moves = optimal.search_moves(GAME, UniformEvaluator(GAME), states, 100, 1)
    assert moves[0] == 0
    assert GAME.legal_mask(states)[1, optimal.policy_moves(GAME, UniformEvaluator(GAME), states)[1]]


def test_lines_count_what_matters_apart():
    either = Judgement.of({0: 1, 1: 1})
    choice = Judgement.of({0: -1, 1: 1})
    sets = {"one": [either, choice], "two": [choice]}
    lines = list(optimal.lines_of(sets, {"first": np.array([0, 0, 1])}))
    assert [(line.positions, line.every, line.matters) for line in lines] == [
        ("one", (1, 2), (0, 1)),
        ("two", (1, 1), (1, 1)),
        ("all", (2, 3), (1, 2)),
    ]
    json.dumps([line.plain for line in lines], allow_nan=False)
    assert optimal.table_of(lines).row_count == 3
