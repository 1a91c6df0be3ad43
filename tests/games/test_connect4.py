"""Connect Four against drawings, the oracle and OpenSpiel."""

import random

import numpy as np
import pytest
from naive_connect4 import LINES
from open_spiel_games import assert_equals_spiel
from oracle_evaluators import slow_playout
from oracle_games import SlowConnect4, cells_of, connect4_from, outcome_chances, packed, random_walk
from oracle_random import Xorshift
from scipy.stats import chi2

from evenmatch.errors import MoveError
from evenmatch.games import GAMES

GAME = GAMES["connect4"]

#: drawing -> (over, value for the side to move, legal columns counted from 1)
BOARDS = {
    "empty": (
        """
        .......
        .......
        .......
        .......
        .......
        .......
        """,
        (False, 0, "1234567"),
    ),
    "Red has four in a row": (
        """
        .......
        .......
        .......
        .......
        YYY....
        RRRR...
        """,
        (True, -1, ""),
    ),
    "Yellow has four in a column": (
        """
        .......
        .......
        ......Y
        ......Y
        .R....Y
        .RR..RY
        """,
        (True, -1, ""),
    ),
    "three and a gap": (
        """
        .......
        .......
        .......
        .......
        ...YY..
        RRR.RYY
        """,
        (False, 0, "1234567"),
    ),
    "a column runs over into the next: three on top of one, one at the bottom of the other": (
        """
        Y......
        Y......
        Y......
        R......
        R......
        RY...R.
        """,
        (False, 0, "234567"),
    ),
    "full columns": (
        """
        Y.R...Y
        R.Y...R
        Y.R...Y
        R.Y...R
        Y.R...Y
        R.Y...R
        """,
        (False, 0, "2456"),
    ),
    "full board without four": (
        """
        YYRYYRY
        RRYRRYR
        YYRYYRY
        RRYRRYR
        YYRYYRY
        RRYRRYR
        """,
        (True, 0, ""),
    ),
    "the last disc makes four": (
        """
        RRYRYYY
        YYRYRRY
        RRYRYYY
        YYRYRRY
        RRYRYRR
        YYRYRRR
        """,
        (True, -1, ""),
    ),
}


def examined(positions):
    """(legal actions, over, value) of each position, from the kernels."""
    states = packed(positions)
    over, values = GAME.outcome(states)
    legal = [row.tolist() for row in GAME.legal_actions(states)]
    return list(zip(legal, over.tolist(), values.tolist(), strict=True))


def expected(position):
    legal = position.legal()
    return legal, not legal, position.outcome() if not legal else 0.0


def scattered(seed):
    """A board that no game need reach: columns of any height, discs of any colour."""
    rng = random.Random(seed)
    columns = [[rng.choice((1, -1)) for _ in range(rng.randrange(7))] for _ in range(7)]
    return SlowConnect4(columns, rng.choice((1, -1)))


@pytest.mark.parametrize("drawing", BOARDS)
def test_drawings(drawing):
    text, (over, value, columns) = BOARDS[drawing]
    position = connect4_from(text)
    legal = [int(column) - 1 for column in columns]
    assert examined([position]) == [(legal, over, value)]
    assert expected(position) == (legal, over, value)


def test_there_are_69_lines():
    assert len(LINES) == 69


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_line_wins_and_its_threes_do_not(line):
    bits = [1 << 7 * column + row for column, row in line]
    full, threes = sum(bits), [sum(bits) - bit for bit in bits]
    states = np.array([(0, full), *((0, three) for three in threes)], np.uint64)
    assert GAME.outcome(states)[1].tolist() == [-1, 0, 0, 0, 0]
    own = np.array([(full, full)], np.uint64)  # the winner is never to move in a game
    assert GAME.outcome(own)[1].tolist() == [0]


def test_scattered_boards():
    positions = [scattered(seed) for seed in range(3000)]
    assert examined(positions) == [expected(position) for position in positions]
    wins = sum(position.has_four(-position.player) for position in positions)
    assert 500 < wins < 2500  # both kinds were tried


def test_games_of_the_oracle():
    """Positions, boards, planes and the cell of each move, over whole games."""
    for seed in range(40):
        rng = random.Random(seed)
        position, states = SlowConnect4(), GAME.initial()
        while True:
            assert tuple(states[0]) == position.words()
            assert GAME.board(states)[0].tolist() == position.board()
            assert GAME.to_play(states)[0] == position.player
            own = np.array(position.board()) * position.player
            planes = [own == 1, own == -1, np.full((6, 7), position.player == 1)]
            assert (GAME.encoded(states)[0] == np.array(planes)).all()
            assert examined([position]) == [expected(position)]
            if not position.legal():
                break
            action = rng.choice(position.legal())
            cell = GAME.action_cell(states[0], action)
            assert position.board()[cell // 7][cell % 7] == 0
            position, states = position.play(action), GAME.after(states, [action])
            assert position.board()[cell // 7][cell % 7] == -position.player


def spiel_board(text):
    return cells_of(text, {"x": 1, "o": -1, ".": 0})


@pytest.mark.parametrize("seed", range(4))
def test_open_spiel(seed):
    assert_equals_spiel(GAME, "connect_four", spiel_board, 25_000, seed)


@pytest.mark.parametrize("k", [0, 1])
def test_mirrored_boards_have_mirrored_moves(k):
    for seed in range(200):
        position = scattered(seed)
        columns = position.columns[::-1] if k else position.columns
        states = packed([position, SlowConnect4(columns, position.player)])
        planes, mask = GAME.encoded(states), GAME.legal_mask(states)
        flat = planes.reshape(2, 3, 42)
        assert (flat[0][:, GAME.cell_symmetries[k]] == flat[1]).all()
        assert (mask[0, GAME.action_symmetries[k]] == mask[1]).all()


# -- playouts --------------------------------------------------------------------------------------


def test_playouts_play_the_oracles_games():
    positions = [random_walk(SlowConnect4(), seed % 40, seed) for seed in range(200)]
    seeds = np.arange(1, 201, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    streams = [Xorshift(seed) for seed in seeds]
    values = np.empty(200, np.float32)
    GAME.playout(packed(positions), seeds, values)
    played = [slow_playout(*pair) for pair in zip(positions, streams, strict=True)]
    assert values.tolist() == played
    assert seeds.tolist() == [stream.state for stream in streams]


@pytest.mark.parametrize("plies", [34, 35, 36])
def test_playout_statistics(plies):
    """Outcomes occur as often as they should: chi-square, false alarm 1e-6 for a new seed."""
    position = random_walk(SlowConnect4(), plies, seed=plies)
    chances = np.array(outcome_chances(position))
    count = 200_000
    seeds = np.random.default_rng(plies).integers(1, 2**64, count, np.uint64)
    values = np.empty(count, np.float32)
    GAME.playout(np.repeat(packed([position]), count, 0), seeds, values)
    found = np.array([(values == value).sum() for value in (-1, 0, 1)])
    possible = chances > 0
    assert (found[~possible] == 0).all()
    distance = ((found - count * chances)[possible] ** 2 / (count * chances[possible])).sum()
    assert distance <= chi2.isf(1e-6, max(possible.sum() - 1, 1))


# -- text ------------------------------------------------------------------------------------------


def test_moves_are_read_as_they_are_written():
    state = GAME.initial()[0]
    assert [GAME.action_text(state, action) for action in range(7)] == list("1234567")
    assert [GAME.read_action(state, f" {text}\n") for text in "1234567"] == list(range(7))


@pytest.mark.parametrize("text", ["", "0", "8", "-1", "1.0", "a", "1 2", "１", "pass"])
def test_malformed_moves(text):
    with pytest.raises(MoveError, match="type a column from 1 to 7") as caught:
        GAME.read_action(GAME.initial()[0], text)
    assert "\n" not in str(caught.value)


def test_illegal_move_names_the_legal_ones():
    state = packed([connect4_from(BOARDS["full columns"][0])])[0]
    with pytest.raises(MoveError, match=r"'1' is not legal here; legal moves: 2 4 5 6$"):
        GAME.read_action(state, "1")


def test_no_move_is_legal_after_the_end():
    state = packed([connect4_from(BOARDS["the last disc makes four"][0])])[0]
    with pytest.raises(MoveError, match="legal moves: none, game over"):
        GAME.read_action(state, "3")


@pytest.mark.parametrize(
    ("moves", "cells"),
    [
        ("1122334", {35, 36, 37, 38}),
        ("1212121", {14, 21, 28, 35}),
        ("12233434464", {35, 29, 23, 17}),
        ("1212", set()),
    ],
)
def test_the_winning_line(moves, cells):
    game = GAMES["connect4"]
    assert game.winning_cells(game.read_position(moves)) == cells
