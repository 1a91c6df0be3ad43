"""Every game of the table keeps the seam; counts of positions are the known ones."""

import numpy as np
import pytest
from oracle_games import STARTS, random_walk, slow_perft

from evenmatch.errors import UnknownGameError, UsageError
from evenmatch.games import GAMES, check_game, expand, get_game, perft, random_positions
from evenmatch.games.connect4 import Connect4

# Connect Four: OEIS A212693. Chess: A048987. Othello: counted by many programs, passes as plies.
PERFT = {
    "connect4": (7, 49, 343, 2401, 16807, 117649, 823536, 5673234),
    "chess": (20, 400, 8902, 197281, 4865609),
    "othello": (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288),
}


def few(game, most):
    """Return how many random games to play: those of Go on large boards are long."""
    return max(1, min(most, 2000 // game.max_plies))


@pytest.mark.parametrize("name", GAMES)
def test_conforms(name):
    check_game(GAMES[name], games=few(GAMES[name], 64))


@pytest.mark.parametrize("name", PERFT)
def test_perft(name):
    counts = tuple(perft(GAMES[name], depth) for depth in range(1, len(PERFT[name]) + 1))
    assert counts == PERFT[name]


@pytest.mark.parametrize(("name", "depth"), [("connect4", 5), ("othello6", 7), ("othello", 5)])
def test_perft_of_the_oracle(name, depth):
    start = STARTS[name]()
    for d in range(1, depth + 1):
        assert perft(GAMES[name], d) == slow_perft(start, d)


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("plies", [12, 28, 100])
def test_perft_from_a_later_position(name, plies):
    position = random_walk(STARTS[name](), plies, seed=plies)
    state = np.array(position.words(), np.uint64)
    for depth in (1, 2) if name == "chess" else (1, 2, 3, 4):
        assert perft(GAMES[name], depth, state) == slow_perft(position, depth)


def test_perft_zero_is_the_position_itself():
    assert perft(GAMES["othello"], 0) == 1


@pytest.mark.parametrize("name", GAMES)
def test_a_finished_game_has_no_continuations(name):
    ended = list(random_positions(GAMES[name], 1, seed=0))[-1][0]
    assert perft(GAMES[name], 0, ended) == 1
    assert perft(GAMES[name], 1, ended) == 0
    assert perft(GAMES[name], 3, ended) == 0


@pytest.mark.parametrize("name", GAMES)
def test_table(name):
    assert GAMES[name].id == name
    assert get_game(name) is GAMES[name]
    assert name in repr(GAMES[name])
    assert len(set(GAMES[name].players)) == 2


def test_unknown_game_lists_the_known_ones():
    with pytest.raises(UnknownGameError, match="'checkers'.*" + ".*".join(GAMES)) as caught:
        get_game("checkers")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize("name", GAMES)
def test_conveniences_agree(name):
    game = GAMES[name]
    for states in random_positions(game, few(game, 5), seed=3):
        legal = game.legal_actions(states)
        mask = game.legal_mask(states)
        over, values = game.outcome(states)
        assert [row.tolist() for row in legal] == [np.nonzero(row)[0].tolist() for row in mask]
        assert (over == ~mask.any(1)).all()
        assert (values[~over] == 0).all()
        children, parents, actions = expand(game, states)
        assert (np.bincount(parents, minlength=len(states)) == mask.sum(1)).all()
        assert (children == game.after(states[parents], actions)).all()
        assert (game.to_play(children) == -game.to_play(states)[parents]).all()


@pytest.mark.parametrize("name", GAMES)
def test_random_positions_are_those_of_the_seed(name):
    first, second, other = (list(random_positions(GAMES[name], 4, seed)) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(first, second, strict=True))
    assert any(a.shape != b.shape or (a != b).any() for a, b in zip(first, other, strict=False))


@pytest.mark.parametrize("name", GAMES)
def test_rows_of_a_batch_do_not_touch(name):
    """What a kernel says of a position does not hang on its neighbours."""
    game = GAMES[name]
    states = np.concatenate(list(random_positions(game, few(game, 3), seed=5)))
    mask, planes = game.legal_mask(states), game.encoded(states)
    over, values = game.outcome(states)
    for i in range(len(states)):
        one = states[i : i + 1]
        assert (game.legal_mask(one) == mask[i]).all()
        assert (game.outcome(one)[0][0], game.outcome(one)[1][0]) == (over[i], values[i])
        assert (game.encoded(one) == planes[i]).all()


# -- check_game notices what it is there to notice -------------------------------------------------


class WrongOrder(Connect4):
    def generate(self, states, actions, counts, values):
        super().generate(states, actions, counts, values)
        for row, count in zip(actions, counts, strict=True):
            row[:count] = row[:count][::-1]


class WrongValue(Connect4):
    def generate(self, states, actions, counts, values):
        super().generate(states, actions, counts, values)
        values[:] += 0.5


class WrongMirror(Connect4):
    action_symmetries = np.stack([np.arange(7), np.roll(np.arange(7), 1)])


class WrongPlanes(Connect4):
    def encode(self, states, out):
        super().encode(states, out)
        out[:, 0, 0, 0] += states[:, 1] > 0


class WrongText(Connect4):
    def action_text(self, state, action):
        return "1"


class WrongPieces(Connect4):
    def pieces(self, states):
        return -self.board(states)


class WrongCells(Connect4):
    def action_cells(self, state, action):
        return (self.action_cell(state, action), 0)


class WrongEnding(Connect4):
    def ending(self, state):
        return "four in a row"


class WrongPlayout(Connect4):
    def playout(self, states, seeds, values):
        super().playout(states, seeds, values)
        values[:] = -values


class WrongLength(Connect4):
    max_plies = 20


class Overwrites(Connect4):
    def generate(self, states, actions, counts, values):
        super().generate(states, actions, counts, values)
        states[:] ^= np.uint64(1)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (WrongOrder, "increasing order"),
        (WrongValue, "not terminal has an outcome"),
        (WrongMirror, "symmetry 1"),
        (WrongPlanes, "symmetry 1"),
        (WrongText, "reads back wrongly"),
        (WrongPieces, "not the board's"),
        (WrongCells, "action_cells end elsewhere"),
        (WrongEnding, "has an ending"),
        (WrongPlayout, "playout changes"),
        (WrongLength, "max_plies"),
        (Overwrites, "changed its input"),
    ],
)
def test_conformance_test_notices(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_game(broken())


def test_games_are_found_in_any_case():
    assert get_game("Othello6") is GAMES["othello6"]


def test_an_unknown_name_is_repeated_in_part():
    with pytest.raises(UnknownGameError, match=r"unknown game 'x{39}…'; choose one of: connect4"):
        get_game("x" * 5000)
