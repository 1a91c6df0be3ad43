import numpy as np

from evenmatch.estimation import MoveFeatures

#: Games of 3, 0 and 4 moves; each row is its number.
MOVES = MoveFeatures({"a": np.arange(7.0)[:, None], "b": -np.ones((7, 2))}, np.array([3, 0, 4]))


def test_which_game_and_where():
    assert MOVES.games.tolist() == [0, 0, 0, 2, 2, 2, 2]
    assert MOVES.places.tolist() == [0, 1, 2, 0, 1, 2, 3]
    assert MOVES.left.tolist() == [3, 2, 1, 4, 3, 2, 1]
    assert MOVES.sums(MOVES.columns["a"]).tolist() == [[3], [0], [18]]


def test_first_and_last_moves():
    assert MOVES.first(2).columns["a"][:, 0].tolist() == [0, 1, 3, 4]
    assert MOVES.last(1).columns["a"][:, 0].tolist() == [2, 6]
    assert MOVES.last(9).columns["a"][:, 0].tolist() == list(range(7))
    assert MOVES.first(2).counts.tolist() == [2, 0, 2]


def test_one_random_move_of_each_game():
    """Over 100 seeds every move comes up; one of 4 is missed with a chance of 4 * 0.75^100."""
    drawn = [MOVES.one_each(np.random.default_rng(seed)) for seed in range(100)]
    assert all(one.counts.tolist() == [1, 0, 1] for one in drawn)
    assert {x for one in drawn for x in one.columns["a"][:, 0].tolist()} == set(range(7))


def test_games_of_both():
    both = MOVES + MOVES.first(1)
    assert both.counts.tolist() == [3, 0, 4, 1, 0, 1]
    assert both.columns["b"].shape == (both.moves, 2) == (9, 2)
    assert both.columns["a"][:, 0].tolist() == [*range(7), 0, 3]
