"""Dead stones by what a network says of ownership, and the score of what is left."""

import numpy as np
import pytest

from evenmatch.games.go import Go
from evenmatch.play.scoring import chains_of, dead_stones, ownership_of, score_of
from evenmatch.search import Evaluation

FIVE = Go(5)
WALL = (
    ".X.O.",
    ".X.OX",
    "OX.O.",
    ".X.O.",
    ".X.O.",
)  # a white stone in Black's area, a black one in White's


def drawn(*rows, to_play=1, komi=2.5):
    cells = "".join(rows)
    black, white = ([i for i, c in enumerate(cells) if c == mark] for mark in "XO")
    return FIVE.start(black=black, white=white, to_play=to_play, komi=komi)


def left_is_black(sure=0.9):
    """Who owns what on a board whose three columns on the left are Black's."""
    own = np.full((5, 5), -sure, np.float32)
    own[:, :3] = sure
    return own.ravel()


def test_without_ownership_all_stones_live():
    score = score_of(FIVE, drawn(*WALL))
    assert (score.dead, score.judged) == ((), False)
    assert score.areas == (6, 6)  # a wall and a stone each, for every empty point meets both
    assert score.lead == -2.5
    assert score.text == "W+2.5"


def test_dead_stones_are_taken_off_and_their_points_are_the_other_side_s():
    score = score_of(FIVE, drawn(*WALL), left_is_black())
    assert set(score.dead) == {9, 10}
    assert score.judged
    assert score.areas == (10, 10)  # the column between the walls is nobody's
    assert (score.owners.reshape(5, 5) == [[1, 1, 0, -1, -1]] * 5).all()
    assert score_of(FIVE, drawn(*WALL, komi=-1), left_is_black()).text == "B+1"
    assert score_of(FIVE, drawn(*WALL, komi=0), left_is_black()).text == "0"


def test_the_position_stays_as_it_was():
    state = drawn(*WALL)
    before = state.copy()
    score_of(FIVE, state, left_is_black())
    assert (state == before).all()


@pytest.mark.parametrize(("lone", "dead"), [(-0.2, ()), (-1.0, (0, 1, 2))])
def test_a_chain_lives_or_dies_as_one(lone, dead):
    """By the mean of its points."""
    own = np.zeros(25, np.float32)
    own[:3] = (0.3, 0.1, lone)
    assert dead_stones(FIVE, drawn("XXX..", *["....."] * 4), own) == dead


def test_chains():
    board = np.array([[1, 1, 0], [-1, 1, -1], [-1, 0, 1]], np.int8)
    assert sorted(map(sorted, chains_of(board))) == [[0, 1, 4], [3, 6], [5], [8]]


class Network:
    """Says that the side to move owns the three columns on the left."""

    def evaluate(self, states, request=None):
        told = np.stack([left_is_black()] * len(states))
        return Evaluation(None, np.zeros(len(states), np.float32), ownership=told)


class Mute:
    def evaluate(self, states, request=None):
        return Evaluation(None, np.zeros(len(states), np.float32))


@pytest.mark.parametrize("to_play", [1, -1])
def test_ownership_is_told_for_the_side_to_move(to_play):
    own = ownership_of(Network(), FIVE, drawn(*WALL, to_play=to_play))
    np.testing.assert_array_equal(own, to_play * left_is_black())


def test_no_network_and_one_that_does_not_tell():
    assert ownership_of(None, FIVE, drawn(*WALL)) is None
    assert ownership_of(Mute(), FIVE, drawn(*WALL)) is None
