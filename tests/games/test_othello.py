"""Othello against drawings, the oracle and OpenSpiel, on both sizes."""

import random

import numpy as np
import pytest
from open_spiel_games import assert_equals_spiel
from oracle_evaluators import slow_playout
from oracle_games import SlowOthello, cells_of, othello_from, outcome_chances, packed, random_walk
from oracle_random import Xorshift
from scipy.stats import chi2

from evenmatch.errors import MoveError
from evenmatch.games import GAMES

SIZES = {6: GAMES["othello6"], 8: GAMES["othello"]}
GAME = SIZES[8]


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


def examined(game, positions):
    """(legal actions, over, value) of each position, from the kernels."""
    states = packed(positions)
    over, values = game.outcome(states)
    legal = [row.tolist() for row in game.legal_actions(states)]
    return list(zip(legal, over.tolist(), values.tolist(), strict=True))


def expected(position):
    legal = position.legal()
    return legal, not legal, position.outcome() if not legal else 0.0


def scattered(size, seed):
    """A board that no game need reach: any discs anywhere, from nearly empty to nearly full."""
    rng = random.Random(seed)
    weights = rng.choice([(1, 1, 8), (2, 5, 2), (5, 3, 2), (8, 8, 1), (1, 9, 1)])
    cells = [rng.choices((1, -1, 0), weights, k=size) for _ in range(size)]
    return SlowOthello(cells, rng.choice((1, -1)))


@pytest.mark.parametrize("drawing", MOVES)
def test_moves_of_drawings(drawing):
    text, player, moves = MOVES[drawing]
    position = othello_from(text, player)
    state = packed([position])[0]
    found = [GAME.action_text(state, int(action)) for action in GAME.legal_actions(state[None])[0]]
    assert found == moves.split()
    assert position.legal() == [GAME.read_action(state, move) for move in moves.split()]


@pytest.mark.parametrize("drawing", MOVES)
def test_moves_with_colours_swapped(drawing):
    text, player, moves = MOVES[drawing]
    position = othello_from(text.translate(str.maketrans("BW", "WB")), -player)
    state = packed([position])[0]
    found = [GAME.action_text(state, int(action)) for action in GAME.legal_actions(state[None])[0]]
    assert found == moves.split()


@pytest.mark.parametrize("drawing", ENDS)
@pytest.mark.parametrize("player", [1, -1])
def test_ends_of_drawings(drawing, player):
    text, value = ENDS[drawing]
    position = othello_from(text, player)
    assert examined(GAME, [position]) == [([], True, value * player)]
    assert expected(position) == ([], True, value * player)


@pytest.mark.parametrize("drawing", TURNED)
def test_turned_discs_of_drawings(drawing):
    before, move, after = TURNED[drawing]
    for player in (1, -1):
        if player == -1:
            before, after = (text.translate(str.maketrans("BW", "WB")) for text in (before, after))
        states = packed([othello_from(before, player)])
        action = GAME.read_action(states[0], move)
        assert tuple(GAME.after(states, [action])[0]) == othello_from(after, -player).words()


def test_pass_leaves_the_discs_and_hands_over():
    position = othello_from(board_of(8, "BW"), -1)
    states = packed([position])
    after = GAME.after(states, [64])
    assert (GAME.board(after) == GAME.board(states)).all()
    assert GAME.to_play(after).tolist() == [1]
    assert GAME.action_cell(states[0], 64) is None
    assert [GAME.action_text(after[0], int(a)) for a in GAME.legal_actions(after)[0]] == ["c1"]


def test_the_shortest_game():
    """Black wins by taking every disc at the ninth move."""
    states = GAME.initial()
    for move in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]:
        assert not GAME.outcome(states)[0][0]
        states = GAME.after(states, [GAME.read_action(states[0], move)])
    assert GAME.outcome(states) == ([True], [-1])  # White, to move, has lost
    assert GAME.to_play(states).tolist() == [-1]
    assert GAME.board(states).sum() == 13
    assert (GAME.board(states) >= 0).all()


@pytest.mark.parametrize("size", SIZES)
def test_scattered_boards(size):
    """Legal moves, ends and every child of boards no game need reach."""
    positions = [scattered(size, seed) for seed in range(1500)]
    assert max(len(position.legal()) for position in positions) <= SIZES[size].max_legal
    assert examined(SIZES[size], positions) == [expected(position) for position in positions]
    parents = [p for p in positions for _ in p.legal()]
    actions = [action for p in positions for action in p.legal()]
    some = slice(None, None, 7)
    children = SIZES[size].after(packed(parents[some]), np.array(actions[some], np.int32))
    played = [p.play(a) for p, a in zip(parents[some], actions[some], strict=True)]
    assert (children == packed(played)).all()
    assert {p.legal() == [size**2] for p in positions} == {True, False}
    assert {p.legal() == [] for p in positions} == {True, False}


@pytest.mark.parametrize(("size", "games"), [(6, 110), (8, 20)])
def test_games_of_the_oracle(size, games):
    """Positions, boards and planes, over whole games: some 4,000 positions on 6x6."""
    game, passes, compared = SIZES[size], 0, 0
    for seed in range(games):
        rng = random.Random(seed)
        position, states = SlowOthello.start(size), game.initial()
        while True:
            compared += 1
            legal = position.legal()
            assert tuple(states[0]) == position.words()
            assert game.board(states)[0].tolist() == position.board()
            assert game.to_play(states)[0] == position.player
            own = np.array(position.board()) * position.player
            open_ = [action in legal for action in range(size**2)]
            planes = [
                own == 1,
                own == -1,
                np.reshape(open_, (size, size)),
                np.full((size, size), position.player == 1),
            ]
            assert (game.encoded(states)[0] == np.array(planes)).all()
            assert examined(game, [position]) == [expected(position)]
            if not legal:
                break
            passes += legal == [size**2]
            action = rng.choice(legal)
            position, states = position.play(action), game.after(states, [action])
    assert passes > 0
    assert compared > 30 * games


def spiel_board(text):
    rows = [line.split()[1:-1] for line in text.splitlines() if line[:1].isdigit()]
    return cells_of(" ".join("".join(row) for row in rows), {"x": 1, "o": -1, "-": 0})


@pytest.mark.parametrize("seed", range(4))
def test_open_spiel(seed):
    assert_equals_spiel(GAME, "othello", spiel_board, 25_000, seed)


def test_open_spiel_writes_moves_alike():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel absent: pip install evenmatch[test]")
    state = pyspiel.load_game("othello").new_initial_state()
    start = GAME.initial()[0]
    for action in range(GAME.num_actions):
        assert GAME.action_text(start, action) == state.action_to_string(action)


# -- symmetries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_are_the_eight_of_the_square(size):
    cells = SIZES[size].cell_symmetries
    assert len({tuple(row) for row in cells}) == 8
    rows, columns = np.divmod(np.arange(size**2), size)
    next_to = np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) == 1
    for row in cells:
        assert (next_to[row][:, row] == next_to).all()  # neighbours stay neighbours


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("k", range(8))
def test_turned_boards_have_turned_moves(size, k):
    """All eight symmetries, the four that the start position lacks included."""
    game = SIZES[size]
    cells, actions = game.cell_symmetries[k], game.action_symmetries[k]
    assert actions[-1] == size**2
    positions = [scattered(size, seed) for seed in range(150)]
    turned = [
        SlowOthello(np.ravel(p.cells)[cells].reshape(size, size).tolist(), p.player)
        for p in positions
    ]
    before, after = packed(positions), packed(turned)
    planes = game.encoded(before).reshape(len(positions), game.planes, -1)
    assert (planes[..., cells] == game.encoded(after).reshape(planes.shape)).all()
    mask, turned_mask = game.legal_mask(before), game.legal_mask(after)
    assert (mask[:, actions] == turned_mask).all()
    going = mask.any(1)
    moves = turned_mask[going].argmax(1)
    boards = game.board(game.after(before[going], actions[moves])).reshape(going.sum(), -1)
    others = game.board(game.after(after[going], moves)).reshape(boards.shape)
    assert (boards[:, cells] == others).all()


# -- playouts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "count"), [(6, 60), (8, 25)])
def test_playouts_play_the_oracles_games(size, count):
    positions = [random_walk(SlowOthello.start(size), seed % 50, seed) for seed in range(count)]
    seeds = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    streams = [Xorshift(seed) for seed in seeds]
    values = np.empty(count, np.float32)
    SIZES[size].playout(packed(positions), seeds, values)
    played = [slow_playout(*pair) for pair in zip(positions, streams, strict=True)]
    assert values.tolist() == played
    assert seeds.tolist() == [stream.state for stream in streams]


@pytest.mark.parametrize(("size", "plies"), [(6, 25), (6, 26), (8, 55)])
def test_playout_statistics(size, plies):
    """Outcomes occur as often as they should: chi-square, false alarm 1e-6 for a new seed."""
    position = random_walk(SlowOthello.start(size), plies, seed=plies)
    chances = np.array(outcome_chances(position))
    assert (chances > 0).sum() > 1
    count = 200_000
    seeds = np.random.default_rng(plies).integers(1, 2**64, count, np.uint64)
    values = np.empty(count, np.float32)
    SIZES[size].playout(np.repeat(packed([position]), count, 0), seeds, values)
    found = np.array([(values == value).sum() for value in (-1, 0, 1)])
    possible = chances > 0
    assert (found[~possible] == 0).all()
    distance = ((found - count * chances)[possible] ** 2 / (count * chances[possible])).sum()
    assert distance <= chi2.isf(1e-6, possible.sum() - 1)


@pytest.mark.parametrize("size", SIZES)
def test_playouts_of_scattered_boards_end(size):
    """Passes in a row, wiped out sides: the playout takes them as the oracle does."""
    positions = [scattered(size, seed) for seed in range(60)]
    seeds = np.arange(1, 61, dtype=np.uint64)
    streams = [Xorshift(seed) for seed in seeds]
    values = np.empty(60, np.float32)
    SIZES[size].playout(packed(positions), seeds, values)
    assert values.tolist() == [slow_playout(*pair) for pair in zip(positions, streams, strict=True)]


# -- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_squares_are_written_column_then_row_from_the_top(size):
    game, state = SIZES[size], SIZES[size].initial()[0]
    letters = "abcdefgh"[:size]
    names = [f"{letter}{row}" for row in range(1, size + 1) for letter in letters]
    assert [game.action_text(state, action) for action in range(size**2)] == names
    assert game.action_text(state, size**2) == "pass"
    assert [game.action_cell(state, action) for action in range(size**2)] == list(range(size**2))


def test_moves_are_read_in_any_case():
    state = GAME.initial()[0]
    assert GAME.read_action(state, " D3\n") == 19
    state = packed([othello_from(board_of(8, "BW"), -1)])[0]
    assert GAME.read_action(state, "PASS") == 64


@pytest.mark.parametrize(("size", "last"), [(6, "f6"), (8, "h8")])
@pytest.mark.parametrize("text", ["", "i1", "a0", "a9", "3d", "d", "19", "d3 d4", "d３"])
def test_malformed_moves(size, last, text):
    with pytest.raises(MoveError, match=f"type a square a1 to {last}, or pass$") as caught:
        SIZES[size].read_action(SIZES[size].initial()[0], text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["a1", "d4", "pass"])
def test_illegal_move_names_the_legal_ones(text):
    with pytest.raises(MoveError, match=f"'{text}' is not legal here; legal moves: d3 c4 f5 e6$"):
        GAME.read_action(GAME.initial()[0], text)


def test_no_move_is_legal_after_the_end():
    state = packed([othello_from(ENDS["White wiped out"][0])])[0]
    with pytest.raises(MoveError, match="legal moves: none, game over"):
        GAME.read_action(state, "d3")
