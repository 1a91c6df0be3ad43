"""Chess against python-chess: whole games, draws, repetition, planes, actions, text."""

import io
import random

import chess
import chess.pgn
import numpy as np
import pytest
from oracle_chess import (
    ACTIONS,
    POLICY,
    SlowChess,
    action_of,
    alphazero_planes,
    leela_planes,
    piece_planes,
    policy_list,
)
from oracle_evaluators import slow_playout
from oracle_games import packed
from oracle_random import Xorshift
from shared_data import shared_file

from evenmatch.errors import MoveError, UsageError
from evenmatch.games.chess import Chess
from evenmatch.games.chess import actions as policy
from evenmatch.games.chess import planes as planes
from evenmatch.games.chess.chess import START
from evenmatch.games.chess.history import BELOW, ROOT, marked

GAME = Chess()
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
SHUFFLE = ["Nf3", "Nf6", "Ng1", "Ng8"]
SHARP = [
    "e4", "d5", "e5", "f5", "exf6", "Nh6", "fxg7", "Nf7", "gxh8=Q", "Nc6", "Nf3",
    "Bh3", "Be2", "Qd7", "O-O", "O-O-O", "Re1", "Bg4", "Kf1", "d4", "c4", "dxc3",
]  # fmt: skip


def played(words, fen=START):
    """The states [plies + 1, 32] of a game in algebraic notation."""
    states = [GAME.from_fen(fen)]
    for word in words:
        action = GAME.read_action(states[-1], word)
        states.append(GAME.after(states[-1][None], [action])[0])
    return np.array(states)


def is_over(state):
    over, values = GAME.outcome(state[None])
    return bool(over[0]), float(values[0])


# -- whole games of python-chess -------------------------------------------------------------------


def assert_agrees(moves, fen=chess.STARTING_FEN):
    """Play moves in both and compare every position; return how many there were."""
    board, state, past = chess.Board(fen), GAME.from_fen(fen), []
    states, expected = [], []
    for move in [*moves, None]:
        past.append(board.copy(stack=False))
        states.append(state)
        expected.append(facts(board))
        assert GAME.to_fen(state) == board.fen()
        if move is None:
            break
        action = action_of(board, move)
        assert policy.action_of_move(state, code(move)) == action
        state = GAME.after(state[None], [action])[0]
        board.push(move)
    legal, counts, values = GAME.examine(np.array(states))
    unclaimed = GAME.unclaimed_mask(np.array(states))  # where people play on, after draws too
    for i, (actions, over, value) in enumerate(expected):
        assert legal[i, : counts[i]].tolist() == ([] if over else actions)
        assert np.flatnonzero(unclaimed[i]).tolist() == actions
        assert values[i] == value
    return len(expected)


def facts(board):
    """(legal actions, whether the game is over by our rules, its value) of a position."""
    actions = sorted(action_of(board, move) for move in board.legal_moves)
    drawn = board.is_repetition(3) or board.halfmove_clock >= 100
    drawn = drawn or board.is_insufficient_material() or not actions
    return actions, drawn, -1.0 if board.is_checkmate() else 0.0


def code(move):
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


@pytest.mark.parametrize("seed", range(12))
def test_random_games(seed):
    """Far beyond draws too: a record may go on where a claim was possible."""
    rng, board = random.Random(seed), chess.Board()
    if seed % 3 == 0:  # few pieces: repetitions, clocks, material
        board = chess.Board("8/8/2k5/8/8/3NK3/6p1/8 w - - 40 80")
    start = board.fen()
    for _ in range(400):
        choices = list(board.legal_moves)
        if not choices:
            break
        board.push(rng.choice(choices))
    assert assert_agrees(board.move_stack, start) == len(board.move_stack) + 1


@pytest.mark.parametrize("name", ["fide", "lichess-rapid"])
def test_real_games(name):
    """The first games of each file."""
    zstandard = pytest.importorskip("zstandard", reason="zstandard absent: pip install zstandard")
    path = shared_file(f"chess/{name}.pgn.zst")
    compared = 0
    with path.open("rb") as packed_file:
        stream = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed_file))
        for _ in range(30):
            compared += assert_agrees(chess.pgn.read_game(stream).mainline_moves())
    assert compared > 1500


# -- ends of games ---------------------------------------------------------------------------------

#: position, whether it is over, value for the side to move
ENDS = {
    "back-rank mate": ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", True, -1),
    "mate with the clock at 100": ("R5k1/5ppp/8/8/8/8/8/K7 b - - 100 90", True, -1),
    "stalemate with the clock at 100": ("7k/5Q2/6K1/8/8/8/8/8 b - - 100 90", True, 0),
    "stalemate by a bishop": ("8/8/8/8/8/5k2/6b1/7K w - - 0 90", True, 0),
    "stalemate": ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", True, 0),
    "fifty moves": ("4k3/8/8/8/8/8/8/R3K3 w - - 100 90", True, 0),
    "one short of fifty moves": ("4k3/8/8/8/8/8/8/R3K3 w - - 99 90", False, 0),
    "a late move number is no draw": ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1500", False, 0),
    "bare kings": ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", True, 0),
    "king and knight": ("4k3/8/8/8/8/8/8/4KN2 b - - 0 1", True, 0),
    "king and bishop": ("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", True, 0),
    "bishops of one colour": ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", True, 0),
    "two bishops of one colour": ("4k3/8/8/4b3/8/8/8/B1B1K3 w - - 0 1", True, 0),
    "bishops of two colours": ("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", False, 0),
    "two knights": ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", False, 0),
    "knight against knight": ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", False, 0),
    "knight against bishop": ("4kb2/8/8/8/8/8/8/4KN2 w - - 0 1", False, 0),
    "a pawn": ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", False, 0),
    "a rook": ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", False, 0),
    "a queen": ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", False, 0),
}


def test_fifty_moves_in_play():
    states = played(["Ra2", "Kd8"], "4k3/8/8/8/8/8/8/R3K3 w - - 97 90")
    assert [is_over(state)[0] for state in states] == [False, False, False]
    assert is_over(GAME.after(states[2:], [GAME.read_action(states[2], "Ra1")])[0]) == (True, 0)


def test_the_longest_game():
    """A draw after 1024 plies, though nothing else ends the game: pawns move now and then."""
    state = GAME.from_fen("k7/8/8/8/8/8/PPPPPPPP/K1R5 w - - 0 1")
    rng, plies = np.random.default_rng(5), 0
    while len(legal := GAME.legal_actions(state[None])[0]):
        moves = [int(policy.move_of_action(state, int(action))) for action in legal]
        quiet = [a for a, m in zip(legal, moves, strict=True) if not ends_soon(state, m)]
        state = GAME.after(state[None], [rng.choice(quiet or legal)])[0]
        plies += 1
    assert plies == GAME.max_plies
    assert not chess.Board(GAME.to_fen(state)).is_game_over()
    assert GAME.ending(state) == "the limit of 1024 plies"


def ends_soon(state, move):
    """Whether a move lets the clock run, the pawns run out, or pieces be taken."""
    board = chess.Board(GAME.to_fen(state))
    move = chess.Move(move & 63, move >> 6 & 63, move >> 12 or None)
    after = GAME.after(state[None], [action_of(board, move)])
    repeats = int(after[0, 5]) >> 44 & 3
    pawn = board.piece_type_at(move.from_square) == chess.PAWN
    board.push(move)
    taken = any(board.is_capture(reply) for reply in board.legal_moves)
    wasteful = pawn and (board.halfmove_clock == 0) and state[4] >> np.uint64(11) < 80
    late = not pawn and board.halfmove_clock > 95
    return repeats > 0 or taken or wasteful or late or not any(board.legal_moves)


# -- why games end ---------------------------------------------------------------------------------

REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "insufficient material",
}


def reason(board):
    """Why python-chess takes a game to be over, claims included; "" if it goes on."""
    if outcome := board.outcome():
        return REASONS[outcome.termination]
    if board.halfmove_clock >= 100:
        return "the fifty-move rule"
    return "threefold repetition" if board.is_repetition(3) else ""


@pytest.mark.parametrize("case", ENDS)
def test_ends(case):
    """Of several reasons python-chess names the same, such as mate before the clock."""
    fen, over, value = ENDS[case]
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        state = GAME.from_fen(board.fen())
        assert is_over(state) == (over, value)
        assert GAME.ending(state) == reason(board)
        assert bool(reason(board)) == over


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 90", {*REASONS.values(), "the fifty-move rule"}),
        ("5k2/5p1p/5P1P/8/8/1p1p4/1P1P4/2K5 w - - 0 1", {"threefold repetition"}),
    ],
)
def test_the_reasons_of_random_games(fen, expected):
    """Ply by ply until the end; the seeds are fixed, so are the reasons they come to."""
    rng, found = random.Random(1), set()
    for _ in range(20):
        board, state = chess.Board(fen), GAME.from_fen(fen)
        while not reason(board):
            assert GAME.ending(state) == ""
            move = rng.choice(list(board.legal_moves))
            state = GAME.after(state[None], [action_of(board, move)])[0]
            board.push(move)
        assert GAME.ending(state) == reason(board)
        found.add(reason(board))
    assert expected <= found


# -- repetition ------------------------------------------------------------------------------------


def test_the_third_occurrence_ends_a_game():
    states = played(SHUFFLE * 2)
    assert [is_over(state)[0] for state in states] == [False] * 8 + [True]
    assert is_over(states[-1]) == (True, 0)
    assert [GAME.ending(state) for state in states] == [""] * 8 + ["threefold repetition"]


def test_below_a_root_the_second_occurrence_counts():
    """The root itself goes by the game's rules; what repeats the game or the way is a draw."""
    state = GAME.as_roots(played(SHUFFLE[:3])[-1:])[0]
    over = []
    for word in [SHUFFLE[3], "Nc3", "Nc6", "Nb1", "Nb8"]:
        action = policy.action_of_move(state, code(chess.Board(GAME.to_fen(state)).parse_san(word)))
        state = GAME.after(state[None], [action])[0]
        over.append(is_over(state)[0])
    assert over == [True, False, False, False, True]


def test_a_root_that_occurred_before_is_not_over():
    state = played(SHUFFLE)[-1]
    assert is_over(marked(state[None], BELOW)[0])[0]
    assert not is_over(GAME.as_roots(state[None])[0])[0]
    assert (GAME.as_roots(state[None]) == marked(state[None], ROOT)).all()


def test_lost_rights_and_captures_make_other_positions():
    """A castling right lost, an en passant capture that was possible: as in python-chess."""
    games = [
        "e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7",
        "e4 Nf6 e5 d5 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3",
        "e4 Nf6 e5 d5 Nf3 Nfd7 Ng1 Nf6 Nf3 Nfd7 Ng1 Nf6 Nf3 Nfd7 Ng1 Nf6",
        "a3 a6 " + "Nf3 Nf6 Ng1 Ng8 " * 3,
    ]
    for words in games:
        board = chess.Board()
        for word in words.split():
            board.push_san(word)
        assert_agrees(board.move_stack)


@pytest.mark.parametrize("seed", range(3))
def test_states_are_those_of_the_oracle(seed):
    """Word for word: ring, counters, marks; in games and below roots, over 130 plies."""
    rng, start = random.Random(seed), SlowChess(chess.Board("4k3/8/8/8/8/8/7P/RN2K3 w Q - 0 1"))
    position = state = None
    for ply in range(130):
        if position is None or not position.actions:  # begin, and begin again after a game's end
            position, state = start, GAME.from_fen(start.board_.fen())
        action = rng.choice(sorted(position.actions))
        position, state = position.play(action), GAME.after(state[None], [action])[0]
        if ply % 25 == 7:
            position, state = position.as_root(), GAME.as_roots(state[None])[0]
        assert packed([position])[0].tolist() == state.tolist()
        assert position.legal() == GAME.legal_actions(state[None])[0].tolist()


# -- planes ----------------------------------------------------------------------------------------


def games_for_planes():
    """Positions of games with castling, promotions, en passant and repetitions."""
    for words in (SHARP, SHUFFLE * 2, ["d4", "d5", *SHUFFLE, "e3", "e6", *SHUFFLE]):
        position = SlowChess()
        for word in words:
            yield position
            position = position.play(action_of(position.board_, position.board_.parse_san(word)))
        yield position
    for fen in (KIWIPETE, "r3k2r/8/8/8/8/8/6p1/R3K2R b Kq - 31 40"):
        rng, position = random.Random(7), SlowChess(chess.Board(fen))
        for _ in range(12):
            yield position
            position = position.play(rng.choice(position.legal()))


def test_alphazero_planes():
    positions = list(games_for_planes())
    assert any(position.before == 2 for position in positions)
    states = packed(positions)
    expected = np.array([alphazero_planes(position) for position in positions])
    assert (GAME.encoded(states) == expected).all()


def test_leela_planes():
    positions = list(games_for_planes())
    out = np.full((len(positions), planes.LEELA_PLANES, 64), np.nan, np.float32)
    planes.leela_planes(packed(positions), out)
    expected = np.array([leela_planes(position) for position in positions])
    assert (out.reshape(expected.shape) == expected).all()


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/ppp1p1pp/8/8/3pPp2/2P2N1P/PP1P1PP1/RNBQKB1R b KQkq e3 0 5",
        "k7/8/8/2pP4/8/8/8/K7 w - c6 0 1",
    ],
)
def test_a_fen_tells_of_the_double_step_before_it(fen):
    """As lc0 has it: the boards before are those from which the pawn started."""
    board, state = chess.Board(fen), GAME.from_fen(fen)
    before = chess.Board(fen)
    at = before.ep_square + (8 if before.turn == chess.BLACK else -8)
    start = before.ep_square - (8 if before.turn == chess.BLACK else -8)
    before.set_piece_at(start, before.remove_piece_at(at))
    for word in (None, next(iter(board.legal_moves))):
        if word is not None:
            state = GAME.after(state[None], [action_of(board, word)])[0]
            before_mover = board.copy()
            board.push(word)
        found = np.zeros((1, planes.LEELA_PLANES, 64), np.float32)
        planes.leela_planes(state[None], found)
        shown = [board] if word is None else [board, before_mover]
        expected = [piece_planes(one, board.turn) for one in shown]
        expected += [piece_planes(before, board.turn)] * (8 - len(shown))
        for back, pieces in enumerate(expected):
            assert (found[0, 13 * back : 13 * back + 12] == pieces.reshape(12, 64)).all()
    assert GAME.to_fen(GAME.from_fen(fen)) == fen


# -- actions ---------------------------------------------------------------------------------------


def test_policy_is_that_of_first_principles():
    """64 squares' queen and knight moves, then 22 promotion steps to each of three pieces."""
    assert len(POLICY) == len(set(POLICY)) == GAME.num_actions == 1858
    names = [chess.square_name(int(m) & 63) + chess.square_name(int(m) >> 6 & 63) for m in MOVES]
    letters = ["", "", "", "b", "r", "q"]
    assert [n + letters[int(m) >> 12] for n, m in zip(names, MOVES, strict=True)] == policy_list()


def test_policy_where_it_is_published():
    """Ends of the two parts, and where ranks begin, as in Leela's table of moves."""
    found = {name: ACTIONS[name] for name in ("a1b1", "a1c1", "h8g8", "a7a8q", "a7a8r", "h7h8b")}
    assert found == {
        "a1b1": 0,
        "a1c1": 1,
        "h8g8": 1791,
        "a7a8q": 1792,
        "a7a8r": 1793,
        "h7h8b": 1857,
    }


MOVES = policy.MOVES


@pytest.mark.parametrize(
    "fen",
    [
        START,
        KIWIPETE,
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "1n1n1n1n/P1P1P1P1/8/8/4k3/8/8/4K3 w - - 0 1",
        "3k4/8/8/8/8/8/8/4Q1RK w - - 0 1",
        "4k3/8/8/8/8/8/8/R1Q1K2R w Q - 0 1",
    ],
)
def test_actions_and_moves_go_round(fen):
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        state = GAME.from_fen(board.fen())
        for move in board.legal_moves:
            action = action_of(board, move)
            assert policy.action_of_move(state, code(move)) == action
            assert policy.move_of_action(state, action) == code(move)


# -- playouts --------------------------------------------------------------------------------------


def test_playouts_play_the_oracles_games():
    """From the start they take hundreds of plies; near the end the oracle is quick enough."""
    fens = ["8/8/2k5/8/8/3NK3/6p1/8 w - - 60 80", "4k3/P7/8/8/8/8/7p/4K3 w - - 80 60"]
    positions = [SlowChess(chess.Board(fen)) for fen in fens * 8]
    positions[:4] = [position.as_root() for position in positions[:4]]
    seeds = np.arange(1, 17, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    streams = [Xorshift(seed) for seed in seeds]
    values = np.empty(16, np.float32)
    GAME.playout(packed(positions), seeds, values)
    # the compiled playout draws among moves in the order of actions, as the oracle does
    assert values.tolist() == [slow_playout(*pair) for pair in zip(positions, streams, strict=True)]
    assert seeds.tolist() == [stream.state for stream in streams]


# -- text ------------------------------------------------------------------------------------------


def test_text_of_actions():
    state = GAME.from_fen(KIWIPETE)
    texts = {GAME.action_text(state, int(a)) for a in GAME.legal_actions(state[None])[0]}
    board = chess.Board(KIWIPETE)
    assert texts == {board.san(move) for move in board.legal_moves}
    assert {"O-O", "O-O-O", "Qxf6", "dxe6"} <= texts
    assert GAME.read_action(state, "e1g1") == GAME.read_action(state, "O-O") == ACTIONS["e1h1"]


def test_small_letters_and_promotions_are_understood():
    state = GAME.from_fen(KIWIPETE)
    for small, large in (("o-o", "O-O"), ("o-o-o", "O-O-O"), ("qxf6", "Qxf6"), ("nxf7", "Nxf7")):
        assert GAME.read_action(state, small) == GAME.read_action(state, large)
    rook = GAME.from_fen("r3k3/1P6/8/8/8/8/1P6/4K3 w - - 0 1")
    assert GAME.read_action(rook, "bxa8=Q") != GAME.read_action(rook, "b4")
    with pytest.raises(MoveError, match="'bxa8' reaches the last rank; say what it becomes"):
        GAME.read_action(rook, "bxa8")


def test_moves_are_read_only_while_the_game_goes_on():
    with pytest.raises(MoveError, match=r"not legal here; legal moves: .*Nf3"):
        GAME.read_action(GAME.initial()[0], "e5")
    with pytest.raises(MoveError, match=r"legal moves: Nh3 Nf3 Nc3 Na3 .* and 8 more$"):
        GAME.read_action(GAME.initial()[0], "Nf6")
    with pytest.raises(MoveError, match=r"legal moves: e[34] e[34] Nh3 .* and 8 more$"):
        GAME.read_action(GAME.initial()[0], "e2e5")
    with pytest.raises(MoveError, match="the game is over"):
        GAME.read_action(played(SHUFFLE * 2)[-1], "Nf3")


def test_boards_for_people():
    state = GAME.from_fen(KIWIPETE)
    assert GAME.board(state[None])[0].tolist() == SlowChess(chess.Board(KIWIPETE)).board()
    assert GAME.pieces(GAME.initial())[0, 0].tolist() == [-4, -2, -3, -5, -6, -3, -2, -4]
    assert GAME.pieces(GAME.initial())[0, 6].tolist() == [1] * 8
    start = GAME.initial()[0]
    assert GAME.action_cell(start, GAME.read_action(start, "e4")) == 4 * 8 + 4
    assert GAME.action_cells(start, GAME.read_action(start, "e4")) == (6 * 8 + 4, 4 * 8 + 4)
    after = GAME.after(start[None], [GAME.read_action(start, "e4")])[0]
    assert GAME.action_cells(after, GAME.read_action(after, "e5")) == (1 * 8 + 4, 3 * 8 + 4)
    assert GAME.action_cell(after, GAME.read_action(after, "e5")) == 3 * 8 + 4


def test_fens_go_round():
    fens = [START, KIWIPETE, "8/8/8/K1pP3r/8/8/8/7k w - - 0 1", "k7/8/8/2pP4/8/8/8/K7 w - c6 0 9"]
    for fen in fens:
        assert GAME.to_fen(GAME.from_fen(fen)) == fen
    unusable = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    assert GAME.to_fen(GAME.from_fen(unusable)) == unusable.replace("e3", "-")
    with pytest.raises(UsageError, match="cannot read"):
        GAME.from_fen("nonsense")
