"""Othello and Connect Four against drawings, the slow twins and OpenSpiel."""

import random
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from naive_connect4 import LINES
from open_spiel_games import assert_equals_spiel
from oracle_evaluators import slow_playout
from oracle_games import (
    SlowConnect4,
    SlowOthello,
    cells_of,
    connect4_from,
    othello_from,
    outcome_chances,
    packed,
    random_walk,
)
from oracle_random import Xorshift
from scipy.stats import chi2

from evenmatch.errors import MoveError
from evenmatch.games import GAMES

CONNECT4, OTHELLO = GAMES["connect4"], GAMES["othello"]
SIZES = {6: GAMES["othello6"], 8: OTHELLO}


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


def board_of(size, *lines):
    """A drawing of a board whose first lines are given, the rest empty."""
    rows = [line.ljust(size, ".") for line in lines]
    return "\n".join(rows + ["." * size] * (size - len(rows)))


#: drawing of an 8x8 board, who moves, the legal moves
MOVES = {
    "start": (board_of(8, "", "", "", "...WB", "...BW"), 1, "d3 c4 f5 e6"),
    "start, White": (board_of(8, "", "", "", "...WB", "...BW"), -1, "e3 f4 c5 d6"),
    "a whole row": (board_of(8, "BWWWWWW."), 1, "h1"),
    "a whole column": ("B\nW\nW\nW\nW\nW\nW\n.".replace("\n", ".......\n") + ".......", 1, "a8"),
    "a whole diagonal": (
        board_of(8, "B", ".W", "..W", "...W", "....W", ".....W", "......W"), 1, "h8",
    ),
    "the other diagonal": (
        board_of(8, "", "......W", ".....W", "....W", "...W", "..W", ".W", "B"), 1, "h1",
    ),
    "all eight directions at once": (
        board_of(8, "", ".B.B.B", "..WWW", ".BW.WB", "..WWW", ".B.B.B"), 1, "d4",
    ),
    "a gap breaks the line": (board_of(8, "BW.W....", "", "BWW.WB"), 1, "c1 d3"),
    "the edge ends the line": (board_of(8, "....BWWW", "", "", "WWWB"), 1, "pass"),
    # lines that would run on over the side of the board, bit after bit
    "right, off h1 on to a2": (board_of(8, "......W", "BW"), 1, "c2"),
    "right, W on h1, B on a2": (board_of(8, ".......W", "B"), 1, ""),
    "left, W on a2, B on h1": (board_of(8, ".......B", "W"), 1, ""),
    "down left, W on a2, B on h2": (board_of(8, "", "W......B"), 1, ""),
    "down left, W on a2, B on h3": (board_of(8, "", "W", ".......B"), 1, ""),
    "up left, W on a3, B on h1": (board_of(8, ".......B", "", "W"), 1, ""),
    "down right, W on h2, B on a4": (board_of(8, "", ".......W", "", "B"), 1, ""),
    "down right, W on h2, B on a3": (board_of(8, "", ".......W", "B"), 1, ""),
    "up right, W on h3, B on a2": (board_of(8, "", "B", ".......W"), 1, ""),
    "off the top": (board_of(8, "W", "B") , -1, "a3"),
    "off the bottom": (board_of(8, "", "", "", "", "", "", "B", "W"), 1, "pass"),
    "White has nothing, Black has": (board_of(8, "BW"), -1, "pass"),
    "Black has nothing, White has": (board_of(8, "WWB.", "", "WB"), 1, "pass"),
    "one empty square": (board_of(8, *["WWWWWWWB"] * 7, "BWWWWWW."), 1, "h8"),
}  # fmt: skip

#: drawing of an 8x8 board that is over, value for Black
ENDS = {
    "White wiped out": (board_of(8, "BB", "B"), 1),
    "Black wiped out": (board_of(8, "", "W"), -1),
    "neither can move, even": (board_of(8, "BB....WW"), 0),
    "neither can move, White ahead": (board_of(8, "BBB....W", "", "", "", "", "WWW"), -1),
    "full and even": ("\n".join(["BBBBWWWW"] * 8), 0),
    "full, 33 to 31": ("\n".join(["BBBBWWWW"] * 7 + ["BBBBBWWW"]), 1),
    "full of one colour": ("\n".join(["W" * 8] * 8), -1),
}

#: before, move, after: who moves is Black
TURNED = {
    "eight directions": (
        board_of(8, "", ".B.B.B", "..WWW", ".BW.WB", "..WWW", ".B.B.B"),
        "d4",
        board_of(8, "", ".B.B.B", "..BBB", ".BBBBB", "..BBB", ".B.B.B"),
    ),
    "only closed lines": (
        board_of(8, ".WWB.WW.", "WW", "W.W", "B"),
        "a1",
        board_of(8, "BBBB.WW.", "BW", "B.W", "B"),
    ),
    "six at once": (board_of(8, "BWWWWWW."), "h1", board_of(8, "BBBBBBBB")),
    "far lines in all directions": (
        board_of(
            8,
            "B..B..B", ".W.W.W.", "..WWW...", "BWW.WWWB", "..WWW", ".W.W.W", "B..W..W", "...B...B",
        ),
        "d4",
        board_of(
            8,
            "B..B..B", ".B.B.B.", "..BBB...", "BBBBBBBB", "..BBB", ".B.B.B", "B..B..B", "...B...B",
        ),
    ),
}  # fmt: skip


def scattered_othello(size, seed):
    """A board that no game need reach: any discs anywhere, from nearly empty to nearly full."""
    rng = random.Random(seed)
    weights = rng.choice([(1, 1, 8), (2, 5, 2), (5, 3, 2), (8, 8, 1), (1, 9, 1)])
    cells = [rng.choices((1, -1, 0), weights, k=size) for _ in range(size)]
    return SlowOthello(cells, rng.choice((1, -1)))


def scattered_connect4(seed):
    """A board that no game need reach: columns of any height, discs of any colour."""
    rng = random.Random(seed)
    columns = [[rng.choice((1, -1)) for _ in range(rng.randrange(7))] for _ in range(7)]
    return SlowConnect4(columns, rng.choice((1, -1)))


class Twin(NamedTuple):
    """A slow twin of a game, and how much of it is compared."""

    start: Callable[[], SlowOthello | SlowConnect4]
    scattered: Callable[[int], SlowOthello | SlowConnect4]  #: by a seed
    games: int  #: of random moves
    playouts: int
    plies: tuple[int, ...]  #: after which chances of the outcomes can be counted


TWINS = {
    "connect4": Twin(SlowConnect4, scattered_connect4, 40, 200, (34, 35, 36)),
    "othello6": Twin(
        lambda: SlowOthello.start(6), lambda seed: scattered_othello(6, seed), 110, 60, (25, 26)
    ),
    "othello": Twin(
        lambda: SlowOthello.start(8), lambda seed: scattered_othello(8, seed), 20, 25, (55,)
    ),
}


def examined(game, positions):
    """(legal actions, over, value) of each position, from the kernels."""
    states = packed(positions)
    over, values = game.outcome(states)
    legal = [row.tolist() for row in game.legal_actions(states)]
    return list(zip(legal, over.tolist(), values.tolist(), strict=True))


def expected(position):
    legal = position.legal()
    return legal, not legal, position.outcome() if not legal else 0.0


def planes_of(game, position):
    """The planes of a network's input: own discs, the opponent's, legal squares, Black's turn."""
    own = np.array(position.board()) * position.player
    planes = [own == 1, own == -1, np.full(own.shape, position.player == 1)]
    if game.planes == 4:
        open_ = [action in position.legal() for action in range(own.size)]
        planes.insert(2, np.reshape(open_, own.shape))
    return np.array(planes)


@pytest.mark.parametrize("name", TWINS)
def test_scattered_boards(name):
    """Legal moves, ends and every child of boards that no game need reach."""
    game, twin = GAMES[name], TWINS[name]
    positions = [twin.scattered(seed) for seed in range(1500)]
    assert max(len(position.legal()) for position in positions) <= game.max_legal
    assert examined(game, positions) == [expected(position) for position in positions]
    pairs = [(position, action) for position in positions for action in position.legal()][::7]
    parents, actions = zip(*pairs, strict=True)
    children = game.after(packed(parents), np.array(actions, np.int32))
    assert (children == packed([position.play(action) for position, action in pairs])).all()
    assert {position.legal() == [] for position in positions} == {True, False}
    if name != "connect4":
        passes = [game.num_actions - 1]
        assert {position.legal() == passes for position in positions} == {True, False}


@pytest.mark.parametrize("name", TWINS)
def test_games_of_the_twin(name):
    """Positions, boards, planes and the cell of each move, over whole games."""
    game, twin, passes = GAMES[name], TWINS[name], 0
    for seed in range(twin.games):
        rng = random.Random(seed)
        position, states = twin.start(), game.initial()
        while True:
            assert tuple(states[0]) == position.words()
            assert game.board(states)[0].tolist() == position.board()
            assert game.to_play(states)[0] == position.player
            assert (game.encoded(states)[0] == planes_of(game, position)).all()
            assert examined(game, [position]) == [expected(position)]
            if not position.legal():
                break
            action = rng.choice(position.legal())
            cell, mover = game.action_cell(states[0], action), position.player
            passes += cell is None
            before = np.ravel(position.board())
            position, states = position.play(action), game.after(states, [action])
            if cell is not None:
                assert (before[cell], np.ravel(position.board())[cell]) == (0, mover)
    assert (passes > 0) == (name != "connect4")


SPIEL = {
    "connect4": ("connect_four", lambda text: cells_of(text, {"x": 1, "o": -1, ".": 0})),
    "othello": ("othello", lambda text: othello_of_spiel(text)),
}


def othello_of_spiel(text):
    rows = [line.split()[1:-1] for line in text.splitlines() if line[:1].isdigit()]
    return cells_of(" ".join("".join(row) for row in rows), {"x": 1, "o": -1, "-": 0})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SPIEL)
def test_open_spiel(name, seed):
    assert_equals_spiel(GAMES[name], *SPIEL[name], 25_000, seed)


def test_open_spiel_writes_moves_of_othello_alike():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel absent: pip install evenmatch[test]")
    state = pyspiel.load_game("othello").new_initial_state()
    start = OTHELLO.initial()[0]
    for action in range(OTHELLO.num_actions):
        assert OTHELLO.action_text(start, action) == state.action_to_string(action)


def mirrored(game, position, cells):
    """A position as a symmetry shows it, made without the kernels."""
    if game is CONNECT4:
        columns = [int(cell) for cell in cells[:7]]
        return SlowConnect4([position.columns[column] for column in columns], position.player)
    board = np.ravel(position.cells)[cells].reshape(position.size, position.size)
    return SlowOthello(board.tolist(), position.player)


@pytest.mark.parametrize("name", TWINS)
def test_mirrored_boards_have_mirrored_moves(name):
    """All symmetries, those that the start position of Othello lacks included."""
    game = GAMES[name]
    positions = [TWINS[name].scattered(seed) for seed in range(150)]
    before = packed(positions)
    planes = game.encoded(before).reshape(len(positions), game.planes, -1)
    mask = game.legal_mask(before)
    going = mask.any(1)
    for cells, actions in zip(game.cell_symmetries, game.action_symmetries, strict=True):
        after = packed([mirrored(game, position, cells) for position in positions])
        assert (planes[..., cells] == game.encoded(after).reshape(planes.shape)).all()
        other_mask = game.legal_mask(after)
        assert (mask[:, actions] == other_mask).all()
        moves = other_mask[going].argmax(1)
        boards = game.board(game.after(before[going], actions[moves])).reshape(going.sum(), -1)
        others = game.board(game.after(after[going], moves)).reshape(boards.shape)
        assert (boards[:, cells] == others).all()


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_of_othello_are_the_eight_of_the_square(size):
    cells = SIZES[size].cell_symmetries
    assert len({tuple(row) for row in cells}) == 8
    rows, columns = np.divmod(np.arange(size**2), size)
    next_to = np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1
    for row in cells:
        assert (next_to[row][:, row] == next_to).all()  # neighbours stay neighbours


# -- playouts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TWINS)
def test_playouts_play_the_games_of_the_twin(name):
    """From games, and from boards with passes in a row or one side's discs alone."""
    game, twin = GAMES[name], TWINS[name]
    positions = [random_walk(twin.start(), seed % 50, seed) for seed in range(twin.playouts)]
    positions += [twin.scattered(seed) for seed in range(60)]
    seeds = np.arange(1, len(positions) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    streams = [Xorshift(seed) for seed in seeds]
    values = np.empty(len(positions), np.float32)
    game.playout(packed(positions), seeds, values)
    assert values.tolist() == [slow_playout(*pair) for pair in zip(positions, streams, strict=True)]
    assert seeds.tolist() == [stream.state for stream in streams]


@pytest.mark.parametrize(
    ("name", "plies"), [(name, plies) for name, twin in TWINS.items() for plies in twin.plies]
)
def test_playout_statistics(name, plies):
    """Outcomes occur as often as they should: chi-square, false alarm 1e-6 for a new seed."""
    position = random_walk(TWINS[name].start(), plies, seed=plies)
    chances = np.array(outcome_chances(position))
    count, possible = 200_000, chances > 0
    seeds = np.random.default_rng(plies).integers(1, 2**64, count, np.uint64)
    values = np.empty(count, np.float32)
    GAMES[name].playout(np.repeat(packed([position]), count, 0), seeds, values)
    found = np.array([(values == value).sum() for value in (-1, 0, 1)])
    assert (found[~possible] == 0).all()
    distance = ((found - count * chances)[possible] ** 2 / (count * chances[possible])).sum()
    assert distance <= chi2.isf(1e-6, max(possible.sum() - 1, 1))


# -- drawings of Othello ---------------------------------------------------------------------------


@pytest.mark.parametrize("drawing", MOVES)
@pytest.mark.parametrize("colours", ["BW", "WB"])
def test_moves_of_drawings(drawing, colours):
    text, player, moves = MOVES[drawing]
    side = player if colours == "BW" else -player
    position = othello_from(text.translate(str.maketrans("BW", colours)), side)
    state = packed([position])[0]
    legal = OTHELLO.legal_actions(state[None])[0].tolist()
    assert [OTHELLO.action_text(state, action) for action in legal] == moves.split()
    assert position.legal() == [OTHELLO.read_action(state, move) for move in moves.split()]


@pytest.mark.parametrize("drawing", ENDS)
@pytest.mark.parametrize("player", [1, -1])
def test_ends_of_drawings(drawing, player):
    text, value = ENDS[drawing]
    position = othello_from(text, player)
    assert examined(OTHELLO, [position]) == [([], True, value * player)]
    assert expected(position) == ([], True, value * player)


@pytest.mark.parametrize("drawing", TURNED)
def test_turned_discs_of_drawings(drawing):
    before, move, after = TURNED[drawing]
    for player in (1, -1):
        if player == -1:
            before, after = (text.translate(str.maketrans("BW", "WB")) for text in (before, after))
        states = packed([othello_from(before, player)])
        action = OTHELLO.read_action(states[0], move)
        assert tuple(OTHELLO.after(states, [action])[0]) == othello_from(after, -player).words()


def test_pass_leaves_the_discs_and_hands_over():
    position = othello_from(board_of(8, "BW"), -1)
    states = packed([position])
    after = OTHELLO.after(states, [64])
    assert (OTHELLO.board(after) == OTHELLO.board(states)).all()
    assert OTHELLO.to_play(after).tolist() == [1]
    assert OTHELLO.action_cell(states[0], 64) is None
    assert [OTHELLO.action_text(after[0], int(a)) for a in OTHELLO.legal_actions(after)[0]] == [
        "c1"
    ]


def test_the_shortest_game():
    """Black wins by taking every disc at the ninth move."""
    states = OTHELLO.initial()
    for move in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]:
        assert not OTHELLO.outcome(states)[0][0]
        states = OTHELLO.after(states, [OTHELLO.read_action(states[0], move)])
    assert OTHELLO.outcome(states) == ([True], [-1])  # White, to move, has lost
    assert OTHELLO.to_play(states).tolist() == [-1]
    assert OTHELLO.board(states).sum() == 13
    assert (OTHELLO.board(states) >= 0).all()


# -- drawings of Connect Four ----------------------------------------------------------------------


@pytest.mark.parametrize("drawing", BOARDS)
def test_connect4_of_drawings(drawing):
    text, (over, value, columns) = BOARDS[drawing]
    position = connect4_from(text)
    legal = [int(column) - 1 for column in columns]
    assert examined(CONNECT4, [position]) == [(legal, over, value)]
    assert expected(position) == (legal, over, value)


def test_there_are_69_lines():
    assert len(LINES) == 69


@pytest.mark.parametrize("line", LINES, ids=str)
def test_every_line_wins_and_its_threes_do_not(line):
    bits = [1 << 7 * column + row for column, row in line]
    full, threes = sum(bits), [sum(bits) - bit for bit in bits]
    states = np.array([(0, full), *((0, three) for three in threes)], np.uint64)
    assert CONNECT4.outcome(states)[1].tolist() == [-1, 0, 0, 0, 0]
    own = np.array([(full, full)], np.uint64)  # the winner is never to move in a game
    assert CONNECT4.outcome(own)[1].tolist() == [0]


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
    assert CONNECT4.winning_cells(CONNECT4.read_position(moves)) == cells


# -- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_squares_of_othello_are_written_column_then_row_from_the_top(size):
    game, state = SIZES[size], SIZES[size].initial()[0]
    letters = "abcdefgh"[:size]
    names = [f"{letter}{row}" for row in range(1, size + 1) for letter in letters]
    assert [game.action_text(state, action) for action in range(size**2)] == names
    assert game.action_text(state, size**2) == "pass"
    assert [game.action_cell(state, action) for action in range(size**2)] == list(range(size**2))


def test_moves_are_read_in_any_case():
    state = OTHELLO.initial()[0]
    assert OTHELLO.read_action(state, " D3\n") == 19
    state = packed([othello_from(board_of(8, "BW"), -1)])[0]
    assert OTHELLO.read_action(state, "PASS") == 64
    state = CONNECT4.initial()[0]
    assert [CONNECT4.action_text(state, action) for action in range(7)] == list("1234567")
    assert [CONNECT4.read_action(state, f" {text}\n") for text in "1234567"] == list(range(7))


SQUARES = ("", "i1", "a0", "a9", "3d", "d", "19", "d3 d4", "d３")
MALFORMED = {
    "connect4": ("a column from 1 to 7", ("", "0", "8", "-1", "1.0", "a", "1 2", "１", "pass")),
    "othello6": ("a square a1 to f6, or pass$", SQUARES),
    "othello": ("a square a1 to h8, or pass$", SQUARES),
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, (_, texts) in MALFORMED.items() for text in texts]
)
def test_malformed_moves(name, text):
    game = GAMES[name]
    with pytest.raises(MoveError, match=f"type {MALFORMED[name][0]}") as caught:
        game.read_action(game.initial()[0], text)
    assert "\n" not in str(caught.value)


FULL = connect4_from(BOARDS["full columns"][0])
START = SlowOthello.start(8)


@pytest.mark.parametrize(
    ("game", "position", "text", "legal"),
    [
        (CONNECT4, FULL, "1", "2 4 5 6"),
        (CONNECT4, connect4_from(BOARDS["the last disc makes four"][0]), "3", "none, game over"),
        *((OTHELLO, START, text, "d3 c4 f5 e6") for text in ("a1", "d4", "pass")),
        (OTHELLO, othello_from(ENDS["White wiped out"][0]), "d3", "none, game over"),
    ],
)
def test_an_illegal_move_names_the_legal_ones(game, position, text, legal):
    with pytest.raises(MoveError, match=f"'{text}' is not legal here; legal moves: {legal}"):
        game.read_action(packed([position])[0], text)
