"""The exact solver of Connect Four against published scores, a naive twin and symmetry."""

import random
import sys
from pathlib import Path

import pytest
from naive_connect4 import Naive, random_position
from shared_data import shared_file

from evenmatch.errors import MoveError

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from connect4_judgements import load_positions
from connect4_search import Solver

SOLVER = Solver()


def published(name):
    return load_positions(shared_file(f"connect4/{name}"))


def test_hand_made_moves():
    lost = dict.fromkeys(range(7), -1)
    assert SOLVER.move_outcomes("44556") == lost  # an open three has two ends
    assert SOLVER.move_outcomes("1212121") == {}  # over


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        ("112233", 1),  # takes the four in a row
        ("4455", 1),  # makes an open three
        ("44556", -1),
        ("121212", 1),  # has three in a column
        ("1212121", -1),  # over
    ],
)
def test_hand_made_outcomes(moves, outcome):
    assert SOLVER.solve(moves) == outcome


def test_full_board_is_a_draw():
    moves = random_position(random.Random(4), 42)
    assert SOLVER.solve(moves) == 0
    assert SOLVER.move_outcomes(moves) == {}
    assert SOLVER.solve(moves[:-1]) == 0
    assert SOLVER.move_outcomes(moves[:-1]) == {int(moves[-1]) - 1: 0}


@pytest.mark.parametrize("plies", [41, 40, 38, 36, 34, 33, 32])
def test_equals_naive_twin(plies):
    rng = random.Random(plies)
    solver = Solver(table_bits=8)  # so small that answers are thrown out all the time
    for _ in range(6):
        moves = random_position(rng, plies)
        expected = Naive(moves).move_outcomes()
        assert solver.move_outcomes(moves) == expected, moves
        assert solver.solve(moves) == max(expected.values()), moves


def test_mirrored_positions_have_mirrored_outcomes():
    rng = random.Random(7)
    for plies in range(14, 24):  # on both sides of the limit of mirrored keys
        moves = random_position(rng, plies)
        mirrored = "".join(str(8 - int(digit)) for digit in moves)
        outcomes = Solver(table_bits=16).move_outcomes(mirrored)
        assert SOLVER.move_outcomes(moves) == {6 - a: value for a, value in outcomes.items()}


def test_outcome_is_the_best_of_the_moves_and_the_reply_turns_it():
    rng = random.Random(8)
    for _ in range(20):
        moves = random_position(rng, 20)
        outcomes = SOLVER.move_outcomes(moves)
        assert SOLVER.solve(moves) == max(outcomes.values())
        for action, value in outcomes.items():
            assert SOLVER.solve(moves + str(action + 1)) == -value


@pytest.mark.parametrize(("name", "count"), [("Test_L3_R1", 1000), ("Test_L2_R1", 300)])
def test_equals_published_scores(name, count):
    for moves, score in published(name)[:count]:
        assert SOLVER.solve(moves) == (score > 0) - (score < 0), moves


def test_early_positions_equal_published_scores():
    late = [(moves, score) for moves, score in published("Test_L1_R1") if len(moves) >= 13]
    for moves, score in late[:25]:
        assert SOLVER.solve(moves) == (score > 0) - (score < 0), moves


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("48", "columns 1 to 7"),
        ("1111111", "column 1 is full"),
        ("12121212", "over before move 8"),
    ],
)
def test_moves_that_cannot_be_played(moves, message):
    for function in (SOLVER.solve, SOLVER.move_outcomes):
        with pytest.raises(MoveError, match=message):
            function(moves)
