"""Moves on one board against known perft counts and python-chess."""

import random
import re

import chess
import numpy as np
import pytest

from evenmatch.errors import MoveError, UsageError
from evenmatch.games import get_game
from evenmatch.games.bits import kernel
from evenmatch.games.chess import moves, text
from evenmatch.games.chess.moves import BETWEEN, LINE, diagonal_attacks, straight_attacks

CHESS = get_game("chess")
#: Known counts of move sequences by depth: chessprogramming.org, "Perft Results".
PERFT = {
    chess.STARTING_FEN: (20, 400, 8902, 197281),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039, 97862),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2812, 43238, 674624),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9467, 422333),
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1": (6, 264, 9467, 422333),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486, 62379),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (46, 2079, 89890),
}

#: position, moves that must be legal, moves that must not be
CASES = {
    "en passant opens the rank to a rook": ("8/8/8/K1pP3r/8/8/8/7k w - c6 0 1", "d5d6", "d5c6"),
    "en passant opens a diagonal": ("7k/b7/8/2pP4/8/4K3/8/8 w - c6 0 1", "d5d6", "d5c6"),
    "en passant along a pin": ("7k/1b6/8/2pP4/4K3/8/8/8 w - c6 0 1", "d5c6", "d5d6"),
    "en passant out of a pin": ("3r3k/8/8/2pP4/8/3K4/8/8 w - c6 0 1", "d5d6", "d5c6"),
    "en passant takes the pawn that checks": ("7k/8/8/2pP4/1K6/8/8/8 w - c6 0 1", "d5c6", "d5d6"),
    "only one of two takers is free": ("3r3k/8/8/1PpP4/8/3K4/8/8 w - c6 0 1", "b5c6", "d5c6"),
    "Black takes en passant": ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", "d4c3"),
    "castling both ways": ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1", ""),
    "castling through check": ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "e1g1"),
    "castling into check": ("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "e1g1"),
    "castling out of check": ("4kr2/8/8/8/8/5n2/8/R3K2R w KQ - 0 1", "", "e1g1 e1c1"),
    "castling with b1 attacked": ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1", ""),
    "castling with b1 taken": ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1g1", "e1c1"),
    "castling without the right": ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1c1", "e1g1"),
    "Black castles": ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8 e8c8", ""),
    "the king may not back away along the line": ("4k3/8/8/8/4r3/8/4K3/8 w - - 0 1", "", "e2e1"),
    "a pinned rook keeps to its file": ("4r2k/8/8/8/4R3/8/4K3/8 w - - 0 1", "e4e8 e4e3", "e4d4"),
    "a double check moves the king": ("4r2k/8/8/8/8/3n4/8/N3K2R w - - 0 1", "e1d1", "h1h8"),
    "all four promotions": ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q a7a8r a7a8b a7a8n", ""),
    "a promotion out of check": ("4k3/8/8/8/8/8/1p6/R2K4 b - - 0 1", "b2a1n b2b1q", ""),
}


def room(depth=8):
    return np.empty((depth, 5), np.uint64), np.empty((depth, moves.MAX_LEGAL), np.int16)


def legal(position):
    """The legal moves of a python-chess position, by the kernel, in its order."""
    out = np.empty(moves.MAX_LEGAL, np.int16)
    count = moves.legal_moves(text.board_of(position), out)
    return [text.move_of(int(code)) for code in out[:count]]


@pytest.mark.parametrize("fen", PERFT)
def test_perft(fen):
    board = text.board_of(chess.Board(fen))
    counts = [moves.perft(board, depth, *room()) for depth in range(1, len(PERFT[fen]) + 1)]
    assert tuple(counts) == PERFT[fen]


def test_perft_zero_is_the_position_itself():
    assert moves.perft(text.board_of(chess.Board()), 0, *room()) == 1


@pytest.mark.parametrize("case", CASES)
def test_cases(case):
    fen, can, cannot = CASES[case]
    for mirrored in (False, True):
        position = chess.Board(fen)
        good, bad = ([chess.Move.from_uci(word) for word in half.split()] for half in (can, cannot))
        if mirrored:
            position = position.mirror()
            good, bad = ([mirror(move) for move in half] for half in (good, bad))
        found = legal(position)
        assert set(good) <= set(found)
        assert not set(bad) & set(found)
        assert sorted(found, key=str) == sorted(position.legal_moves, key=str)


def mirror(move):
    start, target = map(chess.square_mirror, (move.from_square, move.to_square))
    return chess.Move(start, target, move.promotion)


@pytest.mark.parametrize("seed", range(12))
def test_random_games_of_python_chess(seed):
    """Moves, the boards after them, checks and reversibility, from positions full of tactics."""
    rng, position = random.Random(seed), chess.Board(list(PERFT)[seed % len(PERFT)])
    board, after = text.board_of(position), np.empty(5, np.uint64)
    for _ in range(120):
        found = legal(position)
        assert moves.in_check(board) == position.is_check()
        assert len(set(found)) == len(found)
        assert set(found) == set(position.legal_moves)
        for move in found[::5]:
            irreversible = moves.make_move(board, text.code_of(move), after)
            assert irreversible == position.is_irreversible(move)
            position.push(move)
            assert after.tolist() == text.board_of(position).tolist()
            position.pop()
        if not found:
            break
        move = rng.choice(found)
        moves.make_move(board, text.code_of(move), board)
        position.push(move)
        assert board.tolist() == text.board_of(position).tolist()


def test_moves_are_in_the_movers_order():
    """By from-square and target as the mover sees them, promotions past a knight's at the end."""
    out = np.empty(moves.MAX_LEGAL, np.int16)
    for fen in PERFT:
        board = text.board_of(chess.Board(fen))
        found = out[: moves.mover_moves(board, out)].astype(int)
        late = found >> 12 > chess.KNIGHT
        keys = [
            (bool(i), m & 63, m >> 6 & 63, -(m >> 12)) for i, m in zip(late, found, strict=True)
        ]
        assert keys == sorted(keys)


def test_the_most_moves_of_a_position():
    """218, by Petrović 1964."""
    fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
    assert len(legal(chess.Board(fen))) == moves.MAX_LEGAL


# -- attacks ---------------------------------------------------------------------------------------


@kernel
def slide(occupied, straight, diagonal):  # [64] each
    for square in range(64):
        straight[square] = straight_attacks(square, occupied[square])
        diagonal[square] = diagonal_attacks(square, occupied[square])


@pytest.mark.parametrize("seed", range(40))
def test_sliding_attacks(seed):
    """From every square, on boards from empty to full."""
    rng = np.random.default_rng(seed)
    bits = rng.random((64, 64)) < seed / 39
    occupied = (bits.astype(np.uint64) << np.arange(64, dtype=np.uint64)).sum(1, dtype=np.uint64)
    straight, diagonal = np.empty((2, 64), np.uint64)
    slide(occupied, straight, diagonal)
    for square in range(64):
        others = int(occupied[square])
        assert int(straight[square]) == slider(chess.ROOK, square, others)
        assert int(diagonal[square]) == slider(chess.BISHOP, square, others)


def slider(piece, square, occupied):
    """What python-chess says a rook or bishop attacks."""
    board = chess.Board(None)
    board.occupied = occupied
    board.rooks = chess.BB_SQUARES[square] if piece == chess.ROOK else 0
    board.bishops = chess.BB_SQUARES[square] if piece == chess.BISHOP else 0
    return board.attacks_mask(square)


def test_lines_between_squares():
    for a in range(64):
        for b in range(64):
            assert int(BETWEEN[a, b]) == chess.between(a, b)
            assert int(LINE[a, b]) == chess.ray(a, b)


@pytest.mark.parametrize("fen", PERFT)
def test_attacked_squares(fen):
    position = chess.Board(fen)
    board = text.board_of(position)
    for square in range(64):
        assert moves.is_attacked(board, square, 0) == position.is_attacked_by(chess.WHITE, square)
        assert moves.is_attacked(board, square, 1) == position.is_attacked_by(chess.BLACK, square)


# -- text ------------------------------------------------------------------------------------------


def test_boards_become_positions_and_back():
    for fen, _, _ in CASES.values():
        position = chess.Board(fen)
        assert text.position_of(text.board_of(position)).fen() == position.fen()


@pytest.mark.parametrize(
    ("word", "move"),
    [("e4", "e2e4"), ("e2e4", "e2e4"), (" Nf3 ", "g1f3"), ("G1F3", "g1f3"), ("Ng1-f3", "g1f3")],
)
def test_moves_are_read(word, move):
    board = text.board_of(chess.Board())
    assert text.move_of(text.read_move(board, word)) == chess.Move.from_uci(move)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("e5", "'e5' is not legal here; legal moves: .*Nf3"),
        ("e2e5", "'e2e5' is not legal here; legal moves: .*Nf3"),
        ("what", "cannot read 'what' as a move; type it as in Nf3"),
        ("", "cannot read '' as a move"),
        ("0000", "cannot read '0000' as a move"),
        ("--", "cannot read '--' as a move"),
    ],
)
def test_moves_that_cannot_be_played(word, message):
    with pytest.raises(MoveError, match=message) as caught:
        text.read_move(text.board_of(chess.Board()), word)
    assert "\n" not in str(caught.value)


def test_a_move_that_may_be_two():
    board = text.board_of(chess.Board("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"))
    with pytest.raises(MoveError, match="'Nd2' may be several moves"):
        text.read_move(board, "Nd2")
    assert text.move_of(text.read_move(board, "Nbd2")).uci() == "b1d2"


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("what", "cannot read 'what' as a FEN"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no game reaches .*: no white king, no black king, empty;"),
        ("4k3/8/8/8/8/8/8/4KR1r b - - 0 1 7", "cannot read"),
        ("4k3/8/8/8/8/8/NNNNNNNN/NNN1K3 w - - 0 1", "too many promotions"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "no game reaches .*: opposite check;"),
    ],
)
def test_fens_that_are_none(fen, message):
    with pytest.raises(UsageError, match=message) as caught:
        text.read_fen(fen)
    assert "\n" not in str(caught.value)


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 1"
D5 = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq {} 0 3"


@pytest.mark.parametrize(
    ("pasted", "fen"),
    [
        (f"{START} b KQkq", f"{START} b KQkq - 0 1"),
        (f"{START} w KQkq - 3", f"{START} w KQkq - 3 1"),
        (f"{START} w KQkq \N{EN DASH} 0 1", f"{START} w KQkq - 0 1"),
        (f"{START} w _ _ 0 1", f"{START} w - - 0 1"),
        (f"{START} w KQkq - - -", f"{START} w KQkq - 0 1"),
        (f"  {START}\t w  KQkq   - 0  1 \n", f"{START} w KQkq - 0 1"),
        (f"\ufeff{START} w KQkq - 0 1", f"{START} w KQkq - 0 1"),
        (f"{START}\xa0w\xa0KQkq\u200b -\xa00 1", f"{START} w KQkq - 0 1"),
        (f'"{START} w KQkq - 0 1"', f"{START} w KQkq - 0 1"),
        (f"\N{LEFT DOUBLE QUOTATION MARK}{START} w KQkq -", f"{START} w KQkq - 0 1"),
        (f'[FEN "{START} w KQkq - 0 1"]', f"{START} w KQkq - 0 1"),
        (f"FEN: {START} w KQkq - 0 1", f"{START} w KQkq - 0 1"),
        (f"position fen {START} w KQkq - 0 1", f"{START} w KQkq - 0 1"),
        (f"{START}_w_KQkq_-_0_1", f"{START} w KQkq - 0 1"),
        (f"{START} W kqKQ - 0 1", f"{START} w KQkq - 0 1"),
        ("startpos", f"{START} w KQkq - 0 1"),
        ("fen startpos", f"{START} w KQkq - 0 1"),
        (D5.format("E3"), D5.format("e3")),
        (E4.format("e3"), E4.format("-")),  # nobody can take; as python-chess writes it
    ],
)
def test_fens_as_people_write_them(pasted, fen):
    position, notes = text.read_fen(pasted)
    assert (position.fen(), notes) == (fen, ())


DROPPED = "castling rights {} are dropped: king or rook is not where it begins"
NO_RIGHTS = "the FEN does not name castling rights; none are assumed"


@pytest.mark.parametrize(
    ("pasted", "fen", "notes"),
    [
        (
            "2k5/8/3K4/1p6/p7/P7/1B6/8 b KQkq - 0 1", "2k5/8/3K4/1p6/p7/P7/1B6/8 b - - 0 1",
            [DROPPED.format("KQkq")],
        ),
        (
            "r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R4K1R w kq - 0 1",
            [DROPPED.format("KQ")],
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2N w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2N w Qkq - 0 1",
            [DROPPED.format("K")],
        ),
        (
            "4k3/8/8/8/8/8/8/r3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/r3K2R w K - 0 1",
            [DROPPED.format("Q")],
        ),
        (
            D5.format("e6"), D5.format("-"),
            ["the en passant square e6 is dropped: no pawn can just have passed it"],
        ),
        (
            f'{START} w KQkq - bm e4; id "a/b";', f"{START} w KQkq - 0 1",
            ["passed over behind the FEN: 'bm e4; id \"a/b'"],
        ),
        (
            f"{START} w KQkq - hmvc 4; fmvn 12;", f"{START} w KQkq - 4 12",
            ["passed over behind the FEN: 'hmvc 4; fmvn 12'"],
        ),
        (
            START, f"{START} w - - 0 1",
            ["the FEN does not say who moves; it is taken to be White's move", NO_RIGHTS],
        ),
        (f"{START} b", f"{START} b - - 0 1", [NO_RIGHTS]),
        ("4k3/8/8/8/8/8/8/3RK3 b", "4k3/8/8/8/8/8/8/3RK3 b - - 0 1", []),
    ],
)  # fmt: skip
def test_what_a_fen_cannot_mean_is_dropped_and_told(pasted, fen, notes):
    position, told = text.read_fen(pasted)
    assert (position.fen(), list(told)) == (fen, notes)
    assert CHESS.position_text(pasted) == (fen, tuple(notes))


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ("e4", "the second field of a FEN says who moves: w or b, not 'e4'"),
        ("w 0 1", "the third field of a FEN has the castling rights: KQkq or -, not '0'"),
        ("w - 0 1", "the fourth field of a FEN is the en passant square or -, not '0'"),
        ("w KQkq 0 1", "the fourth field of a FEN is the en passant square or -, not '0'"),
    ],
)
def test_a_field_that_is_missing_or_wrong_is_named(fields, wrong):
    with pytest.raises(UsageError, match=re.escape(wrong)):
        text.read_fen(f"{START} {fields}")


@pytest.mark.parametrize(
    "fen",
    [
        f"{START} w HAha - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9",
        "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1",
    ],
)
def test_positions_of_chess960_are_refused_by_name(fen):
    with pytest.raises(UsageError, match="Chess960 is not supported"):
        text.read_fen(fen)
    position, notes = text.read_fen(fen, chess960=True)
    assert position.fen() == " ".join([*fen.split()[:2], "- -", *fen.split()[4:]])
    assert notes == ("Chess960 is not supported; the position is played without castling",)


@pytest.mark.parametrize(
    "fen", ["4k3/8/3N4/1B6/8/8/4R3/4K3 b - - 0 1", "3Rk2R/8/3N4/8/8/8/8/4K3 b - - 0 1"]
)
def test_checks_that_no_game_reaches_can_be_answered(fen):
    """Composers of problems set them up, and the rules know what to do."""
    board, state = chess.Board(fen), CHESS.from_fen(fen)
    assert board.status() & (chess.STATUS_IMPOSSIBLE_CHECK | chess.STATUS_TOO_MANY_CHECKERS)
    legal = {CHESS.action_text(state, int(a)) for a in CHESS.legal_actions(state[None])[0]}
    assert legal == {board.san(move) for move in board.legal_moves} != set()
